//! What must hold for any bytes: one file for each kind of text that others hand over.
//!
//! libFuzzer (`fuzz_targets/`) and the ordinary tests (`tests/fuzz.rs`) call the same functions.

pub mod export;
pub mod key;
pub mod manifest;
pub mod profile;
pub mod python;
pub mod row;
pub mod signature;
