//! Rules of the house that no compiler checks: imports run one way, `unsafe` stands in three files, files
//! stay short, every finding has a fixture, and the map of the flow names every room.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::finding::Code;
use ledger_verify::incident::Kind;

/// The floors, lowest first. A module imports from floors below its own and from no other module of its
/// own floor, so that there can be no circle.
const FLOORS: &[&[&str]] = &[
    &["encoding", "place", "stop"],
    &["finding"],
    &["fact", "verdict"],
    &["incident"],
    &["row", "chain", "report", "digest"],
    &["read"],
    &["canonical", "algorithm"],
    &["profile"],
    &["trust"],
    &["check"],
    &["pipeline"],
    &["explain"],
    &["audit"],
    &["cli"],
    &["main"],
];

/// The only files with `unsafe` in them: loads, stores and hints of the lanes, and the way into them; loads of blocks,
/// and the way into the instructions for SHA-256; the map, its signal handler, the copy out of it.
const UNSAFE: &[&str] = &["check/ed25519/lanes.rs", "digest/pair.rs", "read/mapped.rs"];

/// Lines of the longest file.
const LONGEST: usize = 500;

/// Findings without a folder in testdata/faults: the home format, or one chain of it, cannot have them.
const WITHOUT_FIXTURE: &[(&str, &str)] = &[
    ("unknown-key", "its rows name no key"),
    ("unchained-row", "every row of it has a link; tests/beginnings.rs has it"),
    ("bind-mismatch", "its rows bind no other file; tests/input.rs has it"),
    ("row-unmatched", "its lines need not match a pattern; tests/input.rs has it"),
    ("key-unused", "it needs a bound key, which the forge does not ask for; tests/cmd/keys.trycmd has it"),
    ("prefix-changed", "it needs an earlier report; tests/since.rs has it"),
    ("expectation-failed", "it is not in the export: tests/cmd/expectations.trycmd has what is expected and not there"),
    ("unsigned-tail", "all its rows are signed"),
    ("prechain-rows", "its chain starts with its first row; tests/beginnings.rs has it"),
    ("declared-break", "it declares no breaks"),
    ("chain-reset", "its chain never starts anew"),
    ("witness-broken", "it has no witnesses; tests/arcaeon_witness.rs has it"),
    ("witness-no-record", "it has no witnesses; tests/arcaeon_witness.rs has it"),
    ("artefact-inconsistent", "its rows describe no artefacts; tests/arcaeon_artefacts.rs has it"),
    ("artefact-unchecked", "its rows describe no artefacts; tests/arcaeon_artefacts.rs has it"),
    ("uncovered-field", "its preimage covers every member"),
    ("declaration-unused", "it declares no breaks"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file of a folder: its path from there, with `/`, and its text.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    rust.map(|path| {
        let name = path.strip_prefix(folder).expect("inside").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(&path).expect("a readable source"))
    })
    .collect()
}

/// The top-level module that a file of src belongs to: `trust/key/pem.rs` to `trust`.
fn module(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// Code alone: no comments; a `//` inside a string cuts the line too, which can only hide a string.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or_default())
}

/// The modules that a source names as `crate::NAME` or `ledger_verify::NAME`, also in `crate::{NAME, …}`.
fn named(text: &str) -> BTreeSet<String> {
    let joined: String = code(text).collect::<Vec<_>>().join(" ");
    let mut names = BTreeSet::new();
    for start in ["crate::", "ledger_verify::"] {
        for rest in joined.split(start).skip(1) {
            let word = |text: &str| {
                text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>()
            };
            match rest.strip_prefix('{') {
                // The names at the first level of the braces.
                Some(list) => {
                    let (mut depth, mut item) = (0, String::new());
                    for c in list.chars() {
                        match c {
                            '}' if depth == 0 => break,
                            '{' => depth += 1,
                            '}' => depth -= 1,
                            ',' if depth == 0 => {
                                names.insert(word(&item));
                                item.clear();
                                continue;
                            }
                            _ => {}
                        }
                        item.push(c);
                    }
                    names.insert(word(&item));
                }
                None => {
                    names.insert(word(rest));
                }
            }
        }
    }
    names.remove("");
    names
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// What is wrong with the imports of a file.
fn climbs(file: &str, text: &str) -> Vec<String> {
    let own = module(file);
    let Some(own_floor) = floor(own) else { return vec![format!("{file}: {own} stands on no floor")] };
    let up = named(text).into_iter().filter(|name| name != own);
    up.filter_map(|name| match floor(&name) {
        Some(floor) if floor < own_floor => None,
        Some(_) => Some(format!("{file}: {own} imports {name}, which is not below it")),
        None => Some(format!("{file}: {own} imports {name}, which stands on no floor")),
    })
    .collect()
}

#[test]
fn imports_run_one_way() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, text) in sources(&root().join("src")) {
        // The table of contents names every module and imports none.
        if file != "lib.rs" {
            seen.insert(module(&file).to_owned());
            wrong.extend(climbs(&file, &text));
        }
    }
    let stated: BTreeSet<String> = FLOORS.iter().flat_map(|floor| floor.iter().map(|&name| name.to_owned())).collect();
    assert_eq!(seen, stated, "the floors are those of src");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_climbing_import_is_seen() {
    assert_eq!(climbs("row/mod.rs", "use crate::stop::Stop;\n// use crate::cli::x;\n"), Vec::<String>::new());
    for text in
        ["use crate::pipeline::walk;", "use crate::{stop::{Stop, StopCode}, audit};", "fn f() { crate::read::x() }"]
    {
        assert_eq!(climbs("row/mod.rs", text).len(), 1, "{text}");
    }
    assert_eq!(climbs("elsewhere.rs", "").len(), 1);
}

#[test]
fn unsafe_stands_in_two_files() {
    let uses_unsafe = |text: &str| {
        let words =
            |line: &str| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == "unsafe");
        code(text).any(words)
    };
    let with: Vec<String> = sources(&root().join("src"))
        .into_iter()
        .filter(|(_, text)| uses_unsafe(text) || code(text).any(|line| line.contains("allow(unsafe_code)")))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(with, UNSAFE);
}

#[test]
fn files_stay_short() {
    for (file, text) in sources(&root().join("src")) {
        let lines = text.lines().count();
        assert!(lines <= LONGEST, "src/{file} has {lines} lines");
    }
}

#[test]
fn every_finding_has_a_fixture_or_a_reason() {
    for &code in Code::ALL {
        let folder = root().join("testdata/faults").join(code.name());
        let reason = WITHOUT_FIXTURE.iter().find(|(name, _)| *name == code.name());
        match (folder.join("expect.json").exists(), reason) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(_)) => panic!("{} has a fixture: take it off the list", code.name()),
            (false, None) => panic!("{} has neither a fixture nor a reason", code.name()),
        }
    }
    for (name, _) in WITHOUT_FIXTURE {
        assert!(Code::named(name).is_some(), "{name} is no finding");
    }
}

#[test]
fn every_incident_has_a_fixture_and_its_words() {
    let names = |folder: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    };
    let kinds: BTreeSet<String> = Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
    let texts = Kind::ALL.iter().map(|kind| format!("{}.txt", kind.name())).collect();
    assert_eq!(names("testdata/incidents"), kinds);
    assert_eq!(names("tests/golden/incidents"), texts);
}

#[test]
fn the_map_of_the_flow_names_every_room() {
    let map = fs::read_to_string(root().join("docs/FLOW.md")).expect("docs/FLOW.md");
    for name in FLOORS.iter().flat_map(|floor| floor.iter()).filter(|name| **name != "main") {
        let told = map.contains(&format!("`src/{name}/`")) || map.contains(&format!("`src/{name}.rs`"));
        assert!(told, "docs/FLOW.md does not say where {name} is");
    }
    let floors: Vec<String> = FLOORS.iter().map(|floor| format!("    {}", floor.join(", "))).collect();
    assert!(map.contains(&floors.join("\n")), "docs/FLOW.md lists other floors than this test");
    // What it points at is there.
    for path in map.split('`').filter(|word| word.starts_with("src/") || word.starts_with("tests/")) {
        assert!(root().join(path).exists(), "docs/FLOW.md names {path}");
    }
}
