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
fn a_clock_is_compared_across_rows_without_time() {
    let faults = vec![fault_at("clock-backwards", 11)];
    let case = Case { compensations: 50, faults, ..honest(8, 11) };
    assert_eq!(said(&case), ["11 clock-backwards", "- no-anchor"]);
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
    let cuts = CUTS.iter().map(|&(batch_bytes, window_bytes)| Sizes { batch_bytes, window_bytes });
    let cuts = cuts.chain([Sizes::default()]);
    cuts.map(|cut| crate::text(&audit::run_cut(&request, Environment::default(), cut))).collect()
}
