//! Numbers, as their text denotes them.

use super::super::unreadable::{Kind, Unreadable};
use super::super::{Decimal, Dialect, LONG, Number};
use super::Scan;

/// Digits of the longest integer that Python reads (CPython's default since 3.10.7).
const MOST_DIGITS: usize = 4_300;

impl Scan<'_> {
    /// Reads a number (RFC 8259 §6).
    pub(super) fn number(&mut self) -> Result<Number, Unreadable> {
        let start = self.at;
        let negative = self.skip(b"-");
        if !self.skip(b"0") {
            self.digits("expected a digit")?;
        }
        let mut integer = true;
        if self.skip(b".") {
            integer = false;
            self.digits("expected a digit after '.'")?;
        }
        if self.skip(b"eE") {
            integer = false;
            self.skip(b"+-");
            self.digits("expected a digit in the exponent")?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        if self.dialect == Dialect::Python && integer && text.len() - usize::from(negative) > MOST_DIGITS {
            return Err(Unreadable::new(Kind::NotJson, start, format!("an integer of more than {MOST_DIGITS} digits")));
        }
        let exact = match (integer, negative) {
            (false, _) => None,
            (true, false) => text.parse().ok().map(Number::Unsigned),
            (true, true) => text.parse().ok().map(Number::Signed),
        };
        if let Some(number) = exact {
            return Ok(number);
        }
        let double = if text.len() < LONG {
            // Correctly rounded. Never an error: the grammar of Rust contains that of JSON.
            text.parse().unwrap_or(f64::INFINITY)
        } else {
            let double = Decimal::new(text).to_f64();
            if negative { -double } else { double }
        };
        if self.dialect == Dialect::Json && !double.is_finite() {
            self.out_of_range.get_or_insert(start);
        }
        Ok(Number::Double(double))
    }

    /// Skips one digit or more.
    fn digits(&mut self, missing: &str) -> Result<(), Unreadable> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(self.wrong(missing)),
            count => {
                self.at += count;
                Ok(())
            }
        }
    }
}
