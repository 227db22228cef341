//! What is read before the export besides keys and pinned heads: profile, manifest.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Request;
use crate::check::algorithm;
use crate::check::ed25519::{Choice, Judge};
use crate::fact::AnchorKind;
use crate::finding::{Code, Finding, Notes, Tally};
use crate::profile::{self, Bound, HeadPlan, Plan};
use crate::read::Export;
use crate::stop::{Stop, StopCode};
use crate::trust::anchor::{Manifest, Seal};
use crate::trust::keyring::Keyring;
use crate::trust::manifest::{self, Entry};

/// The largest manifest that is read, in bytes.
const MANIFEST_BYTES: u64 = 64 << 20;

/// The largest profile that is read, in bytes.
const PROFILE_BYTES: u64 = 1 << 20;

/// The profile: a built-in name or a file.
pub(super) fn profile(name: &str) -> Result<Plan, Stop> {
    let is_file = name.ends_with(".toml") || name.contains(std::path::MAIN_SEPARATOR);
    if !is_file {
        return profile::builtin(name);
    }
    let bytes = read_small(Path::new(name), "profile", PROFILE_BYTES, StopCode::Profile)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Stop::new(StopCode::Profile, format!("profile {name} is not UTF-8 text")))?;
    profile::from_toml(&text, name)
}

/// The judge of Ed25519 signatures.
///
/// # Errors
///
/// A stop where the processor does not have it.
pub(super) fn judge(choice: Choice) -> Result<Judge, Stop> {
    Judge::of(choice).ok_or_else(|| {
        Stop::new(StopCode::Usage, "--signatures ifma: this processor has no AVX-512 IFMA")
            .hint("--signatures auto takes the fastest engine that it has")
    })
}

/// Whether copies of artefacts can be compared: the format has them, and the folder is one.
///
/// # Errors
///
/// A stop for a folder that is none, and for a format whose rows name no artefacts.
pub(super) fn artefacts(folder: Option<&Path>, plan: &Plan) -> Result<(), Stop> {
    let Some(folder) = folder else { return Ok(()) };
    let shown = folder.display();
    if plan.fields.artefact.is_none() {
        let why = format!("--artefacts {shown}: rows of the format {} name no artefacts", plan.name);
        return Err(
            Stop::new(StopCode::Usage, why).hint("leave it out, or name the profile whose [fields] has artefact")
        );
    }
    let stop = |why: String| Stop::new(StopCode::Unreadable, format!("--artefacts {shown}: {why}"));
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(stop("this is no folder".to_owned()).hint("give the folder that holds the copies")),
        Err(error) => Err(stop(format!("cannot be read: {error}")).hint("check the path of the copies")),
    }
}

/// Whether every part stands in a folder, where rows name files in it.
///
/// # Errors
///
/// A stop for a stream.
pub(super) fn has_folders(export: &Export, plan: &Plan) -> Result<(), Stop> {
    let names_files = plan.binds.iter().any(|bind| matches!(bind.bound, Bound::File(_)));
    let stream = (0..export.parts()).find(|part| names_files && !export.is_file(*part));
    let Some(part) = stream else { return Ok(()) };
    let name = export.path(part).display().to_string();
    let name = if name == "-" { "standard input" } else { &name };
    Err(Stop::new(
        StopCode::Unreadable,
        format!("{name}: its rows name files beside it, and a stream stands in no folder"),
    )
    .hint("save it to a file in the folder of these files"))
}

/// The manifest that was named, or the one found beside the export with these parts.
pub(super) fn manifest(
    request: &Request,
    parts: &[PathBuf],
    plan: &Plan,
    keys: &Keyring,
    tally: &mut Tally,
) -> Result<Option<Manifest>, Stop> {
    let Some(head) = &plan.head else {
        return match &request.manifest {
            Some(path) => Err(Stop::new(
                StopCode::Manifest,
                format!("manifest {}: the profile {} does not say how a manifest is read", path.display(), plan.name),
            )),
            None => Ok(None),
        };
    };
    let sealed = |entries: Vec<Entry>, kind| Manifest {
        kind,
        entries: entries
            .into_iter()
            .map(|entry| (seal(&entry, head, keys), entry))
            .map(|(seal, entry)| (entry, seal))
            .collect(),
    };
    if let Some(path) = &request.manifest {
        let bytes = read_small(path, "manifest", MANIFEST_BYTES, StopCode::Manifest)?;
        return match manifest::read(&bytes, head, &plan.form) {
            Ok(entries) => Ok(Some(sealed(entries, AnchorKind::Manifest))),
            Err(wrong) => Err(Stop::new(StopCode::Manifest, format!("manifest {} {wrong}", path.display()))
                .hint("ask the exporter for the manifest again, or run without it: the verdict is bounded then")),
        };
    }
    let places = sidecars(&request.exports, parts).into_iter().filter(|path| !parts.contains(path));
    let mut found = places.filter_map(|path| std::fs::metadata(&path).ok().map(|metadata| (path, metadata)));
    let Some((path, metadata)) = found.next() else { return Ok(None) };
    if let Some((other, _)) = found.next() {
        // Which of them counts is not ours to say: one may show what the other hides.
        let text = format!("two manifests were found: {} and {}", path.display(), other.display());
        return Err(Stop::new(StopCode::Manifest, text).hint("name the one that counts with --manifest FILE"));
    }
    // Only what is named by the user may be waited for: a pipe beside the export is no manifest.
    let read = match metadata.is_file() {
        true => read_small(&path, "manifest", MANIFEST_BYTES, StopCode::Manifest).map_err(|stop| stop.message),
        false => Err(format!("manifest {}: not a regular file", path.display())),
    };
    match read.and_then(|bytes| manifest::read(&bytes, head, &plan.form)) {
        Ok(entries) => Ok(Some(sealed(entries, AnchorKind::Sidecar))),
        Err(wrong) => {
            let mut notes = Notes::default();
            notes.push(Finding::new(Code::SidecarIgnored, None).found(wrong));
            tally.note(notes);
            Ok(None)
        }
    }
}

/// Where a manifest is looked for, the first place first: beside a file; beside a folder or in it, or beside
/// the only file that is taken of it. Several files have none.
pub(super) fn sidecars(exports: &[PathBuf], parts: &[PathBuf]) -> Vec<PathBuf> {
    match (exports, parts) {
        ([export], _) if export.is_dir() => {
            let beside = export.canonicalize().ok().and_then(|folder| {
                let mut name = export.file_name().or(folder.file_name())?.to_owned();
                name.push(".manifest.json");
                Some(export.file_name().map_or_else(|| folder.with_file_name(&name), |_| export.with_file_name(&name)))
            });
            let only = if let [part] = parts { Some(sidecar(part)) } else { None };
            beside.into_iter().chain([export.join("manifest.json")]).chain(only).collect()
        }
        ([export], _) => vec![sidecar(export)],
        _ => Vec::new(),
    }
}

/// Where a manifest is looked for beside a file: `export.manifest.json` beside `export.jsonl`, compressed or not.
fn sidecar(export: &Path) -> PathBuf {
    let compressed = export.extension().is_some_and(|extension| extension == "gz" || extension == "zst");
    let plain = if compressed { export.with_extension("") } else { export.to_owned() };
    plain.with_extension("manifest.json")
}

/// Whether an entry's signature holds under a key that may sign for its chain.
fn seal(entry: &Entry, head: &HeadPlan, keys: &Keyring) -> Seal {
    let HeadPlan::Json(head) = head else { return Seal::None };
    let (Some(signature), Some(plan)) = (&entry.signature, &head.signature) else { return Seal::None };
    let given = keys.of(plan.key);
    let mut may_sign = given.filter(|(_, trusted, _)| trusted.may_sign_for(None, entry.chain.as_deref())).peekable();
    if may_sign.peek().is_none() {
        return Seal::None;
    }
    let holds = signature
        .bytes
        .as_ref()
        .and_then(|bytes| may_sign.find(|(_, _, key)| algorithm::verify(&plan.scheme, key, &signature.message, bytes)));
    holds.map_or(Seal::Broken, |(index, ..)| Seal::Holds(index))
}

/// The bytes of a file that is held in memory whole, `most` of them.
pub(super) fn read_small(path: &Path, what: &str, most: u64, code: StopCode) -> Result<Vec<u8>, Stop> {
    let stop = |why: String| {
        Stop::new(code, format!("{what} {}: {why}", path.display())).hint(format!("check the path of the {what}"))
    };
    let mut bytes = Vec::new();
    // One byte more than allowed shows that there is more, also where a length cannot be told.
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| stop(error.to_string()))?;
    match bytes.len() as u64 > most {
        true => Err(stop(format!("larger than {most} bytes"))),
        false => Ok(bytes),
    }
}
