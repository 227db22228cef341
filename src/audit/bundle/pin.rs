//! `witness_latest.json` of a bundle: what a witness answered, which may be a pin.
//!
//! Decided here: whether the answer is the record of a hosted witness (format rule 5.7), so that the ledger can be
//! held against it. An answer that is none, as the words of an error, says nothing about the ledger.

use crate::row::Value;
use crate::trust::dialect::{Dialect, row_number, trim};

/// A pin of a hosted witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    /// The ledger's name at the witness.
    pub namespace: String,
    /// How many rows there were.
    pub rows: u64,
}

/// The pin that this answer is, if it is one.
pub(super) fn read(answer: &[u8]) -> Option<Pin> {
    let text = String::from_utf8_lossy(answer);
    let mut dialect = Dialect::default();
    let row = dialect.read(trim(&text).as_bytes()).ok()?;
    let root = row.root();
    let text = |name| root.get(name).and_then(Value::as_str);
    let digits = text("chain")?;
    let is_chain = (8..=64).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    // A record says when it was pinned, and is a link of no chain of pins.
    text("pinned_at").filter(|_| is_chain && root.get("prev").is_none() && root.get("self").is_none())?;
    Some(Pin { namespace: text("namespace")?.to_owned(), rows: root.get("rows").and_then(row_number)? })
}
