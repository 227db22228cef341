//! What no preimage covers: by hand, and by changing each value of random rows.

use ledger_verify::canonical::{Coverage, DropNull, Form, Select, SelectSpec, Writer};
use ledger_verify::row::{Reader, Value};
use proptest::prelude::*;

use crate::texts;
use crate::twins::{cases, json, spec};

fn left(coverage: &mut Coverage, line: &str, specs: &[SelectSpec], fields: &[&[&str]]) -> Vec<String> {
    let mut reader = Reader::new();
    let row = reader.read(line.as_bytes()).unwrap();
    coverage.start();
    for spec in specs {
        coverage.take_selected(row, &Select::new(spec).unwrap());
    }
    for field in fields {
        row.root().path(field).into_iter().for_each(|value| coverage.take(value));
    }
    let mut paths = Vec::new();
    coverage.left(row, |path| paths.push(path.to_owned()));
    paths
}

const ROW: &str = r#"{"a":{"x":1,"y":{"z":null,"w":2},"l":[{"k":1,"m":2},{"k":3}]},"n":null,"hash":"h","v":1}"#;

#[test]
fn what_is_left_by_hand() {
    let mut coverage = Coverage::default();
    let without = |paths: &[&str]| SelectSpec { exclude: texts(paths), ..SelectSpec::default() };
    let mut left = |specs: &[SelectSpec], fields: &[&[&str]]| left(&mut coverage, ROW, specs, fields);
    assert_eq!(left(&[], &[]), ["a", "n", "hash", "v"]);
    assert_eq!(left(&[], &[&["hash"], &["a", "y", "z"]]), ["a.x", "a.y.w", "a.l", "n", "v"]);
    assert_eq!(left(&[without(&["hash"])], &[]), ["hash"]);
    assert_eq!(left(&[without(&["hash"])], &[&["hash"]]), [""; 0]);
    assert_eq!(left(&[without(&["a", "hash"]), without(&["a.y", "v"])], &[]), ["a.y"]);
    assert_eq!(left(&[without(&["a.y", "v"]), without(&["a", "hash"])], &[]), ["a.y"]);
    assert_eq!(left(&[without(&["a"])], &[&["a", "l", "1", "k"]]), ["a.x", "a.y", "a.l[]"]);
    assert_eq!(left(&[without(&["a.l[].k"])], &[]), ["a.l[].k", "a.l[].k"]);
    assert_eq!(left(&[without(&["a.l.0.k"])], &[]), ["a.l[].k"]);
    let include = SelectSpec { include: texts(&["a.x", "v"]), ..SelectSpec::default() };
    assert_eq!(left(&[include], &[]), ["a.y", "a.l", "n", "hash"]);
    assert_eq!(
        left(&[SelectSpec { of: Some("a.y".into()), ..SelectSpec::default() }], &[]),
        ["a.x", "a.l", "n", "hash", "v"]
    );
    assert_eq!(left(&[SelectSpec { of: Some("q".into()), ..SelectSpec::default() }], &[]), ["a", "n", "hash", "v"]);
    let names =
        SelectSpec { exclude_recursive: texts(&["x", "k"]), drop_null: DropNull::Everywhere, ..SelectSpec::default() };
    assert_eq!(left(&[names], &[]), ["a.x"]);
    let set =
        SelectSpec { set: texts(&["vv", "a.y.w"]), rename: vec![("v".into(), "vv".into())], ..SelectSpec::default() };
    assert_eq!(left(&[set], &[]), ["a.y.w", "v"]);
    let null = SelectSpec { keep_null: texts(&["hash"]), exclude: texts(&["hash"]), ..SelectSpec::default() };
    assert_eq!(left(&[null], &[]), ["hash"]);
}

/// The path of each value without parts, its span in the line; elements are `[]`.
fn leaves(value: Value<'_>, path: Option<&str>, line: &str, found: &mut Vec<(String, usize, usize)>) {
    let below = |name: &str| path.map_or(name.to_owned(), |path| format!("{path}.{name}"));
    // The row itself is always an object.
    let has_parts = path.is_none() || value.members().next().is_some() || value.items().next().is_some();
    let path = path.unwrap_or_default();
    if value.is_object() && has_parts {
        value.members().for_each(|(name, value)| leaves(value, Some(&below(name)), line, found));
    } else if value.is_array() && has_parts {
        value.items().for_each(|value| leaves(value, Some(&format!("{path}[]")), line, found));
    } else {
        let text = value.written().unwrap();
        let start = text.as_ptr().addr() - line.as_ptr().addr();
        found.push((path.to_owned(), start, start + text.len()));
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// A value is left exactly if another one in its place leaves the bytes as they are.
    #[test]
    fn what_is_left_can_change_and_nothing_else(line in json(), mut spec in spec()) {
        // A member that a condition reads changes what is selected.
        spec.include_when.clear();
        spec.set.clear();
        let select = Select::new(&spec).unwrap();
        let mut reader = Reader::new();
        let write = |reader: &mut Reader, line: &str| {
            let mut out = Vec::new();
            let row = reader.read_exact(line.as_bytes()).unwrap();
            Writer::default().write(row.root(), &select, &Form::COMPACT, &[], &mut out).map(|()| out)
        };
        let Ok(before) = write(&mut reader, &line) else { return Ok(()) };
        let reported = left(&mut Coverage::default(), &line, &[spec.clone()], &[]);
        let mut all = Vec::new();
        let row = reader.read_exact(line.as_bytes()).unwrap();
        let root = row.root();
        let text = root.written().unwrap();
        leaves(root, None, text, &mut all);
        let within = |path: &str, above: &str| path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let mut free = Vec::new();
        for (path, start, end) in all.clone() {
            let changed = format!("{}\"changed\"{}", &line[..start], &line[end..]);
            if write(&mut reader, &changed).as_ref() == Ok(&before) {
                // What is empty has nothing to be covered; but elements share a path, so that it may stand for one.
                let is_empty = line[start..].starts_with(['{', '[']);
                prop_assert!(is_empty || reported.iter().any(|above| within(&path, above)), "{} can change: {:?}", path, reported);
                free.push(path);
            }
        }
        for above in &reported {
            let has_leaf = all.iter().any(|(path, ..)| within(path, above));
            prop_assert!(!has_leaf || free.iter().any(|path| within(path, above)), "{} cannot change", above);
        }
    }
}
