//! What stands outside the file: keys, the manifest, heads that were seen earlier,
//! and what the user expects.

pub mod anchor;
pub mod expectation;
pub mod key;
pub mod keyring;
pub mod manifest;
