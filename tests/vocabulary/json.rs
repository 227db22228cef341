//! What `json` selects, and the canonical forms it is written in.

use crate::{Case, ZEROS, hex, sha256, word};

#[test]
fn members_that_are_chosen() {
    for word in [
        // Of the whole row, without its digest.
        word(
            r#"{ json = { exclude = ["h"] } }"#,
            r#""b":1"#,
            r#"{"b":1,"n":<n>,"p":"<prev>"}"#,
            r#""b":2"#,
        ),
        word(r#"{ json = { include = ["n", "b"] } }"#, r#""b":1,"c":2"#, r#"{"b":1,"n":<n>}"#, r#""b":2,"c":2"#)
            .alike(r#""b":1,"c":3"#),
        word(r#"{ json = { of = "b.0" } }"#, r#""b":[{"x": 1}, 2]"#, r#"{"x":1}"#, r#""b":[{"x":2},2]"#)
            .alike(r#""b":[{"x":1},3]"#),
        word(
            r#"{ json = { of = "b", include = ["a"], include_if_present = ["c", "d"] } }"#,
            r#""b":{"d":1,"a":2,"e":3}"#,
            r#"{"a":2,"d":1}"#,
            r#""b":{"d":1,"a":2,"c":3}"#,
        )
        .alike(r#""b":{"d":1,"a":2,"e":4}"#),
        word(
            r#"{ json = { of = "b", exclude = ["x", "o.y", "l[].z"] } }"#,
            r#""b":{"x":1,"o":{"x":2,"y":3},"l":[{"z":4,"x":5},{"z":6},7]}"#,
            r#"{"l":[{"x":5},{},7],"o":{"x":2}}"#,
            r#""b":{"x":1,"o":{"x":2,"y":3},"l":[{"z":4,"x":6},{"z":6},7]}"#,
        )
        .alike(r#""b":{"o":{"x":2,"y":null},"l":[{"z":"","x":5},{},7]}"#),
        word(
            r#"{ json = { of = "b", exclude_recursive = ["s"] } }"#,
            r#""b":{"s":1,"o":{"s":2,"k":3},"l":[{"s":4}]}"#,
            r#"{"l":[{"s":4}],"o":{"k":3}}"#,
            r#""b":{"s":1,"o":{"s":2,"k":3},"l":[{"s":5}]}"#,
        )
        .alike(r#""b":{"o":{"s":3,"k":3},"l":[{"s":4}]}"#),
        word(
            r#"{ json = { of = "b", drop_null = true } }"#,
            r#""b":{"a":null,"o":{"b":null},"l":[null,{"c":null}]}"#,
            r#"{"l":[null,{}],"o":{}}"#,
            r#""b":{"o":{"b":1},"l":[null,{}]}"#,
        )
        .alike(r#""b":{"o":{},"l":[null,{}]}"#),
        word(
            r#"{ json = { of = "b", drop_null = "objects" } }"#,
            r#""b":{"a":null,"o":{"b":null},"l":[null,{"c":null}]}"#,
            r#"{"l":[null,{"c":null}],"o":{}}"#,
            r#""b":{"o":{},"l":[null,{}]}"#,
        )
        .alike(r#""b":{"o":{},"l":[null,{"c":null}]}"#),
        word(
            r#"{ json = { of = "b", drop_null = true, keep_null = ["a", "q", "o.k"] } }"#,
            r#""b":{"a":null,"x":null,"o":{"k":null,"l":null}}"#,
            r#"{"a":null,"o":{"k":null},"q":null}"#,
            r#""b":{"a":0,"x":null,"o":{"k":null,"l":null}}"#,
        )
        .alike(r#""b":{"a":null,"q":null,"o":{"k":null}}"#),
        word(
            r#"{ json = { of = "b", rename = { a = "z", "o.k" = "m" } } }"#,
            r#""b":{"a":1,"c":2,"o":{"k":3,"n":4}}"#,
            r#"{"c":2,"o":{"m":3,"n":4},"z":1}"#,
            r#""b":{"a":1,"c":2,"o":{"k":5,"n":4}}"#,
        ),
        word(
            r#"{ json = { include = ["a", "b"], set = { a = { field = "c" } } } }"#,
            r#""a":"old","b":1,"c":{"y": 1,"x":2}"#,
            r#"{"a":{"x":2,"y":1},"b":1}"#,
            r#""a":"old","b":1,"c":3"#,
        )
        .alike(r#""a":"other","b":1,"c":{"x":2,"y":1}"#),
        word(
            r#"{ json = { include = ["b.x.y", "b.z"] } }"#,
            r#""b":{"x":{"y":1,"w":2},"z":[3],"v":4}"#,
            r#"{"b":{"x":{"y":1},"z":[3]}}"#,
            r#""b":{"x":{"y":1,"w":2},"z":[4],"v":4}"#,
        )
        .alike(r#""b":{"x":{"y":1},"z":[3],"v":5}"#),
        word(
            r#"{ json = { of = "b", exclude = ["l[].m[].n"] } }"#,
            r#""b":{"l":[{"m":[{"n":1,"o":2}],"n":3}]}"#,
            r#"{"l":[{"m":[{"o":2}],"n":3}]}"#,
            r#""b":{"l":[{"m":[{"n":1,"o":2}],"n":4}]}"#,
        )
        .alike(r#""b":{"l":[{"m":[{"n":9,"o":2}],"n":3}]}"#),
        word(
            r#"{ json = { of = "b", rename = { b = "a2", a10 = "z" }, canon = "python-default" } }"#,
            r#""b":{"c":0,"b":1,"a10":[{}]}"#,
            r#"{"a2": 1, "c": 0, "z": [{}]}"#,
            r#""b":{"c":0,"b":2,"a10":[{}]}"#,
        ),
        word(
            r#"{ json = { of = "b", exclude = ["x"], exclude_recursive = ["s"], drop_null = "objects", keep_null = ["k"] } }"#,
            r#""b":{"x":1,"s":2,"k":null,"n":null,"o":{"s":3,"n":null,"l":[{"n":null,"s":4}]}}"#,
            r#"{"k":null,"o":{"l":[{"n":null,"s":4}]}}"#,
            r#""b":{"x":1,"k":1,"o":{"l":[{"n":null,"s":4}]}}"#,
        ),
        // Chosen, then left out, then renamed.
        word(
            r#"{ json = { of = "b", include = ["a", "x", "y"], exclude = ["x"], drop_null = true, rename = { a = "r" } } }"#,
            r#""b":{"a":1,"x":2,"y":null,"z":3}"#,
            r#"{"r":1}"#,
            r#""b":{"a":1,"x":2,"y":0,"z":3}"#,
        )
        .alike(r#""b":{"a":1,"x":3,"y":null,"z":4}"#),
    ] {
        word.holds();
    }
}

#[test]
fn include_when() {
    for (when, yes, no) in [
        (r#"equals = "x""#, r#""x""#, r#""y""#),
        ("equals = 1", "1", "2"),
        (r#"in = ["x", "y"]"#, r#""y""#, r#""z""#),
        ("at_least = 2", "2", "1"),
        ("present = true", "0", "null"),
        ("present = false", "null", "0"),
    ] {
        let parts: &'static str = format!(
            "{{ json = {{ of = \"b\", include = [\"t\"], include_when = [{{ field = \"t\", {when}, fields = [\"c\"] }}] }} }}"
        )
        .leak();
        let leak = |text: String| -> &'static str { text.leak() };
        let with = |t: &str, c: &str| leak(format!("\"b\":{{\"t\":{t},\"c\":{c}}}"));
        word(parts, with(yes, "1"), format!("{{\"c\":1,\"t\":{yes}}}"), with(yes, "2")).holds();
        word(parts, with(no, "1"), format!("{{\"t\":{no}}}"), with(yes, "1")).alike(with(no, "2")).holds();
    }
}

#[test]
fn missing() {
    let both = r#""b":{"a":1,"q":2}"#;
    let changed = r#""b":{"a":1,"q":3}"#;
    let only = r#""b":{"a":1}"#;
    for (said, bytes) in [("null", r#"{"a":1,"q":null}"#), ("omit", r#"{"a":1}"#)] {
        let parts: &'static str =
            format!("{{ json = {{ of = \"b\", include = [\"a\", \"q\"], missing = \"{said}\" }} }}").leak();
        word(parts, both, r#"{"a":1,"q":2}"#, changed).holds();
        word(parts, only, bytes, both).holds();
    }
    for parts in [
        r#"{ json = { of = "b", include = ["a", "q"], missing = "error" } }"#,
        r#"{ json = { of = "b", include = ["a", "q"] } }"#,
    ] {
        let word = word(parts, both, r#"{"a":1,"q":2}"#, changed);
        word.holds();
        word.case(only, &word.bytes).finds(parts, &["field-missing"]);
    }
}

#[test]
fn set_to_a_member_of_the_row_before() {
    let profile = format!(
        "[fields]\nseq = \"n\"\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"{ZEROS}\"\nseq_start = 1\n[[hash]]\n\
         preimage = [{{ json = {{ include = [\"n\", \"p\", \"v\"], set = {{ v = {{ prev_row = \"v\", genesis = {{ field = \"g.s\" }} }} }} }} }}]\n"
    );
    let mut prev = ZEROS.to_owned();
    let mut before = "start".to_owned();
    let mut export = String::new();
    for number in 1..=3 {
        let hash = hex(sha256(format!("{{\"n\":{number},\"p\":\"{prev}\",\"v\":\"{before}\"}}")));
        before = format!("{number}-{}", &hash[..8]);
        export += &format!(
            "{{\"n\":{number},\"p\":\"{prev}\",\"h\":\"{hash}\",\"v\":\"{before}\",\"g\":{{\"s\":\"start\"}}}}\n"
        );
        prev = hash;
    }
    let case = Case::of(profile, export);
    case.is_good("each row takes the one before");
    case.edited("\"v\":\"1-", "\"v\":\"9-").finds("the row before states another", &["hash-mismatch"]);
}

#[test]
fn built_in_forms() {
    // U+FB33 sorts before U+1F600 by code point, and after it by UTF-16 unit.
    let members = "\"b\":{ \"\u{1f600}\":1.0, \"\u{fb33}\":\"\\u00e9\\n/\\/\", \"a\":[1e2, 0.10] }";
    let changed = "\"b\":{ \"\u{1f600}\":1.1, \"\u{fb33}\":\"\\u00e9\\n/\\/\", \"a\":[1e2, 0.10] }";
    for (parts, bytes) in [
        (r#"{ json = { of = "b", canon = "jcs" } }"#, "{\"a\":[100,0.1],\"\u{1f600}\":1,\"\u{fb33}\":\"é\\n//\"}"),
        (r#"{ json = { of = "b" } }"#, "{\"a\":[1e2,0.10],\"\u{fb33}\":\"é\\n//\",\"\u{1f600}\":1.0}"),
        (
            r#"{ json = { of = "b", canon = "compact" } }"#,
            "{\"a\":[1e2,0.10],\"\u{fb33}\":\"é\\n//\",\"\u{1f600}\":1.0}",
        ),
        (
            r#"{ json = { of = "b", canon = "compact-ascii" } }"#,
            "{\"a\":[1e2,0.10],\"\\ufb33\":\"\\u00e9\\n//\",\"\\ud83d\\ude00\":1.0}",
        ),
        (
            r#"{ json = { of = "b", canon = "python-default" } }"#,
            "{\"a\": [1e2, 0.10], \"\\ufb33\": \"\\u00e9\\n//\", \"\\ud83d\\ude00\": 1.0}",
        ),
    ] {
        word(parts, members, bytes, changed).holds();
    }
}

#[test]
fn forms_of_ones_own() {
    let written = |more, members, bytes: &str, changed| {
        word(r#"{ json = { of = "b", canon = "own" } }"#, members, bytes, changed).more(more).holds();
    };
    let keys = "\"b\":{\"\u{fb33}\":1,\"\u{1f600}\":{\"b\":2,\"a\":3}}";
    let other = "\"b\":{\"\u{fb33}\":1,\"\u{1f600}\":{\"b\":2,\"a\":4}}";
    written("[canon.own]\nkeys = \"codepoint\"\n", keys, "{\"\u{fb33}\":1,\"\u{1f600}\":{\"a\":3,\"b\":2}}", other);
    written("[canon.own]\nkeys = \"utf16\"\n", keys, "{\"\u{1f600}\":{\"a\":3,\"b\":2},\"\u{fb33}\":1}", other);
    written("[canon.own]\nkeys = \"as-written\"\n", keys, "{\"\u{fb33}\":1,\"\u{1f600}\":{\"b\":2,\"a\":3}}", other);
    written(
        "[canon.own]\nkeys = \"as-written\"\ntop_keys = \"utf16\"\n",
        keys,
        "{\"\u{1f600}\":{\"b\":2,\"a\":3},\"\u{fb33}\":1}",
        other,
    );
    written(
        "[canon.own]\nkeys = \"v8\"\n",
        r#""b":{"b":1,"10":2,"2":3,"a":4,"01":5,"0":{"z":6,"1":7}}"#,
        r#"{"0":{"1":7,"z":6},"2":3,"10":2,"b":1,"a":4,"01":5}"#,
        r#""b":{"a":4,"10":2,"2":3,"b":1,"01":5,"0":{"z":6,"1":7}}"#,
    );
    let nested = r#""b":{"l":[1,{"x":[]}],"e":{},"s":"é"}"#;
    let swapped = r#""b":{"l":[1,{"x":{}}],"e":{},"s":"é"}"#;
    written("[canon.own]\nseparators = \"compact\"\n", nested, r#"{"e":{},"l":[1,{"x":[]}],"s":"é"}"#, swapped);
    written("[canon.own]\nseparators = \"python\"\n", nested, r#"{"e": {}, "l": [1, {"x": []}], "s": "é"}"#, swapped);
    written(
        "[canon.own]\nseparators = \"indent2\"\n",
        nested,
        "{\n  \"e\": {},\n  \"l\": [\n    1,\n    {\n      \"x\": []\n    }\n  ],\n  \"s\": \"é\"\n}",
        swapped,
    );
    let text = r#""b":{"k":"\"\u00e9\t😀"}"#;
    let texts = r#""b":{"k":"\"\u00e8\t😀"}"#;
    written("[canon.own]\nescape = \"json\"\n", text, r#"{"k":"\"é\t😀"}"#, texts);
    written("[canon.own]\nescape = \"ascii\"\n", text, r#"{"k":"\"\u00e9\t\ud83d\ude00"}"#, texts);
    written("[canon.own]\nescape = \"none\"\n", text, "{\"k\":\"\"é\t😀\"}", texts);
    let numbers = r#""b":[3.0,-0,-0.0,1.50,1e5,1e-7,1e21,12345678901234567890,1e16,1e15]"#;
    let number = r#""b":[3.0,-0,-0.0,1.50,1e5,1e-7,1e21,12345678901234567890,1e16,1e14]"#;
    written(
        "[canon.own]\nnumbers = \"verbatim\"\n",
        numbers,
        "[3.0,-0,-0.0,1.50,1e5,1e-7,1e21,12345678901234567890,1e16,1e15]",
        number,
    );
    written(
        "[canon.own]\nnumbers = \"python\"\n",
        numbers,
        "[3.0,0,-0.0,1.5,100000.0,1e-07,1e+21,12345678901234567890,1e+16,1000000000000000.0]",
        number,
    );
    written(
        "[canon.own]\nnumbers = \"es6\"\n",
        r#""b":[3.0,-0,1.50,1e5,1e-7,1e21]"#,
        "[3,0,1.5,100000,1e-7,1e+21]",
        r#""b":[3.5]"#,
    );
    written("[canon.own]\nnumbers = \"collapse-whole\"\n", r#""b":[3.0,1.50,7]"#, "[3,1.50,7]", r#""b":[3.0,1.5,7]"#);
    // e and a combining acute are é in NFC.
    written("[canon.own]\nunicode = \"nfc\"\n", r#""b":{"k":"e\u0301"}"#, r#"{"k":"é"}"#, r#""b":{"k":"e"}"#);
    written("[canon.own]\nunicode = \"none\"\n", r#""b":{"k":"e\u0301"}"#, "{\"k\":\"e\u{301}\"}", r#""b":{"k":"é"}"#);
    // Members as they are included, where the form keeps the order.
    word(
        r#"{ json = { of = "b", include = ["z", "a"], canon = "own" } }"#,
        r#""b":{"a":1,"z":2}"#,
        r#"{"z":2,"a":1}"#,
        r#""b":{"a":1,"z":3}"#,
    )
    .more("[canon.own]\nkeys = \"as-written\"\n")
    .holds();
}

#[test]
fn numbers_as_python_prints_them() {
    for (written, printed) in [
        ("1e22", "1e+22"),
        ("123456789.123", "123456789.123"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
    ] {
        let leak = |text: String| -> &'static str { text.leak() };
        word(
            r#"{ json = { of = "b", canon = "own" } }"#,
            leak(format!("\"b\":[{written}]")),
            format!("[{printed}]"),
            r#""b":[7]"#,
        )
        .more("[canon.own]\nnumbers = \"python\"\n")
        .holds();
    }
}

#[test]
fn whole_numbers_that_collapse() {
    for (written, printed) in [
        ("3.0", "3"),
        ("-3.0", "-3"),
        ("3.00", "3"),
        ("3.5", "3.5"),
        ("3.50", "3.50"),
        ("100", "100"),
        ("12345678901234567890", "12345678901234567890"),
        ("1e21", "1e21"),
        ("1e-7", "1e-7"),
    ] {
        let leak = |text: String| -> &'static str { text.leak() };
        word(
            r#"{ json = { of = "b", canon = "own" } }"#,
            leak(format!("\"b\":[{written}]")),
            format!("[{printed}]"),
            r#""b":[7]"#,
        )
        .more("[canon.own]\nnumbers = \"collapse-whole\"\n")
        .holds();
    }
}

#[test]
fn set_beside_the_other_words() {
    for word in [
        // Paths are of the new names once renamed.
        word(
            r#"{ json = { include = ["a", "b"], rename = { a = "z" }, set = { z = { field = "c" } } } }"#,
            r#""a":1,"b":2,"c":3"#,
            r#"{"b":2,"z":3}"#,
            r#""a":1,"b":2,"c":4"#,
        )
        .alike(r#""a":5,"b":2,"c":3"#),
        word(
            r#"{ json = { include = ["o"], set = { "o.k" = { field = "c.d" } } } }"#,
            r#""o":{"k":1,"l":2},"c":{"d":"x"}"#,
            r#"{"o":{"k":"x","l":2}}"#,
            r#""o":{"k":1,"l":2},"c":{"d":"y"}"#,
        )
        .alike(r#""o":{"k":9,"l":2},"c":{"d":"x","e":1}"#),
        word(
            r#"{ json = { include = ["a"], set = { a = { field = "short" } } } }"#,
            r#""a":1,"t":"id-77""#,
            r#"{"a":"77"}"#,
            r#""a":1,"t":"id-78""#,
        )
        .more("[fields.short]\npath = \"t\"\nregex = \"^id-(.*)$\"\n"),
    ] {
        word.holds();
    }
}
