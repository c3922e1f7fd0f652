//! Features: facts of a record, its section and its case, by which known faults and open questions are recognized.
//!
//! | feature | value |
//! |---|---|
//! | `section` | `.eh_frame` or `.debug_frame` |
//! | `section-type` | its sh_type, such as `0x1` |
//! | `machine`, `class`, `endianness` | `x86_64`, `32` or `64`, `little` or `big` |
//! | `gnu-compressed` | present when the section's name starts with `.zdebug` |
//! | `eh-frame-hdr` | on sections, when the case has an `.eh_frame_hdr`: its first four bytes, such as `011b033b` |
//! | `eh-frame-hdr-unsorted` | on sections, when that starts with `011b033b` and its locations do not ascend |
//! | `name-comes-again`, `name-came-before` | on sections: a later one, an earlier one has the same name |
//! | `no-section-header` | present when the section was found through program headers alone |
//! | `relocatable` | present in relocatable objects |
//! | `kind` | `CIE`, `FDE`, `terminator`, `unreadable record` |
//! | `format` | `32` or `64` |
//! | `version`, `address-size`, `segment-selector-size` | of the record's CIE |
//! | `address-size-is-not-class` | present when a CIE's address size differs from the file's |
//! | `augmentation` | the string |
//! | `letter` | each letter behind `z` |
//! | `unknown-letter` | present when one of them is none of `L`, `P`, `R`, `S`, `B`, `G` |
//! | `code-alignment-factor`, `return-address-register` | of the record's CIE |
//! | `data-alignment-factor-size` | its absolute value |
//! | `fde-encoding`, `lsda-encoding`, `personality-encoding` | such as `0x1b` |
//! | `fde-format`, `fde-application`, `lsda-format`, `lsda-application` | such as `sdata4`, `pcrel` |
//! | `fde-indirect`, `lsda-indirect` | present when the encoding has DW_EH_PE_indirect |
//! | `fde-format-is-leb128` | present for `uleb128` and `sleb128` |
//! | `personality-format-is-leb128` | present for `uleb128` and `sleb128` |
//! | `signed-pointer` | present when one of these encodings has the format `signed` |
//! | `personality` | `null` when the personality encoding is there and the pointer is null |
//! | `lsda` | `null` when the LSDA encoding is there and the pointer is null |
//! | `signed-range-high-bit` | present when the FDE format is signed and the address range has its top bit set |
//! | `zero-length` | present when an FDE covers nothing |
//! | `high-location` | present when the top bit of an FDE's initial location is set |
//! | `location-wraps` | present when an FDE of a 32-bit file starts at a pcrel location that is reached by wrapping |
//! | `ends-at-the-top` | present when an FDE covers the last address of the address space |
//! | `cie-after-fde` | present when an FDE stands before its CIE |
//! | `aligned-pointer`, `pcrel-pointer` | present when one of these encodings is DW_EH_PE_aligned, DW_EH_PE_pcrel |
//! | `spare-augmentation-data` | present when the record's augmentation data is longer than its letters need |
//! | `opcode` | each instruction's name and that of its canonical form, the CIE's included |
//! | `restore-without-remember` | present when an FDE's own instructions restore more states than they remember |
//! | `operation` | each DWARF operation's opcode, such as `0x77` |
//! | `largest-register` | the largest register number among the operands, the CIE's included |
//! | `register-past-names` | present when that is past the end of GNU binutils' register names, see below |
//! | `return-address-register-past-names` | the same of the return address register |
//! | `long-leb128` | present when ten bytes in a row have the high bit set, as in a LEB128 number of more than ten |
//! | `big-cfa-offset` | present when the offset of a CFA rule does not fit 31 bits |
//! | `big-rule-offset` | present when the offset of a register's rule does not fit 31 bits |
//! | `cfa-undefined` | present when some row has no CFA rule |
//! | `initial-cfa-expression` | present when the CIE's instructions make the CFA an expression |
//! | `fault` | each fault's key |
//! | `cie-fault` | each fault's key of the record's CIE |
//! | `costs-others` | on sections, of a reader that broke: well-formed ones are lost that have nothing to do with the record it broke at |
//! | `trailing-bytes` | on sections: how many bytes at the end are no record |
//! | `zero-byte-behind-terminator` | on sections: a record behind a terminator whose first byte is zero |
//! | `has-terminator-inside` | on sections: a terminator with records behind it |
//!
//! GNU readelf keeps one column for each register that it has names for, which depends on the machine. A number
//! past them is a fact of the input as much as one past 16 bits is.

mod encodings;
mod list;

use std::collections::HashMap;

use cfidiff_cfi::{Semantics, Table};
use cfidiff_model::{Case, CfaRule, Endianness, Entry, EntryKind, Says, Section, SectionKind, Target};
use cfidiff_oracles::known::Feature;

use self::list::Features;

/// Features of a case that hold whatever is in it.
pub(crate) fn of_case(target: &Target) -> Vec<Feature> {
    let mut features = Features::default();
    features.target(target);
    features.list
}

/// Features of one record, its CIE's included.
pub(crate) fn of_record<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
    index: usize,
    seen: &mut SeenCies,
) -> Vec<Feature> {
    let mut features = Features::default();
    features.common(section, target);
    let mut entry = Entry::default();
    if !table.fill(index, Says::all(), &mut entry) {
        return features.list;
    }
    features.entry(&entry, section, target);
    match &entry.kind {
        EntryKind::Cie(cie) => features.cie(cie, target),
        EntryKind::Fde(fde) => {
            let cie_index = fde.cie.and_then(|offset| table.index_of(offset));
            if let Some(cie) = cie_index.and_then(|index| seen.cie(section, target, table, index)) {
                cie.features.iter().for_each(|feature| features.add(feature.name, feature.value.as_str()));
                features.fde(fde, cie);
                features.location(&entry, fde, cie, section, target);
                features.spare_data(fde, cie.lsda_encoding, target);
                if fde.cie > Some(entry.offset) {
                    features.add("cie-after-fde", "");
                }
            }
        }
        _ => {}
    }
    features.list
}

/// What an FDE takes over from its CIE.
struct OfCie {
    features: Vec<Feature>,
    fde_encoding: Option<u8>,
    lsda_encoding: Option<u8>,
}

/// The CIEs by which FDEs were judged, by number. To read a large CIE again for each of its FDEs would take time
/// quadratic in the section's size.
#[derive(Default)]
pub(crate) struct SeenCies {
    cies: HashMap<usize, Option<OfCie>>,
}

impl SeenCies {
    /// More are not kept, since hostile sections could have one for each FDE.
    const MAX: usize = 1024;

    fn cie<S: Semantics + ?Sized>(
        &mut self,
        section: &Section,
        target: &Target,
        table: &mut Table<'_, S>,
        index: usize,
    ) -> Option<&OfCie> {
        if self.cies.len() >= SeenCies::MAX && !self.cies.contains_key(&index) {
            self.cies.clear();
        }
        self.cies.entry(index).or_insert_with(|| of_cie(section, target, table, index)).as_ref()
    }
}

fn of_cie<S: Semantics + ?Sized>(
    section: &Section,
    target: &Target,
    table: &mut Table<'_, S>,
    index: usize,
) -> Option<OfCie> {
    let mut features = Features::default();
    let mut entry = Entry::default();
    table.fill(index, Says::all(), &mut entry);
    let EntryKind::Cie(cie) = &entry.kind else { return None };
    features.cie(cie, target);
    features.program(&entry, section, target);
    if entry.rows.get(0).is_some_and(|row| matches!(row.cfa, CfaRule::Expression(_))) {
        features.add("initial-cfa-expression", "");
    }
    for fault in &entry.faults {
        features.add("cie-fault", fault.kind.name());
    }
    let (fde_encoding, lsda_encoding) = (cie.fde_encoding, cie.lsda_encoding);
    Some(OfCie { features: features.list, fde_encoding, lsda_encoding })
}

/// Features of the section with this index: what any of its records has, what is true of the whole, and what stands
/// beside it in the case.
pub(crate) fn of_section<S: Semantics + ?Sized>(
    case: &Case,
    index: usize,
    table: &mut Table<'_, S>,
) -> Vec<Feature> {
    let (section, target) = (&case.sections[index], &case.target);
    let mut features = Features::default();
    features.common(section, target);
    let has_name = |other: &Section| other.name == section.name;
    if case.sections[index + 1..].iter().any(has_name) {
        features.add("name-comes-again", "");
    }
    if case.sections[..index].iter().any(has_name) {
        features.add("name-came-before", "");
    }
    if let Some(header) = case.sections.iter().find(|other| other.kind == SectionKind::EhFrameHdr) {
        let start = &header.data[..header.data.len().min(4)];
        features.add("eh-frame-hdr", start.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        if start == [0x01, 0x1b, 0x03, 0x3b] && !is_sorted(&header.data, target.endianness) {
            features.add("eh-frame-hdr-unsorted", "");
        }
    }
    let mut cies = HashMap::new();
    let mut entry = Entry::default();
    let mut terminated = false;
    for index in 0..table.len() {
        if !table.fill(index, Says::INSTRUCTIONS, &mut entry) {
            break;
        }
        features.entry(&entry, section, target);
        match &entry.kind {
            EntryKind::Terminator => terminated = true,
            EntryKind::Cie(cie) => {
                features.cie(cie, target);
                cies.insert(entry.offset, cie.lsda_encoding);
            }
            EntryKind::Fde(fde) => {
                let lsda_encoding = fde.cie.and_then(|cie| cies.get(&cie).copied()).flatten();
                features.spare_data(fde, lsda_encoding, target);
                if fde.cie > Some(entry.offset) {
                    features.add("cie-after-fde", "");
                }
            }
            EntryKind::Unreadable if index + 1 == table.len() => {
                let size = section.data.len() as u64 - entry.offset.0;
                features.add("trailing-bytes", size.to_string());
            }
            _ => {}
        }
        if terminated && !matches!(entry.kind, EntryKind::Terminator) {
            features.add("has-terminator-inside", "");
            if section.data.get(entry.offset.0 as usize) == Some(&0) {
                features.add("zero-byte-behind-terminator", "");
            }
        }
    }
    features.list
}

/// Whether the locations of an `.eh_frame_hdr` in the usual encodings ascend: behind twelve bytes, each has four, as
/// has the address of its FDE.
fn is_sorted(header: &[u8], endianness: Endianness) -> bool {
    let locations = header.get(12..).unwrap_or_default().chunks_exact(8).map(|entry| {
        let location = [entry[0], entry[1], entry[2], entry[3]];
        match endianness {
            Endianness::Little => i32::from_le_bytes(location),
            Endianness::Big => i32::from_be_bytes(location),
        }
    });
    locations.is_sorted()
}
