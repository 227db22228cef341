//! A row becomes the bytes that a format hashes.
//!
//! Decides which members of a value are written ([`Select`]), in which canonical form ([`Form`]),
//! and which members no preimage covers ([`Coverage`]). It trusts that `row` has made a strict JSON
//! text of the line, and nothing in the values themselves. Every form is written by the one
//! [`Writer`]; the order of its steps is that of the profile vocabulary: `of`, `include`,
//! `exclude`, `exclude_recursive`, `drop_null` and `keep_null`, `rename`, `set`, then the form.

mod condition;
mod coverage;
mod draft;
mod exclude;
mod form;
mod include;
pub mod jcs;
mod members;
pub mod number;
mod order;
mod paths;
mod select;
mod string;
mod writer;

pub use condition::{Literal, Test};
pub use coverage::Coverage;
pub use exclude::Exclude;
pub use form::{Escape, Form, Keys, Numbers, Separators, Unicode};
pub use select::{Absent, DropNull, Select, SelectSpec, When};
pub use string::{latin1_low_byte, write_json_string};
pub use writer::{Replacement, Unwritable, Writer};
