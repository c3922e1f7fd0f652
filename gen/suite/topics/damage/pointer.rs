//! CIE pointers that lead to no CIE.

use cfidiff_model::{Format, SectionKind};

use super::{BROKEN, MACHINE, case, debug_frame, eh_frame};
use crate::suite::draft::TEXT;
use crate::suite::{Damage, Suite};
use crate::{FdeSpec, Record};

const CLAUSE: &str = "DWARF 5 section 6.4.1: CIE_pointer is the offset of a CIE in .debug_frame; LSB Core, exception \
                      frames: the CIE pointer subtracted from its own offset is that of a CIE";

pub(super) fn add(suite: &mut Suite) {
    use SectionKind::{DebugFrame, EhFrame};
    // Of the two sections, the CIEs have 0x18 bytes, the FDEs 0x18 in .eh_frame and 0x20 in .debug_frame. So the
    // broken FDE is at 0x30 or 0x38, behind a terminator at 0x34 or 0x3c.
    let wide = (1 << 32, Format::Dwarf64);
    let narrow = |pointer: u64| (pointer, Format::Dwarf32);
    for (damage, kind, (pointer, format)) in [
        (Damage::CiePointerPastSection, DebugFrame, narrow(0x4000)),
        (Damage::CiePointerBeforeSection, EhFrame, narrow(0x4000)),
        (Damage::CiePointerToEnd, DebugFrame, narrow(0x78)),
        (Damage::CiePointerWide, DebugFrame, wide),
        (Damage::CiePointerIntoCie, DebugFrame, narrow(1)),
        (Damage::CiePointerIntoFde, DebugFrame, narrow(0x2c)),
        (Damage::CiePointerToFde, DebugFrame, narrow(0x18)),
        (Damage::CiePointerToItself, EhFrame, narrow(4)),
    ] {
        let fde = MACHINE.function(0, TEXT + 0x40, 0x20);
        let broken = vec![Record::Fde(FdeSpec { format, false_cie_pointer: Some(pointer), ..fde })];
        let draft = case(damage, &MACHINE, CLAUSE);
        let draft = match kind {
            DebugFrame => debug_frame(draft, &MACHINE, broken),
            _ => eh_frame(draft, &MACHINE, broken),
        };
        suite.add(draft.entry(BROKEN, |fde| fde.without_cie(pointer, damage.fault())));
    }
    let damage = Damage::CiePointerToTerminator;
    let fde = FdeSpec { false_cie_pointer: Some(0x38), ..MACHINE.function(0, TEXT + 0x40, 0x20) };
    let between = vec![Record::Terminator, Record::Fde(fde)];
    let draft = debug_frame(case(damage, &MACHINE, CLAUSE), &MACHINE, between);
    suite.add(draft.entry(BROKEN + 1, |fde| fde.without_cie(0x38, damage.fault())));
}
