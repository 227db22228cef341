//! Forms against what Python and Node write, as committed, and live where they are installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use ledger_verify::canonical::{
    Escape, Form, Keys, Numbers, SelectSpec, Separators, Unicode, Unwritable, Writer, latin1_low_byte, number,
};
use ledger_verify::row::Reader;

use crate::written;

fn form(name: &str) -> Form {
    let python = Form { numbers: Numbers::Python, ..Form::PYTHON_DEFAULT };
    let compact = Form { separators: Separators::Compact, ..python };
    let raw = Form { escape: Escape::Json, ..python };
    let stringify = Form { keys: Keys::V8, numbers: Numbers::Es6, ..Form::COMPACT };
    match name {
        "python-default" => python,
        "python-inserted" => Form { keys: Keys::AsWritten, ..python },
        "python-compact" => Form { escape: Escape::Json, ..compact },
        "python-compact-ascii" => compact,
        "python-raw" => raw,
        "python-nfc" => Form { escape: Escape::Json, unicode: Unicode::Nfc, ..compact },
        "stringify" => stringify,
        "stringify-2" | "latin1-low-byte" => Form { separators: Separators::Indent2, ..stringify },
        "jcs" => Form::JCS,
        other => panic!("{other}"),
    }
}

fn check(vectors: &str) {
    for vector in vectors.lines() {
        let vector: serde_json::Value = serde_json::from_str(vector).unwrap();
        let text = |name: &str| vector[name].as_str().unwrap();
        let name = text("form");
        let mut mine = written(text("line"), &SelectSpec::default(), &form(name), &[]).unwrap();
        if name == "latin1-low-byte" {
            let mut bytes = [b"\xc3\xa9 before ", mine.as_bytes()].concat();
            latin1_low_byte(&mut bytes, 10);
            assert_eq!(&bytes[..10], b"\xc3\xa9 before ");
            mine = data_encoding::HEXLOWER.encode(&bytes[10..]);
        }
        assert_eq!(mine, text("out"), "{name} of {}", text("line"));
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/canonical")
}

/// What an interpreter writes for another seed; none, and a word about it, where there is no such one.
fn live(program: &str, script: &str) {
    for seed in ["7", "8", "9"] {
        match Command::new(program).arg(folder().join(script)).args([seed, "150"]).output() {
            Ok(output) if output.status.success() => {
                let vectors = String::from_utf8(output.stdout).unwrap();
                assert!(vectors.lines().count() >= 600);
                check(&vectors);
            }
            Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => println!("skipped: {program} is not there"),
        }
    }
}

#[test]
fn as_python_writes() {
    check(&std::fs::read_to_string(folder().join("python.jsonl")).unwrap());
    live("python3", "generate.py");
}

#[test]
fn as_node_writes() {
    check(&std::fs::read_to_string(folder().join("node.jsonl")).unwrap());
    live("node", "generate.mjs");
}

/// Each line is the bits of a double and Python's text of it.
#[test]
fn floats_as_python_prints_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/formats/arcaeon/float_vectors.tsv");
    let Ok(lines) = std::fs::read_to_string(&path) else {
        return println!("skipped: {} is not there", path.display());
    };
    let mut count = 0;
    for line in lines.lines() {
        let (bits, expected) = line.split_once('\t').unwrap();
        let double = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        if double.is_finite() {
            let mut out = Vec::new();
            number::write_python(double, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{bits}");
            count += 1;
        }
    }
    assert!(count > 6_000);
}

fn plain(line: &str, form: Form) -> String {
    written(line, &SelectSpec::default(), &form, &[]).unwrap()
}

#[test]
fn built_in_forms() {
    let line = r#"{ "\ufb01":"\/\u00e9\n", "\ud83d\ude00" : [1.50, 1E2,-0] ,"b":{"y":{},"x":[]} }"#;
    let forms = [
        ("jcs", "{\"b\":{\"x\":[],\"y\":{}},\"😀\":[1.5,100,0],\"ﬁ\":\"/é\\n\"}"),
        ("compact", "{\"b\":{\"x\":[],\"y\":{}},\"ﬁ\":\"/é\\n\",\"😀\":[1.50,1E2,-0]}"),
        ("compact-ascii", r#"{"b":{"x":[],"y":{}},"\ufb01":"/\u00e9\n","\ud83d\ude00":[1.50,1E2,-0]}"#),
        ("python-default", r#"{"b": {"x": [], "y": {}}, "\ufb01": "/\u00e9\n", "\ud83d\ude00": [1.50, 1E2, -0]}"#),
    ];
    for (name, expected) in forms {
        assert_eq!(plain(line, Form::builtin(name).unwrap()), expected, "{name}");
    }
    assert_eq!(Form::builtin("compact"), Some(Form::default()));
    assert_eq!(Form::builtin("JCS"), None);
}

#[test]
fn the_outermost_object_may_have_its_own_order() {
    let form = Form { top_keys: Some(Keys::AsWritten), ..Form::COMPACT };
    assert_eq!(plain(r#"{"b":{"d":0,"c":[{"f":0,"e":0}]},"a":0}"#, form), r#"{"b":{"c":[{"e":0,"f":0}],"d":0},"a":0}"#);
    let of = SelectSpec { of: Some("b".to_owned()), ..SelectSpec::default() };
    assert_eq!(written(r#"{"b":{"d":0,"c":{"f":0,"e":0}}}"#, &of, &form, &[]).unwrap(), r#"{"d":0,"c":{"e":0,"f":0}}"#);
}

#[test]
fn strings_without_escapes() {
    let form = Form { escape: Escape::None, ..Form::COMPACT };
    assert_eq!(plain(r#"{"a\"":"\\\"\n\u0000é"}"#, form), "{\"a\"\":\"\\\"\n\0é\"}");
}

#[test]
fn whole_numbers_collapse() {
    let form = Form { numbers: Numbers::CollapseWhole, ..Form::COMPACT };
    for (written, expected) in [
        ("3.0", "3"),
        ("-3.0", "-3"),
        ("-0.0", "0"),
        ("-0", "-0"),
        ("1.5e3", "1500"),
        ("1.50", "1.50"),
        ("1e-2", "1e-2"),
        ("999999999999999900000.0", "999999999999999900000"),
        ("1e21", "1e21"),
        ("100000000000000000000000", "100000000000000000000000"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992"),
    ] {
        assert_eq!(plain(&format!(r#"{{"a":{written}}}"#), form), format!(r#"{{"a":{expected}}}"#));
    }
}

#[test]
fn the_text_of_a_number_is_never_guessed() {
    let mut reader = Reader::new();
    let cases = [
        (r#"{"a":1,"b":-0,"c":18446744073709551615}"#, false, false),
        (r#"{"a":1.0}"#, true, false),
        (r#"{"a":1e2}"#, true, false),
        (r#"{"a":18446744073709551616}"#, true, true),
        (r#"{"a":1e30}"#, true, true),
    ];
    for (line, verbatim, python) in cases {
        for (numbers, needed) in [
            (Numbers::Verbatim, verbatim),
            (Numbers::CollapseWhole, verbatim),
            (Numbers::Python, python),
            (Numbers::Es6, false),
        ] {
            let form = Form { numbers, ..Form::COMPACT };
            let select = Default::default();
            let row = reader.read(line.as_bytes()).unwrap();
            assert_eq!(form.needs_exact(row), needed, "{line} {numbers:?}");
            assert!(form.needs_written() || !needed);
            let result = Writer::default().write(row.root(), &select, &form, &[], &mut Vec::new());
            assert_eq!(result, if needed { Err(Unwritable::NotExact) } else { Ok(()) }, "{line} {numbers:?}");
            let row = reader.read_exact(line.as_bytes()).unwrap();
            assert!(!form.needs_exact(row));
            assert_eq!(Writer::default().write(row.root(), &select, &form, &[], &mut Vec::new()), Ok(()));
        }
    }
}

#[test]
fn deep_rows_do_not_overflow_the_stack() {
    let line = [r#"{"a":"#.repeat(999), "[0]".into(), "}".repeat(999)].concat();
    assert_eq!(plain(&line, Form::JCS), line);
    let drop = SelectSpec { exclude_recursive: vec!["x".into()], ..Default::default() };
    assert_eq!(written(&line, &drop, &Form::COMPACT, &[]).unwrap(), line);
    assert_eq!(plain(&line, form("stringify-2")).lines().count(), 2 * 1_000 + 1);
}

#[test]
fn what_indents_beyond_all_measure_is_refused() {
    let line = [r#"{"a":"#, &"[".repeat(999), &vec!["0"; 70_000].join(","), &"]".repeat(999), "}"].concat();
    let mut reader = Reader::new();
    let row = reader.read(line.as_bytes()).unwrap();
    let result = Writer::default().write(row.root(), &Default::default(), &form("stringify-2"), &[], &mut Vec::new());
    assert_eq!(result, Err(Unwritable::TooLong));
}
