//! Encoded pointers: formats and bases.

use cfidiff_cfi::{PointerField, PointerFormat, UndefinedApplication};

use crate::faults::PlantedFault;

pub(super) const FAULTS: &[PlantedFault] = &[
    PlantedFault {
        name: "omit-not-known",
        does: "takes 0xff for an encoding with an undefined format",
        should: "take it for a field that is not there",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_omit",
        models: &["libunwind issue 161"],
        plant: |faulty| faulty.is_omitted = Some(|_, _| false),
    },
    PlantedFault {
        name: "aligned-not-aligned",
        does: "reads an aligned pointer without passing over the bytes in front of it",
        should: "start at the next place that is aligned to the size of an address",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_aligned",
        models: &["elfutils commit 7934ded4"],
        plant: |faulty| faulty.is_aligned = Some(|_, _| false),
    },
    PlantedFault {
        name: "indirect-ignored",
        does: "takes the address of a slot for the address that the slot holds",
        should: "tell that the pointer is indirect",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_indirect",
        models: &["delve PR 3032"],
        plant: |faulty| faulty.is_indirect = Some(|_, _| false),
    },
    PlantedFault {
        name: "indirect-personality-refused",
        does: "refuses an indirect personality pointer",
        should: "read it: it leads to a slot",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_indirect",
        models: &["delve PR 3032"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::Personality if encoding & 0x80 != 0 => Err(UndefinedApplication),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
    PlantedFault {
        name: "sdata4-of-eight-bytes",
        does: "reads eight bytes for sdata4",
        should: "read four",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["misreading: sdata4 read as eight bytes"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x0b => Some(PointerFormat::Signed(8)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "sdata8-of-four-bytes",
        does: "reads four bytes for sdata8",
        should: "read eight",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["libunwind commit f020b240"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x0c => Some(PointerFormat::Signed(4)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "udata4-of-address-size",
        does: "reads an address-sized number for udata4",
        should: "read four bytes",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["elfutils commit 7934ded4"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x03 => Some(PointerFormat::Unsigned(size)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "absptr-of-eight-bytes",
        does: "reads eight bytes for absptr in a 32-bit file",
        should: "read as many bytes as an address has",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["gimli PR 355"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x00 => Some(PointerFormat::Unsigned(8)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "signed-pointers-unsigned",
        does: "does not sign-extend pointers in signed formats",
        should: "sign-extend them before the base is added",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["misreading: unsigned for signed"],
        plant: |faulty| {
            faulty.pointer_format =
                Some(|inner, field, encoding, size| match inner.pointer_format(field, encoding, size) {
                    Some(PointerFormat::Signed(width)) => Some(PointerFormat::Unsigned(width)),
                    other => other,
                })
        },
    },
    PlantedFault {
        name: "unsigned-pointers-signed",
        does: "sign-extends pointers in unsigned formats",
        should: "extend them with zeros",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["misreading: signedness"],
        plant: |faulty| {
            faulty.pointer_format =
                Some(|inner, field, encoding, size| match inner.pointer_format(field, encoding, size) {
                    Some(PointerFormat::Unsigned(width)) => Some(PointerFormat::Signed(width)),
                    other => other,
                })
        },
    },
    PlantedFault {
        name: "sleb128-as-uleb128",
        does: "reads sleb128 pointers as unsigned",
        should: "sign-extend them",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["misreading: signedness"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x09 => Some(PointerFormat::Uleb128),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "two-byte-formats-of-four",
        does: "reads four bytes for udata2 and sdata2",
        should: "read two",
        clause: "LSB, DWARF exception header encoding: the table of formats",
        models: &["elfutils commit 7934ded4"],
        plant: |faulty| {
            faulty.pointer_format = Some(|inner, field, encoding, size| match encoding & 0x0f {
                0x02 => Some(PointerFormat::Unsigned(4)),
                0x0a => Some(PointerFormat::Signed(4)),
                _ => inner.pointer_format(field, encoding, size),
            })
        },
    },
    PlantedFault {
        name: "pcrel-not-added",
        does: "does not add the base of pcrel pointers",
        should: "add the address of the pointer's own field",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["elfutils commit 00f758c2", "misreading: a displacement"],
        plant: |faulty| {
            faulty.pointer_base =
                Some(|inner, field, encoding, pcrel, bases, function| match encoding & 0x70 {
                    0x10 => Ok(Some(0)),
                    _ => inner.pointer_base(field, encoding, pcrel, bases, function),
                })
        },
    },
    PlantedFault {
        name: "pcrel-not-added-to-location",
        does: "does not add the base to a pcrel initial location",
        should: "add the address of the location's own field",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: pcrel applies to the location"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::InitialLocation if encoding & 0x70 == 0x10 => Ok(Some(0)),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
    PlantedFault {
        name: "pcrel-not-added-to-set-loc",
        does: "does not add the base to a pcrel operand of set_loc",
        should: "add the address of the operand",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["elfutils commit c1e4e29f"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::SetLoc if encoding & 0x70 == 0x10 => Ok(Some(0)),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
    PlantedFault {
        name: "pcrel-from-zero",
        does: "takes the field's offset in the section for its address",
        should: "add the section's address to it",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: an error of minus the section's address everywhere"],
        plant: |faulty| faulty.pcrel_base = Some(|_, _, field, _| field),
    },
    PlantedFault {
        name: "pcrel-from-file-offset",
        does: "takes the field's offset in the file for its address",
        should: "add the field's offset in the section to the section's address",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: relative to the section's file offset"],
        plant: |faulty| {
            faulty.pcrel_base = Some(|inner, section, field, end| match section.file_offset {
                Some(start) => start.wrapping_add(field),
                None => inner.pcrel_base(section, field, end),
            })
        },
    },
    PlantedFault {
        name: "pcrel-from-section",
        does: "counts pcrel pointers from the section's first byte",
        should: "count from the pointer's own field",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: an error of minus the field's offset"],
        plant: |faulty| faulty.pcrel_base = Some(|_, section, _, _| section.address.0),
    },
    PlantedFault {
        name: "pcrel-from-record",
        does: "counts pcrel pointers from eight bytes before their field, where an FDE starts",
        should: "count from the pointer's own field",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: an error of -8 everywhere"],
        plant: |faulty| {
            faulty.pcrel_base =
                Some(|inner, section, field, end| inner.pcrel_base(section, field, end).wrapping_sub(8))
        },
    },
    PlantedFault {
        name: "pcrel-from-value-end",
        does: "counts pcrel pointers from the byte behind the value, as an instruction does",
        should: "count from the value's first byte",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_pcrel",
        models: &["misreading: its own field"],
        plant: |faulty| {
            faulty.pcrel_base = Some(|inner, section, _, end| inner.pcrel_base(section, end, end))
        },
    },
    PlantedFault {
        name: "datarel-not-added",
        does: "does not add the base of datarel pointers",
        should: "add the address of the data: the global offset table, or the header",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_datarel",
        models: &["mold commit 46c38ca7"],
        plant: |faulty| {
            faulty.pointer_base =
                Some(|inner, field, encoding, pcrel, bases, function| match encoding & 0x70 {
                    0x30 => Ok(Some(0)),
                    _ => inner.pointer_base(field, encoding, pcrel, bases, function),
                })
        },
    },
    PlantedFault {
        name: "textrel-not-added",
        does: "does not add the base of textrel pointers",
        should: "add the address of .text",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_textrel",
        models: &["misreading: relative to something"],
        plant: |faulty| {
            faulty.pointer_base =
                Some(|inner, field, encoding, pcrel, bases, function| match encoding & 0x70 {
                    0x20 => Ok(Some(0)),
                    _ => inner.pointer_base(field, encoding, pcrel, bases, function),
                })
        },
    },
    PlantedFault {
        name: "textrel-as-datarel",
        does: "adds the base of datarel pointers to textrel pointers",
        should: "add the address of .text",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_textrel",
        models: &["misreading: relative to something"],
        plant: |faulty| {
            faulty.pointer_base =
                Some(|inner, field, encoding, pcrel, bases, function| match encoding & 0x70 {
                    0x20 => inner.pointer_base(field, encoding ^ 0x10, pcrel, bases, function),
                    _ => inner.pointer_base(field, encoding, pcrel, bases, function),
                })
        },
    },
    PlantedFault {
        name: "funcrel-not-added",
        does: "does not add the base of funcrel pointers",
        should: "add the function's start",
        clause: "LSB, DWARF exception header encoding: the table of applications: DW_EH_PE_funcrel",
        models: &["misreading: relative to something"],
        plant: |faulty| {
            faulty.pointer_base =
                Some(|inner, field, encoding, pcrel, bases, function| match encoding & 0x70 {
                    0x40 => Ok(Some(0)),
                    _ => inner.pointer_base(field, encoding, pcrel, bases, function),
                })
        },
    },
    PlantedFault {
        name: "locations-from-text",
        does: "adds the start of .text to initial locations that are plain addresses",
        should: "take them as they are",
        clause: "LSB, DWARF exception header encoding: the table of applications and DWARF 5 section 6.4.1: initial_location",
        models: &["misreading: relative to the start of the text"],
        plant: |faulty| {
            faulty.pointer_base = Some(|inner, field, encoding, pcrel, bases, function| match field {
                PointerField::InitialLocation if encoding & 0x70 == 0 => Ok(bases.text.map(|text| text.0)),
                _ => inner.pointer_base(field, encoding, pcrel, bases, function),
            })
        },
    },
];
