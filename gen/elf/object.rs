//! What an assembler does with the references of a section: it leaves them to whoever places the sections.

use cfidiff_model::{Address, Endianness};

use super::{ElfError, ElfSection, ElfSpec, Relocation, RelocationTypes, Symbol};
use crate::{Reference, Referent, Writer};

/// The section with the code, and the one with LSDAs.
const CODE: &str = ".text";
const LSDAS: &str = ".gcc_except_table";
/// Where the pointer to the personality routine is.
const PERSONALITY: &str = "DW.ref.__gcc_personality_v0";

impl ElfSpec {
    /// Adds a section to a relocatable object. Its data are as they have to be once all sections are at
    /// address zero; in the file each reference is a relocation, and its field holds nothing but an addend.
    ///
    /// References to code are to `.text`, those to LSDAs to `.gcc_except_table`, and personality routines are
    /// in another file. Those of machines without relocation types for them are an error, except that
    /// distances stay as they are where linkers do not shorten code.
    pub fn push_relocated(
        &mut self,
        mut section: ElfSection,
        references: &[Reference],
    ) -> Result<(), ElfError> {
        let own = self.sections.len();
        for reference in references {
            let types = RelocationTypes::of(self.target)
                .ok_or_else(|| ElfError::NoRelocation(section.name.clone(), reference.bits))?;
            let left = self.left_out(reference, &types, own, &section.name)?;
            let in_field = left.first().filter(|_| types.in_place).map_or(0, |relocation| relocation.addend);
            if !left.is_empty() {
                put(&mut section.data, reference, in_field.cast_unsigned(), self.target.endianness);
            }
            section.relocations.extend(left);
        }
        section.relocations.sort_by_key(|relocation| relocation.offset);
        self.sections.push(section);
        Ok(())
    }

    /// The relocations of one reference of the section at index `own`.
    fn left_out(
        &mut self,
        reference: &Reference,
        types: &RelocationTypes,
        own: usize,
        name: &str,
    ) -> Result<Vec<Relocation>, ElfError> {
        let missing = |wanted| ElfError::NoSection(name.to_owned(), wanted);
        let index_of = |wanted| self.sections.iter().position(|section| section.name == wanted);
        let (section, address) = match reference.to {
            Referent::Distance { from, to, is_range } => {
                let code = index_of(CODE).ok_or_else(|| missing(CODE))?;
                return Ok(self.distance(reference, types, code, (from, to), is_range));
            }
            Referent::Code(address) => (Some(index_of(CODE).ok_or_else(|| missing(CODE))?), address),
            Referent::Lsda(address) => (Some(index_of(LSDAS).ok_or_else(|| missing(LSDAS))?), address),
            Referent::Personality(address) => (None, address),
            Referent::Record(offset) => (Some(own), Address(offset.0)),
        };
        let kinds = if reference.relative { types.relative } else { types.absolute };
        let kind = match reference.bits {
            32 => kinds[0],
            64 => kinds[1],
            _ => 0,
        };
        if kind == 0 {
            return Err(ElfError::NoRelocation(name.to_owned(), reference.bits));
        }
        let (symbol, addend) = match section {
            None => (self.symbol(Symbol::undefined(PERSONALITY)), address.0),
            Some(index) if types.labels => (self.symbol(Symbol::label(index, address.0)), 0),
            Some(index) => (self.symbol(Symbol::section(index)), address.0),
        };
        let addend = addend.cast_signed();
        Ok(vec![Relocation { offset: reference.offset, relocation_type: kind, symbol, addend }])
    }

    fn distance(
        &mut self,
        reference: &Reference,
        types: &RelocationTypes,
        code: usize,
        (from, to): (Address, Address),
        is_range: bool,
    ) -> Vec<Relocation> {
        let width = [6, 8, 16, 32, 64].iter().position(|&bits| bits == reference.bits);
        let (Some(width), Some(distances)) = (width, types.distances) else { return Vec::new() };
        let end = match width {
            3 | 4 if is_range => distances.range_ends[width - 3],
            _ => distances.ends[width],
        };
        let ends = [(end, to), (distances.starts[width], from)];
        let relocation = |(relocation_type, address): (u32, Address)| {
            let symbol = self.symbol(Symbol::label(code, address.0));
            Relocation { offset: reference.offset, relocation_type, symbol, addend: 0 }
        };
        ends.map(relocation).to_vec()
    }

    /// The index of a symbol, which is added unless it is there.
    pub fn symbol(&mut self, symbol: Symbol) -> usize {
        self.symbols.iter().position(|there| *there == symbol).unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        })
    }
}

/// Overwrites a reference's field. Above the low six bits of a byte stands an opcode, which stays.
fn put(data: &mut [u8], reference: &Reference, value: u64, endianness: Endianness) {
    let Ok(offset) = usize::try_from(reference.offset) else { return };
    if reference.bits < 8 {
        data[offset] = data[offset] & 0xc0 | value as u8 & 0x3f;
        return;
    }
    let mut field = Writer::new(endianness);
    let width = usize::from(reference.bits / 8);
    field.unsigned(value, width);
    data[offset..offset + width].copy_from_slice(field.since(0));
}
