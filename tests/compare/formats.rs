//! Every format that is built in, and those in which rows stand in other ways than one JSON object a line.

use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::audit::Request;
use serde_json::Value;

use crate::{Folder, compared, judged, root};

/// A format's sample: its lines, and what it is compared with.
struct Sample {
    name: String,
    lines: Vec<String>,
    request: Request,
}

fn samples() -> Vec<Sample> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("testdata/formats"))
        .expect("formats")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("args.json").exists())
        .collect();
    folders.sort();
    assert!(folders.len() > 20, "{}", folders.len());
    let sample = |folder: &PathBuf| {
        let arguments: Vec<String> =
            serde_json::from_slice(&fs::read(folder.join("args.json")).expect("arguments")).expect("JSON");
        let keys = arguments.chunks(2).map(|pair| {
            assert_eq!(pair[0], "--key");
            match pair[1].split_once('=') {
                Some((role, file)) => (Some(role.to_owned()), folder.join(file)),
                None => (None, folder.join(&pair[1])),
            }
        });
        let text = fs::read_to_string(folder.join("export.jsonl")).expect("an export");
        Sample {
            name: folder.file_name().expect("a name").to_string_lossy().into_owned(),
            lines: text.lines().map(str::to_owned).collect(),
            request: Request { keys: keys.collect(), ..Request::default() },
        }
    };
    folders.iter().map(sample).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The row with a letter more in its longest text of words, which no digest looks like; `None` if it has none.
fn edited(line: &str) -> Option<String> {
    fn longest<'v>(value: &'v mut Value, best: &mut Option<&'v mut String>) {
        match value {
            Value::String(text) => {
                let word = text.len() < 40 && text.chars().any(|c| c.is_ascii_lowercase()) && !text.contains(':');
                if word && best.as_ref().is_none_or(|best| best.len() < text.len()) {
                    *best = Some(text);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| longest(item, best)),
            Value::Object(members) => members.values_mut().for_each(|member| longest(member, best)),
            _ => {}
        }
    }
    let mut row: Value = serde_json::from_str(line).expect("a row");
    let mut best = None;
    longest(&mut row, &mut best);
    best?.push('x');
    Some(row.to_string())
}

#[test]
fn each_format_is_the_same_longer_or_forked() {
    for Sample { name, lines, request } in samples() {
        let folder = Folder::new();
        let whole = folder.write("whole.jsonl", text(&lines));
        let other = |content: String| folder.write("other.jsonl", content);

        let same = judged(&whole, &other(text(&lines)), &request);
        assert_eq!((same.word(), same.identical, same.common), ("same", true, lines.len() as u64), "{name}");
        assert_eq!(same.profile.name, name);

        let cut = judged(&whole, &other(text(&lines[..3])), &request);
        assert_eq!((cut.word(), cut.common), ("extended", 3), "{name}");

        // The same lines, ended in another way.
        let ended = judged(&whole, &other(text(&lines).replace('\n', "\n\n")), &request);
        assert_eq!((ended.word(), ended.identical), ("same", false), "{name}");
        assert_eq!(ended.notes.iter().map(|note| note.code).collect::<Vec<_>>(), ["files-differ"], "{name}");

        // What the first rows of one lack can be found in the other or not: it is never the same.
        let late = judged(&whole, &other(text(&lines[2..])), &request);
        assert_eq!(late.word(), "undecided", "{name} {late:?}");
        assert!(late.bounds.iter().any(|bound| ["partial-overlap", "no-common-row"].contains(&bound.code)), "{name}");
    }
}

#[test]
fn no_format_takes_another_row_for_the_same() {
    for Sample { name, lines, request } in samples() {
        let folder = Folder::new();
        let request = Request { profile: Some(name.clone()), ..request };
        let whole = folder.write("whole.jsonl", text(&lines));
        for at in 0..lines.len() - 1 {
            let mut changed = lines.clone();
            let Some(row) = edited(&lines[at]) else { continue };
            changed[at] = row;
            let found = compared(&whole, &folder.write("edited.jsonl", text(&changed)), &request);
            assert!([1, 3].contains(&found.exit_code()), "{name} {at}");
            // Only a member that no digest covers, or a row that cannot be read any more, may leave it open.
            if found.exit_code() == 3 {
                let codes: Vec<&str> = found.bounds.iter().map(|bound| bound.code).collect();
                let known = [
                    "members-differ",
                    "unproven-rows",
                    "unreadable-rows",
                    "no-common-row",
                    "partial-overlap",
                    "not-linked",
                ];
                assert!(codes.iter().all(|code| known.contains(code)), "{name} {at} {codes:?}");
            }
            let mut missing = lines.clone();
            missing.remove(at);
            let found = compared(&whole, &folder.write("missing.jsonl", text(&missing)), &request);
            assert!([1, 3].contains(&found.exit_code()), "{name} {at} {found:?}");
        }
    }
}

#[test]
fn a_forged_row_that_keeps_its_claims_is_no_same_row() {
    // The digest that the row states is that of the row it replaces: nothing of it may be believed.
    let forked = samples().into_iter().filter(|sample| {
        let folder = Folder::new();
        let whole = folder.write("whole.jsonl", text(&sample.lines));
        let mut changed = sample.lines.clone();
        let Some(row) = edited(&sample.lines[2]) else { return false };
        changed[2] = row;
        let request = Request { profile: Some(sample.name.clone()), ..sample.request.clone() };
        let found = compared(&whole, &folder.write("forged.jsonl", text(&changed)), &request);
        found.forks.iter().for_each(|fork| assert!(!fork.rows[1].vouched, "{}", sample.name));
        found.word() == "forked"
    });
    assert!(forked.count() >= 20);
}

/// A layout of testdata: its profile, and the name of its export.
fn layout(name: &str, export: &str) -> (PathBuf, Request) {
    let folder = root().join("testdata/layouts").join(name);
    let profile = folder.join("profile.toml").display().to_string();
    (folder.join(export), Request { profile: Some(profile), ..Request::default() })
}

fn changed(path: &Path, with: impl Fn(String) -> String) -> String {
    with(fs::read_to_string(path).expect("an export"))
}

#[test]
fn lines_of_text_are_compared_whole() {
    let (export, request) = layout("lines", "whole.log");
    let folder = Folder::new();
    assert_eq!(judged(&export, &export, &request).word(), "same");
    let first = changed(&export, |text| text.lines().take(2).map(|line| format!("{line}\n")).collect());
    assert_eq!(judged(&export, &folder.write("cut.log", first), &request).word(), "extended");
    for at in 0..3 {
        let other = changed(&export, |text| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines[at] = lines[at].replacen(' ', "  ", 1);
            lines.join("\n")
        });
        let compared = judged(&export, &folder.write("other.log", other), &request);
        assert_ne!(compared.exit_code(), 0, "{at}");
    }
}

#[test]
fn items_of_a_document_are_rows() {
    let (export, request) = layout("document", "whole.json");
    let (other, _) = layout("document", "one-line.json");
    let compared = judged(&export, &other, &request);
    assert_eq!((compared.word(), compared.identical), ("same", false), "{compared:?}");
}

#[test]
fn a_sidecar_is_part_of_its_rows() {
    let folder = root().join("testdata/layouts/sidecar");
    let (_, request) = layout("sidecar", "");
    let export = fs::read_dir(&folder)
        .expect("files")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|extension| extension == "log"))
        .expect("a log");
    let suffix = fs::read_dir(&folder)
        .expect("files")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .find_map(|name| {
            name.strip_prefix(&*export.file_name()?.to_string_lossy()).map(str::to_owned).filter(|s| !s.is_empty())
        })
        .expect("a sidecar");
    let copy = Folder::new();
    let log = copy.write("copy.log", fs::read(&export).expect("a log"));
    let beside = fs::read_to_string(format!("{}{suffix}", export.display())).expect("a sidecar");
    copy.write(&format!("copy.log{suffix}"), &beside);
    assert_eq!(judged(&export, &log, &request).word(), "same");
    let mut lines: Vec<&str> = beside.lines().collect();
    lines.swap(1, 2);
    copy.write(&format!("copy.log{suffix}"), lines.join("\n"));
    assert_ne!(judged(&export, &log, &request).exit_code(), 0);
}
