//! The engine against the slow verifier, on small ledgers with something wrong.
//!
//! Whatever is done to an export, its manifest, keys and heads, both must give the same exit code and
//! the same findings in the same order; and the engine must give the same report to the byte with any
//! number of threads and wherever batches end.
//!
//! The domain is the slow verifier's: one part, one chain. `PROPTEST_CASES=20000 cargo test --release
//! --test oracle` runs long.

#[path = "mutate/mod.rs"]
mod mutate;
#[allow(unused_imports, reason = "the baseline of the benches is not asked here")]
#[path = "../benches/slow/mod.rs"]
mod slow;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledger_verify::audit::{self, Request};
use ledger_verify::finding::{Class, Policy};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, Outcome, json};
use mutate::{Case, Made, ManifestKind};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Cases unless the environment says otherwise: seconds in a debug build.
const CASES: u32 = 300;

/// What both verifiers say: exit code, then line, code and number of each finding.
type Said = (u8, Vec<(Option<u64>, String, u64)>);

/// The files of a case, as the engine is handed them.
fn request(case: &Case, made: &Made, folder: &Path, threads: usize) -> Request {
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
        profile: "void".to_owned(),
        recipe: None,
        policy: Policy::default(),
        max_findings: usize::MAX,
        max_row_bytes: case.max_row_bytes.unwrap_or(64 << 20),
        threads,
    }
}

fn engine(outcome: &Outcome) -> Said {
    let Outcome::Report(report) = outcome else { return (2, Vec::new()) };
    let findings = report.findings.iter().map(|counted| {
        let finding = &counted.finding;
        (finding.place.map(|place| place.line), finding.code.name().to_owned(), counted.count)
    });
    (outcome.exit_code(), findings.collect())
}

/// The slow verifier's answer; notes are told together, as the engine tells them.
fn oracle(case: &Case, made: &Made) -> Said {
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

fn pin(text: &str) -> Option<slow::Pin> {
    let (digest, sequence) = text.split_once('@').map_or((text, None), |(digest, at)| (digest, Some(at)));
    let sequence = sequence.map(str::parse).transpose().ok()?;
    let heads_in_range = sequence.is_none_or(|sequence: u64| sequence < 1 << 53);
    let digest = slow::row::digest(&serde_json::Value::from(digest))?;
    heads_in_range.then_some(slow::Pin { digest, sequence })
}

/// Whether this is one chain: a second name must nowhere be able to start one.
fn is_one_chain(case: &Case, made: &Made) -> bool {
    let longest = case.max_row_bytes.unwrap_or(64 << 20);
    let lines = made.export.split(|&byte| byte == b'\n');
    let lines = lines.map(|line| line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
    let rows: Vec<slow::row::Row> = lines.filter_map(|line| slow::row::read(line, false, longest).ok()).collect();
    let Some(first) = rows.iter().find_map(|row| row.workspace.clone()) else { return true };
    let others = rows.iter().filter(|row| row.workspace.as_ref().is_some_and(|name| *name != first));
    let announced = String::from_utf8_lossy(&made.manifest).into_owned();
    let mut others = others.map(|row| (row.prev == Some([0; 32]), row.workspace.clone().unwrap_or_default()));
    !others.any(|(genesis, name)| {
        genesis || case.manifest != ManifestKind::None && announced.contains(&format!("\"{name}\""))
    })
}

/// The report as text, without where and how it was made.
fn text(outcome: &Outcome) -> String {
    let mut value = json::value(outcome);
    if let Some(members) = value.as_object_mut() {
        members.remove("environment");
    }
    value.to_string()
}

/// Ask both; `None` if they agree or the case is outside the domain.
fn differs(case: &Case, folder: &Path, turn: u64) -> Result<(), TestCaseError> {
    let made = case.make();
    // A head beyond the numbers of the format is bad usage, which the slow verifier does not know.
    prop_assume!(made.heads.iter().all(|head| pin(head).is_some()));
    let request = request(case, &made, folder, 1);
    let outcome = audit::run(&request, Environment::default());
    let usual = text(&outcome);
    let threads = Request { threads: 7, ..request.clone() };
    let sizes = |batch_bytes: usize, window_bytes: usize| Sizes { batch_bytes, window_bytes };
    let cuts = [sizes(1, 1), sizes(1, 4_000), sizes(700, 1), sizes(1_000, 2_500)];
    let cut = cuts[turn as usize % cuts.len()];
    prop_assert_eq!(&text(&audit::run_cut(&request, Environment::default(), cut)), &usual, "cut as {:?}", cut);
    if turn % 5 == 0 {
        let many = audit::run_cut(&threads, Environment::default(), cut);
        prop_assert_eq!(&text(&many), &usual, "7 threads");
    }
    prop_assume!(is_one_chain(case, &made));
    prop_assert_eq!(engine(&outcome), oracle(case, &made), "engine and slow verifier, {:?}", made.heads);
    Ok(())
}

#[test]
fn the_engine_says_what_the_slow_verifier_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut config =
        ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let mut turn = 0;
    let turn = std::cell::RefCell::new(&mut turn);
    let outcome = TestRunner::new(config).run(&mutate::case(), |case| {
        **turn.borrow_mut() += 1;
        differs(&case, folder.path(), case.seed)
    });
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

/// The comparison can fail: a finding more or less is seen.
#[test]
fn notes_are_the_only_findings_told_together() {
    for code in ledger_verify::finding::Code::ALL {
        let slow = match slow::class(code.name()) {
            slow::Class::Fault => Class::Fault,
            slow::Class::Bound => Class::Bound,
            slow::Class::Note => Class::Note,
        };
        // Codes of other formats stand nowhere in the slow verifier's table.
        if slow != Class::Fault || code.class() == Class::Fault {
            assert_eq!(slow, code.class(), "{}", code.name());
        }
    }
}
