//! The CIEs of a section, found by offset.

use cfidiff_model::FaultKind;

use crate::cie::{self, Cie};
use crate::reader::{Frame, FrameState, Reader};
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

    /// The CIE at `offset` with its place. Says what the offset leads to if it is no CIE.
    #[inline(always)]
    pub fn find<S: Semantics + ?Sized>(
        &mut self,
        reader: &Reader<'a, S>,
        offset: u64,
    ) -> Result<(usize, &Cie<'a>), FaultKind> {
        if self.cies.get(self.last).is_none_or(|cie| cie.offset as u64 != offset) {
            self.last = self.search(reader, offset)?;
        }
        match self.cies.get(self.last) {
            Some(cie) => Ok((self.last, cie)),
            None => Err(FaultKind::CiePointerNotCie),
        }
    }

    /// The offsets of the CIEs, ascending.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        self.by_offset.iter().map(|&(offset, _)| offset)
    }

    /// The place of the CIE at `offset`, if it is known.
    fn known(&self, offset: usize) -> Option<usize> {
        let at = self.by_offset.binary_search_by_key(&offset, |&(offset, _)| offset).ok()?;
        Some(self.by_offset[at].1)
    }

    /// The place of the CIE in a frame, which is parsed if it is new.
    #[inline(never)]
    pub fn insert<S: Semantics + ?Sized>(&mut self, reader: &Reader<'a, S>, frame: Frame<'a>) -> usize {
        match self.by_offset.binary_search_by_key(&frame.offset, |&(offset, _)| offset) {
            Ok(at) => self.by_offset[at].1,
            Err(at) => {
                let place = self.cies.len();
                self.cies.push(cie::parse(reader, frame));
                self.by_offset.insert(at, (frame.offset, place));
                place
            }
        }
    }

    /// The place of the CIE at `offset`, searching the whole section once if it was not met yet: a CIE may come
    /// after its FDEs.
    #[inline(never)]
    fn search<S: Semantics + ?Sized>(
        &mut self,
        reader: &Reader<'a, S>,
        offset: u64,
    ) -> Result<usize, FaultKind> {
        let Some(offset) = usize::try_from(offset).ok().filter(|&offset| offset < reader.data.len()) else {
            return Err(FaultKind::CiePointerOutside);
        };
        if let Some(place) = self.known(offset) {
            return Ok(place);
        }
        if self.starts.is_none() {
            self.starts = Some(self.read_all(reader));
            if let Some(place) = self.known(offset) {
                return Ok(place);
            }
        }
        if reader.semantics.cie_may_stand_inside() {
            let frame = reader.frame(offset);
            if frame.state == FrameState::Framed && reader.is_cie(frame) {
                return Ok(self.insert(reader, frame));
            }
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
            let frame = reader.frame(position);
            if frame.state == FrameState::Framed && reader.is_cie(frame) {
                self.insert(reader, frame);
            }
            position = frame.end();
        }
        starts
    }
}
