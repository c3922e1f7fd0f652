//! Pointer encodings (LSB, DWARF exception header encoding): sizes.

use cfidiff_model::{Cie, Target, pointer_application_name, pointer_format_name};

/// The size of a pointer in this encoding, where it does not depend on its value or its place.
pub(super) fn pointer_size(encoding: u8, target: &Target) -> Option<usize> {
    match encoding {
        0xff => Some(0),
        _ if pointer_application_name(encoding) == Some("aligned") => None,
        _ => match encoding & 0x07 {
            0x00 => Some(target.class.address_size().into()),
            0x02 => Some(2),
            0x03 => Some(4),
            0x04 => Some(8),
            _ => None,
        },
    }
}

/// How many bytes of augmentation data a CIE's letters use, when that is known of each.
pub(super) fn cie_data_size(cie: &Cie, target: &Target) -> Option<usize> {
    let Some((b'z', letters)) = cie.augmentation.split_first() else { return None };
    let size = |letter: &u8| match letter {
        b'L' | b'R' => Some(1),
        b'P' => Some(1 + pointer_size(cie.personality?.0, target)?),
        b'S' | b'B' | b'G' => Some(0),
        _ => None,
    };
    letters.iter().map(size).sum()
}

/// Whether its value is as long as it likes.
pub(super) fn is_leb128(encoding: u8) -> bool {
    matches!(pointer_format_name(encoding), Some("uleb128" | "sleb128"))
}
