//! Single cases: what an auditor is told of each.

use std::fs;
use std::process::{Command, Stdio};

use ledger_verify::audit::{Request, compare};
use ledger_verify::report::Environment;
use ledger_verify::report::compare::{
    Comparison, Remark, Side, SignatureStanding, Standing, Vouched, comparison_id, json, write,
};
use ledger_verify::report::text::Style;
use ledger_verify::stop::StopCode;

use crate::derive::{Case, Line, Operation, Shape, chain_anew, file};
use crate::{Folder, compared, judged, ledger};

const SEED: u64 = 7;

/// So many rows of one chain.
fn case(rows: u64) -> Case {
    Case {
        seed: SEED,
        rows: [rows, 0],
        order: vec![false],
        row_bytes: 830,
        operations: Vec::new(),
        shape: Shape::default(),
    }
}

fn two_chains(a: u64, b: u64) -> Case {
    Case { rows: [a, b], order: vec![false, true], ..case(a) }
}

/// Compare the case with its copy after these operations, with the ledger's key.
fn after(case: &Case, operations: &[Operation]) -> Comparison {
    let copy = Case { operations: operations.to_vec(), ..case.clone() };
    lines(&case.lines(), &copy.copy())
}

fn lines(a: &[Line], b: &[Line]) -> Comparison {
    bytes(&file(a, Shape::default(), false), &file(b, Shape::default(), false))
}

fn bytes(a: &[u8], b: &[u8]) -> Comparison {
    let folder = Folder::new();
    let (a, b) = (folder.write("a.jsonl", a), folder.write("b.jsonl", b));
    judged(&a, &b, &request(&folder))
}

fn request(folder: &Folder) -> Request {
    let pem = folder.write("pk.pem", ledger::files::public_pem(&ledger::verifying_key(SEED)));
    Request { keys: vec![(None, pem)], profile: Some("void".to_owned()), ..Request::default() }
}

fn codes(remarks: &[Remark]) -> Vec<&'static str> {
    remarks.iter().map(|remark| remark.code).collect()
}

fn whole(case: &Case) -> Vec<u8> {
    file(&case.lines(), Shape::default(), false)
}

#[test]
fn two_histories_by_one_key() {
    let compared = after(&case(8), &[Operation::History(4)]);
    assert_eq!((compared.exit_code(), compared.common), (1, 4));
    let [fork] = compared.forks.as_slice() else { panic!("one fork") };
    let common = fork.common.clone().map(|row| row.expect("a row before").sequence);
    assert_eq!((fork.chain.as_deref(), common), (Some("acme"), [Some(4); 2]));
    assert_eq!((fork.vouched, fork.one_predecessor), (Vouched::BothByOne, Some(true)));
    assert_eq!((fork.behind, fork.equal_behind, fork.joined), ([3, 3], 0, None));
    for row in &fork.rows {
        assert_eq!((row.digest, row.link, row.next), (Standing::Holds, Standing::Holds, Some(Standing::Holds)));
        assert_eq!((row.signature, row.vouched, row.sequence), (SignatureStanding::Holds, true, Some(5)));
    }
    let agent = fork.members.listed.iter().find(|diff| diff.member == "agent").expect("the member");
    assert_eq!(agent.b.as_deref(), Some("\"somebody-else\""));
}

/// What is printed to be pasted names the files as a shell takes them.
#[test]
fn what_to_do_next_is_safe_to_paste() {
    let said = |name: &str| {
        let folder = Folder::new();
        let copy = Case { operations: vec![Operation::History(4)], ..case(8) };
        let a = folder.write(name, whole(&case(8)));
        let b = folder.write("b.jsonl", file(&copy.copy(), Shape::default(), false));
        let mut text = Vec::new();
        write(&judged(&a, &b, &request(&folder)), Style::default(), &mut text).expect("writing to memory");
        String::from_utf8(text).expect("text")
    };
    let text = said("$(id) it's.jsonl");
    let line = text.lines().find(|line| line.starts_with("    ledger-verify ")).expect("a command");
    assert!(line.starts_with("    ledger-verify '") && line.ends_with(r"$(id) it'\''s.jsonl' --key FILE"), "{line}");
    if cfg!(unix) {
        let text = said("a\u{1b}.jsonl");
        assert!(text.contains("\n    verify A: no command can be written: "), "{text}");
    }
}

#[test]
fn who_is_vouched_for() {
    let vouched = |operation| {
        let compared = after(&case(8), &[operation]);
        assert_eq!(compared.exit_code(), 1);
        (compared.forks[0].vouched, compared.forks[0].rows[1].digest, compared.forks[0].rows[1].signature)
    };
    let signed = SignatureStanding::Holds;
    // The signature is over the digest that is stated, and that is not the row's.
    assert_eq!(vouched(Operation::Edited(3)), (Vouched::Only(Side::A), Standing::Fails, signed));
    assert_eq!(vouched(Operation::Rehashed(3)), (Vouched::Only(Side::A), Standing::Holds, SignatureStanding::Fails));
    assert_eq!(vouched(Operation::Replaced(3)), (Vouched::BothByOne, Standing::Holds, signed));
}

#[test]
fn without_the_key_nothing_is_said_of_signatures() {
    let folder = Folder::new();
    let copy = Case { operations: vec![Operation::Rehashed(3)], ..case(8) };
    let a = folder.write("a.jsonl", whole(&case(8)));
    let b = folder.write("b.jsonl", file(&copy.copy(), Shape::default(), false));
    let keyless = judged(&a, &b, &Request::default());
    assert_eq!((keyless.exit_code(), keyless.forks[0].vouched), (1, Vouched::NotJudged));
    assert!(keyless.limits().iter().any(|limit| limit.contains("no key was given")));
    // A key that is not the ledger's vouches for nothing.
    let pem = folder.write("other.pem", ledger::files::public_pem(&ledger::verifying_key(SEED + 1)));
    let other = judged(&a, &b, &Request { keys: vec![(None, pem.clone())], ..Request::default() });
    assert_eq!(other.forks[0].vouched, Vouched::Neither);
    // One that is bound to another chain may not vouch here.
    let own = request(&folder).keys.remove(0).1;
    let bound = judged(&a, &b, &Request { keys: vec![(Some("globex".into()), own)], ..Request::default() });
    let rows = &bound.forks[0].rows;
    assert_eq!((rows[0].signature, bound.forks[0].vouched), (SignatureStanding::NotPermitted, Vouched::Neither));
    assert_ne!(comparison_id(&bound), comparison_id(&keyless));
}

#[test]
fn a_row_that_alone_was_replaced() {
    let compared = after(&case(8), &[Operation::Replaced(3)]);
    let [fork] = compared.forks.as_slice() else { panic!("one fork") };
    assert_eq!((fork.behind, fork.equal_behind), ([4, 4], 4));
    assert_eq!(fork.joined.map(|places| places.map(|place| place.line)), Some([5, 5]));
    assert_eq!([fork.rows[0].next, fork.rows[1].next], [Some(Standing::Holds), Some(Standing::Fails)]);
}

#[test]
fn a_row_that_one_lacks_is_found_in_the_other() {
    let compared = after(&case(8), &[Operation::Deleted(3)]);
    let [fork] = compared.forks.as_slice() else { panic!("one fork") };
    assert_eq!(fork.rows.each_ref().map(|row| row.sequence), [Some(4), Some(5)]);
    assert_eq!(fork.rows[1].elsewhere.map(|place| place.line), Some(5));
    assert_eq!((fork.rows[0].elsewhere, fork.rows[1].link), (None, Standing::Fails));
}

#[test]
fn what_is_no_row_decides_nothing() {
    for operation in [Operation::Garbage(3), Operation::Torn(3), Operation::Torn(7)] {
        for case in [case(8), two_chains(4, 4)] {
            let compared = after(&case, std::slice::from_ref(&operation));
            assert_eq!(compared.exit_code(), 3, "{operation:?} {compared:?}");
            assert_eq!(codes(&compared.bounds), ["unreadable-rows"], "{operation:?}");
            // Rows behind it are side by side again.
            let torn = u64::from(matches!(operation, Operation::Torn(_)));
            assert_eq!(compared.common, 8 - torn, "{operation:?}");
            // And a fork behind it is one.
            let forked = after(&case, &[Operation::History(7), operation.clone()]);
            assert_eq!(
                forked.exit_code(),
                if matches!(operation, Operation::Torn(7)) { 3 } else { 1 },
                "{operation:?}"
            );
        }
    }
    // Behind the end of the other nothing is compared; but what was added must be the next row.
    let added = after(&case(8), &[Operation::Garbage(7)]);
    assert_eq!((added.word(), codes(&added.bounds)), ("undecided", vec!["not-linked"]));
    // The same line in both is no difference.
    let garbage = Case { operations: vec![Operation::Garbage(3)], ..case(8) }.copy();
    assert_eq!(lines(&garbage, &garbage).word(), "same");
    // A last row that was cut off.
    let whole = whole(&case(8));
    let cut = bytes(&whole, &whole[..whole.len() - 100]);
    assert_eq!((cut.word(), cut.common), ("undecided", 7));
}

#[test]
fn deleted_behind_garbage_is_not_decided() {
    let copy = Case { operations: vec![Operation::Deleted(5), Operation::Garbage(2)], ..case(8) };
    let compared = lines(&case(8).lines(), &copy.copy());
    assert_eq!(compared.exit_code(), 3);
    // What the garbage stood for is open: it may have been that row.
    assert_eq!(codes(&compared.bounds), ["unreadable-rows"]);
}

#[test]
fn nothing_is_not_the_same_as_nothing() {
    let none = bytes(b"", b"");
    assert_eq!((none.exit_code(), codes(&none.bounds)), (3, vec!["empty", "empty"]));
    let one = bytes(&whole(&case(3)), b"\n \n");
    assert_eq!((one.exit_code(), codes(&one.bounds)), (3, vec!["empty"]));
}

#[test]
fn line_ends_marks_and_spaces_are_no_rows() {
    let rows = case(6).lines();
    for shape in [
        Shape { crlf: true, ..Shape::default() },
        Shape { bom: true, ..Shape::default() },
        Shape { blank: true, ..Shape::default() },
        Shape { unterminated: true, ..Shape::default() },
    ] {
        let compared = bytes(&file(&rows, Shape::default(), false), &file(&rows, shape, false));
        assert_eq!((compared.word(), compared.identical), ("same", false), "{shape:?}");
        assert_eq!(codes(&compared.notes), ["files-differ"], "{shape:?}");
    }
    let compared = bytes(&file(&rows, Shape::default(), false), &file(&rows, Shape::default(), true));
    assert_eq!((compared.word(), codes(&compared.notes)), ("same", vec!["rewritten-rows"]));
}

#[test]
fn members_that_no_digest_covers_are_named() {
    for (operation, member) in [(Operation::Signature(3), "signature"), (Operation::Stated(3), "hash")] {
        let compared = after(&case(8), &[operation]);
        assert_eq!((compared.exit_code(), codes(&compared.bounds)), (3, vec!["members-differ"]));
        assert_eq!(compared.bounds[0].members[0].member, member);
        assert_eq!(compared.common, 8);
    }
}

#[test]
fn a_long_row_is_not_the_same_as_another_one() {
    let folder = Folder::new();
    let whole = whole(&case(4));
    let other = String::from_utf8(whole.clone()).expect("text").replacen("acme", "acne", 1);
    let (a, b) = (folder.write("a.jsonl", &whole), folder.write("b.jsonl", other));
    let short = Request { max_row_bytes: 100, ..request(&folder) };
    let compared = judged(&a, &b, &short);
    assert_eq!((compared.exit_code(), compared.bounds[0].code), (3, "unreadable-rows"));
    // The bytes are equal, whatever the limit.
    assert_eq!(judged(&a, &folder.write("c.jsonl", whole), &short).word(), "same");
}

#[test]
fn chains_are_compared_each_by_itself() {
    let case = two_chains(5, 5);
    let mut grouped = case.lines();
    grouped.sort_by_key(crate::derive::chain);
    let compared = lines(&case.lines(), &grouped);
    assert_eq!((compared.word(), codes(&compared.bounds)), ("undecided", vec!["interleaved"]));
    // One chain more in B is no fork; one more in each is no prefix.
    let one = case.lines().into_iter().filter(|line| crate::derive::chain(line).as_deref() == Some("acme"));
    let one: Vec<Line> = one.collect();
    let more = lines(&one, &case.lines());
    assert_eq!((more.word(), codes(&more.bounds)), ("undecided", vec!["interleaved"]));
    // Behind all of A's rows it was added.
    let more = lines(&one, &grouped);
    assert_eq!((more.word(), more.longer()), ("extended", Some(Side::B)));
    let rows = case.lines();
    let crossed = lines(&rows[..9], &[&rows[..8], &rows[9..]].concat());
    assert_eq!((crossed.exit_code(), codes(&crossed.bounds)), (3, vec!["crossed"]));
    // A fork in one chain leaves the other one alone.
    let mut forked = case.lines();
    let Line::Row(row) = &mut forked[4] else { panic!("a row") };
    row.insert("agent".into(), "x".into());
    chain_anew(&mut forked, 4, SEED, usize::MAX, true);
    let compared = lines(&case.lines(), &forked);
    assert_eq!((compared.forked_chains, compared.common), (1, 7));
    assert_eq!(compared.forks[0].chain.as_deref(), Some("acme"));
}

#[test]
fn an_excerpt_is_compared_where_both_have_rows() {
    let rows = case(9).lines();
    let compared = lines(&rows, &rows[3..7]);
    assert_eq!((compared.exit_code(), codes(&compared.bounds)), (3, vec!["partial-overlap"]));
    assert_eq!((compared.common, compared.behind), (4, [2, 0]));
    let apart = lines(&rows[..4], &rows[4..]);
    assert_eq!((apart.exit_code(), apart.common), (3, 0));
    assert!(codes(&apart.bounds).contains(&"no-common-row"));
    assert_eq!(apart.behind, [0, 0]);
    // A fork within the overlap is one.
    let copy = Case { operations: vec![Operation::History(5)], ..case(9) }.copy();
    assert_eq!(lines(&rows, &copy[2..]).exit_code(), 1);
}

#[test]
fn two_ledgers_are_two_histories() {
    let other = Case { seed: SEED + 1, ..case(5) };
    let compared = lines(&case(5).lines(), &other.lines());
    assert_eq!((compared.exit_code(), compared.common, compared.forks[0].vouched), (1, 0, Vouched::Only(Side::A)));
}

#[test]
fn parts_of_a_folder_are_one_export() {
    let folder = Folder::new();
    let rows = case(9).lines();
    let a = folder.write("a.jsonl", file(&rows, Shape::default(), false));
    fs::create_dir(folder.path("parts")).expect("a folder");
    folder.write("parts/1.jsonl", file(&rows[..4], Shape::default(), false));
    folder.write("parts/2.jsonl", file(&rows[4..], Shape::default(), false));
    for profile in [None, Some("void".to_owned())] {
        let compared = judged(&a, &folder.path("parts"), &Request { profile, ..request(&folder) });
        assert_eq!((compared.word(), compared.common, compared.exports[1].len()), ("same", 9, 2));
    }
}

#[test]
fn hostile_text_is_tame() {
    let mut copy = case(4).lines();
    let Line::Row(row) = &mut copy[2] else { panic!("a row") };
    row.insert("agent\u{1b}[2J".into(), "\u{202e}evil\r\nsame\u{0}".into());
    let compared = lines(&case(4).lines(), &copy);
    assert_eq!(compared.exit_code(), 1);
    assert!(!json(&compared).contains(['\u{1b}', '\u{202e}', '\u{0}']));
}

#[test]
fn one_file_is_told_as_one() {
    let folder = Folder::new();
    let a = folder.write("a.jsonl", whole(&case(3)));
    let compared = judged(&a, &a, &request(&folder));
    assert_eq!((compared.word(), codes(&compared.notes)), ("same", vec!["one-file"]));
    let b = folder.write("b.jsonl", whole(&case(3)));
    assert_eq!(comparison_id(&judged(&a, &b, &request(&folder))), comparison_id(&compared));
}

#[test]
fn what_cannot_be_compared_stops() {
    let folder = Folder::new();
    let a = folder.write("a.jsonl", whole(&case(3)));
    let stop = |b: &std::path::Path, request: &Request| {
        compare([&a, b], request, Environment::default(), &()).expect_err("a stop").code
    };
    assert_eq!(stop(&folder.path("nowhere"), &Request::default()), StopCode::Unreadable);
    let vaara = crate::root().join("testdata/formats/vaara/export.jsonl");
    assert_eq!(stop(&vaara, &Request::default()), StopCode::Profile);
    let many = folder.write("many.jsonl", whole(&two_chains(3, 3)));
    assert_eq!(stop(&many, &Request { max_chains: 1, ..Request::default() }), StopCode::Chains);
    // An empty one shows no format; a damaged one need not.
    let empty = folder.write("empty.jsonl", "");
    assert_eq!(compared(&vaara, &empty, &Request::default()).profile.name, "vaara");
    let files = crate::root().join("tests/cmd/files");
    let cut = folder.write("cut.jsonl.gz", &fs::read(files.join("export.jsonl.gz")).expect("a file")[..2000]);
    let unfinished = compare([&files.join("export.jsonl"), &cut], &Request::default(), Environment::default(), &());
    assert_eq!(unfinished.expect_err("a stop").code, StopCode::Unfinished);
    // A fork that was found before outranks it.
    let forked = judged(&a, &cut, &Request::default());
    assert!(forked.exit_code() == 1 && forked.unfinished.is_some());
}

#[test]
fn a_pipe_is_an_export() {
    let folder = Folder::new();
    let (a, pem) = (folder.write("a.jsonl", whole(&case(6))), request(&folder).keys.remove(0).1);
    let copy = Case { operations: vec![Operation::History(2)], ..case(6) };
    let other = file(&copy.copy(), Shape::default(), false);
    let b = folder.write("b.jsonl", &other);
    let run = |arguments: [&std::ffi::OsStr; 2], input: Option<&[u8]>| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        program.arg("compare").args(arguments).arg("--key").arg(&pem).arg("--json");
        let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("its input");
        input.into_iter().for_each(|input| std::io::Write::write_all(&mut stdin, input).expect("it reads"));
        drop(stdin);
        let done = child.wait_with_output().expect("it ends");
        let value: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
        (done.status.code(), value["comparison_id"].clone())
    };
    let files = run([a.as_ref(), b.as_ref()], None);
    assert_eq!(files.0, Some(1));
    assert_eq!(run([a.as_ref(), "-".as_ref()], Some(&other)), files);
    assert_eq!(run(["-".as_ref(), "-".as_ref()], None).0, Some(2));
    #[cfg(target_os = "linux")]
    assert_eq!(run(["-".as_ref(), "/dev/stdin".as_ref()], None).0, Some(2));
}
