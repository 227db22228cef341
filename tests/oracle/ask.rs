//! Asking both verifiers, and putting their answers into one form.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledger_verify::audit::Request;
use ledger_verify::report::{Outcome, json};

use crate::mutate::{self, Case, Made, ManifestKind};
use crate::slow;

/// What both verifiers say: exit code, then line, code and number of each finding.
pub type Said = (u8, Vec<(Option<u64>, String, u64)>);

/// The files of a case, as the engine is handed them.
pub fn request(case: &Case, made: &Made, folder: &Path, threads: usize) -> Request {
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("a temporary file can be written");
        folder.join(name)
    };
    let _ = fs::remove_file(folder.join("export.manifest.json"));
    let manifest = match case.manifest {
        ManifestKind::Named(_) => Some(write("named.json", &made.manifest)),
        ManifestKind::Found(_) => {
            write("export.manifest.json", &made.manifest);
            None
        }
        ManifestKind::None => None,
    };
    let keys = made.keys.iter().enumerate().map(|(index, key)| {
        let pem = mutate::ledger::files::public_pem(key);
        (None, write(&format!("key-{index}.pem"), pem.as_bytes()))
    });
    Request {
        exports: vec![write("export.jsonl", &made.export)],
        keys: keys.collect(),
        manifest,
        heads: made.heads.clone(),
        profile: Some("void".to_owned()),
        max_findings: usize::MAX,
        max_row_bytes: case.max_row_bytes.unwrap_or(64 << 20),
        threads,
        ..Request::default()
    }
}

pub fn engine(outcome: &Outcome) -> Said {
    let Outcome::Report(report) = outcome else { return (2, Vec::new()) };
    let findings = report.findings.iter().map(|counted| {
        let finding = &counted.finding;
        (finding.place.map(|place| place.line), finding.code.name().to_owned(), counted.count)
    });
    (outcome.exit_code(), findings.collect())
}

/// The slow verifier's answer; notes are told together, as the engine tells them.
pub fn oracle(case: &Case, made: &Made) -> Said {
    let heads: Vec<slow::Pin> = made.heads.iter().filter_map(|text| pin(text)).collect();
    assert_eq!(heads.len(), made.heads.len(), "every head is well written");
    let manifest = Some(made.manifest.as_slice());
    let outcome = slow::judge(&slow::Question {
        manifest: manifest.filter(|_| matches!(case.manifest, ManifestKind::Named(_))),
        sidecar: manifest.filter(|_| matches!(case.manifest, ManifestKind::Found(_))),
        heads: &heads,
        max_row_bytes: case.max_row_bytes.unwrap_or(64 << 20),
        ..slow::Question::new(&made.export, &made.keys)
    });
    let mut notes = BTreeMap::new();
    for (_, code) in &outcome.findings {
        *notes.entry(*code).or_insert(0) += 1;
    }
    let mut told = Vec::new();
    for (line, code) in outcome.findings {
        match slow::class(code) {
            slow::Class::Note => told.extend(notes.remove(code).map(|count| (line, code.to_owned(), count))),
            slow::Class::Fault | slow::Class::Bound => told.push((line, code.to_owned(), 1)),
        }
    }
    (outcome.exit, told)
}

pub fn pin(text: &str) -> Option<slow::Pin> {
    let (digest, sequence) = text.split_once('@').map_or((text, None), |(digest, at)| (digest, Some(at)));
    let sequence = sequence.map(str::parse).transpose().ok()?;
    let heads_in_range = sequence.is_none_or(|sequence: u64| sequence < 1 << 53);
    let digest = slow::row::digest(&serde_json::Value::from(digest))?;
    heads_in_range.then_some(slow::Pin { digest, sequence })
}

/// Whether this is one chain: a second name must nowhere be able to start one.
pub fn is_one_chain(case: &Case, made: &Made) -> bool {
    let longest = case.max_row_bytes.unwrap_or(64 << 20);
    let lines = made.export.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
    let rows: Vec<slow::row::Row> = lines.filter_map(|line| slow::row::read(line, false, longest).ok()).collect();
    let announced = String::from_utf8_lossy(&made.manifest).into_owned();
    let Some(first) = rows.iter().find_map(|row| row.workspace.clone()) else { return true };
    let unnamed_start = rows.first().is_some_and(|row| row.workspace.is_none());
    if unnamed_start && case.manifest != ManifestKind::None && !announced.contains(&format!("\"{first}\"")) {
        return false;
    }
    let others = rows.iter().filter(|row| row.workspace.as_ref().is_some_and(|name| *name != first));
    let mut others = others.map(|row| (row.prev == Some([0; 32]), row.workspace.clone().unwrap_or_default()));
    !others.any(|(genesis, name)| {
        genesis || case.manifest != ManifestKind::None && announced.contains(&format!("\"{name}\""))
    })
}

/// The report as text, without where and how it was made.
pub fn text(outcome: &Outcome) -> String {
    let mut value = json::value(outcome);
    if let Some(members) = value.as_object_mut() {
        members.remove("environment");
    }
    value.to_string()
}
