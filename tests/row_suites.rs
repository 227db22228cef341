//! Rows and their RFC 8785 form against what others have published, and hand-written tables.
//!
//! A small part of the suites is in `testdata/suites`; the whole of them is looked for beside the
//! repository and the tests that need it say so when it is not there.

use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::canonical::{Exclude, jcs, number};
use ledger_verify::row::{Kind, Number, Reader, Value};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/suites").join(path)
}

/// The whole suite beside the repository; `None` (and a word about it) in a bare clone.
fn beside(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites").join(path);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn canonical(value: Value<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    jcs::write(value, &Exclude::default(), &mut out);
    out
}

fn wrapped(text: &[u8]) -> Vec<u8> {
    [b"{\"v\":", text, b"}"].concat()
}

/// Whether both readers say the same of this line, and what.
fn agreed(reader: &mut Reader, line: &[u8]) -> Result<Vec<u8>, Kind> {
    let fast = reader.read(line).map(|row| canonical(row.root())).map_err(|error| error.kind);
    let exact = reader.read_exact(line).map(|row| canonical(row.root())).map_err(|error| error.kind);
    assert_eq!(fast, exact, "{}", String::from_utf8_lossy(line));
    exact
}

#[test]
fn json_test_suite() {
    let Some(folder) = beside("JSONTestSuite/test_parsing") else { return };
    let files = files(&folder);
    assert_eq!(files.len(), 318);
    let mut reader = Reader::new();
    for (name, text) in files {
        let read = reader.read_value_exact(&text).map(|_| ()).map_err(|error| error.kind);
        match name.get(..2) {
            Some("y_") if name.starts_with("y_object_duplicated_key") => assert_eq!(read, Err(Kind::DuplicateKey)),
            Some("y_") => assert_eq!(read, Ok(()), "{name}"),
            Some("n_") => assert!(read.is_err(), "{name}"),
            Some("i_") => {}
            _ => panic!("{name} is of no kind"),
        }
        let in_a_row = agreed(&mut reader, &wrapped(&text)).map(|_| ());
        if read.is_ok() {
            assert_eq!(in_a_row, Ok(()), "{name}");
        }
    }
}

#[test]
fn rfc_8785_pairs() {
    let folder = here("json-canonicalization/testdata");
    let inputs = files(&folder.join("input"));
    assert_eq!(inputs.len(), 6);
    let mut reader = Reader::new();
    for (name, input) in inputs {
        let output = fs::read(folder.join("output").join(&name)).unwrap();
        let hex = fs::read_to_string(folder.join("outhex").join(name.replace(".json", ".txt"))).unwrap();
        let bytes: Vec<u8> = hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        assert_eq!(bytes, output, "{name}: the suite itself");
        let exact = canonical(reader.read_value_exact(&input).unwrap().root());
        assert_eq!(String::from_utf8_lossy(&exact), String::from_utf8_lossy(&output), "{name}");
        assert_eq!(agreed(&mut reader, &wrapped(&input)), Ok(wrapped(&output)), "{name}");
    }
}

/// Each line is the bits of a double and its ECMAScript text. The shortest text in another spelling
/// must be read as these bits by both readers and be printed as the suite says.
fn es6_numbers(path: &Path, lines: usize) {
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.lines().count(), lines);
    let mut reader = Reader::new();
    for line in text.lines() {
        let (bits, expected) = line.split_once(',').unwrap();
        let double = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        let mut out = Vec::new();
        number::write(Number::Double(double), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected, "{bits}");
        for spelling in [format!("{double:e}"), expected.to_owned()] {
            let row = wrapped(spelling.as_bytes());
            assert_eq!(agreed(&mut reader, &row), Ok(wrapped(expected.as_bytes())), "{spelling}");
        }
    }
}

#[test]
fn es6_numbers_of_the_clone() {
    es6_numbers(&here("es6-numbers/es6testfile_60.txt"), 60);
}

#[test]
fn es6_numbers_all() {
    let Some(path) = beside("es6-numbers/es6testfile_10000.txt") else { return };
    es6_numbers(&path, 10_000);
}

#[test]
fn each_fault_has_its_kind_and_place() {
    let deep = |levels: usize| [r#"{"a":"#.repeat(levels), "0".into(), "}".repeat(levels)].concat();
    let (passes, too_deep) = (deep(1_000), deep(1_001));
    let mut reader = Reader::new();
    agreed(&mut reader, passes.as_bytes()).expect("1,000 levels pass");
    let cases: &[(&[u8], Kind, usize)] = &[
        // Ends early: more bytes could have helped.
        (b"", Kind::EndsEarly, 0),
        (b" \t", Kind::EndsEarly, 2),
        (b"{", Kind::EndsEarly, 1),
        (br#"{"a"#, Kind::EndsEarly, 3),
        (br#"{"a\"#, Kind::EndsEarly, 4),
        (br#"{"a":"\u12"#, Kind::EndsEarly, 10),
        (br#"{"a":"\ud800"#, Kind::EndsEarly, 12),
        (br#"{"a":"\ud800\"#, Kind::EndsEarly, 13),
        (br#"{"a":"\ud800\ud"#, Kind::EndsEarly, 15),
        (br#"{"a":tru"#, Kind::EndsEarly, 8),
        (br#"{"a":-"#, Kind::EndsEarly, 6),
        (br#"{"a":1."#, Kind::EndsEarly, 7),
        (br#"{"a":1e+"#, Kind::EndsEarly, 8),
        (br#"{"a":1"#, Kind::EndsEarly, 6),
        (b"{\"a\":1,\r", Kind::EndsEarly, 8),
        // Not JSON: nothing can help any more.
        (br#"{"a":1}x"#, Kind::NotJson, 7),
        (br#"{"a":1}{"a":1}"#, Kind::NotJson, 7),
        (br#"{"a":01}"#, Kind::NotJson, 6),
        (br#"{"a":+1}"#, Kind::NotJson, 5),
        (br#"{"a":.5}"#, Kind::NotJson, 5),
        (br#"{"a":1.}"#, Kind::NotJson, 7),
        (br#"{"a":trux}"#, Kind::NotJson, 8),
        (br#"{"a":NaN}"#, Kind::NotJson, 5),
        (br#"{"a":1,}"#, Kind::NotJson, 7),
        (br#"{"a":[1,]}"#, Kind::NotJson, 8),
        (br#"{"a":[1}"#, Kind::NotJson, 7),
        (br#"{'a':1}"#, Kind::NotJson, 1),
        (br#"{"a" 1}"#, Kind::NotJson, 5),
        (b"{\"a\":3\0}", Kind::NotJson, 6),
        (b"{\"a\":\"\t\"}", Kind::NotJson, 6),
        (b"{\"a\"\x0b:1}", Kind::NotJson, 4),
        (br#"{"a":"\x"}"#, Kind::NotJson, 7),
        (br#"{"a":"\u12g4"}"#, Kind::NotJson, 10),
        (br#"{"a":"\ud800"}"#, Kind::NotJson, 6),
        (br#"{"a":"\ud800\u0"#, Kind::NotJson, 6),
        (br#"{"a":"\ud800\ud800"}"#, Kind::NotJson, 6),
        (br#"{"a":"x\udc00\ud800"}"#, Kind::NotJson, 7),
        ("\u{feff}{}".as_bytes(), Kind::NotJson, 0),
        // The others.
        (b"{\"a\":\"\xff\"}", Kind::InvalidUtf8, 6),
        (b"{\"a\":\"\xc0\xaf\"}", Kind::InvalidUtf8, 6),
        (b"{\"a\":\"\xed\xa0\xbd\"}", Kind::InvalidUtf8, 6),
        (b"{\"a\":\"\xe2\x82", Kind::InvalidUtf8, 6),
        (too_deep.as_bytes(), Kind::NestingTooDeep, 5_000),
        (b" [] ", Kind::NotAnObject, 1),
        (b"null", Kind::NotAnObject, 0),
        (br#""x""#, Kind::NotAnObject, 0),
        (b"4", Kind::NotAnObject, 0),
        (br#"{"class":"R0","class":"R3"}"#, Kind::DuplicateKey, 14),
        (br#"{"class":"R0","cl\u0061ss":"R3"}"#, Kind::DuplicateKey, 14),
        (br#"{"a":[{"":1,"b":{"c":1,"d":2,"c":3},"":2}],"a":1}"#, Kind::DuplicateKey, 29),
        (br#"{"a":1e400}"#, Kind::NumberOutOfRange, 5),
        (br#"{"a":[-1e309]}"#, Kind::NumberOutOfRange, 6),
        // Several at once: UTF-8, then syntax and depth, then object, duplicates, range.
        (b"{\"a\":1,\"a\":1e400 x \xff", Kind::InvalidUtf8, 19),
        (br#"{"a":1,"a":1e400 x"#, Kind::NotJson, 17),
        (br#"{"a":1e400,"a":1}"#, Kind::DuplicateKey, 11),
        (br#"[{"a":1e400,"a":1}]"#, Kind::NotAnObject, 0),
        (br#"[{"a":1e400,"a":1}"#, Kind::EndsEarly, 18),
    ];
    for (line, kind, at) in cases {
        let text = String::from_utf8_lossy(line);
        let error = reader.read(line).expect_err(&text);
        assert_eq!((error.kind, error.at), (*kind, *at), "{text}: {error}");
        assert_eq!(reader.read_exact(line).expect_err(&text), error, "{text}");
    }
}

#[test]
fn why_never_quotes_raw_text() {
    let mut reader = Reader::new();
    let name = format!("\u{1b}[2J\u{202e}{}", "x".repeat(500));
    let line = format!(r#"{{"\u001b[2J{0}":1,"\u001b[2J{0}":2}}"#, &name[4..]);
    let error = reader.read(line.as_bytes()).unwrap_err();
    assert_eq!(error.kind, Kind::DuplicateKey);
    assert!(error.why.chars().all(|char| char == '…' || char == ' ' || char.is_ascii_graphic()), "{}", error.why);
    assert!(error.why.chars().count() < 130, "{}", error.why);
}

#[test]
fn hostile_rows_end() {
    let mut reader = Reader::new();
    let brackets = vec![b'['; 64 << 20];
    let error = reader.read(&brackets).unwrap_err();
    assert_eq!((error.kind, error.at), (Kind::NestingTooDeep, 1_000));

    let members: Vec<String> = (0..300_000).map(|number| format!(r#""{number:020}":0"#)).collect();
    let line = format!("{{{}}}", members.join(","));
    let row = reader.read(line.as_bytes()).unwrap();
    assert_eq!(row.root().count(), 300_000);
    assert_eq!(canonical(row.root()), line.as_bytes());
    let line = format!("{{{},{}}}", members.join(","), members[1]);
    let error = reader.read(line.as_bytes()).unwrap_err();
    assert_eq!((error.kind, error.at), (Kind::DuplicateKey, line.len() - 25));

    // Digits that make up for an exponent which the standard library cuts.
    let zeros = "0".repeat(70_000);
    let line = format!(r#"{{"a":0.{zeros}1e700000}}"#);
    assert_eq!(agreed(&mut reader, line.as_bytes()), Err(Kind::NumberOutOfRange));
    let zeros = "0".repeat(700_000);
    let line = format!(r#"{{"a":0.{zeros}15e700000,"b":-15{zeros}e-700000}}"#);
    assert_eq!(agreed(&mut reader, line.as_bytes()), Ok(br#"{"a":0.15,"b":-15}"#.to_vec()));
}

#[test]
fn values_are_found() {
    let line = br#" {"a":{"b":[1,{"c":"\u00e9\n"}],"":null},"t":true,"n":-0,"big":9007199254740993, "f":3.0} "#;
    let mut reader = Reader::new();
    for exact in [false, true] {
        let row = if exact { reader.read_exact(line) } else { reader.read(line) }.unwrap();
        let root = row.root();
        assert!(row.large_numbers());
        assert_eq!(root.path(&["a", "b", "1", "c"]).and_then(Value::as_str), Some("é\n"));
        assert_eq!(root.path(&["a", "b", "0"]).and_then(Value::as_number), Some(Number::Unsigned(1)));
        assert!(root.path(&["a", "b", "2"]).is_none() && root.path(&["a", "x"]).is_none());
        assert!(root.path(&["t", "x"]).is_none() && root.path(&["a", "b", "x"]).is_none());
        assert!(root.path(&["a", ""]).is_some_and(Value::is_null));
        assert_eq!(root.get("t").and_then(Value::as_bool), Some(true));
        assert_eq!(root.get("n").and_then(Value::as_number), Some(Number::Signed(0)));
        assert_eq!(root.get("f").and_then(Value::as_number).and_then(Number::as_exact_u64), Some(3));
        assert_eq!(root.get("big").and_then(Value::as_number).and_then(Number::as_exact_u64), None);
        assert_eq!(root.members().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "t", "n", "big", "f"]);
        assert_eq!(root.items().count(), 0);
        // Only the exact reader keeps what is written.
        let written = |name| root.get(name).and_then(Value::written);
        assert_eq!(written("f"), exact.then_some("3.0"));
        assert_eq!(written("n"), exact.then_some("-0"));
        assert_eq!(written("a"), exact.then_some(r#"{"b":[1,{"c":"\u00e9\n"}],"":null}"#));
        assert_eq!(root.written(), exact.then_some(std::str::from_utf8(line).unwrap().trim()));
        assert_eq!(number::imprecise_number(row), exact.then_some("9007199254740993"));
    }
}

#[test]
fn members_are_left_out() {
    let line = br#"{"z":1,"hash":2,"a":{"hash":3,"b":{"c":4,"d":5},"e":[{"f":6,"g":7},{"f":8}]},"signature":9}"#;
    let mut reader = Reader::new();
    let row = reader.read(line).unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&[], r#"{"a":{"b":{"c":4,"d":5},"e":[{"f":6,"g":7},{"f":8}],"hash":3},"hash":2,"signature":9,"z":1}"#),
        (&["hash", "signature"], r#"{"a":{"b":{"c":4,"d":5},"e":[{"f":6,"g":7},{"f":8}],"hash":3},"z":1}"#),
        (&["a"], r#"{"hash":2,"signature":9,"z":1}"#),
        (&["a", "a.b", "a"], r#"{"hash":2,"signature":9,"z":1}"#),
        (&["a.b", "a"], r#"{"hash":2,"signature":9,"z":1}"#),
        (&["a.b.c", "a.e", "z"], r#"{"a":{"b":{"d":5},"hash":3},"hash":2,"signature":9}"#),
        (&["a.b", "a.e.0.f", "a.e.1"], r#"{"a":{"e":[{"g":7},{"f":8}],"hash":3},"hash":2,"signature":9,"z":1}"#),
        (&["a.b.c", "a.b.d", "a.e", "hash", "signature"], r#"{"a":{"b":{},"hash":3},"z":1}"#),
        (
            &["", "x", "x.y", "z.y", "hash.x"],
            r#"{"a":{"b":{"c":4,"d":5},"e":[{"f":6,"g":7},{"f":8}],"hash":3},"hash":2,"signature":9,"z":1}"#,
        ),
    ];
    for (paths, expected) in cases {
        let mut out = Vec::new();
        jcs::write(row.root(), &Exclude::new(*paths), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), *expected, "{paths:?}");
    }
}
