//! `explain`: one row step by step, for a court and for the author of a profile.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::hint_at_command;
use crate::audit::{self, Wanted};
use crate::cli::options::Source;
use crate::cli::output::Output;
use crate::cli::progress::Shown;
use crate::cli::usage::{Parsed, parse, usage};
use crate::report::Outcome;
use crate::stop::Stop;

const HELP: &str = "\
Explains one row: its members, the preimage part by part with offsets, its digest, its link to
the row before, each signature with its message and key, and what no preimage covers. Where a
digest or a signature does not fit, what would make it fit is tried on that row.

usage: ledger-verify explain EXPORT... --line N [options]
       ledger-verify explain EXPORT... --seq N [--chain NAME] [options]

which row
  --line [FILE:]N      the row in line N, as a finding names it, empty lines counted too; FILE where
                       the export is in several files. --row N is the same
  --seq N              the row with the sequence N
  --chain NAME         the one of them that names the chain NAME; with --seq

options, as of ledger-verify --help
  --key, --manifest, --head, --witness, --namespace, --artefacts, --profile, --recipe, --genesis,
  --max-row-bytes, --color, --threads, --signatures
  --full               every byte; else long parts are cut
  --json               the explanation as JSON

examples
  ledger-verify explain export.jsonl --line 7 --key pk.pem
  ledger-verify explain export.jsonl --seq 42 --profile mine.toml

exit codes
  0  everything about the row holds
  1  the row has a fault
  2  it could not run: there is no such row, or several
  3  no fault, but something of the row could not be checked
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify explain", override_help = HELP, arg_required_else_help = false)]
struct Explain {
    #[command(flatten)]
    source: Source,
    #[arg(long)]
    line: Option<String>,
    #[arg(long, conflicts_with = "line")]
    row: Option<String>,
    #[arg(long, value_parser = number)]
    seq: Option<u64>,
    #[arg(long)]
    chain: Option<String>,
    #[arg(long)]
    full: bool,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let Explain { source, line, row, seq, chain, full } =
        match parse::<Explain>(arguments.get(1..).unwrap_or_default())? {
            Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
            Parsed::Arguments(explain) => explain,
        };
    let wanted = wanted(line.or(row), seq, chain)?;
    let (request, output) = source.wanted()?;
    let shown = Shown::new(output.shows_progress());
    let told = audit::explain(&request, &wanted, &shown);
    drop(shown);
    match told {
        Ok(told) => Ok(output.explained(&told, full)),
        Err(stop) => Ok(output.outcome(&Outcome::Stop(hint_at_command(stop, &request.exports)))),
    }
}

fn wanted(line: Option<String>, seq: Option<u64>, chain: Option<String>) -> Result<Wanted, Stop> {
    match (line, seq, chain) {
        (Some(text), None, None) => {
            let (file, digits) = match text.rsplit_once(':') {
                Some((file, digits)) => (Some(file.to_owned()), digits),
                None => (None, text.as_str()),
            };
            match number(digits) {
                Ok(line) if line > 0 => Ok(Wanted::Line { file, line }),
                _ => Err(usage(format!("--line {text}: the number of a line from 1 is wanted"))),
            }
        }
        (None, Some(number), chain) => Ok(Wanted::Sequence { number, chain }),
        (Some(_), Some(_), _) => Err(usage("--line and --seq each name a row: give one of them")),
        (Some(_), None, Some(_)) => Err(usage("--chain goes with --seq: a line is of the chain that it is of")),
        (None, None, _) => Err(usage("which row? --line N or --seq N is wanted")),
    }
}

/// Digits only: "+8" and " 8" are no way to write a number.
fn number(text: &str) -> Result<u64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| "a number from 0 is wanted".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Explain>(HELP);
    }
}
