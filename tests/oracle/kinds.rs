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
fn a_clock_is_compared_across_rows_without_time() {
    let faults = vec![fault_at("clock-backwards", 11)];
    let case = Case { compensations: 50, faults, ..honest(8, 11) };
    assert_eq!(said(&case), ["11 clock-backwards", "- no-anchor"]);
}
