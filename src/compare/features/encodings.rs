//! Pointer encodings (LSB, DWARF exception header encoding): names of their parts, and sizes.

use cfidiff_model::{Cie, Target};

/// The size of a pointer in this encoding, where it does not depend on its value or its place.
pub(super) fn pointer_size(encoding: u8, target: &Target) -> Option<usize> {
    match encoding {
        0xff => Some(0),
        _ if application_name(encoding) == "aligned" => None,
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

/// The name of an encoding's value format.
pub(super) fn format_name(encoding: u8) -> &'static str {
    match encoding & 0x0f {
        0x00 => "absptr",
        0x01 => "uleb128",
        0x02 => "udata2",
        0x03 => "udata4",
        0x04 => "udata8",
        0x08 => "signed",
        0x09 => "sleb128",
        0x0a => "sdata2",
        0x0b => "sdata4",
        0x0c => "sdata8",
        _ => "undefined",
    }
}

/// Whether its value is as long as it likes.
pub(super) fn is_leb128(encoding: u8) -> bool {
    matches!(format_name(encoding), "uleb128" | "sleb128")
}

/// The name of what an encoding's value is added to.
pub(super) fn application_name(encoding: u8) -> &'static str {
    match encoding & 0x70 {
        0x00 => "abs",
        0x10 => "pcrel",
        0x20 => "textrel",
        0x30 => "datarel",
        0x40 => "funcrel",
        0x50 => "aligned",
        _ => "undefined",
    }
}
