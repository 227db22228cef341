//! Tests of one member, for `when` and `include_when`.
//!
//! Decides whether a member, or a text that a pattern found in it, is what a profile asks for.
//! Texts are compared exactly, numbers by value: 2 equals 2.0 and not "2".

use std::cmp::Ordering;

use crate::row::{Number, Value};

/// What a member must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// This value.
    Equals(Literal),
    /// One of these values.
    In(Vec<Literal>),
    /// A number of at least this size.
    AtLeast(Number),
    /// There and not null, or (false) absent or null.
    Present(bool),
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A text, compared exactly.
    Text(String),
    /// A number, compared by value.
    Number(Number),
    /// True or false.
    Bool(bool),
}

impl Test {
    /// Whether the test holds for this member; `None` if it is absent.
    pub fn holds(&self, value: Option<Value<'_>>) -> bool {
        match (self, value) {
            (Test::Present(wanted), value) => value.is_some_and(|value| !value.is_null()) == *wanted,
            (_, None) => false,
            (Test::Equals(literal), Some(value)) => literal.is(value),
            (Test::In(literals), Some(value)) => literals.iter().any(|literal| literal.is(value)),
            (Test::AtLeast(least), Some(value)) => value.as_number().is_some_and(|number| is_at_least(number, *least)),
        }
    }

    /// Whether the test holds for this text, which a pattern found; `None` if it found nothing. A
    /// text is also the number or the truth value that it spells in JSON.
    pub fn holds_text(&self, text: Option<&str>) -> bool {
        match (self, text) {
            (Test::Present(wanted), text) => text.is_some() == *wanted,
            (_, None) => false,
            (Test::Equals(literal), Some(text)) => literal.is_text(text),
            (Test::In(literals), Some(text)) => literals.iter().any(|literal| literal.is_text(text)),
            (Test::AtLeast(least), Some(text)) => spelled(text).is_some_and(|number| is_at_least(number, *least)),
        }
    }
}

impl Literal {
    fn is(&self, value: Value<'_>) -> bool {
        match self {
            Literal::Text(text) => value.as_str() == Some(text),
            Literal::Number(number) => value.as_number().is_some_and(|value| compare(value, *number).is_eq()),
            Literal::Bool(bool) => value.as_bool() == Some(*bool),
        }
    }

    fn is_text(&self, found: &str) -> bool {
        match self {
            Literal::Text(text) => text == found,
            Literal::Number(number) => spelled(found).is_some_and(|found| compare(found, *number).is_eq()),
            Literal::Bool(bool) => found == if *bool { "true" } else { "false" },
        }
    }
}

/// The number that a text spells, if it is one of JSON.
fn spelled(text: &str) -> Option<Number> {
    let mut reader = crate::row::Reader::new();
    // Nothing around it: JSON allows whitespace there.
    let number = reader.read_value_exact(text.as_bytes()).ok()?.root();
    number.as_number().filter(|_| number.written() == Some(text))
}

fn is_at_least(number: Number, least: Number) -> bool {
    compare(number, least).is_ge()
}

/// Compares by value, without loss: an integer beyond 2^53 does not equal its neighbour's double.
/// Numbers of JSON are finite, and what is not compares as less, so that no test holds for it.
fn compare(a: Number, b: Number) -> Ordering {
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        // One of them has a fraction, and so less than 2^53, or is beyond all integers of 64 bits:
        // rounding the other to a double cannot bring them together.
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Less),
    }
}

/// The number as an integer, if it is one of a size that a row's integers can have.
fn whole(number: Number) -> Option<i128> {
    const BEYOND: f64 = 1e30;
    match number {
        Number::Unsigned(number) => Some(number.into()),
        Number::Signed(number) => Some(number.into()),
        Number::Double(number) if number.fract() == 0.0 && number.abs() < BEYOND => Some(number as i128),
        Number::Double(_) => None,
    }
}
