//! Commands that are printed to be pasted: decides how a word is written for a POSIX shell, and which cannot be.
//!
//! File names and the command line of an earlier report are foreign: what is pasted must be those words and
//! nothing that a shell expands. The words may come from a JSON report, where they stand escaped and cut: what an escape
//! stands for cannot be pasted, and a cut word is another one.

use std::path::Path;

use super::escape::is_exact;
use super::identity::MAX_TEXT;

/// The program, whatever path it was started by: that path is of another machine, or made up.
const PROGRAM: &str = "ledger-verify";

/// What is said in the place of a command that cannot be written.
pub const UNWRITABLE: &str =
    "no command can be written: a word of it is too long, or has characters that are not shown as they are";

/// `text` as one word of a POSIX shell; `None` for one that cannot be shown as it is.
pub fn word(text: &str) -> Option<String> {
    // U+FFFD is what is left of bytes that are no UTF-8.
    if text.chars().nth(MAX_TEXT).is_some() || !is_exact(text) || text.contains('\u{fffd}') {
        return None;
    }
    let safe = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,-".contains(c);
    // A shell may expand `=` at the start of a word.
    match !text.is_empty() && !text.starts_with('=') && text.chars().all(safe) {
        true => Some(text.to_owned()),
        // Between single quotes nothing but a single quote means anything to a shell.
        false => Some(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

/// The name of a file as a word that a program takes for a file: for no option, no command and no host.
pub fn file(name: &str) -> Option<String> {
    let (first, inside) = name.split_once('/').map_or((name, false), |(first, _)| (first, true));
    let other = name.starts_with(['-', '@']) || first.contains(':') || !inside && !name.contains('.');
    match other && name != "-" && !Path::new(name).is_absolute() {
        true => word(&format!("./{name}")),
        false => word(name),
    }
}

/// The command line of this program with these arguments, without its own name; `None` if a word cannot be
/// written.
pub fn command<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut line = PROGRAM.to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(&word(argument)?);
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_itself() {
        for bare in ["export.jsonl", "--key", "a@b=/x:1%,+_", "C1"] {
            assert_eq!(word(bare).as_deref(), Some(bare));
        }
        for (text, wanted) in [
            ("", "''"),
            ("$(id)", "'$(id)'"),
            ("`id`", "'`id`'"),
            ("$HOME", "'$HOME'"),
            ("~/x", "'~/x'"),
            ("=ls", "'=ls'"),
            ("a b", "'a b'"),
            ("a\"b", "'a\"b'"),
            ("it's", r"'it'\''s'"),
            (r"C:\logs", r"'C:\logs'"),
            ("größe", "'größe'"),
        ] {
            assert_eq!(word(text).as_deref(), Some(wanted));
        }
    }

    #[test]
    fn what_is_not_shown_as_it_is_is_not_written() {
        let long = "x".repeat(MAX_TEXT);
        assert!(word(&long).is_some());
        for text in ["a\nb", "\u{1b}[2K", "a\u{202e}b", r"a\u{1b}b", r"\u{1\u{202e}", "\u{fffd}", &format!("{long}…")]
        {
            assert_eq!(word(text), None, "{text:?}");
        }
        // An escape of what is shown as it is was written by nobody here.
        assert!(word(r"\u{61}").is_some());
        assert_eq!(command(["export.jsonl", "a\u{7}"]), None);
    }

    #[test]
    fn a_file_is_taken_for_a_file() {
        for (name, wanted) in [
            ("-", "-"),
            ("a.jsonl", "a.jsonl"),
            ("/a:b", "/a:b"),
            ("-x.jsonl", "./-x.jsonl"),
            ("@x.7z", "./@x.7z"),
            ("head", "./head"),
            ("host:a.tar", "./host:a.tar"),
            ("host:a/b.tar", "./host:a/b.tar"),
            ("a/b:c", "a/b:c"),
        ] {
            assert_eq!(file(name).as_deref(), Some(wanted));
        }
    }
}
