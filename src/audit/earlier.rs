//! An earlier report: reading the file, and whether it still describes some files.
//!
//! Decided here: which files are compared with which part of the report, and how they are read: as an audit
//! reads them, so that a compressed one is hashed as it was then. No row is looked at.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{folder, interrupted, load};
use crate::pipeline::{Observer, Progress};
use crate::profile::{self, Plan};
use crate::read::{Access, Export, Limits, Shape};
use crate::report::Report;
use crate::report::described::{Described, Part, Seen};
use crate::report::read::{ReadBack, read};
use crate::stop::{Stop, StopCode};

/// The largest report that is read, in bytes.
const REPORT_BYTES: u64 = 256 << 20;

/// Bytes between two looks at whether the run is to end.
const STEP: u64 = 64 << 20;

/// Whether a report still describes some files.
#[derive(Clone, Debug)]
pub struct Description {
    /// The JSON report; `-` for standard input.
    pub report: PathBuf,
    /// The files, in the order of the report; a folder stands for the files that the report says it took of it.
    pub exports: Vec<PathBuf>,
    /// The id that was cited elsewhere.
    pub id: Option<String>,
    /// The profile, where it is none that is built in.
    pub profile: Option<String>,
}

/// The JSON report of this file, or of standard input for `-`.
///
/// # Errors
///
/// A stop for what cannot be read, and for what is no report that this version can show.
pub fn earlier(path: &Path) -> Result<ReadBack, Stop> {
    let name = path.display().to_string();
    let bytes = match name.as_str() {
        "-" => standard_input()?,
        _ => load::read_small(path, "report", REPORT_BYTES, StopCode::Report)?,
    };
    let text = String::from_utf8(bytes).map_err(|_| {
        Stop::new(StopCode::Report, format!("report {name}: it is not UTF-8 text"))
            .hint("give the JSON report, as --json or --report json=FILE writes it")
    })?;
    read(&text, &name)
}

fn standard_input() -> Result<Vec<u8>, Stop> {
    let stop = |why: String| {
        Stop::new(StopCode::Report, format!("report -: {why}")).hint("give the report as a file to see it whole")
    };
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(REPORT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| stop(error.to_string()))?;
    match bytes.len() as u64 > REPORT_BYTES {
        true => Err(stop(format!("larger than {REPORT_BYTES} bytes"))),
        false => Ok(bytes),
    }
}

/// Compare the files with what the report says of them.
///
/// # Errors
///
/// A stop where that cannot be done: no such report, files that cannot be read, the end by the user.
pub fn describes(wanted: &Description, observer: &dyn Observer) -> Result<Described, Stop> {
    let name = wanted.report.display().to_string();
    let (report, id) = match earlier(&wanted.report)? {
        ReadBack::Whole { report, id } => (*report, id),
        ReadBack::Altered { stated, found } => return Ok(Described::altered(name, stated, found)),
    };
    let shape = shape(&report, wanted.profile.as_deref())?;
    let paths = expand(&wanted.exports, &report)?;
    let export = Export::open_as(&paths, &shape, Access::default())?;
    let seen = hashed(&export, observer)?;
    let stated = report.subjects.iter().map(|subject| Part {
        name: subject.name.clone(),
        file: Seen { bytes: subject.bytes, sha256: subject.sha256.clone() },
        sidecar: subject.sidecar.as_ref().map(|sidecar| Seen { bytes: sidecar.bytes, sha256: sidecar.sha256.clone() }),
    });
    Ok(Described {
        name,
        id: id.clone(),
        altered: None,
        cited: wanted.id.clone(),
        verdict: Some(report.verdict),
        tool: report.environment.tool.clone(),
        made: report.environment.finished.clone(),
        arguments: report.environment.arguments.clone(),
        stated: stated.collect(),
        seen,
    })
}

/// How the rows stand in the files: bytes are the same in any way, but a sidecar is found by the profile alone.
fn shape(report: &Report, profile: Option<&str>) -> Result<Shape, Stop> {
    let facts = &report.profile;
    let fits = |plan: &Plan| plan.sha256 == facts.sha256;
    let plan = match profile {
        Some(profile) => Some(load::profile(profile)?),
        None => profile::builtin(&facts.name).ok().filter(fits),
    };
    if let Some(other) = plan.as_ref().filter(|plan| !fits(plan)) {
        let why = format!("profile {}: it is not the one of the report, which has sha256:{}", other.name, facts.sha256);
        return Err(
            Stop::new(StopCode::Profile, why).hint("give the profile's file as it was when the report was made")
        );
    }
    let beside = report.subjects.iter().any(|subject| subject.sidecar.is_some());
    match plan {
        Some(plan) => Ok(plan.input.shape()),
        None if beside || facts.in_document => {
            let why = format!("the report is of the profile {}, which is not built in", facts.name);
            Err(Stop::new(StopCode::Profile, why).hint("name it with --profile FILE.toml"))
        }
        None => Ok(Shape::default()),
    }
}

/// The files that are meant: for a folder those that the report says were taken of it. The report id does not
/// cover their names, so that these can lead to no file but one of the folder.
fn expand(exports: &[PathBuf], report: &Report) -> Result<Vec<PathBuf>, Stop> {
    let mut folders = report.environment.folders.iter();
    let mut paths = Vec::new();
    for export in exports {
        if !folder::is_folder(export) {
            paths.push(export.clone());
            continue;
        }
        let Some(known) = folders.next() else {
            let why = format!("{}: the report is of files, and this is a folder", export.display());
            return Err(Stop::new(StopCode::Usage, why).hint("name its files in the order of the report"));
        };
        for taken in &known.taken {
            paths.push(folder::named(export, &taken.name)?);
        }
    }
    Ok(paths)
}

/// Bytes and SHA-256 of each part and what stands beside it, as an audit takes them.
fn hashed(export: &Export, observer: &dyn Observer) -> Result<Vec<Part>, Stop> {
    let count = |export: &Export| (0..export.parts()).map(|_| (Sha256::new(), 0_u64)).collect::<Vec<_>>();
    let (mut parts, mut beside) = (count(export), export.sidecars().map(count).unwrap_or_default());
    let add = |sums: &mut [(Sha256, u64)], part: u32, bytes: &[u8]| {
        if let Some((digest, sum)) = sums.get_mut(part as usize) {
            digest.update(bytes);
            *sum += bytes.len() as u64;
        }
    };
    let mut batches = export.batches(Limits::default());
    let (mut buffer, mut bytes, mut looked) = (Vec::new(), 0, 0);
    while let Some(batch) = batches.next_into(std::mem::take(&mut buffer)) {
        let batch = batch.map_err(|error| export.stop(&error))?;
        add(&mut parts, batch.part, &batch.bytes);
        if let Some(lines) = &batch.beside {
            add(&mut beside, batch.part, &lines.bytes);
        }
        bytes += batch.bytes.len() as u64;
        if bytes - looked >= STEP {
            looked = bytes;
            let progress = Progress { bytes, total: None, rows: 0 };
            if !observer.advanced(progress) {
                return Err(interrupted(progress, 0));
            }
        }
        buffer = batch.bytes;
    }
    let seen =
        |(digest, bytes): (Sha256, u64)| Seen { bytes, sha256: data_encoding::HEXLOWER.encode(&digest.finalize()) };
    let beside = beside.into_iter().map(|sums| Some(seen(sums))).chain(std::iter::repeat_with(|| None));
    let part = |(index, (sums, sidecar)): (u32, ((Sha256, u64), Option<Seen>))| Part {
        name: export.path(index).display().to_string(),
        file: seen(sums),
        sidecar,
    };
    Ok((0..).zip(parts.into_iter().zip(beside)).map(part).collect())
}
