//! What an expected answer leaves to the reader, taken over from the answer that it is held against.

use cfidiff_model::{Cie, Entry, EntryKind, Fde};

/// Copies a field that is left to the reader, by its name in the suite's answers, so that nothing differs there. A
/// field that the entry does not have changes nothing.
pub(crate) fn take(field: &str, from: &Entry, to: &mut Entry) {
    match field {
        "length" => to.length = from.length,
        "format" => to.format = from.format,
        "instructions" => to.instructions.clone_from(&from.instructions),
        "rows" => to.rows.clone_from(&from.rows),
        "faults" => to.faults.clone_from(&from.faults),
        _ => match (&from.kind, &mut to.kind) {
            (EntryKind::Cie(from), EntryKind::Cie(to)) => take_of_cie(field, from, to),
            (EntryKind::Fde(from), EntryKind::Fde(to)) => take_of_fde(field, from, to),
            _ => {}
        },
    }
}

fn take_of_cie(field: &str, from: &Cie, to: &mut Cie) {
    match field {
        "version" => to.version = from.version,
        "augmentation" => to.augmentation.clone_from(&from.augmentation),
        "address_size" => to.address_size = from.address_size,
        "segment_selector_size" => to.segment_selector_size = from.segment_selector_size,
        "code_alignment_factor" => to.code_alignment_factor = from.code_alignment_factor,
        "data_alignment_factor" => to.data_alignment_factor = from.data_alignment_factor,
        "return_address_register" => to.return_address_register = from.return_address_register,
        "augmentation_data" => to.augmentation_data.clone_from(&from.augmentation_data),
        "fde_encoding" => to.fde_encoding = from.fde_encoding,
        "lsda_encoding" => to.lsda_encoding = from.lsda_encoding,
        // The encoding is part of the same value: whoever may say no pointer may say no encoding.
        "personality_encoding" | "personality" => to.personality = from.personality,
        "signal_frame" => to.signal_frame = from.signal_frame,
        "b_key" => to.b_key = from.b_key,
        "mte_tagged" => to.mte_tagged = from.mte_tagged,
        _ => {}
    }
}

fn take_of_fde(field: &str, from: &Fde, to: &mut Fde) {
    match field {
        "cie" => to.cie = from.cie,
        "cie_pointer" => to.cie_pointer = from.cie_pointer,
        "segment" => to.segment = from.segment,
        "initial_location" => to.initial_location = from.initial_location,
        "indirect" => to.indirect = from.indirect,
        "address_range" => to.address_range = from.address_range,
        "augmentation_data" => to.augmentation_data.clone_from(&from.augmentation_data),
        "lsda" => to.lsda = from.lsda,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use cfidiff_model::{
        Address, Bytes, CfaRule, Fault, FaultKind, Format, Instruction, Pointer, Rows, SectionOffset,
    };

    use super::*;

    const OF_ALL: &[&str] = &["length", "format", "instructions", "rows", "faults"];
    const OF_CIE: &[&str] = &[
        "version",
        "augmentation",
        "address_size",
        "segment_selector_size",
        "code_alignment_factor",
        "data_alignment_factor",
        "return_address_register",
        "augmentation_data",
        "fde_encoding",
        "lsda_encoding",
        "personality",
        "signal_frame",
        "b_key",
        "mte_tagged",
    ];
    const OF_FDE: &[&str] = &[
        "cie",
        "cie_pointer",
        "segment",
        "initial_location",
        "indirect",
        "address_range",
        "augmentation_data",
        "lsda",
    ];

    /// An entry that has nothing as the default has it, but for its offset.
    fn entry(kind: EntryKind) -> Entry {
        let mut rows = Rows::default();
        rows.finish_row(Address(1), Address(2), CfaRule::Undefined);
        let (offset, bytes) = (SectionOffset(1), Bytes::new());
        let fault = Fault { offset, bytes, kind: FaultKind::Reported, expected: "more".into() };
        Entry {
            offset: SectionOffset(0),
            length: 1,
            format: Format::Dwarf64,
            kind,
            instructions: vec![Instruction::Nop],
            rows,
            faults: vec![fault],
        }
    }

    fn cie() -> Cie {
        let pointer = Pointer { address: Address(1), indirect: true };
        Cie {
            version: 1,
            augmentation: Bytes::from_slice(b"z"),
            address_size: 1,
            segment_selector_size: 1,
            code_alignment_factor: 1,
            data_alignment_factor: 1,
            return_address_register: 1,
            augmentation_data: Bytes::from_slice(b"z"),
            fde_encoding: Some(1),
            lsda_encoding: Some(1),
            personality: Some((1, Some(pointer))),
            signal_frame: true,
            b_key: true,
            mte_tagged: true,
        }
    }

    fn fde() -> Fde {
        Fde {
            cie: Some(SectionOffset(1)),
            cie_pointer: 1,
            segment: Some(1),
            initial_location: Address(1),
            indirect: true,
            address_range: 1,
            augmentation_data: Bytes::from_slice(b"z"),
            lsda: Some(Pointer { address: Address(1), indirect: true }),
        }
    }

    #[test]
    fn each_field_is_taken_and_all_of_them_are_the_entry() {
        let (no_cie, no_fde) = (EntryKind::Cie(Box::default()), EntryKind::Fde(Fde::default()));
        for (from, to, fields) in
            [(EntryKind::Cie(Box::new(cie())), no_cie, OF_CIE), (EntryKind::Fde(fde()), no_fde, OF_FDE)]
        {
            let (from, mut to) = (entry(from), Entry { kind: to, ..Entry::default() });
            for field in OF_ALL.iter().chain(fields) {
                let before = to.clone();
                take(field, &from, &mut to);
                assert_ne!(to, before, "{field}");
            }
            assert_eq!(to, from);
        }
    }
}
