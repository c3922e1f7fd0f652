//! What a source of assembler is meant to say: its comments that start with `#:`.
//!
//! ```text
//! #: .eh_frame .debug_frame                                     the sections that hold what follows
//! #: f 0x0..0x10 ra=16 signal personality lsda b-key mte        an FDE: its range in the text section, its CIE
//! #: +0x0 cfa=r7+8 r16=c-8                                      a row: from this distance on, CFA and rules
//! ```
//!
//! A CFA is a register and an offset (`r7+8`, with `@1` behind it in an address space of its own), `exp(...)`, or
//! `none`. A rule is `c-8` (saved at the CFA less 8), `v-8` (is the CFA less 8), `r3` (in that register), `u`
//! (undefined), `s` (same value), `exp(...)`, `vexp(...)`, or `a1` (the ABI decides, from this value). Between the
//! parentheses are operations with decimal operands, with commas between them.

use cfidiff_model::{CfaRule, Expression, Operation, RegisterRule, SectionKind, operation_by_name};

/// What one section is meant to hold.
#[derive(Clone, Debug)]
pub struct IntendedSection {
    /// Which section.
    pub kind: SectionKind,
    /// Its FDEs in section order.
    pub fdes: Vec<IntendedFde>,
}

/// What one FDE and its CIE are meant to say.
#[derive(Clone, Debug, Default)]
pub struct IntendedFde {
    /// The name of the function, for messages.
    pub name: String,
    /// Where the function starts in its text section, in bytes.
    pub start: u64,
    /// The first byte after it.
    pub end: u64,
    /// The return address register.
    pub return_address_register: u64,
    /// Whether the frame is a signal frame. This and what follows are said in `.eh_frame` alone.
    pub signal_frame: bool,
    /// Whether the CIE has a personality routine.
    pub personality: bool,
    /// Whether the FDE has a language-specific data area.
    pub lsda: bool,
    /// Whether return addresses are signed with the B key.
    pub b_key: bool,
    /// Whether the stack is tagged.
    pub mte_tagged: bool,
    /// The rows, of which no two neighbours are equal. None for an empty function.
    pub rows: Vec<IntendedRow>,
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IntendedRow {
    /// Where it starts, in bytes from the function's start.
    pub offset: u64,
    /// The CFA.
    pub cfa: CfaRule,
    /// The rules, by ascending register.
    pub rules: Vec<(u64, RegisterRule)>,
}

/// Reads what a source is meant to say.
///
/// # Errors
/// The first comment that is not of one of the three forms, or not in its place.
pub fn intended(source: &str) -> Result<Vec<IntendedSection>, String> {
    let mut sections = Vec::new();
    // The sections that the FDEs go to: the last ones of the list.
    let mut current = 0;
    for line in source.lines().filter_map(|line| line.strip_prefix("#: ")) {
        let words = words(line);
        let first = words.first().copied().unwrap_or_default();
        let read = if first.starts_with('.') {
            current = sections.len();
            words.iter().try_for_each(|word| {
                sections.push(IntendedSection { kind: section_kind(word)?, fdes: Vec::new() });
                Some(())
            })
        } else if let Some(offset) = first.strip_prefix('+') {
            let row = row(offset, &words[1..]);
            row.filter(|_| current < sections.len()).and_then(|row| {
                sections[current..].iter_mut().try_for_each(|section: &mut IntendedSection| {
                    section.fdes.last_mut()?.rows.push(row.clone());
                    Some(())
                })
            })
        } else {
            fde(&words).filter(|_| current < sections.len()).map(|fde| {
                sections[current..].iter_mut().for_each(|section| section.fdes.push(fde.clone()));
            })
        };
        read.ok_or_else(|| format!("cannot be understood: {line}"))?;
    }
    Ok(sections)
}

/// Splits at blanks outside of parentheses.
fn words(line: &str) -> Vec<&str> {
    let mut depth = 0;
    line.split(|character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && character == ' '
    })
    .filter(|word| !word.is_empty())
    .collect()
}

fn section_kind(name: &str) -> Option<SectionKind> {
    [SectionKind::EhFrame, SectionKind::DebugFrame].into_iter().find(|kind| kind.name() == name)
}

fn fde(words: &[&str]) -> Option<IntendedFde> {
    let [name, range, properties @ ..] = words else { return None };
    let (start, end) = range.split_once("..")?;
    let mut fde = IntendedFde {
        name: (*name).to_owned(),
        start: hexadecimal(start)?,
        end: hexadecimal(end)?,
        ..IntendedFde::default()
    };
    for property in properties {
        match *property {
            "signal" => fde.signal_frame = true,
            "personality" => fde.personality = true,
            "lsda" => fde.lsda = true,
            "b-key" => fde.b_key = true,
            "mte" => fde.mte_tagged = true,
            other => fde.return_address_register = other.strip_prefix("ra=")?.parse().ok()?,
        }
    }
    Some(fde)
}

fn row(offset: &str, words: &[&str]) -> Option<IntendedRow> {
    let (cfa, rules) = words.split_first()?;
    let rules = rules.iter().map(|word| {
        let (register, rule) = word.split_once('=')?;
        Some((register_number(register)?, register_rule(rule)?))
    });
    let rules = rules.collect::<Option<Vec<_>>>()?;
    let cfa = cfa_rule(cfa.strip_prefix("cfa=")?)?;
    rules.is_sorted_by(|a, b| a.0 < b.0).then_some(IntendedRow { offset: hexadecimal(offset)?, cfa, rules })
}

fn cfa_rule(text: &str) -> Option<CfaRule> {
    if text == "none" {
        return Some(CfaRule::Undefined);
    }
    if let Some(operations) = inside("exp", text) {
        return Some(CfaRule::Expression(expression(operations)?));
    }
    let (register, rest) = text.split_at(text.find(['+', '-'])?);
    let register = register_number(register)?;
    match rest.split_once('@') {
        None => Some(CfaRule::RegisterOffset { register, offset: rest.parse().ok()? }),
        Some((offset, space)) => Some(CfaRule::RegisterOffsetInSpace {
            register,
            offset: offset.parse().ok()?,
            address_space: space.parse().ok()?,
        }),
    }
}

fn register_rule(text: &str) -> Option<RegisterRule> {
    if let Some(operations) = inside("exp", text) {
        return Some(RegisterRule::Expression(expression(operations)?));
    }
    if let Some(operations) = inside("vexp", text) {
        return Some(RegisterRule::ValExpression(expression(operations)?));
    }
    let (kind, number) = text.split_at_checked(1)?;
    Some(match kind {
        "u" if number.is_empty() => RegisterRule::Undefined,
        "s" if number.is_empty() => RegisterRule::SameValue,
        "c" => RegisterRule::Offset(number.parse().ok()?),
        "v" => RegisterRule::ValOffset(number.parse().ok()?),
        "r" => RegisterRule::Register(number.parse().ok()?),
        "a" => RegisterRule::Architectural(number.parse().ok()?),
        _ => return None,
    })
}

/// What stands between the parentheses behind `name`.
fn inside<'t>(name: &str, text: &'t str) -> Option<&'t str> {
    text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')
}

/// The operations of an expression, whose size in bytes nothing is said of.
fn expression(text: &str) -> Option<Box<Expression>> {
    let operations = text.split(", ").map(|operation| {
        let mut words = operation.split(' ');
        let opcode = operation_by_name(words.next()?)?;
        let operands = words.map(|word| word.parse::<i64>().ok().map(i64::cast_unsigned));
        Some(Operation::new(opcode, &operands.collect::<Option<Vec<_>>>()?))
    });
    Some(Box::new(Expression { operations: operations.collect::<Option<Vec<_>>>()?, size: None }))
}

fn register_number(text: &str) -> Option<u64> {
    text.strip_prefix('r')?.parse().ok()
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read() {
        let source = "\
# A comment.
#: .eh_frame .debug_frame
#: f 0x4..0x10 ra=16 signal lsda
#: +0x0 cfa=r7+8 r16=c-8
\tnop
#: +0x3 cfa=exp(DW_OP_breg6 -8, DW_OP_deref) r3=r4 r5=u r6=s r7=v+16 r8=vexp(DW_OP_lit1) r34=a1
#: .debug_frame
#: g 0x10..0x10 ra=1
";
        let sections = intended(source).unwrap();
        let kinds: Vec<SectionKind> = sections.iter().map(|section| section.kind).collect();
        assert_eq!(kinds, [SectionKind::EhFrame, SectionKind::DebugFrame, SectionKind::DebugFrame]);
        assert_eq!((sections[0].fdes.len(), sections[1].fdes.len(), sections[2].fdes.len()), (1, 1, 1));
        let f = &sections[1].fdes[0];
        assert_eq!((f.start, f.end, f.return_address_register), (4, 16, 16));
        assert!(f.signal_frame && f.lsda && !f.personality);
        assert_eq!(f.rows[0].cfa, CfaRule::RegisterOffset { register: 7, offset: 8 });
        assert_eq!(f.rows[0].rules, [(16, RegisterRule::Offset(-8))]);
        let operations = vec![Operation::new(0x76, &[-8i64 as u64]), Operation::new(0x06, &[])];
        assert_eq!(f.rows[1].cfa, CfaRule::Expression(Box::new(Expression { operations, size: None })));
        let one = Box::new(Expression { operations: vec![Operation::new(0x31, &[])], size: None });
        assert_eq!(
            f.rows[1].rules,
            [
                (3, RegisterRule::Register(4)),
                (5, RegisterRule::Undefined),
                (6, RegisterRule::SameValue),
                (7, RegisterRule::ValOffset(16)),
                (8, RegisterRule::ValExpression(one)),
                (34, RegisterRule::Architectural(1)),
            ]
        );
        assert!(sections[2].fdes[0].rows.is_empty());
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        assert!(intended("#: f 0x0..0x4 ra=1\n").is_err(), "in no section");
        for wrong in [
            ".text",
            "f",
            "f 0..4 ra=1",
            "f 0x0..0x4 ra=x",
            "f 0x0..0x4 odd",
            "+0x0 cfa=r7+8",
            "f 0x0..0x4 ra=1\n#: +0x0 r16=c-8",
            "f 0x0..0x4 ra=1\n#: +0x0 cfa=r7",
            "f 0x0..0x4 ra=1\n#: +0x0 cfa=r7+8 r3=c-8 r3=u",
            "f 0x0..0x4 ra=1\n#: +0x0 cfa=exp(DW_OP_none)",
        ] {
            let source = format!("#: .eh_frame\n#: {wrong}\n");
            assert!(intended(&source).is_err(), "{wrong}");
        }
    }
}
