//! Rows that stand in the middle of one export and not of the other, whatever chain they name: never an extension.

use std::fs;
use std::path::Path;

use ledger_verify::audit::Request;
use ledger_verify::report::compare::Comparison;

use crate::{Folder, judged};

/// The lines of a sample: the second is the row that undoes an earlier one, if any of them is.
fn sample(path: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a sample");
    text.lines().map(str::to_owned).collect()
}

fn against(profile: &str, a: &[String], b: &[String]) -> Comparison {
    let folder = Folder::new();
    let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (a, b) = (folder.write("a.jsonl", text(a)), folder.write("b.jsonl", text(b)));
    judged(&a, &b, &Request { profile: Some(profile.to_owned()), ..Request::default() })
}

#[test]
fn a_row_of_another_chain_or_of_none_is_no_extension() {
    let home = sample("testdata/acme/export.jsonl");
    let zeros = "0".repeat(64);
    for row in [
        r#"{"workspace":"x","sequence":4,"note":"paid 1,000,000"}"#.to_owned(),
        format!(r#"{{"sequence":9,"kind":"compensation","reverses":1,"prev_hash":"0x{zeros}","hash":"0x{zeros}"}}"#),
        "{}".to_owned(),
        r#"{"workspace":7}"#.to_owned(),
        r#"{"workspace":"","sequence":1}"#.to_owned(),
        r#"{"sequence":4}"#.to_owned(),
    ] {
        for at in [0, 3, 1000, home.len() - 1] {
            let mut more = home.clone();
            more.insert(at, row.clone());
            let found = against("void", &home, &more);
            assert!([1, 3].contains(&found.exit_code()), "{row} at {at}: {}", found.word());
        }
    }
    for format in ["ssb", "mnestiq", "agent-receipts", "ai-audit-trail"] {
        let rows = sample(&format!("testdata/formats/{format}/export.jsonl"));
        for at in 0..rows.len() {
            let mut more = rows.clone();
            more.insert(at, "{}".to_owned());
            let found = against(format, &rows, &more);
            assert!([1, 3].contains(&found.exit_code()), "{format} at {at}: {}", found.word());
        }
    }
}

#[test]
fn a_row_that_undoes_another_cannot_be_moved_or_left_out() {
    let home = sample("testdata/acme/export.jsonl");
    let undoes: Vec<usize> = (0..home.len() - 1).filter(|at| !home[*at].contains("\"workspace\"")).collect();
    assert!(undoes.len() > 5, "the sample undoes rows");
    for at in undoes.iter().copied().step_by(undoes.len().div_ceil(6)).chain(undoes.last().copied()) {
        let mut without = home.clone();
        let row = without.remove(at);
        let found = against("void", &home, &without);
        assert!([1, 3].contains(&found.exit_code()), "without {at}: {}", found.word());
        without.insert(at / 2, row);
        let found = against("void", &home, &without);
        assert!([1, 3].contains(&found.exit_code()), "{at} moved: {}", found.word());
    }
}

/// Nor is anybody accused for how undoes of two chains are interleaved.
#[test]
fn undoes_of_two_chains_are_no_fork() {
    let undo = |sequence: u32, hash: char, previous: char| {
        let [hash, previous] = [hash, previous].map(|digit| digit.to_string().repeat(64));
        format!(
            r#"{{"sequence":{sequence},"kind":"compensation","reverses":1,"prev_hash":"0x{previous}","hash":"0x{hash}"}}"#
        )
    };
    let (one, two) = (undo(2, 'a', 'b'), undo(2, 'c', 'd'));
    let found = against("void", &[one.clone(), two.clone()], &[two, one]);
    assert_eq!(found.exit_code(), 3);
    assert!(found.forks.is_empty());
}

#[test]
fn a_name_that_stands_twice_is_not_the_same_row() {
    let rows = sample("testdata/formats/arcaeon/export.jsonl");
    for at in 0..rows.len() {
        let mut twice = rows.clone();
        twice[at] = twice[at].replacen('{', r#"{"tool": "other", "#, 1);
        let found = against("arcaeon", &rows, &twice);
        assert_eq!(found.exit_code(), 3, "{at}: {}", found.word());
    }
}

#[test]
fn what_was_added_must_be_the_next_row() {
    let home = sample("testdata/acme/export.jsonl");
    let (start, rest) = home.split_at(1000);
    let with = |more: &[String]| against("void", start, &[start, more].concat());
    assert_eq!(with(rest).word(), "extended");
    for more in [&rest[1..], &start[500..600], &start[..3], &["garbage".to_owned()]] {
        let found = with(more);
        assert_eq!((found.word(), found.bounds.first().map(|bound| bound.code)), ("undecided", Some("not-linked")));
    }
}
