//! What an audit reads: the files that a report must never be written over.

use std::fmt;
use std::path::{Path, PathBuf};

use super::heads::Pins;
use super::{Request, load};

/// Something that is examined or vouches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// What standard input is: perhaps a file as well, which then has no name here.
    Stdin,
    /// A file or a folder, there or not.
    At(PathBuf),
}

impl Evidence {
    /// What this name stands for where `-` is standard input.
    pub fn of_input(name: &Path) -> Self {
        match name == Path::new("-") {
            true => Evidence::Stdin,
            false => Evidence::At(name.to_owned()),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Stdin => f.write_str("the file behind standard input"),
            Evidence::At(path) => path.display().fmt(f),
        }
    }
}

/// Every file and folder that is named by the request, and where a manifest is looked for beside an export.
///
/// What only the rows or the profile name, a sidecar say, is not among them: the report names that.
pub fn evidence(request: &Request) -> Vec<Evidence> {
    // Of all options, `-` is standard input for exports and for the earlier report alone.
    let inputs = request.exports.iter().chain(&request.since);
    let mut evidence: Vec<Evidence> = inputs.map(|name| Evidence::of_input(name)).collect();
    let mut paths = Vec::new();
    for export in request.exports.iter().filter(|path| path.as_os_str() != "-") {
        paths.extend(load::sidecars(std::slice::from_ref(export), &[]));
    }
    paths.extend(request.keys.iter().map(|(_, file)| file.clone()));
    paths.extend(request.manifest.clone());
    paths.extend(request.artefacts.clone());
    // The name of a built-in profile is no file, unless there is one.
    paths.extend(request.profile.iter().map(PathBuf::from));
    if let Some((Pins::File(path), _)) = &request.witness {
        paths.push(path.clone());
    }
    evidence.extend(paths.into_iter().map(Evidence::At));
    evidence
}
