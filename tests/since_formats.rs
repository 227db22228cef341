//! `--since` in every built-in format: wherever the earlier report ends, and with rows behind it whole or damaged,
//! the audit since it finds what the full audit finds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::audit::{self, Request};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, json};
use serde_json::Value;

fn formats() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut formats: Vec<PathBuf> =
        fs::read_dir(folder).expect("formats").map(|entry| entry.expect("one").path()).collect();
    formats.retain(|path| path.join("export.jsonl").exists());
    formats.sort();
    formats
}

fn request(format: &Path, export: PathBuf) -> Request {
    let arguments: Vec<String> =
        serde_json::from_slice(&fs::read(format.join("args.json")).expect("arguments")).expect("JSON");
    let mut request = Request {
        exports: vec![export],
        profile: Some(format.file_name().expect("a name").to_string_lossy().into_owned()),
        threads: 1,
        ..Request::default()
    };
    for pair in arguments.chunks(2) {
        let [option, value] = pair else { panic!("{arguments:?}") };
        match option.as_str() {
            "--key" => request.keys.push(match value.split_once('=') {
                Some((id, file)) => (Some(id.to_owned()), format.join(file)),
                None => (None, format.join(value)),
            }),
            "--genesis" => request.genesis = Some(value.clone()),
            other => panic!("{}: {other}", format.display()),
        }
    }
    request
}

fn filed(path: &Path, request: &Request, end_bytes: u64) -> Value {
    let sizes = Sizes { end_bytes, ..Sizes::default() };
    let text = json::write(&audit::run_cut(request, Environment::default(), sizes));
    fs::write(path, &text).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

fn codes(report: &Value) -> BTreeSet<String> {
    report["finding_counts"].as_object().into_iter().flat_map(|counts| counts.keys().cloned()).collect()
}

/// The rows behind a line, the last digit or letter before its end changed in one of them.
fn damaged(lines: &[&[u8]], at: usize) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
    if let Some(byte) = lines.get_mut(at).and_then(|line| line.iter_mut().rev().find(|byte| byte.is_ascii_hexdigit())) {
        *byte = if *byte == b'0' { b'1' } else { b'0' };
    }
    lines.concat()
}

#[test]
fn every_format_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut compared, mut refused, mut believed) = (0, BTreeSet::new(), BTreeSet::new());
    for format in formats() {
        let name = format.file_name().expect("a name").to_string_lossy().into_owned();
        let whole = fs::read(format.join("export.jsonl")).expect("rows");
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let (a, b) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
        let (then, now) = (folder.path().join("a.json"), folder.path().join("b.json"));
        for cut in 1..=lines.len() {
            fs::write(&a, lines[..cut].concat()).expect("a file");
            let earlier = filed(&then, &request(&format, a.clone()), 0);
            for at in cut..=lines.len() {
                fs::write(&b, damaged(&lines, at)).expect("a file");
                let plain = request(&format, b.clone());
                let full = filed(&now, &plain, 0);
                let since = filed(&now, &Request { since: Some(then.clone()), ..plain }, 0);
                if since["exit_code"] == 2 && full["exit_code"] != 2 {
                    let why = since["stop"]["message"].as_str().expect("a message");
                    assert!(earlier["verdict"] != "verified" || why.contains("do not grow"), "{name}: {why}");
                    refused.insert((name.clone(), why.to_owned()));
                    continue;
                }
                assert_eq!(codes(&since), codes(&full), "{name}, {cut} rows, {at} damaged");
                let exit = |report: &Value| (report["verdict"].clone(), report["exit_code"].clone());
                assert_eq!(exit(&since), exit(&full), "{name}, {cut} rows, {at} damaged");
                assert_eq!(since["chains"], full["chains"], "{name}, {cut} rows, {at} damaged");
                compared += 1;
                if since["since"]["digests"].as_u64() > Some(0) {
                    believed.insert(name.clone());
                }
            }
        }
    }
    println!("{compared} compared; {refused:#?}");
    assert!(compared > 200 && believed.len() > 15, "{compared} compared, {believed:?}");
}
