//! Files that rows name: read, hashed, compared.
//!
//! Decided here: which files may be read at all. A row is untrusted, and so is the path that it gives: only
//! regular files that stand in the folder of the row's part are opened, wherever links lead. A file that
//! several rows name is read once, as long as not too many others come between.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::check::{ArtefactClaim, FileClaim};
use crate::digest::DigestAlgorithm;
use crate::fact::{Digest, Place};
use crate::finding::Finding;
use crate::read::Export;
use crate::trust::artefact::Recipe;
use crate::trust::dialect::{Canonical, Dialect};

/// Files whose digests are remembered.
const MOST: usize = 1 << 16;

/// Bytes of the largest artefact that is read as JSON.
const LARGEST_JSON: u64 = 64 << 20;

/// The files beside an export.
#[derive(Debug)]
pub(super) struct Files<'a> {
    export: &'a Export,
    artefacts: Option<&'a Path>,
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
    pub fn new(export: &'a Export, artefacts: Option<&'a Path>) -> Self {
        Files { export, artefacts, seen: Mutex::default(), unreadable: Mutex::default() }
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

    /// What the copy of an artefact shows of a row, where a folder with copies was given.
    pub fn judge_artefact(&self, claim: &ArtefactClaim) -> Option<Finding> {
        let folder = self.artefacts?;
        let Some(name) = claim.described.name.as_deref() else { return Some(claim.unchecked("it has no name")) };
        // A name and nothing else: a row is untrusted, and so is what it calls its artefacts.
        let plain = |name: &str| !name.contains(['/', '\\', ':']) && name != "." && name != "..";
        if name.is_empty() || !plain(name) {
            return Some(claim.unchecked("its name is no plain file name"));
        }
        let recipe = claim.described.recipe;
        let how = if recipe == Recipe::RawBytes { "raw-bytes" } else { "json-c14n" };
        let seen = self.once((folder.join(name), how), || match recipe {
            Recipe::RawBytes => read(folder, Path::new(name), DigestAlgorithm::Sha256),
            Recipe::JsonCanonical => canonical(folder, Path::new(name)),
        });
        let hex = |digest: &Digest| data_encoding::HEXLOWER.encode(digest.bytes());
        match seen {
            Seen::Digest(found) if hex(&found) == claim.described.sha256 => None,
            Seen::Digest(found) => Some(claim.differs(&hex(&found))),
            Seen::None(why) => Some(claim.unchecked(why)),
            Seen::Unreadable(why) => Some(claim.unchecked(&why)),
        }
    }

    /// What became of a file, which is looked at once.
    fn once(&self, asked: Asked, look: impl FnOnce() -> Seen) -> Seen {
        let cell = {
            let mut seen = lock(&self.seen);
            if seen.len() >= MOST {
                seen.clear();
            }
            Arc::clone(seen.entry(asked).or_default())
        };
        // Who comes second waits: a file is read once.
        cell.get_or_init(look).clone()
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
        self.once((folder.join(path), algorithm.name()), || read(folder, path, algorithm))
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

/// The digest of the canonical text of the JSON file at this path of the folder.
fn canonical(folder: &Path, path: &Path) -> Seen {
    let (inside, whole) = match (folder.canonicalize(), folder.join(path).canonicalize()) {
        (Ok(folder), Ok(path)) => (path.starts_with(&folder) && path.is_file(), path),
        (Err(_), _) | (_, Err(_)) => return Seen::None(ABSENT),
    };
    if !inside {
        return Seen::None(OUTSIDE);
    }
    let mut text = Vec::new();
    match File::open(&whole).and_then(|file| file.take(LARGEST_JSON + 1).read_to_end(&mut text)) {
        Err(error) => return Seen::Unreadable(error.to_string()),
        Ok(_) if text.len() as u64 > LARGEST_JSON => return Seen::None("it is too large to be read as JSON"),
        Ok(_) => {}
    }
    let mut dialect = Dialect::default();
    let Ok(row) = dialect.read_strict(&text) else { return Seen::None("it is not JSON, or names a member twice") };
    let mut canonical = Canonical::compact();
    let digest = canonical.bytes(row.root()).map(|bytes| Digest::from(<[u8; 32]>::from(Sha256::digest(bytes))));
    digest.map_or(Seen::None("it has no canonical text"), Seen::Digest)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A panic elsewhere leaves what is behind it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
