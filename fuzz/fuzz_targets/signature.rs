//! libFuzzer's door to the target of this name.

#![no_main]

#[path = "../targets/signature.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::check(bytes));
