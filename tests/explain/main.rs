//! Explanations against the check that they explain, and near misses against ledgers that are made with
//! exactly that deviation.

mod near;
mod parts;
mod shown;
mod signatures;

use std::fs;
use std::path::Path;

use ledger_verify::audit::{self, Request, Wanted};
use ledger_verify::report::explained::Explained;
use ledger_verify::stop::Stop;

/// The explanation of a row of this export, in the format of this TOML text or built-in name.
fn explained(export: &[u8], profile: &str, keys: &[&Path], wanted: &Wanted) -> Result<Explained, Stop> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("export.jsonl");
    fs::write(&path, export).expect("an export");
    let mut name = profile.to_owned();
    if profile.contains('\n') {
        let file = folder.path().join("profile.toml");
        fs::write(&file, profile).expect("a profile");
        name = file.to_string_lossy().into_owned();
    }
    let request = Request {
        exports: vec![path],
        keys: keys.iter().map(|key| (None, key.to_path_buf())).collect(),
        profile: Some(name),
        max_findings: 0,
        threads: 1,
        ..Request::default()
    };
    audit::explain(&request, wanted, &())
}

fn line(line: u64) -> Wanted {
    Wanted::Line { file: None, line }
}
