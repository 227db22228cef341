//! What stands outside the file: keys, the manifest, heads that were seen earlier, a witness,
//! and what the user expects.

pub mod anchor;
pub mod dialect;
pub mod expectation;
pub mod key;
pub mod keyring;
pub mod manifest;
pub mod witness;
