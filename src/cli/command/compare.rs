//! `compare`: two exports of one ledger. Are they the same, or were two people shown two histories?

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::hint_at_command;
use crate::audit;
use crate::cli::options::Pair;
use crate::cli::output::Output;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse};
use crate::report::Outcome;
use crate::stop::Stop;

const HELP: &str = "\
Compares two exports of one ledger: they are the same, one is the beginning of the other, or they
forked. Rows are one if they are the same bytes, or if digests that are recomputed show it. At a
fork both rows are shown, what differs, and which of them the keys vouch for.

usage: ledger-verify compare A B [--key FILE] [options]
       A and B are files, compressed or not, pipes, or folders of parts; one may be - for stdin

options, as of ledger-verify --help
  --key, --profile, --recipe, --genesis, --max-row-bytes, --threads, --color
  --json               the comparison as JSON
  --quiet              nothing but the exit code
  --help

It needs no key; without one it does not say who signed what. Whether each export is whole by
itself is not asked: that is ledger-verify A --key FILE.

examples
  ledger-verify compare january.jsonl february.jsonl
  ledger-verify compare mine.jsonl theirs.jsonl.gz --key pk.pem

exit codes
  0  the same, or one is the beginning of the other
  1  forked: two histories
  2  it could not run, and says why
  3  it could not be decided, or not of all rows
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify compare", override_help = HELP, arg_required_else_help = false)]
struct Compare {
    #[command(flatten)]
    pair: Pair,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let compare = match parse::<Compare>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(compare) => compare,
    };
    let (request, output) = compare.pair.wanted()?;
    let [a, b] = request.exports.as_slice() else { return Ok(ExitCode::from(2)) };
    let runner = Runner::new(arguments, &request, &output);
    let compared = runner.watch(|environment, observer| audit::compare([a, b], &request, environment, observer));
    match compared {
        Ok(mut comparison) => {
            comparison.environment.finished = jiff::Timestamp::now().to_string();
            Ok(output.compared(&comparison))
        }
        Err(stop) => Ok(output.outcome(&Outcome::Stop(hint_at_command(stop, &request.exports)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Compare>(HELP);
    }
}
