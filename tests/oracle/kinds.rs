//! One small case for each kind of disagreement that the search has found. Each is asked of both
//! verifiers, in every cut of the work, and compared with what the format's description says.

use crate::mutate::{self, Case, Change, Deed, Head, LineChange, ManifestKind, Seal, change_of, fault_at, honest, odd};
use crate::{CUTS, agree};

/// What both say of the case, without exit code: `line code`, `- code` without line, `×n` of notes.
fn said(case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let turns = (0..5 * CUTS.len() as u64).map(|turn| agree(case, folder.path(), turn));
    let mut all: Vec<_> = turns.map(|said| said.expect("both verifiers and all cuts agree")).collect();
    let (_, findings) = all.pop().expect("at least one cut");
    let told = findings.into_iter().map(|(line, code, count)| {
        let line = line.map_or("-".to_owned(), |line| line.to_string());
        let times = if count > 1 { format!(" ×{count}") } else { String::new() };
        format!("{line} {code}{times}")
    });
    told.collect()
}

fn with(seed: u64, rows: u64, changes: Vec<Change>) -> Case {
    Case { changes, ..honest(seed, rows) }
}

#[test]
fn a_note_about_a_row_is_a_note() {
    let faults = vec![fault_at("restore-mismatch", 3), fault_at("restore-mismatch", 5)];
    assert_eq!(said(&Case { faults, ..honest(0, 6) }), ["3 restore-mismatch ×2", "- no-anchor"]);
}

#[test]
fn the_cr_of_an_empty_line_is_no_crlf() {
    let empty = Change::Lines(LineChange::Before(1, 2));
    assert_eq!(said(&with(0, 3, vec![empty])), ["2 blank-line", "- no-anchor"]);
}

#[test]
fn nothing_before_the_colon_names_no_algorithm() {
    let changed = change_of(1, "signature", odd("\":ab\""), Seal::Leave);
    assert_eq!(said(&with(0, 3, vec![changed])), ["2 signature-malformed", "- no-anchor"]);
}

#[test]
fn null_is_no_workspace() {
    let changed = change_of(1, "workspace", odd("null"), Seal::Through(0));
    assert_eq!(said(&with(0, 3, vec![changed])), ["- no-anchor"]);
}

#[test]
fn only_unreadable_rows_and_an_unsigned_manifest_beside_them() {
    let case = Case { manifest: ManifestKind::Found(false), max_row_bytes: Some(200), ..honest(0, 1) };
    assert_eq!(said(&case), ["1 row-too-long", "- manifest-unsigned"]);
}

#[test]
fn a_row_whose_link_cannot_be_read_is_a_successor() {
    let lost = change_of(2, "prev_hash", Deed::Remove, Seal::Leave);
    let copied = Change::Lines(LineChange::Copy(2, 0, 1));
    let wanted = ["2 field-missing", "2 sequence-gap", "3 fork", "3 clock-backwards", "4 field-missing", "- no-anchor"];
    assert_eq!(said(&with(0, 3, vec![lost, copied])), wanted);
}

#[test]
fn a_digest_spelled_with_escapes_is_found() {
    // Row 5 of this seed is spelled with escapes.
    let copied = Change::Lines(LineChange::Copy(4, 0, 4));
    let edited = change_of(5, "sequence", Deed::Twice, Seal::Hash);
    assert_eq!(said(&with(7, 5, vec![copied, edited])), ["6 fork", "- no-anchor"]);
}

#[test]
fn a_mixed_row_is_a_row_of_the_chain_it_stands_in() {
    let mixed = change_of(2, "workspace", odd("\"globex\""), Seal::Through(0));
    let copied = Change::Lines(LineChange::Copy(3, 0, 5));
    let edited = change_of(5, "class", odd("\"x\""), Seal::Sign(0));
    let wanted = ["3 chain-mixed", "6 fork", "6 clock-backwards", "- no-anchor"];
    assert_eq!(said(&with(0, 5, vec![mixed, copied, edited])), wanted);
}

#[test]
fn a_successor_may_stand_before_its_predecessor() {
    // The first and the third row change places: the third says what it follows before that stands there.
    let swapped = Change::Lines(LineChange::Swap(0, 2));
    let copied = Change::Lines(LineChange::Copy(0, 0, 2));
    let edited = change_of(2, "class", odd("\"x\""), Seal::Sign(0));
    let told = said(&with(0, 4, vec![swapped, copied, edited]));
    assert!(told.contains(&"1 partial-start".to_owned()), "{told:?}");
}

#[test]
fn rows_without_workspace_at_the_start_make_no_chain_of_their_own() {
    let copied = Change::Lines(LineChange::Copy(3, 0, 0));
    let case = Case { compensations: 30, ..with(9, 4, vec![copied]) };
    let wanted = ["1 partial-start", "1 reversal-unchecked", "2 second-genesis", "- no-anchor"];
    assert_eq!(said(&case), wanted);
}

#[test]
fn reversals_behind_a_second_genesis_are_of_the_ledger_that_begins_there() {
    // A ledger twice, one behind the other: its reversals are as good as they were.
    let twice = (0..12).map(|row| Change::Lines(LineChange::Copy(row, 0, 12 + row)));
    let case = Case { compensations: 30, ..with(9, 12, twice.collect()) };
    assert_eq!(said(&case), ["13 second-genesis", "13 clock-backwards", "- no-anchor"]);
}

#[test]
fn a_clock_is_compared_across_rows_without_time() {
    let faults = vec![fault_at("clock-backwards", 11)];
    let case = Case { compensations: 50, faults, ..honest(8, 11) };
    assert_eq!(said(&case), ["11 clock-backwards", "- no-anchor"]);
}

#[test]
fn a_number_behind_unreadable_rows_is_a_range() {
    let unreadable = Change::Lines(LineChange::Before(2, 5));
    let lost = change_of(3, "sequence", Deed::Remove, Seal::Leave);
    let wanted = ["3 field-missing", "4 field-missing", "4 hash-mismatch", "- no-anchor"];
    assert_eq!(said(&with(0, 5, vec![unreadable, lost])), wanted);
}

#[test]
fn a_pinned_row_that_cannot_be_read_is_not_judged_twice() {
    let heads = vec![Head { row: 1, number: None, digest: 0 }];
    let lost = change_of(1, "prev_hash", Deed::Remove, Seal::Leave);
    let case = Case { heads: heads.clone(), ..with(0, 3, vec![lost]) };
    assert_eq!(said(&case), ["2 field-missing", "- no-anchor"]);
    let unreadable = Change::Lines(LineChange::Before(1, 6));
    let wrong = vec![Head { digest: 2, ..heads[0] }];
    let case = Case { heads: wrong.clone(), ..with(0, 3, vec![unreadable]) };
    assert_eq!(said(&case), ["2 not-an-object", "- no-anchor"]);
    // Where everything can be read the same pin fails.
    assert_eq!(said(&Case { heads: wrong, ..honest(0, 3) }), ["3 head-mismatch"]);
}

#[test]
fn rows_behind_the_pin_are_behind_it_also_if_unreadable() {
    let case = Case {
        heads: vec![Head { row: 1, number: Some(0), digest: 0 }],
        changes: vec![change_of(2, "class", odd("\""), Seal::Leave)],
        ..honest(0, 3)
    };
    assert_eq!(said(&case), ["3 not-json", "- after-anchor"]);
}

#[test]
fn a_signature_settles_the_reading_where_no_hash_does() {
    let lost = change_of(0, "hash", Deed::Remove, Seal::Leave);
    let case = Case { forms: (1, 0), ..with(0, 1, vec![lost]) };
    assert_eq!(said(&case), ["1 field-missing", "- no-anchor"]);
}

#[test]
fn a_signature_in_another_reading_is_the_same_fault_wherever_batches_end() {
    // Two rows of a ledger in another recipe: its hashes and signatures fit, but not this export's reading.
    let folder = tempfile::tempdir().expect("a temporary folder");
    for signed in 1..3 {
        let case = Case { forms: (0, 0), ..honest(3, 4) };
        let mut other = Case { forms: (0, signed), ..honest(3, 4) }.make().export;
        let mut export = case.make().export;
        let cut = |bytes: &[u8], lines: usize| memchr::memchr_iter(b'\n', bytes).nth(lines - 1).map_or(0, |at| at + 1);
        export.truncate(cut(&export, 2));
        let from = cut(&other, 2);
        export.extend(other.drain(from..));
        let mut reports = mutated_reports(&case, &export, folder.path());
        let usual = reports.pop().expect("a report");
        assert!(usual.contains("\"signature-invalid\":2"), "{usual}");
        assert!(reports.iter().all(|report| *report == usual));
    }
}

/// The reports on this export in all cuts.
fn mutated_reports(case: &Case, export: &[u8], folder: &std::path::Path) -> Vec<String> {
    use ledger_verify::{audit, pipeline::Sizes, report::Environment};
    let made = mutate::Made { export: export.to_vec(), ..case.make() };
    let request = crate::request(case, &made, folder, 2);
    let cuts = CUTS.iter().map(|&(batch_bytes, window_bytes)| Sizes {
        batch_bytes,
        stride_bytes: batch_bytes,
        window_bytes,
        ..Sizes::default()
    });
    let cuts = cuts.chain([Sizes::default()]);
    cuts.map(|cut| crate::text(&audit::run_cut(&request, Environment::default(), cut))).collect()
}
