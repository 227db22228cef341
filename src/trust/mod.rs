//! What stands outside the file: keys, the manifest, heads that were seen earlier, a witness,
//! and what the user expects.

pub mod anchor;
pub mod artefact;
pub mod dialect;
pub mod expectation;
pub mod key;
pub mod keyring;
pub mod lines;
pub mod manifest;
pub mod receipt;
pub mod witness;
