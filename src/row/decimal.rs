//! The exact value of a decimal text, without big numbers.
//!
//! Decides nothing by itself: it compares texts by value and finds their nearest double. It trusts
//! that a text is a number of JSON (RFC 8259 §6) or of ECMAScript, and nothing about its length.

/// The magnitude of a decimal text: its digits, without zeros at either end, times ten to the
/// `exponent`. It takes no room, however large the exponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    /// The digits are those of `whole` and then those of `fraction`.
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// Of a number as JSON or ECMAScript spells it; its sign is left out.
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let zeros = |digits: &str| (digits.len() - digits.trim_end_matches('0').len()) as i64;
        let mut exponent = clamped(exponent) - fraction.len() as i64 + zeros(fraction);
        let mut fraction = fraction.trim_end_matches('0');
        let mut whole = whole.trim_start_matches('0');
        if fraction.is_empty() {
            exponent += zeros(whole);
            whole = whole.trim_end_matches('0');
        }
        if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        Decimal { whole: whole.as_bytes(), fraction: fraction.as_bytes(), exponent }
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// Whether it is an integer: its last digit, which is not 0, stands before the point.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0 || self.is_zero()
    }

    /// The nearest double, infinite if there is none. Unlike [`str::parse`] also for a text whose
    /// exponent is 65,536 or more, where that one stops counting: so many digits can make up for it.
    pub(crate) fn to_f64(self) -> f64 {
        // Where two doubles meet halfway the digits end after 767; beyond it matters only whether
        // there are more, and the last digit is not 0.
        const ENOUGH: usize = 780;
        if self.is_zero() {
            return 0.0;
        }
        let count = self.whole.len() + self.fraction.len();
        let mut text: String = self.digits().take(ENOUGH).map(char::from).collect();
        let mut exponent = self.exponent;
        if count > ENOUGH {
            text.push('1');
            exponent += (count - ENOUGH - 1) as i64;
        }
        // A double has at most 309 digits before the point and 324 zeros after it.
        let clamped = exponent.clamp(-(ENOUGH as i64) - 400, 400);
        text.push_str(&format!("e{clamped}"));
        text.parse().unwrap_or(f64::INFINITY)
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.exponent == other.exponent || self.is_zero()) && self.digits().eq(other.digits())
    }
}

/// An exponent; one of more than fifteen digits is as good as 10^15, since no text in memory has
/// the digits that could make up for it.
fn clamped(exponent: &str) -> i64 {
    const MOST: i64 = 1_000_000_000_000_000;
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    let size = match digits.trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().unwrap_or(MOST).min(MOST),
    };
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn values_are_compared_however_spelled() {
        for (a, b) in [("1", "1.0"), ("10", "1e1"), ("0.010", "1e-2"), ("0", "0.0e5"), ("12.50", "125E-1")] {
            assert_eq!(Decimal::new(a), Decimal::new(b));
        }
        for (a, b) in [("1", "10"), ("1", "2"), ("0", "1"), ("12.5", "12.51"), ("100", "1001")] {
            assert_ne!(Decimal::new(a), Decimal::new(b));
        }
    }

    #[test]
    fn the_nearest_double_is_that_of_the_standard_library() {
        let half = "2.2250738585072011360574097967091319759348195463516456480234261097248222220210769455165295239081350879141491589130396211068700864386945946455274876615434585619781545126453e-308";
        for text in ["0", "1", "0.1", "117.63331139400017", "5e-324", "2e-324", "1.7976931348623157e308", "1e400", half]
        {
            assert_eq!(Decimal::new(text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
        // Halfway between two doubles, and a little more after a thousand zeros.
        let zeros = "0".repeat(1_000);
        assert_eq!(Decimal::new(&format!("9007199254740993.{zeros}")).to_f64(), 9007199254740992.0);
        assert_eq!(Decimal::new(&format!("9007199254740993.{zeros}1")).to_f64(), 9007199254740994.0);
    }

    #[test]
    fn long_digits_make_up_for_large_exponents() {
        let zeros = "0".repeat(700_000);
        assert_eq!(Decimal::new(&format!("15{zeros}e-700000")).to_f64(), 15.0);
        assert_eq!(Decimal::new(&format!("0.{zeros}15e700000")).to_f64(), 0.15);
        assert_eq!(Decimal::new(&format!("1{zeros}")).to_f64(), f64::INFINITY);
        assert_eq!(Decimal::new(&format!("0.{zeros}1")).to_f64(), 0.0);
    }
}
