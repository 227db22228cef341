//! How chains begin: with a genesis that the user gives, and after rows that are no part of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The digest is over the link and a text; the chain starts with what the user says.
const PROFILE: &str = r#"
[profile]
name = "beginnings"
[fields]
prev = "prev"
hash = "hash"
[chain]
genesis = { param = true }
[[hash]]
preimage = [{ prev = "utf8" }, ":", { field = "text" }]
"#;

fn row(prev: &str, text: &str) -> (String, String) {
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(format!("{prev}:{text}")));
    (format!("{{\"text\":\"{text}\",\"prev\":\"{prev}\",\"hash\":\"{hash}\"}}\n"), hash)
}

fn chain(genesis: &str) -> String {
    let (first, hash) = row(genesis, "one");
    let (second, hash) = row(&hash, "two");
    let (third, _) = row(&hash, "three");
    first + &second + &third
}

/// The exit code and the report of this export under this profile.
fn report(folder: &Path, profile: &str, export: &str, more: &[&str]) -> (Option<i32>, Value) {
    fs::write(folder.join("profile.toml"), profile).expect("a profile");
    fs::write(folder.join("export.jsonl"), export).expect("an export");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(folder).args(["export.jsonl", "--profile", "profile.toml", "--json"]).args(more);
    let output = command.output().expect("the program runs");
    (output.status.code(), serde_json::from_slice(&output.stdout).expect("a report"))
}

fn codes(report: &Value) -> Vec<(String, Option<u64>)> {
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|finding| (finding["code"].as_str().unwrap_or_default().to_owned(), finding["line"].as_u64()))
        .collect()
}

#[test]
fn a_genesis_that_the_user_gives() {
    let folder = tempfile::tempdir().expect("a folder");
    let export = chain("the beginning");
    let (code, told) = report(folder.path(), PROFILE, &export, &["--genesis", "the beginning"]);
    assert_eq!((code, codes(&told)), (Some(3), vec![("no-anchor".to_owned(), None)]));
    // Another text is no genesis, and no digest either.
    let (code, told) = report(folder.path(), PROFILE, &export, &["--genesis", "another"]);
    assert_eq!((code, codes(&told)[0].clone()), (Some(1), ("field-malformed".to_owned(), Some(1))));
    let (code, told) = report(folder.path(), PROFILE, &export, &[]);
    assert_eq!((code, &told["stop"]["code"]), (Some(2), &Value::from("usage")));
    let fixed = PROFILE.replace("{ param = true }", "\"the beginning\"");
    let (code, told) = report(folder.path(), &fixed, &export, &["--genesis", "the beginning"]);
    assert_eq!((code, &told["stop"]["code"]), (Some(2), &Value::from("usage")));
}

#[test]
fn rows_before_the_chain_starts_are_a_bound_and_later_ones_a_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let strict = PROFILE.replace("{ param = true }", "\"\"");
    let profile = strict.replace("[[hash]]", "prechain = \"bound\"\n[[hash]]");
    let before = "{\"text\":\"old\"}\n{\"text\":\"older\",\"prev\":null}\n";
    let (code, told) = report(folder.path(), &profile, &(before.to_owned() + &chain("")), &[]);
    let bound = |line| ("prechain-rows".to_owned(), Some(line));
    assert_eq!((code, codes(&told)), (Some(3), vec![bound(1), bound(2), ("no-anchor".to_owned(), None)]));
    assert_eq!((&told["coverage"]["prechain"], &told["coverage"]["chained"]), (&2.into(), &3.into()));
    let chain_check = told["checks"].as_array().expect("checks").iter().find(|check| check["id"] == "chain");
    assert_eq!(chain_check.map(|check| (&check["checked"], &check["total"])), Some((&3.into(), &3.into())));

    let (code, told) = report(folder.path(), &profile, &(chain("") + "{\"text\":\"late\"}\n"), &[]);
    assert_eq!((code, codes(&told)[0].clone()), (Some(1), ("unchained-row".to_owned(), Some(4))));
    // Without the word such a row is damaged wherever it stands.
    let (code, told) = report(folder.path(), &strict, &(before.to_owned() + &chain("")), &[]);
    assert_eq!((code, codes(&told)[0].clone()), (Some(1), ("field-missing".to_owned(), Some(1))));
    // Only such rows are no chain at all.
    let (code, told) = report(folder.path(), &profile, before, &[]);
    assert_eq!((code, &told["verdict"]), (Some(3), &Value::from("bounded")));
}
