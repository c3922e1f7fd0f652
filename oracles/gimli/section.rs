//! One section through gimli: its CIEs and FDEs with instructions and rows.

use ::gimli::{
    BaseAddresses, BigEndian, CallFrameInstructionIter, CieOrFde, CommonInformationEntry, DebugFrame,
    EhFrame, EndianSlice, Endianity, FrameDescriptionEntry, LittleEndian, PartialFrameDescriptionEntry,
    UnwindContext, UnwindExpression, UnwindOffset, UnwindSection, Vendor,
};
use cfidiff_model::{
    Address, Bytes, Cie, Endianness, Entry, EntryKind, Fault, FaultKind, Fde, Instruction, Machine, Outcome,
    Pointer, Section, SectionKind, SectionOffset, Target,
};

use super::Listener;
use super::convert::Converter;

type Slice<'a, E> = EndianSlice<'a, E>;

/// How many register rules and bytes of expressions the rows of one FDE may hold together. A hostile FDE makes
/// their number quadratic in its size; the largest real one seen needs some thousands.
const ROW_BUDGET: usize = 1 << 22;

/// Storage that is kept from record to record.
#[derive(Default)]
pub(super) struct SectionReader {
    entry: Entry,
    context: UnwindContext<usize>,
}

impl SectionReader {
    /// Reads a section of CIEs and FDEs to where gimli stops.
    pub(super) fn read(&mut self, target: &Target, section: &Section, sink: &mut Listener<'_>) -> Outcome {
        match target.endianness {
            Endianness::Little => self.read_as(LittleEndian, target, section, sink),
            Endianness::Big => self.read_as(BigEndian, target, section, sink),
        }
    }

    fn read_as<E: Endianity>(
        &mut self,
        endian: E,
        target: &Target,
        section: &Section,
        sink: &mut Listener<'_>,
    ) -> Outcome {
        let bases = base_addresses(section);
        let address_size = target.class.address_size();
        let vendor = match target.machine {
            Machine::AARCH64 => Vendor::AArch64,
            _ => Vendor::Default,
        };
        match section.kind {
            SectionKind::EhFrame => {
                let mut frame = EhFrame::new(&section.data, endian);
                frame.set_address_size(address_size);
                frame.set_vendor(vendor);
                self.walk(&frame, &bases, sink)
            }
            SectionKind::DebugFrame => {
                let mut frame = DebugFrame::new(&section.data, endian);
                frame.set_address_size(address_size);
                frame.set_vendor(vendor);
                self.walk(&frame, &bases, sink)
            }
            SectionKind::EhFrameHdr => Outcome::Unsupported("it holds no entries".to_owned()),
        }
    }

    fn walk<'a, E: Endianity, S: UnwindSection<Slice<'a, E>>>(
        &mut self,
        frame: &S,
        bases: &BaseAddresses,
        sink: &mut Listener<'_>,
    ) -> Outcome {
        let mut cies = Cies::default();
        let mut records = frame.entries(bases);
        let mut last = None;
        loop {
            if sink.cancelled() {
                return Outcome::Failed("cancelled".to_owned());
            }
            match records.next() {
                Ok(None) => return Outcome::Answered,
                Err(error) => return Outcome::Failed(stopped(error, last)),
                Ok(Some(CieOrFde::Cie(cie))) => {
                    self.fill_cie(frame, bases, &cie);
                    cies.seen.push(cie);
                }
                Ok(Some(CieOrFde::Fde(fde))) => self.fill_fde(frame, bases, &mut cies, &fde),
            }
            last = Some(self.entry.offset);
            sink.entry(&self.entry);
        }
    }

    fn fill_cie<'a, E: Endianity, S: UnwindSection<Slice<'a, E>>>(
        &mut self,
        frame: &S,
        bases: &BaseAddresses,
        cie: &CommonInformationEntry<Slice<'a, E>>,
    ) {
        self.entry.reset(SectionOffset(cie.offset() as u64));
        self.entry.length = cie.entry_len() as u64;
        self.entry.format = match cie.encoding().format {
            ::gimli::Format::Dwarf32 => cfidiff_model::Format::Dwarf32,
            ::gimli::Format::Dwarf64 => cfidiff_model::Format::Dwarf64,
        };
        self.entry.kind = EntryKind::Cie(Box::new(cie_fields(cie)));
        let converter = Converter::new(frame, cie);
        fill_instructions(&mut self.entry, &converter, cie.instructions(frame, bases));
    }

    fn fill_fde<'a, E: Endianity, S: UnwindSection<Slice<'a, E>>>(
        &mut self,
        frame: &S,
        bases: &BaseAddresses,
        cies: &mut Cies<Slice<'a, E>>,
        partial: &PartialFrameDescriptionEntry<'_, S, Slice<'a, E>>,
    ) {
        self.entry.reset(SectionOffset(partial.offset() as u64));
        self.entry.length = partial.entry_len() as u64;
        let cie_offset: usize = UnwindOffset::into(partial.cie_offset());
        let mut fields = Fde::default();
        let parsed = partial.parse(|frame, bases, _| {
            let cie = cies.find(frame, bases, cie_offset)?;
            fields.cie = Some(SectionOffset(cie_offset as u64));
            Ok(cie)
        });
        match parsed {
            Ok(fde) => {
                let encoding = fde.cie().fde_address_encoding();
                fields.initial_location = Address(fde.initial_address());
                fields.indirect = encoding.is_some_and(|encoding| encoding.is_indirect());
                fields.address_range = fde.len();
                fields.lsda = fde
                    .cie()
                    .lsda_encoding()
                    .zip(fde.lsda())
                    .and_then(|(encoding, at)| pointer(encoding, at));
                self.entry.kind = EntryKind::Fde(fields);
                let converter = Converter::new(frame, fde.cie());
                fill_instructions(&mut self.entry, &converter, fde.instructions(frame, bases));
                self.fill_rows(frame, bases, &converter, &fde);
            }
            Err(error) => {
                self.entry.kind = EntryKind::Fde(fields);
                report(&mut self.entry, error);
            }
        }
    }

    fn fill_rows<'a, E: Endianity, S: UnwindSection<Slice<'a, E>>>(
        &mut self,
        frame: &S,
        bases: &BaseAddresses,
        converter: &Converter<'_, S>,
        fde: &FrameDescriptionEntry<Slice<'a, E>>,
    ) {
        let mut table = match fde.rows(frame, bases, &mut self.context) {
            Ok(table) => table,
            Err(error) => return report(&mut self.entry, error),
        };
        let mut spent = 0;
        loop {
            let row = match table.next_row() {
                Ok(Some(row)) => row,
                Ok(None) => return,
                Err(error) => return report(&mut self.entry, error),
            };
            if spent > ROW_BUDGET {
                report_words(&mut self.entry, "the adapter keeps no more rows of one FDE".to_owned());
                return;
            }
            let rows = &mut self.entry.rows;
            for (register, rule) in row.registers() {
                spent += cost(rule);
                rows.push_rule(register.0.into(), converter.register_rule(rule));
            }
            if let ::gimli::CfaRule::Expression(expression) = row.cfa() {
                spent += expression.length;
            }
            let cfa = converter.cfa_rule(row.cfa());
            rows.finish_row(Address(row.start_address()), Address(row.end_address()), cfa);
        }
    }
}

/// The CIEs met so far, so that none is parsed anew for each of its FDEs.
struct Cies<R: ::gimli::Reader<Offset = usize>> {
    /// The CIEs of the walk, by ascending offset since the walk goes up.
    seen: Vec<CommonInformationEntry<R>>,
    /// The one found last, whether the walk met it or not.
    last: Option<CommonInformationEntry<R>>,
}

impl<R: ::gimli::Reader<Offset = usize>> Default for Cies<R> {
    fn default() -> Self {
        Cies { seen: Vec::new(), last: None }
    }
}

impl<R: ::gimli::Reader<Offset = usize>> Cies<R> {
    fn find<S: UnwindSection<R>>(
        &mut self,
        frame: &S,
        bases: &BaseAddresses,
        offset: usize,
    ) -> ::gimli::Result<CommonInformationEntry<R>> {
        if let Some(last) = self.last.as_ref().filter(|cie| cie.offset() == offset) {
            return Ok(last.clone());
        }
        let found = match self.seen.binary_search_by_key(&offset, |cie| cie.offset()) {
            Ok(index) => self.seen[index].clone(),
            Err(_) => frame.cie_from_offset(bases, S::Offset::from(offset))?,
        };
        self.last = Some(found.clone());
        Ok(found)
    }
}

fn base_addresses(section: &Section) -> BaseAddresses {
    // gimli reads encoded pointers of `.debug_frame` with the bases of `.eh_frame`.
    let mut bases = BaseAddresses::default().set_eh_frame(section.address.0);
    if let Some(text) = section.bases.text {
        bases = bases.set_text(text.0);
    }
    if let Some(data) = section.bases.data {
        bases = bases.set_got(data.0);
    }
    bases
}

fn cie_fields<R: ::gimli::Reader<Offset = usize>>(cie: &CommonInformationEntry<R>) -> Cie {
    Cie {
        version: cie.version(),
        address_size: cie.address_size(),
        code_alignment_factor: cie.code_alignment_factor(),
        data_alignment_factor: cie.data_alignment_factor(),
        return_address_register: cie.return_address_register().0.into(),
        fde_encoding: cie.fde_address_encoding().map(|encoding| encoding.0),
        lsda_encoding: cie.lsda_encoding().map(|encoding| encoding.0),
        personality: cie
            .personality_with_encoding()
            .map(|(encoding, at)| (encoding.0, pointer(encoding, at))),
        signal_frame: cie.is_signal_trampoline(),
        ..Cie::default()
    }
}

fn fill_instructions<'a, E: Endianity, S: UnwindSection<Slice<'a, E>>>(
    entry: &mut Entry,
    converter: &Converter<'_, S>,
    mut decoder: CallFrameInstructionIter<'_, Slice<'a, E>>,
) {
    loop {
        match decoder.next() {
            Ok(Some(decoded)) => {
                let (instruction, read) = converter.instruction(decoded);
                entry.instructions.push(instruction);
                if let Err(error) = read {
                    report(entry, error);
                }
            }
            Ok(None) => return,
            Err(error) => {
                if let ::gimli::Error::UnknownCallFrameInstruction(opcode) = error {
                    entry.instructions.push(Instruction::Unknown { opcode: opcode.0 });
                }
                return report(entry, error);
            }
        }
    }
}

fn cost(rule: &::gimli::RegisterRule<usize>) -> usize {
    match rule {
        ::gimli::RegisterRule::Expression(UnwindExpression { length, .. })
        | ::gimli::RegisterRule::ValExpression(UnwindExpression { length, .. }) => 1 + length,
        _ => 1,
    }
}

/// A pointer that may be null. gimli adds the base to a null one as to any other, so only those without a base
/// still show it.
fn pointer(encoding: ::gimli::DwEhPe, pointer: ::gimli::Pointer) -> Option<Pointer> {
    let indirect = matches!(pointer, ::gimli::Pointer::Indirect(_));
    let address = Address(pointer.pointer());
    let is_null = address == Address(0) && encoding.application() == ::gimli::DW_EH_PE_absptr;
    (!is_null).then_some(Pointer { address, indirect })
}

/// Adds gimli's words to the entry. An error met in the instructions comes back with the rows and is told once.
fn report(entry: &mut Entry, error: ::gimli::Error) {
    report_words(entry, error.to_string());
}

fn report_words(entry: &mut Entry, words: String) {
    if entry.faults.last().is_some_and(|fault| fault.expected == words) {
        return;
    }
    // gimli tells no place inside a record.
    let offset = entry.offset;
    let expected = words.into();
    entry.faults.push(Fault { offset, bytes: Bytes::new(), kind: FaultKind::Reported, expected });
}

fn stopped(error: ::gimli::Error, last: Option<SectionOffset>) -> String {
    match last {
        Some(last) => format!("{error}, in the record after the one at {last}"),
        None => format!("{error}, in the first record"),
    }
}
