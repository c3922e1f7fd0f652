//! The names of cells: what the table of cells and the count of cases agree on.

use cfidiff_model::{
    Endianness, FaultKind, Format, Instruction, Machine, SectionKind, pointer_application_name,
    pointer_format_name,
};

use crate::pointer::{INDIRECT, OMIT};
use crate::suite::Damage;

/// A field that holds an encoded pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Field {
    InitialLocation,
    SetLoc,
    Lsda,
    Personality,
    HeaderEhFrame,
    HeaderCount,
    HeaderTable,
}

impl Field {
    pub const ALL: [Field; 7] = [
        Field::InitialLocation,
        Field::SetLoc,
        Field::Lsda,
        Field::Personality,
        Field::HeaderEhFrame,
        Field::HeaderCount,
        Field::HeaderTable,
    ];

    /// The field's part of a cell's name.
    pub fn name(self) -> &'static str {
        match self {
            Field::InitialLocation => "initial-location",
            Field::SetLoc => "set-loc",
            Field::Lsda => "lsda",
            Field::Personality => "personality",
            Field::HeaderEhFrame => "header-eh-frame",
            Field::HeaderCount => "header-count",
            Field::HeaderTable => "header-table",
        }
    }
}

/// An opcode in a kind of section.
pub(super) fn opcode(kind: SectionKind, name: &str) -> String {
    format!("opcode/{}/{}", section(kind), kebab(name))
}

/// A machine's own opcode on a machine.
pub(super) fn machine_opcode(name: &str, on: Machine) -> String {
    format!("machine-opcode/{}/{}", kebab(name), machine(on))
}

/// What the records of an FDE and its CIE look like as a whole.
pub(super) fn format(
    format: Format,
    kind: SectionKind,
    endianness: Endianness,
    address_size: u8,
    version: u8,
) -> String {
    let bits = if format == Format::Dwarf32 { 32 } else { 64 };
    let (section, endianness) = (section(kind), endianness.name());
    format!("format/{bits}/{section}/{endianness}/{address_size}/v{version}")
}

/// A pointer in an encoding; `None` when the encoding is not defined or says that there is no pointer.
pub(super) fn pointer(field: Field, encoding: u8) -> Option<String> {
    let format = pointer_format_name(encoding)?;
    let application = pointer_application_name(encoding)?;
    let direct = if encoding & INDIRECT == 0 { "direct" } else { "indirect" };
    (encoding != OMIT).then(|| format!("pointer/{}/{application}/{format}/{direct}", field.name()))
}

/// An augmentation string.
pub(super) fn augmentation(string: &str) -> String {
    format!("augmentation/{}", if string.is_empty() { "empty" } else { string })
}

/// A restore: the rule that the CIE gave the register, the rule that the FDE gave it since, and the opcode.
pub(super) fn restore(in_cie: &str, in_fde: &str, opcode: &str) -> String {
    format!("restore/{in_cie}/{in_fde}/{}", kebab(opcode))
}

/// A restore_state: the kinds of CFA rule at its remember_state and right before it.
pub(super) fn state(remembered: &str, since: &str) -> String {
    format!("state/{remembered}/{since}")
}

/// A named corruption with the fault that it is made for.
pub(super) fn damage(damage: Damage) -> String {
    format!("damage/{}/{}", fault_stem(damage.fault()), damage.name())
}

/// A kind of fault.
pub(super) fn fault(kind: FaultKind) -> String {
    format!("fault/{}", fault_stem(kind))
}

/// A kind of fault without the word that all of them start with.
pub(super) fn fault_stem(kind: FaultKind) -> &'static str {
    kind.name().trim_start_matches("fault.")
}

/// A section's part of a cell's name.
pub(super) fn section(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::EhFrame => "eh-frame",
        SectionKind::DebugFrame => "debug-frame",
        SectionKind::EhFrameHdr => "eh-frame-hdr",
    }
}

/// A machine's part of a cell's name.
pub(super) fn machine(machine: Machine) -> String {
    kebab(&machine.to_string())
}

/// The rule that an instruction gives a register, by its part of a cell's name.
pub(super) fn rule(instruction: &Instruction) -> Option<(u64, &'static str)> {
    Some(match *instruction {
        Instruction::Undefined { register } => (register, "undefined"),
        Instruction::SameValue { register } => (register, "same-value"),
        Instruction::Offset { register, .. }
        | Instruction::OffsetExtended { register, .. }
        | Instruction::OffsetExtendedSf { register, .. }
        | Instruction::GnuNegativeOffsetExtended { register, .. } => (register, "offset"),
        Instruction::ValOffset { register, .. } | Instruction::ValOffsetSf { register, .. } => {
            (register, "val-offset")
        }
        Instruction::Register { register, .. } => (register, "register"),
        Instruction::Expression { register, .. } => (register, "expression"),
        Instruction::ValExpression { register, .. } => (register, "val-expression"),
        _ => return None,
    })
}

/// The kind of CFA rule that an instruction sets or changes, by its part of a cell's name.
pub(super) fn cfa(instruction: &Instruction) -> Option<&'static str> {
    match instruction {
        Instruction::DefCfa { .. }
        | Instruction::DefCfaSf { .. }
        | Instruction::DefCfaRegister { .. }
        | Instruction::DefCfaOffset { .. }
        | Instruction::DefCfaOffsetSf { .. } => Some("register-offset"),
        Instruction::DefCfaExpression { .. } => Some("expression"),
        _ => None,
    }
}

fn kebab(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}
