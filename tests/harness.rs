//! The conformance suite on gimli: what the author of a reader writes to have it as tests. `harness/gimli.toml` lists what
//! gimli is known to get wrong.

use std::error::Error;
use std::process::ExitCode;

use cfidiff::harness::{Entries, Harness, Reader, Section};
use cfidiff::model::{
    self, Address, Cie, Endianness, Entry, EntryKind, Fde, Machine, Rows, Says, SectionKind, SectionOffset,
};
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, EndianSlice, RegisterRule, RunTimeEndian,
    UnwindContext, UnwindOffset, UnwindSection, Vendor,
};

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
        let past =
            if section.kind == SectionKind::DebugFrame { Says::PAST_TERMINATOR } else { Says::empty() };
        says | rows | past
    }

    fn read(&self, section: &Section<'_>, entries: &mut Entries) -> Result<(), Box<dyn Error>> {
        let endian = match section.endianness {
            Endianness::Little => RunTimeEndian::Little,
            Endianness::Big => RunTimeEndian::Big,
        };
        let vendor = if section.machine == Machine::AARCH64 { Vendor::AArch64 } else { Vendor::Default };
        let mut bases = BaseAddresses::default().set_eh_frame(section.address.0);
        bases = section.bases.text.map_or(bases.clone(), |text| bases.set_text(text.0));
        bases = section.bases.data.map_or(bases.clone(), |got| bases.set_got(got.0));
        if section.kind == SectionKind::EhFrame {
            let mut frame = EhFrame::new(section.data, endian);
            frame.set_address_size(section.address_size);
            frame.set_vendor(vendor);
            list(&frame, &bases, entries)
        } else {
            let mut frame = DebugFrame::new(section.data, endian);
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
        let mut entry = Entry::default();
        match record {
            CieOrFde::Cie(cie) => {
                entry.offset = SectionOffset(cie.offset() as u64);
                entry.length = cie.entry_len() as u64;
                entry.kind = EntryKind::Cie(Box::new(Cie {
                    version: cie.version(),
                    code_alignment_factor: cie.code_alignment_factor(),
                    data_alignment_factor: cie.data_alignment_factor(),
                    return_address_register: cie.return_address_register().0.into(),
                    ..Cie::default()
                }));
            }
            CieOrFde::Fde(partial) => {
                entry.offset = SectionOffset(partial.offset() as u64);
                entry.length = partial.entry_len() as u64;
                let cie: usize = UnwindOffset::into(partial.cie_offset());
                let read = partial.parse(UnwindSection::cie_from_offset).and_then(|fde| {
                    entry.rows = rows(frame, bases, &fde)?;
                    let (start, size) = (fde.initial_address(), fde.len());
                    Ok(Fde { initial_location: Address(start), address_range: size, ..Fde::default() })
                });
                match read {
                    Ok(fde) => {
                        entry.kind = EntryKind::Fde(Fde { cie: Some(SectionOffset(cie as u64)), ..fde })
                    }
                    Err(error) => {
                        entries.refuse(entry.offset.0, error);
                        continue;
                    }
                }
            }
        }
        entries.push(entry);
    }
    Ok(())
}

fn rows<'a, S: UnwindSection<Slice<'a>>>(
    frame: &S,
    bases: &BaseAddresses,
    fde: &gimli::FrameDescriptionEntry<Slice<'a>>,
) -> gimli::Result<Rows> {
    let (mut rows, mut context) = (Rows::default(), UnwindContext::new());
    let mut table = fde.rows(frame, bases, &mut context)?;
    while let Some(row) = table.next_row()? {
        for (register, rule) in row.registers() {
            rows.push_rule(
                register.0.into(),
                match *rule {
                    RegisterRule::Undefined => model::RegisterRule::Undefined,
                    RegisterRule::SameValue => model::RegisterRule::SameValue,
                    RegisterRule::Offset(offset) => model::RegisterRule::Offset(offset),
                    RegisterRule::ValOffset(offset) => model::RegisterRule::ValOffset(offset),
                    RegisterRule::Register(source) => model::RegisterRule::Register(source.0.into()),
                    // What an expression holds is not said.
                    RegisterRule::Expression(_) => model::RegisterRule::Expression(Box::default()),
                    RegisterRule::ValExpression(_) => model::RegisterRule::ValExpression(Box::default()),
                    _ => continue,
                },
            );
        }
        let cfa = match *row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                model::CfaRule::RegisterOffset { register: register.0.into(), offset }
            }
            CfaRule::Expression(_) => model::CfaRule::Expression(Box::default()),
        };
        rows.finish_row(Address(row.start_address()), Address(row.end_address()), cfa);
    }
    Ok(rows)
}

fn main() -> ExitCode {
    Harness::new(Gimli).expecting("tests/harness/gimli.toml").run()
}
