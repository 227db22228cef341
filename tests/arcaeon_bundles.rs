//! Evidence bundles: re-derived, every check of arcaeon.md §6, and what a hostile one must not do.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const CLEAN: &str = "testdata/arcaeon/bundle";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn verify(path: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.arg("bundle").arg(path).args(more).output().expect("it runs")
}

fn json(path: &Path) -> Value {
    let out = verify(path, &["--json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|why| panic!("{path:?}: {why}: {out:?}"));
    assert_eq!(report["exit_code"].as_i64(), out.status.code().map(i64::from), "{path:?}");
    report
}

/// The checks that failed.
fn failed(report: &Value) -> Vec<&str> {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().filter(|check| check["status"] == "failed").filter_map(|check| check["id"].as_str()).collect()
}

/// A copy of the clean bundle that can be changed.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root().join(CLEAN)).expect("the bundle") {
        let entry = entry.expect("an entry");
        fs::write(folder.path().join(entry.file_name()), fs::read(entry.path()).expect("a file")).expect("room");
    }
    folder
}

fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(folder.join(file)).expect("a text");
    assert!(text.contains(from), "{file} has {from}");
    fs::write(folder.join(file), text.replace(from, to)).expect("room");
}

#[test]
fn a_clean_bundle_is_verified() {
    let report = json(&root().join(CLEAN));
    assert_eq!((report["verdict"].as_str(), failed(&report)), (Some("verified"), vec![]));
    assert_eq!(report["recomputed_strict"]["ok"], true);
    assert_eq!(report["checks"].as_array().expect("checks").len(), 6);
}

#[test]
fn each_thing_that_does_not_fit_is_named() {
    type Change = fn(&Path);
    let cases: &[(&str, Change)] = &[
        ("manifest", |folder| fs::write(folder.join("MANIFEST.json"), "{").expect("room")),
        ("manifest", |folder| replace(folder, "MANIFEST.json", "bundle/1", "bundle/2")),
        ("manifest", |folder| replace(folder, "MANIFEST.json", "{\n  \"format\"", "{\n  \"format\": 1,\n  \"format\"")),
        ("files", |folder| fs::remove_file(folder.join("README.txt")).expect("removed")),
        ("files", |folder| fs::write(folder.join("README.txt"), "other").expect("room")),
        ("files", |folder| replace(folder, "MANIFEST.json", "\"README.txt\"", "\"../README.txt\"")),
        ("unlisted", |folder| fs::write(folder.join("planted.txt"), "x").expect("room")),
        ("unlisted", |folder| fs::create_dir(folder.join("sub")).expect("a folder")),
        ("ledger-digest", |folder| replace(folder, "MANIFEST.json", "\"ledger_sha256\": \"", "\"ledger_sha256\": \"0")),
        ("report", |folder| replace(folder, "MANIFEST.json", "\"ok\": true", "\"ok\": null")),
        ("report", |folder| replace(folder, "verify_report.json", "\"rows\": 5", "\"rows\": 6")),
        ("report", |folder| replace(folder, "verify_report.json", "\"rows\": 5", "\"rows\": 5.0")),
        ("report", |folder| {
            replace(folder, "verify_report.json", "\"verified_scope\": \"full\"", "\"verified_scope\": \"\"")
        }),
        ("report", |folder| {
            replace(folder, "verify_report.json", "\"prechain_adoption\": false", "\"prechain_adoption\": true")
        }),
        ("report", |folder| replace(folder, "verify_report.json", "\"declared\": []", "\"declared\": [\"x\"]")),
        ("report", |folder| {
            replace(
                folder,
                "verify_report.json",
                "\"ledger_file\": \"agent.log.jsonl\"",
                "\"ledger_file\": \"README.txt\"",
            )
        }),
        ("report", |folder| replace(folder, "verify_report.json", "\"mode\": \"strict\"", "\"mode\": \"lenient\"")),
        ("report", |folder| replace(folder, "verify_report.json", "\"mode\"", "\"other\"")),
        ("report", |folder| replace(folder, "MANIFEST.json", "\"mode\": \"strict\"", "\"mode\": null")),
        ("witness", |folder| {
            answer(folder, "{}");
            replace(folder, "MANIFEST.json", "\"file\":\"witness_latest.json\"", "\"file\":\"README.txt\"");
        }),
        ("witness", |folder| {
            replace(
                folder,
                "MANIFEST.json",
                "\"included\": false,\n    \"status\"",
                "\"included\": true,\n    \"status\"",
            )
        }),
    ];
    for (check, change) in cases {
        let folder = copy();
        change(folder.path());
        let report = json(folder.path());
        assert_eq!(report["exit_code"], 1, "{check}: {report:#}");
        assert!(failed(&report).contains(check), "{check}: {:?}", failed(&report));
        assert_ne!(report["mismatches"].as_array().map(Vec::len), Some(0), "{check}");
    }
}

#[test]
fn a_bundle_without_manifest_could_not_be_looked_at() {
    let folder = copy();
    fs::remove_file(folder.path().join("MANIFEST.json")).expect("removed");
    let report = json(folder.path());
    assert_eq!((report["exit_code"].as_i64(), report["verdict"].as_str()), (Some(3), Some("bounded")));
    assert!(report["unseen"].as_str().is_some_and(|why| why.contains("MANIFEST.json")));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let folder = copy();
    let outside = tempfile::tempdir().expect("a folder");
    let ledger = folder.path().join("agent.log.jsonl");
    fs::rename(&ledger, outside.path().join("ledger")).expect("moved");
    std::os::unix::fs::symlink(outside.path().join("ledger"), &ledger).expect("a link");
    let report = json(folder.path());
    assert_eq!(report["exit_code"], 1);
    assert!(failed(&report).contains(&"unlisted") && failed(&report).contains(&"files"), "{report:#}");
    assert!(report["ledger"].is_null(), "nothing outside the bundle is read");
}

#[test]
fn hostile_names_are_escaped() {
    let folder = copy();
    replace(folder.path(), "MANIFEST.json", "\"README.txt\"", "\"\\u001b[2J\\u202eREADME.txt\"");
    let out = verify(folder.path(), &[]);
    assert_eq!(out.status.code(), Some(1));
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
}

#[test]
fn what_is_no_bundle_is_no_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("text.txt");
    fs::write(&file, "no zip").expect("room");
    for path in [folder.path().join("absent"), file] {
        assert_eq!(verify(&path, &[]).status.code(), Some(2), "{path:?}");
    }
    assert_eq!(verify(folder.path(), &[]).status.code(), Some(3), "an empty folder has no manifest");
}

/// A zip of the files of a folder.
fn zipped(folder: &Path) -> tempfile::NamedTempFile {
    let mut zip = zip::ZipWriter::new(tempfile::NamedTempFile::new().expect("a file"));
    for entry in fs::read_dir(folder).expect("the folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
        zip.write_all(&fs::read(entry.path()).expect("a file")).expect("room");
    }
    zip.finish().expect("a zip")
}

#[test]
fn a_ledger_that_was_compressed_in_place_is_not_the_one_that_is_listed() {
    let folder = copy();
    let ledger = folder.path().join("agent.log.jsonl");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&fs::read(&ledger).expect("the ledger")).expect("room");
    fs::write(&ledger, gzip.finish().expect("gzip")).expect("room");
    let zip = zipped(folder.path());
    for path in [folder.path(), zip.path()] {
        let report = json(path);
        assert_eq!((report["exit_code"].as_i64(), failed(&report)), (Some(1), vec!["files"]), "{report:#}");
        let text = report["mismatches"].to_string();
        assert!(text.contains("it is compressed") && text.contains("bytes"), "{text}");
    }
    // Nor is it one where the manifest lists the compressed bytes: the package would read no row of it.
    let bytes = fs::read(&ledger).expect("the ledger");
    let manifest = fs::read(folder.path().join("MANIFEST.json")).expect("the manifest");
    let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
    let listed = &manifest["files"]["agent.log.jsonl"];
    let digest = data_encoding::HEXLOWER.encode(&<sha2::Sha256 as sha2::Digest>::digest(&bytes));
    replace(folder.path(), "MANIFEST.json", listed["sha256"].as_str().expect("a digest"), &digest);
    let length = |length: &str| format!("\"bytes\": {length}\n");
    replace(folder.path(), "MANIFEST.json", &length(&listed["bytes"].to_string()), &length(&bytes.len().to_string()));
    let report = json(folder.path());
    assert_eq!((report["exit_code"].as_i64(), failed(&report)), (Some(1), vec!["files"]), "{report:#}");
}

/// No folder for temporary files, and one in which nothing can be written: no verdict, and the reason.
#[cfg(unix)]
#[test]
fn a_zip_that_cannot_be_unpacked_is_no_verdict() {
    let zip = zipped(&root().join(CLEAN));
    assert_eq!(json(zip.path())["exit_code"], 0);
    let run = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_ledger-verify")]).arg(zip.path()).output().expect("it runs")
    };
    for script in [
        "TMPDIR=/nonexistent exec \"$1\" bundle \"$2\" --json",
        // No file may grow, and the signal about it is ignored: as on a full disk.
        "trap '' XFSZ; ulimit -f 0; exec \"$1\" bundle \"$2\" --json",
    ] {
        let out = run(script);
        let report: Value = serde_json::from_slice(&out.stdout).unwrap_or_else(|why| panic!("{why}: {out:?}"));
        assert_eq!(out.status.code(), Some(2), "{report:#}");
        let why = report["stop"]["message"].as_str().expect("a reason");
        assert!(why.contains("cannot be unpacked"), "{why}");
    }
}

/// Put the answer of a witness into a bundle, and into its manifest.
fn answer(folder: &Path, answer: &str) {
    fs::write(folder.join("witness_latest.json"), answer).expect("room");
    let path = folder.join("MANIFEST.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).expect("the manifest")).expect("JSON");
    let digest = data_encoding::HEXLOWER.encode(&<sha2::Sha256 as sha2::Digest>::digest(answer));
    manifest["files"]["witness_latest.json"] = json!({ "sha256": digest, "bytes": answer.len() });
    manifest["witness"] = json!({ "included": true, "status": "included", "file": "witness_latest.json" });
    fs::write(path, manifest.to_string()).expect("room");
}

#[test]
fn a_pin_of_the_witness_is_held_against_the_ledger() {
    let text = fs::read_to_string(root().join(CLEAN).join("agent.log.jsonl")).expect("the ledger");
    let chain = |row: usize| {
        let row: Value = serde_json::from_str(text.lines().nth(row - 1).expect("a row")).expect("JSON");
        row["chain"].as_str().expect("a digest").to_owned()
    };
    let pin = |rows: usize, chain: &str| {
        json!({ "namespace": "ns-x", "rows": rows, "chain": chain, "pinned_at": "2026-01-01T00:00:00Z", "seq": 1 })
            .to_string()
    };
    let cases = [
        (pin(5, &chain(5)), 0, "consistent"),
        (pin(5, &chain(5).to_ascii_uppercase()), 0, "consistent"),
        (pin(3, &chain(3)), 0, "consistent"),
        (pin(5, &chain(4)), 1, "rewritten"),
        (pin(3, &"ab".repeat(16)), 1, "rewritten"),
        (pin(6, &chain(5)), 1, "truncated"),
        ("{\"error\":\"no pin\"}".to_owned(), 0, "no_pin"),
        ("<html>".to_owned(), 0, "no_pin"),
        (pin(0, &chain(5)), 0, "no_pin"),
        (pin(5, &chain(4)[..7]), 0, "no_pin"),
        (pin(5, &chain(4)[..8]), 1, "rewritten"),
        (pin(5, &"x".repeat(32)), 0, "no_pin"),
        (pin(5, &chain(4)).replace("\"rows\":5", "\"rows\":true"), 0, "no_pin"),
        (pin(5, &chain(4)).replace("pinned_at", "as_of"), 0, "no_pin"),
        (pin(5, &chain(4)).replace("\"seq\"", "\"prev\""), 0, "no_pin"),
    ];
    for (text, code, verdict) in cases {
        let folder = copy();
        answer(folder.path(), &text);
        let zip = zipped(folder.path());
        for path in [folder.path(), zip.path()] {
            let report = json(path);
            assert_eq!(report["exit_code"], code, "{text}: {report:#}");
            assert_eq!(report["witness"]["verdict"], verdict, "{text}");
            assert_eq!(failed(&report), if code == 0 { vec![] } else { vec!["witness"] }, "{text}: {report:#}");
            assert_eq!(report["recomputed_lenient"]["ok"], true, "the package knows no witness: {text}");
            let said = String::from_utf8(verify(path, &[]).stdout).expect("UTF-8");
            assert!(said.contains(&format!(": {verdict}\n")), "{said}");
        }
    }
}

#[test]
fn what_is_stated_is_told_as_it_is_written() {
    for written in ["\"true\"", "1", "[true]"] {
        let folder = copy();
        replace(folder.path(), "MANIFEST.json", "\"ok\": true", &format!("\"ok\": {written}"));
        let report = json(folder.path());
        assert_eq!(report["exit_code"], 1);
        assert_eq!(report["mismatches"][0]["stated"], written, "{report:#}");
    }
}

/// Packers may go about it in several ways; what the central directory does not account for is told.
#[test]
fn every_byte_of_a_zip_is_accounted_for() {
    let whole = fs::read(zipped(&root().join(CLEAN)).path()).expect("a zip");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bundle.zip");
    let report = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("room");
        let out = verify(&file, &["--json"]);
        let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        (out.status.code(), report)
    };
    assert_eq!(report(&whole).0, Some(0));
    let mut streamed = zip::ZipWriter::new_stream(Vec::new());
    for entry in fs::read_dir(root().join(CLEAN)).expect("the bundle") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("UTF-8");
        streamed.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
        streamed.write_all(&fs::read(entry.path()).expect("a file")).expect("room");
    }
    let streamed = streamed.finish().expect("a zip").into_inner();
    assert_eq!(report(&streamed).0, Some(0), "lengths may stand behind the entries");

    let local = memchr::memmem::find(&whole, b"README.txt").expect("a name");
    let mut renamed = whole.clone();
    renamed[local..local + 6].copy_from_slice(b"README".to_ascii_lowercase().as_slice());
    // An entry that the directory does not tell of: behind the others stands one more local header.
    let central = memchr::memmem::find(&whole, b"PK\x01\x02").expect("a directory");
    let mut hidden = whole.clone();
    let entry = whole[..central].to_vec();
    hidden.splice(central..central, entry.iter().copied());
    let offset = hidden.len() - 6;
    let moved = u32::try_from(central + entry.len()).expect("small").to_le_bytes();
    hidden[offset..offset + 4].copy_from_slice(&moved);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("before", [b"#!/bin/sh\n".as_slice(), &whole].concat()),
        ("behind", [&whole, b"more".as_slice()].concat()),
        ("another name", renamed),
        ("hidden", hidden),
    ];
    for (what, bytes) in cases {
        let (code, report) = report(&bytes);
        assert!(matches!(code, Some(1 | 2)), "{what}: {code:?} {report:#}");
        let text = report.to_string();
        assert!(text.contains("zip"), "{what}: {text}");
        assert!(!text.contains("invalid Zip") && !text.contains("inconsistency"), "{what}: {text}");
    }
    // Two entries of one name, which is told.
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["one.txt", "two.txt"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("an entry");
    }
    zip.start_file("MANIFEST.json", zip::write::SimpleFileOptions::default()).expect("an entry");
    zip.write_all(&fs::read(root().join(CLEAN).join("MANIFEST.json")).expect("the manifest")).expect("room");
    let mut bytes = zip.finish().expect("a zip").into_inner();
    while let Some(at) = memchr::memmem::find(&bytes, b"two.txt") {
        bytes[at..at + 7].copy_from_slice(b"one.txt");
    }
    let (code, report) = report(&bytes);
    assert_eq!(code, Some(1));
    let named = report["mismatches"].as_array().expect("mismatches").iter().any(|mismatch| {
        mismatch["what"] == "one.txt" && mismatch["found"].as_str().is_some_and(|found| found.starts_with("2 entries"))
    });
    assert!(named, "{report:#}");
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_link_is_told_as_one() {
    let folder = copy();
    let manifest = folder.path().join("MANIFEST.json");
    fs::rename(&manifest, folder.path().join("other.json")).expect("moved");
    std::os::unix::fs::symlink("other.json", &manifest).expect("a link");
    let report = json(folder.path());
    assert_eq!(report["exit_code"], 3);
    assert!(report["unseen"].as_str().is_some_and(|why| why.contains("it is a link")), "{report:#}");
}

/// All bundles of the package's vectors, where they are.
#[test]
fn the_vectors_come_out_as_their_rules_say() {
    let folder = root().join("../shared/formats/arcaeon");
    let Ok(text) = fs::read(folder.join("bundles.json")) else {
        return eprintln!("the vectors of arcaeon are not here: not run");
    };
    let vectors: Value = serde_json::from_slice(&text).expect("JSON");
    let bundles = vectors["bundles"].as_array().expect("bundles");
    assert!(bundles.len() > 10);
    for bundle in bundles {
        let name = bundle["name"].as_str().expect("a name");
        let path: PathBuf = folder.join(bundle["path"].as_str().expect("a path"));
        let report = json(&path);
        if !path.join("MANIFEST.json").exists() && path.is_dir() {
            assert_eq!(report["exit_code"], 3, "{name}");
            continue;
        }
        if bundle["kind"] == "zip" {
            // The clean one, packed.
            assert_eq!(report["exit_code"], 0, "{name}");
            continue;
        }
        let listed = |member: &str| bundle[member].as_array().is_some_and(|list| !list.is_empty());
        let lies = bundle["report_matches_recomputed"] == false
            || bundle["manifest_verify_ok"] != bundle["recomputed_strict"]["ok"];
        let mismatch = listed("mismatched") || listed("missing") || listed("unlisted") || lies;
        let lenient = &bundle["recomputed_lenient"];
        let wanted = match lenient["ok"].as_bool() {
            _ if mismatch => 1,
            Some(true) => 0,
            Some(false) => 1,
            None => 3,
        };
        assert_eq!(report["exit_code"], wanted, "{name}: {:#}", report["mismatches"]);
        assert_eq!(report["mismatches"].as_array().is_some_and(|list| !list.is_empty()), mismatch, "{name}");
        assert_eq!(report["recomputed_strict"], bundle["recomputed_strict"], "{name}");
        assert_eq!(&report["recomputed_lenient"], lenient, "{name}");
        assert_eq!(report["prechain_adoption"], bundle["prechain_adoption"], "{name}");
    }
}
