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
