//! What is told of each fixture: of the incidents' own exactly their kind, in these words; of the findings'
//! fixtures and of the shared cases the kinds that are listed here, or none.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ledger_verify::incident::Kind;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Run the program on a case; `None` where the case is not about a folder's files.
fn run(folder: &Path, json: bool) -> Option<String> {
    let text = fs::read_to_string(folder.join("expect.json")).unwrap_or_else(|_| "{}".to_owned());
    let expect: Value = serde_json::from_str(&text).expect("expect.json is JSON");
    let args: Vec<&str> = expect["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let exports = expect["exports"].as_array().cloned().unwrap_or_else(|| vec!["export.jsonl".into()]);
    if expect["stdin"].as_bool() == Some(true) || expect["env"].is_object() {
        return None;
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(folder).args(exports.iter().filter_map(Value::as_str)).args(["--profile", "void"]);
    for (option, file) in [("--key", "pk.pem"), ("--manifest", "manifest.json")] {
        if !args.contains(&option) && folder.join(file).exists() {
            command.args([option, file]);
        }
    }
    command.args(args).args(json.then_some("--json"));
    let done = command.output().expect("the program runs");
    Some(String::from_utf8(done.stdout).expect("a report is UTF-8"))
}

fn report(folder: &Path) -> Option<Value> {
    Some(serde_json::from_str(&run(folder, true)?).expect("--json gives JSON"))
}

fn kinds(report: &Value) -> Vec<&str> {
    let incidents = report["incidents"].as_array().into_iter().flatten();
    incidents.filter_map(|incident| incident["kind"].as_str()).collect()
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.retain(|folder| folder.join("expect.json").exists());
    folders.sort();
    folders
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The section of the text report that tells what happened.
fn section(text: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != "  what happened");
    let mut section: String =
        lines.take_while(|line| !["  faults", "  bounds"].contains(line)).collect::<Vec<_>>().join("\n");
    section.push('\n');
    section
}

#[test]
fn each_kind_is_told_of_its_fixture_alone_and_in_these_words() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    for kind in Kind::ALL {
        let folder = root().join("testdata/incidents").join(kind.name());
        let told = report(&folder).expect("a fixture has an export");
        if kinds(&told) != [kind.name()] || told["untold"]["faults"] != 0 || told["exit_code"] != 1 {
            wrong.push(format!("{}: told {:?}, {}", kind.name(), kinds(&told), told["untold"]));
        }
        let text = section(&run(&folder, false).expect("a fixture has an export"));
        let golden = root().join("tests/golden/incidents").join(format!("{}.txt", kind.name()));
        if update {
            fs::write(&golden, &text).expect("the golden text can be written");
        }
        let wanted = fs::read_to_string(&golden).unwrap_or_default().replace("\r\n", "\n");
        if text != wanted {
            wrong.push(format!("{}:\n{text}wanted:\n{wanted}", kind.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is told of the findings' fixtures; of the others nothing.
const TOLD: &[(&str, &[&str])] = &[
    ("anchor-conflict", &["two-histories"]),
    ("chain-mixed", &["rows-of-another-chain"]),
    ("duplicate-key", &["lines-unreadable"]),
    ("field-malformed", &["digest-edited"]),
    ("field-missing", &["digest-edited"]),
    ("fork", &["concurrent-writers"]),
    ("genesis-broken", &["beginning-cut"]),
    ("hash-mismatch", &["content-edited"]),
    ("head-mismatch", &["two-histories"]),
    ("invalid-utf8", &["lines-unreadable"]),
    ("link-broken", &["history-rewritten"]),
    ("manifest-mismatch", &["manifest-altered"]),
    ("nesting-too-deep", &["lines-unreadable"]),
    ("not-an-object", &["lines-unreadable"]),
    ("not-json", &["lines-unreadable"]),
    ("number-out-of-range", &["lines-unreadable"]),
    ("row-too-long", &["lines-unreadable"]),
    ("second-genesis", &["ledger-restarted"]),
    ("sequence-backwards", &["numbers-wrong"]),
    ("sequence-gap", &["numbers-wrong"]),
    ("sequence-repeated", &["numbers-wrong"]),
    ("signature-algorithm", &["signatures-altered"]),
    ("signature-invalid", &["signatures-replaced"]),
    ("signature-malformed", &["signatures-altered"]),
    ("signature-missing", &["signatures-stripped"]),
    ("torn-row", &["torn-write"]),
];

#[test]
fn what_is_told_of_each_finding() {
    let mut wrong = Vec::new();
    let folders = folders(&root().join("testdata/faults"));
    assert!(folders.len() > 40, "{} fixtures", folders.len());
    for folder in &folders {
        let told = report(folder).expect("a fixture has an export");
        let wanted = TOLD.iter().find(|(of, _)| *of == name(folder)).map_or(&[][..], |(_, kinds)| kinds);
        if kinds(&told) != wanted {
            wrong.push(format!("{}: told {:?}, wanted {wanted:?}", name(folder), kinds(&told)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Shared cases whose story is known for sure; a fault that is in no story is better than a wrong one.
const SHARED: &[(&str, &[&str])] = &[
    ("comp_target_in_gap", &["rows-deleted"]),
    ("edit_and_rehash_no_key", &["rows-rehashed-without-key"]),
    ("edit_last_row", &["content-edited"]),
    ("edit_two_rows", &["content-edited", "content-edited"]),
    ("findings_300", &["content-edited"]),
    ("fork_at_genesis", &["concurrent-writers"]),
    ("fork_next_sequence", &["concurrent-writers"]),
    ("fork_same_sequence", &["concurrent-writers"]),
    ("hash_text_edited_only", &["digest-edited"]),
    ("head_of_cut_tail", &["tail-cut"]),
    ("head_wrong", &[]),
    ("last_hash_edited", &["digest-edited"]),
    ("manifest_count_wrong_head_right", &["manifest-altered"]),
    ("manifest_head_is_earlier_row", &["log-grown-past-manifest"]),
    ("manifest_signature_stale", &["manifest-altered"]),
    ("mixed_findings", &["numbers-wrong", "signatures-replaced", "content-edited", "torn-write"]),
    ("one_row_other_key", &["signatures-replaced"]),
    ("parts_last_missing", &["tail-cut"]),
    ("parts_middle_missing", &["part-missing"]),
    ("parts_one_given_twice", &["rows-copied"]),
    ("prefix_removed", &["beginning-cut"]),
    ("recipe_pinned_wrong", &["other-hashing-convention"]),
    ("rehash_from_row_3", &["rows-rehashed-without-key"]),
    ("row_inserted", &["rows-inserted"]),
    ("row_repeated", &["rows-copied"]),
    ("rows_deleted_run", &["rows-deleted"]),
    ("rows_deleted_two_places", &["rows-deleted", "rows-deleted"]),
    ("rows_swapped_apart", &["rows-swapped"]),
    ("sequence_is_string", &["written-malformed"]),
    ("sig_all_stripped", &["signatures-stripped"]),
    ("sig_unsigned_rows_appended", &["signatures-stripped"]),
    ("tail_removed", &["tail-cut"]),
    ("torn_last_line", &["torn-write"]),
    ("two_rows_one_line", &["lines-joined"]),
    ("workspaces_one_removed", &["chain-missing"]),
    ("workspaces_row_deleted_in_one", &["rows-deleted"]),
    ("wrong_key", &["wrong-key"]),
];

#[test]
fn what_is_told_of_the_shared_cases() {
    let cases = root().join("../shared/cases");
    if !cases.exists() {
        println!("skipped: the shared cases are not here");
        return;
    }
    let (mut wrong, mut told_of) = (Vec::new(), 0);
    for folder in folders(&cases) {
        let Some(told) = report(&folder).filter(|report| report["stop"].is_null()) else { continue };
        let name = name(&folder);
        let findings = told["findings"].as_array().expect("a report lists findings");
        let faults = findings.iter().filter(|finding| finding["class"] == "fault").count();
        let incidents = told["incidents"].as_array().expect("a report lists incidents");
        told_of += usize::from(!incidents.is_empty());
        if faults == 0 && !incidents.is_empty() && findings.len() < 100 {
            wrong.push(format!("{name}: a story without a fault: {:?}", kinds(&told)));
        }
        let counts =
            told["finding_counts"].as_object().expect("counts").values().filter_map(Value::as_u64).sum::<u64>();
        let explained: u64 = incidents.iter().filter_map(|incident| incident["faults"].as_u64()).sum();
        if explained > counts || incidents.iter().any(|incident| incident["faults"] == 0) {
            wrong.push(format!("{name}: {explained} faults explained of {counts}"));
        }
        if let Some((_, wanted)) = SHARED.iter().find(|(of, _)| *of == name)
            && kinds(&told) != *wanted
        {
            wrong.push(format!("{name}: told {:?}, wanted {wanted:?}", kinds(&told)));
        }
    }
    println!("{told_of} cases with a story");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
