//! Reading a text: the rules of docs/FORMAT-arcaeon.md one by one, and any text against the twin.

use ledger_verify::row::{Kind, PYTHON_DEPTH, Reader};
use proptest::prelude::*;

use crate::{oracle, read};

/// What is made of a value in a row.
fn value(text: &str) -> Result<String, Kind> {
    let seen = read(&mut Reader::new(), &format!("{{\"v\":{text}}}"), false)?;
    let text = String::from_utf8(seen.sorted).expect("UTF-8");
    Ok(text.strip_prefix("{\"v\": ").and_then(|text| text.strip_suffix('}')).expect("a row").to_owned())
}

#[test]
fn numbers() {
    for (text, printed) in [
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("1e400", "Infinity"),
        ("-1e400", "-Infinity"),
        ("1e-400", "0.0"),
        ("-1e-400", "-0.0"),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("0e5", "0.0"),
        ("1E5", "100000.0"),
        ("1e+5", "100000.0"),
        ("1e16", "1e+16"),
        ("1e15", "1000000000000000.0"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("5e-324", "5e-324"),
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("1743746592.00390625", "1743746592.0039062"),
        ("1743746592103460.25", "1743746592103460.2"),
    ] {
        assert_eq!(value(text).as_deref(), Ok(printed), "{text}");
    }
    for text in [
        "-NaN",
        "+Infinity",
        "nan",
        "infinity",
        "- 1",
        "01",
        "-01",
        "+1",
        ".5",
        "1.",
        "1.e5",
        "1e",
        "1e+",
        "-",
        "0x10",
        "1_0",
        "١",
        "Inf",
        "--1",
        "-I",
        "NaNs",
    ] {
        assert_eq!(value(text), Err(Kind::NotJson), "{text}");
    }
}

#[test]
fn integers_have_4300_digits_at_most() {
    for sign in ["", "-"] {
        let most = format!("{sign}{}", "7".repeat(4_300));
        assert_eq!(value(&most).as_ref(), Ok(&most));
        assert_eq!(value(&format!("{most}7")), Err(Kind::NotJson));
        assert_eq!(value(&format!("{most}7.0")).as_deref(), Ok(&*format!("{sign}Infinity")), "a float has any length");
    }
}

#[test]
fn strings() {
    for (text, printed) in [
        (r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\b\f\n\r\t""#),
        (r#""\u0000\u001f\u007F""#, "\"\\u0000\\u001f\u{7f}\""),
        ("\"\u{7f}\u{80}\u{2028}\u{feff}\"", "\"\u{7f}\u{80}\u{2028}\u{feff}\""),
        (r#""\ud83d\ude00\uD83D\uDE00""#, "\"\u{1f600}\u{1f600}\""),
        (r#""\u2028\u00e9""#, "\"\u{2028}é\""),
    ] {
        assert_eq!(value(text).as_deref(), Ok(printed), "{text}");
    }
    for text in [
        r#""\x""#,
        r#""\'""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        r#""\u 123""#,
        r#""\ud800\u12x4""#,
        "'a'",
        "\"\t\"",
        "\"\0\"",
        "\"\u{1f}\"",
    ] {
        assert_eq!(value(text), Err(Kind::NotJson), "{text}");
    }
    assert_eq!(value("\"a"), Err(Kind::EndsEarly));
}

#[test]
fn halves_of_surrogate_pairs_stay_alone() {
    let bytes = |text: &str| {
        let line = format!("{{\"v\":{text}}}");
        let mut reader = Reader::new();
        let row = reader.read_python(line.as_bytes(), false).unwrap();
        let value = row.root().get("v").unwrap();
        assert_eq!((value.as_str(), value.kind()), (None, "string"));
        value.as_bytes().unwrap().to_vec()
    };
    assert_eq!(bytes(r#""\ud800""#), b"\xed\xa0\x80");
    assert_eq!(bytes(r#""\uDFFF""#), b"\xed\xbf\xbf");
    assert_eq!(bytes(r#""a\ud83d\ud83d\ude00b""#), b"a\xed\xa0\xbd\xf0\x9f\x98\x80b");
    assert_eq!(bytes(r#""\ude00\ud83d\n""#), b"\xed\xb8\x80\xed\xa0\xbd\n");
    assert_eq!(bytes(r#""\ud83d\t\ude00""#), b"\xed\xa0\xbd\t\xed\xb8\x80");
    assert_eq!(bytes(r#""\ud83d\u0041""#), b"\xed\xa0\xbdA");
    // A name with one is found by no text, and not by that which stands for it.
    let mut reader = Reader::new();
    let row = reader.read_python(br#"{"\ud800":1,"a":{"\udfff":2}}"#, false).unwrap();
    for name in ["", "\u{fffd}", "\\ud800"] {
        assert!(row.root().get(name).is_none(), "{name:?}");
    }
    assert_eq!(row.root().get("a").unwrap().count(), 1);
}

#[test]
fn nothing_else_is_more_lenient_than_json() {
    for text in [
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "{a:1}",
        "{'a':1}",
        "{\"a\" 1}",
        "{1:2}",
        "/*c*/{}",
        "{}//c",
        "{} {}",
        "{}x",
        "",
        "\u{feff}{}",
        "{\u{a0}}",
        "{\u{b}}",
        "{\u{c}}",
        "TRUE",
        "True",
        "None",
        "undefined",
    ] {
        let kind = read(&mut Reader::new(), text, false).err();
        assert!(matches!(kind, Some(Kind::NotJson | Kind::EndsEarly)), "{text:?}: {kind:?}");
    }
    assert!(read(&mut Reader::new(), " \t\r\n{ \"a\"\t:\r1\n} ", false).is_ok());
    for text in ["1", "null", "\"a\"", "[]", "[{}]", "NaN"] {
        assert_eq!(Reader::new().read_python(text.as_bytes(), false).unwrap_err().kind, Kind::NotAnObject, "{text}");
    }
}

#[test]
fn nesting_is_read_to_900_levels_and_never_beyond() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for (depth, well) in [(PYTHON_DEPTH - 1, true), (PYTHON_DEPTH, false), (100_000, false)] {
            let text = format!("{{\"v\":{}1{}}}", open.repeat(depth), close.repeat(depth));
            for exact in [false, true] {
                let kind = Reader::new().read_python(text.as_bytes(), exact).err().map(|why| why.kind);
                assert_eq!(kind, (!well).then_some(Kind::NestingTooDeep), "{depth} {exact}");
            }
        }
        // As deep, and not the last thing in the row.
        let text = format!("{{\"u\":{}1{},\"v\":[]}}", open.repeat(950), close.repeat(950));
        assert_eq!(Reader::new().read_python(text.as_bytes(), false).unwrap_err().kind, Kind::NestingTooDeep);
    }
}

#[test]
fn the_last_of_two_members_counts_and_the_first_repeat_is_told() {
    for (text, name, printed) in [
        (r#"{"a":1,"a":2}"#, "a", r#"{"a": 2}"#),
        (r#"{"a":1,"b":2,"\u0061":3}"#, "a", r#"{"a": 3, "b": 2}"#),
        (r#"{"a":1,"b":2,"b":3,"a":4}"#, "b", r#"{"a": 4, "b": 3}"#),
        (r#"{"a":1,"a":{"b":1,"b":2}}"#, "b", r#"{"a": {"b": 2}}"#),
        (r#"{"x":{"c":1,"c":2},"a":{"b":1,"b":2},"a":0}"#, "c", r#"{"a": 0, "x": {"c": 2}}"#),
        (r#"{"a":[{"b":{"d":1,"d":1},"b":2}],"a":[{"b":1},{"b":1,"b":[]}]}"#, "d", r#"{"a": [{"b": 1}, {"b": []}]}"#),
        (r#"{"a":1,"a":2,"a":3}"#, "a", r#"{"a": 3}"#),
    ] {
        for exact in [false, true] {
            let seen = read(&mut Reader::new(), text, exact).unwrap();
            assert_eq!(String::from_utf8(seen.sorted).unwrap(), printed, "{text}");
            assert_eq!(seen.repeated, Some(format!("two members of one object are named {name:?}")), "{text}");
        }
    }
    // A dictionary keeps a name in its first place.
    let seen = read(&mut Reader::new(), r#"{"z":1,"y":2,"z":{"q":3}}"#, false).unwrap();
    assert_eq!(String::from_utf8(seen.inserted).unwrap(), r#"{"z": {"q": 3}, "y": 2}"#);
    // What is no JSON as a whole is that alone.
    for text in [r#"{"a":1,"a":2"#, r#"{"v":{"a":1,"a":2},}"#, r#"{"v":{"a":1,"a":2}} x"#] {
        let mut reader = Reader::new();
        assert!(reader.read_python(text.as_bytes(), false).is_err());
        assert!(reader.repeated().is_none(), "{text}");
    }
    // What is no row can have a name twice all the same.
    let mut reader = Reader::new();
    assert_eq!(reader.read_python(br#"[{"a":1,"a":2}]"#, false).unwrap_err().kind, Kind::NotAnObject);
    assert!(reader.repeated().is_some());
    assert!(reader.read_python(b"{}", false).is_ok() && reader.repeated().is_none());
}

#[test]
fn a_million_members_twice_take_no_quadratic_time() {
    let members: Vec<String> = (0..400_000).map(|number| format!("\"{}\":1", number % 200_000)).collect();
    let text = format!("{{{}}}", members.join(","));
    let mut reader = Reader::new();
    let row = reader.read_python(text.as_bytes(), false).unwrap();
    assert_eq!(row.root().count(), 200_000);
    assert!(reader.repeated().unwrap().why.ends_with("\"0\""));
}

/// Texts of JSON, most of them, with what only Python reads and what nobody does.
fn text() -> impl Strategy<Value = String> {
    let words = [
        "true",
        "null",
        "NaN",
        "Infinity",
        "-Infinity",
        "0",
        "-0",
        "-0.0",
        "1e400",
        "-1e-400",
        "1E5",
        "0.1",
        "2.50",
        "18446744073709551616",
        "-9223372036854775808",
        "9007199254740993",
        "1743746592.00390625",
        "1e16",
        "[]",
        "{}",
        "\"\"",
        "01",
        "1.",
        "-",
        "nan",
        "\"\\q\"",
    ];
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "chain",
        "é",
        "\u{7f}",
        "\u{2028}",
        "\u{1f600}",
        "\\n",
        "\\\"",
        "\\u0000",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\\uD83D\\uDE00",
        "\\/",
        "\u{fb00}",
        "\u{feff}",
        "\\u0061",
    ]);
    let string = proptest::collection::vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let leaf = prop_oneof![
        3 => prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        2 => any::<f64>().prop_map(|double| format!("{double:e}")),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        3 => string.clone(),
    ];
    let tree = leaf.prop_recursive(4, 40, 6, move |inner| {
        let member = (string.clone(), inner.clone()).prop_map(|(name, value)| format!("{name}: {value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(" ,"))),
            proptest::collection::vec(member, 0..7).prop_map(|members| format!("{{{}}}", members.join(",\t"))),
        ]
    });
    let odd =
        prop::sample::select(vec!["", "", "", "", " ", "\"", "\\", ",", "}", "]", "\u{a0}", "N", "-", "0", "e1", "."]);
    (tree, odd, any::<prop::sample::Index>()).prop_map(|(tree, odd, at)| {
        let mut places: Vec<usize> = tree.char_indices().map(|(at, _)| at).collect();
        places.push(tree.len());
        let mut text = tree;
        text.insert_str(*at.get(&places), odd);
        format!("{{\"v\": {text}}}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_is_what_the_twin_makes_of_it(text in text(), exact: bool) {
        let expected = oracle::read(&text);
        let seen = read(&mut Reader::new(), &text, exact);
        prop_assert_eq!(seen.is_ok(), expected.is_some());
        let (Ok(seen), Some(expected)) = (seen, expected) else { return Ok(()) };
        prop_assert_eq!(seen.sorted, oracle::print(&expected.tree, true, false));
        prop_assert_eq!(seen.ascii, oracle::print(&expected.tree, true, true));
        prop_assert_eq!(seen.inserted, oracle::print(&expected.tree, false, false));
        prop_assert_eq!(seen.repeated.is_some(), expected.repeated.is_some());
        if let (Some(why), Some(name)) = (seen.repeated, expected.repeated)
            && let Ok(name) = String::from_utf8(oracle::wtf8(&name))
        {
            prop_assert!(why.ends_with(&format!("{name:?}")), "{why} {name:?}");
        }
    }
}
