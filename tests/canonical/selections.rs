//! Selections, each step by hand.

use ledger_verify::canonical::{
    Absent, DropNull, Form, Keys, Literal, Replacement, Select, SelectSpec, Test, Unwritable, When,
};
use ledger_verify::row::{Number, Reader};

use crate::{texts, written};

fn compact(line: &str, spec: SelectSpec) -> Result<String, Unwritable> {
    written(line, &spec, &Form::COMPACT, &[])
}

fn none() -> SelectSpec {
    SelectSpec::default()
}

const ROW: &str = r#"{"b":1,"a":{"y":null,"x":[{"k":1,"n":null},{"k":2}],"w":{"hash":0}},"n":null,"hash":"h"}"#;

#[test]
fn a_member_instead_of_the_row() {
    let of = |path: &str| compact(ROW, SelectSpec { of: Some(path.to_owned()), ..none() });
    assert_eq!(of("a.x").unwrap(), r#"[{"k":1,"n":null},{"k":2}]"#);
    assert_eq!(of("a.x.1").unwrap(), r#"{"k":2}"#);
    assert_eq!(of("b").unwrap(), "1");
    assert_eq!(of("a.z"), Err(Unwritable::Missing("a.z".to_owned())));
    let each = SelectSpec { of: Some("a.x".to_owned()), exclude: texts(&["[].k"]), ..none() };
    assert_eq!(compact(ROW, each).unwrap(), r#"[{"n":null},{}]"#);
}

#[test]
fn included_members() {
    let spec = SelectSpec { include: texts(&["b", "a.w", "a.y", "z.q"]), ..none() };
    assert_eq!(compact(ROW, spec.clone()), Err(Unwritable::Missing("z.q".to_owned())));
    let omit = SelectSpec { missing: Absent::Omit, ..spec.clone() };
    assert_eq!(compact(ROW, omit).unwrap(), r#"{"a":{"w":{"hash":0},"y":null},"b":1}"#);
    let null = SelectSpec { missing: Absent::Null, ..spec };
    let as_written = Form { keys: Keys::AsWritten, ..Form::COMPACT };
    let out = written(ROW, &null, &as_written, &[]).unwrap();
    assert_eq!(out, r#"{"b":1,"a":{"w":{"hash":0},"y":null},"z":{"q":null}}"#);
    let there = SelectSpec { include_if_present: texts(&["n", "q", "b"]), ..none() };
    assert_eq!(written(ROW, &there, &as_written, &[]).unwrap(), r#"{"n":null,"b":1}"#);
    // What has no members has no part that was asked for.
    let inside = SelectSpec { include: texts(&["b.c"]), missing: Absent::Omit, ..none() };
    assert_eq!(compact(ROW, inside).unwrap(), "{}");
}

#[test]
fn members_included_on_a_condition() {
    let when =
        |least| When { field: "v".to_owned(), test: Test::AtLeast(Number::Signed(least)), fields: texts(&["v", "t"]) };
    let spec = SelectSpec { include: texts(&["a"]), include_when: vec![when(2)], ..none() };
    assert_eq!(compact(r#"{"t":0,"v":1,"a":0}"#, spec.clone()).unwrap(), r#"{"a":0}"#);
    assert_eq!(compact(r#"{"t":0,"v":2.0,"a":0}"#, spec.clone()).unwrap(), r#"{"a":0,"t":0,"v":2.0}"#);
    assert_eq!(compact(r#"{"v":2,"a":0}"#, spec), Err(Unwritable::Missing("t".to_owned())));
}

#[test]
fn excluded_members() {
    let without = |paths: &[&str]| compact(ROW, SelectSpec { exclude: texts(paths), ..none() }).unwrap();
    assert_eq!(without(&["a", "hash", "q.r"]), r#"{"b":1,"n":null}"#);
    assert_eq!(without(&["a.x[].k", "a.w", "b", "n"]), r#"{"a":{"x":[{"n":null},{}],"y":null},"hash":"h"}"#);
    assert_eq!(
        without(&["a.x.1.k", "a.x[].n", "a.y", "a.w.hash", "b", "n", "hash"]),
        r#"{"a":{"w":{},"x":[{"k":1},{}]}}"#
    );
    // An element itself is never left out.
    assert_eq!(without(&["a.x.0", "a.y", "a.w", "b", "n", "hash"]), r#"{"a":{"x":[{"k":1,"n":null},{"k":2}]}}"#);
}

#[test]
fn names_and_nulls_at_every_depth() {
    let line = r#"{"hash":0,"o":{"hash":0,"n":null,"l":[{"hash":1,"n":null},null]},"n":null}"#;
    let names = SelectSpec { exclude_recursive: texts(&["hash"]), ..none() };
    assert_eq!(compact(line, names).unwrap(), r#"{"n":null,"o":{"l":[{"hash":1,"n":null},null],"n":null}}"#);
    let everywhere = SelectSpec { drop_null: DropNull::Everywhere, ..none() };
    assert_eq!(compact(line, everywhere).unwrap(), r#"{"hash":0,"o":{"hash":0,"l":[{"hash":1},null]}}"#);
    let objects = SelectSpec { drop_null: DropNull::Objects, ..none() };
    assert_eq!(compact(line, objects.clone()).unwrap(), r#"{"hash":0,"o":{"hash":0,"l":[{"hash":1,"n":null},null]}}"#);
    let kept = SelectSpec { keep_null: texts(&["o.n", "o.z", "p.q"]), exclude: texts(&["o.l", "hash"]), ..objects };
    assert_eq!(compact(line, kept).unwrap(), r#"{"o":{"hash":0,"n":null,"z":null}}"#);
    let blanked = SelectSpec { keep_null: texts(&["hash"]), exclude: texts(&["hash", "o"]), ..none() };
    assert_eq!(compact(line, blanked).unwrap(), r#"{"hash":null,"n":null}"#);
}

#[test]
fn renamed_and_replaced_members() {
    let renamed = SelectSpec { rename: vec![("b".into(), "zz".into()), ("a.w.hash".into(), "\"q".into())], ..none() };
    assert_eq!(
        compact(ROW, SelectSpec { exclude: texts(&["a.x", "a.y", "n"]), ..renamed }).unwrap(),
        r#"{"a":{"w":{"\"q":0}},"hash":"h","zz":1}"#
    );
    let mut reader = Reader::new();
    let previous = reader.read_exact(br#"{"id":{"z":[1.50,{"b":null,"a":"\n"}],"y":null}}"#).unwrap();
    let set = SelectSpec {
        set: texts(&["b", "a.w.hash", "new", "q.r"]),
        exclude: texts(&["a.x", "a.y", "n"]),
        drop_null: DropNull::Everywhere,
        ..none()
    };
    let id = Replacement::Value(previous.root().get("id").unwrap());
    let out = written(ROW, &set, &Form::COMPACT, &[id, Replacement::Text("\"é"), id, id]).unwrap();
    let id = r#"{"y":null,"z":[1.50,{"a":"\n","b":null}]}"#;
    assert_eq!(out, format!(r#"{{"a":{{"w":{{"hash":"\"é"}}}},"b":{id},"hash":"h","new":{id}}}"#));
    assert!(matches!(written(ROW, &set, &Form::COMPACT, &[]), Err(Unwritable::Missing(_))));
}

#[test]
fn two_members_that_become_one_name_are_both_written() {
    let spec = SelectSpec { rename: vec![("b".into(), "a".into())], ..none() };
    assert_eq!(compact(r#"{"b":1,"a":2}"#, spec.clone()).unwrap(), r#"{"a":1,"a":2}"#);
    assert_eq!(compact(r#"{"a":2,"b":1}"#, spec).unwrap(), r#"{"a":2,"a":1}"#);
}

#[test]
fn paths_that_select_nothing_are_refused() {
    for path in ["", "a[]", "a.b[]", "[]"] {
        assert!(Select::new(&SelectSpec { exclude: texts(&[path]), ..none() }).is_err(), "{path:?}");
    }
    assert!(Select::new(&SelectSpec { include: texts(&["a[].b"]), ..none() }).is_err());
    assert!(Select::new(&SelectSpec { of: Some("a[].b".into()), ..none() }).is_err());
    // What holds where `a` is absent? Nothing is asked for where what is absent is left out.
    let both = SelectSpec { include: texts(&["n", "a.b.c"]), include_if_present: texts(&["a"]), ..none() };
    let why = Select::new(&both).expect_err("a contradiction");
    assert!(why.contains("\"a.b.c\" must be there, but \"a\" need not"), "{why}");
    assert!(Select::new(&SelectSpec { missing: Absent::Null, ..both.clone() }).is_err());
    assert!(Select::new(&SelectSpec { missing: Absent::Omit, ..both.clone() }).is_ok());
    assert!(Select::new(&SelectSpec { include: texts(&["a", "a.b.c"]), ..both }).is_ok());
    assert!(Select::new(&SelectSpec { exclude: vec!["0.".repeat(200_000) + "a"], ..none() }).is_err());
    assert!(
        Select::new(&SelectSpec { exclude: vec!["0.".repeat(90) + "a", "[].".repeat(90) + "a"], ..none() }).is_ok()
    );
}

#[test]
fn tests_of_members() {
    let mut reader = Reader::new();
    let row = reader.read(br#"{"i":2,"f":2.5,"t":"2","b":true,"n":null,"big":9007199254740993,"neg":-1}"#).unwrap();
    let holds = |test: &Test, name: &str| test.holds(row.root().get(name));
    let number = |number| Test::Equals(Literal::Number(number));
    assert!(holds(&number(Number::Double(2.0)), "i") && !holds(&number(Number::Signed(2)), "t"));
    assert!(holds(&number(Number::Double(2.5)), "f") && !holds(&number(Number::Signed(2)), "f"));
    assert!(holds(&number(Number::Signed(9007199254740993)), "big"));
    assert!(!holds(&number(Number::Double(9007199254740992.0)), "big"));
    assert!(!holds(&number(Number::Double(f64::NAN)), "i"));
    let text = Test::Equals(Literal::Text("2".into()));
    assert!(holds(&text, "t") && !holds(&text, "i") && !holds(&text, "none"));
    let one_of = Test::In(vec![Literal::Bool(true), Literal::Text("2".into())]);
    assert!(holds(&one_of, "t") && holds(&one_of, "b") && !holds(&one_of, "n"));
    let least = Test::AtLeast(Number::Signed(0));
    assert!(holds(&least, "i") && holds(&least, "f") && !holds(&least, "neg") && !holds(&least, "t"));
    for (name, there) in [("i", true), ("n", false), ("none", false)] {
        assert_eq!(holds(&Test::Present(true), name), there);
        assert_eq!(holds(&Test::Present(false), name), !there);
    }
    assert!(number(Number::Signed(2)).holds_text(Some("2.0")) && !number(Number::Signed(2)).holds_text(Some(" 2")));
    assert!(text.holds_text(Some("2")) && !text.holds_text(Some("2.0")) && !text.holds_text(None));
    assert!(one_of.holds_text(Some("true")) && !one_of.holds_text(Some("false")));
    assert!(least.holds_text(Some("0")) && !least.holds_text(Some("-1")) && !least.holds_text(Some("")));
    assert!(Test::Present(true).holds_text(Some("")) && Test::Present(false).holds_text(None));
}
