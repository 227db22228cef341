//! Pins and witnesses (arcaeon.md §5): a sample of the package's vectors, and R3 to R5, R8 and R9 of §10.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ledger_verify::profile;
use ledger_verify::trust::witness::Store;
use serde_json::{Value, json};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/arcaeon")
}

fn run(arguments: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let out =
        command.args(arguments).args(["--profile", "arcaeon", "--json"]).current_dir(data()).output().expect("it runs");
    (out.status.code(), serde_json::from_slice(&out.stdout).unwrap_or_else(|why| panic!("{why}: {out:?}")))
}

fn witnessed(ledger: &str, pins: &str, namespace: &str) -> (Option<i32>, Value) {
    run(&[ledger, "--witness", pins, "--namespace", namespace])
}

/// The one anchor of a report.
fn anchor(report: &Value) -> &Value {
    let anchors = report["anchors"].as_array().expect("anchors");
    assert_eq!(anchors.len(), 1, "{anchors:#?}");
    &anchors[0]
}

fn cases() -> Vec<Value> {
    let vectors: Value =
        serde_json::from_slice(&fs::read(data().join("witness.json")).expect("vectors")).expect("JSON");
    vectors["cases"].as_array().expect("cases").clone()
}

#[test]
fn every_store_has_its_word() {
    let cases = cases();
    assert!(cases.len() > 15);
    for case in cases {
        let text = |name: &str| case[name].as_str().expect("a text");
        let (code, report) = witnessed(text("ledger"), text("pins"), text("namespace"));
        let exits = case["exits"].as_array().expect("exit codes");
        assert!(exits.iter().any(|exit| exit.as_i64() == code.map(i64::from)), "{}: {code:?}", case["name"]);
        if code == Some(2) {
            assert_eq!(report["stop"]["code"], "witness", "{}", case["name"]);
            continue;
        }
        let anchor = anchor(&report);
        assert_eq!((&anchor["kind"], &anchor["verdict"]), (&json!("witness"), &case["verdict"]), "{}", case["name"]);
        let integrity = match case["store_ok"].as_bool() {
            Some(true) => "verified",
            Some(false) => "broken",
            None => "unestablished",
        };
        assert_eq!(anchor["self_integrity"], integrity, "{}", case["name"]);
        let fault = report["finding_counts"]["head-mismatch"] == 1;
        assert_eq!(fault, ["truncated", "rewritten"].contains(&anchor["verdict"].as_str().expect("a word")));
    }
}

#[test]
fn the_chain_of_a_store_is_verified_as_the_package_does() {
    let form = profile::builtin("arcaeon").expect("the profile").form;
    for case in cases() {
        let Ok(bytes) = fs::read(data().join(case["pins"].as_str().expect("a path"))) else { continue };
        let store = Store::read(bytes.as_slice(), "ns", &form).expect("readable");
        let found = json!({ "pins": store.all, "chained": store.chained, "unchained": store.unchained, "breaks": store.breaks, "first_break": store.broken });
        assert_eq!(found, case["store"], "{}", case["name"]);
    }
}

#[test]
fn a_store_without_a_file_or_a_name_is_no_verdict() {
    let ledger = "witness/consistent.ledger.jsonl";
    assert_eq!(witnessed(ledger, "witness/absent", "ns").0, Some(2));
    assert_eq!(run(&[ledger, "--witness", "witness/consistent.pins.jsonl"]).0, Some(2));
    assert_eq!(run(&[ledger, "--namespace", "ns"]).0, Some(2));
}

/// What never ends is no store, and is not read for ever.
#[cfg(unix)]
#[test]
fn an_endless_store_is_no_verdict() {
    let (code, report) = witnessed("witness/consistent.ledger.jsonl", "/dev/zero", "ns");
    assert_eq!((code, report["stop"]["code"].as_str()), (Some(2), Some("witness")), "{report:#}");
    assert!(report["stop"]["message"].as_str().is_some_and(|why| why.contains("too long")), "{report:#}");
}

/// Records of a hosted witness: one, two by name, a list; compared without regard to case, never `verified`.
#[test]
fn hosted_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let pins = fs::read_to_string(data().join("witness/consistent.pins.jsonl")).expect("pins");
    let last: Value = serde_json::from_str(pins.lines().last().expect("a pin")).expect("JSON");
    let chain = last["chain"].as_str().expect("a digest").to_ascii_uppercase();
    let record = json!({ "namespace": "ns", "rows": last["rows"], "chain": chain, "pinned_at": "2026-01-01T00:00:00Z", "seq": 4 });
    let other = json!({ "namespace": "other", "rows": 3, "chain": "ab", "pinned_at": "x", "seq": 1 });
    let file = folder.path().join("pin.json");
    let path = file.to_str().expect("a path");
    for text in [
        record.to_string(),
        format!("{record:#}"),
        json!({ "agent": record, "tool": other }).to_string(),
        json!([other, record]).to_string(),
    ] {
        fs::write(&file, &text).expect("room");
        let (code, report) = witnessed("witness/consistent.ledger.jsonl", path, "ns");
        assert_eq!((code, &anchor(&report)["verdict"]), (Some(0), &json!("consistent")), "{text}");
        assert_eq!(anchor(&report)["self_integrity"], "unestablished", "{text}");
        assert_eq!(witnessed("witness/consistent.ledger.jsonl", path, "nobody").0, Some(3));
    }
}

/// The pin that `head` prints is what `--head` takes, and both its digest and its row count.
#[test]
fn the_pin_line_is_an_anchor() {
    let ledger = "witness/consistent.ledger.jsonl";
    let (code, head) = run(&["head", ledger]);
    assert_eq!(code, Some(0), "{head:#}");
    let pin = head["pins"][0]["pin"].as_str().expect("a pin").to_owned();
    assert!(
        pin.starts_with("arcaeon-ledger head chain=") && pin.contains(" rows=10 as_of=20") && pin.ends_with('Z'),
        "{pin}"
    );
    let (code, report) = run(&[ledger, "--head", &format!(" {pin}\n")]);
    assert_eq!((code, &anchor(&report)["verdict"], &anchor(&report)["rows"]), (Some(0), &json!("matches"), &json!(10)));
    for wrong in [pin.replace("rows=10", "rows=9"), pin.replace("rows=10", "rows=11"), pin.replace("rows=10", "rows=1")]
    {
        let (code, report) = run(&[ledger, "--head", &wrong]);
        assert_eq!((code, &report["finding_counts"]["head-mismatch"]), (Some(1), &json!(1)), "{wrong}");
    }
    // A pin over no row constrains nothing, and anchors nothing.
    let (code, report) =
        run(&[ledger, "--head", "arcaeon-ledger head chain=genesis rows=0 as_of=2026-01-01T00:00:00Z"]);
    assert_eq!((code, &report["finding_counts"]["no-anchor"]), (Some(3), &json!(1)));
    for no_pin in
        ["arcaeon-ledger head", &pin.replace("rows=10", "rows=+10"), &pin.to_ascii_uppercase(), &format!("{pin} x")]
    {
        assert_eq!(run(&[ledger, "--head", no_pin]).0, Some(2), "{no_pin}");
    }
    // The ledger went on: the rows behind the pin are not covered by it.
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, earlier) =
        (fs::read_to_string(data().join(ledger)).expect("rows"), folder.path().join("earlier.jsonl"));
    fs::write(&earlier, whole.split_inclusive('\n').take(6).collect::<String>()).expect("room");
    let (_, head) = run(&["head", earlier.to_str().expect("a path")]);
    let (code, report) = run(&[ledger, "--head", head["pins"][0]["pin"].as_str().expect("a pin")]);
    assert_eq!((code, &report["finding_counts"]["after-anchor"]), (Some(3), &json!(1)));
    assert_eq!(run(&["head", "witness/local_broken.ledger.jsonl"]).0, Some(1), "no pin of a broken ledger");
}

#[test]
fn hostile_text_in_pins_is_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pins.jsonl");
    fs::write(
        &file,
        "{\"namespace\":\"n\\u001b[2J\",\"rows\":3,\"chain\":\"\\u001b[2J\\u202e\",\"as_of\":\"\\u001b[2J\"}\n",
    )
    .expect("room");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.args(["witness/consistent.ledger.jsonl", "--profile", "arcaeon", "--namespace", "n\u{1b}[2J", "--witness"]);
    let out = command.arg(&file).current_dir(data()).output().expect("it runs");
    assert_eq!(out.status.code(), Some(1));
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
}

/// The whole of the package's vectors, where they are.
#[test]
fn all_witness_vectors() {
    let folder = data().join("../../../shared/formats/arcaeon");
    let Ok(index) = fs::read(folder.join("index.json")) else {
        return eprintln!("the vectors of arcaeon are not here: only the sample is run");
    };
    let index: Value = serde_json::from_slice(&index).expect("JSON");
    for case in index["witness"].as_array().expect("cases") {
        let path = |name: &str| folder.join(case[name].as_str().expect("a path")).to_str().expect("a path").to_owned();
        let (code, report) = witnessed(&path("ledger"), &path("pins"), case["namespace"].as_str().expect("a name"));
        if code == Some(2) {
            continue;
        }
        let word = case["recommended"].get("verdict").unwrap_or(&case["verdict"]);
        assert_eq!(&anchor(&report)["verdict"], word, "{}", case["name"]);
    }
}
