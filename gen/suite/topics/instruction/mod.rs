//! Instructions: each opcode in each kind of section with operands at the edges of their forms, opcodes without a
//! definition, and instructions that the record cuts off.

mod cfa;
mod location;
mod mixed;
mod register;
mod undefined;
mod vendor;

use cfidiff_model::SectionKind;

use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::Draft;
use crate::suite::functions::Functions;

/// The functions that exercise one opcode. They are written once for each kind of section.
struct Sheet {
    /// The opcode's name without `DW_CFA_`.
    name: &'static str,
    machine: Convention,
    /// What the operands are, as the end of a sentence.
    about: &'static str,
    clause: &'static str,
    catches: &'static [&'static str],
    write: fn(Functions) -> Functions,
}

pub(super) fn add(suite: &mut Suite) {
    for sheet in [cfa::SHEETS, location::SHEETS, register::SHEETS, vendor::SHEETS].into_iter().flatten() {
        sheet.add(suite);
    }
    mixed::add(suite);
    undefined::add(suite);
    vendor::add(suite);
}

impl Sheet {
    fn add(&self, suite: &mut Suite) {
        for kind in [SectionKind::EhFrame, SectionKind::DebugFrame] {
            let prefix = if kind == SectionKind::EhFrame { "eh" } else { "debug" };
            let name = format!("instruction/{prefix}-{}", self.name);
            let about = format!("DW_CFA_{} in {}: {}.", self.name, kind.name(), self.about);
            let draft = Draft::new(&name, &self.machine, &about).clause(self.clause).catches(self.catches);
            let functions = (self.write)(Functions::new(&self.machine, kind)).usual();
            suite.add(functions.add_to(draft));
        }
    }
}
