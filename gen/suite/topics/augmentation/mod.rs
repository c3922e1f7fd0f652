//! Augmentation strings: the letters behind `z` in every order, strings without `z`, and the length of the data.

mod data;
mod orders;
mod plain;

use crate::suite::Suite;

/// What decides most of the cases.
const CLAUSE: &str = "LSB Core, augmentation string format: each letter's data, in the order of the string";

pub(super) fn add(suite: &mut Suite) {
    orders::add(suite);
    plain::add(suite);
    data::add(suite);
}
