//! Chunks of output to lines, of bounded length.

use std::ops::ControlFlow;

/// The longest line that is held, in bytes. The longest real ones are augmentation data and expressions, three
/// bytes of text for one of the section.
pub(crate) const LONGEST: usize = 64 << 20;

/// The start of a line whose end is in a later chunk.
#[derive(Default)]
pub(crate) struct Lines {
    start: Vec<u8>,
}

impl Lines {
    /// Calls `take` for each line that ends in this chunk, without its line break. Breaks off when a line is too
    /// long to be one.
    #[inline]
    pub(crate) fn split(&mut self, chunk: &[u8], mut take: impl FnMut(&[u8])) -> ControlFlow<()> {
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', chunk) {
            let line = &chunk[begin..end];
            begin = end + 1;
            if self.start.is_empty() {
                take(line);
            } else {
                self.start.extend_from_slice(line);
                take(&self.start);
                self.start.clear();
            }
        }
        self.start.extend_from_slice(&chunk[begin..]);
        if self.start.len() > LONGEST { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Whether no line has begun.
    pub(crate) fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The last line, which no line break ended.
    pub(crate) fn rest(self) -> Vec<u8> {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_wherever_the_chunks_are_cut() {
        let text = b"one\n\ntwo three\n  four\nfive";
        for size in 1..=text.len() {
            let mut lines = Lines::default();
            let mut taken = Vec::new();
            for chunk in text.chunks(size) {
                assert!(lines.split(chunk, |line| taken.push(line.to_vec())).is_continue());
            }
            let expected: [&[u8]; 4] = [b"one", b"", b"two three", b"  four"];
            assert_eq!(taken, expected, "chunks of {size}");
            assert_eq!(lines.rest(), b"five");
        }
    }
}
