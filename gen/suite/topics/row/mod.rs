//! Rows: where they start and end, and what restore and restore_state bring back.

mod bounds;
mod restore;
mod restore_state;

use crate::suite::Suite;

pub(super) fn add(suite: &mut Suite) {
    bounds::add(suite);
    restore::add(suite);
    restore_state::add(suite);
}
