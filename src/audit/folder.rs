//! A folder that was given as an export: which of its files are parts, and in which order.
//!
//! Decided here: a file is a part if a row of the format stands at its start, if it is named as JSON
//! Lines are, or if it belongs to a series of which another file is a part; its place is that of the first
//! sequence number it states. In doubt a file is taken: damage in it is a fault of the export,
//! and what is left out is examined by nobody. Names and first bytes are hostile; they choose what is
//! examined and in which order, both of which the report says, and never how a row is judged.

mod name;
mod order;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::keys;
use crate::profile::{Field, Found, Layout, LineReader, Plan, View};
use crate::read::{Access, Export, Identity, Kind, Limits};
use crate::report::{Folder, Left, Taken};
use crate::row::Number;
use crate::stop::{Stop, StopCode};
use crate::trust::{key, manifest};

/// Files of one folder that are looked at.
const MOST: usize = 100_000;

/// Bytes at the start of a file in which its first row is looked for.
const LOOK: usize = 4 << 20;

/// Bytes of the largest file that may be a manifest.
const MANIFEST_BYTES: u64 = 1 << 20;

/// Files that a stop names.
const NAMED: usize = 8;

/// The parts of an export, with every folder replaced by its files.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub paths: Vec<PathBuf>,
    pub folders: Vec<Folder>,
}

/// Puts the files of each folder in its place.
///
/// # Errors
///
/// A stop for a folder that cannot be listed, holds too many files or none to take.
pub(super) fn expand(exports: &[PathBuf], plan: &Plan) -> Result<Parts, Stop> {
    let mut parts = Parts::default();
    for export in exports {
        if !is_folder(export) {
            parts.paths.push(export.clone());
            continue;
        }
        let (taken, left) = choose(list(export)?, plan);
        let taken = order::by_sequence(taken);
        if taken.is_empty() {
            return Err(nothing(export, &left, plan));
        }
        let first = parts.paths.len();
        parts.paths.extend(taken.iter().map(|file| file.path.clone()));
        let told = |(index, file): (usize, &File)| Taken {
            name: shown(&file.name),
            part: (first + index) as u64,
            link: file.link,
            by_name: file.number.is_none() && file.length > 0,
        };
        parts.folders.push(Folder {
            name: export.display().to_string(),
            taken: taken.iter().enumerate().map(told).collect(),
            left,
        });
    }
    Ok(parts)
}

/// Whether an export is a folder; one named `-` is given as `./-`.
pub(super) fn is_folder(export: &Path) -> bool {
    export != Path::new("-") && export.is_dir()
}

/// The file of a folder that a report names, taken as [`expand`] takes them: whoever wrote the report chose the name.
///
/// # Errors
///
/// A stop for a name that leads elsewhere, or is that of no regular file.
pub(super) fn named(folder: &Path, name: &str) -> Result<PathBuf, Stop> {
    // A colon names a drive or a second stream of a file there.
    let leads_on = |c: char| std::path::is_separator(c) || cfg!(windows) && c == ':';
    let plain = Path::new(name).file_name() == Some(OsStr::new(name)) && !name.contains(leads_on);
    if !plain || name::is_hidden(OsStr::new(name)) {
        let why =
            format!("{}: the report names {name:?} as a file of this folder, which it cannot be", folder.display());
        return Err(Stop::new(StopCode::Report, why).hint("name the files in the order of the report"));
    }
    let path = folder.join(name);
    let why = match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_file() => return Ok(path),
        Ok(_) => "not a regular file".to_owned(),
        Err(error) => error.to_string(),
    };
    let why = format!("{}: the report is of this file: {why}", path.display());
    Err(Stop::new(StopCode::Unreadable, why).hint("name the files in the order of the report"))
}

/// The regular files of a folder, those named as JSON Lines are first.
///
/// # Errors
///
/// A stop for a folder that cannot be listed or holds too many files.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let (mut files, _) = list(folder)?;
    files.sort_by_key(|file| !name::is_of_lines(&file.name));
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// A regular file of a folder.
#[derive(Debug)]
struct File {
    name: OsString,
    path: PathBuf,
    /// Whether its name is a symbolic link.
    link: bool,
    length: u64,
    identity: Identity,
    /// The sequence that its first rows state.
    number: Option<u64>,
}

/// What a file shows at its start.
#[derive(Debug, PartialEq, Eq)]
enum Content {
    /// Rows of the format; the first sequence they state, if one can be read.
    Rows(Option<u64>),
    /// Something that is not rows of the format: what it is.
    Foreign(String),
    /// Nothing that can be read: why.
    Unclear(String),
}

/// The regular files in the order of their names, and the others with what they are.
fn list(folder: &Path) -> Result<(Vec<File>, Vec<Left>), Stop> {
    let cannot = |error: std::io::Error| {
        Stop::new(StopCode::Unreadable, format!("{}: this folder cannot be read: {error}", folder.display()))
            .hint("check who may read it, or name the files")
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        names.push(entry.map_err(cannot)?.file_name());
        if names.len() > MOST {
            let text = format!("{}: this folder holds more than {MOST} files", folder.display());
            return Err(Stop::new(StopCode::Usage, text).hint("name the files, in order"));
        }
    }
    names.sort_by(|a, b| name::compare(a, b));
    let (mut files, mut left) = (Vec::new(), Vec::new());
    for name in names {
        let path = folder.join(&name);
        let link = path.is_symlink();
        let why = match std::fs::metadata(&path) {
            _ if name::is_hidden(&name) => "hidden",
            Ok(metadata) if metadata.is_file() => {
                let (length, identity) = (metadata.len(), Identity::of(&metadata));
                files.push(File { name, path, link, length, identity, number: None });
                continue;
            }
            Ok(metadata) if metadata.is_dir() => "a folder",
            Ok(_) => "not a regular file",
            Err(_) if link => "a symbolic link that leads to no file",
            Err(_) => "it cannot be looked at",
        };
        left.push(Left { name: shown(&name), why: why.to_owned() });
    }
    Ok((files, left))
}

/// Which of the files are parts.
fn choose((files, mut left): (Vec<File>, Vec<Left>), plan: &Plan) -> (Vec<File>, Vec<Left>) {
    let mut leave = |file: &File, why: String| left.push(Left { name: shown(&file.name), why });
    // Of several names of one file that of the file itself counts, else the first.
    let (links, mut once): (Vec<File>, Vec<File>) = files.into_iter().partition(|file| file.link);
    let mut distinct: Vec<File> = Vec::with_capacity(once.len());
    for file in once.drain(..).chain(links) {
        match distinct.iter().find(|other| other.identity.is(file.identity)) {
            Some(other) => leave(&file, format!("another name of {}", shown(&other.name))),
            None => distinct.push(file),
        }
    }
    distinct.sort_by(|a, b| name::compare(&a.name, &b.name));
    if let Layout::Lines { sidecar: Some(suffix), .. } = &plan.input.layout {
        let names: Vec<OsString> = distinct.iter().map(|file| file.name.clone()).collect();
        distinct.retain(|file| {
            let of = names.iter().find(|other| name::is_sidecar(&file.name, other, suffix));
            of.iter().for_each(|other| leave(file, format!("the sidecar of {}", shown(other))));
            of.is_none()
        });
    }
    let seen: Vec<(File, Content)> = distinct.into_iter().map(|file| look(file, plan)).collect();
    let is_part = |file: &File, content: &Content| match content {
        Content::Rows(_) => true,
        Content::Unclear(_) => name::is_of_lines(&file.name),
        Content::Foreign(_) => false,
    };
    let series: Vec<String> = seen
        .iter()
        .filter(|(file, content)| is_part(file, content))
        .map(|(file, _)| name::series(&file.name))
        .collect();
    let mut taken = Vec::new();
    for (file, content) in seen {
        let in_series = || !is_manifest(&file, plan) && series.contains(&name::series(&file.name));
        match content {
            Content::Rows(number) => taken.push(File { number, ..file }),
            _ if is_part(&file, &content) || in_series() => taken.push(file),
            _ if is_manifest(&file, plan) => leave(&file, "a manifest".to_owned()),
            _ if is_key(&file) => leave(&file, "a key".to_owned()),
            Content::Foreign(why) | Content::Unclear(why) => leave(&file, why),
        }
    }
    (taken, left)
}

/// Looks at the start of a file.
fn look(file: File, plan: &Plan) -> (File, Content) {
    let content = content(&file, plan);
    (file, content)
}

fn content(file: &File, plan: &Plan) -> Content {
    if file.length == 0 {
        return Content::Unclear("empty".to_owned());
    }
    let paths = std::slice::from_ref(&file.path);
    let export = match Export::open_as(paths, &plan.input.shape(), Access::default()) {
        Ok(export) => export,
        Err(stop) => {
            let path = format!("{}: ", file.path.display());
            return Content::Unclear(stop.message.strip_prefix(&path).unwrap_or(&stop.message).to_owned());
        }
    };
    let mut reader = LineReader::default();
    let (mut rows, mut others, mut looked) = (false, false, 0);
    let (mut first, mut last): (Option<u64>, Option<u64>) = (None, None);
    let fields = &plan.fields;
    for batch in export.batches(Limits { batch_bytes: 64 << 10, max_row_bytes: LOOK }) {
        let Ok(batch) = batch else { break };
        looked += batch.bytes.len();
        for line in batch.lines().filter(|line| line.kind == Kind::Row) {
            let Ok(row) = reader.read(&line, plan, false) else { continue };
            let view = View::of(row.root());
            let mut known = [&fields.hash, &fields.prev, &fields.sequence].into_iter().flatten();
            let is_row = known.any(|field| field.find(&view).is_some());
            (rows, others) = (rows || is_row, others || !is_row);
            let number = fields.sequence.as_ref().and_then(|field| number(field, field.find(&view)?));
            let follows =
                number.is_some() && number == last.and_then(|last| last.checked_add(plan.chain.sequence_step));
            if follows {
                // Two rows that agree: a first row whose number was edited does not misplace the file.
                return Content::Rows(last);
            }
            (first, last) = (first.or(number), number);
        }
        if looked >= LOOK {
            break;
        }
    }
    match (rows, others) {
        (true, _) => Content::Rows(first),
        (false, true) => Content::Foreign(format!("it holds JSON, but no row of {}", plan.name)),
        (false, false) if matches!(plan.input.layout, Layout::Lines { .. }) => {
            Content::Unclear(format!("no line at its start is a row of {}", plan.name))
        }
        (false, false) => Content::Unclear("it holds no JSON Lines".to_owned()),
    }
}

/// A sequence number, in digits where the member is taken out of text.
fn number(field: &Field, found: Found<'_>) -> Option<u64> {
    match found.as_str() {
        Some(digits) if field.is_textual() => digits.parse().ok(),
        _ => found.value()?.as_number().and_then(Number::as_exact_u64),
    }
}

/// Whether a file is a manifest of this format, by what it says.
fn is_manifest(file: &File, plan: &Plan) -> bool {
    let Some(head) = plan.head.as_ref().filter(|_| file.length <= MANIFEST_BYTES) else { return false };
    std::fs::read(&file.path).is_ok_and(|bytes| manifest::read(&bytes, head, &plan.form).is_ok())
}

/// Whether a file is a key that could be trusted.
fn is_key(file: &File) -> bool {
    file.length <= key::LARGEST as u64 && std::fs::read(&file.path).is_ok_and(|bytes| keys::is_public(&bytes))
}

fn nothing(folder: &Path, left: &[Left], plan: &Plan) -> Stop {
    let named: Vec<String> = left.iter().take(NAMED).map(|left| format!("{} ({})", left.name, left.why)).collect();
    let more = left.len().saturating_sub(NAMED);
    let seen = match (named.is_empty(), more) {
        (true, _) => "it is empty".to_owned(),
        (false, 0) => format!("it holds {}", named.join(", ")),
        (false, more) => format!("it holds {} and {more} more", named.join(", ")),
    };
    let text = format!("{}: no file of this folder holds rows of {}: {seen}", folder.display(), plan.name);
    Stop::new(StopCode::Unreadable, text)
        .hint("name the files, or another --profile; folders in it are not looked into")
}

fn shown(name: &std::ffi::OsStr) -> String {
    name.to_string_lossy().into_owned()
}
