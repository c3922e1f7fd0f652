//! Ranges of versions, as lists of known faults and of expected findings have them.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A range of versions: a comma-separated list of comparisons such as `>=2.26, <=2.40`, all of which hold, or `*` for
/// every version.
///
/// Versions are compared number by number; what stands behind the numbers (`-rc1`, `.git`) is not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Versions {
    /// None for `*`.
    comparisons: Vec<(Operator, Vec<u64>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
}

/// What is no range of versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadVersions {
    text: String,
}

impl fmt::Display for BadVersions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is no range of versions: expected \"*\", or comparisons such as \">=2.26, <=2.40\"",
            self.text
        )
    }
}

impl std::error::Error for BadVersions {}

impl Versions {
    /// Every version.
    pub fn all() -> Versions {
        Versions { comparisons: Vec::new() }
    }

    /// Whether a version is in the range. A version that is no version is in no range but `*`.
    pub fn cover(&self, version: &str) -> bool {
        if self.comparisons.is_empty() {
            return true;
        }
        let Some(version) = numbers(version) else { return false };
        self.comparisons.iter().all(|(operator, bound)| match operator {
            Operator::Less => version < *bound,
            Operator::LessOrEqual => version <= *bound,
            Operator::Greater => version > *bound,
            Operator::GreaterOrEqual => version >= *bound,
            Operator::Equal => version == *bound,
        })
    }
}

impl FromStr for Versions {
    type Err = BadVersions;

    fn from_str(text: &str) -> Result<Versions, BadVersions> {
        if text.trim() == "*" {
            return Ok(Versions::all());
        }
        let comparisons: Option<Vec<_>> = text.split(',').map(comparison).collect();
        comparisons
            .map(|comparisons| Versions { comparisons })
            .ok_or_else(|| BadVersions { text: text.to_owned() })
    }
}

impl TryFrom<String> for Versions {
    type Error = BadVersions;

    fn try_from(text: String) -> Result<Versions, BadVersions> {
        text.parse()
    }
}

fn comparison(text: &str) -> Option<(Operator, Vec<u64>)> {
    let text = text.trim();
    let (operator, number) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
    let operator = match operator.trim() {
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "=" | "" => Operator::Equal,
        _ => return None,
    };
    Some((operator, numbers(number)?))
}

/// The leading numbers of a version, with trailing zeros dropped so that 2.40 equals 2.40.0.
pub(crate) fn numbers(text: &str) -> Option<Vec<u64>> {
    let mut numbers = Vec::new();
    for part in text.trim().split('.') {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let Ok(number) = part[..digits].parse() else { break };
        numbers.push(number);
        if digits < part.len() {
            break;
        }
    }
    let is_version = !numbers.is_empty();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    is_version.then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let covers = |range: &str, version| range.parse::<Versions>().expect("a range").cover(version);
        assert!(covers(">=2.26, <=2.40", "2.35.1"));
        assert!(covers("<=2.40", "2.40.0"));
        assert!(!covers("<=2.40", "2.40.50.20230119"));
        assert!(!covers("<2.9", "2.40"));
        assert!(!covers("<2.9", "unknown"));
        assert!(covers("=19.1", "19.1-rc2.5") && !covers("=19", "19.1-rc2"));
        assert!(covers("*", "unknown"));
        assert!(covers("<1", "0.0"));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "<", "about 2", "2.40,", "~2.40", ">=two"] {
            assert!(text.parse::<Versions>().is_err(), "{text:?}");
        }
    }
}
