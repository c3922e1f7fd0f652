//! What the format allows, and which clause says so.

use cfidiff_model::{FaultKind, Machine, SectionKind};

use super::names::Field;
use crate::pointer::INDIRECT;

/// Whether a cell is legal, and why.
pub(super) type Verdict = (bool, &'static str);

const APPLICATION: u8 = 0x70;
const TEXTREL: u8 = 0x20;
const FUNCREL: u8 = 0x40;
const ALIGNED: u8 = 0x50;

/// An opcode of this name in either kind of section.
pub(super) fn opcode(name: &str) -> Verdict {
    match name {
        "MIPS_advance_loc8" => (true, "DWARF 5 section 7.24: an opcode of the user range, of MIPS"),
        "AARCH64_negate_ra_state" | "AARCH64_negate_ra_state_with_pc" => {
            (true, "DWARF for the Arm 64-bit Architecture, call frame instructions")
        }
        "GNU_args_size" | "GNU_negative_offset_extended" => {
            (true, "LSB Core, additional call frame instructions; DWARF 5 section 7.24: the user range")
        }
        "GNU_window_save" => (true, "DWARF 5 section 7.24: an opcode of the user range, GCC's for SPARC"),
        "LLVM_def_aspace_cfa" | "LLVM_def_aspace_cfa_sf" => {
            (true, "LLVM, DWARF extensions for heterogeneous debugging: call frame instructions")
        }
        _ => (true, "DWARF 5 section 6.4.2 and table 7.29"),
    }
}

/// A vendor's opcode on a machine.
pub(super) fn machine_opcode(name: &str, machine: Machine) -> Verdict {
    match name {
        "GNU_window_save" if machine.is_sparc() => (true, "SPARC ABI: register windows"),
        "GNU_window_save" if machine == Machine::AARCH64 => {
            (false, "DWARF for the Arm 64-bit Architecture takes 0x2d for negate_ra_state")
        }
        "GNU_window_save" => (false, "only SPARC has register windows to save"),
        "AARCH64_negate_ra_state" | "AARCH64_negate_ra_state_with_pc" => match machine {
            Machine::AARCH64 => (true, "DWARF for the Arm 64-bit Architecture, call frame instructions"),
            _ => (false, "only the AArch64 ABI defines it: no other machine signs return addresses so"),
        },
        "MIPS_advance_loc8" => match machine {
            Machine::MIPS => (true, "DWARF 5 section 7.24: an opcode of the user range, of MIPS"),
            _ => (false, "an opcode of the user range that only the MIPS ABI defines"),
        },
        _ if machine == Machine::AMDGPU => {
            (true, "LLVM, DWARF extensions for heterogeneous debugging: machines with address spaces")
        }
        _ => (false, "only AMDGPU has frames in address spaces of their own"),
    }
}

/// A CIE with this address size and version, in a file of either format, section and byte order.
pub(super) fn format(kind: SectionKind, bits: u8, address_size: u8, version: u8) -> Verdict {
    if version < 4 && address_size < 4 {
        return (false, "before version 4 the address size is that of the file, and ELF has 4 and 8");
    }
    match (kind, bits, version) {
        (SectionKind::EhFrame, 64, _) => {
            (true, "LSB Core, extended length; whether the id has 4 or 8 bytes is left open")
        }
        (SectionKind::EhFrame, _, 1) => (true, "LSB Core, CIE format: version 1"),
        (SectionKind::EhFrame, _, 3) => (true, "LSB Core has version 1 alone; compilers write 3 as well"),
        (SectionKind::EhFrame, ..) => {
            (true, "LSB Core has version 1 alone; version 4 as in DWARF 5 section 6.4.1 is left open")
        }
        (_, _, 1) => (true, "DWARF 2 section 6.4.1: version 1"),
        (_, _, 3) => (true, "DWARF 3 section 6.4.1: version 3"),
        _ => (true, "DWARF 5 section 6.4.1: version 4, with an address size of its own"),
    }
}

/// A pointer of a field in an encoding with defined format and application.
pub(super) fn pointer(field: Field, encoding: u8) -> Verdict {
    let (application, indirect) = (encoding & APPLICATION, encoding & INDIRECT != 0);
    let in_header = matches!(field, Field::HeaderEhFrame | Field::HeaderCount | Field::HeaderTable);
    if field == Field::HeaderCount && (application != 0 || indirect) {
        return (
            false,
            "LSB Core, exception frame header: fde_count is a number, which has no base and no slot",
        );
    }
    if application == ALIGNED && encoding != ALIGNED {
        return (
            false,
            "GCC's unwind-pe.h: 0x50 as a whole is the value, a plain address at an aligned place",
        );
    }
    match (field, application) {
        (Field::InitialLocation | Field::SetLoc, FUNCREL) => {
            return (false, "LSB Core: funcrel counts from the function's start, which is what R encodes");
        }
        (Field::Personality, FUNCREL) => {
            return (false, "LSB Core: funcrel counts from a function's start, and a CIE has no function");
        }
        (_, FUNCREL) if in_header => {
            return (
                false,
                "LSB Core: funcrel counts from a function's start, and the header has no function",
            );
        }
        (_, TEXTREL) if in_header => {
            return (false, "LSB Core, exception frame header: the header's own address is its only base");
        }
        _ => {}
    }
    if indirect && in_header {
        return (false, "LSB Core, exception frame header: the fields are the addresses that are searched");
    }
    if indirect && field == Field::SetLoc {
        return (false, "DWARF 5 section 6.4.2.1: the operand is the location itself, at which a row starts");
    }
    match field {
        _ if indirect => (true, "GCC's unwind-pe.h: DW_EH_PE_indirect with any format and application"),
        Field::SetLoc => {
            (true, "DWARF 5 section 6.4.2.1; in .eh_frame in the encoding of R, as GCC writes it")
        }
        Field::HeaderEhFrame | Field::HeaderCount | Field::HeaderTable => {
            (true, "LSB Core, exception frame header; DWARF exception header encoding")
        }
        _ => (true, "LSB Core, augmentation string format; DWARF exception header encoding"),
    }
}

/// An augmentation string.
pub(super) fn augmentation(string: &str) -> Verdict {
    match string {
        "" => (true, "DWARF 5 section 6.4.1: no augmentation"),
        "eh" => {
            (true, "LSB Core, augmentation string format: the old GCC's, with a pointer behind the string")
        }
        "S" => (true, "the GNU assembler's .cfi_signal_frame in .debug_frame: no data"),
        "armcc+" => (true, "ARM's compiler: no data"),
        _ if !string.starts_with('z') => {
            (false, "LSB Core, augmentation string format: the letter has its data only behind z")
        }
        _ if string.contains(['B', 'G']) => (true, "DWARF for the Arm 64-bit Architecture: B and G"),
        _ if string.contains('S') => (true, "LSB Core, augmentation string format; GCC: S, the signal frame"),
        _ => (true, "LSB Core, augmentation string format: letters in any order, their data in the same"),
    }
}

/// A kind of fault as the effect of bytes that were damaged.
pub(super) fn fault(kind: FaultKind) -> Verdict {
    match kind {
        FaultKind::Relocation => (false, "a fault of the relocation, not of the section's bytes"),
        FaultKind::Reported => (false, "what tools say in their own words; the suite's readers give kinds"),
        FaultKind::RememberDepth | FaultKind::RuleCount => {
            (true, "DWARF 5 section 6.4.2.4 has no limit; a reader of hostile input has one")
        }
        _ => (true, "a reader reports what it cannot read"),
    }
}
