//! The shapes that a mistake of an unwinder leaves in its backtraces.

use super::compared::{Comparison, Place};
use super::program::Program;
use super::{constants, walks};

/// A shape.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// Every address of the file is off by one number.
    ConstantEverywhere,
    /// Every return address is off by one.
    CallSites,
    /// Addresses are off by a number that is one within a function and another in the next.
    ConstantPerFunction,
    /// One frame is left out.
    FrameMissing,
    /// One frame is there that the stack does not have, and all behind it come one late.
    FrameAdded,
    /// The walk ends before the stack does.
    EndsEarly,
    /// The walk goes on behind the end of the stack.
    GoesOn,
    /// The first wrong value is no address of code.
    NoCodeAddress,
    /// The walk goes wrong behind one function only.
    FromOneFunction,
    /// The walk goes wrong behind functions of one CIE only.
    FromOneCie,
}

impl Shape {
    /// Every shape; of two that explain as much the first is named first.
    pub const ALL: [Shape; 10] = [
        Shape::ConstantEverywhere,
        Shape::CallSites,
        Shape::ConstantPerFunction,
        Shape::FrameMissing,
        Shape::FrameAdded,
        Shape::EndsEarly,
        Shape::GoesOn,
        Shape::NoCodeAddress,
        Shape::FromOneFunction,
        Shape::FromOneCie,
    ];

    /// Its name. A contract.
    pub fn name(self) -> &'static str {
        match self {
            Shape::ConstantEverywhere => "constant-everywhere",
            Shape::CallSites => "call-sites",
            Shape::ConstantPerFunction => "constant-per-function",
            Shape::FrameMissing => "frame-missing",
            Shape::FrameAdded => "frame-added",
            Shape::EndsEarly => "ends-early",
            Shape::GoesOn => "goes-on",
            Shape::NoCodeAddress => "no-code-address",
            Shape::FromOneFunction => "from-one-function",
            Shape::FromOneCie => "from-one-cie",
        }
    }

    /// What it is and what it comes from, in sentences.
    pub fn meaning(self) -> &'static str {
        match self {
            Shape::ConstantEverywhere => {
                "Every address is off by the same number. The load base is wrong, or a base of pointers that is one for the whole section."
            }
            Shape::CallSites => {
                "Every return address is off by one, the innermost is right. One list shows return addresses, the other the addresses that are looked up for them."
            }
            Shape::ConstantPerFunction => {
                "Within a function every address is off by the same number, in the next by another. The location of each record is counted from a wrong base."
            }
            Shape::FrameMissing => {
                "One frame is left out, and the rest is right. The row that was taken is not the one that holds there: its caller's frame was taken for its own, or the lookup was of the wrong address."
            }
            Shape::FrameAdded => {
                "One frame is there that the stack does not have, and all behind it come one late. A rule gave the frame's own return address again, or a value that happens to stand beside it."
            }
            Shape::EndsEarly => {
                "The walk ends before the stack does. No row was found for its last frame, or one without a return address."
            }
            Shape::GoesOn => {
                "The walk goes on behind the end of the stack. The outermost frame's return address is undefined, and was taken for one all the same."
            }
            Shape::NoCodeAddress => {
                "The first wrong value is no address of code. It was read from the wrong place of the stack, or from the wrong register."
            }
            Shape::FromOneFunction => {
                "Every walk that goes wrong goes wrong behind one function. Its FDE, or what is special in it, is read wrongly."
            }
            Shape::FromOneCie => {
                "Every walk that goes wrong goes wrong behind functions of one CIE. The CIE, or what its augmentation says of its FDEs, is read wrongly."
            }
        }
    }

    /// The decision points, methods of `Semantics`, that are to be looked at where no planted fault fits.
    pub fn decision_points(self) -> &'static [&'static str] {
        match self {
            // Where an image was loaded is no question of the format.
            Shape::ConstantEverywhere => &[],
            Shape::CallSites => &["address_to_look_up"],
            Shape::ConstantPerFunction => &["pcrel_base", "pointer_base", "pointer_format", "header_base"],
            Shape::FrameMissing => {
                &["address_to_look_up", "augmentation_letter", "row_is_candidate", "advance_delta"]
            }
            Shape::FrameAdded => &["restored_rule", "factored_offset", "cfa_offset"],
            Shape::EndsEarly => &["address_to_look_up", "range_contains", "address_range", "opcode_use"],
            Shape::GoesOn => &["register_rule", "last_row_end"],
            Shape::NoCodeAddress => &["factored_offset", "register_rule", "cfa_offset", "restored_rule"],
            Shape::FromOneFunction => &["row_is_candidate", "has_effect", "opcode_use", "instructions_end"],
            Shape::FromOneCie => {
                &["cie_offset", "has_augmentation_data", "cie_augmentation_end", "augmentation_letter"]
            }
        }
    }

    /// Looks for the shape among the pairs that are left.
    pub(super) fn find(self, program: &Program, lists: &Comparison, left: &[usize]) -> Option<Found> {
        match self {
            Shape::ConstantEverywhere => constants::everywhere(program, lists, left),
            Shape::CallSites => constants::call_sites(program, lists, left),
            Shape::ConstantPerFunction => constants::per_function(program, lists, left),
            Shape::FrameMissing => walks::frame_missing(program, lists, left),
            Shape::FrameAdded => walks::frame_added(program, lists, left),
            Shape::EndsEarly => walks::ends_early(program, lists, left),
            Shape::GoesOn => walks::goes_on(program, lists, left),
            Shape::NoCodeAddress => walks::no_code_address(program, lists, left),
            Shape::FromOneFunction => walks::from_one_function(program, lists, left),
            Shape::FromOneCie => walks::from_one_cie(program, lists, left),
        }
    }
}

/// A shape that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Which.
    pub shape: Shape,
    /// The numbers of the pairs that it explains.
    pub pairs: Vec<usize>,
    /// The functions that it is about.
    pub functions: Vec<FunctionError>,
    /// What else was seen, in sentences without a full stop.
    pub facts: Vec<String>,
    /// Where walks went wrong; none where the addresses themselves are wrong and not the walk.
    pub(super) blamed: Vec<Place>,
    /// The number of a pair, and of its first wrong frame.
    pub evidence: (usize, usize),
}

impl Found {
    /// Whether walks go wrong, and not the addresses that they find: the frame before the first wrong one tells.
    pub fn is_of_walks(&self) -> bool {
        !matches!(self.shape, Shape::ConstantEverywhere | Shape::CallSites | Shape::ConstantPerFunction)
    }
}

/// What is wrong in a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FunctionError {
    /// The function's number; `None` for code without an FDE of the file.
    pub function: Option<usize>,
    /// By how much its addresses are off, observed minus expected, where that is constant.
    pub error: Option<i64>,
    /// How many frames show it.
    pub frames: usize,
}
