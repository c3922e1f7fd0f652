//! The lines of the protocol as they are written. `PROTOCOL.md` describes them, `protocol.schema.json` is made from
//! these types.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// The version of the protocol that is spoken here.
pub const PROTOCOL: u64 = 1;

/// An unsigned number as `"0x…"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hex(pub u64);

/// A signed number as `"0x…"` or `"-0x…"`. Both the two's complement and the negative form of 64 bits are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedHex(pub i64);

/// Bytes as two hexadecimal digits each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HexBytes(pub Vec<u8>);

fn digits(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, 16).ok()
}

/// Takes a string whose meaning the function tells, or says what was expected.
struct Text<T> {
    expected: &'static str,
    meaning: fn(&str) -> Option<T>,
}

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.meaning)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Hex, D::Error> {
        let expected = "a string with a number as \"0x…\" of at most 64 bits";
        from.deserialize_str(Text { expected, meaning: |text| digits(text).map(Hex) })
    }
}

impl<'de> Deserialize<'de> for SignedHex {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<SignedHex, D::Error> {
        let expected = "a string with a number as \"0x…\" or \"-0x…\" of at most 64 bits";
        let meaning = |text: &str| match text.strip_prefix('-') {
            Some(magnitude) => {
                digits(magnitude).and_then(|magnitude| 0_i64.checked_sub_unsigned(magnitude)).map(SignedHex)
            }
            None => digits(text).map(|number| SignedHex(number.cast_signed())),
        };
        from.deserialize_str(Text { expected, meaning })
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<HexBytes, D::Error> {
        let meaning = |text: &str| {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            let byte = |pair: &[u8]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
            let pairs = text.len().is_multiple_of(2).then(|| text.as_bytes().chunks_exact(2));
            pairs?.map(byte).collect::<Option<Vec<u8>>>().map(HexBytes)
        };
        from.deserialize_str(Text { expected: "a string of bytes of two hexadecimal digits each", meaning })
    }
}

#[cfg(test)]
mod schema {
    //! What the number types look like to a schema.

    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{Hex, HexBytes, SignedHex};

    macro_rules! pattern {
        ($($name:ident = $pattern:literal;)+) => {$(
            impl JsonSchema for $name {
                fn inline_schema() -> bool { true }
                fn schema_name() -> Cow<'static, str> { stringify!($name).into() }
                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "string", "pattern": $pattern })
                }
            }
        )+};
    }

    pattern! {
        Hex = "^0x[0-9a-fA-F]{1,16}$";
        SignedHex = "^-?0x[0-9a-fA-F]{1,16}$";
        HexBytes = "^([0-9a-fA-F]{2})*$";
    }
}

/// The first line: who speaks.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hello {
    /// The version of the protocol: 1.
    pub protocol: u64,
    /// The reader's version.
    pub version: String,
    /// What the reader can say; see the table of capabilities.
    pub says: Vec<String>,
}

/// The start of a section's answer.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SectionLine {
    /// The section's name, for instance `.eh_frame`.
    pub name: String,
    /// Its index in the section header table, for files with several sections of the name.
    pub index: Option<u32>,
    /// What the reader says of this section, when it is less than what it can say.
    pub says: Option<Vec<String>>,
}

/// A part that the reader does not support, or where it failed.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WhyLine {
    /// Why, in words.
    pub why: String,
    /// The section offset concerned.
    pub offset: Option<Hex>,
}

/// A CIE, an FDE or a terminator. Which fields are required follows from what the reader says.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EntryLine {
    /// `CIE`, `FDE`, `terminator` or `unreadable record`.
    pub kind: String,
    /// Where the record's length field starts, from the section's start.
    pub offset: Hex,
    /// The value of the length field.
    pub length: Option<Hex>,
    /// `32` or `64`.
    pub format: Option<String>,
    /// A CIE's version.
    pub version: Option<u8>,
    /// A CIE's augmentation string.
    pub augmentation: Option<String>,
    /// A CIE's address size in bytes.
    pub address_size: Option<u8>,
    /// A CIE's segment selector size in bytes.
    pub segment_selector_size: Option<u8>,
    /// A CIE's code alignment factor.
    pub code_alignment_factor: Option<Hex>,
    /// A CIE's data alignment factor.
    pub data_alignment_factor: Option<SignedHex>,
    /// A CIE's return address register.
    pub return_address_register: Option<Hex>,
    /// The bytes of the augmentation data.
    pub augmentation_data: Option<HexBytes>,
    /// The encoding of R in a CIE's augmentation data, `null` without.
    pub fde_encoding: Option<Hex>,
    /// The encoding of L, `null` without.
    pub lsda_encoding: Option<Hex>,
    /// The encoding of P, `null` without.
    pub personality_encoding: Option<Hex>,
    /// The personality routine, `null` without.
    pub personality: Option<PointerLine>,
    /// Whether the augmentation has S.
    pub signal_frame: Option<bool>,
    /// Whether the augmentation has B.
    pub b_key: Option<bool>,
    /// Whether the augmentation has G.
    pub mte_tagged: Option<bool>,
    /// Where an FDE's CIE starts, from the section's start.
    pub cie: Option<Hex>,
    /// An FDE's CIE pointer as it stands there.
    pub cie_pointer: Option<Hex>,
    /// An FDE's segment selector, `null` without.
    pub segment: Option<Hex>,
    /// An FDE's initial location.
    pub initial_location: Option<Hex>,
    /// Whether the initial location is the address of a slot that holds it.
    pub indirect: Option<bool>,
    /// An FDE's address range in bytes.
    pub address_range: Option<Hex>,
    /// An FDE's language-specific data area, `null` without.
    pub lsda: Option<PointerLine>,
    /// The instructions, padding included.
    pub instructions: Option<Vec<InstructionLine>>,
    /// The rows: of an FDE all, of a CIE its initial one.
    pub rows: Option<Vec<RowLine>>,
    /// What is wrong with the record.
    pub faults: Option<Vec<FaultLine>>,
}

/// A decoded pointer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointerLine {
    /// The value after its base was added, cut to the address size.
    pub address: Hex,
    /// Whether that is the address of a slot which holds the real value.
    pub indirect: bool,
}

/// A call frame instruction. Which operands are required follows from `op`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InstructionLine {
    /// The standard name without `DW_CFA_`.
    pub op: String,
    /// The new location of set_loc.
    pub location: Option<Hex>,
    /// The bytes that an advance_loc adds, after the code alignment factor.
    pub delta: Option<Hex>,
    /// The register.
    pub register: Option<Hex>,
    /// The register that holds the value, of register.
    pub source: Option<Hex>,
    /// An offset in bytes, after the data alignment factor where there is one.
    pub offset: Option<SignedHex>,
    /// The size in bytes of GNU_args_size.
    pub size: Option<Hex>,
    /// The address space of the LLVM instructions.
    pub address_space: Option<Hex>,
    /// The opcode byte of unknown.
    pub opcode: Option<Hex>,
    /// The operations of an expression.
    pub expression: Option<Vec<OperationLine>>,
}

/// An operation of a DWARF expression.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OperationLine {
    /// The standard name with `DW_OP_`, or the opcode as `0x…`.
    pub op: String,
    /// The operands in order.
    #[serde(default)]
    pub operands: Vec<SignedHex>,
    /// The contents of a block operand.
    pub block: Option<HexBytes>,
}

/// A row of the unwind table.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RowLine {
    /// The first location that it holds for.
    pub start: Hex,
    /// The first location after it.
    pub end: Hex,
    /// The rule of the CFA.
    pub cfa: RuleLine,
    /// The registers' rules, without those that have none.
    pub rules: Vec<RuleLine>,
}

/// A rule of the CFA or of a register. Which fields are required follows from `rule`.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RuleLine {
    /// Of the CFA: `undefined`, `register_offset`, `expression`. Of a register: `undefined`, `same_value`, `offset`,
    /// `val_offset`, `register`, `expression`, `val_expression`, `architectural`.
    pub rule: String,
    /// The register that the rule is for; in a CFA rule the register that is added to.
    pub register: Option<Hex>,
    /// An offset in bytes.
    pub offset: Option<SignedHex>,
    /// The register that holds the value.
    pub source: Option<Hex>,
    /// The operations of an expression; may be left out by a reader that does not say `row-expressions`.
    pub expression: Option<Vec<OperationLine>>,
    /// The value of an architectural rule.
    pub value: Option<Hex>,
    /// The address space of a CFA that LLVM's instructions define.
    pub address_space: Option<Hex>,
}

/// What holds at one address.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AtLine {
    /// The address that was asked about.
    pub address: Hex,
    /// The rule of the CFA, `null` when the reader has no row for the address.
    pub cfa: Option<RuleLine>,
    /// The rule of the return address, `null` without.
    pub return_address: Option<RuleLine>,
}

/// Something wrong with a record.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FaultLine {
    /// The kind, one of the list, for instance `fault.leb-overflow`; `fault.reported` for any other.
    pub key: String,
    /// The section offset of the first byte concerned; the record's when left out.
    pub offset: Option<Hex>,
    /// The reader's own words.
    pub expected: Option<String>,
}
