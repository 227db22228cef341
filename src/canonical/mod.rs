//! A row becomes the bytes that a format hashes.
//!
//! Decides the canonical form of values, one file per form. It trusts that `row` has made a strict
//! JSON text of the line, and nothing in the values themselves.

mod exclude;
pub mod jcs;
pub mod number;

pub use exclude::Exclude;
