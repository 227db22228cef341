//! What stands outside the file: keys, the manifest, heads that were seen earlier.

pub mod anchor;
pub mod key;
pub mod keyring;
pub mod manifest;
