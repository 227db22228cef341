//! The same report to the byte, whatever the number of threads; the same report id, whatever the file is
//! called and however many findings are listed.
//!
//! Over the fixtures of every finding, the sample ledger, and the shared cases where they are present.

use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::audit::{self, Request};
use ledger_verify::check::ed25519::{Choice, Engine};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, json};
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of cases and the number that must at least be there.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![root().join("testdata/acme")];
    let testdata = |name: &str| root().join("testdata").join(name);
    for (cases, least) in [(testdata("faults"), 40), (testdata("incidents"), 30), (root().join("../shared/cases"), 0)] {
        let entries = fs::read_dir(&cases).into_iter().flatten();
        let found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
        assert!(found.len() >= least, "{} holds {} cases", cases.display(), found.len());
        folders.extend(found);
    }
    folders.retain(|folder| folder.join("export.jsonl").exists() || folder.join("expect.json").exists());
    folders.sort();
    folders
}

/// The request that a case makes; `None` where its arguments are not known here.
fn request(folder: &Path) -> Option<Request> {
    let text = fs::read_to_string(folder.join("expect.json")).unwrap_or_else(|_| "{}".to_owned());
    let expect: Value = serde_json::from_str(&text).expect("expect.json is JSON");
    let there = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
    let mut request = Request {
        exports: vec![folder.join("export.jsonl")],
        manifest: there("manifest.json"),
        profile: Some("void".to_owned()),
        threads: 1,
        ..Request::default()
    };
    if let Some(exports) = expect["exports"].as_array() {
        request.exports = exports.iter().filter_map(Value::as_str).map(|name| folder.join(name)).collect();
    }
    let list: Vec<&str> = expect["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for pair in list.chunks(2) {
        match *pair {
            ["--key", text] => {
                let (chain, file) = text.split_once('=').map_or((None, text), |(chain, file)| (Some(chain), file));
                request.keys.push((chain.map(str::to_owned), folder.join(file)));
            }
            ["--manifest", file] => request.manifest = Some(folder.join(file)),
            ["--head", text] => request.heads.push(text.to_owned()),
            ["--expect-rows", number] => request.expectations.rows = Some(number.parse().ok()?),
            ["--recipe", text] => request.recipe = Some(text.to_owned()),
            ["--max-row-bytes", number] => request.max_row_bytes = number.parse().ok()?,
            ["--max-findings", number] => request.max_findings = number.parse().ok()?,
            _ => return None,
        }
    }
    if !list.contains(&"--key") {
        request.keys.extend(there("pk.pem").map(|path| (None, path)));
    }
    Some(request)
}

/// Whether the export is small: the large ones are walked as seldom as will do.
fn is_small(request: &Request) -> bool {
    request.exports.iter().all(|export| fs::metadata(export).is_ok_and(|file| file.len() < 100_000))
}

/// The report without where and how it was made.
fn report(request: &Request, sizes: Sizes) -> Value {
    let mut value = json::value(&audit::run_cut(request, Environment::default(), sizes));
    if let Some(members) = value.as_object_mut() {
        members.remove("environment");
    }
    value
}

#[test]
fn threads_and_cuts_change_no_byte() {
    let mut compared = 0;
    for folder in folders() {
        let Some(request) = request(&folder) else { continue };
        compared += 1;
        let usual = report(&request, Sizes::default()).to_string();
        // Small enough that several batches and windows are under way even in the smallest cases.
        let small = Sizes { batch_bytes: 900, stride_bytes: 500, window_bytes: 2_000, ..Sizes::default() };
        for (threads, sizes) in [(2, Sizes::default()), (7, Sizes::default()), (7, small)] {
            if sizes == small && !is_small(&request) {
                continue;
            }
            let other = Request { threads, ..request.clone() };
            let got = report(&other, sizes).to_string();
            assert!(got == usual, "{}: {threads} threads, {sizes:?}:\n{got}\n{usual}", folder.display());
        }
    }
    assert!(compared > 40, "only {compared} cases were compared");
    println!("{compared} cases compared");
}

#[test]
fn engines_change_no_byte() {
    let mut compared = 0;
    for folder in folders() {
        let Some(request) = request(&folder) else { continue };
        let of = |signatures| report(&Request { signatures, ..request.clone() }, Sizes::default()).to_string();
        let usual = of(Choice::Reference);
        // Forced, an engine makes its windows for a handful of signatures too: on few cases, since that takes a
        // while.
        let engines = [(Choice::Auto, 1), (Choice::Portable, 12), (Choice::Ifma, 12)];
        for (engine, every) in engines.into_iter().filter(|(engine, _)| Engine::of(*engine).is_some()) {
            if compared % every == 0 {
                let got = of(engine);
                assert!(got == usual, "{}: {engine:?}:\n{got}\n{usual}", folder.display());
            }
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} cases were compared");
}

#[test]
fn the_report_id_is_about_the_ledger_alone() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let mut ids = std::collections::BTreeSet::new();
    let mut compared = 0;
    for folder in folders() {
        let Some(request) = request(&folder).filter(is_small) else { continue };
        let usual = report(&request, Sizes::default());
        let Some(id) = usual["report_id"].as_str() else { continue };
        compared += 1;
        ids.insert(id.to_owned());
        for max_findings in [0, 5] {
            let other = report(&Request { max_findings, ..request.clone() }, Sizes::default());
            assert_eq!(other["report_id"].as_str(), Some(id), "{}: {max_findings} listed", folder.display());
            assert!(other["findings"].as_array().is_some_and(|list| list.len() <= max_findings));
        }
        let mut renamed = request.clone();
        for (index, export) in renamed.exports.iter_mut().enumerate() {
            let name = elsewhere.path().join(format!("moved to {index}.log"));
            fs::copy(&*export, &name).expect("the export can be copied");
            // A manifest that was only found goes with its export.
            let beside = name.with_extension("manifest.json");
            let _ = fs::remove_file(&beside);
            let _ = fs::copy(export.with_extension("manifest.json"), beside);
            *export = name;
        }
        let moved = report(&renamed, Sizes::default());
        assert_eq!(moved["report_id"].as_str(), Some(id), "{}: under another name", folder.display());
    }
    // It can differ: hardly two cases are the same ledger.
    assert!(compared > 40 && ids.len() * 10 > compared * 8, "{} ids of {compared} reports", ids.len());
}
