//! What a reader is given: a section's bytes, and all that has to be known to read them.

use cfidiff_gen::suite::Answer;
use cfidiff_model::{Address, Bases, Case, Class, Endianness, Machine, SectionKind, Target};

/// A section of call frame information, ready to read: decompressed, and relocated when it is of a relocatable object.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// `.eh_frame` or `.debug_frame`: which rules apply.
    pub kind: SectionKind,
    /// The contents.
    pub data: &'a [u8],
    /// The link-time address of the first byte, from which DW_EH_PE_pcrel pointers count, with the field's offset. Zero
    /// in relocatable objects, and mostly in `.debug_frame`.
    pub address: Address,
    /// What DW_EH_PE_textrel and DW_EH_PE_datarel pointers count from: the starts of `.text` and `.got`. The base of
    /// DW_EH_PE_funcrel pointers is their own FDE's initial location.
    pub bases: Bases,
    /// The byte order.
    pub endianness: Endianness,
    /// The size of an address in bytes, 4 or 8: that of the ELF class. A CIE of version 4 has its own.
    pub address_size: u8,
    /// The machine, on which some opcodes depend.
    pub machine: Machine,
    /// Whether the section is of a relocatable object.
    pub relocatable: bool,
}

impl<'a> Section<'a> {
    /// The section of a case that an expected answer is about.
    pub(super) fn of(case: &'a Case, answer: &Answer) -> Option<Section<'a>> {
        let section = crate::corpus::section_of(answer, case)?;
        let Target { machine, class, endianness, relocatable } = case.target;
        Some(Section {
            kind: answer.kind,
            data: &section.data,
            address: answer.address,
            bases: answer.bases,
            endianness,
            address_size: class.address_size(),
            machine,
            relocatable,
        })
    }

    /// The same as the rest of the crate has it.
    pub(super) fn target(&self) -> Target {
        let class = if self.address_size == 4 { Class::Elf32 } else { Class::Elf64 };
        Target { machine: self.machine, class, endianness: self.endianness, relocatable: self.relocatable }
    }
}
