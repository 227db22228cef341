//! The writer against its slow twin, for random rows, selections and forms.

use ledger_verify::canonical::{
    Absent, DropNull, Escape, Form, Keys, Literal, Numbers, Replacement, SelectSpec, Separators, Test, Unicode, When,
};
use ledger_verify::row::{Number, Reader};
use proptest::prelude::*;

use crate::twin::{Tree, print, select};
use crate::written;

/// Few names, so that paths meet members; some sort differently in each order.
const NAMES: &[&str] =
    &["a", "b", "0", "1", "10", "\u{ff5e}", "\u{10000}", "e\u{301}", "\u{e9}", "longer than eight", "longer than nine"];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => prop::sample::select(NAMES).prop_map(str::to_owned),
        1 => "[\"\\\\\u{0}-\u{1f}a\u{7f}\u{2028}]{0,3}",
    ]
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// The text of a random value without a name twice.
pub fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(&["null", "true", "false"][..]).prop_map(str::to_owned),
        2 => "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        2 => prop::sample::select(&["2", "2.0", "-0", "-0.0", "1e20", "1e21", "1e-5", "0.0001", "1e16"][..]).prop_map(str::to_owned),
        2 => name().prop_map(|text| quoted(&text)),
    ];
    let value = leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            3 => object(inner),
        ]
    });
    object(value)
}

fn object(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop::collection::vec((name(), value), 0..7).prop_map(|mut members| {
        let mut names = std::collections::HashSet::new();
        members.retain(|(name, _)| names.insert(name.clone()));
        let members: Vec<String> = members.iter().map(|(name, value)| format!("{} : {value}", quoted(name))).collect();
        format!("{{{}}}", members.join(" ,"))
    })
}

fn path(each: bool) -> impl Strategy<Value = String> {
    let between = if each { &[".", ".", ".", "[]."][..] } else { &["."][..] };
    let piece = || prop::sample::select(&NAMES[..7]);
    prop_oneof![
        piece().prop_map(str::to_owned),
        (piece(), prop::sample::select(between), piece()).prop_map(|(a, dot, b)| format!("{a}{dot}{b}")),
        (piece(), prop::sample::select(between), piece(), piece())
            .prop_map(|(a, dot, b, c)| format!("{a}{dot}{b}.{c}")),
    ]
}

fn paths(each: bool, most: usize) -> impl Strategy<Value = Vec<String>> {
    prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec(path(each), 0..=most)]
}

fn test() -> impl Strategy<Value = Test> {
    prop_oneof![
        any::<bool>().prop_map(Test::Present),
        Just(Test::AtLeast(Number::Signed(1))),
        Just(Test::Equals(Literal::Number(Number::Signed(2)))),
        Just(Test::In(vec![Literal::Bool(true), Literal::Text("a".to_owned())])),
    ]
}

pub fn spec() -> impl Strategy<Value = SelectSpec> {
    let when = (path(false), test(), paths(false, 2)).prop_map(|(field, test, fields)| When { field, test, fields });
    let included = (
        prop_oneof![3 => Just(None), 1 => path(false).prop_map(Some)],
        paths(false, 4),
        paths(false, 2),
        prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(when, 1..3)],
        prop::sample::select(&[Absent::Error, Absent::Null, Absent::Omit, Absent::Null, Absent::Omit][..]),
    );
    let names = prop::collection::vec(prop::sample::select(NAMES).prop_map(str::to_owned), 0..2);
    let rest = (
        paths(true, 3),
        names,
        prop::sample::select(&[DropNull::Off, DropNull::Everywhere, DropNull::Objects][..]),
        paths(true, 2),
        prop_oneof![1 => Just(Vec::new()), 1 => prop::collection::vec((path(true), name()), 0..3)],
        paths(true, 2),
    );
    (included, rest).prop_map(|((of, include, mut include_if_present, mut include_when, missing), rest)| {
        // A condition with nothing to include asks for nothing, and the twin would take it for a list.
        include_when.retain(|when| !when.fields.is_empty());
        // A part that must be there, of what need not be, is refused.
        if missing != Absent::Omit {
            let required: Vec<&String> =
                include.iter().chain(include_when.iter().flat_map(|when| &when.fields)).collect();
            include_if_present.retain(|whole| !required.iter().any(|path| path.starts_with(&format!("{whole}."))));
        }
        let (exclude, exclude_recursive, drop_null, keep_null, rename, set) = rest;
        SelectSpec {
            of,
            include,
            include_if_present,
            include_when,
            missing,
            exclude,
            exclude_recursive,
            drop_null,
            keep_null,
            rename,
            set,
        }
    })
}

fn form() -> impl Strategy<Value = Form> {
    let keys = || prop::sample::select(&[Keys::Codepoint, Keys::Utf16, Keys::AsWritten, Keys::V8][..]);
    let separators = prop::sample::select(&[Separators::Compact, Separators::Python, Separators::Indent2][..]);
    let escape = prop::sample::select(&[Escape::Json, Escape::Ascii, Escape::None][..]);
    let numbers = prop::sample::select(&[Numbers::Verbatim, Numbers::Es6, Numbers::CollapseWhole, Numbers::Python][..]);
    let unicode = prop::sample::select(&[Unicode::None, Unicode::Nfc][..]);
    (keys(), prop::option::of(keys()), separators, escape, numbers, unicode).prop_map(
        |(keys, top_keys, separators, escape, numbers, unicode)| Form {
            keys,
            top_keys,
            separators,
            escape,
            numbers,
            unicode,
        },
    )
}

/// So many by default, since they run unoptimised; PROPTEST_CASES asks for more.
pub fn cases(default: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(default),
    }
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn the_writer_and_its_twin_agree_on_forms(line in json(), form in form()) {
        let mut reader = Reader::new();
        let row = reader.read_exact(line.as_bytes()).unwrap();
        prop_assert_eq!(written(&line, &SelectSpec::default(), &form, &[]).unwrap(), print(&Tree::of(row.root()), &form, 0));
    }

    #[test]
    fn the_writer_and_its_twin_agree_on_selections(line in json(), other in json(), mut spec in spec(), form in form()) {
        // Where several members are added at once, only sorted keys are told apart from their order.
        if [Some(form.keys), form.top_keys].iter().any(|keys| matches!(keys, Some(Keys::AsWritten | Keys::V8))) {
            // An included one that is absent is added as null.
            let most = usize::from(spec.missing != Absent::Null);
            spec.keep_null.truncate(most);
            spec.set.truncate(most);
            if most == 0 {
                // Of two members of one name, which a new name makes, one may be added as null.
                spec.rename.clear();
            }
        }
        let mut readers = (Reader::new(), Reader::new());
        let row = readers.0.read_exact(line.as_bytes()).unwrap();
        let other = readers.1.read_exact(other.as_bytes()).unwrap().root();
        let texts = [Replacement::Value(other), Replacement::Text("\"\u{e9}")];
        let trees = [Tree::of(other), Tree::String("\"\u{e9}".to_owned())];
        let mine = written(&line, &spec, &form, &texts);
        match (mine, select(row.root(), &spec, &trees)) {
            (Ok(mine), Some(tree)) => prop_assert_eq!(mine, print(&tree, &form, 0)),
            (Err(_), None) => {}
            // What is left out or replaced is not asked for what is in it.
            (Ok(_), None) if spec.missing == Absent::Error => {
                prop_assert!(!(spec.exclude.is_empty() && spec.exclude_recursive.is_empty() && spec.set.is_empty()));
            }
            (mine, tree) => prop_assert!(false, "{:?} and {:?}", mine, tree.map(|tree| print(&tree, &form, 0))),
        }
    }
}
