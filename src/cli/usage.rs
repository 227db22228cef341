//! A command line as clap reads it; what it refuses is a stop like any other.

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind;

use crate::stop::{Stop, StopCode};

/// What parsing leads to.
pub(super) enum Parsed<T> {
    /// Help or version: show it and be done.
    Show(String),
    /// The arguments of a command.
    Arguments(T),
}

/// Parse the arguments of a command, the word before them first.
///
/// # Errors
///
/// A usage stop.
pub(super) fn parse<T: Parser>(arguments: &[OsString]) -> Result<Parsed<T>, Stop> {
    match T::try_parse_from(arguments) {
        Ok(arguments) => Ok(Parsed::Arguments(arguments)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            Ok(Parsed::Show(error.to_string()))
        }
        Err(error) => Err(refused(&error.to_string())),
    }
}

/// A stop for a command line that cannot be carried out.
pub(super) fn usage(message: impl Into<String>) -> Stop {
    Stop::new(StopCode::Usage, message).hint("ledger-verify --help")
}

/// What clap says, without its own usage lines; a tip of its is a hint.
fn refused(text: &str) -> Stop {
    // It might be a private key, which starts like an option: nothing of it may be shown.
    if text.contains("-----BEGIN ") {
        return usage("an argument is the text of a PEM block, where the name of a file is wanted");
    }
    let said = text.lines().take_while(|line| !line.starts_with("Usage") && !line.starts_with("For more"));
    let said = said.map(str::trim).filter(|line| !line.is_empty());
    let (tips, said): (Vec<&str>, Vec<&str>) = said.partition(|line| line.starts_with("tip: "));
    let said = said.join(" ");
    let hints = tips.iter().map(|tip| tip.trim_start_matches("tip: ")).chain(["ledger-verify --help"]);
    Stop::new(StopCode::Usage, said.strip_prefix("error: ").unwrap_or(&said))
        .hint(hints.collect::<Vec<&str>>().join("; "))
}
