//! The JSON Canonicalization Scheme (RFC 8785), of values of which some members are left out.
//!
//! No whitespace, members sorted by their names as UTF-16 (§3.2.3), strings with the fewest escapes
//! (§3.2.2.2), numbers as ECMAScript prints them (§3.2.2.3): [`Form::JCS`](super::Form::JCS).

use super::{Exclude, Form};
use crate::row::Value;

/// Writes values one after the other with the same scratch.
#[derive(Debug, Default)]
pub struct Writer(super::Writer);

/// Appends the canonical form of a value (RFC 8785) without the excluded members.
pub fn write(value: Value<'_>, exclude: &Exclude, out: &mut Vec<u8>) {
    Writer::default().write(value, exclude, out);
}

impl Writer {
    /// Appends the canonical form of a value (RFC 8785) without the excluded members.
    pub fn write(&mut self, value: Value<'_>, exclude: &Exclude, out: &mut Vec<u8>) {
        // Nothing that it needs can be missing: no member is asked for, and no text of a number.
        let written = self.0.write(value, exclude.select(), &Form::JCS, &[], out);
        debug_assert_eq!(written, Ok(()));
    }
}
