//! What an audit reads: the files that a report must never be written over.

use std::path::PathBuf;

use super::heads::Pins;
use super::{Request, load};

/// Every file and folder that is named by the request, and where a manifest is looked for beside an export.
///
/// What only the rows or the profile name, a sidecar say, is not among them: the report names that.
pub fn evidence(request: &Request) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = request.exports.iter().filter(|path| path.as_os_str() != "-").cloned().collect();
    let beside = paths.iter().flat_map(|export| load::sidecars(std::slice::from_ref(export), &[])).collect::<Vec<_>>();
    paths.extend(beside);
    paths.extend(request.keys.iter().map(|(_, file)| file.clone()));
    paths.extend(request.manifest.clone());
    paths.extend(request.artefacts.clone());
    paths.extend(request.since.clone());
    // The name of a built-in profile is no file, unless there is one.
    paths.extend(request.profile.iter().map(PathBuf::from));
    if let Some((Pins::File(path), _)) = &request.witness {
        paths.push(path.clone());
    }
    paths
}
