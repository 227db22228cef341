//! `receipt`: a receipt over a ledger or over a graded source.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::audit::{ReceiptRequest, Request, receipt};
use crate::cli::output::Output;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse, usage};
use crate::report::Outcome;
use crate::stop::Stop;

const HELP: &str = "\
Verifies a receipt, of either kind: arcaeon-receipt/0.1, which speaks of a ledger, and signed
grades, checkpoint-kya-v1-compatible.

usage: ledger-verify receipt FILE [--ledger EXPORT]                     over a ledger
       ledger-verify receipt FILE [--key FILE] [--audience AUD] [--grade FILE]   over a grade

A receipt over a ledger carries no signature that could be checked: without --ledger it is bounded.
A grade brings its key along: whose key it is only --key can say, and without it it is bounded.
What is attached of a witness is held against the receipt alone, an anchor is not looked at, and a
grade is compared only if --grade gives it. What was not checked is listed, whatever the exit code.

options
  --ledger EXPORT      the ledger that it speaks of, a file
  --key FILE           the public key that must have signed it; repeat it for several
  --audience AUD       for whom it must be
  --grade FILE         the grade that it must be about
  --json               the whole as JSON
  --quiet              nothing but the exit code
  --threads N          threads [one for each core]
  --help

examples
  ledger-verify receipt receipt.json --ledger ledger.jsonl
  ledger-verify receipt grade-receipt.json --key vet.pem --grade grade.json

exit codes
  0  verified: it holds, as far as its format says how to check it
  1  broken: it does not hold, and the reasons are listed
  2  it could not run, and says why
  3  bounded: it holds as far as was looked at
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify receipt", override_help = HELP, arg_required_else_help = false)]
struct Arguments {
    receipts: Vec<PathBuf>,
    #[arg(long)]
    ledger: Option<PathBuf>,
    #[arg(long)]
    key: Vec<PathBuf>,
    #[arg(long)]
    audience: Option<String>,
    #[arg(long)]
    grade: Option<PathBuf>,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, value_parser = crate::cli::options::threads)]
    threads: Option<usize>,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let given = match parse::<Arguments>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(given) => given,
    };
    let output = Output::new(given.json, given.quiet, crate::cli::options::Color::Never);
    let [path] = given.receipts.as_slice() else { return Err(usage("one receipt is wanted")) };
    let request = ReceiptRequest {
        path: path.clone(),
        ledger: given.ledger,
        grade: given.grade,
        keys: given.key,
        audience: given.audience,
        threads: given.threads.unwrap_or(0),
    };
    let audit = Request { threads: request.threads, ..Request::default() };
    let runner = Runner::new(arguments, &audit, &output);
    match runner.watch(|environment, observer| receipt(&request, environment, observer)) {
        Ok(report) => Ok(output.receipt(&report)),
        Err(stop) => Ok(output.outcome(&Outcome::Stop(stop))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Arguments>(HELP);
    }
}
