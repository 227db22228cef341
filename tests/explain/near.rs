//! Every deviation, one after the other: rows are hashed by a profile that has it, and explained by one
//! that has not.

use ledger_verify::check::Checker;
use ledger_verify::fact::{Checked, DigestFact, Place};
use ledger_verify::profile::{Plan, from_toml};
use ledger_verify::read::Line;
use ledger_verify::report::explained::Status;
use ledger_verify::trust::keyring::Keyring;

use crate::{explained, line};

/// A profile: what `[chain]`, `[canon.c]` and `[[hash]]` say besides.
#[derive(Clone, Copy)]
struct Words {
    genesis: &'static str,
    canon: &'static str,
    select: &'static str,
    before: &'static str,
    after: &'static str,
    hash: &'static str,
}

const OURS: Words = Words {
    genesis: "genesis = \"0xGENESIS\"",
    canon: "",
    select: "exclude = [\"hash\", \"sig\"]",
    before: "",
    after: ", { prev = \"hex\" }",
    hash: "prefix = \"0x\"",
};

impl Words {
    fn toml(&self) -> String {
        let Words { genesis, canon, select, before, after, hash } = self;
        let parts = format!("{before}{{ json = {{ {select}, canon = \"c\" }} }}{after}");
        format!(
            "[profile]\nname = \"t\"\n[fields]\nseq = \"seq\"\nprev = \"prev\"\nhash = \"hash\"\n[chain]\n{genesis}\n\
             [canon.c]\n{canon}\n[[hash]]\n{hash}\npreimage = [ {parts} ]\n"
        )
        .replace("0xGENESIS", &format!("0x{}", "0".repeat(64)))
    }

    fn plan(&self) -> Plan {
        from_toml(&self.toml(), "t").unwrap_or_else(|stop| panic!("{stop}\n{}", self.toml()))
    }
}

/// A row of which every deviation changes the preimage.
fn row(seq: u64, prev: &str, hash: &str) -> String {
    format!(
        "{{\"seq\":{seq},\"note\":\"e\u{301} \u{e9}\",\"b\":{{\"10\":1,\"9\":2,\"\u{ff5e}\":1,\"\u{10000}\":2}},\"n\":[1.0,1e-7,1e21,3.50],\
         \"none\":null,\"kind\":\"x\",\"sig\":\"s\",\"prev\":\"{prev}\",\"hash\":\"{hash}\"}}"
    )
}

/// The digest of a row in this format.
fn digest(plan: &Plan, row: &str) -> String {
    let keys = Keyring::default();
    let mut checker = Checker::new(plan, &keys, plan.settled());
    let line = Line::row(Place::default(), row.as_bytes());
    let Some(Checked::Row(facts)) = checker.check(&line, None) else { panic!("{row}") };
    let DigestFact::Recomputed(digest) = facts.digest else { panic!("{:?} {row}", facts.findings) };
    plan.hash.first().expect("a rule")[0].form.encode(digest.bytes())
}

/// Two rows that are hashed by this profile.
fn ledger(words: &Words) -> [String; 2] {
    let plan = words.plan();
    let zero = format!("0x{}", "0".repeat(64));
    let stated = |seq, prev: &str| {
        let hash = digest(&plan, &row(seq, prev, &zero));
        (row(seq, prev, &hash), hash)
    };
    let (first, hash) = stated(0, &zero);
    [first, stated(1, &hash).0]
}

/// What is found of the second row, or of the first.
fn found(theirs: &Words, ours: &Words, number: u64) -> Vec<Vec<String>> {
    let rows = ledger(theirs);
    let export = rows.map(|row| row + "\n").concat();
    let told = explained(export.as_bytes(), &ours.toml(), &[], &line(number)).expect("an explanation");
    let told_code = told.exit_code();
    let digest = told.digest.expect("a digest");
    assert_ne!(digest.status, Status::Holds, "the deviation must show: {}", theirs.toml());
    assert_eq!(told_code, 1);
    digest.near.expect("near misses").fits
}

#[test]
fn each_deviation_is_found() {
    let theirs = |change: fn(&mut Words)| {
        let mut words = OURS;
        change(&mut words);
        words
    };
    let cases: Vec<(Words, &str)> = vec![
        (theirs(|w| w.canon = "numbers = \"es6\""), "numbers = \"es6\""),
        (theirs(|w| w.canon = "numbers = \"python\""), "numbers = \"python\""),
        (theirs(|w| w.canon = "numbers = \"collapse-whole\""), "numbers = \"collapse-whole\""),
        (theirs(|w| w.canon = "keys = \"utf16\""), "keys = \"utf16\""),
        (theirs(|w| w.canon = "keys = \"as-written\""), "keys = \"as-written\""),
        (theirs(|w| w.canon = "keys = \"v8\""), "keys = \"v8\""),
        (theirs(|w| w.canon = "separators = \"python\""), "separators = \"python\""),
        (theirs(|w| w.canon = "separators = \"indent2\""), "separators = \"indent2\""),
        (theirs(|w| w.canon = "escape = \"ascii\""), "escape = \"ascii\""),
        (theirs(|w| w.canon = "unicode = \"nfc\""), "unicode = \"nfc\""),
        (theirs(|w| w.canon = "keys = \"utf16\"\nnumbers = \"es6\""), "canon = \"jcs\""),
        (theirs(|w| w.canon = "separators = \"python\"\nescape = \"ascii\""), "canon = \"python-default\""),
        (theirs(|w| w.select = "exclude = [\"hash\", \"sig\"], drop_null = true"), "drop_null = true"),
        (theirs(|w| w.select = "exclude = [\"hash\", \"sig\", \"note\"]"), "member note left out"),
        (theirs(|w| w.select = "exclude = [\"hash\", \"sig\", \"prev\"]"), "member prev left out"),
        (theirs(|w| w.select = "exclude = [\"hash\"]"), "member sig taken in"),
        (theirs(|w| w.after = ", { prev = \"utf8\" }"), "the digest of the row before as text"),
        (
            theirs(|w| w.after = ", { prev = \"utf8\", strip_prefix = \"0x\" }"),
            "the digest of the row before as text without its prefix",
        ),
        (theirs(|w| (w.before, w.after) = ("{ prev = \"hex\" }, ", "")), "the digest of the row before stands first"),
        (theirs(|w| w.after = ""), "the digest of the row before left out"),
        (theirs(|w| w.after = ", \"|\", { prev = \"hex\" }"), "\"|\" stands between the parts"),
        (theirs(|w| w.after = ", { prev = \"hex\" }, \"\\n\""), "a line end stands behind it"),
        (theirs(|w| w.hash = "prefix = \"0x\"\nalg = \"sha1\""), "alg = \"sha1\""),
        (theirs(|w| w.hash = "prefix = \"0x\"\nalg = \"sha384\""), "alg = \"sha384\""),
        (theirs(|w| w.hash = "prefix = \"0x\"\nalg = \"sha512\""), "alg = \"sha512\""),
        (theirs(|w| w.hash = "prefix = \"0x\"\nalg = \"blake3\""), "alg = \"blake3\""),
    ];
    for (theirs, label) in cases {
        let fits = found(&theirs, &OURS, 2);
        assert!(fits.iter().any(|fits| fits == &[label]), "{label}: {fits:?}\n{}", theirs.toml());
    }
}

/// A digest in another text form, and the same with another algorithm.
#[test]
fn a_digest_that_is_written_otherwise() {
    let ours = Words { after: "", ..OURS };
    for (hash, labels) in [
        ("prefix = \"sha256:\"", vec!["prefix = \"sha256:\""]),
        ("prefix = \"0x\"\nencoding = \"base64\"", vec!["encoding = \"base64\""]),
        ("prefix = \"0x\"\nencoding = \"base64url\"", vec!["encoding = \"base64url\""]),
        ("prefix = \"0x\"\nencoding = \"base58btc\"", vec!["encoding = \"base58btc\""]),
        ("suffix = \".sha256\"\nprefix = \"0x\"", vec!["suffix = \".sha256\""]),
        ("prefix = \"sha512:\"\nalg = \"sha512\"", vec!["alg = \"sha512\"", "prefix = \"sha512:\""]),
    ] {
        let fits = found(&Words { hash, ..ours }, &ours, 2);
        assert!(fits.contains(&labels.iter().map(|label| (*label).to_owned()).collect()), "{labels:?}: {fits:?}");
    }
}

/// What a profile has too much is found as well.
#[test]
fn and_what_the_profile_has_too_much() {
    let nothing = Words { after: "", ..OURS };
    for (end, form, label) in [
        ("before", "hex", "before it the digest of the row before as raw bytes"),
        ("before", "utf8", "before it the digest of the row before as text"),
        ("after", "hex", "behind it the digest of the row before as raw bytes"),
        ("after", "utf8", "behind it the digest of the row before as text"),
    ] {
        let theirs = match (end, form) {
            ("before", "hex") => Words { before: "{ prev = \"hex\" }, ", ..nothing },
            ("before", _) => Words { before: "{ prev = \"utf8\" }, ", ..nothing },
            (_, "hex") => OURS,
            _ => Words { after: ", { prev = \"utf8\" }", ..nothing },
        };
        let fits = found(&theirs, &nothing, 2);
        assert!(fits.iter().any(|fits| fits == &[label]), "{label}: {fits:?}");
    }
    let listed = Words { select: "include = [\"seq\", \"prev\", \"kind\"]", ..OURS };
    let longer = Words { select: "include = [\"seq\", \"prev\", \"kind\", \"note\"]", ..OURS };
    assert_eq!(found(&longer, &listed, 2), [["member note taken in"]]);
    assert_eq!(found(&listed, &longer, 2), [["member note left out"]]);
    let dropped = Words { select: "exclude = [\"hash\", \"sig\"], drop_null = true", ..OURS };
    assert_eq!(found(&OURS, &dropped, 2), [["drop_null = false"]]);
    let nfc = Words { canon: "unicode = \"nfc\"", ..OURS };
    assert_eq!(found(&OURS, &nfc, 2), [["canon = \"compact\""], ["unicode = \"none\""]]);
}

/// A first row, for which writers put something of their own.
#[test]
fn a_first_row() {
    let theirs = Words { after: "", ..OURS };
    let fits = found(&theirs, &OURS, 1);
    assert!(fits.contains(&vec!["nothing stands for the genesis".to_owned()]), "{fits:?}");
    let zeros = ", \"0000000000000000000000000000000000000000000000000000000000000000\"";
    let fits = found(&Words { after: zeros, ..OURS }, &OURS, 1);
    assert!(fits.contains(&vec!["64 zeros stand for the genesis".to_owned()]), "{fits:?}");
}

/// The exact line cannot hold its own digest; a member of it can.
#[test]
fn the_exact_line() {
    let ours = "[profile]\nname = \"t\"\n[fields]\nseq = \"seq\"\nprev = \"prev\"\n[chain]\ngenesis = { null = true }\n\
                [[hash]]\npreimage = [ { json = { canon = \"jcs\" } } ]\n";
    let first = "{ \"seq\": 0, \"prev\": null }";
    let hash = sha256(first.as_bytes());
    let export = format!("{first}\n{{ \"seq\": 1, \"prev\": \"{hash}\" }}\n");
    let told = explained(export.as_bytes(), ours, &[], &line(1)).expect("an explanation");
    let digest = told.digest.as_ref().expect("a digest");
    assert_eq!((digest.status, digest.stated.as_deref()), (Status::Fails, Some(hash.as_str())));
    let fits = &digest.near.as_ref().expect("near misses").fits;
    assert!(fits.contains(&vec!["the preimage is the exact line".to_owned()]), "{fits:?}");
    assert_eq!(told.exit_code(), 3, "the fault is the next row's: {:?}", told.findings);
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    data_encoding::HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Two deviations at once, where neither is enough.
#[test]
fn two_at_once() {
    for (theirs, labels) in [
        (
            Words { canon: "separators = \"python\"", after: ", { prev = \"utf8\" }", ..OURS },
            ["separators = \"python\"", "the digest of the row before as text"],
        ),
        (
            Words { canon: "numbers = \"python\"", select: "exclude = [\"hash\", \"sig\", \"kind\"]", ..OURS },
            ["member kind left out", "numbers = \"python\""],
        ),
        (Words { select: "exclude = [\"hash\", \"kind\"]", ..OURS }, ["member sig taken in", "member kind left out"]),
        (
            Words { before: "{ prev = \"utf8\" }, ", after: "", ..OURS },
            ["the digest of the row before as text", "the digest of the row before stands first"],
        ),
    ] {
        let theirs_fits = found(&theirs, &OURS, 2);
        let has = |fits: &Vec<String>| labels.iter().all(|label| fits.iter().any(|fit| fit == label));
        assert!(theirs_fits.iter().any(has), "{labels:?}: {theirs_fits:?}");
        assert!(theirs_fits.iter().all(|fits| fits.len() == 2), "{theirs_fits:?}");
    }
}

/// An edited row is like nothing, and the work is bounded.
#[test]
fn an_edited_row_of_many_members() {
    let members: String = (0..400).map(|number| format!("\"m{number}\":{number}.0,")).collect();
    let [first, second] = ledger(&OURS);
    let edited = second.replace("\"kind\":\"x\"", &format!("{members}\"kind\":\"y\""));
    let told = explained(format!("{first}\n{edited}\n").as_bytes(), &OURS.toml(), &[], &line(2)).expect("explained");
    let near = told.digest.and_then(|digest| digest.near).expect("near misses");
    assert_eq!(near.fits, [] as [Vec<String>; 0]);
    assert!((1000..=20_000).contains(&near.tries), "{}", near.tries);
}
