//! The program as a process among others: pipes that close, disks that are full, environments that ask for
//! colour, text that wants to command the terminal, and every fixture with what is expected of it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program, in a folder, with nothing on standard input and no colour wishes from outside.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(folder).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR"] {
        command.env_remove(name);
    }
    command
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (out, err) = (text(stdout), text(stderr));
    assert!(!err.contains("panicked"), "{err}");
    (status.code().expect("the program ends by itself"), out, err)
}

/// One ledger for each verdict: exit code, folder, arguments.
fn verdicts() -> Vec<(i32, PathBuf, Vec<&'static str>)> {
    let fault = |name: &str| root().join("testdata/faults").join(name);
    vec![
        (0, root().join("tests/cmd/files"), vec!["export.jsonl", "--key", "pk.pem"]),
        (1, fault("hash-mismatch"), vec!["export.jsonl", "--key", "pk.pem", "--manifest", "manifest.json"]),
        (3, fault("no-anchor"), vec!["export.jsonl", "--key", "pk.pem"]),
    ]
}

fn schema() -> jsonschema::Validator {
    let text = fs::read_to_string(root().join("docs/report.schema.json")).expect("the schema");
    jsonschema::draft202012::new(&serde_json::from_str(&text).expect("JSON")).expect("a schema")
}

/// Output with `--json` as what it must be.
fn report(schema: &jsonschema::Validator, code: i32, out: &str) -> Value {
    let report: Value = serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out:?}"));
    let wrong: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{out}");
    assert_eq!(report["exit_code"], code);
    report
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    for (wanted, folder, arguments) in verdicts() {
        for form in [&[][..], &["--json"]] {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let mut command = program(&folder);
            command.args(&arguments).args(form).stdout(writer).stderr(Stdio::piped());
            let done = command.output().expect("the program starts");
            assert_eq!(done.status.code(), Some(wanted), "{arguments:?} {form:?}");
            assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{arguments:?} {form:?}");
        }
    }
}

#[test]
fn a_reader_that_takes_one_byte_of_many_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // More findings than any pipe holds.
    fs::write(folder.path().join("export.jsonl"), "x\n".repeat(4_000)).expect("a file");
    let mut command = program(folder.path());
    command
        .args(["export.jsonl", "--profile", "void", "--json", "--max-findings", "4000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0]).expect("one byte");
    drop(stdout);
    let done = child.wait_with_output().expect("the program ends");
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_missed() {
    let full = || fs::File::options().write(true).open("/dev/full").expect("/dev/full");
    for (verdict, folder, arguments) in verdicts() {
        for form in [&[][..], &["--json"]] {
            let mut command = program(&folder);
            let done = command.args(&arguments).args(form).stdout(full()).output().expect("the program starts");
            // Broken outranks what became of the report.
            assert_eq!(done.status.code(), Some(if verdict == 1 { 1 } else { 2 }), "{arguments:?} {form:?}");
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            assert!(said.contains("cannot be written") && !said.contains("panicked"), "{said:?}");
            // Nothing was asked for, nothing is missed.
            let quiet = program(&folder).args(&arguments).args(form).arg("--quiet").stdout(full()).status();
            assert_eq!(quiet.expect("the program starts").code(), Some(verdict));
        }
    }
    let nowhere = program(root()).arg("nowhere.jsonl").stderr(full()).status().expect("the program starts");
    assert_eq!(nowhere.code(), Some(2));
    let help = program(root()).arg("--help").stdout(full()).output().expect("the program starts");
    assert_eq!(help.status.code(), Some(2));
}

#[test]
fn standard_input_is_given_once() {
    let (code, out, err) = output(program(root()).args(["-", "-"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("no verdict: standard input was given twice\n"), "{err}");
}

#[test]
fn the_file_digest_of_a_manifest_is_that_of_all_parts_together() {
    use sha2::{Digest as _, Sha256};
    let files = root().join("tests/cmd/files");
    let folder = tempfile::tempdir().expect("a folder");
    let export = fs::read(files.join("export.jsonl")).expect("the export");
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(files.join("export.manifest.json")).expect("its manifest")).expect("JSON");
    let members = manifest.as_object_mut().expect("an object");
    members.remove("signature");
    let stated = data_encoding::HEXLOWER.encode(&Sha256::digest(&export));
    members.insert("file_sha256".to_owned(), stated.as_str().into());
    fs::write(folder.path().join("m.json"), manifest.to_string()).expect("a manifest");
    let run = |more: &[&str], name: &str| {
        let command = &mut program(&files);
        command.args(more).args(["--key", "pk.pem", "--json", "--manifest"]).arg(folder.path().join(name));
        serde_json::from_str::<Value>(&output(command).1).expect("JSON")
    };
    let with = |name: &str| run(&["part-1.jsonl", "part-2.jsonl"], name);
    assert_eq!(with("m.json")["verdict"], "verified");
    let other = manifest.to_string().replace(&stated, &"ab".repeat(32));
    fs::write(folder.path().join("other.json"), other).expect("a manifest");
    let report = with("other.json");
    assert_eq!(report["finding_counts"], serde_json::json!({ "manifest-mismatch": 1 }));
    let finding = &report["findings"][0];
    assert_eq!((&finding["member"], &finding["found"]), (&"file_sha256".into(), &stated.as_str().into()));
    // What an anchor states is compared, also where no digest was asked for.
    for parts in [
        &["export.jsonl", "--subject-digest", "none"][..],
        &["part-1.jsonl", "part-2.jsonl", "--subject-digest", "none"],
    ] {
        let report = run(parts, "other.json");
        assert_eq!(report["finding_counts"], serde_json::json!({ "manifest-mismatch": 1 }), "{parts:?}");
        assert!(report["subject"][0]["sha256"].is_string());
    }
}

#[test]
fn a_slice_that_a_pin_starts_says_where() {
    let files = root().join("tests/cmd/files");
    let rows = fs::read_to_string(files.join("export.jsonl")).expect("the export");
    let fourth: Value = serde_json::from_str(rows.lines().nth(3).expect("a row")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let slice: String = rows.split_inclusive('\n').skip(3).collect();
    fs::write(folder.path().join("slice.jsonl"), slice).expect("a slice");
    let mut command = program(folder.path());
    command.args(["slice.jsonl", "--head", &format!("{}@3", fourth["prev_hash"].as_str().expect("a link"))]);
    let (code, out, err) = output(command.arg("--key").arg(files.join("pk.pem")));
    assert!(code == 3 && out.contains("\n  ✓ 5 entries from sequence 4, chain intact\n"), "{out}{err}");
    assert!(!out.contains("partial-start"), "{out}");
}

#[cfg(unix)]
#[test]
fn closed_streams_change_nothing() {
    for (wanted, folder, arguments) in verdicts() {
        for closed in [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"] {
            let mut shell = Command::new("sh");
            shell.current_dir(&folder).arg("-c").arg(format!("\"$0\" \"$@\" {closed}"));
            let done = shell.arg(env!("CARGO_BIN_EXE_ledger-verify")).args(&arguments).output().expect("a shell");
            assert_eq!(done.status.code(), Some(wanted), "{arguments:?} {closed}");
        }
    }
}

/// Characters that a terminal obeys or a reader cannot see; line ends are ours.
fn commands(text: &str) -> Vec<char> {
    let bad = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().filter(bad).collect()
}

#[test]
fn a_pipe_gets_no_control_characters_whatever_the_environment_wants() {
    for (wanted, folder, arguments) in verdicts() {
        for form in [&[][..], &["--json"]] {
            let mut command = program(&folder);
            command.args(&arguments).args(form);
            command
                .env("CLICOLOR_FORCE", "1")
                .env("FORCE_COLOR", "3")
                .env("CLICOLOR", "1")
                .env("TERM", "xterm-256color");
            let (code, out, err) = output(&mut command);
            assert_eq!(code, wanted);
            assert!(!out.is_empty() && err.is_empty(), "{err}");
            assert_eq!(commands(&out), [], "{out:?}");
        }
    }
    let (code, out, err) = output(program(root()).arg("nowhere.jsonl").env("CLICOLOR_FORCE", "1"));
    assert_eq!((code, out.as_str(), commands(&err)), (2, "", vec![]));
    // The check sees what it looks for.
    let coloured = output(program(root()).args(["nowhere.jsonl", "--color", "always"])).2;
    assert!(commands(&coloured).contains(&'\u{1b}'));
}

/// The members of expect.json that are judged here; another one must not be passed over.
const EXPECTED: [&str; 7] = ["exit", "codes", "line", "faults", "bounds", "args", "why"];

#[test]
fn every_fixture_is_what_it_says() {
    let schema = schema();
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("testdata/faults"))
        .expect("fixtures")
        .map(|entry| entry.expect("one").path())
        .collect();
    folders.sort();
    assert!(folders.len() >= 40, "only {} fixtures", folders.len());
    for folder in folders {
        let name = folder.file_name().and_then(OsStr::to_str).expect("a name").to_owned();
        let expect = fs::read(folder.join("expect.json")).expect("expect.json");
        let expect: Value = serde_json::from_slice(&expect).expect("JSON");
        for member in expect.as_object().expect("an object").keys() {
            assert!(EXPECTED.contains(&member.as_str()), "{name}: nothing here judges {member}");
        }
        let given: Vec<&str> = list(&expect["args"]);
        let mut arguments = vec!["export.jsonl", "--json", "--profile", "void"];
        for (option, file) in [("--key", "pk.pem"), ("--manifest", "manifest.json")] {
            if !given.contains(&option) && folder.join(file).exists() {
                arguments.extend([option, file]);
            }
        }
        arguments.extend(given);
        let mut ids = BTreeSet::new();
        for threads in ["1", "3"] {
            let (code, out, err) = output(program(&folder).args(&arguments).args(["--threads", threads]));
            assert_eq!(err, "", "{name}");
            let report = report(&schema, code, &out);
            judge(&name, &expect, code, &report);
            ids.insert(report["report_id"].to_string());
        }
        assert_eq!(ids.len(), 1, "{name}: the report id depends on the threads");
        let text = output(program(&folder).args(arguments.iter().filter(|argument| **argument != "--json")));
        assert_eq!(expect["exit"], text.0, "{name}");
        assert_eq!(commands(&text.1), [], "{name}: {}", text.1);
    }
}

#[test]
fn notes_of_rows_are_told_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let row = format!(
        r#"{{"sequence":1,"kind":"compensation","reverses":0,"result":{{"digest_match":false}},"prev_hash":"0x{0}","hash":"0x{0}","signature":""}}"#,
        "0".repeat(64)
    );
    fs::write(folder.path().join("export.jsonl"), format!("{row}\n{row}\r\n{row}\n")).expect("a file");
    let (code, out, _) = output(program(folder.path()).args(["export.jsonl", "--json"]));
    let report = report(&schema(), code, &out);
    let notes = report["findings"].as_array().expect("findings").iter().filter(|finding| finding["class"] == "note");
    let told: Vec<_> =
        notes.map(|note| (note["code"].as_str(), note["line"].as_u64(), note["count"].as_u64())).collect();
    assert_eq!(told, [(Some("restore-mismatch"), Some(1), Some(3)), (Some("crlf"), Some(2), Some(1))]);
}

fn list(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn judge(name: &str, expect: &Value, code: i32, report: &Value) {
    assert_eq!(expect["exit"], code, "{name}");
    let findings = report["findings"].as_array().expect("findings");
    let counts = report["finding_counts"].as_object().expect("counts");
    let codes = list(&expect["codes"]);
    for code in &codes {
        assert!(counts.contains_key(*code), "{name}: no {code} in {counts:?}");
    }
    if let (Some(line), Some(first)) = (expect["line"].as_u64(), codes.first()) {
        let at = findings.iter().any(|finding| finding["code"] == *first && finding["line"] == line);
        assert!(at, "{name}: {first} is not on line {line}");
    }
    let class = |code: &str| findings.iter().find(|finding| finding["code"] == code).map(|finding| &finding["class"]);
    if let Some(wanted) = expect["faults"].as_u64() {
        let faults = counts.iter().filter(|(code, _)| class(code).is_some_and(|class| class == "fault"));
        assert_eq!(faults.filter_map(|(_, count)| count.as_u64()).sum::<u64>(), wanted, "{name}: {counts:?}");
    }
    if expect.get("bounds").is_some() {
        let bounds = counts.keys().map(String::as_str).filter(|code| class(code).is_some_and(|class| class == "bound"));
        assert_eq!(bounds.collect::<BTreeSet<_>>(), list(&expect["bounds"]).into_iter().collect(), "{name}");
    }
}

#[test]
fn every_stop_in_json_is_of_the_schema() {
    let schema = schema();
    let files = root().join("tests/cmd/files");
    let cases: &[(&[&str], &str)] = &[
        (&[], "usage"),
        (&["export.jsonl", "--bogus"], "usage"),
        (&["export.jsonl", "--key"], "usage"),
        (&["export.jsonl", "--accept", "empty"], "usage"),
        (&["export.jsonl", "--recipe", "prev=base64"], "usage"),
        (&["nowhere.jsonl"], "unreadable"),
        (&["../.."], "unreadable"),
        (&["-", "-"], "usage"),
        (&["array.jsonl"], "form"),
        (&["utf16.jsonl"], "form"),
        (&["damaged.jsonl.gz"], "unfinished"),
        (&["export.jsonl", "--key", "nowhere.pem"], "key"),
        (&["export.jsonl", "--key", "array.jsonl"], "key"),
        (&["export.jsonl", "--key", "globex=pk.pem"], "key-binding"),
        (&["export.jsonl", "--manifest", "nowhere.json"], "manifest"),
        (&["export.jsonl", "--manifest", "manifest-no-head.json"], "manifest"),
        (&["export.jsonl", "--head", "0x12"], "head"),
        (&["export.jsonl", "--profile", "unheard-of"], "profile"),
        (&["export.jsonl", "--profile", "profile-unknown-word.toml"], "profile"),
    ];
    for (arguments, wanted) in cases {
        let (code, out, err) = output(program(&files).args(*arguments).arg("--json"));
        assert_eq!((code, err.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(report(&schema, code, &out)["stop"]["code"], *wanted, "{arguments:?}");
        // Without --json standard output stays empty, so that nothing can be taken for a verdict.
        let (code, out, err) = output(program(&files).args(*arguments));
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.starts_with("no verdict: "), "{arguments:?}: {err}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_that_lies_where_a_manifest_would_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["export.jsonl", "pk.pem"] {
        fs::copy(root().join("tests/cmd/files").join(name), folder.path().join(name)).expect("a copy");
    }
    let pipe = folder.path().join("export.manifest.json");
    assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    let (code, out, _) = output(program(folder.path()).args(["export.jsonl", "--key", "pk.pem"]));
    assert_eq!(code, 3);
    assert!(out.contains("no-anchor") && out.contains("sidecar-ignored"), "{out}");
}

/// A member that a profile leaves out of the preimage can be changed by anyone: the word says so.
#[test]
fn a_profile_that_covers_less_says_what() {
    let text = fs::read_to_string(root().join("src/profile/builtin/void.toml")).expect("the built-in profile");
    let folder = tempfile::tempdir().expect("a folder");
    let weak = text.replace("exclude = [\"hash\", \"signature\"]", "exclude = [\"hash\", \"signature\", \"never\"]");
    fs::write(folder.path().join("weak.toml"), weak).expect("a profile");
    let files = root().join("tests/cmd/files");
    let profile = folder.path().join("weak.toml");
    let mut command = program(&files);
    let (code, out, _) = output(command.args(["export.jsonl", "--key", "pk.pem", "--profile"]).arg(profile));
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("profile: from a file, sha256:"), "{out}");
    assert!(out.trim_end().ends_with("verified, except member never"), "{out}");
}

/// A private key of seed bytes that everybody knows, in the forms in which people have them.
fn private_keys() -> Vec<(&'static str, Vec<u8>)> {
    use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
    let signing = ed25519_dalek::SigningKey::from_bytes(&std::array::from_fn(|index| 0x5a ^ index as u8));
    let (seed, public) = (signing.to_bytes(), signing.verifying_key().to_bytes());
    let pair = [seed, public].concat();
    let pkcs8 = [&b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20"[..], &seed].concat();
    let pem = |label: &str, bytes: &[u8]| {
        let text = BASE64.encode(bytes);
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
        format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n")).into_bytes()
    };
    let utf16 =
        |text: &[u8]| [&b"\xff\xfe"[..], &text.iter().flat_map(|byte| [*byte, 0]).collect::<Vec<u8>>()].concat();
    let jwk = format!(
        r#"{{"kty":"OKP","crv":"Ed25519","x":"{}","d":"{}"}}"#,
        BASE64URL_NOPAD.encode(&public),
        BASE64URL_NOPAD.encode(&seed)
    );
    let openssh = [&b"openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none\0\0\0\0\0\0\0\x01"[..], &pair].concat();
    vec![
        ("pkcs8.pem", pem("PRIVATE KEY", &pkcs8)),
        ("encrypted.pem", pem("ENCRYPTED PRIVATE KEY", &pkcs8)),
        ("windows.pem", utf16(&pem("PRIVATE KEY", &pkcs8))),
        ("openssh", pem("OPENSSH PRIVATE KEY", &openssh)),
        ("pkcs8.der", pkcs8),
        ("pair.raw", pair.clone()),
        ("pair.hex", HEXLOWER.encode(&pair).into_bytes()),
        ("pair.b64", BASE64.encode(&pair).into_bytes()),
        ("key.jwk", jwk.into_bytes()),
    ]
}

#[test]
fn a_private_key_is_refused_and_nothing_of_it_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(root().join("tests/cmd/files/export.jsonl"), folder.path().join("export.jsonl")).expect("a copy");
    // Every stretch of 8 characters of what the seed looks like, at every offset to base64's grid.
    let seed: [u8; 32] = std::array::from_fn(|index| 0x5a ^ index as u8);
    let mut shapes = vec![data_encoding::HEXLOWER.encode(&seed), data_encoding::HEXUPPER.encode(&seed)];
    for skip in 0..3 {
        shapes.push(data_encoding::BASE64.encode(&seed[skip..30 + skip - skip % 3]));
        shapes.push(data_encoding::BASE64URL_NOPAD.encode(&seed[skip..30]));
    }
    let shown = |text: &str| {
        shapes.iter().any(|shape| {
            shape.as_bytes().windows(8).any(|piece| text.contains(std::str::from_utf8(piece).expect("ASCII")))
        })
    };
    assert!(private_keys().iter().any(|(_, bytes)| shown(&String::from_utf8_lossy(bytes))), "the shapes are right");
    for (name, bytes) in private_keys() {
        // The text itself where a name should stand, bare or bound.
        if let Some(text) = String::from_utf8(bytes.clone()).ok().filter(|text| !text.contains('\0')) {
            for argument in [text.clone(), format!("acme={text}")] {
                let (code, out, err) = output(program(folder.path()).args(["export.jsonl", "--key", &argument]));
                assert_eq!((code, out.as_str()), (2, ""), "{name}");
                assert!(!shown(&err), "{name}: {err}");
            }
        }
        fs::write(folder.path().join(name), bytes).expect("a file");
        for form in [&[][..], &["--json"], &["--color", "always"]] {
            let (code, out, err) = output(program(folder.path()).args(["export.jsonl", "--key", name]).args(form));
            assert_eq!(code, 2, "{name}: {out}{err}");
            assert!((out.clone() + &err).contains("PRIVATE KEY handed over"), "{name}: {out}{err}");
            assert!(!shown(&out) && !shown(&err), "{name}: {out}{err}");
        }
        // As the export or as the manifest it is only another broken file, and as silent about what it holds.
        for arguments in [&[name][..], &["export.jsonl", "--manifest", name]] {
            for form in [&[][..], &["--json"]] {
                let (code, out, err) = output(program(folder.path()).args(arguments).args(form));
                assert_ne!(code, 0, "{name}");
                assert!(!shown(&out) && !shown(&err), "{name} {arguments:?}: {out}{err}");
            }
        }
    }
}

#[test]
fn hostile_text_is_never_shown_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let evil = "\u{1b}[2Jverified\u{202e}\u{2066}\u{200b}\u{7f}\u{9b}31m";
    let raw = evil.replace('\u{1b}', "\\u001b");
    let row = |sequence: &str, more: &str| {
        format!(
            r#"{{"sequence":{sequence},"workspace":"{raw}{more}","prev_hash":"{raw}","hash":"{raw}","signature":"{raw}:{raw}"}}"#
        )
    };
    let lines =
        [row("1", ""), row(&format!("\"{raw}\""), "x"), evil.to_owned(), format!("{{\"{raw}\":1,\"{raw}\":2}}")];
    let mut names = vec!["export.jsonl".to_owned()];
    if cfg!(unix) {
        names.push(format!("{}.jsonl", evil.replace('\u{7f}', "\n")));
    }
    for name in names {
        fs::write(folder.path().join(&name), lines.join("\n")).expect("a file");
        for form in [&[][..], &["--json"]] {
            let (code, out, err) = output(program(folder.path()).arg(&name).args(form));
            assert_eq!((code, err.as_str()), (1, ""));
            assert_eq!(commands(&out), [], "{out:?}");
            assert!(out.contains("u{1b}[2Jverified"), "shown, but escaped: {out}");
            assert!(out.lines().all(|line| !line.starts_with("verified")), "{out}");
        }
    }
    // Stops speak of names that are as hostile.
    for option in
        ["--key", "--manifest", "--head", "--profile", "--recipe", "--accept", "--explain", "--color", "--threads"]
    {
        for form in [&[][..], &["--json"]] {
            let (code, out, err) = output(program(folder.path()).args(["export.jsonl", option, evil]).args(form));
            assert_eq!(code, 2, "{option}");
            assert_eq!(commands(&(out + &err)), [], "{option}: {err:?}");
        }
    }
    for word in [evil, &format!("--{evil}"), &format!("-{evil}")] {
        let (code, out, err) = output(program(folder.path()).arg(word));
        assert_eq!((code, out.as_str(), commands(&err)), (2, "", vec![]), "{err:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_a_name_all_the_same() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let name = OsStr::from_bytes(b"export\xff.jsonl");
    fs::copy(root().join("tests/cmd/files/export.jsonl"), folder.path().join(name)).expect("a copy");
    let (code, out, _) = output(program(folder.path()).arg(name).arg("--json"));
    report(&schema(), code, &out);
    assert_eq!(code, 3);
}
