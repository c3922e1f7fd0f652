//! What findings have in common that one mistake of a reader brings about: the key, and how the answers differ.

use std::collections::BTreeSet;

use cfidiff_model::{Finding, Key, Verdict};

/// The longest part of a pattern, in letters.
const MAX_PART: usize = 40;

/// What findings of one reader share, whatever the record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Likeness {
    /// The verdict.
    pub verdict: Verdict,
    /// The cause as in the findings.
    pub cause: String,
    /// What differs.
    pub key: Key,
    /// How the answers differ, apart from the numbers that are peculiar to the record: `theirs = ours + 8`. Empty where
    /// a cause explains the findings, or where too many patterns were met.
    pub pattern: String,
}

impl Likeness {
    /// What a finding shares with others.
    pub fn of(finding: &Finding) -> Likeness {
        let Finding { verdict, key, cause, ours, theirs, .. } = finding;
        let pattern = match verdict {
            Verdict::Differ => pattern(ours, theirs),
            Verdict::OracleFailed => failure(theirs),
            Verdict::Agree | Verdict::Open | Verdict::KnownFault => String::new(),
        };
        Likeness { verdict: *verdict, cause: cause.clone(), key: *key, pattern }
    }
}

/// How a reader broke: its words without their numbers, cut.
pub fn failure(words: &str) -> String {
    shape(&tokens(words))
}

/// How two answers differ. Numbers at the same places of the same words are told by the one difference that they all
/// have; other words are told without their numbers, and without what is the same on both sides.
pub(crate) fn pattern(ours: &str, theirs: &str) -> String {
    let (ours, theirs) = (tokens(ours), tokens(theirs));
    if ours.len() == theirs.len() && ours.iter().zip(&theirs).all(|(a, b)| a.is_like(b)) {
        let deltas: BTreeSet<i128> = ours
            .iter()
            .zip(&theirs)
            .map(|(a, b)| b.number() - a.number())
            .filter(|delta| *delta != 0)
            .collect();
        return match (deltas.len(), deltas.first()) {
            (1, Some(delta)) if *delta > 0 => format!("theirs = ours + {delta}"),
            (1, Some(delta)) => format!("theirs = ours - {}", delta.unsigned_abs()),
            _ => "other numbers".to_owned(),
        };
    }
    let start = ours.iter().zip(&theirs).take_while(|(a, b)| a.is_like(b)).count();
    let (ours, theirs) = (&ours[start..], &theirs[start..]);
    let end = ours.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a.is_like(b)).count();
    let (ours, theirs) = (&ours[..ours.len() - end], &theirs[..theirs.len() - end]);
    format!("{} instead of {}", shape(theirs), shape(ours))
}

/// A word, a number or a mark.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'w> {
    Words(&'w str),
    Number(i128),
}

impl Token<'_> {
    /// Whether both are numbers, or the same words.
    fn is_like(&self, other: &Self) -> bool {
        matches!((self, other), (Token::Number(_), Token::Number(_))) || self == other
    }

    fn number(&self) -> i128 {
        if let Token::Number(number) = self { *number } else { 0 }
    }
}

/// Cuts an answer into runs of letters and digits, and single marks. A sign belongs to its number.
fn tokens(words: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = words;
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(length);
        rest = behind;
        match (number(word), tokens.last()) {
            (Some(number), Some(Token::Words("-"))) => {
                tokens.pop();
                tokens.push(Token::Number(-number));
            }
            (Some(number), Some(Token::Words("+"))) => {
                tokens.pop();
                tokens.push(Token::Number(number));
            }
            (Some(number), _) => tokens.push(Token::Number(number)),
            (None, _) => tokens.push(Token::Words(word)),
        }
    }
    tokens
}

/// The number that a word is: hexadecimal with a prefix or with the eight or sixteen digits of an address, else decimal.
fn number(word: &str) -> Option<i128> {
    let digits = match word.strip_prefix("0x") {
        Some(digits) => Some(digits),
        None if matches!(word.len(), 8 | 16) => Some(word),
        None => None,
    };
    let hexadecimal = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    hexadecimal.or_else(|| word.parse().ok()).map(i128::from)
}

/// Tokens as words, with `#` for each number.
fn shape(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Words(words) => text.push_str(words),
            Token::Number(_) => text.push('#'),
        }
    }
    match text.trim() {
        "" => "nothing".to_owned(),
        text => match text.char_indices().nth(MAX_PART) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn numbers_that_are_off_by_the_same_have_one_pattern() {
        for (ours, theirs, pattern) in [
            ("at 0x1010: cfa=rsp+8", "at 0x1010: cfa=rsp+16", "theirs = ours + 8"),
            ("at 0xffff: cfa=rsp+80", "at 0xffff: cfa=rsp+72", "theirs = ours - 8"),
            ("at 0x10: rbx=c-16", "at 0x10: rbx=c-24", "theirs = ours - 8"),
            ("at 0x10: rbx=c-16", "at 0x10: rbx=c+16", "theirs = ours + 32"),
            ("DW_CFA_advance_loc: 4 to 0000100a", "DW_CFA_advance_loc: 5 to 0000100b", "theirs = ours + 1"),
            ("0xffffffffffffffff", "0x0", "theirs = ours - 18446744073709551615"),
            ("0x10..0x20", "0x11..0x24", "other numbers"),
        ] {
            assert_eq!(super::pattern(ours, theirs), pattern, "{ours} {theirs}");
        }
    }

    #[test]
    fn other_words_are_told_without_numbers_and_without_what_is_the_same() {
        for (ours, theirs, pattern) in [
            ("at 0x1010: cfa=rsp+8", "at 0x1020: cfa=rax+0", "rax instead of rsp"),
            ("at 0x1010: rbx=c-16", "at 0x1010: rbx=no rule", "no rule instead of c#"),
            ("FDE", "", "nothing instead of FDE"),
            ("no row", "0x10..0x20 cfa=rsp+8", "#..# cfa=rsp# instead of no row"),
        ] {
            assert_eq!(super::pattern(ours, theirs), pattern, "{ours} {theirs}");
        }
    }

    #[test]
    fn patterns_are_short_whatever_the_words() {
        let long = "é".repeat(10_000);
        assert!(pattern("", &long).len() < 200);
        assert!(pattern(&long, "").len() < 200);
    }
}
