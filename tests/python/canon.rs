//! The text that is hashed: what Python printed, from `testdata/python` and from the shared folder where there
//! is one.

use std::fs;
use std::path::Path;

use ledger_verify::canonical::number;
use ledger_verify::canonical::{Form, Select, Writer};
use ledger_verify::row::Reader;
use sha2::{Digest as _, Sha256};

use crate::{oracle, read};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A file of vectors: the few that are kept, and all of them where the shared folder is present.
fn vectors(kept: &str, shared: &str) -> Vec<String> {
    let kept = fs::read_to_string(Path::new(ROOT).join("testdata/python").join(kept)).expect("vectors");
    let all = fs::read_to_string(Path::new(ROOT).join("../shared/formats/arcaeon").join(shared));
    if all.is_err() {
        println!("{shared} is not there: only those of testdata/python are tried");
    }
    [Ok(kept), all].into_iter().flatten().collect()
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn chain(prev: &str, body: &[u8]) -> String {
    hex(&Sha256::digest([prev.as_bytes(), body].concat()))[..32].to_owned()
}

#[test]
fn golden_values() {
    for (prev, row, expected) in [
        ("genesis", r#"{"a":1}"#, "bfd5f35b43681d586db0f4a547a500ca"),
        (
            "genesis",
            r#"{"ts":"2026-01-01T00:00:00Z","tool":"search","query":"weather","n":1}"#,
            "acbfb38fb4f6bf82da44d411f2a0ad82",
        ),
        (
            "acbfb38fb4f6bf82da44d411f2a0ad82",
            r#"{"ts":"2026-01-01T00:00:01Z","tool":"pay","amount":42.5,"ok":true}"#,
            "7a20bd04f9d17432ade36e7f252dcf26",
        ),
        (
            "genesis",
            r#"{"\ud83d\ude00":1,"\ufb00":2,"x":1743746592.00390625,"y":1e16,"z":"\u2028\u007f\n"}"#,
            "c304a8d59b0ae69be6bf8e8cd09bfb61",
        ),
    ] {
        let seen = read(&mut Reader::new(), row, false).unwrap();
        assert_eq!(chain(prev, &seen.sorted), expected, "{row}");
    }
}

#[test]
fn rows_as_python_printed_them() {
    for file in vectors("canon.json", "canon_vectors.json") {
        let vectors: Vec<serde_json::Value> = serde_json::from_str(&file).expect("JSON");
        assert!(vectors.len() > 30);
        for vector in vectors {
            let text = |name: &str| vector[name].as_str().expect(name);
            let row = text("row");
            for exact in [false, true] {
                let seen = read(&mut Reader::new(), row, exact).unwrap();
                assert_eq!(hex(&seen.sorted), text("canonical_hex"), "{row}");
                assert_eq!(chain(text("prev"), &seen.sorted), text("chain"), "{row}");
            }
            let twin = oracle::read(row).expect("the twin reads it").tree;
            assert_eq!(hex(&oracle::print(&twin, true, false)), text("canonical_hex"), "the twin of {row}");
        }
    }
}

#[test]
fn floats_as_python_printed_them() {
    for file in vectors("floats.tsv", "float_vectors.tsv") {
        assert!(file.lines().count() > 60);
        for line in file.lines() {
            let (bits, printed) = line.split_once('\t').expect("two columns");
            let double = f64::from_bits(u64::from_str_radix(bits, 16).expect("hex"));
            let mut out = Vec::new();
            number::write_python(double, &mut out);
            // The package prints what `repr` does, and names of its own for what is not finite.
            let printed = match printed {
                "nan" => "NaN",
                "inf" => "Infinity",
                "-inf" => "-Infinity",
                other => other,
            };
            assert_eq!(String::from_utf8(out).unwrap(), printed, "{bits}");
            assert_eq!(oracle::float(double), printed, "the twin of {bits}");
        }
    }
}

#[test]
fn invalid_bytes_as_python_replaced_them() {
    for file in vectors("utf8.tsv", "utf8_replace_vectors.tsv") {
        assert!(file.lines().count() > 60);
        for line in file.lines() {
            let (bytes, replaced) = line.split_once('\t').expect("two columns");
            let bytes = data_encoding::HEXLOWER.decode(bytes.as_bytes()).expect("hex");
            assert_eq!(hex(String::from_utf8_lossy(&bytes).as_bytes()), replaced, "{line}");
        }
    }
}

#[test]
fn names_sort_by_code_point_with_halves_in_their_place() {
    let row =
        r#"{"\uffff":1,"\ue000":2,"\ud83d\ude00":3,"\udfff":4,"\ud800":5,"\ud7ff":6,"a":7,"":8,"ab":9,"\ud800a":0}"#;
    let seen = read(&mut Reader::new(), row, false).unwrap();
    let order: String = String::from_utf8_lossy(&seen.sorted).chars().filter(char::is_ascii_digit).collect();
    assert_eq!(order, "8796504213");
}

#[test]
fn forms_of_strict_json_refuse_what_it_has_not() {
    for row in [r#"{"a":"\ud800"}"#, r#"{"\ud800":1}"#, r#"{"a":NaN}"#, r#"{"a":1e400}"#] {
        let mut reader = Reader::new();
        let row = reader.read_python(row.as_bytes(), true).unwrap();
        let written = |form: &Form| Writer::default().write(row.root(), &Select::default(), form, &[], &mut Vec::new());
        assert!(written(&Form::JCS).is_err());
        assert!(written(&Form::PYTHON_DEFAULT).is_ok());
    }
}
