//! The CIEs of a section, found by offset.

use cfidiff_model::FaultKind;

use crate::cie::{self, Cie};
use crate::reader::{Framed, Reader};
use crate::semantics::Semantics;

/// The CIEs met so far, each parsed once. Their places never change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cies<'a> {
    cies: Vec<Cie<'a>>,
    /// (offset, place), by offset. CIEs mostly come in order, so that insertion is at the end.
    by_offset: Vec<(usize, usize)>,
    /// The place found last: nearly every FDE uses the CIE of the FDE before it.
    last: usize,
    /// Where every record starts, once a pointer that leads to no CIE met so far made a search necessary.
    starts: Option<Vec<u32>>,
}

impl<'a> Cies<'a> {
    /// The CIE at a place.
    #[inline(always)]
    pub fn get(&self, place: usize) -> Option<&Cie<'a>> {
        self.cies.get(place)
    }

    /// The place of the CIE at `offset`, if it is known.
    #[inline(always)]
    pub fn find(&mut self, offset: usize) -> Option<usize> {
        if self.cies.get(self.last).is_some_and(|cie| cie.offset == offset) {
            return Some(self.last);
        }
        let at = self.by_offset.binary_search_by_key(&offset, |&(offset, _)| offset).ok()?;
        self.last = self.by_offset[at].1;
        Some(self.last)
    }

    /// The place of the CIE at `offset`, which `parse` reads if it is new.
    pub fn insert(&mut self, offset: usize, parse: impl FnOnce() -> Cie<'a>) -> usize {
        match self.by_offset.binary_search_by_key(&offset, |&(offset, _)| offset) {
            Ok(at) => self.by_offset[at].1,
            Err(at) => {
                let place = self.cies.len();
                self.cies.push(parse());
                self.by_offset.insert(at, (offset, place));
                place
            }
        }
    }

    /// The place of the CIE at `offset`, searching the whole section once if it was not met yet: a CIE may come
    /// after its FDEs. Says what the offset leads to if it is no CIE.
    #[cold]
    pub fn search<S: Semantics + ?Sized>(
        &mut self,
        reader: &Reader<'a, S>,
        offset: u64,
    ) -> Result<usize, FaultKind> {
        let Some(offset) = usize::try_from(offset).ok().filter(|&offset| offset < reader.data.len()) else {
            return Err(FaultKind::CiePointerOutside);
        };
        if self.starts.is_none() {
            self.starts = Some(self.read_all(reader));
        }
        if let Some(place) = self.find(offset) {
            return Ok(place);
        }
        let is_start =
            self.starts.as_ref().is_some_and(|starts| starts.binary_search(&(offset as u32)).is_ok());
        Err(if is_start { FaultKind::CiePointerNotCie } else { FaultKind::CiePointerInside })
    }

    /// Parses every CIE of the section that is not known yet, and lists where records start.
    fn read_all<S: Semantics + ?Sized>(&mut self, reader: &Reader<'a, S>) -> Vec<u32> {
        let mut starts = Vec::new();
        let mut position = 0;
        while position < reader.data.len() {
            starts.push(position as u32);
            position = match reader.frame(position) {
                Framed::Frame(frame) => {
                    let end = frame.cursor.data.len();
                    if reader.is_cie(&frame) {
                        self.insert(position, || cie::parse(reader, position, frame.format, frame.cursor));
                    }
                    end
                }
                Framed::Terminator { end, .. } | Framed::Unreadable { end, .. } => end,
            };
        }
        starts
    }
}
