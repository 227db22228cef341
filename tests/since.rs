//! `--since`: the beginning of an export vouched for by an earlier report, and what came after it checked. The
//! full audit is the oracle: on an unchanged beginning it must find the same, and nothing may look better than it.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ledger::files::public_pem;
use ledger::incidents::Made;
use ledger::{Job, signing_key, write_export};
use ledger_verify::audit::{self, Request};
use ledger_verify::finding::{Code, Policy};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, Outcome, form, json};
use proptest::prelude::*;
use serde_json::Value;

/// Every row of the beginning is believed, but for those in the last bytes of it.
fn sizes(end_bytes: u64) -> Sizes {
    Sizes { end_bytes, ..Sizes::default() }
}

/// A ledger on disk, with the keys that sign it.
struct Books {
    folder: tempfile::TempDir,
}

impl Books {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let books = Books { folder };
        for number in 0..3 {
            books.write(&format!("{number}.pem"), public_pem(&signing_key(seed, number).verifying_key()).as_bytes());
        }
        books
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a file");
    }

    fn request(&self, exports: &[&str], keys: &[u8]) -> Request {
        Request {
            exports: exports.iter().map(|name| self.path(name)).collect(),
            keys: keys.iter().map(|number| (None, self.path(&format!("{number}.pem")))).collect(),
            profile: Some("void".to_owned()),
            threads: 1,
            ..Request::default()
        }
    }

    /// Audit, and file the report under this name.
    fn filed(&self, name: &str, request: &Request, sizes: Sizes) -> Value {
        let text = json::write(&audit::run_cut(request, Environment::default(), sizes));
        self.write(name, text.as_bytes());
        serde_json::from_str(&text).expect("JSON")
    }

    /// The same since the report of that name.
    fn since(&self, report: &str, request: &Request, end_bytes: u64) -> Value {
        let request = Request { since: Some(self.path(report)), ..request.clone() };
        self.filed("since.json", &request, sizes(end_bytes))
    }
}

/// Of each form: the text for this outcome.
fn in_every_form(outcome: &Outcome) -> Vec<(&'static str, String)> {
    form::ALL.iter().filter_map(|form| Some((form.kind(), form.text(outcome)?))).collect()
}

#[test]
fn every_form_names_the_report_that_vouches_and_calls_nothing_unchecked_for_it() {
    let books = Books::new(3);
    let mut export = Vec::new();
    write_export(&Job { seed: 3, rows: 60, ..Job::default() }, &mut export).expect("an export");
    let end = export.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(39).map_or(0, |(at, _)| at + 1);
    books.write("export.jsonl", &export[..end]);
    let earlier = books.filed("first.json", &books.request(&["export.jsonl"], &[0]), sizes(0));
    let id = earlier["report_id"].as_str().expect("an id");
    books.write("export.jsonl", &export);
    let request = Request { since: Some(books.path("first.json")), ..books.request(&["export.jsonl"], &[0]) };
    let outcome = audit::run_cut(&request, Environment::default(), sizes(0));
    let forms = in_every_form(&outcome);
    assert!(forms.len() > 6);
    for (kind, text) in forms {
        let hex = id.trim_start_matches("sha256:");
        // HTML may break a long digest where a line may end.
        assert!(text.replace("<wbr>", "").contains(hex), "{kind} does not name {id}:\n{text}");
        assert!(!text.contains("60 not checked"), "{kind}:\n{text}");
    }
}

fn codes(report: &Value) -> BTreeSet<String> {
    let counts = report["finding_counts"].as_object().unwrap_or_else(|| panic!("no report: {report:#}"));
    counts.keys().cloned().collect()
}

/// Code and line of each fault and bound behind a line.
fn behind(report: &Value, line: u64) -> Vec<(String, u64)> {
    let found = |finding: &Value| Some((finding["code"].as_str()?.to_owned(), finding["line"].as_u64()?));
    report["findings"].as_array().expect("findings").iter().filter_map(found).filter(|(_, at)| *at > line).collect()
}

/// How good a verdict is.
fn rank(report: &Value) -> u64 {
    match (report["verdict"].as_str(), report["exit_code"].as_u64()) {
        (Some("verified"), _) => 3,
        (Some("bounded"), Some(0)) => 2,
        (Some("bounded"), _) => 1,
        (Some("broken"), _) => 0,
        _ => panic!("no verdict: {report:#}"),
    }
}

fn stop(report: &Value) -> &str {
    assert_eq!(report["exit_code"], 2, "{report:#}");
    assert_eq!(report["stop"]["code"], "report", "{report:#}");
    report["stop"]["message"].as_str().expect("a message")
}

/// The pin of a row.
fn pin(made: &Made, row: usize) -> String {
    let row = made.row(row - 1);
    format!("{}@{}", row["hash"].as_str().expect("a hash"), row["sequence"])
}

#[test]
fn honest_growth_is_verified_and_counted_apart() {
    let (books, made) = (Books::new(11), Made::honest(11, 60));
    books.write("july.jsonl", &made.lines[..40].concat());
    books.write("august.jsonl", &made.lines.concat());
    let july = Request { heads: vec![pin(&made, 40)], ..books.request(&["july.jsonl"], &[0]) };
    let filed = books.filed("july.json", &july, Sizes::default());
    assert_eq!(filed["verdict"], "verified");
    let august = Request { heads: vec![pin(&made, 60)], ..books.request(&["august.jsonl"], &[0]) };
    for end_bytes in [0, 1500, 1 << 20] {
        let report = books.since("july.json", &august, end_bytes);
        assert_eq!((&report["verdict"], &report["exit_code"]), (&"verified".into(), &0.into()), "{report:#}");
        let (coverage, since) = (&report["coverage"], &report["since"]);
        assert_eq!(
            (&coverage["rows"], &coverage["digests"], &coverage["signatures"]),
            (&60.into(), &20.into(), &20.into())
        );
        assert_eq!((&since["digests"], &since["signatures"], &since["holds"]), (&40.into(), &40.into(), &true.into()));
        assert_eq!((&since["report_id"], &since["verdict"]), (&filed["report_id"], &"verified".into()));
        assert_eq!(since["subject"][0]["sha256"], filed["subject"][0]["sha256"]);
        assert_eq!(since["keys"][0]["rows"], 40);
        assert_eq!(report["keys"][0]["rows"], 20);
        let digests = &report["checks"][1];
        assert_eq!((&digests["checked"], &digests["vouched"], &digests["total"]), (&20.into(), &40.into(), &60.into()));
        let limits = report["limits"].to_string();
        assert!(limits.contains("whoever can write a report can make one up"), "{limits}");
    }
    // An anchor is required of the whole as always.
    let bare = books.since("july.json", &books.request(&["august.jsonl"], &[0]), 0);
    assert_eq!((rank(&bare), codes(&bare)), (1, BTreeSet::from(["no-anchor".to_owned()])));
    // A month without a row.
    let quiet = books.since("july.json", &july, 0);
    assert_eq!((rank(&quiet), &quiet["coverage"]["digests"]), (3, &0.into()));
    // A report without --since says nothing of it: ids of others stay what they were.
    assert!(filed.get("since").is_none() && filed["checks"][1].get("vouched").is_none());
}

#[test]
fn a_bound_of_then_is_a_bound_of_now() {
    let (books, made) = (Books::new(12), Made::honest(12, 30));
    books.write("a.jsonl", &made.lines[..20].concat());
    books.write("b.jsonl", &made.lines.concat());
    let heads = vec![pin(&made, 30)];
    let accepted = Policy { accepted: vec![Code::NoKey, Code::NoAnchor], strict: false };
    // No key then, and none now: signatures stay unchecked, whatever was accepted then; the missing anchor is of no
    // concern now.
    let then = Request { policy: accepted.clone(), ..books.request(&["a.jsonl"], &[]) };
    assert_eq!(rank(&books.filed("a.json", &then, Sizes::default())), 2);
    let keyless = Request { heads: heads.clone(), ..books.request(&["b.jsonl"], &[]) };
    let report = books.since("a.json", &keyless, 0);
    assert_eq!((rank(&report), codes(&report)), (1, BTreeSet::from(["no-key".to_owned()])), "{report:#}");
    assert_eq!(report["since"]["bounds"], serde_json::json!(["no-key", "no-anchor"]));
    let signatures = &report["checks"][2];
    assert_eq!(
        (&signatures["status"], &signatures["checked"], &signatures["total"]),
        (&"not checked".into(), &0.into(), &30.into())
    );
    let report = books.since("a.json", &Request { policy: accepted, ..keyless.clone() }, 0);
    assert_eq!(rank(&report), 2);
    let strict = Request { policy: Policy { strict: true, ..Policy::default() }, ..keyless };
    assert_eq!(rank(&books.since("a.json", &strict, 0)), 0);
    let now = Request { heads: heads.clone(), ..books.request(&["b.jsonl"], &[0]) };
    // With the key, and no anchor: that was about the end of then.
    books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
    assert_eq!(rank(&books.since("a.json", &now, 0)), 3);
}

/// A signature of the beginning is bad, and nobody judged it: with the key it would be, and must not be accepted away.
#[test]
fn a_report_without_a_key_does_not_vouch_where_one_is_given() {
    let (books, mut made) = (Books::new(23), Made::honest(23, 30));
    let mut row = made.row(4);
    let other = made.row(5)["signature"].clone();
    row.insert("signature".to_owned(), other);
    made.set(4, &row);
    books.write("a.jsonl", &made.lines[..20].concat());
    books.write("b.jsonl", &made.lines.concat());
    books.filed("a.json", &books.request(&["a.jsonl"], &[]), Sizes::default());
    let accepted = Policy { accepted: vec![Code::NoKey, Code::NoAnchor], strict: false };
    let now = Request { policy: accepted, ..books.request(&["b.jsonl"], &[0]) };
    assert_eq!(rank(&books.filed("full.json", &now, Sizes::default())), 0);
    let report = books.since("a.json", &now, 0);
    assert!(stop(&report).contains("the earlier report was made without a key"), "{report:#}");
    assert!(report["stop"]["hint"].as_str().expect("a hint").contains("run it without --since"), "{report:#}");
    // The bound goes on through reports that were made since it.
    let keyless = Request { keys: Vec::new(), ..now.clone() };
    assert_eq!(rank(&books.since("a.json", &keyless, 0)), 2);
    fs::rename(books.path("since.json"), books.path("b.json")).expect("a move");
    assert!(stop(&books.since("b.json", &now, 0)).contains("the earlier report was made without a key"));
}

/// What counts is for which chains a key may sign, not how often and with what else it was named.
#[test]
fn a_key_may_be_bound_again_and_to_more() {
    let (books, made) = (Books::new(24), Made::honest(24, 20));
    let mut beta = Vec::new();
    let job = Job { seed: 24, rows: 9, workspace: "beta".into(), compensations: 0, ..Job::default() };
    write_export(&job, &mut beta).expect("memory");
    books.write("a.jsonl", &made.lines[..12].concat());
    // In the second month another chain begins.
    books.write("b.jsonl", &[made.lines.concat(), beta].concat());
    let bound = |export: &str, names: &[Option<&str>]| Request {
        keys: names.iter().map(|name| (name.map(str::to_owned), books.path("0.pem"))).collect(),
        ..books.request(&[export], &[])
    };
    let (acme, beta) = (Some("acme"), Some("beta"));
    let good = |then: &[Option<&str>], now: &[Option<&str>]| {
        let filed = books.filed("a.json", &bound("a.jsonl", then), Sizes::default());
        assert_eq!(codes(&filed), BTreeSet::from(["no-anchor".to_owned()]), "{then:?}");
        let report = books.since("a.json", &bound("b.jsonl", now), 0);
        assert_eq!(codes(&report), BTreeSet::from(["no-anchor".to_owned()]), "{then:?}, {now:?}: {report:#}");
        assert_eq!(report["since"]["signatures"], 12, "{then:?}, {now:?}: {report:#}");
    };
    good(&[acme], &[acme, beta]);
    good(&[acme], &[beta, acme, acme]);
    good(&[acme, acme], &[beta, acme]);
    good(&[acme], &[None]);
    good(&[acme], &[acme, None]);
    // To less, it may not sign for all that it signed then.
    books.filed("a.json", &bound("a.jsonl", &[None]), Sizes::default());
    assert!(stop(&books.since("a.json", &bound("b.jsonl", &[acme]), 0)).contains("which was not given"));
    books.filed("a.json", &bound("a.jsonl", &[acme]), Sizes::default());
    assert!(stop(&books.since("a.json", &bound("b.jsonl", &[beta]), 0)).contains("which was not given"));
}

#[test]
fn each_byte_of_the_beginning_counts() {
    let (books, made) = (Books::new(13), Made::honest(13, 14));
    let (then, whole) = (made.lines[..9].concat(), made.lines.concat());
    books.write("a.jsonl", &then);
    books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
    for at in (0..then.len()).step_by(7).chain([then.len() - 1]) {
        let mut other = whole.clone();
        other[at] ^= 1;
        books.write("b.jsonl", &other);
        let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
        assert_eq!(rank(&report), 0, "byte {at}: {report:#}");
        assert!(codes(&report).contains("prefix-changed"), "byte {at}: {report:#}");
        assert_eq!((&report["since"]["holds"], &report["since"]["digests"]), (&false.into(), &0.into()));
    }
    // Cut, in the beginning and at the end of it; another ledger; nothing at all.
    let other = Made::honest(14, 14).lines.concat();
    let cut = [&made.lines[..3], &made.lines[4..]].concat().concat();
    for other in [&cut[..], &then[..then.len() - 1], &whole[..made.lines[0].len()], &other, b""] {
        books.write("b.jsonl", other);
        let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
        assert!(rank(&report) == 0 && codes(&report).contains("prefix-changed"), "{report:#}");
    }
}

/// A change that no chain shows, since nobody computes the digest of a row that is vouched for.
#[test]
fn an_edit_that_is_not_looked_at_is_found_by_the_bytes() {
    let (books, mut made) = (Books::new(15), Made::honest(15, 20));
    books.write("a.jsonl", &made.lines[..15].concat());
    books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
    let spaced = String::from_utf8(made.lines[6].clone()).expect("text").replacen("\":", "\": ", 1);
    made.lines[6] = spaced.into_bytes();
    books.write("b.jsonl", &made.lines.concat());
    // The full audit finds nothing: the row says the same.
    let full = books.filed("full.json", &books.request(&["b.jsonl"], &[0]), Sizes::default());
    assert_eq!(codes(&full), BTreeSet::from(["no-anchor".to_owned()]));
    let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
    assert_eq!(codes(&report), BTreeSet::from(["no-anchor".to_owned(), "prefix-changed".to_owned()]));
}

#[test]
fn what_cannot_vouch_is_refused() {
    let (books, mut made) = (Books::new(16), Made::honest(16, 20));
    books.write("a.jsonl", &made.lines[..12].concat());
    books.write("b.jsonl", &made.lines.concat());
    let then = books.request(&["a.jsonl"], &[0]);
    let now = books.request(&["b.jsonl"], &[0]);
    let filed = books.filed("a.json", &then, Sizes::default());
    // Edited.
    let mut edited = filed.clone();
    edited["coverage"]["rows"] = 13.into();
    books.write("edited.json", edited.to_string().as_bytes());
    assert!(stop(&books.since("edited.json", &now, 0)).contains("changed after it was written"));
    // Without its key, or with it bound to other chains than then.
    for keys in [&[][..], &[1]] {
        let report = books.since("a.json", &books.request(&["b.jsonl"], keys), 0);
        assert!(stop(&report).contains("which was not given"), "{report:#}");
    }
    let bound = Request { keys: vec![(Some("acme".into()), books.path("0.pem"))], ..now.clone() };
    assert!(stop(&books.since("a.json", &bound, 0)).contains("which was not given"));
    // With a newer one besides.
    let more = Request { keys: books.request(&[], &[1, 0]).keys, ..now.clone() };
    assert_eq!(codes(&books.since("a.json", &more, 0)), BTreeSet::from(["no-anchor".to_owned()]));
    // Another profile.
    let profile = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/profile/builtin/void.toml"))
        .expect("a profile");
    books.write("void.toml", format!("{profile}\n").as_bytes());
    let other = Request { profile: Some(books.path("void.toml").display().to_string()), ..now.clone() };
    assert!(stop(&books.since("a.json", &other, 0)).contains("it is of the profile void (sha256:"));
    // More parts than are given.
    books.write("c.jsonl", &made.lines[12..].concat());
    books.filed("two.json", &books.request(&["a.jsonl", "c.jsonl"], &[0]), Sizes::default());
    assert!(stop(&books.since("two.json", &now, 0)).contains("it is of 2 files, and 1 were given"));
    // Broken; of no row; no report.
    made.edit(5, "timestamp", "2026-01-01T00:00:00Z".into());
    books.write("broken.jsonl", &made.lines[..12].concat());
    books.filed("broken.json", &books.request(&["broken.jsonl"], &[0]), Sizes::default());
    assert!(stop(&books.since("broken.json", &now, 0)).contains("its verdict is broken"));
    books.write("empty.jsonl", b"");
    books.filed("empty.json", &books.request(&["empty.jsonl"], &[0]), Sizes::default());
    assert!(stop(&books.since("empty.json", &now, 0)).contains("it is of no row"));
    assert!(stop(&books.since("a.jsonl", &now, 0)).contains("no JSON text"));
    assert!(stop(&books.since("absent.json", &now, 0)).contains("absent.json"));
}

/// The rows are in another recipe than the report found: only the rows can show it.
#[test]
fn another_recipe_is_refused() {
    let books = Books::new(17);
    let job = |rows, prev| {
        let recipe = ledger::Recipe { prev, ..ledger::Recipe::default() };
        Job { seed: 17, rows, recipe, compensations: 0, row_bytes: 400, ..Job::default() }
    };
    let mut rows = Vec::new();
    write_export(&job(20, ledger::Form::Text), &mut rows).expect("memory");
    let first = rows.split_inclusive(|byte| *byte == b'\n').take(8).collect::<Vec<_>>().concat();
    books.write("a.jsonl", &first);
    books.write("b.jsonl", &rows);
    let filed = books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
    assert_eq!(filed["profile"]["recipe"], "prev=text, signed=raw");
    assert_eq!(
        codes(&books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0)),
        BTreeSet::from(["no-anchor".to_owned()])
    );
    // What is pinned can show it before.
    let pinned = |recipe: &str| {
        let now = Request { recipe: Some(recipe.to_owned()), ..books.request(&["b.jsonl"], &[0]) };
        books.since("a.json", &now, 0)
    };
    for recipe in ["prev=text", "signed=raw", "signed=raw,prev=text"] {
        assert_eq!(codes(&pinned(recipe)), BTreeSet::from(["no-anchor".to_owned()]), "{recipe}");
    }
    for recipe in ["prev=raw", "signed=text", "prev=text,signed=text"] {
        let report = pinned(recipe);
        assert!(stop(&report).contains("it found the rows in the recipe prev=text, signed=raw, and --recipe pins "));
    }
}

#[test]
fn a_line_without_its_end_is_the_same_line_with_it() {
    let (books, made) = (Books::new(18), Made::honest(18, 20));
    let whole = made.lines.concat();
    let then = made.lines[..12].concat();
    books.write("a.jsonl", &then[..then.len() - 1]);
    books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
    books.write("b.jsonl", &whole);
    let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
    assert_eq!((codes(&report), &report["since"]["digests"]), (BTreeSet::from(["no-anchor".to_owned()]), &12.into()));
    // A row that goes on behind the bytes of the report is not the row that it is of.
    let mut on = then[..then.len() - 1].to_vec();
    on.extend(b" x\n");
    on.extend(made.lines[12..].concat());
    books.write("b.jsonl", &on);
    let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
    assert!(codes(&report).contains("not-json") && report["since"]["digests"] == 11, "{report:#}");
}

#[test]
fn three_months_are_a_chain_of_reports() {
    let (books, mut made) = (Books::new(19), Made::honest(19, 60));
    // A rotation in the second month.
    made.remake(30..60, Some(1));
    for (name, rows) in [("1.jsonl", 20), ("2.jsonl", 40), ("3.jsonl", 60)] {
        books.write(name, &made.lines[..rows].concat());
    }
    let month = |rows: usize, keys: &[u8]| {
        let export = format!("{}.jsonl", rows / 20);
        Request { heads: vec![pin(&made, rows)], ..books.request(&[&export], keys) }
    };
    let first = books.filed("1.json", &month(20, &[0]), Sizes::default());
    let second = books.since("1.json", &month(40, &[0, 1]), 900);
    assert_eq!(rank(&second), 3, "{second:#}");
    fs::rename(books.path("since.json"), books.path("2.json")).expect("a move");
    let third = books.since("2.json", &month(60, &[0, 1]), 900);
    assert_eq!(rank(&third), 3, "{third:#}");
    let since = &third["since"];
    assert_eq!(
        (&since["report_id"], &since["through"]),
        (&second["report_id"], &serde_json::json!([first["report_id"]]))
    );
    assert_eq!((&since["digests"], &since["signatures"]), (&40.into(), &40.into()));
    assert_eq!((&since["keys"][0]["rows"], &since["keys"][1]["rows"]), (&30.into(), &10.into()));
    // The key that signed in the first month alone must be given in the third.
    assert!(stop(&books.since("2.json", &month(60, &[1]), 900)).contains("which was not given"));
    // It comes back in the third month.
    made.remake(50..60, Some(0));
    books.write("3.jsonl", &made.lines.concat());
    let back = Request { heads: vec![pin(&made, 60)], ..books.request(&["3.jsonl"], &[0, 1]) };
    for end_bytes in [0, 900, 1 << 20] {
        let report = books.since("2.json", &back, end_bytes);
        assert_eq!((rank(&report), codes(&report)), (1, BTreeSet::from(["keys-interleaved".to_owned()])), "{report:#}");
    }
    // Which report vouched for the first month cannot be changed in that of the second one.
    let mut edited = second.clone();
    edited["since"]["report_id"] = third["report_id"].clone();
    books.write("2.json", edited.to_string().as_bytes());
    assert!(stop(&books.since("2.json", &back, 0)).contains("changed after it was written"));
}

#[test]
fn parts_are_compared_one_by_one() {
    let (books, made) = (Books::new(20), Made::honest(20, 40));
    books.write("1.jsonl", &made.lines[..10].concat());
    books.write("2.jsonl", &made.lines[10..20].concat());
    books.filed("a.json", &books.request(&["1.jsonl", "2.jsonl"], &[0]), Sizes::default());
    books.write("2.jsonl", &made.lines[10..30].concat());
    books.write("3.jsonl", &made.lines[30..].concat());
    let all = books.request(&["1.jsonl", "2.jsonl", "3.jsonl"], &[0]);
    let report = books.since("a.json", &all, 0);
    assert_eq!(
        (codes(&report), &report["since"]["digests"]),
        (BTreeSet::from(["no-anchor".to_owned()]), &20.into()),
        "{report:#}"
    );
    // A part before the last one must not even have grown.
    books.write("1.jsonl", &made.lines[..11].concat());
    books.write("2.jsonl", &[&made.lines[10..20].concat()[..], &made.lines[20..30].concat()].concat());
    let report = books.since("a.json", &all, 0);
    assert!(codes(&report).contains("prefix-changed"), "{report:#}");
}

/// A row of the beginning is reversed by one behind it: the walk knows it, though it was not checked.
#[test]
fn a_reversal_reaches_into_the_beginning() {
    let books = Books::new(21);
    let job = Job { seed: 21, rows: 200, compensations: 30, row_bytes: 300, ..Job::default() };
    let mut rows = Vec::new();
    write_export(&job, &mut rows).expect("memory");
    let lines: Vec<&[u8]> = rows.split_inclusive(|byte| *byte == b'\n').collect();
    books.write("b.jsonl", &rows);
    let full = books.filed("full.json", &books.request(&["b.jsonl"], &[0]), Sizes::default());
    assert_eq!(codes(&full), BTreeSet::from(["no-anchor".to_owned()]));
    for cut in [1, 60, 120, 199, 200] {
        books.write("a.jsonl", &lines[..cut].concat());
        books.filed("a.json", &books.request(&["a.jsonl"], &[0]), Sizes::default());
        let report = books.since("a.json", &books.request(&["b.jsonl"], &[0]), 0);
        assert_eq!((codes(&report), rank(&report)), (codes(&full), rank(&full)), "cut at {cut}");
    }
}

/// Something that happens to rows from the one at `at` on.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Nothing,
    Edited,
    Removed,
    Twice,
    Swapped,
    Resigned(u8),
    Stripped,
    Torn,
    Garbage,
    Rekeyed(u8),
}

fn act(made: &mut Made, deed: Deed, at: usize) {
    match deed {
        Deed::Nothing => {}
        Deed::Edited => made.edit(at, "timestamp", "1999-01-01T00:00:00Z".into()),
        Deed::Removed => drop(made.lines.remove(at)),
        Deed::Twice => made.lines.insert(at, made.lines[at].clone()),
        Deed::Swapped if at + 1 < made.lines.len() => made.lines.swap(at, at + 1),
        Deed::Swapped => {}
        // Hashed and signed anew to the end, as who holds that key can.
        Deed::Resigned(key) => made.remake(at..made.lines.len(), Some(key)),
        Deed::Stripped => {
            let mut row = made.row(at);
            row.shift_remove("signature");
            made.set(at, &row);
        }
        Deed::Torn => made.lines.last_mut().expect("a row").truncate(40),
        Deed::Garbage => made.lines[at] = b"{\n".to_vec(),
        Deed::Rekeyed(key) => {
            let mut row = made.row(at);
            made.seal(&mut row, Some(key), true);
            made.set(at, &row);
        }
    }
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => Just(Deed::Nothing),
        1 => Just(Deed::Edited),
        1 => Just(Deed::Removed),
        1 => Just(Deed::Twice),
        1 => Just(Deed::Swapped),
        2 => (0u8..3).prop_map(Deed::Resigned),
        1 => Just(Deed::Stripped),
        1 => Just(Deed::Torn),
        1 => Just(Deed::Garbage),
        1 => (0u8..3).prop_map(Deed::Rekeyed),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Of an unchanged beginning the full audit finds the same, wherever it ends and whatever was done behind it.
    #[test]
    fn the_full_audit_finds_the_same(
        rotation in 1usize..24,
        done in prop::collection::vec((deeds(), 0usize..24), 1..3),
        cut in 1usize..24,
        (batch_bytes, window_bytes) in (200usize..3000, 400usize..6000),
        anchored in any::<bool>(),
    ) {
        let (books, mut made) = (Books::new(22), Made::honest(22, 24));
        made.remake(rotation..24, Some(1));
        for (deed, at) in done {
            let last = made.lines.len() - 1;
            // A torn row can only be the last thing that happens.
            if made.lines.iter().all(|line| line.ends_with(b"}\n")) {
                act(&mut made, deed, at.min(last));
            }
        }
        let cut = cut.min(made.lines.len());
        books.write("a.jsonl", &made.lines[..cut].concat());
        books.write("b.jsonl", &made.lines.concat());
        let then = books.filed("a.json", &books.request(&["a.jsonl"], &[0, 1]), Sizes::default());
        let mut now = books.request(&["b.jsonl"], &[0, 1]);
        let last = made.lines.last().and_then(|line| serde_json::from_slice::<Value>(line).ok());
        if let (true, Some(last)) = (anchored, last) {
            now.heads = vec![format!("{}@{}", last["hash"].as_str().expect("a hash"), last["sequence"])];
        }
        let full = books.filed("full.json", &now, Sizes::default());
        // Enough bytes that the key which signed last is seen; the report does not depend on them otherwise.
        let report = books.since("a.json", &now, 700);
        if rank(&then) == 0 {
            prop_assert!(stop(&report).contains("its verdict is broken"));
        } else {
            prop_assert_eq!(codes(&report), codes(&full), "{:#}", report);
            prop_assert_eq!(behind(&report, cut as u64), behind(&full, cut as u64));
            prop_assert_eq!((rank(&report), &report["chains"]), (rank(&full), &full["chains"]));
            // Cut in another way, on more threads: the same report.
            let other = Request { since: Some(books.path("a.json")), threads: 3, ..now.clone() };
            let other = books.filed("other.json", &other, Sizes { batch_bytes, window_bytes, end_bytes: 700, ..Sizes::default() });
            prop_assert_eq!(&other["report_id"], &report["report_id"]);
            // Where no row of the beginning is looked at, it may be worse, never better.
            prop_assert!(rank(&books.since("a.json", &now, 0)) <= rank(&full));
        }
    }
}
