//! The DW_EH_PE encodings, enumerated (LSB Core, DWARF exception header encoding).

use cfidiff_model::{POINTER_FORMATS, pointer_application_name, pointer_format_name};

use crate::suite::draft::{Draft, TEXT};
use crate::{INDIRECT, OMIT};

/// The applications, each a base that is added.
pub(crate) const ABSOLUTE: u8 = 0x00;
pub(crate) const PCREL: u8 = 0x10;
pub(crate) const TEXTREL: u8 = 0x20;
pub(crate) const DATAREL: u8 = 0x30;
pub(crate) const FUNCREL: u8 = 0x40;

/// The size of `.text` where there is a case for each encoding: room for two functions and what they point to.
pub(crate) const SMALL_TEXT: u64 = 0x70;

/// The format `signed`, which GNU's headers have and the LSB has not.
const SIGNED: u8 = 0x08;

/// The encodings of all formats with these applications.
pub(crate) fn with_applications(applications: &[u8]) -> impl Iterator<Item = u8> {
    applications.iter().flat_map(|application| POINTER_FORMATS.map(|(format, _)| application | format))
}

/// The encoding in the name of a case, for instance `9b-indirect-pcrel-sdata4`.
pub(crate) fn name(encoding: u8) -> String {
    // The names of cases say `uleb` and `sleb`.
    let format = pointer_format_name(encoding).unwrap_or("undefined").trim_end_matches("128");
    let indirect = if is_indirect(encoding) { "indirect-" } else { "" };
    let application = match pointer_application_name(encoding) {
        Some("absolute") => String::new(),
        Some("aligned") => return format!("{encoding:02x}-{indirect}aligned"),
        application => format!("{}-", application.unwrap_or("undefined")),
    };
    format!("{encoding:02x}-{indirect}{application}{format}")
}

/// Whether the pointer is the address of a slot.
pub(crate) fn is_indirect(encoding: u8) -> bool {
    encoding != OMIT && encoding & INDIRECT != 0
}

/// The case of an encoding, where a reader may refuse the format that only GNU's headers have.
pub(crate) fn or_refused(draft: Draft, encoding: u8) -> Draft {
    match encoding & 0x0f {
        SIGNED => draft.or_refused(
            "a signed number of an address's size: GNU's dwarf2.h, binutils",
            "a format without a definition: LSB, libgcc, gimli",
        ),
        _ => draft,
    }
}

/// Where `.text` has to be so that pointers into it can be written. An unsigned format that is narrower than an
/// address holds no negative difference, so there `.text` comes behind what the encoding counts from.
pub(crate) fn text_for(encoding: u8) -> u64 {
    let is_unsigned = matches!(encoding & 0x0f, 0x01..=0x03);
    let is_behind = matches!(encoding & 0x70, PCREL | DATAREL);
    if is_unsigned && is_behind && !is_indirect(encoding) { 0x7000 } else { TEXT }
}
