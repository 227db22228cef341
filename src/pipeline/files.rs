//! Files that rows name: read, hashed, compared.
//!
//! Decided here: which files may be read at all. A row is untrusted, and so is the path that it gives: only
//! regular files that stand in the folder of the row's part are opened, wherever links lead. A file that
//! several rows name is read once, as long as not too many others come between.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::check::FileClaim;
use crate::digest::DigestAlgorithm;
use crate::fact::{Digest, Place};
use crate::finding::Finding;
use crate::read::Export;

/// Files whose digests are remembered.
const MOST: usize = 1 << 16;

/// The files beside an export.
#[derive(Debug)]
pub(super) struct Files<'a> {
    export: &'a Export,
    seen: Mutex<HashMap<Asked, Arc<OnceLock<Seen>>>>,
    /// The first row, in file order, whose file is there and cannot be read.
    unreadable: Mutex<Option<(Place, String)>>,
}

/// The path of a file as rows name it, and the algorithm of its digest.
type Asked = (PathBuf, &'static str);

/// What became of a file.
#[derive(Clone, Debug)]
enum Seen {
    Digest(Digest),
    /// There is none that may be read.
    None(&'static str),
    Unreadable(String),
}

impl<'a> Files<'a> {
    pub fn new(export: &'a Export) -> Self {
        Files { export, seen: Mutex::default(), unreadable: Mutex::default() }
    }

    /// The fault of a row whose file is not what it states.
    pub fn judge(&self, claim: &FileClaim<'_>) -> Option<Finding> {
        match self.look(claim) {
            Seen::Digest(found) if found == claim.stated => None,
            Seen::Digest(found) => Some(claim.broken(Ok(found))),
            Seen::None(why) => Some(claim.broken(Err(why))),
            Seen::Unreadable(why) => {
                let mut first = lock(&self.unreadable);
                if first.as_ref().is_none_or(|(place, _)| claim.place < *place) {
                    *first = Some((claim.place, format!("{}: {why}", claim.path)));
                }
                None
            }
        }
    }

    /// The first row whose file cannot be read, with that file and the reason.
    pub fn unreadable(&self) -> Option<(Place, String)> {
        lock(&self.unreadable).clone()
    }

    fn look(&self, claim: &FileClaim<'_>) -> Seen {
        let path = Path::new(&claim.path);
        if claim.path.is_empty() || !path.components().all(|piece| matches!(piece, Component::Normal(_))) {
            return Seen::None(OUTSIDE);
        }
        // An export named without a folder stands in the one that the run is in.
        let parent = self.export.path(claim.place.part).parent();
        let folder = parent.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let algorithm = claim.bind.algorithm;
        let cell = {
            let mut seen = lock(&self.seen);
            if seen.len() >= MOST {
                seen.clear();
            }
            Arc::clone(seen.entry((folder.join(path), algorithm.name())).or_default())
        };
        // Who comes second waits: a file is read once.
        cell.get_or_init(|| read(folder, path, algorithm)).clone()
    }
}

const OUTSIDE: &str = "it is not in the folder of the export";
const ABSENT: &str = "there is no such file";

/// The digest of the file at this path of the folder.
fn read(folder: &Path, path: &Path, algorithm: DigestAlgorithm) -> Seen {
    let absent = |error: &io::Error| {
        // A name that no file can have names none.
        let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory, io::ErrorKind::InvalidInput];
        kinds.contains(&error.kind()) || error.kind() == io::ErrorKind::InvalidFilename
    };
    let failed =
        |error: io::Error| if absent(&error) { Seen::None(ABSENT) } else { Seen::Unreadable(error.to_string()) };
    // Where links lead counts, and the file is opened under the name that has none.
    let (folder, path) = match (folder.canonicalize(), folder.join(path).canonicalize()) {
        (Ok(folder), Ok(path)) => (folder, path),
        (Err(error), _) | (_, Err(error)) => return failed(error),
    };
    if !path.starts_with(&folder) {
        return Seen::None(OUTSIDE);
    }
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Seen::None("it is not a regular file"),
        Err(error) => return failed(error),
    }
    match File::open(&path).and_then(|mut file| algorithm.digest_all(&mut file)) {
        Ok(Some(digest)) => Seen::Digest(digest),
        Ok(None) => Seen::Unreadable("the profile asks for a MAC of it".to_owned()),
        Err(error) => failed(error),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic elsewhere leaves what is behind it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
