//! `head`: the pin of a whole ledger, in the form in which `--head` takes it next time.
//!
//! The ledger is audited first. The pins alone go to standard output, so that
//! `--head "$(ledger-verify head EXPORT --key FILE)"` works, and the report to standard error.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::hint_at_command;
use crate::audit;
use crate::cli::options::Audit;
use crate::cli::output::Output;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse};
use crate::report::Outcome;
use crate::report::pin;
use crate::stop::Stop;

const HELP: &str = "\
Audits a ledger and prints its pin, HASH@SEQ or the format's pin line, for --head next time; with
several chains one a line, with the chain's name behind it. The report goes to standard error.

usage: ledger-verify head EXPORT... --key FILE [options]

A pin is printed if the exit code is 0, and only then. Bounds that a pin is there to lift do not
hinder: no-anchor, after-anchor, manifest-unsigned. Any other must be accepted with --accept, and
the pin vouches no more for what it leaves open than the audit does.

options, as of ledger-verify --help
  --key, --manifest, --head, --witness, --namespace, --artefacts, --profile, --recipe, --genesis,
  --accept, --max-row-bytes, --strict, --since, --expect-rows, --expect-span, --expect-profile,
  --max-findings, --color, --threads, --signatures
  --json               pins, verdict and report id as JSON
  --quiet              the pins alone, no report on standard error
  --help

examples
  ledger-verify head export.jsonl --key pk.pem >> pins.txt
  ledger-verify later.jsonl --key pk.pem --head \"$(ledger-verify head export.jsonl --key pk.pem)\"

exit codes
  0  the pin was printed
  1  broken: no pin
  2  it could not run, and says why: no pin
  3  bounded by what was not accepted: no pin
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify head", override_help = HELP, arg_required_else_help = false)]
struct Head {
    #[command(flatten)]
    audit: Audit,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let head = match parse::<Head>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(head) => head,
    };
    let (mut request, output) = head.audit.wanted()?;
    request.policy.accepted.extend(pin::LIFTED);
    let runner = Runner::new(arguments, &request, &output);
    match runner.run(|environment, observer| audit::run(&request, environment, observer)) {
        Outcome::Stop(stop) => Ok(output.aloud().outcome(&Outcome::Stop(hint_at_command(stop, &request.exports)))),
        Outcome::Report(report) => Ok(output.pins(&report)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Head>(HELP);
    }
}
