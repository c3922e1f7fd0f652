//! Where the file was loaded, worked out from the stacks.
//!
//! A loader moves an image by whole pages, so the low bits of each address stay. Every page of code that an address
//! could be of gives a candidate; the one is taken that puts most addresses into functions, and most return addresses
//! behind calls.

use std::collections::HashMap;

use cfidiff_model::{Endianness, Machine};

use super::Stack;
use super::program::Program;

/// The size of the smallest page.
const PAGE: u64 = 0x1000;
/// How many different addresses are tried, at most.
const MAX_ADDRESSES: usize = 512;
/// How many candidates are counted, at most: addresses times pages of code.
const MAX_VOTES: usize = 4 << 20;
/// How many candidates are looked at closely.
const MAX_CANDIDATES: usize = 256;

/// A load base, and how it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadBase {
    /// The run-time address of the image's first byte.
    pub address: u64,
    /// How well the stacks fit, when it was worked out.
    pub fits: Option<Fits>,
}

/// How many different addresses fit a load base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fits {
    /// How many were tried.
    pub tried: usize,
    /// How many are in functions.
    pub in_functions: usize,
    /// How many of those are the innermost of a stack, or behind a call.
    pub behind_calls: usize,
}

/// Why the load base cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// No address fits.
    #[error(
        "{0}: no expected address is in a function of it, wherever it is loaded; is it another file's stacks?"
    )]
    Nowhere(String),
    /// Several fit equally.
    #[error(
        "{file}: the load base cannot be told from the stacks: {first:#x} and {second:#x} fit equally; say it with --load-base"
    )]
    Several {
        /// The file.
        file: String,
        /// One base.
        first: u64,
        /// Another.
        second: u64,
    },
}

/// An address of a stack, and whether it is a return address.
type Sample = (u64, bool);

/// Works out where the file was loaded, and places it there.
pub fn work_out(program: &mut Program, stacks: &[Stack]) -> Result<LoadBase, BaseError> {
    let samples = samples(stacks);
    let fits = |program: &Program, bias: u64| {
        let moved = samples.iter().map(|&(address, returns)| (address.wrapping_sub(bias), returns));
        moved.fold((0, 0), |(inside, calls), sample| {
            let (is_inside, is_call) = fit(program, sample);
            (inside + usize::from(is_inside), calls + usize::from(is_call))
        })
    };
    let mut best: Vec<(usize, usize, u64)> = candidates(program, &samples)
        .into_iter()
        .map(|bias| {
            let (inside, calls) = fits(program, bias);
            (inside, calls, bias)
        })
        .filter(|&(inside, ..)| inside > 0)
        .collect();
    best.sort_by_key(|&(inside, calls, bias)| (std::cmp::Reverse((calls, inside)), bias));
    match best[..] {
        [] => Err(BaseError::Nowhere(program.name.clone())),
        // The file's own addresses are taken for what they are.
        [one, other, ..] if one.2 != 0 && (one.0, one.1) == (other.0, other.1) => Err(BaseError::Several {
            file: program.name.clone(),
            first: one.2.wrapping_add(program.first_address()),
            second: other.2.wrapping_add(program.first_address()),
        }),
        [(in_functions, behind_calls, bias), ..] => {
            program.load_at(program.first_address().wrapping_add(bias));
            let fits = Fits { tried: samples.len(), in_functions, behind_calls };
            Ok(LoadBase { address: program.load_base(), fits: Some(fits) })
        }
    }
}

/// Different addresses, evenly from all of the list.
fn samples(stacks: &[Stack]) -> Vec<Sample> {
    let mut samples: Vec<Sample> = stacks
        .iter()
        .flat_map(|stack| {
            let frames = stack.frames.iter().enumerate();
            frames.filter_map(|(index, frame)| Some((frame.address?, index > 0 && !frame.interrupted)))
        })
        .collect();
    samples.sort_unstable();
    samples.dedup();
    let step = samples.len().div_ceil(MAX_ADDRESSES).max(1);
    samples.into_iter().step_by(step).collect()
}

/// What may be added to link-time addresses, the likeliest first: zero, then what most addresses speak for.
fn candidates(program: &Program, samples: &[Sample]) -> Vec<u64> {
    let mut pages: Vec<u64> = Vec::new();
    for function in program.functions() {
        let (first, last) = (function.start / PAGE, function.start.saturating_add(function.size) / PAGE);
        let next = pages.last().map_or(0, |page| page + 1);
        // A range that no code can have is not walked.
        pages.extend(
            (first.max(next)..=last.min(first + 0x10000)).take(MAX_VOTES - pages.len().min(MAX_VOTES)),
        );
    }
    let step = (samples.len() * pages.len()).div_ceil(MAX_VOTES).max(1);
    let mut votes: HashMap<u64, u32> = HashMap::new();
    for &(address, _) in samples.iter().step_by(step) {
        for page in &pages {
            let bias = (address & !(PAGE - 1)).wrapping_sub(page * PAGE);
            *votes.entry(bias).or_default() += 1;
        }
    }
    let mut ranked: Vec<(u32, u64)> = votes.into_iter().map(|(bias, votes)| (votes, bias)).collect();
    ranked.sort_by_key(|&(votes, bias)| (std::cmp::Reverse(votes), bias));
    let ranked = ranked.into_iter().map(|(_, bias)| bias).filter(|&bias| bias != 0);
    std::iter::once(0).chain(ranked).take(MAX_CANDIDATES).collect()
}

/// Whether a link-time address is in a function, and, of a return address, also behind a call.
fn fit(program: &Program, (address, is_return): Sample) -> (bool, bool) {
    let inside = program.function_at(address.wrapping_sub(u64::from(is_return))).is_some();
    (inside, inside && (!is_return || is_behind_call(program, address)))
}

/// Whether the instruction before an address is a call. Where the machine's calls are not known, any is taken for one.
pub(super) fn is_behind_call(program: &Program, address: u64) -> bool {
    let code = program.layout.sections.iter().find_map(|section| {
        let end = address.checked_sub(section.address).filter(|&end| end <= section.size)?;
        section.contents.as_ref()?.get(..usize::try_from(end).ok()?)
    });
    let Some(code) = code else { return false };
    let target = program.target();
    match target.machine {
        Machine::X86_64 | Machine::I386 => is_x86_call(code),
        Machine::AARCH64 if target.endianness == Endianness::Little => {
            let word = code.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            // BL, BLR and the authenticated forms of BLR.
            word & 0xfc00_0000 == 0x9400_0000 || word & 0xfeff_f000 == 0xd63f_0000
        }
        _ => true,
    }
}

/// Whether code ends with CALL rel32, or with CALL r/m in any of its lengths.
fn is_x86_call(code: &[u8]) -> bool {
    let back = |count: usize| code.len().checked_sub(count).map(|at| &code[at..]);
    let is_relative = back(5).is_some_and(|bytes| bytes[0] == 0xe8);
    let is_indirect =
        |length: usize| back(length).is_some_and(|bytes| bytes[0] == 0xff && bytes[1] & 0x38 == 0x10);
    is_relative || (2..=7).any(is_indirect)
}
