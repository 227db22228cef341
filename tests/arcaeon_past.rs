//! What verifiers of arcaeon ledgers got wrong, as the changelogs of the package name it: the ledger's own part.
//! Each test names the version that mended it.

use std::fs;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// A row after one that is named `prev`, and its name. `members` stand as Python prints them, sorted.
fn row(prev: &str, members: &str) -> (String, String) {
    let name = data_encoding::HEXLOWER.encode(&Sha256::digest(format!("{prev}{{{members}}}")))[..32].to_owned();
    let comma = if members.is_empty() { "" } else { ", " };
    (format!("{{{members}{comma}\"chain\": \"{name}\"}}"), name)
}

/// A ledger of rows with these members.
fn ledger(members: &[&str]) -> Vec<String> {
    let mut prev = "genesis".to_owned();
    let make = |members: &&str| {
        let (text, name) = row(&prev, members);
        prev = name;
        text
    };
    members.iter().map(make).collect()
}

/// Verdict, exit code, and the codes of faults and bounds with their lines, of a default and of a strict run.
fn judged(text: impl AsRef<[u8]>, strict: bool) -> (String, i32, Vec<(String, u64)>, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("agent.log.jsonl");
    fs::write(&path, text).expect("a file");
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.arg(&path).args(["--profile", "arcaeon", "--accept", "no-anchor", "--json"]);
    if strict {
        program.arg("--strict");
    }
    let done = program.output().expect("the program");
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings").iter();
    let told = findings.filter(|finding| finding["class"] != "note" && finding["code"] != "no-anchor");
    let told = told.map(|finding| (finding["code"].as_str().unwrap_or_default().to_owned(), finding["line"].as_u64()));
    let told = told.map(|(code, line)| (code, line.unwrap_or(0))).collect();
    let verdict = report["verdict"].as_str().unwrap_or_default().to_owned();
    (verdict, done.status.code().unwrap_or(-1), told, report)
}

#[track_caller]
fn finds(text: impl AsRef<[u8]>, strict: bool, verdict: &str, told: &[(&str, u64)]) {
    let found = judged(text, strict);
    let told: Vec<(String, u64)> = told.iter().map(|(code, line)| ((*code).to_owned(), *line)).collect();
    assert_eq!((found.0.as_str(), &found.2), (verdict, &told), "{:#}", found.3);
    // The one bound of a whole ledger is accepted.
    let exit = match verdict {
        "broken" => 1,
        _ if told.is_empty() => 0,
        _ => 3,
    };
    assert_eq!(found.1, exit);
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}

const ROWS: [&str; 4] = ["\"n\": 1", "\"n\": 2", "\"n\": 3", "\"n\": 4"];

/// 0.5.3: a last row of more than 8 KB made the writer start again from the genesis.
#[test]
fn long_rows_do_not_start_the_chain_anew() {
    let long = format!("\"text\": \"{}\"", "x".repeat(40_000));
    let longer = format!("\"text\": \"{}\"", "y".repeat(2_000_000));
    let whole = ledger(&["\"n\": 1", &long, "\"n\": 3", &longer, "\"n\": 5"]);
    finds(joined(&whole), false, "bounded", &[]);
    // What stood before a row that goes on from the genesis was deleted, and the rest is a ledger of its own …
    finds(joined(&ledger(&["\"n\": 3", "\"n\": 4"])), false, "bounded", &[]);
    // … which this one is not.
    finds(joined(&whole[2..]), false, "broken", &[("hash-mismatch", 1)]);
}

/// 0.5.3: lines that are JSON and no object ended verifiers.
#[test]
fn bare_values_are_no_rows() {
    let whole = ledger(&ROWS);
    for bare in ["123", "null", "[1,2]", "\"x\"", "true", "NaN", "-Infinity"] {
        let text = joined(&[whole[0].clone(), bare.to_owned(), whole[1].clone()]);
        finds(&text, false, "broken", &[("not-an-object", 2)]);
        finds(&text, true, "broken", &[("not-an-object", 2)]);
        assert_eq!(judged(&text, false).3["coverage"]["rows"], 2);
    }
}

/// 0.5.3: all 32 characters count, in their case, and one edit is one break.
#[test]
fn the_whole_chain_value_is_compared_and_the_walk_goes_on_from_what_is_claimed() {
    let whole = ledger(&ROWS);
    let claim = whole[1].rsplit('"').nth(1).expect("a value").to_owned();
    let tail = format!("{}{}", &claim[..31], if claim.ends_with('0') { '1' } else { '0' });
    for other in [tail, claim.to_uppercase(), format!("{claim}{claim}"), claim[..31].to_owned()] {
        let text = joined(&whole).replace(&claim, &other);
        // The row itself, and the next one, which went on from the true claim.
        finds(&text, false, "broken", &[("hash-mismatch", 2), ("hash-mismatch", 3)]);
    }
    finds(joined(&whole).replace("\"n\": 2", "\"n\": 7"), false, "broken", &[("hash-mismatch", 2)]);
    let deleted = [whole[0].clone(), whole[2].clone(), whole[3].clone()];
    finds(joined(&deleted), false, "broken", &[("hash-mismatch", 2)]);
}

/// 0.5.4, 0.5.7: rows without chain before a real one were green.
#[test]
fn rows_before_the_chain_are_a_bound_and_strictly_a_fault() {
    let whole = ledger(&ROWS);
    let text = format!("{{\"n\": 0}}\n{{\"n\": 0, \"chain\": null}}\n{}", joined(&whole));
    finds(&text, false, "bounded", &[("prechain-rows", 1), ("prechain-rows", 2)]);
    finds(&text, true, "broken", &[("prechain-rows", 1), ("prechain-rows", 2)]);
    let coverage = judged(&text, false).3["coverage"].clone();
    assert_eq!((&coverage["rows"], &coverage["chained"], &coverage["prechain"]), (&6.into(), &4.into(), &2.into()));
    finds("{\"n\": 0}\n", false, "bounded", &[("prechain-rows", 1)]);
}

/// 0.5.4: a row that was appended to a file without a final line end.
#[test]
fn glued_rows_are_no_json() {
    let whole = ledger(&ROWS);
    let text = format!("{}{}\n{}\n", whole[0], whole[1], whole[2]);
    finds(text, false, "broken", &[("not-json", 1), ("hash-mismatch", 2)]);
    finds(joined(&whole).trim_end(), false, "bounded", &[]);
}

/// 0.5.5: a chain value that is no text ended verifiers at the next row.
#[test]
fn a_chain_value_of_another_kind() {
    let whole = ledger(&ROWS);
    for value in ["5", "true", "[]", "{}", "1.5", "[\"a\"]"] {
        let text = joined(&[whole[0].clone(), format!("{{\"n\": 2, \"chain\": {value}}}"), row("", "\"n\": 3").0]);
        finds(text, false, "broken", &[("field-malformed", 2)]);
    }
    // A whole row behind it went on from the claim that is gone.
    let text = joined(&[whole[0].clone(), "{\"n\": 2, \"chain\": 5}".to_owned(), whole[2].clone(), whole[3].clone()]);
    finds(text, false, "broken", &[("field-malformed", 2), ("hash-mismatch", 3)]);
}

/// 0.5.6, 0.5.7: characters that some split lines at.
#[test]
fn other_line_separators_are_content() {
    for text in ["a\u{85}b", "a\u{2028}b", "a\u{2029}b", "\\u000b\\f\\u001c\\u001d\\u001e"] {
        finds(joined(&ledger(&[&format!("\"text\": \"{text}\""), "\"n\": 2"])), false, "bounded", &[]);
    }
}

/// 0.5.8: an empty file was whole.
#[test]
fn nothing_is_never_whole() {
    for text in ["", "\n", " \t\r\n\u{2003}\n"] {
        let (verdict, code, told, report) = judged(text, false);
        assert_eq!((verdict.as_str(), code, told), ("bounded", 3, vec![("empty".to_owned(), 0)]), "{report:#}");
        assert_eq!(judged(text, true).1, 3);
    }
    finds("garbage\n", false, "broken", &[("not-json", 1)]);
}

/// 0.5.8: half a surrogate pair in a row, and what separates members.
#[test]
fn halves_are_hashed_and_separators_have_spaces() {
    let name = data_encoding::HEXLOWER.encode(&Sha256::digest(b"genesis{\"a\": \"\xed\xa0\x80\"}"))[..32].to_owned();
    finds(format!("{{\"a\":\"\\ud800\",\"chain\":\"{name}\"}}\n"), false, "bounded", &[]);
    let compact = data_encoding::HEXLOWER.encode(&Sha256::digest("genesis{\"a\":1,\"b\":2}"))[..32].to_owned();
    finds(format!("{{\"a\":1,\"b\":2,\"chain\":\"{compact}\"}}\n"), false, "broken", &[("hash-mismatch", 1)]);
}

/// 0.7.3: a line that is nested 100,000 levels deep ended every command.
#[test]
fn deep_lines_are_one_fault() {
    let whole = ledger(&ROWS);
    for depth in [901, 1_001, 100_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let text = joined(&[whole[0].clone(), deep, whole[1].clone()]);
        finds(&text, false, "broken", &[("nesting-too-deep", 2)]);
    }
    let deep = format!("\"a\": {}{}", "[".repeat(890), "]".repeat(890));
    finds(joined(&ledger(&[&deep, "\"n\": 2"])), false, "bounded", &[]);
}

/// 0.8.0: the last of two members was verified and nothing said. And a line with both a name twice and an end that
/// is no JSON ends the package itself (R1 of the specification).
#[test]
fn a_name_twice_is_a_fault_and_the_walk_goes_on() {
    let whole = ledger(&ROWS);
    let twice = whole[1].replacen("\"n\": 2", "\"n\": 1, \"n\": 2", 1);
    finds(joined(&[whole[0].clone(), twice, whole[2].clone()]), false, "broken", &[("duplicate-key", 2)]);
    let torn = "{\"a\": {\"b\": 1, \"b\": 2}, ".to_owned();
    finds(joined(&[whole[0].clone(), torn, whole[1].clone()]), false, "broken", &[("not-json", 2)]);
}

/// 0.9.1: a file that is not there was broken.
#[test]
fn a_missing_file_has_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.args(["nowhere.jsonl", "--profile", "arcaeon", "--json"]).current_dir(folder.path());
    let done = program.output().expect("the program");
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!((done.status.code(), report["stop"]["code"].as_str()), (Some(2), Some("unreadable")));
}

/// Exit code and codes of faults and bounds of a run with these arguments.
fn run(text: &str, arguments: &[&str]) -> (Option<i32>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.jsonl"), text).expect("a file");
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.current_dir(folder.path()).args(["a.jsonl", "--profile", "arcaeon", "--json"]).args(arguments);
    let done = program.output().expect("the program");
    let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let stop = report["stop"]["code"].as_str().map(|code| vec![code.to_owned()]);
    let counts = || report["finding_counts"].as_object().expect("counts").keys().cloned().collect();
    (done.status.code(), stop.unwrap_or_else(counts))
}

/// The head that a report names, with how many rows there were, and the pins of logs that are not chained yet.
#[test]
fn heads_of_rows_without_numbers() {
    let whole = joined(&ledger(&ROWS));
    let head = whole.trim_end().rsplit('"').nth(1).expect("a value").to_owned();
    assert_eq!(run(&whole, &["--head", &head]), (Some(0), vec![]));
    assert_eq!(run(&whole, &["--head", &format!("{head}@4")]), (Some(0), vec![]));
    assert_eq!(run(&whole, &["--head", &format!("{head}@5")]), (Some(1), vec!["head-mismatch".to_owned()]));
    assert_eq!(run(&whole, &["--head", &format!("{head}@x")]), (Some(2), vec!["head".to_owned()]));
    let pin = |rows: u64| format!("arcaeon-ledger head chain=genesis rows={rows} as_of=2026-01-01T00:00:00Z");
    let unchained = "{\"n\": 1}\n{\"n\": 2}\n";
    let grown = format!("{unchained}{whole}");
    for (text, rows) in [(unchained, 2), (grown.as_str(), 2)] {
        let (code, codes) = run(text, &["--head", &pin(rows)]);
        assert_eq!((code, codes.contains(&"head-mismatch".to_owned())), (Some(3), false), "{codes:?}");
    }
    assert_eq!(run(unchained, &["--head", &pin(3)]).0, Some(1));
    assert_eq!(run(&whole, &["--head", &pin(2)]).0, Some(1));
}

/// What was asked for and cannot be done is no verdict.
#[test]
fn copies_of_artefacts_that_are_not_there() {
    let whole = joined(&ledger(&ROWS));
    assert_eq!(run(&whole, &["--artefacts", "nowhere"]), (Some(2), vec!["unreadable".to_owned()]));
    assert_eq!(run(&whole, &["--artefacts", "a.jsonl"]), (Some(2), vec!["unreadable".to_owned()]));
    assert_eq!(run(&whole, &["--artefacts", "."]).0, Some(3));
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/acme"));
    let done = program.args(["export.jsonl", "--key", "pk.pem", "--artefacts", "."]).output().expect("the program");
    assert_eq!(done.status.code(), Some(2));
}

/// Rotated logs have no numbers that tell their order: their names do.
#[test]
fn a_folder_of_rotated_logs() {
    let lines = ledger(&["\"n\": 1", "\"n\": 2", "\"n\": 3", "\"n\": 4", "\"n\": 5", "\"n\": 6"]);
    for names in
        [["log.jsonl.2", "log.jsonl.1", "log.jsonl"], ["log.jsonl-20260101", "log.jsonl-20260102", "log.jsonl"]]
    {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, lines) in names.iter().zip(lines.chunks(2)) {
            fs::write(folder.path().join(name), joined(lines)).expect("a file");
        }
        let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        let done = program.arg(folder.path()).args(["--profile", "arcaeon"]).output().expect("the program");
        assert_eq!(done.status.code(), Some(3), "{}", String::from_utf8_lossy(&done.stdout));
    }
}
