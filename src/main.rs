//! The command line: parse arguments, run, exit code.
fn main() {}
