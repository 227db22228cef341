//! The text of numbers in each form, and those whose digits RFC 8785 does not keep.
//!
//! Decides the ECMAScript text of a number (RFC 8785 §3.2.2.3), the one that Python's json prints,
//! and whether an integer text says more than its double does. It trusts that its text is JSON, in one of
//! the dialects of `row`.

use super::Numbers;
use crate::row::{Decimal, Number, Row};

/// 2^53: below it every integer is its own double, and its decimal digits are its ECMAScript text.
const FIRST_SHARED: u64 = 1 << 53;

/// Appends the ECMAScript text of the number (RFC 8785 §3.2.2.3; ECMA-262 Number::toString).
pub fn write(number: Number, out: &mut Vec<u8>) {
    let double = match number {
        Number::Unsigned(number) if number < FIRST_SHARED => return write_integer(number, out),
        Number::Signed(number) if number.unsigned_abs() < FIRST_SHARED => {
            if number < 0 {
                out.push(b'-');
            }
            return write_integer(number.unsigned_abs(), out);
        }
        Number::Unsigned(_) | Number::Signed(_) | Number::Double(_) => number.as_f64(),
    };
    if double == 0.0 {
        // Of either sign.
        out.push(b'0');
    } else {
        out.extend_from_slice(ryu_js::Buffer::new().format(double).as_bytes());
    }
}

/// Appends a number in one of the forms. `text` gives what stands in the line, if it is known; `None` if the form cannot do without it. Integers of up to 64 bits always have their text: JSON
/// spells each of them in one way, and 0 with a minus sign is the only signed 0.
pub(super) fn write_as<'a>(
    numbers: Numbers,
    number: Number,
    text: impl Fn() -> Option<&'a str>,
    out: &mut Vec<u8>,
) -> Option<()> {
    if let Some(text) = text()
        && is_own_form(numbers, number, text.as_bytes())
    {
        out.extend_from_slice(text.as_bytes());
        return Some(());
    }
    match (numbers, number) {
        (Numbers::Es6, _) => write(number, out),
        (_, Number::Unsigned(number)) => write_integer(number, out),
        (Numbers::Python, Number::Signed(0)) => out.push(b'0'),
        (_, Number::Signed(number)) => {
            out.push(b'-');
            write_integer(number.unsigned_abs(), out);
        }
        (Numbers::Verbatim, Number::Double(_)) => out.extend_from_slice(text()?.as_bytes()),
        (Numbers::CollapseWhole, Number::Double(double)) => {
            let text = text()?;
            if !is_integer(text) && double.fract() == 0.0 && double.abs() < 1e21 {
                write(number, out);
            } else {
                out.extend_from_slice(text.as_bytes());
            }
        }
        (Numbers::Python, Number::Double(double)) => match text() {
            // Also where its double is infinite: integers have no bounds.
            Some(text) if is_integer(text) => out.extend_from_slice(text.as_bytes()),
            // Whether it was an integer is not known, if it is as large as one that 64 bits cannot hold.
            None if double.abs() >= FIRST_SHARED as f64 => return None,
            _ => write_python(double, out),
        },
    }
    Some(())
}

/// Whether the number certainly has this very text in the form: most numbers are written so.
#[inline]
fn is_own_form(numbers: Numbers, number: Number, text: &[u8]) -> bool {
    match (number, numbers) {
        (Number::Unsigned(number), Numbers::Es6) => number < FIRST_SHARED,
        (Number::Signed(number), Numbers::Es6) => number != 0 && number.unsigned_abs() < FIRST_SHARED,
        (Number::Unsigned(_), _) => true,
        (Number::Signed(number), _) => number != 0,
        (Number::Double(_), Numbers::Es6) => is_short_decimal(text, false),
        (Number::Double(_), Numbers::Python) => is_short_decimal(text, true),
        (Number::Double(_), Numbers::Verbatim | Numbers::CollapseWhole) => false,
    }
}

/// Whether the text is a decimal fraction that both ECMAScript and Python print as it stands: at most 15 digits,
/// so that they come back from the double, no exponent, no zero at the end, and no less than 1e-4. Python also
/// prints `.0` after whole numbers.
#[inline]
fn is_short_decimal(text: &[u8], python: bool) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let Some(point) = text.iter().position(|byte| !byte.is_ascii_digit()) else { return false };
    let Some((whole, [b'.', fraction @ ..])) = text.split_at_checked(point) else { return false };
    let ends_well = match fraction {
        [b'0'] => python,
        [.., b'0'] | [] => false,
        _ => true,
    };
    ends_well
        && text.len() <= 16
        && fraction.iter().all(u8::is_ascii_digit)
        && (whole != b"0" || fraction.len() == 1 || !fraction.starts_with(b"0000"))
}

/// Whether the text of a number is one of an integer: neither fraction nor exponent, nor one of Python's words.
fn is_integer(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_digit()) && !text.contains(['.', 'e', 'E'])
}

/// Appends what Python's json prints of a double: `NaN`, `Infinity`, `-Infinity`, or its `repr`, the shortest
/// digits that denote it, with an exponent of at least two digits below 1e-4 and from 1e16 on, and `.0` after a
/// whole number.
pub fn write_python(double: f64, out: &mut Vec<u8>) {
    if !double.is_finite() {
        let word = if double.is_nan() { "NaN" } else { "Infinity" };
        out.extend_from_slice(if double < 0.0 { b"-" } else { b"" });
        return out.extend_from_slice(word.as_bytes());
    }
    // The standard library does not round ties to even as Python does: 618371528114747.25.
    let mut buffer = ryu_js::Buffer::new();
    let text = buffer.format_finite(double.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // 17 digits, or up to 21 with zeros before the point, or 6 zeros before 17 digits.
    let mut digits = [b'0'; 32];
    let length =
        digits.iter_mut().zip(whole.bytes().chain(fraction.bytes())).map(|(place, digit)| *place = digit).count();
    let zeros = digits.iter().take(length).take_while(|digit| **digit == b'0').count();
    let digits = digits.get(zeros..length).unwrap_or_default();
    let end = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
    let digits = digits.get(..end).unwrap_or_default();
    // Digits before the point.
    let point = exponent.parse::<i32>().unwrap_or_default() + whole.len() as i32 - zeros as i32;
    let zeros = |count: i32, out: &mut Vec<u8>| (0..count).for_each(|_| out.push(b'0'));
    if double.is_sign_negative() {
        out.push(b'-');
    }
    match point {
        _ if digits.is_empty() => out.extend_from_slice(b"0.0"),
        -3..=0 => {
            out.extend_from_slice(b"0.");
            zeros(-point, out);
            out.extend_from_slice(digits);
        }
        1..=16 => {
            let (whole, fraction) = digits.split_at_checked(point as usize).unwrap_or((digits, &[]));
            out.extend_from_slice(whole);
            zeros(point - whole.len() as i32, out);
            out.push(b'.');
            out.extend_from_slice(if fraction.is_empty() { b"0" } else { fraction });
        }
        _ => {
            let (first, more) = digits.split_at_checked(1).unwrap_or((digits, &[]));
            out.extend_from_slice(first);
            if !more.is_empty() {
                out.push(b'.');
                out.extend_from_slice(more);
            }
            let exponent = point - 1;
            out.extend_from_slice(if exponent < 0 { b"e-" } else { b"e+" });
            zeros(i32::from(exponent.abs() < 10), out);
            write_integer(exponent.unsigned_abs().into(), out);
        }
    }
}

fn write_integer(mut number: u64, out: &mut Vec<u8>) {
    // No u64 has more than 20 digits.
    let mut digits = [b'0'; 20];
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
        count += 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[digits.len() - count..]);
}

/// Whether this text of a JSON number stands for an integer that its canonical form does not tell
/// from its neighbours: the value is neither exactly the double's nor that of the text RFC 8785
/// prints. Such rows hash well, but two different integers share one hash (RFC 7493 §2.2).
pub fn imprecise(text: &str) -> bool {
    let stated = Decimal::new(text);
    let double = stated.to_f64();
    if !double.is_finite() || double.abs() < FIRST_SHARED as f64 {
        // An integer below 2^53 is its own double, and what rounds to less than 2^53 without
        // being it is no integer.
        return false;
    }
    if !stated.is_integer() {
        return false;
    }
    // `{:.0}` gives all the digits of the double, 309 at most.
    let exact = format!("{double:.0}");
    stated != Decimal::new(&exact) && stated != Decimal::new(ryu_js::Buffer::new().format(double))
}

/// The first number of an exactly read row that is [`imprecise`], as it is written; none if the
/// fast reader filled the row.
pub fn imprecise_number(row: &Row) -> Option<&str> {
    row.large_number_texts().find(|text| imprecise(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_share_a_double_are_imprecise() {
        for text in [
            "9007199254740993",
            "-9007199254740993",
            "9007199254740993.0",
            "9007199254740993.000",
            "9007199254740993e0",
            "90071992547409930E-1",
            "900719925474099.3e1",
            "0.9007199254740993e16",
            "0.0009007199254740993e19",
            "18446744073709551615",
            "18446744073709551617",
            "-9223372036854775809",
            "1.00000000000000000001e22",
            "10000000000000000000001",
            "99999999999999991611391",
            "1.7976931348623158e308",
            "123456789012345678901234567890",
            "9007199254740993e0000000000000000000000000000000000000000",
        ] {
            assert!(imprecise(text), "{text}");
        }
    }

    #[test]
    fn integers_that_are_the_double_or_its_canonical_text_are_not() {
        for text in [
            "0",
            "-0",
            "0e999999999",
            "0.000e99999999999999999999999999",
            "1",
            "9007199254740991",
            "9007199254740992",
            "9007199254740992.0",
            "9007199254740994",
            "18446744073709551616",
            "-18446744073709551616.00",
            "18446744073709552000",
            "1844674407370955.2e4",
            "1e22",
            "1e23",
            "1E+23",
            "100000000000000000000000",
            "99999999999999991611392",
            "999999999999999900000",
            "999999999999999868928",
            "1.7976931348623157E308",
            "17976931348623157e292",
            "1.5",
            "9007199254740993.5",
            "9007199254740993.0000001",
            "1e-400",
            "1e-99999999999999999999999",
            "1e400",
            "1e99999999999999999999999",
        ] {
            assert!(!imprecise(text), "{text}");
        }
    }

    #[test]
    fn long_texts_and_exponents_take_no_time() {
        let zeros = "0".repeat(1_000_000);
        assert!(!imprecise(&format!("1{zeros}e-1000000")));
        assert!(!imprecise(&format!("1{zeros}e-999978")), "1e22");
        assert!(imprecise(&format!("9007199254740993{zeros}e-1000000")));
        assert!(imprecise(&format!("0.{zeros}9007199254740993e1000016")));
        assert!(!imprecise(&format!("0.{zeros}9007199254740992e1000016")));
        assert!(!imprecise(&format!("1e{zeros}22")));
        assert!(!imprecise(&format!("1e{}", "9".repeat(1_000_000))));
    }
}
