//! A place in one line of text, and the numbers and words that can be read there.

/// The unread rest of a line. A method that fails leaves the cursor somewhere in the line, and the line is then
/// reported as one that cannot be parsed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Cursor<'a> {
        Cursor { rest }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Passes over `words` when they come next.
    #[inline]
    pub(crate) fn eat(&mut self, words: &[u8]) -> bool {
        match self.rest.strip_prefix(words) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// [`Cursor::eat`] for use with `?`.
    #[inline]
    pub(crate) fn expect(&mut self, words: &[u8]) -> Option<()> {
        self.eat(words).then_some(())
    }

    /// `Some` at the end of the line, spaces aside.
    #[inline]
    pub(crate) fn end(mut self) -> Option<()> {
        self.spaces();
        self.is_empty().then_some(())
    }

    #[inline]
    pub(crate) fn spaces(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// What stands before the first byte for which `stop` holds, or before the end.
    #[inline]
    pub(crate) fn until(&mut self, stop: impl Fn(u8) -> bool) -> &'a [u8] {
        let length = self.rest.iter().position(|&byte| stop(byte)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    /// A hexadecimal number of at most 16 digits without prefix, and how many digits it has.
    #[inline]
    pub(crate) fn hex(&mut self) -> Option<(u64, usize)> {
        let mut value = 0;
        let mut digits = 0;
        // Addresses are printed with 8 or 16 digits.
        while let Some(eight) =
            self.rest[digits..].first_chunk().filter(|_| digits < 16).and_then(eight_digits)
        {
            value = value << 32 | u64::from(eight);
            digits += 8;
        }
        while let Some(digit) = self.rest.get(digits).and_then(|&byte| hex_digit(byte)) {
            value = value << 4 | u64::from(digit);
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (1..=16).contains(&digits).then_some((value, digits))
    }

    /// A hexadecimal number as `%#x` prints it: `0x1f`, and `0` without prefix.
    pub(crate) fn prefixed_hex(&mut self) -> Option<u64> {
        self.eat(b"0x");
        self.hex().map(|(value, _)| value)
    }

    /// A decimal number, with or without sign, as two's complement of 64 bits.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let negative = match self.rest {
            [b'-', rest @ ..] => {
                self.rest = rest;
                true
            }
            [b'+', rest @ ..] => {
                self.rest = rest;
                false
            }
            _ => false,
        };
        let mut value = 0_u64;
        let mut digits = 0;
        while let Some(digit) = self.rest.get(digits).map(|byte| byte.wrapping_sub(b'0')).filter(|&d| d < 10)
        {
            // 18 digits always fit.
            value = match digits {
                0..18 => value * 10 + u64::from(digit),
                _ => value.checked_mul(10)?.checked_add(u64::from(digit))?,
            };
            digits += 1;
        }
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(if negative { value.wrapping_neg() } else { value })
    }

    #[inline]
    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.number().map(u64::cast_signed)
    }

    /// A register in the long form: `r6 (rbp)`, or `r56` when it has no name.
    #[inline]
    pub(crate) fn register(&mut self) -> Option<u64> {
        self.expect(b"r")?;
        self.register_behind_r()
    }

    /// [`Cursor::register`] with the `r` passed already.
    #[inline]
    pub(crate) fn register_behind_r(&mut self) -> Option<u64> {
        let number = register_number(self)?;
        if let [b' ', b'(', rest @ ..] = self.rest
            && !begins_expression(rest)
        {
            self.rest = rest;
            self.name_in_parentheses()?;
        }
        Some(number)
    }

    /// The rest of a name whose opening parenthesis is passed already, and the closing one.
    #[inline]
    pub(crate) fn name_in_parentheses(&mut self) -> Option<()> {
        self.until(|byte| byte == b')');
        self.expect(b")")
    }
}

/// Whether the text behind an opening parenthesis is an expression's, which follows a register without a name as
/// its name would.
#[inline]
fn begins_expression(text: &[u8]) -> bool {
    matches!(text, [b'(' | b')', ..] | [b'D', b'W', b'_', ..])
}

/// A register number after its `r`. The tool prints it as a signed number of 32 bits.
#[inline]
pub(crate) fn register_number(cursor: &mut Cursor<'_>) -> Option<u64> {
    let negative = cursor.peek() == Some(b'-');
    let number = cursor.number()?;
    Some(if negative { number & u64::from(u32::MAX) } else { number })
}

/// The number that eight hexadecimal digits write, all at once: each byte of the word is one digit.
#[inline]
fn eight_digits(text: &[u8; 8]) -> Option<u32> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_be_bytes(*text);
    // The high bit of each byte tells whether that byte of the word, which is below 0x80, is at least `least`.
    let at_least = |least: u8| word.wrapping_add(ONES * u64::from(0x80 - least));
    let decimal = at_least(b'0') & !at_least(b'9' + 1);
    let letter = at_least(b'a') & !at_least(b'f' + 1);
    if (decimal | letter) & !word & (ONES << 7) != ONES << 7 {
        return None;
    }
    // The low half of a letter counts from 1, and letters alone have the bit 0x40.
    let halves = (word & (ONES * 0x0f)) + 9 * (word >> 6 & ONES);
    let bytes = (halves | halves >> 4) & 0x00ff_00ff_00ff_00ff;
    let words = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    u32::try_from((words | words >> 16) & 0xffff_ffff).ok()
}

#[inline]
fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_form() {
        let number = |text: &str| Cursor::new(text.as_bytes()).number();
        assert_eq!(number("42)"), Some(42));
        assert_eq!(number("-8"), Some((-8_i64).cast_unsigned()));
        assert_eq!(number("+16"), Some(16));
        assert_eq!(number("18446744073709551615"), Some(u64::MAX));
        assert_eq!(number("18446744073709551616"), None);
        assert_eq!(number("-"), None);
        assert_eq!(number(""), None);
        let hex = |text: &str| Cursor::new(text.as_bytes()).hex();
        assert_eq!(hex("0000000000001130 "), Some((0x1130, 16)));
        assert_eq!(hex("00000000000001130"), None, "17 digits");
        assert_eq!(hex("g"), None);
        assert_eq!(hex("fedcba9876543210"), Some((0xfedc_ba98_7654_3210, 16)));
        assert_eq!(hex("1234567 "), Some((0x0123_4567, 7)));
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut text = *b"01234567";
                text[place] = byte;
                let expected =
                    std::str::from_utf8(&text).ok().filter(|_| !byte.is_ascii_uppercase() && byte != b'+');
                let expected = expected.and_then(|text| u32::from_str_radix(text, 16).ok());
                assert_eq!(eight_digits(&text), expected, "{byte} at {place}");
            }
        }
        assert_eq!(Cursor::new(b"0x1f>").prefixed_hex(), Some(0x1f));
        assert_eq!(Cursor::new(b"0>").prefixed_hex(), Some(0));
    }

    #[test]
    fn registers_of_every_form() {
        let register = |text: &str| Cursor::new(text.as_bytes()).register();
        assert_eq!(register("r6 (rbp) at"), Some(6));
        assert_eq!(register("r56 at"), Some(56));
        assert_eq!(register("r-1"), Some(0xffff_ffff), "printed with %d");
        assert_eq!(register("r6 (rbp"), None);
        assert_eq!(register("rbp"), None);
        let mut cursor = Cursor::new(b"r56 (DW_OP_lit0)");
        assert_eq!((cursor.register(), cursor.rest()), (Some(56), &b" (DW_OP_lit0)"[..]));
    }
}
