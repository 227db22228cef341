//! Whether what a report says in one place agrees with what it says in another.
//!
//! An id can be computed by anybody, so that a report with a right id can still be one that no run has. What cannot
//! be true together is refused here; what is merely untrue cannot be told.

use crate::finding::Code;
use crate::report::Report;
use crate::verdict::{Check, CheckId, Status, Verdict};

/// The checks that every run has.
const ALWAYS: [CheckId; 3] = [CheckId::Chain, CheckId::Digests, CheckId::Head];

/// The first contradiction, if there is one.
pub(super) fn contradiction(report: &Report) -> Option<&'static str> {
    let check = |id| report.checks.iter().find(|check| check.id == id);
    let named = |id| report.checks.iter().filter(|check| check.id == id).count();
    if report.subjects.is_empty() {
        return Some("it is of no file");
    }
    if ALWAYS.into_iter().any(|id| named(id) == 0) {
        return Some("a check that every run has is missing");
    }
    if report.checks.iter().any(|check| named(check.id) > 1) {
        return Some("a check stands in it twice");
    }
    let figure = |id, counted: u64| check(id).map_or(0, |check| check.checked) == counted;
    let coverage = &report.coverage;
    if !figure(CheckId::Digests, coverage.digests) || !figure(CheckId::Signatures, coverage.signatures) {
        return Some("coverage counts other digests or signatures than the checks");
    }
    if let Verdict::Verified { rows } = report.verdict {
        if report.checks.iter().any(|check| check.status() != Status::Passed) {
            return Some("it says verified, and not all checks passed");
        }
        let of_files = report.subjects.iter().fold(0, |sum: u64, subject| sum.saturating_add(subject.rows));
        if of_files != rows.get() {
            return Some("it is of other rows than its files");
        }
    }
    let signed = check(CheckId::Signatures).is_some_and(|check| !check.failed && check.checked > 0);
    if signed && report.keys.iter().all(|key| key.rows == 0) {
        return Some("signatures are good, and no key signed a row");
    }
    since(report, check(CheckId::Digests), check(CheckId::Signatures))
}

/// The same of what an earlier report vouches for.
fn since(report: &Report, digests: Option<&Check>, signatures: Option<&Check>) -> Option<&'static str> {
    let vouched = |check: Option<&Check>| check.map_or(0, |check| check.vouched);
    let vouched = (vouched(digests), vouched(signatures));
    let Some(since) = &report.since else {
        let other = report.checks.iter().any(|check| check.vouched > 0);
        return other.then_some("something is vouched for, and no earlier report is named");
    };
    if vouched != (since.digests, since.signatures) {
        return Some("the earlier report vouches for another number than the checks say");
    }
    let changed = report.finding_counts.contains_key(&Code::PrefixChanged);
    match since.holds {
        true if changed => Some("the beginning is that of the earlier report, and was changed"),
        false if vouched != (0, 0) => Some("an earlier report that is not of its beginning vouches for something"),
        false if !matches!(report.verdict, Verdict::Broken { .. }) => {
            Some("it is not broken, and does not begin with the bytes of the earlier report")
        }
        _ => None,
    }
}
