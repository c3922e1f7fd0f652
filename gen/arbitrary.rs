//! Well-formed sections from random bytes, for fuzz targets and property tests.
//!
//! Rows come from a plan, so the expected entries hold rows.

use std::collections::BTreeMap;

use arbitrary::{Arbitrary, Result, Unstructured};
use cfidiff_model::{Address, Bases, Class, Endianness, Format, Machine, SectionKind, Target};

use crate::{
    Chooser, CieSpec, Code, FdeSpec, OMIT, Padding, Plan, PlannedCfa, PlannedRow, PlannedRule, Record,
    SectionSpec, State,
};

/// How far generated sections go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// What compilers and assemblers write for a machine.
    Ordinary,
    /// Whatever the standards define, though few readers support all of it: segment selectors, the 64-bit format,
    /// pointer encodings that no compiler uses, machines with the other byte order.
    Defined,
}

/// What compilers write for a machine: its class and byte order, the code and data alignment factors, and the
/// return address register.
const MACHINES: [(Machine, Class, Endianness, u64, i64, u64); 8] = [
    (Machine::X86_64, Class::Elf64, Endianness::Little, 1, -8, 16),
    (Machine::I386, Class::Elf32, Endianness::Little, 1, -4, 8),
    (Machine::AARCH64, Class::Elf64, Endianness::Little, 4, -8, 30),
    (Machine::ARM, Class::Elf32, Endianness::Little, 2, -4, 14),
    (Machine::PPC, Class::Elf32, Endianness::Big, 4, -4, 65),
    (Machine::RISCV, Class::Elf64, Endianness::Little, 1, -4, 1),
    (Machine::S390, Class::Elf64, Endianness::Big, 1, -8, 14),
    (Machine::MIPS, Class::Elf32, Endianness::Big, 1, -4, 31),
];

/// Encodings that can name every address that [`TEXT`] and [`FRAME`] leave possible.
const ENCODINGS: [u8; 19] = [
    0x1b, 0x00, 0x01, 0x02, 0x03, 0x04, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x10, 0x19, 0x1c, 0x23, 0x2b, 0x3b,
    0x80, 0x9b,
];

/// Where functions start. They end below 0x8000, so that two signed bytes name them all.
const TEXT: u64 = 0x1000;
/// The most that the functions of a section cover together.
const TEXT_SIZE: u64 = 0x6000;
/// Where `.got` would be.
const DATA: u64 = 0x8000;
/// Where `.eh_frame` is.
const FRAME: u64 = 0x1_0000;

impl<'a> Arbitrary<'a> for SectionSpec {
    /// A section of [`Scope::Defined`].
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<SectionSpec> {
        SectionSpec::generate(u, Scope::Defined)
    }
}

impl SectionSpec {
    /// A well-formed section that uses no more than `scope` allows. Its functions are between the addresses 0x1000
    /// and 0x7000, the base for datarel pointers is 0x8000, and `.eh_frame` is at 0x10000.
    pub fn generate(u: &mut Unstructured<'_>, scope: Scope) -> Result<SectionSpec> {
        let kind = *u.choose(&[SectionKind::EhFrame, SectionKind::DebugFrame])?;
        let (machine, class, endianness, code, data, ra) = *u.choose(&MACHINES)?;
        let mut target = Target { machine, class, endianness, relocatable: false };
        if scope == Scope::Defined {
            target.class = *u.choose(&[Class::Elf64, Class::Elf32])?;
            target.endianness = *u.choose(&[Endianness::Little, Endianness::Big])?;
        }
        let mut usual = match kind {
            SectionKind::DebugFrame => CieSpec::debug_frame(data, ra),
            _ => CieSpec::eh_frame(data, ra),
        };
        usual.code_alignment_factor = code;
        usual.version = if machine == Machine::RISCV { 3 } else { 1 };
        let mut unit = Units { scope, kind, target, usual, records: Vec::new(), next: TEXT };
        for _ in 0..u.int_in_range(1..=3)? {
            unit.add(u)?;
        }
        let mut records = unit.records;
        if kind == SectionKind::EhFrame && (scope == Scope::Ordinary || u.ratio(3, 4)?) {
            records.push(Record::Terminator);
        }
        let address = Address(if kind == SectionKind::EhFrame { FRAME } else { 0 });
        let bases = Bases { text: Some(Address(TEXT)), data: Some(Address(DATA)) };
        Ok(SectionSpec { kind, target, address, bases, wide_ids: false, records })
    }
}

/// Compilation units under construction, each a CIE with its FDEs.
struct Units {
    scope: Scope,
    kind: SectionKind,
    target: Target,
    /// The CIE that a compiler would write.
    usual: CieSpec,
    records: Vec<Record>,
    /// Where the next function starts.
    next: u64,
}

impl Units {
    fn add(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut cie = self.cie(u)?;
        let initial = state(u, self.scope, cie.data_alignment_factor)?;
        cie.program = initial.program(cie.data_alignment_factor, &mut Choices(u));
        let address_size = cie.address_size.filter(|_| cie.version >= 4);
        let address_size = address_size.unwrap_or(self.target.class.address_size());
        cie.rows = initial.initial_row(cie.data_alignment_factor, address_size);
        let fdes = u.int_in_range(0..=4)?;
        // Only `.debug_frame` can name a CIE that comes later.
        let cie_last =
            self.kind == SectionKind::DebugFrame && self.scope == Scope::Defined && u.ratio(1, 8)?;
        let at = self.records.len() + if cie_last { fdes } else { 0 };
        for _ in 0..fdes {
            let fde = self.fde(u, &cie, at, &initial)?;
            self.records.push(Record::Fde(fde));
        }
        let place = if cie_last { self.records.len() } else { at };
        self.records.insert(place, Record::Cie(cie));
        Ok(())
    }

    fn cie(&self, u: &mut Unstructured<'_>) -> Result<CieSpec> {
        let mut cie = self.usual.clone();
        if self.kind == SectionKind::EhFrame {
            self.augment(u, &mut cie)?;
        }
        if self.scope == Scope::Ordinary {
            return Ok(cie);
        }
        let versions: &[u8] = if self.kind == SectionKind::DebugFrame { &[1, 3, 4] } else { &[1, 3] };
        cie.version = *u.choose(versions)?;
        cie.format = format(u)?;
        cie.padding = padding(u)?;
        cie.code_alignment_factor = *u.choose(&[1, 1, 2, 4])?;
        cie.data_alignment_factor = *u.choose(&[-8, -4, -1, 1, 4, 8, -2])?;
        cie.return_address_register = u.int_in_range(0..=if cie.version == 1 { 255 } else { 300 })?;
        if cie.version == 4 {
            cie.address_size = *u.choose(&[None, Some(4), Some(8)])?;
            cie.segment_selector_size = *u.choose(&[0, 0, 0, 0, 0, 0, 0, 4])?;
        }
        Ok(cie)
    }

    /// Chooses an augmentation that compilers write; beyond them another order of its letters, any encoding and
    /// null pointers.
    fn augment(&self, u: &mut Unstructured<'_>, cie: &mut CieSpec) -> Result<()> {
        let strings: [&[u8]; 7] = [b"zR", b"zR", b"zPLR", b"zRS", b"zRPL", b"z", b""];
        let routine = Address(TEXT + u.int_in_range(1..=0xfff)?);
        match self.scope {
            Scope::Ordinary => {
                cie.augmentation = u.choose(&strings[..4])?.to_vec();
                cie.lsda_encoding = 0x1b;
                cie.personality = (0x9b, Some(routine));
            }
            Scope::Defined => {
                cie.augmentation = u.choose(&strings)?.to_vec();
                cie.fde_encoding = *u.choose(&ENCODINGS)?;
                cie.lsda_encoding = if u.ratio(1, 16)? { OMIT } else { *u.choose(&ENCODINGS)? };
                cie.personality = (*u.choose(&ENCODINGS)?, (!u.ratio(1, 16)?).then_some(routine));
            }
        }
        Ok(())
    }

    fn fde(
        &mut self,
        u: &mut Unstructured<'_>,
        cie: &CieSpec,
        cie_index: usize,
        initial: &State,
    ) -> Result<FdeSpec> {
        let (code, data) = (cie.code_alignment_factor, cie.data_alignment_factor);
        let plan = plan(u, self.scope, initial, data)?;
        let before_last: u64 = plan.rows.iter().skip(1).map(|row| u64::from(row.after)).sum();
        let range = (before_last + u.int_in_range(1..=0x40)?) * code;
        if self.next + range > TEXT + TEXT_SIZE {
            // Functions that no longer fit start over, as those of another section of code may.
            self.next = TEXT;
        }
        let start = self.next;
        self.next += (range + u.int_in_range(0..=0x10)?).next_multiple_of(code);
        let mut fde = FdeSpec::new(cie_index, Address(start), range, plan.program(data, &mut Choices(u)));
        let own_size = if cie.version >= 4 { cie.address_size } else { None };
        let address_size = own_size.unwrap_or(self.target.class.address_size());
        fde.rows = plan.rows(Address(start), range, code, data, address_size);
        fde.padding = cie.padding;
        fde.lsda = Some(Address(TEXT + u.int_in_range(1..=0xfff)?));
        if self.scope == Scope::Defined {
            fde.format = format(u)?;
            fde.padding = padding(u)?;
            fde.segment = u.int_in_range(0..=9)?;
            fde.lsda = fde.lsda.filter(|lsda| lsda.0 % 2 == 0);
        }
        Ok(fde)
    }
}

/// Rows that each differ from the one before.
fn plan(u: &mut Unstructured<'_>, scope: Scope, initial: &State, data_alignment_factor: i64) -> Result<Plan> {
    let mut rows: Vec<PlannedRow> = Vec::new();
    let mut remembered: Vec<State> = Vec::new();
    for _ in 0..u.int_in_range(1..=8)? {
        let before = rows.last().map_or(initial, |row| &row.state);
        let returned =
            if u.ratio(1, 4)? { remembered.last().filter(|last| *last != before).cloned() } else { None };
        let state = match returned {
            Some(state) => state,
            None => changed(u, scope, before, initial, data_alignment_factor)?,
        };
        // The plan takes a state from the stack whenever it is on top.
        remembered.pop_if(|last| *last == state);
        // Readers keep a few states only: gimli four, with its own rows among them.
        let remember = remembered.len() < 2 && u.ratio(1, 4)?;
        if remember {
            remembered.push(state.clone());
        }
        let after = *u.choose(&[1, 1, 2, 3, 63, 64, 255, 256])?;
        rows.push(PlannedRow { after, state, remember });
    }
    Ok(Plan { initial: initial.clone(), rows })
}

fn changed(
    u: &mut Unstructured<'_>,
    scope: Scope,
    from: &State,
    initial: &State,
    data_alignment_factor: i64,
) -> Result<State> {
    let mut to = from.clone();
    match u.int_in_range(0..=4)? {
        0 => to.cfa = cfa(u, scope, data_alignment_factor)?,
        1 | 2 => {
            to.rules.insert(register(u, scope)?, rule(u, scope)?);
        }
        3 => {
            let gone = to.rules.keys().copied().find(|register| !initial.rules.contains_key(register));
            if let Some(register) = gone {
                to.rules.remove(&register);
            }
        }
        _ => to.rules.extend(initial.rules.clone()),
    }
    if to == *from {
        let offset = match from.cfa {
            PlannedCfa::Register(_, offset) => offset.max(0) + 8,
            PlannedCfa::Expression(_) => 8,
        };
        to.cfa = PlannedCfa::Register(register(u, scope)?, offset);
    }
    Ok(to)
}

fn state(u: &mut Unstructured<'_>, scope: Scope, data_alignment_factor: i64) -> Result<State> {
    let mut rules = BTreeMap::new();
    for _ in 0..u.int_in_range(0..=3)? {
        rules.insert(register(u, scope)?, rule(u, scope)?);
    }
    Ok(State { cfa: cfa(u, scope, data_alignment_factor)?, rules })
}

fn cfa(u: &mut Unstructured<'_>, scope: Scope, data_alignment_factor: i64) -> Result<PlannedCfa> {
    Ok(match u.int_in_range(0..=9)? {
        0 => PlannedCfa::Expression(code(u, scope)?),
        1 if scope == Scope::Defined => {
            PlannedCfa::Register(register(u, scope)?, -data_alignment_factor.abs() * u.int_in_range(1..=200)?)
        }
        _ => PlannedCfa::Register(register(u, scope)?, u.int_in_range(0..=0x400)?),
    })
}

fn register(u: &mut Unstructured<'_>, scope: Scope) -> Result<u64> {
    match scope {
        // Registers that every machine of this module has.
        Scope::Ordinary => u.int_in_range(0..=7),
        Scope::Defined if u.ratio(1, 16)? => Ok(*u.choose(&[63, 64, 127, 128, 1000])?),
        Scope::Defined => u.int_in_range(0..=31),
    }
}

fn rule(u: &mut Unstructured<'_>, scope: Scope) -> Result<PlannedRule> {
    Ok(match u.int_in_range(0..=11)? {
        0 => PlannedRule::Undefined,
        1 => PlannedRule::SameValue,
        2 => PlannedRule::Register(register(u, scope)?),
        3 => PlannedRule::ValOffset(u.int_in_range(-70..=200)?),
        4 => PlannedRule::Expression(code(u, scope)?),
        5 => PlannedRule::ValExpression(code(u, scope)?),
        6 => PlannedRule::Offset(u.int_in_range(-70..=-1)?),
        _ => PlannedRule::Offset(u.int_in_range(0..=200)?),
    })
}

fn code(u: &mut Unstructured<'_>, scope: Scope) -> Result<Code> {
    let first = register(u, scope)?.min(31) as u8;
    let mut code = Code::new().breg(first, u.int_in_range(-200..=200)?);
    for _ in 0..u.int_in_range(0..=4)? {
        code = match u.int_in_range(0..=9)? {
            0 => code.deref(),
            1 => code.lit(u.int_in_range(0..=31)?).plus(),
            2 => code.plus_uconst(u.arbitrary()?),
            3 => code.const1u(u.arbitrary()?),
            4 => code.const2s(u.arbitrary()?),
            5 => code.const4u(u.arbitrary()?),
            6 => code.consts(u.arbitrary()?),
            7 => code.bregx(register(u, scope)?, u.arbitrary()?),
            8 => code.deref_size(*u.choose(&[1, 2, 4])?),
            _ => code.bra(0),
        };
    }
    Ok(code)
}

fn format(u: &mut Unstructured<'_>) -> Result<Format> {
    Ok(if u.ratio(1, 8)? { Format::Dwarf64 } else { Format::Dwarf32 })
}

fn padding(u: &mut Unstructured<'_>) -> Result<Padding> {
    Ok(match u.int_in_range(0..=2)? {
        0 => Padding::Align(4),
        1 => Padding::Align(8),
        _ => Padding::Nops(u.int_in_range(0..=5)?),
    })
}

/// Decisions from random bytes; the first way when they run out.
struct Choices<'u, 'a>(&'u mut Unstructured<'a>);

impl Chooser for Choices<'_, '_> {
    fn choose(&mut self, count: usize) -> usize {
        self.0.choose_index(count).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without a pattern, the same in every run.
    fn noise(seed: u64, size: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .take(size)
        .collect()
    }

    #[test]
    fn any_bytes_make_a_well_formed_section() {
        for seed in 0..2000 {
            let bytes = noise(seed, (seed % 1500) as usize);
            let spec = SectionSpec::arbitrary(&mut Unstructured::new(&bytes)).unwrap();
            let built = spec.build().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(built.well_formed, "seed {seed}");
            let size: u64 = built.entries.iter().map(|entry| entry.format.length_size() + entry.length).sum();
            assert_eq!(size, built.data.len() as u64, "seed {seed}");
        }
    }
}
