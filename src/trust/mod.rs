//! What stands outside the file: keys (manifest, pins and witness to come).

pub mod key;
pub mod keyring;
