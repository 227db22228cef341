//! Figures: how numbers, sizes and digests are written where people read them.
//!
//! Nothing here is ever read back: reports for programs hold the plain numbers and full digests.

/// Digits before and after the ellipsis of a shortened digest.
const KEPT: usize = 4;

/// Hex digits from which on a text is a digest or a signature, not a number.
const DIGEST_DIGITS: usize = 32;

/// Characters of the longest text that is taken for one. What is longer is cut in JSON, and must not read
/// otherwise for that.
const LONGEST: usize = 1000;

/// `18,422`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 row`, `18,422 rows`: the number with its noun.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// `13.1 MB`: decimal units, as file managers and disk vendors count.
pub fn size(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit: u128 = 1000;
    for name in ["kB", "MB", "GB", "TB", "PB"] {
        // Rounded before the unit is chosen: 999,950 bytes are 1.0 MB, not 1000.0 kB.
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        if tenths < 10_000 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        unit *= 1000;
    }
    format!("{} B", grouped(bytes))
}

/// `0xa10e…3b08` for a digest or a signature, whatever stands before its digits; `None` for any
/// other text.
pub fn shortened(text: &str) -> Option<String> {
    let (prefix, digits) = match text.rsplit_once(':') {
        Some((name, digits)) if name.len() <= 16 => (&text[..name.len() + 1], digits),
        Some(_) => return None,
        None => text.strip_prefix("0x").map_or(("", text), |digits| ("0x", digits)),
    };
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    if digits.len() < DIGEST_DIGITS
        || text.len() > LONGEST
        || !digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        || !plain(prefix)
    {
        return None;
    }
    let (first, last) = (&digits[..KEPT], &digits[digits.len() - KEPT..]);
    Some(format!("{prefix}{first}…{last}"))
}
