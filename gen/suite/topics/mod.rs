//! The cases, one file for each topic.

mod augmentation;
mod cie_pointer;
mod damage;
mod encoding;
mod expression;
mod factor;
mod format;
mod header;
mod instruction;
mod linked;
mod lsda;
mod machine;
mod number;
mod personality;
mod record;
mod reference;
mod register;
mod relocatable;
mod row;
mod section;
mod state;
mod terminator;
mod version;

use crate::suite::Suite;

/// Adds the cases of all topics.
pub(super) fn add_all(suite: &mut Suite) {
    augmentation::add(suite);
    cie_pointer::add(suite);
    damage::add(suite);
    encoding::add(suite);
    expression::add(suite);
    factor::add(suite);
    format::add(suite);
    header::add(suite);
    instruction::add(suite);
    linked::add(suite);
    lsda::add(suite);
    machine::add(suite);
    number::add(suite);
    personality::add(suite);
    record::add(suite);
    reference::add(suite);
    register::add(suite);
    relocatable::add(suite);
    row::add(suite);
    section::add(suite);
    state::add(suite);
    terminator::add(suite);
    version::add(suite);
}
