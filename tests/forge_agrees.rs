//! The slow verifier gives what is expected of every fixture: the oracle is itself tested.
//!
//! Expectations come from three places that do not know of each other: the fixtures that the forge
//! makes (one for each finding), the sample ledger, and the shared cases, where they are present. No
//! line of the library runs here.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;
#[path = "../benches/slow/mod.rs"]
mod slow;

use std::fs;
use std::path::{Path, PathBuf};

use ed25519_dalek::VerifyingKey;
use serde_json::Value;

use slow::{Class, Outcome, Pin, Question, class};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A key file in the one form that the oracle reads: a single PEM block of an Ed25519 SPKI.
fn read_key(path: &Path) -> Option<VerifyingKey> {
    let text = fs::read_to_string(path).ok()?;
    let body = text.trim().strip_prefix("-----BEGIN PUBLIC KEY-----")?.strip_suffix("-----END PUBLIC KEY-----")?;
    let der = data_encoding::BASE64.decode(body.replace(['\n', '\r'], "").as_bytes()).ok()?;
    let key = der.strip_prefix(b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00")?;
    // Whether a key is fit for use is not the oracle's question.
    VerifyingKey::from_bytes(key.try_into().ok()?).ok().filter(|key| !key.is_weak())
}

fn read_pin(text: &str) -> Option<Pin> {
    let (digest, sequence) = text.split_once('@').map_or((text, None), |(digest, at)| (digest, Some(at)));
    let sequence = sequence.map(str::parse).transpose().ok()?;
    Some(Pin { digest: slow::row::digest(&Value::from(digest))?, sequence })
}

/// The arguments of a case, as far as the oracle knows them.
struct Args {
    keys: Vec<VerifyingKey>,
    pins: Vec<Pin>,
    recipe: [Option<usize>; 2],
    max_row_bytes: usize,
}

/// `None` for what is outside the oracle's domain.
fn read_args(folder: &Path, expect: &Value) -> Option<Args> {
    let mut args = Args { keys: Vec::new(), pins: Vec::new(), recipe: [None; 2], max_row_bytes: 64 << 20 };
    let list: Vec<&str> = expect["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for pair in list.chunks(2) {
        match *pair {
            ["--key", file] => args.keys.push(read_key(&folder.join(file))?),
            ["--head", text] => args.pins.push(read_pin(text)?),
            ["--max-row-bytes", number] => args.max_row_bytes = number.parse().ok()?,
            ["--max-findings", _] => {}
            ["--recipe", text] => {
                for half in text.split(',') {
                    let (what, form) = half.split_once('=')?;
                    let form = slow::row::FORMS.iter().position(|&name| name == form);
                    args.recipe[usize::from(what == "signed")] = form;
                }
            }
            _ => return None,
        }
    }
    if !list.contains(&"--key") && folder.join("pk.pem").exists() {
        args.keys.push(read_key(&folder.join("pk.pem"))?);
    }
    Some(args)
}

/// The oracle's answer; `None` for what is outside its domain.
fn ask(folder: &Path, expect: &Value) -> Option<Outcome> {
    if ["exports", "stdin", "exit_any"].iter().any(|name| expect.get(name).is_some()) {
        return None;
    }
    let args = read_args(folder, expect)?;
    let export = fs::read(folder.join("export.jsonl")).ok()?;
    let manifest = fs::read(folder.join("manifest.json")).ok();
    let sidecar = fs::read(folder.join("export.manifest.json")).ok();
    Some(slow::judge(&Question {
        manifest: manifest.as_deref(),
        sidecar: sidecar.as_deref(),
        heads: &args.pins,
        recipe: args.recipe,
        max_row_bytes: args.max_row_bytes,
        ..Question::new(&export, &args.keys)
    }))
}

/// What differs from what is expected, as the shared `run-cases` judges it.
fn differences(expect: &Value, outcome: &Outcome) -> Vec<String> {
    let mut wrong = Vec::new();
    if expect["exit"] != outcome.exit {
        wrong.push(format!("exit {} ({}), wanted {}", outcome.exit, outcome.verdict, expect["exit"]));
    }
    if outcome.exit == 2 {
        return wrong;
    }
    let count = |wanted: &str| outcome.findings.iter().filter(|(_, code)| *code == wanted).count() as u64;
    let codes: Vec<&str> = expect["codes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    wrong.extend(codes.iter().filter(|code| count(code) == 0).map(|code| format!("no {code}")));
    if let (Some(first), Some(line)) = (codes.first(), expect["line"].as_u64())
        && !outcome.findings.contains(&(Some(line), *first))
        && !codes.is_empty()
    {
        wrong.push(format!("{first} is not at line {line}"));
    }
    let of = |wanted| outcome.findings.iter().map(|finding| finding.1).filter(move |code| class(code) == wanted);
    if let Some(faults) = expect["faults"].as_u64()
        && of(Class::Fault).count() as u64 != faults
    {
        wrong.push(format!("{} faults, wanted {faults}", of(Class::Fault).count()));
    }
    if let Some(bounds) = expect["bounds"].as_array() {
        let mut found: Vec<&str> = of(Class::Bound).collect();
        let mut wanted: Vec<&str> = bounds.iter().filter_map(Value::as_str).collect();
        found.sort_unstable();
        found.dedup();
        wanted.sort_unstable();
        if found != wanted {
            wrong.push(format!("bounds {found:?}, wanted {wanted:?}"));
        }
    }
    for (code, number) in expect["counts"].as_object().into_iter().flatten() {
        if *number != count(code) {
            wrong.push(format!("{} {code}, wanted {number}", count(code)));
        }
    }
    if let Some(recipe) = expect["recipe"].as_str()
        && recipe != outcome.recipe
    {
        wrong.push(format!("recipe {}, wanted {recipe}", outcome.recipe));
    }
    if !wrong.is_empty() {
        wrong.push(format!("found {:?}", outcome.findings.iter().take(12).collect::<Vec<_>>()));
    }
    wrong
}

/// Compare all case folders; gives how many were compared, what was skipped, and what differs.
fn compare(cases: &Path, skip: impl Fn(&str) -> bool) -> (usize, Vec<String>, Vec<String>) {
    let (mut compared, mut skipped, mut wrong) = (0, Vec::new(), Vec::new());
    let entries = fs::read_dir(cases).expect("the folder of cases can be read");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry can be read").path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.join("expect.json").exists()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(folder.join("expect.json")).expect("expect.json can be read");
        let expect: Value = serde_json::from_str(&text).expect("expect.json is JSON");
        match ask(folder, &expect) {
            Some(outcome) if !skip(&name) => {
                compared += 1;
                let differ = differences(&expect, &outcome);
                if !differ.is_empty() {
                    wrong.push(format!("{name}: {}  [{}]", differ.join("; "), expect["why"].as_str().unwrap_or("")));
                }
            }
            _ => skipped.push(name),
        }
    }
    (compared, skipped, wrong)
}

#[test]
fn every_fault_fixture() {
    let (compared, skipped, wrong) = compare(&root().join("testdata/faults"), |_| false);
    println!("{compared} fault fixtures compared");
    assert!(skipped.is_empty(), "skipped {skipped:?}");
    assert!(wrong.is_empty(), "{compared} compared, {} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each fault causes its finding and its partners and nothing else, also in the middle of a longer
/// ledger with compensations, and whatever the seed.
#[test]
fn every_fault_in_longer_ledgers() {
    // What needs arguments or files that only a fixture has.
    const ELSEWHERE: [&str; 7] = [
        "anchor-conflict",
        "after-anchor",
        "keys-interleaved",
        "manifest-unsigned",
        "sidecar-ignored",
        "no-key",
        "empty",
    ];
    let mut wrong = Vec::new();
    let faults = ledger::fault::FAULTS.iter().filter(|fault| !ELSEWHERE.contains(&fault.name));
    for (fault, seed) in faults.flat_map(|fault| [7, 8, 9].map(|seed| (fault, seed))) {
        let rows = 60;
        let planned = ledger::fault::Planned { fault, row: fault.usual_row(rows) };
        let plain = ledger::Job { seed, rows, compensations: 20, faults: vec![planned], ..ledger::Job::default() };
        let job = ledger::files::prepare(&plain);
        let mut export = Vec::new();
        let summary = ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
        let keys = [ledger::verifying_key(seed)];
        let manifest = ledger::files::manifest_text(&job, &summary);
        let named = (job.manifest != ledger::Manifest::None).then_some(manifest.as_bytes());
        let question = Question { manifest: named, max_row_bytes: 4_000, ..Question::new(&export, &keys) };
        let mut found: Vec<&str> = slow::judge(&question).findings.iter().map(|finding| finding.1).collect();
        let mut wanted = fault.partners().to_vec();
        if !fault.name.ends_with("-deleted") && !fault.name.ends_with("-copied") {
            wanted.push(fault.name);
        }
        found.sort_unstable();
        wanted.sort_unstable();
        if found != wanted {
            wrong.push(format!("{} seed {seed}: found {found:?}, wanted {wanted:?}", fault.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The baseline of the benches does check: one bad row is one bad row, on any thread.
#[test]
fn the_baseline_sees_bad_rows() {
    for name in ["hash-mismatch", "signature-invalid", "link-broken", "sequence-gap", "not-json"] {
        let fault = ledger::fault::Fault::named(name).expect("a fault of this name");
        let planned = ledger::fault::Planned { fault, row: 25 };
        let job = ledger::Job { rows: 50, faults: vec![planned], ..ledger::Job::default() };
        let mut export = Vec::new();
        ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
        for threads in [1, 2, 7] {
            let count = slow::throughput(&export, Some(&ledger::verifying_key(job.seed)), threads);
            // Behind a line that it cannot read the baseline misses the link as well.
            assert_eq!(count, slow::Count { rows: 50, bad: if name == "not-json" { 2 } else { 1 } }, "{name}");
        }
    }
}

/// Every recipe is found from the rows, and a slice is a partial start.
#[test]
fn recipes_and_slices() {
    use ledger::{Form, Job, Recipe};
    let forms = [(Form::Raw, "raw"), (Form::Text, "text"), (Form::Hex, "hex")];
    for ((prev, prev_name), (signed, signed_name)) in forms.iter().flat_map(|prev| forms.map(|signed| (*prev, signed)))
    {
        let job = Job { rows: 12, start: 500, recipe: Recipe { prev, signed }, ..Job::default() };
        let mut export = Vec::new();
        let summary = ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
        let manifest = ledger::files::manifest_text(&job, &summary);
        let outcome = slow::verify(&export, &[ledger::verifying_key(job.seed)], Some(manifest.as_bytes()));
        assert_eq!(outcome.findings, [(Some(1), "partial-start")]);
        assert_eq!(outcome.recipe, format!("prev={prev_name}, signed={signed_name}"));
    }
}

#[test]
fn the_sample_ledger_is_verified() {
    let folder = root().join("testdata/acme");
    let export = fs::read(folder.join("export.jsonl")).expect("the sample is there");
    let sidecar = fs::read(folder.join("export.manifest.json")).expect("its manifest is there");
    let keys = [read_key(&folder.join("pk.pem")).expect("its key is there")];
    let outcome = slow::judge(&Question { sidecar: Some(&sidecar), ..Question::new(&export, &keys) });
    assert_eq!((outcome.exit, outcome.findings), (0, Vec::new()));
    // The baseline of the benches reads the same rows.
    for threads in [1, 2, 3] {
        assert_eq!(slow::throughput(&export, keys.first(), threads), slow::Count { rows: 2_000, bad: 0 });
    }
}

#[test]
fn fixtures_are_what_the_forge_makes() {
    let made = tempfile::tempdir().expect("a temporary folder");
    ledger::fixtures::write_all(made.path()).expect("fixtures can be written");
    let mut folders = vec![made.path().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(made.path()).expect("a file below the folder");
            let kept = fs::read(root().join("testdata").join(name)).unwrap_or_default();
            assert!(fs::read(&path).ok() == Some(kept), "{} is stale: forge fixtures", name.display());
        }
    }
}

#[test]
fn every_shared_case_of_one_chain() {
    let cases = root().join("../shared/cases");
    if !cases.exists() {
        println!("skipped: the shared cases are not here");
        return;
    }
    // Several workspaces are outside the oracle's domain.
    let (compared, skipped, wrong) = compare(&cases, |name| name.starts_with("workspaces_"));
    println!("{compared} shared cases compared, {} skipped: {}", skipped.len(), skipped.join(" "));
    assert!(wrong.is_empty(), "{compared} compared, {} differ:\n{}", wrong.len(), wrong.join("\n"));
}
