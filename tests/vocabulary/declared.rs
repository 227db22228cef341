//! `[declared]`, and `[chain] claims`.

use crate::{Case, Seen, hex, rows, sha256};

/// A format whose rows state no predecessor, as arcaeon's, in strict JSON.
const LATE: &str = "[fields]\nhash = \"h\"\n[chain]\ngenesis = \"start\"\nprechain = \"bound\"\nclaims = \"text\"\n\
                    [[hash]]\ntruncate = 32\npreimage = [{ prev = \"utf8\" }, { json = { exclude = [\"h\"] } }]\n";

/// One whose rows state it.
const LINKED: &str = "[fields]\nseq = \"n\"\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\nseq_start = 1\n\
                      [[hash]]\npreimage = [{ json = { exclude = [\"h\"] } }]\n";

const DECLARED: &str = "[declared]\nwhen = { field = \"op\", equals = \"mended\" }\nline = \"line\"\nsha256 = \"pin\"\n\
                        why = \"why\"\nresume = \"resume\"\n";

/// A row of [`LATE`] after one that is named `prev`, and its name. Members in the order of their names.
fn late(prev: &str, members: &str) -> (String, String) {
    let name = hex(sha256(format!("{prev}{{{members}}}")))[..32].to_owned();
    (format!("{{{members},\"h\":\"{name}\"}}"), name)
}

/// Members of a declaration for this text, which stands on this line.
fn declaration(line: &str, text: &str, more: &str) -> String {
    format!("\"line\":{line},\"op\":\"mended\",\"pin\":\"{}\",{more}\"why\":\"power cut\"", hex(sha256(text)))
}

/// A ledger of [`LATE`] with an orphan on line 2, and on line 4 what `declare` makes of its text. What stands on
/// line 3 goes on from `from`.
fn with_orphan(from: &str, declare: impl Fn(&str) -> String) -> Case {
    let orphan = "{\"a\":2}";
    let (first, name) = late("start", "\"a\":1");
    let (third, third_name) = late(if from.is_empty() { &name } else { from }, "\"a\":3");
    let (fourth, _) = late(&third_name, &declare(orphan));
    Case::of(format!("{LATE}{DECLARED}"), [&*first, orphan, &third, &fourth, ""].join("\n"))
}

#[test]
fn an_orphan_is_excused_and_the_chain_goes_on_from_what_is_said() {
    let orphan = "{\"a\":2}";
    let resumed = |more: &str| declaration("2", orphan, more);
    with_orphan("start", |_| resumed("")).finds("from the genesis", &["declared-break"]);
    with_orphan("end", |_| resumed("\"resume\":\"end\",")).finds("from a text", &["declared-break"]);
    let long = "e".repeat(100);
    with_orphan(&long, |_| resumed(&format!("\"resume\":\"{long}\","))).finds("from a long one", &["declared-break"]);
    with_orphan("end", |_| resumed("")).finds("from something else", &["declared-break", "hash-mismatch"]);
    with_orphan("", |_| "\"a\":4".to_owned()).finds("without a word", &["unchained-row"]);
    // The pin does not hold: nothing is excused, and the chain goes on from where it was.
    with_orphan("", |_| declaration("2", "{\"a\":3}", "")).finds("of another text", &["unchained-row"]);
}

#[test]
fn what_is_no_declaration() {
    let orphan = "{\"a\":2}";
    let good = declaration("2", orphan, "");
    for (what, members) in [
        ("a text", good.replace("\"line\":2", "\"line\":\"2\"")),
        ("a fraction", good.replace("\"line\":2", "\"line\":2.0")),
        ("an exponent", good.replace("\"line\":2", "\"line\":2e0")),
        ("true", good.replace("\"line\":2", "\"line\":true")),
        ("no reason", good.replace("power cut", " \\u001c\\t")),
        ("a short pin", good.replace(&hex(sha256(orphan))[..2], "")),
        ("another word", good.replace("mended", "Mended")),
    ] {
        with_orphan("", |_| members.clone()).finds(what, &["unchained-row"]);
    }
    // Declarations are searched for in the bytes of lines.
    let case = with_orphan("", |_| good.clone());
    case.finds("it resumes with the genesis", &["declared-break", "hash-mismatch"]);
    case.edited("mended", "m\\u0065nded").finds("escaped", &["unchained-row"]);
    // An upper-case pin is one that no text has.
    let upper = good.replace(&hex(sha256(orphan)), &hex(sha256(orphan)).to_uppercase());
    with_orphan("", |_| upper.clone()).finds("an upper-case pin", &["unchained-row"]);
}

#[test]
fn an_edited_row_is_excused_before_and_after_its_declaration() {
    let (first, name) = late("start", "\"a\":1");
    let edited = first.replace("\"a\":1", "\"a\":7");
    let (second, second_name) = late(&name, "\"a\":2");
    let (third, _) = late(&second_name, &declaration("1", &edited, ""));
    let case = Case::of(format!("{LATE}{DECLARED}"), format!("{edited}\n{second}\n{third}\n"));
    case.finds("after", &["declared-break"]);
    case.edited("\"a\":7", "\"a\":8").finds("edited again", &["hash-mismatch"]);
    let (first, name) = late("start", &declaration("2", &format!(" {edited}\t"), ""));
    let case = Case::of(format!("{LATE}{DECLARED}"), format!("{first}\n{edited}\n"));
    case.finds("before, with a pin of the white space around it", &["hash-mismatch"]);
    let (first, _) = late("start", &declaration("2", &edited, ""));
    Case::of(format!("{LATE}{DECLARED}"), format!("{first}\n {edited}\t\n")).finds("before", &["declared-break"]);
    assert!(!name.is_empty());
}

#[test]
fn the_last_declaration_of_a_line_counts() {
    let orphan = "{\"a\":2}";
    let (first, name) = late("start", "\"a\":1");
    let make = |pins: [&str; 2]| {
        let (third, third_name) = late(&name, &declaration("2", pins[0], &format!("\"resume\":\"{name}\",")));
        let (fourth, _) = late(&third_name, &declaration("2", pins[1], &format!("\"resume\":\"{name}\",")));
        Case::of(format!("{LATE}{DECLARED}"), [&*first, orphan, &third, &fourth, ""].join("\n"))
    };
    make([orphan, orphan]).finds("both right", &["declared-break"]);
    make(["x", orphan]).finds("the last one right", &["declared-break"]);
    make([orphan, "x"]).finds("the last one wrong", &["unchained-row"]);
}

#[test]
fn what_cannot_be_excused() {
    for (what, line, codes) in [
        ("no JSON", "{\"a\":2", &["not-json"][..]),
        ("no object", "2", &["not-an-object"]),
        ("no text", "{\"a\":2,\"h\":5}", &["field-malformed"]),
    ] {
        let (first, name) = late("start", "\"a\":1");
        let goes_on = if line.contains("\"h\"") { "" } else { &name };
        let (third, _) = late(goes_on, &declaration("2", line, ""));
        let case = Case::of(format!("{LATE}{DECLARED}"), [&*first, line, &third, ""].join("\n"));
        case.finds(what, codes);
    }
    let (second, _) = late("start", &declaration("1", "{\"a\":1}", ""));
    let case = Case::of(format!("{LATE}{DECLARED}"), format!("{{\"a\":1}}\n{second}\n"));
    case.finds("a row before the chain starts", &["prechain-rows"]);
}

#[test]
fn rows_that_state_their_link() {
    let make = |prev_of_3: Option<&str>, declared: bool| {
        let mut third = String::new();
        rows("start", 4, |number, prev| {
            let prev = prev_of_3.filter(|_| number == 3).unwrap_or(prev);
            let more = if number == 4 && declared { declaration("3", &third, "") } else { "\"op\":\"row\"".to_owned() };
            // In the order of code points: line, n, op, p, pin, why.
            let members = more.replace("\"op\"", &format!("\"n\":{number},\"op\""));
            let (before, after) = members
                .split_once(",\"pin\"")
                .map_or((&*members, String::new()), |(before, after)| (before, format!(",\"pin\"{after}")));
            let members = format!("{before},\"p\":\"{prev}\"{after}");
            let name = hex(sha256(format!("{{{members}}}")));
            let line = format!("{{{members},\"h\":\"{name}\"}}");
            if number == 3 {
                third = line.clone();
            }
            (line, name)
        })
    };
    let profile = format!("{LINKED}{DECLARED}");
    let other = "ab".repeat(32);
    Case::of(&profile, make(None, true)).finds("nothing to excuse", &[]);
    Case::of(&profile, make(Some(&other), false)).finds("a broken link", &["link-broken"]);
    Case::of(&profile, make(Some(&other), true)).finds("a broken link that is declared", &["declared-break"]);
    Case::of(&profile, make(Some("start"), true)).finds("a new start that is declared", &["declared-break"]);
    let edited = make(None, true).replacen("\"n\":3", "\"n\":3 ", 1);
    Case::of(&profile, edited).finds("white space in an intact row", &[]);
}

#[test]
fn lines_that_are_no_rows_hide_nothing_where_the_chain_is_what_rows_claim() {
    let (first, name) = late("start", "\"a\":1");
    let (second, _) = late(&name, "\"a\":2");
    let case = |line: &str| Case::of(LATE, [&*first, line, &second, ""].join("\n"));
    case("garbage").finds("passed over", &["not-json"]);
    case("{\"a\":5,\"h\":\"\"}").finds("the empty text is a claim", &["hash-mismatch"]);
    let digest = |line: &str, from: &str| {
        let (second, _) = late(from, "\"a\":2");
        Case::of(LATE, [&*first, line, &second, ""].join("\n"))
    };
    digest("{\"a\":5,\"h\":\"\"}", "").finds("and the next row goes on from it", &["hash-mismatch"]);
    digest("{\"a\":5,\"h\":[]}", "").finds("as from what is no text", &["field-malformed"]);
    let long = "f".repeat(90);
    digest(&format!("{{\"a\":5,\"h\":\"{long}\"}}"), &long).finds("of any length", &["hash-mismatch"]);
}

#[test]
fn claims_in_every_form_of_a_digest() {
    type Form = fn(&[u8]) -> String;
    let base64: Form = |digest| format!("b:{}", data_encoding::BASE64.encode(digest));
    let forms: [(&str, Form); 3] = [
        ("", |digest| hex(digest)),
        ("encoding = \"base64\"\nprefix = \"b:\"\n", base64),
        ("truncate = 64\n", |digest| hex(digest)),
    ];
    for (words, form) in forms {
        let profile = LATE.replace("truncate = 32\n", words);
        let mut prev = "start".to_owned();
        let make = |number: usize| {
            let name = form(&sha256(format!("{prev}{{\"a\":{number}}}")));
            prev = name.clone();
            format!("{{\"a\":{number},\"h\":\"{name}\"}}\n")
        };
        let case = Case::of(profile, (1..=3).map(make).collect::<String>());
        case.is_good(words);
        case.edited("\"a\":2", "\"a\":7").finds(words, &["hash-mismatch"]);
    }
}

#[test]
fn tables_that_are_refused() {
    for (tables, why) in [
        (format!("{LATE}{}", DECLARED.replace("equals = \"mended\"", "present = true")), "equals = a text"),
        (format!("{LATE}{}", DECLARED.replace("\"mended\"", "\"m\\u00fcd\"")), "ASCII"),
        (format!("{LATE}{}", DECLARED.replace("\"mended\"", "\"\"")), "ASCII"),
        (format!("{LATE}{}", DECLARED.replace("line = \"line\"\n", "")), "line"),
        (LINKED.replace("seq_start = 1", "seq_start = 1\nclaims = \"text\""), "claims"),
    ] {
        let seen = Case::of(tables, "{}\n").judged();
        assert!(matches!(&seen, Seen::Stop(stop) if stop.contains("code: Profile") && stop.contains(why)), "{seen:?}");
    }
}
