//! `[fields]`, `[chain]`, `[[link]]`, and texts of JSON that paths reach into.

use crate::{Case, ZEROS, hex, rows, sha256, word};

#[test]
fn fields_taken_out_of_text() {
    let profile = format!(
        "[fields]\nseq = {{ path = \"id\", regex = '^row-(\\d+)$' }}\nprev = {{ path = \"raw\", regex = \"^parent (.*)$\" }}\n\
         hash = {{ path = \"h\", strip_prefix = \"sha:\", strip_suffix = \".\" }}\n[chain]\ngenesis = \"{ZEROS}\"\nseq_start = 1\n\
         [[hash]]\npreimage = [{{ field = \"seq\" }}, {{ field = \"raw\" }}, {{ prev = \"hex\" }}]\n"
    );
    let mut link = vec![0; 32];
    let export = rows(ZEROS, 3, |number, prev| {
        let raw = format!("tree x\nparent {prev}\nby y");
        let hash = sha256([number.to_string().as_bytes(), raw.as_bytes(), &link].concat());
        link.clone_from(&hash);
        let line = format!("{{\"id\":\"row-{number}\",\"raw\":{raw:?},\"h\":\"sha:{}.\"}}", hex(&hash));
        (line, hex(hash))
    });
    let case = Case::of(profile, export);
    case.is_good("out of text");
    case.edited("row-2", "row-4").finds("another number", &["hash-mismatch", "sequence-backwards", "sequence-gap"]);
    case.edited("row-2", "Row-2").finds("no match", &["field-missing"]);
}

/// Rows of a number, a content `a` and more members, whose digests cover all of it.
fn numbered(genesis: &str, numbers: &[u64], more: impl Fn(usize) -> String) -> String {
    rows(genesis, numbers.len(), |row, prev| {
        let number = numbers[row - 1];
        let hash = hex(sha256(format!("{number}|{}|{prev}", more(row))));
        (format!("{{\"n\":{number},\"s\":\"{}\",\"p\":\"{prev}\",\"h\":\"{hash}\"}}", more(row)), hash)
    })
}

/// A profile for [`numbered`] with these words in `[chain]`.
fn chained(words: &str) -> String {
    format!(
        "[fields]\nseq = \"n\"\nprev = \"p\"\nhash = \"h\"\n[chain]\n{words}\n[[hash]]\n\
         preimage = [{{ field = \"n\" }}, \"|\", {{ field = \"s\" }}, \"|\", {{ prev = \"utf8\" }}]\n"
    )
}

#[test]
fn genesis() {
    let same = |_| "x".to_owned();
    let of_digest = format!("sha256:{}", hex(sha256("v1|x")));
    for (words, genesis) in [
        ("genesis = \"start\"", "start"),
        ("genesis = { field = \"s\" }", "x"),
        (r#"genesis = { digest = "sha256", prefix = "sha256:", of = ["v1|", { field = "s" }] }"#, &*of_digest),
    ] {
        let profile = chained(&format!("{words}\nseq_start = 1"));
        Case::of(&profile, numbered(genesis, &[1, 2, 3], same)).is_good(words);
        Case::of(&profile, numbered(&ZEROS.replace('0', "1"), &[1, 2, 3], same)).finds(words, &["genesis-broken"]);
    }
}

#[test]
fn genesis_null() {
    let profile = "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = { null = true }\n\
                   [[hash]]\npreimage = [{ json = { exclude = [\"h\"] } }]\n";
    let export = |first: &str| {
        rows(first, 3, |number, prev| {
            let link = if number == 1 { prev.to_owned() } else { format!(",\"p\":\"{prev}\"") };
            let hash = hex(sha256(format!("{{\"a\":{number}{link}}}")));
            (format!("{{\"a\":{number}{link},\"h\":\"{hash}\"}}"), hash)
        })
    };
    Case::of(profile, export(",\"p\":null")).is_good("null");
    Case::of(profile, export("")).is_good("absent");
    Case::of(profile, export("")).edited("\"a\":2", "\"a\":3").finds("changed", &["hash-mismatch"]);
    Case::of(profile, export(&format!(",\"p\":\"{ZEROS}\""))).finds("a digest", &["partial-start"]);
}

#[test]
fn numbers() {
    let same = |_| "x".to_owned();
    let good = [
        ("", &[0, 1, 2][..]),
        ("seq_start = [0, 1]", &[0, 1, 2]),
        ("seq_start = [0, 1]", &[1, 2, 3]),
        ("seq_start = 1\nseq_step = 2", &[1, 3, 5]),
        ("seq_start = 1\ngaps = \"allow\"", &[1, 5, 9]),
        ("seq_start = 1\ngaps = \"forbid\"", &[1, 2, 3]),
    ];
    for (words, numbers) in good {
        Case::of(chained(&format!("genesis = \"g\"\n{words}")), numbered("g", numbers, same)).is_good(words);
    }
    for (words, numbers, fault) in [
        ("", &[1, 2, 3][..], "genesis-broken"),
        ("seq_start = [0, 1]", &[2, 3, 4], "genesis-broken"),
        ("seq_start = 1\nseq_step = 2", &[1, 3, 7], "sequence-gap"),
        ("seq_start = 1", &[1, 2, 4], "sequence-gap"),
        ("seq_start = 1\ngaps = \"allow\"", &[1, 5, 3], "sequence-backwards"),
        ("seq_start = 1\ngaps = \"allow\"", &[1, 5, 5], "sequence-repeated"),
    ] {
        let case = Case::of(chained(&format!("genesis = \"g\"\n{words}")), numbered("g", numbers, same));
        case.finds(&format!("{words} {numbers:?}"), &[fault]);
    }
}

#[test]
fn groups() {
    let of = |name: &'static str| numbered("g", &[1, 2], move |_| name.to_owned());
    let (a, b) = (of("A"), of("B"));
    let interleaved: String = a.lines().zip(b.lines()).flat_map(|(a, b)| [a, "\n", b, "\n"]).collect();
    let case = Case::of(chained("genesis = \"g\"\nseq_start = 1\ngroup_by = \"s\""), interleaved);
    case.is_good("each its own chain");
    let name = |row| if row == 2 { "B" } else { "A" }.to_owned();
    let one = numbered("g", &[1, 2, 3], name);
    let words = "genesis = \"g\"\nseq_start = 1\ngroup_by = \"s\"\nsingle_group = true";
    Case::of(chained(words), numbered("g", &[1, 2, 3], |_| "A".to_owned())).is_good("one chain");
    Case::of(chained(words), one).finds("a second value", &["chain-mixed"]);
}

#[test]
fn reset() {
    let part = |name: &'static str| numbered("g", &[1, 2], move |_| name.to_owned());
    let twice = format!("{}{}", part("x"), part("y"));
    for (words, code) in
        [("reset = \"bound\"", "chain-reset"), ("reset = \"fault\"", "second-genesis"), ("", "second-genesis")]
    {
        Case::of(chained(&format!("genesis = \"g\"\nseq_start = 1\n{words}")), &*twice).finds(words, &[code]);
    }
}

#[test]
fn link_to_another_member() {
    let export = rows("", 3, |number, prev| {
        let (link, before) = prev.split_once(' ').unwrap_or((ZEROS, ""));
        let state = if before.is_empty() { "null".to_owned() } else { format!("\"{before}\"") };
        let hash = hex(sha256(format!("{number}{link}")));
        let line = format!("{{\"a\":{number},\"p\":\"{link}\",\"h\":\"{hash}\",\"was\":{state},\"is\":\"s{number}\"}}");
        (line, format!("{hash} s{number}"))
    });
    let profile = format!(
        "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"{ZEROS}\"\n[[link]]\nfield = \"was\"\nprevious = \"is\"\n\
         [[hash]]\npreimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n"
    );
    let case = Case::of(profile, export);
    case.is_good("each states the one before");
    case.edited("\"was\":\"s1\"", "\"was\":\"s3\"").finds("another", &["link-broken"]);
    case.edited("\"is\":\"s2\"", "\"is\":\"s5\"").finds("another", &["link-broken"]);
    case.edited(",\"was\":null", "").is_good("absent in the first row");
    case.edited("\"was\":null", "\"was\":\"s0\"").finds("a first row with one before", &["link-broken"]);
}

#[test]
fn late_digest() {
    // Rows do not state the digest of the row before; it enters the preimage all the same.
    let profile = "[fields]\nseq = \"n\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\nseq_start = 1\n\
                   [[hash]]\npreimage = [{ prev = \"utf8\" }, \"|\", { field = \"n\" }, { field = \"a\" }]\n";
    let export = rows("start", 4, |number, prev| {
        let hash = hex(sha256(format!("{prev}|{number}x{number}")));
        (format!("{{\"n\":{number},\"a\":\"x{number}\",\"h\":\"{hash}\"}}"), hash)
    });
    let case = Case::of(profile, &*export);
    case.is_good("late");
    case.edited("\"a\":\"x3\"", "\"a\":\"y3\"").finds("changed", &["hash-mismatch"]);
    let without: String = export.lines().filter(|line| !line.contains("x2")).flat_map(|line| [line, "\n"]).collect();
    Case::of(profile, without).finds("a row is missing", &["hash-mismatch", "sequence-gap"]);
}

#[test]
fn json_in_text() {
    word(r#"{ field = "@b.k.1" }"#, r#""b":"{\"k\":[0,\"x\"]}""#, "x", r#""b":"{\"k\":[0,\"y\"]}""#)
        .alike(r#""b":"{ \"k\" : [1,\"x\"], \"z\":0 }""#)
        .more("[input]\nparse_json = [\"b\"]\n")
        .holds();
    word(
        r#"{ field = "@b.k" }"#,
        r#""b":"{\"k\":{\"z\":1.0, \"a\":2}}""#,
        r#"{"a":2,"z":1.0}"#,
        r#""b":"{\"k\":{\"z\":1, \"a\":2}}""#,
    )
    .alike(r#""b":"{\"k\":{\"a\":2, \"z\":1.0}}""#)
    .more("[input]\nparse_json = [\"b\"]\n")
    .holds();
}
