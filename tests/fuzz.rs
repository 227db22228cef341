//! The fuzz targets (fuzz/targets) on a stable compiler, for seconds: over every file of its kind that lies
//! in testdata and the shared cases, as it is and after random changes.
//!
//! Coverage-guided they run by hand (docs/fuzzing.md); `FUZZ_CORPUS=fuzz/corpus cargo test --test fuzz` writes
//! the files to start from.

#[path = "../fuzz/targets/mod.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Changed files for a target unless the environment says otherwise; whole runs take longer.
const CASES: u32 = 300;
const RUNS: u32 = 60;

/// Longer files are no good start: what is odd about them is hit too seldom.
const LONGEST: usize = 8 << 10;

/// The files with one of these endings, from testdata and the shared cases, each once and in a fixed order.
fn files(endings: &[&str]) -> BTreeSet<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders: Vec<PathBuf> = ["testdata", "tests/cmd/files", "src/profile", "../shared/cases"]
        .into_iter()
        .map(|folder| root.join(folder))
        .collect();
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.insert(fs::read(&path).expect("a file can be read"));
            }
        }
    }
    found
}

/// Holds `check` to the seeds, and to what random changes make of them.
fn run(name: &str, cases: u32, seeds: BTreeSet<Vec<u8>>, check: fn(&[u8])) {
    let seeds: Vec<Vec<u8>> = seeds.into_iter().filter(|seed| seed.len() <= LONGEST).collect();
    assert!(seeds.len() > 3, "only {} seeds", seeds.len());
    if let Some(corpus) = std::env::var_os("FUZZ_CORPUS") {
        let folder = Path::new(&corpus).join(name);
        fs::create_dir_all(&folder).expect("a folder for the corpus");
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed).expect("a seed can be written");
        }
    }
    seeds.iter().for_each(|seed| check(seed));
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let index = any::<prop::sample::Index>;
    let change = (index(), index(), 0u8..6, index());
    let strategy = (index(), proptest::collection::vec(change, 1..6));
    let outcome = TestRunner::new(config).run(&strategy, |(seed, changes)| {
        let mut bytes = seed.get(&seeds).clone();
        changes.iter().for_each(|(at, to, how, other)| spoil(&mut bytes, (at, to), *how, other.get::<Vec<u8>>(&seeds)));
        check(&bytes);
        Ok(())
    });
    if let Err(why) = outcome {
        panic!("{name}: {why}");
    }
}

/// One change, as libFuzzer makes them.
fn spoil(bytes: &mut Vec<u8>, (at, to): (&prop::sample::Index, &prop::sample::Index), how: u8, other: &[u8]) {
    const LIKELY: &[u8] = b"{}[]:,\"\\u0159-+.eE \t\r\n@=#'\x00\x01\x80\xbf\xc3\xed\xefatn";
    let (start, end) = (at.index(bytes.len() + 1), to.index(bytes.len() + 1));
    let (start, end) = (start.min(end), start.max(end));
    match how {
        0 => bytes.insert(start, *to.get(LIKELY)),
        1 if start < bytes.len() => bytes[start] = *to.get(LIKELY),
        2 => drop(bytes.drain(start..end.min(start + 8))),
        3 => bytes.truncate(end),
        4 if bytes.len() < LONGEST => {
            let again = bytes[start..end].to_vec();
            bytes.splice(end..end, again);
        }
        _ if !other.is_empty() => {
            let from = to.index(other.len());
            bytes.truncate(start);
            bytes.extend(&other[from..]);
        }
        _ => {}
    }
}

#[test]
fn rows() {
    let exports = files(&["export.jsonl"]);
    let lines = exports.iter().flat_map(|export| export.split(|&byte| byte == b'\n').take(9)).map(<[u8]>::to_vec);
    run("row", CASES, lines.collect(), targets::row::check);
}

#[test]
fn lines_of_python() {
    let exports = files(&["export.jsonl"]);
    let lines = exports.iter().flat_map(|export| export.split(|&byte| byte == b'\n').take(3)).map(<[u8]>::to_vec);
    let vectors: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../testdata/python/canon.json")).expect("JSON");
    let rows = vectors.iter().filter_map(|vector| Some(vector["row"].as_str()?.as_bytes().to_vec()));
    run("python", 4 * CASES, lines.chain(rows).collect(), targets::python::check);
}

#[test]
fn keys() {
    run(
        "key",
        CASES,
        files(&[".pem", ".pub", ".der", ".jwk", ".rfc4716", ".asc", ".gpg", ".raw", ".b64"]),
        targets::key::check,
    );
}

#[test]
fn manifests() {
    run("manifest", CASES, files(&["manifest.json", "manifest.jsonl"]), targets::manifest::check);
}

#[test]
fn profiles() {
    let home = include_str!("../src/profile/builtin/void.toml");
    let mut seeds = files(&[".toml"]);
    // Each line left out: most are needed, and what is said without them is part of the profile's reader.
    seeds.extend(home.lines().map(|line| home.replace(line, "").into_bytes()));
    run("profile", CASES, seeds, targets::profile::check);
}

#[test]
fn signatures() {
    // Every kind of claim under every key, two or three in a block.
    let kinds = (0..18u8).flat_map(|kind| {
        (0..11u8).map(move |key| {
            let claim = |length: u8| [200, 0, length, 7, 3, kind, 0, length % 8, 1, 2, 3, kind, 5, 6, 7, 0];
            [&[0, key][..], &claim(kind), &claim(key), &[0; 3]].concat()
        })
    });
    run("signature", CASES / 3, kinds.collect(), targets::signature::check);
}

#[test]
fn exports() {
    let given = [[7, 1, 40, 60], [0, 3, 100, 200], [14, 2, 0, 0]];
    let small = files(&["export.jsonl"]).into_iter().filter(|export| export.len() < LONGEST - 4);
    let mut seeds: BTreeSet<Vec<u8>> =
        small.zip(given.iter().cycle()).map(|(export, given)| [given.as_slice(), &export].concat()).collect();
    // Rows by number: honest, a copy, one left out, a fork, a second genesis, and lines without a row.
    for rows in [
        "\x08\x09\x0a\x0b",
        "\x08\x09\x09\x0a",
        "\x08\x0a",
        "\x08\x09\x0a\x09\x0a\x0b",
        "\x00\x01\x02\x03\x04\x05",
        "\x08\x09\x00\x01\x0a",
    ] {
        for end in ["\n", "\r\n", "\n\n", "}\n"] {
            let lines: String = rows.chars().map(|row| format!("@{row}{end}")).collect();
            seeds.insert([given[0].as_slice(), lines.as_bytes()].concat());
        }
    }
    run("export", RUNS, seeds, targets::export::check);
}
