//! What a file of rows looks like: lines of text, a sidecar beside them, one JSON document, lines in one
//! form, files that rows name. Each as a process, over `testdata/layouts` and damaged copies of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledger_verify::audit::{self, Request};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, json};
use serde_json::Value;

/// A copy of one of the folders of `testdata/layouts`.
struct Copied {
    folder: tempfile::TempDir,
}

impl Copied {
    fn of(layout: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/layouts").join(layout), folder.path());
        Copied { folder }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).expect("a readable file")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.at(name), bytes).expect("a file");
    }

    /// Replaces the first `from` in a file.
    fn edit(&self, name: &str, from: &str, to: &str) {
        let bytes = self.read(name);
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("what is edited");
        self.write(name, [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat());
    }

    /// The report on these exports, in this folder.
    fn verify(&self, exports: &[&str]) -> Seen {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        command.current_dir(self.folder.path()).args(exports).args(["--profile", "profile.toml", "--json"]);
        let output = command.stdin(Stdio::null()).output().expect("the program runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
        assert_eq!(report["exit_code"], output.status.code().expect("no signal"));
        Seen(report)
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder") {
        let (from, to) = {
            let entry = entry.expect("an entry");
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            fs::create_dir(&to).expect("a folder");
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// A report.
struct Seen(Value);

impl Seen {
    fn of_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0["findings"].as_array().into_iter().flatten().filter(move |finding| finding["class"] == class)
    }

    /// Codes and lines of the faults.
    fn faults(&self) -> Vec<(&str, u64)> {
        let of = |finding: &'_ Value| finding["line"].as_u64().unwrap_or(0);
        self.of_class("fault").map(|fault| (fault["code"].as_str().unwrap_or_default(), of(fault))).collect()
    }

    fn notes(&self) -> Vec<&str> {
        self.of_class("note")
            .filter_map(|note| note["code"].as_str())
            .filter(|code| *code != "uncovered-field")
            .collect()
    }

    /// Whole, and all of it checked: only an anchor is missing.
    #[track_caller]
    fn is_whole(&self) -> &Self {
        assert_eq!(self.0["exit_code"], 3, "{:#}", self.0);
        assert_eq!(self.of_class("bound").map(|bound| &bound["code"]).collect::<Vec<_>>(), ["no-anchor"]);
        let coverage = &self.0["coverage"];
        assert_eq!((&coverage["rows"], &coverage["digests"]), (&6.into(), &6.into()));
        self
    }

    #[track_caller]
    fn has_faults(&self, faults: &[(&str, u64)]) {
        assert_eq!(self.faults(), faults, "{:#}", self.0["findings"]);
    }

    /// No verdict; the message says this.
    #[track_caller]
    fn stopped(&self, code: &str, words: &str) {
        assert_eq!(self.0["stop"]["code"], code, "{:#}", self.0);
        let message = self.0["stop"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn lines_of_text() {
    let copied = Copied::of("lines");
    let seen = copied.verify(&["whole.log"]);
    assert!(seen.is_whole().notes().is_empty());
    assert_eq!(seen.0["coverage"]["uncovered"], Value::Array(Vec::new()));
    assert_eq!(seen.0["coverage"]["last_sequence"], 6);

    copied.edit("whole.log", "naïve", "naive");
    copied.verify(&["whole.log"]).has_faults(&[("hash-mismatch", 2)]);
}

#[test]
fn a_line_that_does_not_fit_is_one_fault() {
    let copied = Copied::of("lines");
    copied.edit("whole.log", "[3] warn", "[3] WARN");
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 3)]);
    // The expression fits the whole line: nothing may stand before or after.
    let copied = Copied::of("lines");
    copied.edit("whole.log", "[4]", " [4]");
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 4)]);
    let copied = Copied::of("lines");
    copied.edit("whole.log", "five", "fi\u{0}ve");
    copied.verify(&["whole.log"]).has_faults(&[("hash-mismatch", 5)]);
}

#[test]
fn what_ends_a_line_of_text() {
    let copied = Copied::of("lines");
    let whole = copied.read("whole.log");
    // A CR is a character of the line, unless the profile says otherwise.
    let crlf = lines(&whole).iter().flat_map(|line| [&line[..line.len() - 1], b"\r\n"].concat()).collect::<Vec<u8>>();
    copied.write("crlf.log", &crlf);
    assert_eq!(copied.verify(&["crlf.log"]).faults().len(), 6);
    copied.edit("profile.toml", "[input]", "[input]\nline_ends = \"any\"");
    assert!(copied.verify(&["crlf.log"]).is_whole().notes().is_empty());
    copied.verify(&["whole.log"]).is_whole();

    copied.write("torn.log", &whole[..whole.len() - 1]);
    assert_eq!(copied.verify(&["torn.log"]).is_whole().notes(), ["no-final-newline"]);
    copied.write("torn.log", &whole[..whole.len() - 2]);
    copied.verify(&["torn.log"]).has_faults(&[("row-unmatched", 6)]);
    copied.write("bom.log", [b"\xef\xbb\xbf", &*whole].concat());
    assert_eq!(copied.verify(&["bom.log"]).is_whole().notes(), ["bom"]);
    copied.write("blank.log", [b"\n \t\n", &*whole, b"\n"].concat());
    assert_eq!(copied.verify(&["blank.log"]).is_whole().notes(), ["blank-line"]);
}

#[test]
fn text_is_utf_8() {
    let copied = Copied::of("lines");
    let mut whole = copied.read("whole.log");
    let at = whole.windows(4).position(|window| window == b"five").expect("row 5");
    whole[at] = 0xff;
    copied.write("whole.log", &whole);
    copied.verify(&["whole.log"]).has_faults(&[("invalid-utf8", 5)]);
    copied.write("utf16.log", b"\xff\xfea\0\n\0");
    copied.verify(&["utf16.log"]).stopped("form", "UTF-16");
}

#[test]
fn text_that_no_group_holds_is_told() {
    let copied = Copied::of("lines");
    copied.edit("profile.toml", "(?P<level>[a-z]+) ", "(?P<level>[a-z]+) +");
    let seen = copied.verify(&["whole.log"]);
    assert_eq!(seen.is_whole().0["coverage"]["uncovered"], serde_json::json!(["(text outside the named groups)"]));
}

#[test]
fn a_sidecar_line_by_line() {
    let copied = Copied::of("sidecar");
    let whole = copied.verify(&["whole.log"]);
    let seen = whole.is_whole();
    assert_eq!(seen.0["coverage"]["uncovered"], serde_json::json!(["n"]));
    let sidecar = &seen.0["subject"][0]["sidecar"];
    assert_eq!((&sidecar["name"], &sidecar["bytes"]), (&"whole.log.sums".into(), &792.into()));
    assert_eq!(sidecar["sha256"].as_str().map(str::len), Some(64));

    // The sidecar is a part of what is cited, to its last byte.
    let sums = copied.read("whole.log.sums");
    copied.write("whole.log.sums", &sums[..sums.len() - 1]);
    let other = copied.verify(&["whole.log"]);
    assert_ne!(other.is_whole().0["report_id"], whole.0["report_id"]);
    assert_ne!(other.0["subject"][0]["sidecar"]["sha256"], whole.0["subject"][0]["sidecar"]["sha256"]);

    copied.edit("whole.log", "naïve", "naive");
    copied.verify(&["whole.log"]).has_faults(&[("hash-mismatch", 2)]);

    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let output = command.arg(copied.at("whole.log")).arg("--profile").arg(copied.at("profile.toml")).output();
    let text = String::from_utf8(output.expect("the program runs").stdout).expect("text");
    assert!(
        text.lines().nth(1).is_some_and(|line| line.contains("whole.log.sums, line by line  791 B  sha256:")),
        "{text}"
    );
}

#[test]
fn lines_pair_by_number() {
    let copied = Copied::of("sidecar");
    let (log, sums) = (lines(&copied.read("whole.log")), lines(&copied.read("whole.log.sums")));
    copied.write("whole.log", log[..5].concat());
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 6)]);
    copied.write("whole.log", log.concat());
    copied.write("whole.log.sums", sums[..4].concat());
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 5), ("row-unmatched", 6)]);
    // A blank line of the log is a line: row 4 is one. One more has no partner.
    copied.write("whole.log", [log.concat(), b"\n".to_vec()].concat());
    copied.write("whole.log.sums", sums.concat());
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 7)]);
    copied.write("whole.log", [log.concat(), b"\n".to_vec()].concat());
    copied.write("whole.log.sums", [sums.concat(), b"\n".to_vec()].concat());
    assert_eq!(copied.verify(&["whole.log"]).is_whole().notes(), ["blank-line"]);
    // A line of the log is gone: from there on each line has its neighbour's partner.
    copied.write("whole.log", [log[..2].concat(), log[3..].concat()].concat());
    copied.write("whole.log.sums", sums.concat());
    let mismatch = |line| ("hash-mismatch", line);
    copied.verify(&["whole.log"]).has_faults(&[mismatch(3), mismatch(4), mismatch(5), ("row-unmatched", 6)]);
    // A sidecar's line that does not fit.
    copied.write("whole.log", log.concat());
    copied.edit("whole.log.sums", "\n3|", "\n3;");
    copied.verify(&["whole.log"]).has_faults(&[("row-unmatched", 3)]);
}

/// Of an export with a sidecar earlier rows are not looked at again, so that a copy is told by its links and numbers.
#[test]
fn a_copy_of_a_pair_is_told_by_its_neighbours() {
    let copied = Copied::of("sidecar");
    for name in ["whole.log", "whole.log.sums"] {
        let mut copies = lines(&copied.read(name));
        copies.insert(4, copies[1].clone());
        copied.write(name, copies.concat());
    }
    copied.verify(&["whole.log"]).has_faults(&[
        ("link-broken", 5),
        ("sequence-backwards", 5),
        ("link-broken", 6),
        ("sequence-gap", 6),
    ]);
}

#[test]
fn which_file_is_the_sidecar() {
    let copied = Copied::of("sidecar");
    let gzip = |bytes: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gz, bytes).expect("a Vec takes every byte");
        gz.finish().expect("a Vec takes every byte")
    };
    let plain = copied.verify(&["whole.log"]).0["report_id"].clone();
    copied.write("whole.log.gz", gzip(&copied.read("whole.log")));
    assert_eq!(copied.verify(&["whole.log.gz"]).is_whole().0["report_id"], plain);
    copied.write("whole.log.sums.gz", gzip(&copied.read("whole.log.sums")));
    fs::remove_file(copied.at("whole.log.sums")).expect("it was there");
    assert_eq!(copied.verify(&["whole.log.gz"]).is_whole().0["report_id"], plain);
    assert_eq!(copied.verify(&["whole.log"]).is_whole().0["report_id"], plain);
    fs::remove_file(copied.at("whole.log.sums.gz")).expect("it was there");
    copied.verify(&["whole.log"]).stopped("unreadable", "whole.log.sums is not there");
    copied.verify(&["-"]).stopped("unreadable", "standard input has no sidecar");
}

#[test]
fn parts_and_folders_have_their_own_sidecars() {
    let copied = Copied::of("sidecar");
    for name in ["whole.log", "whole.log.sums"] {
        let lines = lines(&copied.read(name));
        fs::create_dir_all(copied.at("logs")).expect("a folder");
        let (first, second) = (name.replace("whole", "logs/a-10"), name.replace("whole", "logs/a-9"));
        copied.write(&first, lines[..2].concat());
        copied.write(&second, lines[2..].concat());
    }
    let by_name = copied.verify(&["logs/a-10.log", "logs/a-9.log"]);
    assert_eq!(by_name.is_whole().0["subject"][1]["sidecar"]["name"], "logs/a-9.log.sums");
    let folder = copied.verify(&["logs"]);
    assert_eq!(folder.is_whole().0["report_id"], by_name.0["report_id"]);
    let left = &folder.0["environment"]["folders"][0]["left"];
    assert_eq!(left[0]["why"], "the sidecar of a-9.log");
}

/// The report id of an export, with the work cut into pieces of so many bytes.
fn cut(folder: &Path, export: &str, batch_bytes: usize, threads: usize) -> Value {
    let request = Request {
        exports: vec![folder.join(export)],
        profile: Some(folder.join("profile.toml").display().to_string()),
        threads,
        ..Request::default()
    };
    let sizes = Sizes { batch_bytes, stride_bytes: batch_bytes, window_bytes: 3 * batch_bytes, ..Sizes::default() };
    json::value(&audit::run_cut(&request, Environment::default(), sizes))
}

#[test]
fn the_report_does_not_depend_on_the_cut() {
    let damaged = |layout: &str, names: &[&str]| {
        let copied = Copied::of(layout);
        for name in names {
            let mut rows = lines(&copied.read(name));
            rows.insert(4, rows[1].clone());
            rows.swap(2, 3);
            copied.write(name, rows.concat());
        }
        copied
    };
    let whole = |layout: &str| Copied::of(layout);
    for (copied, export) in [
        (whole("sidecar"), "whole.log"),
        (damaged("sidecar", &["whole.log", "whole.log.sums"]), "whole.log"),
        (damaged("sidecar", &["whole.log"]), "whole.log"),
        (damaged("lines", &["whole.log"]), "whole.log"),
        (whole("document"), "whole.json"),
        (whole("document"), "one-line.json"),
        (whole("bodies"), "whole.jsonl"),
    ] {
        let usual = cut(copied.folder.path(), export, 256 << 10, 1);
        for (batch_bytes, threads) in [(1, 1), (7, 2), (130, 1), (400, 2), (1 << 20, 2)] {
            let other = cut(copied.folder.path(), export, batch_bytes, threads);
            assert_eq!(other, usual, "{export} in pieces of {batch_bytes}");
        }
    }
}

#[test]
fn rows_of_a_document() {
    let copied = Copied::of("document");
    let seen = copied.verify(&["whole.json"]);
    assert!(seen.is_whole().notes().is_empty());
    let around = "around its array of rows";
    let says =
        |seen: &Seen| seen.0["limits"].as_array().unwrap().iter().any(|limit| limit.as_str().unwrap().contains(around));
    assert!(says(&seen));
    copied.verify(&["one-line.json"]).is_whole();

    // A finding stands where its item starts.
    let text = String::from_utf8(copied.read("whole.json")).expect("text");
    copied.edit("whole.json", "\"five\"", "\"5\"");
    let seen = copied.verify(&["whole.json"]);
    let at = text.find("{\n          \"n\": 5").expect("row 5");
    let line = text[..at].matches('\n').count() as u64 + 1;
    seen.has_faults(&[("hash-mismatch", line)]);
    assert_eq!(seen.0["findings"][0]["offset"], at);

    // Where the array is the document, nothing stands around it.
    let rows = lines(&copied.read("whole.jsonl")).iter().map(|row| row[..row.len() - 1].to_vec()).collect::<Vec<_>>();
    copied.write("array.json", [b"\xef\xbb\xbf[".to_vec(), rows.join(&b","[..]), b"]".to_vec()].concat());
    copied.edit("profile.toml", "result.1.rows", "");
    let seen = copied.verify(&["array.json"]);
    assert_eq!(seen.is_whole().notes(), ["bom"]);
    assert!(!says(&seen));
    let copy = [&rows[..4], &rows[1..2], &rows[4..]].concat();
    copied.write("array.json", [b"[".to_vec(), copy.join(&b",\n"[..]), b"]".to_vec()].concat());
    copied.verify(&["array.json"]).has_faults(&[("sequence-repeated", 5)]);
}

#[test]
fn damage_in_a_document() {
    // In a row it is the row's.
    for (from, to, code) in [
        ("\"text\": \"five\"", "\"text\": \"five\", \"text\": \"5\"", "duplicate-key"),
        ("\"text\": \"five\"", "\"text\" \"five\"", "not-json"),
    ] {
        let copied = Copied::of("document");
        copied.edit("one-line.json", from, to);
        copied.verify(&["one-line.json"]).has_faults(&[(code, 1)]);
    }
    // Around the rows it is the document's: there is no verdict.
    for (from, to) in [
        ("\"count\"", "\"result\""),
        ("\"count\": 6", "\"count\": 6,"),
        ("\"exported\": \"by hand\"", "\"result\": []"),
        ("\"rows\": [", "\"lines\": ["),
        ("}]}]", "}]"),
    ] {
        let copied = Copied::of("document");
        copied.edit("one-line.json", from, to);
        copied.verify(&["one-line.json"]).stopped("form", "this is no JSON document with an array of rows");
    }
    // And it hides no fault that was found before.
    let copied = Copied::of("document");
    copied.write("cut.json", &copied.read("one-line.json")[..1000]);
    copied.verify(&["cut.json"]).stopped("form", "this is no JSON document");
    copied.edit("whole.json", "\"five\"", "\"5\"");
    let seen = copied.verify(&["whole.json", "cut.json"]);
    assert_eq!((&seen.0["exit_code"], &seen.0["unfinished"]), (&1.into(), &true.into()));
    // A document is held in memory: it has a largest size.
    let large = fs::File::create(copied.at("large.json")).expect("a file");
    large.set_len(ledger_verify::read::DOCUMENT_BYTES as u64 + 1).expect("a sparse file");
    copied.verify(&["large.json"]).stopped("form", "larger than 268435456 bytes");
    // Without the word a document is no JSON Lines.
    let copied = Copied::of("document");
    copied.edit("profile.toml", "array = \"result.1.rows\"", "");
    copied.write("array.json", b"[\n{}\n]\n");
    copied.verify(&["array.json"]).stopped("form", "a JSON array");
}

#[test]
fn a_line_in_another_form_than_its_own() {
    let copied = Copied::of("canonical");
    copied.verify(&["whole.jsonl"]).is_whole();
    // The digest is over the canonical form: it would not show this.
    copied.edit("whole.jsonl", "\"text\":\"five\"", "\"text\": \"five\"");
    let seen = copied.verify(&["whole.jsonl"]);
    seen.has_faults(&[("row-unmatched", 5)]);
    copied.edit("profile.toml", "line_is = \"compact\"", "");
    copied.verify(&["whole.jsonl"]).is_whole();
}

#[test]
fn line_ends_of_json_rows() {
    let copied = Copied::of("canonical");
    let rows = lines(&copied.read("whole.jsonl"));
    copied.write(
        "whole.jsonl",
        rows.iter().flat_map(|row| [&row[..row.len() - 1], b"\r\n"].concat()).collect::<Vec<u8>>(),
    );
    assert_eq!(copied.verify(&["whole.jsonl"]).is_whole().notes(), ["crlf"]);
    copied.edit("profile.toml", "[input]", "[input]\nline_ends = \"any\"");
    assert!(copied.verify(&["whole.jsonl"]).is_whole().notes().is_empty());
}

#[test]
fn words_of_input_that_cannot_be_carried_out() {
    let stop = |from: &str, to: &str, words: &str| {
        let copied = Copied::of("canonical");
        copied.edit("profile.toml", from, to);
        copied.verify(&["whole.jsonl"]).stopped("profile", words);
    };
    stop("line_is = \"compact\"", "dialect = \"python\"\narray = \"rows\"", "line 5: [input], dialect");
    stop("line_is = \"compact\"", "line_is = \"jsc\"", "line 5: [input], line_is");
    stop("line_is = \"compact\"", "format = \"lines\"", "line 5: [input], format");
    stop("line_is = \"compact\"", "sidecar = \".sums\"", "line 5: [input], sidecar");
    for path in ["../{hex}", "/{hex}", "a/../b", "{hex", "hex}", ""] {
        let copied = Copied::of("bodies");
        copied.edit("profile.toml", "bodies/{hex}", path);
        copied.verify(&["whole.jsonl"]).stopped("profile", "bind");
    }
}

/// A body that row 5 alone names.
const FIVE: &str = "bodies/d2c8735337ef7d4e90858790ae98de2024216aba1cb205a11c129fff0974ed1c";

#[test]
fn files_that_rows_name() {
    let copied = Copied::of("bodies");
    copied.verify(&["whole.jsonl"]).is_whole();
    // Files are looked for beside the export, not where the program runs.
    let output = Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .args([copied.at("whole.jsonl"), "--profile".into(), copied.at("profile.toml")])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(fs::read(copied.at(FIVE)).map(|bytes| bytes.len()).ok(), Some(51), "the body of five");

    copied.edit(FIVE, "five", "FIVE");
    let seen = copied.verify(&["whole.jsonl"]);
    let faults = seen.faults();
    assert!(!faults.is_empty() && faults.iter().all(|(code, _)| *code == "bind-mismatch"), "{faults:?}");
    let named: Vec<u64> = faults.iter().map(|(_, line)| *line).collect();
    fs::remove_file(copied.at(FIVE)).expect("it was there");
    let seen = copied.verify(&["whole.jsonl"]);
    assert_eq!(seen.faults().iter().map(|(_, line)| *line).collect::<Vec<_>>(), named);
    assert!(seen.of_class("fault").all(|fault| fault["found"].as_str().unwrap().ends_with("there is no such file")));
    fs::create_dir(copied.at(FIVE)).expect("a folder");
    assert_eq!(copied.verify(&["whole.jsonl"]).faults(), faults);
}

#[test]
fn a_name_leads_nowhere_but_into_the_folder() {
    let outside = tempfile::tempdir().expect("a temporary folder");
    let target = outside.path().join("start.txt");
    for name in ["../named/start", "./../x", target.with_extension("").to_str().unwrap(), "a/../../named/start"] {
        let copied = Copied::of("bodies");
        fs::copy(copied.at("named/start.txt"), &target).expect("a copy");
        copied.edit("profile.toml", "named/{name}.txt", "{name}.txt");
        copied.edit("whole.jsonl", "\"name\": \"five\"", &format!("\"name\": {}", serde_json::json!(name)));
        let seen = copied.verify(&["whole.jsonl"]);
        let found = |fault: &&Value| {
            fault["found"].as_str().is_some_and(|found| found.ends_with("not in the folder of the export"))
        };
        assert_eq!(seen.of_class("fault").filter(found).count(), 1, "{name}: {:#}", seen.0["findings"]);
    }
}

#[test]
#[cfg(unix)]
fn a_link_leads_nowhere_but_into_the_folder() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().expect("a temporary folder");
    let copied = Copied::of("bodies");
    let five = copied.read(FIVE);
    fs::write(outside.path().join("body"), &five).expect("a file");
    fs::remove_file(copied.at(FIVE)).expect("it was there");
    copied.write("bodies/moved", &five);
    symlink("moved", copied.at(FIVE)).expect("a link");
    copied.verify(&["whole.jsonl"]).is_whole();
    fs::remove_file(copied.at(FIVE)).expect("it was there");
    symlink(outside.path().join("body"), copied.at(FIVE)).expect("a link");
    let seen = copied.verify(&["whole.jsonl"]);
    assert!(!seen.faults().is_empty());
    assert!(
        seen.of_class("fault")
            .all(|fault| fault["found"].as_str().unwrap().ends_with("not in the folder of the export"))
    );
    // What is there and cannot be read says nothing of the ledger; a fault outranks it.
    fs::remove_file(copied.at(FIVE)).expect("it was there");
    symlink(FIVE.trim_start_matches("bodies/"), copied.at(FIVE)).expect("a link to itself");
    copied.verify(&["whole.jsonl"]).stopped("unreadable", "names a file that cannot be read: bodies/d2c8");
    let whole = copied.read("whole.jsonl");
    copied.edit("whole.jsonl", "naïve", "naive");
    let seen = copied.verify(&["whole.jsonl"]);
    assert_eq!((&seen.0["exit_code"], &seen.0["unfinished"]), (&1.into(), &true.into()));
    seen.has_faults(&[("hash-mismatch", 2)]);
    copied.write("whole.jsonl", whole);
    // A pipe would be waited for.
    fs::remove_file(copied.at(FIVE)).expect("it was there");
    let made = Command::new("mkfifo").arg(copied.at(FIVE)).status().expect("mkfifo runs");
    assert!(made.success());
    assert!(!copied.verify(&["whole.jsonl"]).faults().is_empty());
}

#[test]
fn a_stream_stands_in_no_folder() {
    Copied::of("bodies").verify(&["-"]).stopped("unreadable", "standard input: its rows name files beside it");
}
