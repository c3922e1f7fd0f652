//! The conformance suite on gimli: what the author of a reader writes to have it as tests. `harness/gimli.toml` lists
//! what gimli is known to get wrong.

use std::error::Error;
use std::process::ExitCode;

use cfidiff::harness::{Entries, Harness, Reader, Section};
use cfidiff::model::{
    self, Address, Cie, Entry, EntryKind, Fde, Machine, Rows, Says, SectionKind, SectionOffset,
};
use gimli::{BaseAddresses, CieOrFde, EndianSlice, RegisterRule, RunTimeEndian, UnwindSection, Vendor};

struct Gimli;

impl Reader for Gimli {
    fn name(&self) -> &str {
        "gimli"
    }

    fn version(&self) -> &str {
        "0.34.0"
    }

    fn says(&self, section: &Section<'_>) -> Says {
        let says = Says::CIE_FACTORS | Says::CIE_VERSION | Says::CIE_OF_FDE | Says::RANGE;
        let rows = Says::ROWS | Says::ROWS_OF_NOPS | Says::UNDEFINED_RULES;
        // In `.eh_frame` it stops at a zero terminator.
        let is_eh = section.kind == SectionKind::EhFrame;
        says | rows | if is_eh { Says::empty() } else { Says::PAST_TERMINATOR }
    }

    fn read(&self, section: &Section<'_>, entries: &mut Entries) -> Result<(), Box<dyn Error>> {
        let is_little = section.endianness == model::Endianness::Little;
        let endian = if is_little { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let vendor = if section.machine == Machine::AARCH64 { Vendor::AArch64 } else { Vendor::Default };
        let mut bases = BaseAddresses::default().set_eh_frame(section.address.0);
        bases = section.bases.text.map_or(bases.clone(), |text| bases.set_text(text.0));
        bases = section.bases.data.map_or(bases.clone(), |got| bases.set_got(got.0));
        if section.kind == SectionKind::EhFrame {
            let mut frame = gimli::EhFrame::new(section.data, endian);
            frame.set_address_size(section.address_size);
            frame.set_vendor(vendor);
            list(&frame, &bases, entries)
        } else {
            let mut frame = gimli::DebugFrame::new(section.data, endian);
            frame.set_address_size(section.address_size);
            frame.set_vendor(vendor);
            list(&frame, &bases, entries)
        }
    }
}

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

fn list<'a, S: UnwindSection<Slice<'a>>>(
    frame: &S,
    bases: &BaseAddresses,
    entries: &mut Entries,
) -> Result<(), Box<dyn Error>> {
    let mut records = frame.entries(bases);
    while let Some(record) = records.next()? {
        let (offset, length, answer) = match record {
            CieOrFde::Cie(cie) => {
                let fields = Cie {
                    version: cie.version(),
                    code_alignment_factor: cie.code_alignment_factor(),
                    data_alignment_factor: cie.data_alignment_factor(),
                    return_address_register: cie.return_address_register().0.into(),
                    ..Cie::default()
                };
                (cie.offset(), cie.entry_len(), Ok((EntryKind::Cie(Box::new(fields)), Rows::default())))
            }
            CieOrFde::Fde(partial) => {
                let fde = partial.parse(UnwindSection::cie_from_offset);
                (
                    partial.offset(),
                    partial.entry_len(),
                    fde.and_then(|fde| fields_and_rows(frame, bases, &fde)),
                )
            }
        };
        let offset = SectionOffset(offset as u64);
        match answer {
            Ok((kind, rows)) => {
                entries.push(Entry { offset, length: length as u64, kind, rows, ..Entry::default() })
            }
            Err(error) => entries.refuse(offset.0, error),
        }
    }
    Ok(())
}

fn fields_and_rows<'a, S: UnwindSection<Slice<'a>>>(
    frame: &S,
    bases: &BaseAddresses,
    fde: &gimli::FrameDescriptionEntry<Slice<'a>>,
) -> gimli::Result<(EntryKind, Rows)> {
    let (mut rows, mut context) = (Rows::default(), gimli::UnwindContext::new());
    let mut table = fde.rows(frame, bases, &mut context)?;
    while let Some(row) = table.next_row()? {
        for (register, rule) in row.registers() {
            let rule = match *rule {
                RegisterRule::Undefined => model::RegisterRule::Undefined,
                RegisterRule::SameValue => model::RegisterRule::SameValue,
                RegisterRule::Offset(offset) => model::RegisterRule::Offset(offset),
                RegisterRule::ValOffset(offset) => model::RegisterRule::ValOffset(offset),
                RegisterRule::Register(source) => model::RegisterRule::Register(source.0.into()),
                // What an expression holds is not said.
                RegisterRule::Expression(_) => model::RegisterRule::Expression(Box::default()),
                RegisterRule::ValExpression(_) => model::RegisterRule::ValExpression(Box::default()),
                _ => continue,
            };
            rows.push_rule(register.0.into(), rule);
        }
        let cfa = match *row.cfa() {
            gimli::CfaRule::RegisterAndOffset { register, offset } => {
                model::CfaRule::RegisterOffset { register: register.0.into(), offset }
            }
            gimli::CfaRule::Expression(_) => model::CfaRule::Expression(Box::default()),
        };
        rows.finish_row(Address(row.start_address()), Address(row.end_address()), cfa);
    }
    let fields = Fde {
        cie: Some(SectionOffset(fde.cie().offset() as u64)),
        initial_location: Address(fde.initial_address()),
        address_range: fde.len(),
        ..Fde::default()
    };
    Ok((EntryKind::Fde(fields), rows))
}

fn main() -> ExitCode {
    Harness::new(Gimli).expecting("tests/harness/gimli.toml").run()
}
