//! Differences that are a place: the field's, the section's, the record's. They tell from where a value was counted.

use crate::triage::shapes::numbers::{Fit, fit};
use crate::triage::shapes::samples::Sample;

/// The field's address is missing.
pub(super) fn minus_field_address(samples: &[Sample]) -> Option<Fit> {
    let suspect = "the value is not counted from the address of its own field: pcrel is left out";
    fit(samples, "minus-field-address", "theirs = ours - the field's address", suspect, |sample| {
        sample.field.is_some_and(|field| sample.error() == -(sample.section + field))
    })
}

/// The field's offset in its section is missing, and not the section's address.
pub(super) fn minus_field_offset(samples: &[Sample]) -> Option<Fit> {
    let suspect = "the value is counted from the section's start, not from its own field";
    fit(samples, "minus-field-offset", "theirs = ours - the field's section offset", suspect, |sample| {
        sample.field.is_some_and(|field| sample.error() == -field)
    })
}

/// The section's address is missing.
pub(super) fn minus_section_address(samples: &[Sample]) -> Option<Fit> {
    let suspect = "the value is counted from the field's offset in the section, not from its address";
    fit(samples, "minus-section-address", "theirs = ours - the section's address", suspect, |sample| {
        sample.field.is_some() && sample.section != 0 && sample.error() == -sample.section
    })
}

/// What stands between the start of the record and the field is missing.
pub(super) fn from_record(samples: &[Sample]) -> Option<Fit> {
    let suspect = "the value is counted from the record's start, not from its own field";
    let words = "theirs = ours - the size of the fields before it";
    fit(samples, "minus-header-size", words, suspect, |sample| {
        let before = |field: i128| field - i128::from(sample.record.1.at);
        sample.field.is_some_and(|field| sample.error() == -before(field))
    })
}
