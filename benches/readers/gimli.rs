//! gimli, used as its documentation says and as fast as its interface allows: one `UnwindContext` for all FDEs,
//! the last CIE kept.

use std::hint::black_box;

use cfidiff_model::Address;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, CommonInformationEntry, EhFrame, EhFrameOffset, EndianSlice,
    FrameDescriptionEntry, LittleEndian, RegisterRule, UnwindContext, UnwindSection, UnwindTableRow,
};

use super::{Group, Input, Reader, mix, mix_rule};

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

pub struct Gimli<'a> {
    section: EhFrame<Bytes<'a>>,
    bases: BaseAddresses,
    context: UnwindContext<usize>,
}

impl<'a> Gimli<'a> {
    pub fn new(input: &'a Input) -> Gimli<'a> {
        let section = input.section();
        let mut bases = BaseAddresses::default().set_eh_frame(section.address.0);
        if let Some(Address(text)) = section.bases.text {
            bases = bases.set_text(text);
        }
        if let Some(Address(data)) = section.bases.data {
            bases = bases.set_got(data);
        }
        let section = EhFrame::new(&section.data, LittleEndian);
        Gimli { section, bases, context: UnwindContext::new() }
    }

    /// Calls back for each FDE.
    #[inline(always)]
    fn each_fde(&self, mut each: impl FnMut(&FrameDescriptionEntry<Bytes<'a>>)) -> gimli::Result<()> {
        let mut last: Option<(EhFrameOffset, CommonInformationEntry<Bytes<'a>>)> = None;
        let mut entries = self.section.entries(&self.bases);
        while let Some(entry) = entries.next()? {
            let CieOrFde::Fde(partial) = entry else { continue };
            let fde = partial.parse(|section, bases, offset| match &last {
                Some((at, cie)) if *at == offset => Ok(cie.clone()),
                _ => {
                    let cie = section.cie_from_offset(bases, offset)?;
                    last = Some((offset, cie.clone()));
                    Ok(cie)
                }
            })?;
            each(&fde);
        }
        Ok(())
    }

    #[inline(never)]
    pub fn walk(&self) -> gimli::Result<u64> {
        let mut sum = 0u64;
        self.each_fde(|fde| sum = sum.wrapping_add(fields(fde)))?;
        Ok(sum)
    }

    #[inline(never)]
    pub fn rows(&mut self) -> gimli::Result<u64> {
        let mut sum = 0u64;
        let mut context = std::mem::take(&mut self.context);
        self.each_fde(|fde| {
            sum = sum.wrapping_add(fields(fde));
            sum = sum.wrapping_add(self.rows_of(fde, &mut context, row_checksum));
        })?;
        self.context = context;
        Ok(sum)
    }

    #[inline(never)]
    pub fn instructions(&self) -> gimli::Result<u64> {
        let mut sum = 0;
        self.each_fde(|fde| sum += self.instructions_of(fde))?;
        Ok(sum)
    }

    #[inline(never)]
    pub fn answer(&mut self) -> gimli::Result<u64> {
        let mut sum = 0u64;
        let mut context = std::mem::take(&mut self.context);
        self.each_fde(|fde| {
            sum += self.instructions_of(fde);
            sum = sum.wrapping_add(self.rows_of(fde, &mut context, row_checksum));
        })?;
        self.context = context;
        Ok(sum)
    }

    #[inline(always)]
    fn rows_of(
        &self,
        fde: &FrameDescriptionEntry<Bytes<'a>>,
        context: &mut UnwindContext<usize>,
        checksum: impl Fn(&UnwindTableRow<usize>) -> u64,
    ) -> u64 {
        let mut sum = 0u64;
        let Ok(mut table) = fde.rows(&self.section, &self.bases, context) else { return 0 };
        while let Ok(Some(row)) = table.next_row() {
            sum = sum.wrapping_add(checksum(row));
        }
        sum
    }

    #[inline(always)]
    fn instructions_of(&self, fde: &FrameDescriptionEntry<Bytes<'a>>) -> u64 {
        let mut count = 0;
        let mut instructions = fde.instructions(&self.section, &self.bases);
        while let Ok(Some(instruction)) = instructions.next() {
            black_box(instruction);
            count += 1;
        }
        count
    }
}

impl Reader for Gimli<'_> {
    fn read(&mut self, group: Group) -> u64 {
        let result = match group {
            Group::Walk => self.walk(),
            Group::Rows => self.rows(),
            Group::Instructions => self.instructions(),
            Group::Answer => self.answer(),
        };
        result.expect("gimli reads the section to its end")
    }
}

#[inline(always)]
fn fields(fde: &FrameDescriptionEntry<Bytes<'_>>) -> u64 {
    mix(fde.initial_address(), fde.len())
}

#[inline(always)]
fn row_checksum(row: &UnwindTableRow<usize>) -> u64 {
    let cfa = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => mix_rule(u64::from(register.0), 0, *offset as u64),
        other => other_cfa(other),
    };
    let mut rules = 0u64;
    for (register, rule) in row.registers() {
        rules = rules.wrapping_add(match rule {
            RegisterRule::Offset(offset) => mix_rule(u64::from(register.0), 2, *offset as u64),
            other => other_rule(register.0, other),
        });
    }
    mix(mix(row.start_address(), row.end_address()), mix(cfa, rules))
}

#[cold]
fn other_cfa(cfa: &CfaRule<usize>) -> u64 {
    match cfa {
        CfaRule::RegisterAndOffset { register, offset } => mix_rule(u64::from(register.0), 0, *offset as u64),
        CfaRule::Expression(expression) => mix_rule(0, 2, expression.offset as u64),
    }
}

#[cold]
fn other_rule(register: u16, rule: &RegisterRule<usize>) -> u64 {
    let (kind, value) = match rule {
        RegisterRule::Undefined => (0, 0),
        RegisterRule::SameValue => (1, 0),
        RegisterRule::Offset(offset) => (2, *offset as u64),
        RegisterRule::ValOffset(offset) => (3, *offset as u64),
        RegisterRule::Register(source) => (4, u64::from(source.0)),
        RegisterRule::Expression(expression) => (5, expression.offset as u64),
        RegisterRule::ValExpression(expression) => (6, expression.offset as u64),
        _ => (7, 0),
    };
    mix_rule(u64::from(register), kind, value)
}
