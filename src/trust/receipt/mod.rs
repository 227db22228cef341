//! Receipts: small signed or self-describing texts that speak of a ledger or of a graded source.
//!
//! Two kinds are known, told apart by what they call themselves. Every byte is untrusted, the key that a receipt
//! brings along too: whose it is must be known from elsewhere.

pub mod grade;
pub mod ledger;
