//! Names of the parts of a pointer encoding, DW_EH_PE (LSB Core 5.0, DWARF exception header encoding).

/// The formats of the value, by the low four bits. `signed` is GNU's alone.
pub const POINTER_FORMATS: [(u8, &str); 10] = [
    (0x00, "absptr"),
    (0x01, "uleb128"),
    (0x02, "udata2"),
    (0x03, "udata4"),
    (0x04, "udata8"),
    (0x08, "signed"),
    (0x09, "sleb128"),
    (0x0a, "sdata2"),
    (0x0b, "sdata4"),
    (0x0c, "sdata8"),
];

/// The applications, which tell what the value is added to, by bits 4 to 6.
pub const POINTER_APPLICATIONS: [(u8, &str); 6] = [
    (0x00, "absolute"),
    (0x10, "pcrel"),
    (0x20, "textrel"),
    (0x30, "datarel"),
    (0x40, "funcrel"),
    (0x50, "aligned"),
];

/// The name of an encoding's format; `None` when its bits have no meaning.
pub fn pointer_format_name(encoding: u8) -> Option<&'static str> {
    name(&POINTER_FORMATS, encoding & 0x0f)
}

/// The name of an encoding's application; `None` when its bits have no meaning.
pub fn pointer_application_name(encoding: u8) -> Option<&'static str> {
    name(&POINTER_APPLICATIONS, encoding & 0x70)
}

fn name(names: &[(u8, &'static str)], bits: u8) -> Option<&'static str> {
    names.iter().find(|(value, _)| *value == bits).map(|(_, name)| *name)
}
