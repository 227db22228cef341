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
    // What the row before a later start left is not known; a row that starts anew has none before it.
    let text = String::from_utf8(case.export.clone()).expect("text");
    let (_, later) = text.split_once('\n').expect("lines");
    Case { export: later.into(), ..case.clone() }.finds("the beginning is cut", &["partial-start"]);
    let anew = |was: &str| {
        let profile = case.profile.replace("[[link]]", "reset = \"bound\"\n[[link]]");
        Case { profile, export: (text.clone() + &text.replace("\"was\":null", was)).into(), ..Case::default() }
    };
    anew("\"was\":null").finds("anew", &["chain-reset"]);
    anew("\"was\":\"s3\"").finds("anew with one before", &["chain-reset", "link-broken"]);
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
        r#"{ json = { of = "@b.k", exclude = ["z"], canon = "jcs" } }"#,
        r#""b":"{\"k\":{\"y\":1.0,\"z\":1,\"a\":[]}}""#,
        r#"{"a":[],"y":1}"#,
        r#""b":"{\"k\":{\"y\":2,\"z\":1,\"a\":[]}}""#,
    )
    .alike(r#""b":"{\"k\": {\"a\":[], \"y\":1}}""#)
    .more("[input]\nparse_json = [\"b\"]\n")
    .holds();
    word(r#"{ json = { of = "@b" } }"#, r#""b":"[1, 2]""#, "[1,2]", r#""b":"[1, 3]""#)
        .more("[input]\nparse_json = [\"b\"]\n")
        .holds();
    let absent =
        word(r#"{ json = { of = "@b.k" } }"#, r#""b":"{\"k\":{}}""#, "{}", "").more("[input]\nparse_json = [\"b\"]\n");
    absent.case(r#""b":"{}""#, b"{}").finds("absent", &["field-missing"]);
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

/// Two chains in turns, of three rows each: what is remembered of the row before is that of the chain.
fn in_turns(words: &str, row: impl Fn(&str, usize, &str) -> (String, String)) -> Case {
    let chain = |name: &'static str| rows("start", 3, |number, prev| row(name, number, prev));
    let (a, b) = (chain("A"), chain("B"));
    let export: String = a.lines().zip(b.lines()).flat_map(|(a, b)| [a, "\n", b, "\n"]).collect();
    Case::of(words, export)
}

#[test]
fn late_digests_of_several_chains() {
    let profile = "[fields]\nseq = \"n\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\ngroup_by = \"g\"\nseq_start = 1\n\
                   [[hash]]\npreimage = [{ prev = \"utf8\" }, { field = \"g\" }, { field = \"a\" }]\n";
    let case = in_turns(profile, |name, number, prev| {
        let hash = hex(sha256(format!("{prev}{name}{name}{number}")));
        (format!("{{\"n\":{number},\"g\":\"{name}\",\"a\":\"{name}{number}\",\"h\":\"{hash}\"}}"), hash)
    });
    case.is_good("each by its own");
    case.edited("\"a\":\"B2\"", "\"a\":\"B4\"").finds("changed", &["hash-mismatch"]);
}

#[test]
fn late_digests_of_chains_without_numbers() {
    let profile = "[fields]\nhash = \"h\"\n[chain]\ngenesis = \"start\"\ngroup_by = \"g\"\n\
                   [[hash]]\npreimage = [{ prev = \"utf8\" }, { field = \"a\" }]\n";
    let case = in_turns(profile, |name, number, prev| {
        let hash = hex(sha256(format!("{prev}{name}{number}")));
        (format!("{{\"g\":\"{name}\",\"a\":\"{name}{number}\",\"h\":\"{hash}\"}}"), hash)
    });
    case.is_good("each by its own");
    // The name is in no preimage, but a row of a chain is no first row of another one.
    case.edited("\"g\":\"B\",\"a\":\"B2\"", "\"g\":\"C\",\"a\":\"B2\"").finds("renamed", &["hash-mismatch"]);
    case.edited("\"g\":\"B\",\"a\":\"B1\"", "\"g\":\"A\",\"a\":\"B1\"").finds("renamed", &["hash-mismatch"]);
}

#[test]
fn the_row_before_of_several_chains() {
    let profile = "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\ngroup_by = \"g\"\n\
                   [[link]]\nfield = \"was\"\nprevious = \"v\"\n[[hash]]\n\
                   preimage = [{ json = { exclude = [\"h\"], set = { v = { prev_row = \"v\", genesis = { field = \"g\" } } } } }]\n";
    let case = in_turns(profile, |name, number, prev| {
        let was = match number {
            1 => "null".to_owned(),
            _ => format!("\"{name}{}\"", number - 1),
        };
        let set = if number == 1 { name.to_owned() } else { format!("{name}{}", number - 1) };
        let hash = hex(sha256(format!("{{\"g\":\"{name}\",\"p\":\"{prev}\",\"v\":\"{set}\",\"was\":{was}}}")));
        (format!("{{\"g\":\"{name}\",\"p\":\"{prev}\",\"h\":\"{hash}\",\"v\":\"{name}{number}\",\"was\":{was}}}"), hash)
    });
    case.is_good("each by its own");
    case.edited("\"v\":\"B2\"", "\"v\":\"B4\"").finds("the one before", &["hash-mismatch", "link-broken"]);
}

#[test]
fn genesis_as_bytes_and_as_text() {
    // A genesis that is no digest enters as its text; one that is null has none.
    for (genesis, stated, entered) in [("\"GENESIS\"", "\"GENESIS\"", "GENESIS"), ("\"\"", "\"\"", "")] {
        let profile = format!(
            "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = {genesis}\n[[hash]]\n\
             preimage = [{{ field = \"a\" }}, \"|\", {{ prev = \"utf8\" }}]\n"
        );
        let export = rows(stated, 3, |number, prev| {
            let entered = if number == 1 { entered } else { prev.trim_matches('"') };
            let hash = hex(sha256(format!("{number}|{entered}")));
            (format!("{{\"a\":{number},\"p\":{prev},\"h\":\"{hash}\"}}"), format!("\"{hash}\""))
        });
        let case = Case::of(profile, export);
        case.is_good(genesis);
        case.edited("\"a\":1", "\"a\":9").finds(genesis, &["hash-mismatch"]);
    }
}

#[test]
fn members_deep_in_the_row() {
    let profile = format!(
        "[fields]\nseq = \"meta.n\"\nprev = \"proof.0.prev\"\nhash = \"proof.0.hash\"\n[chain]\ngenesis = \"{ZEROS}\"\nseq_start = 1\n\
         [[hash]]\npreimage = [{{ json = {{ exclude = [\"proof\"] }} }}, {{ prev = \"hex\" }}, {{ json = {{ of = \"proof.0\", exclude = [\"hash\"] }} }}]\n"
    );
    let mut link = vec![0; 32];
    let export = rows(ZEROS, 3, |number, prev| {
        let body = format!("{{\"a\":\"x{number}\",\"meta\":{{\"n\":{number}}}}}");
        let proof = format!("{{\"by\":\"y{number}\",\"prev\":\"{prev}\"}}");
        link = sha256([body.as_bytes(), &link, proof.as_bytes()].concat());
        let line = format!(
            "{{\"meta\":{{\"n\":{number}}},\"a\":\"x{number}\",\"proof\":[{{\"hash\":\"{}\",\"prev\":\"{prev}\",\"by\":\"y{number}\"}}]}}",
            hex(&link)
        );
        (line, hex(&link))
    });
    let case = Case::of(profile, export);
    case.is_good("deep");
    case.edited("\"x2\"", "\"z2\"").finds("the body", &["hash-mismatch"]);
    case.edited("\"y2\"", "\"z2\"").finds("the proof", &["hash-mismatch"]);
}

#[test]
fn a_late_digest_whose_chain_is_cut() {
    let words = "[fields]\nseq = \"n\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\nseq_start = 1\n\
                 [[hash]]\npreimage = [{ prev = \"utf8\" }, \"|\", { field = \"n\" }]\n";
    let export = rows("start", 4, |number, prev| {
        let hash = hex(sha256(format!("{prev}|{number}")));
        (format!("{{\"n\":{number},\"h\":\"{hash}\"}}"), hash)
    });
    let part = |from: usize| export.lines().skip(from).flat_map(|line| [line, "\n"]).collect::<String>();
    Case::of(words, part(1)).finds("its first row is missing", &["partial-start"]);
}

#[test]
fn a_late_digest_whose_chain_starts_anew() {
    let words = |reset: &str| {
        format!(
            "[fields]\nseq = \"n\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\nseq_start = 1\nreset = \"{reset}\"\n\
             [[hash]]\npreimage = [{{ prev = \"utf8\" }}, \"|\", {{ field = \"n\" }}]\n"
        )
    };
    let run = |count: usize| {
        rows("start", count, |number, prev| {
            let hash = hex(sha256(format!("{prev}|{number}")));
            (format!("{{\"n\":{number},\"h\":\"{hash}\"}}"), hash)
        })
    };
    let twice = run(5) + &run(4);
    Case::of(words("bound"), run(5)).is_good("once");
    Case::of(words("bound"), &*twice).finds("twice", &["chain-reset"]);
    Case::of(words("fault"), &*twice).finds("as a fault", &["hash-mismatch", "sequence-backwards"]);
    let gap: String = twice.lines().enumerate().filter(|(at, _)| *at != 7).map(|(_, row)| format!("{row}\n")).collect();
    Case::of(words("bound"), gap)
        .finds("a row is missing behind it", &["chain-reset", "hash-mismatch", "sequence-gap"]);
}
