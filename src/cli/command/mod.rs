//! The commands. Each is a file of its own: its arguments, its help where it has one, and what it does.
//!
//! A command is named by the first word of the command line and by no other, so that an EXPORT of that
//! name can still be given: as `./head`, or behind another argument. Without such a word it is the main
//! job, [`verify`]. A new command is a file here and a line in [`ALL`].

mod bundle;
mod compare;
mod each;
mod explain;
mod head;
mod profiles;
mod receipt;
mod report;
pub(super) mod verify;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::stop::{Stop, StopCode};

/// A command that is named by a word.
pub(super) struct Command {
    /// The word.
    pub name: &'static str,
    /// Carry it out. The arguments are the whole command line, the program's own name first.
    run: fn(&[OsString]) -> Result<ExitCode, Stop>,
}

/// Every command that is named by a word.
pub(super) const ALL: &[Command] = &[
    Command { name: "head", run: head::run },
    Command { name: "explain", run: explain::run },
    Command { name: "compare", run: compare::run },
    Command { name: "profiles", run: profiles::run },
    Command { name: "bundle", run: bundle::run },
    Command { name: "receipt", run: receipt::run },
    Command { name: "report", run: report::run },
];

/// Carry out what the command line says.
///
/// # Errors
///
/// A stop before anything was shown.
pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let first = arguments.get(1);
    match ALL.iter().find(|command| first.is_some_and(|word| word == command.name)) {
        Some(command) => (command.run)(arguments).map_err(|stop| command.hint(stop)),
        None => verify::run(arguments),
    }
}

impl Command {
    /// Where a file has the command's name, it may have been meant.
    fn hint(&self, stop: Stop) -> Stop {
        let name = self.name;
        match stop.code == StopCode::Usage && Path::new(name).exists() {
            true => with_hint(stop, &format!("{name} is a command; the file of that name is given as ./{name}")),
            false => stop,
        }
    }
}

/// Where an EXPORT that is not there has the name of a command, that may have been meant.
fn hint_at_command(stop: Stop, exports: &[std::path::PathBuf]) -> Stop {
    let meant = ALL.iter().find(|command| {
        let path = Path::new(command.name);
        exports.iter().any(|export| export == path) && !path.exists()
    });
    match meant {
        Some(Command { name, .. }) if stop.code == StopCode::Unreadable => {
            with_hint(stop, &format!("the command {name} must be the first word: ledger-verify {name} EXPORT..."))
        }
        _ => stop,
    }
}

fn with_hint(stop: Stop, more: &str) -> Stop {
    let hint = stop.hint.as_deref().map_or_else(|| more.to_owned(), |hint| format!("{more}; {hint}"));
    stop.hint(hint)
}

#[cfg(test)]
pub(super) mod tests {
    use clap::CommandFactory;

    /// Hold a help to the arguments that there are: it names each of them and no other, on one screen.
    pub fn the_help_is_right<T: CommandFactory>(help: &str) {
        let command = T::command();
        let known: Vec<String> =
            command.get_arguments().filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect();
        assert!(known.len() > 3, "{known:?}");
        let told: Vec<&str> =
            help.split(|c: char| c.is_whitespace() || c == ',').filter(|word| word.starts_with("--")).collect();
        for long in &known {
            assert!(told.contains(&long.as_str()), "{long} is not in the help");
        }
        for word in told.iter().filter(|word| !["--help", "--version"].contains(word)) {
            assert!(known.iter().any(|long| long == word), "the help tells of {word}");
        }
        assert!(help.lines().count() <= 50 && help.lines().all(|line| line.chars().count() <= 100), "one screen");
    }
}
