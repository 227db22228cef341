//! Receipts of both kinds (arcaeon.md §8): the words of the format, exit codes, and what a hostile one must not do.
//!
//! A sample of the package's vectors is in testdata; all of them run where they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders that hold vectors.
fn folders() -> Vec<PathBuf> {
    let whole = root().join("../shared/formats/arcaeon");
    if !whole.exists() {
        eprintln!("the vectors of arcaeon are not here: only the sample is run");
    }
    [root().join("testdata/arcaeon"), whole].into_iter().filter(|folder| folder.exists()).collect()
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let out =
        Command::new(env!("CARGO_BIN_EXE_ledger-verify")).arg("receipt").args(arguments).output().expect("it runs");
    (out.status.code(), String::from_utf8(out.stdout).expect("UTF-8"))
}

fn json(arguments: &[&str]) -> Value {
    let (code, out) = run(&[arguments, &["--json"]].concat());
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|why| panic!("{arguments:?}: {why}: {out}"));
    assert_eq!(report["exit_code"].as_i64(), code.map(i64::from), "{arguments:?}");
    report
}

fn cases(folder: &Path, file: &str) -> Vec<Value> {
    let vectors: Value = serde_json::from_slice(&fs::read(folder.join(file)).expect("vectors")).expect("JSON");
    vectors["cases"].as_array().expect("cases").clone()
}

fn written(folder: &Path, name: &str, value: &Value, text: &Value) -> String {
    let path = folder.join(name);
    fs::write(&path, text.as_str().map_or_else(|| value.to_string(), str::to_owned)).expect("room");
    path.to_str().expect("a path").to_owned()
}

#[test]
fn receipts_over_a_ledger() {
    let temporary = tempfile::tempdir().expect("a folder");
    for folder in folders() {
        let cases = cases(&folder, "receipts.json");
        assert!(cases.len() >= 9);
        for case in cases {
            let name = case["name"].as_str().expect("a name");
            let file = written(temporary.path(), "receipt.json", &case["receipt"], &case["receipt_text"]);
            let ledger = case["ledger"].as_str().map(|ledger| folder.join(ledger).to_str().expect("a path").to_owned());
            let mut arguments = vec![file.as_str()];
            arguments.extend(ledger.iter().flat_map(|ledger| ["--ledger", ledger]));
            let (report, wanted) = (json(&arguments), &case["result"]);
            for member in ["ok", "body_digest_ok", "ledger_status", "witness", "attestation_signature"] {
                assert_eq!(report[member], wanted[member], "{name}: {member}: {report:#}");
            }
            assert_eq!(report["duplicate_keys"].is_null(), wanted["duplicate_keys"].is_null(), "{name}");
            let open = wanted["ledger_status"] == "not_checked" || wanted["attestation_signature"] == "could_not_look";
            let code = match (wanted["ok"].as_bool(), open) {
                (Some(true), false) => 0,
                (Some(true), true) => 3,
                _ => 1,
            };
            assert_eq!(report["exit_code"], code, "{name}: {report:#}");
            assert_eq!(report["reasons"].as_array().map(Vec::is_empty), wanted["ok"].as_bool(), "{name}");
        }
    }
}

#[test]
fn signed_grades() {
    let temporary = tempfile::tempdir().expect("a folder");
    for folder in folders() {
        let cases = cases(&folder, "vet_receipts.json");
        assert!(cases.len() >= 11);
        for case in cases {
            let name = case["name"].as_str().expect("a name");
            let file = written(temporary.path(), "receipt.json", &case["receipt"], &Value::Null);
            if name == "not_object" {
                assert_eq!(json(&[&file])["ok"], false, "{name}");
                continue;
            }
            let grade = written(temporary.path(), "grade.json", &case["grade"], &Value::Null);
            let mut arguments = vec![file.as_str()];
            if !case["grade"].is_null() {
                arguments.extend(["--grade", &grade]);
            }
            let (report, wanted) = (json(&arguments), &case["result"]);
            for member in ["verified", "bound_to_grade", "signer"] {
                assert_eq!(report[member], wanted[member], "{name}: {member}: {report:#}");
            }
            let count = |value: &Value| value.as_array().map(Vec::len);
            assert_eq!(count(&report["reasons"]), count(&wanted["reasons"]), "{name}: {report:#}");
            // Whose key it is only the user can know.
            assert_eq!(report["exit_code"], if wanted["verified"] == true { 3 } else { 1 }, "{name}");
        }
    }
}

#[test]
fn the_key_and_the_audience_come_from_outside() {
    let temporary = tempfile::tempdir().expect("a folder");
    let cases = cases(&root().join("testdata/arcaeon"), "vet_receipts.json");
    let good = cases.iter().find(|case| case["name"] == "good").expect("a good one");
    let file = written(temporary.path(), "receipt.json", &good["receipt"], &Value::Null);
    let key = temporary.path().join("key.b64");
    fs::write(&key, good["receipt"]["pubkey_b64"].as_str().expect("a key")).expect("room");
    let key = key.to_str().expect("a path");
    assert_eq!(run(&[&file, "--key", key]).0, Some(0));
    assert_eq!(run(&[&file, "--key", key, "--audience", "urn:mcp-vet:public"]).0, Some(0));
    assert_eq!(run(&[&file, "--key", key, "--audience", "urn:other"]).0, Some(1));
    let other = temporary.path().join("other.b64");
    fs::write(&other, "dqHDHUiYh1J5Eha8R0WZ6bW7C9JYR5cX5/8dy/b8N/g=").expect("room");
    let (code, _) = run(&[&file, "--key", other.to_str().expect("a path")]);
    assert!(code == Some(1) || code == Some(2), "another key is no pass: {code:?}");
    assert_eq!(run(&[&file, "--ledger", "testdata/arcaeon/receipts/ledger.jsonl"]).0, Some(2), "it is over no ledger");
}

/// What was not checked is named, and does not change the exit code.
#[test]
fn what_was_not_checked_is_named() {
    let temporary = tempfile::tempdir().expect("a folder");
    let data = root().join("testdata/arcaeon");
    let all = cases(&data, "receipts.json");
    let is_good = |case: &&Value| case["result"]["ledger_status"] == "consistent" && case["result"]["ok"] == true;
    let good = all.iter().find(is_good).expect("a good one");
    let ledger = data.join(good["ledger"].as_str().expect("a ledger"));
    let ledger = ledger.to_str().expect("a path");
    let mut receipt = good["receipt"].clone();
    for member in ["witness", "anchor", "attestation_signature"] {
        receipt[member] = Value::Null;
    }
    let open = |receipt: &Value| {
        let file = written(temporary.path(), "receipt.json", receipt, &Value::Null);
        let report = json(&[&file, "--ledger", ledger]);
        (report["exit_code"].clone(), report["open"].clone(), run(&[&file, "--ledger", ledger]).1)
    };
    let (code, list, _) = open(&receipt);
    assert_eq!((code, list), (0.into(), Value::Array(Vec::new())));
    let block = &receipt["ledger"];
    receipt["witness"] =
        serde_json::json!({ "rows": block["rows"], "chain": block["chain"], "namespace": block["namespace"] });
    receipt["anchor"] = "an OpenTimestamps proof".into();
    let (code, list, text) = open(&receipt);
    let wanted = ["witness: claimed, not checked", "anchor: not checked"];
    assert_eq!((code, list), (0.into(), serde_json::json!(wanted)));
    assert!(wanted.iter().all(|what| text.contains(what)), "{text}");

    let cases = cases(&data, "vet_receipts.json");
    let good = cases.iter().find(|case| case["name"] == "good").expect("a good one");
    let file = written(temporary.path(), "receipt.json", &good["receipt"], &Value::Null);
    let key = temporary.path().join("key.b64");
    fs::write(&key, good["receipt"]["pubkey_b64"].as_str().expect("a key")).expect("room");
    let (code, text) = run(&[&file, "--key", key.to_str().expect("a path")]);
    assert!(code == Some(0) && text.contains("grade not compared"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_device_is_no_ledger() {
    let temporary = tempfile::tempdir().expect("a folder");
    let cases = cases(&root().join("testdata/arcaeon"), "receipts.json");
    let file = written(temporary.path(), "receipt.json", &cases[0]["receipt"], &cases[0]["receipt_text"]);
    assert_eq!(run(&[&file, "--ledger", "/dev/zero"]).0, Some(2));
}

#[test]
fn hostile_text_is_escaped() {
    let temporary = tempfile::tempdir().expect("a folder");
    let cases = cases(&root().join("testdata/arcaeon"), "vet_receipts.json");
    let mut receipt = cases.iter().find(|case| case["name"] == "good").expect("a good one")["receipt"].clone();
    receipt["payload"]["iss"] = "\u{1b}[2J\u{202e}did:key".into();
    let file = written(temporary.path(), "receipt.json", &receipt, &Value::Null);
    let (code, text) = run(&[&file]);
    assert_eq!(code, Some(1));
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
    for text in ["", "{", "\u{feff}{}", "[[[[", "nul"] {
        fs::write(temporary.path().join("receipt.json"), text).expect("room");
        assert_eq!(run(&[&file]).0, Some(1), "{text:?} is no receipt");
    }
    assert_eq!(run(&["/nonexistent/receipt.json"]).0, Some(2));
}
