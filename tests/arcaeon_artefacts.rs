//! Self-describing digests (arcaeon.md §7): the typed reasons, notes in a run, and copies that are hashed.

use std::fs;
use std::path::Path;
use std::process::Command;

use ledger_verify::trust::artefact::judge;
use ledger_verify::trust::dialect::{Canonical, Dialect};
use serde_json::{Value, json};

fn vectors() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/arcaeon/artefacts.json");
    serde_json::from_slice(&fs::read(path).expect("vectors")).expect("JSON")
}

#[test]
fn every_digest_has_its_reason() {
    let vectors = vectors();
    let cases = vectors["verify_artefact"].as_array().expect("cases");
    assert!(cases.len() > 30);
    let mut refused = 0;
    for case in cases {
        let mut dialect = Dialect::default();
        let text = case["artefact"].to_string();
        let found = judge(dialect.read(text.as_bytes()).expect("JSON").root());
        if case["recommended"]["digest_ok"] == false {
            // R6: where the reference follows Python's regular expressions and case folding too far.
            assert!(found.is_err(), "{}", case["name"]);
            refused += 1;
            continue;
        }
        let reason = found.err().map(|reason| reason.name());
        assert_eq!(reason, case["reason"].as_str(), "{}", case["name"]);
    }
    assert_eq!(refused, 2);
}

#[test]
fn json_is_hashed_by_its_recipe() {
    let vectors = vectors();
    let cases = vectors["digest_json"].as_array().expect("cases");
    assert!(cases.len() > 3);
    for case in cases {
        let mut dialect = Dialect::default();
        let text = case["value"].as_str().expect("a text");
        let Ok(row) = dialect.read(text.as_bytes()) else { panic!("{text}") };
        let digest = Canonical::compact().digest(row.root()).map(|digits| format!("sha256:json-c14n:v1:{digits}"));
        assert_eq!(digest.as_deref(), case["digest"].as_str(), "{text}");
    }
}

/// A ledger whose rows carry these artefacts.
fn ledger(artefacts: &[Value]) -> String {
    use sha2::{Digest as _, Sha256};
    let mut before = "genesis".to_owned();
    let mut out = String::new();
    for artefact in artefacts {
        let mut row = json!({ "artefact": artefact });
        let mut dialect = Dialect::default();
        let mut canonical = Canonical::spaced(&[]);
        let text = row.to_string();
        let body = canonical.bytes(dialect.read(text.as_bytes()).expect("JSON").root()).expect("bytes");
        let digest = Sha256::digest([before.as_bytes(), body].concat());
        before = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        row["chain"] = before.as_str().into();
        out.push_str(&format!("{row}\n"));
    }
    out
}

const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const A1: &str = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862";

fn named(name: &str, recipe: &str, hex: &str) -> Value {
    json!({ "subject": { "name": name, "digest": { "sha256": hex } }, "digest": format!("sha256:{recipe}:v1:{hex}") })
}

fn run(folder: &Path, more: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.args(["ledger.jsonl", "--profile", "arcaeon", "--accept", "no-anchor", "--json"]).args(more);
    let out = command.current_dir(folder).output().expect("it runs");
    let report: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|why| panic!("{why}: {out:?}"));
    assert_eq!(report["exit_code"].as_i64(), out.status.code().map(i64::from));
    report
}

#[test]
fn a_digest_that_contradicts_itself_is_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let md5 = json!({ "digest": format!("md5:raw-bytes:v1:{HELLO}") });
    let v9 = json!({ "digest": format!("sha256:json-c14n:v9:{HELLO}") });
    let hello = json!({ "digest": "sha256:raw-bytes:v1:hello" });
    fs::write(folder.path().join("ledger.jsonl"), ledger(&[named("a", "raw-bytes", HELLO), md5, v9, hello]))
        .expect("room");
    let report = run(folder.path(), &[]);
    assert_eq!(report["exit_code"], 0, "{:#}", report["findings"]);
    assert_eq!(report["finding_counts"], json!({ "artefact-inconsistent": 3, "no-anchor": 1 }));
    let findings = report["findings"].as_array().expect("findings");
    let note = findings.iter().find(|finding| finding["code"] == "artefact-inconsistent").expect("a note");
    assert_eq!((&note["found"], &note["line"]), (&json!("unknown_algorithm"), &json!(2)));
}

#[test]
fn copies_are_hashed_and_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let copies = folder.path().join("copies");
    fs::create_dir(&copies).expect("a folder");
    fs::write(copies.join("hello.txt"), "hello").expect("room");
    fs::write(copies.join("a.json"), "{ \"a\" : 1 }\n").expect("room");
    let rows = [
        named("hello.txt", "raw-bytes", HELLO),
        named("a.json", "json-c14n", A1),
        named("absent.txt", "raw-bytes", HELLO),
        named("../ledger.jsonl", "raw-bytes", HELLO),
    ];
    fs::write(folder.path().join("ledger.jsonl"), ledger(&rows)).expect("room");
    let report = run(folder.path(), &["--artefacts", "copies"]);
    assert_eq!(report["exit_code"], 0, "{:#}", report["findings"]);
    assert_eq!(report["finding_counts"]["artefact-unchecked"], 2, "nothing outside the folder is read");
    fs::write(copies.join("hello.txt"), "hallo").expect("room");
    let report = run(folder.path(), &["--artefacts", "copies"]);
    assert_eq!((&report["exit_code"], &report["finding_counts"]["bind-mismatch"]), (&json!(1), &json!(1)));
    assert_eq!(report["findings"][0]["line"], 1);
    // Without the folder nothing is compared.
    assert_eq!(run(folder.path(), &[])["exit_code"], 0);
}
