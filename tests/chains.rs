//! More chains than are kept apart: a stop, unless a fault was found before.

use std::fs;
use std::path::Path;

use ledger_verify::audit::{Request, run};
use ledger_verify::chain::MAX_CHAINS;
use ledger_verify::report::{Environment, Outcome, json};
use ledger_verify::stop::StopCode;

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

/// So many chains of two rows each, one behind the other.
fn export(chains: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for chain in 0..chains {
        let job = ledger::Job { rows: 2, workspace: format!("w{chain}"), ..ledger::Job::default() };
        ledger::write_export(&job, &mut out).expect("a Vec takes every byte");
    }
    out
}

fn outcome(folder: &Path, bytes: &[u8], max_chains: usize) -> Outcome {
    let path = folder.join("export.jsonl");
    fs::write(&path, bytes).expect("a temporary file can be written");
    let request =
        Request { exports: vec![path], profile: Some("void".to_owned()), max_chains, threads: 2, ..Request::default() };
    run(&request, Environment::default(), &())
}

#[test]
fn as_many_as_allowed_and_one_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = export(5);
    let whole = json::value(&outcome(folder.path(), &bytes, 5));
    assert_eq!((&whole["exit_code"], whole["chains"].as_array().map(Vec::len)), (&3.into(), Some(5)));
    let Outcome::Stop(stop) = outcome(folder.path(), &bytes, 4) else { panic!("four chains are allowed") };
    assert_eq!(stop.code, StopCode::Chains);
    assert!(stop.message.ends_with("line 9 starts one chain more than 4"), "{}", stop.message);
    assert_eq!(json::value(&outcome(folder.path(), &bytes, MAX_CHAINS)), whole);
}

#[test]
fn a_fault_found_before_outranks_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut bytes = b"{}\n".to_vec();
    bytes.extend(export(5));
    let report = json::value(&outcome(folder.path(), &bytes, 4));
    assert_eq!((&report["verdict"], &report["unfinished"]), (&"broken".into(), &true.into()));
    assert_eq!(report["finding_counts"]["field-missing"], 1);
    assert!(report["unfinished_reason"].as_str().is_some_and(|why| why.contains("line 10 starts one chain more")));
    // A fault behind it was not seen, and nothing is said of the ledger.
    bytes.drain(..3);
    bytes.extend(b"{}\n");
    assert_eq!(outcome(folder.path(), &bytes, 4).exit_code(), 2);
}
