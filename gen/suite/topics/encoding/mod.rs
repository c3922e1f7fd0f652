//! Encoded pointers (DW_EH_PE): the initial location and DW_CFA_set_loc, the address range.

mod broken;
mod location;
mod range;

use crate::suite::Suite;

/// What decides most of the cases.
const CLAUSE: &str = "LSB Core, DWARF exception header encoding: the tables of formats and applications";

pub(super) fn add(suite: &mut Suite) {
    location::add(suite);
    range::add(suite);
    broken::add(suite);
}
