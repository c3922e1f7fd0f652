//! Our own reading of a section, in readelf's manner: instructions as `readelf -wf` prints them, and below them the
//! rows as `readelf -wF` does, so that both can be laid side by side.

use std::io::{self, Write};

use cfidiff_model::{
    Address, Cie, Class, Entry, EntryKind, Fde, Format, Instruction, Operand, RowRef, SectionKind,
    SectionOffset, Target,
};
use comfy_table::{Table, presets};

use crate::report::describe;

/// Writes entries of one target as text.
pub struct Dump<'t, W: Write> {
    /// Where the text goes.
    pub out: W,
    /// How registers are called and how wide addresses are.
    pub target: &'t Target,
    /// Which section the entries are from.
    pub kind: SectionKind,
    /// A location whose row is marked.
    pub mark: Option<Address>,
}

impl<W: Write> Dump<'_, W> {
    /// One entry, with its CIE's return address register for the heading of its column.
    pub fn entry(&mut self, entry: &Entry, return_address: Option<u64>) -> io::Result<()> {
        let start = match &entry.kind {
            EntryKind::Terminator => {
                writeln!(self.out, "{:08x} ZERO terminator\n", entry.offset.0)?;
                0
            }
            EntryKind::Unreadable => {
                self.head(entry, "")?;
                writeln!(self.out, "unreadable record")?;
                0
            }
            EntryKind::Cie(cie) => {
                self.head(entry, self.cie_id(entry.format))?;
                self.cie(cie)?;
                0
            }
            EntryKind::Fde(fde) => {
                self.head(entry, &format!("{:08x}", fde.cie_pointer))?;
                self.fde(fde)?;
                fde.initial_location.0
            }
        };
        self.instructions(&entry.instructions, start)?;
        self.rows(entry, return_address)?;
        for fault in &entry.faults {
            writeln!(self.out, "  fault: {fault}")?;
        }
        if !matches!(entry.kind, EntryKind::Terminator) {
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn cie_id(&self, format: Format) -> &'static str {
        match (self.kind, format) {
            (SectionKind::DebugFrame, Format::Dwarf32) => "ffffffff",
            (SectionKind::DebugFrame, Format::Dwarf64) => "ffffffffffffffff",
            _ => "00000000",
        }
    }

    fn head(&mut self, entry: &Entry, id: &str) -> io::Result<()> {
        let length = describe::address(self.target.class, entry.length);
        let wide = if entry.format == Format::Dwarf64 { " (64-bit)" } else { "" };
        write!(self.out, "{:08x} {length}{wide} {id} ", entry.offset.0)
    }

    fn cie(&mut self, cie: &Cie) -> io::Result<()> {
        writeln!(self.out, "CIE")?;
        writeln!(self.out, "  Version:               {}", cie.version)?;
        writeln!(self.out, "  Augmentation:          \"{}\"", String::from_utf8_lossy(&cie.augmentation))?;
        if cie.version >= 4 {
            writeln!(self.out, "  Pointer Size:          {}", cie.address_size)?;
            writeln!(self.out, "  Segment Size:          {}", cie.segment_selector_size)?;
        }
        writeln!(self.out, "  Code alignment factor: {}", cie.code_alignment_factor)?;
        writeln!(self.out, "  Data alignment factor: {}", cie.data_alignment_factor)?;
        writeln!(self.out, "  Return address column: {}", cie.return_address_register)?;
        self.augmentation_data(&cie.augmentation_data)?;
        if let Some((encoding, pointer)) = cie.personality {
            writeln!(self.out, "  Personality:           {} ({encoding:#04x})", describe::pointer(pointer))?;
        }
        Ok(())
    }

    fn fde(&mut self, fde: &Fde) -> io::Result<()> {
        let class = self.target.class;
        let end = end_of(fde, class);
        let cie = fde.cie.map_or("none".to_owned(), |SectionOffset(offset)| format!("{offset:08x}"));
        let start = describe::address(class, fde.initial_location.0);
        let indirect = if fde.indirect { " (indirect)" } else { "" };
        writeln!(self.out, "FDE cie={cie} pc={start}..{}{indirect}", describe::address(class, end))?;
        self.augmentation_data(&fde.augmentation_data)?;
        if fde.lsda.is_some() {
            writeln!(self.out, "  LSDA:                  {}", describe::pointer(fde.lsda))?;
        }
        Ok(())
    }

    fn augmentation_data(&mut self, data: &[u8]) -> io::Result<()> {
        if data.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "  Augmentation data:     {}", describe::bytes(data))
    }

    fn instructions(&mut self, instructions: &[Instruction], start: u64) -> io::Result<()> {
        let mut location = start;
        for instruction in instructions {
            writeln!(self.out, "  {}", describe::instruction(self.target, instruction, location))?;
            match instruction.operands().first() {
                Some(Operand::Delta(delta)) => location = location.wrapping_add(*delta),
                Some(Operand::Location(new)) => location = new.0,
                _ => {}
            }
        }
        Ok(())
    }

    /// The rows as a table: a column for each register with a rule in any row, the return address last in name.
    fn rows(&mut self, entry: &Entry, return_address: Option<u64>) -> io::Result<()> {
        let mut registers: Vec<u64> =
            entry.rows.iter().flat_map(|row| row.rules.iter().map(|(register, _)| *register)).collect();
        registers.sort_unstable();
        registers.dedup();
        if entry.rows.is_empty() {
            return Ok(());
        }
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        let names = registers.iter().map(|&register| {
            if Some(register) == return_address {
                "ra".to_owned()
            } else {
                describe::short_register(self.target.machine, register)
            }
        });
        table.set_header(["LOC".to_owned(), "CFA".to_owned()].into_iter().chain(names));
        for row in entry.rows.iter() {
            table.add_row(self.cells(&row, &registers));
        }
        for line in table.lines() {
            writeln!(self.out, " {}", line.trim_end())?;
        }
        Ok(())
    }

    fn cells(&self, row: &RowRef<'_>, registers: &[u64]) -> Vec<String> {
        let machine = self.target.machine;
        let holds = self.mark.is_some_and(|mark| row.start <= mark && mark < row.end);
        let location = describe::address(self.target.class, row.start.0);
        let mut cells = vec![if holds { format!("{location} <") } else { location }];
        cells.push(describe::cfa_rule(machine, row.cfa));
        for register in registers {
            let rule = row.rules.iter().find(|(number, _)| number == register);
            cells.push(rule.map_or("-".to_owned(), |(_, rule)| describe::register_rule(machine, rule)));
        }
        cells
    }
}

/// The first address after an FDE's range, cut to the width of an address.
fn end_of(fde: &Fde, class: Class) -> u64 {
    let end = fde.initial_location.0.wrapping_add(fde.address_range);
    match class {
        Class::Elf32 => end & 0xffff_ffff,
        Class::Elf64 => end,
    }
}
