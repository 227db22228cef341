//! What the text report says of a folder: how many of its files were examined, and which were not.

use super::escape::quote;
use super::figures::{counted, grouped};
use super::{Folder, Taken};

/// Files of one kind that are named.
const MAX_FILES: usize = 8;

/// Characters of a name, and of a reason.
const MAX_NAME: usize = 64;

/// The lines on these folders.
pub(super) fn lines(folders: &[Folder]) -> Vec<String> {
    let mut out = Vec::new();
    for folder in folders {
        let taken = counted(folder.taken.len() as u64, "file", "files");
        out.push(format!("folder {}: {taken}, by first sequence", quote(&folder.name, 256)));
        let told = |chosen: fn(&Taken) -> bool| {
            list(
                folder
                    .taken
                    .iter()
                    .filter(|taken| chosen(taken))
                    .map(|taken| quote(&taken.name, MAX_NAME).into_owned()),
            )
        };
        if let Some(names) = told(|taken| taken.by_name) {
            out.push(format!("no sequence can be read at the start of {names}: placed by name"));
        }
        if let Some(names) = told(|taken| taken.link) {
            out.push(format!("symbolic links that were followed: {names}"));
        }
        let left = folder.left.iter();
        if let Some(names) = list(left.map(|left| {
            format!("{} ({})", quote(&left.name, MAX_NAME), super::escape::escape_cut(&left.why, MAX_NAME))
        })) {
            out.push(format!("left: {names}"));
        }
    }
    out
}

/// `a, b and 3 more`; `None` of nothing.
fn list(names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAX_FILES);
    let shown = names.get(..MAX_FILES).unwrap_or(&names).join(", ");
    match (names.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown),
        (false, more) => Some(format!("{shown} and {} more", grouped(more as u64))),
    }
}
