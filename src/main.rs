//! The command line: parse arguments, run, exit code; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ledger_verify::cli::main(std::env::args_os().collect())
}
