//! Scalars of strict JSON, many bytes at a time.
//!
//! Decides where a string or number ends and what it is, for the texts that are common; for all others it
//! says nothing, and the exact reader is asked. It trusts only that the text is UTF-8.

use super::{LONG, Number};

/// The lowest bit of each byte, and the highest.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Powers of ten that are doubles exactly.
const EXACT_POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// How many bytes of a string there are before a quote, a backslash or a control character.
#[inline]
pub(super) fn plain(string: &[u8]) -> usize {
    let (words, rest) = string.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let marks = special(u64::from_le_bytes(*word));
        if marks != 0 {
            return 8 * number + (marks.trailing_zeros() / 8) as usize;
        }
    }
    let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
    8 * words.len() + plain.unwrap_or(rest.len())
}

/// The highest bit of the first byte that is a quote, a backslash or a control character; those of bytes
/// behind it say nothing.
#[inline]
fn special(word: u64) -> u64 {
    // Of a byte of ASCII the highest bit is set by the subtraction alone if it was less than what is subtracted;
    // it borrows from the bytes behind only then. Other bytes are masked.
    let control = word.wrapping_sub(LOW * 0x20);
    let quote = (word ^ (LOW * u64::from(b'"'))).wrapping_sub(LOW);
    let backslash = (word ^ (LOW * u64::from(b'\\'))).wrapping_sub(LOW);
    (control | quote | backslash) & !word & HIGH
}

/// The number at the start of this text (RFC 8259 §6) and how long it is; `None` if there is none, or if
/// only the exact reader can say which.
#[inline]
pub(super) fn number(text: &[u8]) -> Option<(Number, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, digits) = digits(text, start, 0);
    if digits == 0 || (digits > 1 && text.get(start) == Some(&b'0')) {
        return None;
    }
    let mut end = start + digits;
    if !matches!(text.get(end), Some(b'.' | b'e' | b'E')) {
        // Up to 18 digits fit any 64 bits.
        let number = i64::try_from(whole).ok().filter(|_| digits <= 18)?;
        return Some((if negative { Number::Signed(-number) } else { Number::Unsigned(whole) }, end));
    }
    let (mut mantissa, mut places) = (whole, 0);
    if text.get(end) == Some(&b'.') {
        (mantissa, places) = self::digits(text, end + 1, whole);
        end += 1 + places;
        if places == 0 {
            return None;
        }
    }
    let has_exponent = matches!(text.get(end), Some(b'e' | b'E'));
    if let Some(power) = EXACT_POWERS.get(places)
        && !has_exponent
        && digits + places <= 15
    {
        // Both are doubles exactly, so that the quotient is rounded once: the nearest double.
        let double = mantissa as f64 / power;
        return Some((Number::Double(if negative { -double } else { double }), end));
    }
    if has_exponent {
        end += 1;
        end += usize::from(matches!(text.get(end), Some(b'+' | b'-')));
        let (_, digits) = self::digits(text, end, 0);
        end += digits;
        if digits == 0 {
            return None;
        }
    }
    let text = text.get(..end).filter(|text| text.len() < LONG)?;
    let double: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    double.is_finite().then_some((Number::Double(double), end))
}

/// The digits from `at` on: what they make of `number` when they are put behind it, modulo 2^64, and how many
/// there are.
#[inline]
fn digits(text: &[u8], at: usize, mut number: u64) -> (u64, usize) {
    let mut count = 0;
    for byte in text.get(at..).unwrap_or_default() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(digit.into());
        count += 1;
    }
    (number, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_end_where_a_look_at_each_byte_says(
            text in prop::collection::vec(prop_oneof![8 => any::<u8>(), 2 => Just(b'"'), 1 => Just(b'\\'), 20 => 0x20..0x7Fu8], 0..60)
        ) {
            let slow = text.iter().position(|byte| *byte == b'"' || *byte == b'\\' || *byte < 0x20);
            prop_assert_eq!(plain(&text), slow.unwrap_or(text.len()));
        }

        #[test]
        fn numbers_are_those_of_the_exact_reader(text in "-?(0|[1-9][0-9]{0,22}|0[0-9])(\\.[0-9]{0,20})?([eE][+-]?[0-9]{0,3})?[,}x]?") {
            let Some((number, end)) = number(text.as_bytes()) else { return Ok(()) };
            let mut reader = crate::row::Reader::new();
            let row = reader.read_value_exact(&text.as_bytes()[..end]);
            prop_assert_eq!(row.expect("a number").root().as_number(), Some(number));
            prop_assert!(!text[end..].starts_with(|next: char| next.is_ascii_digit() || ".eE".contains(next)));
        }
    }

    #[test]
    fn common_numbers_are_read() {
        for (text, wanted) in [
            ("0,", Number::Unsigned(0)),
            ("-0}", Number::Signed(0)),
            ("123456789012345678", Number::Unsigned(123_456_789_012_345_678)),
            ("-17 ", Number::Signed(-17)),
            ("22966.18,", Number::Double(22966.18)),
            ("-0.5]", Number::Double(-0.5)),
            ("1e3", Number::Double(1000.0)),
            ("117.63331139400017", Number::Double(117.63331139400017)),
        ] {
            assert_eq!(number(text.as_bytes()).map(|(number, _)| number), Some(wanted), "{text}");
        }
        for text in ["", "-", "01", "1.", "1.e1", "1e", "1e+", "1e999", ".5", "+1", "99999999999999999999"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }
}
