//! What the report knows of single rows: decides where a fault may be placed, and which rows may be drawn as
//! checked. Where the report does not say it, nothing is assumed.

use std::collections::BTreeSet;

use super::super::figures::grouped;
use super::super::{AnchorFacts, Report};
use crate::fact::Place;
use crate::finding::{Class, Code, Counted, Finding};
use crate::incident::{Incident, Kind};
use crate::verdict::{CheckId, HEAD_BOUNDS};

/// Faults that an anchor shows: they stand at the last row and say nothing against it.
pub(super) const OF_ANCHORS: &[Code] = &[Code::HeadMismatch, Code::ManifestMismatch, Code::AnchorConflict];

/// The faults that are listed, in file order.
pub(super) fn faults(report: &Report) -> impl Iterator<Item = &Counted> {
    report.findings.iter().filter(|counted| report.policy.class(counted.finding.code) == Class::Fault)
}

/// The listed faults of rows, each with its place.
pub(super) fn row_faults(report: &Report) -> impl Iterator<Item = (&Finding, Place)> {
    let findings = faults(report).map(|counted| &counted.finding);
    findings
        .filter(|finding| !OF_ANCHORS.contains(&finding.code))
        .filter_map(|finding| finding.place.map(|place| (finding, place)))
}

/// How many findings there are of this class, listed or not.
pub(super) fn total(report: &Report, class: Class) -> u64 {
    report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) == class).map(|(_, &count)| count).sum()
}

/// How many faults are not listed. The listed ones are the first in file order: all others lie behind them.
pub(super) fn hidden(report: &Report) -> u64 {
    total(report, Class::Fault).saturating_sub(faults(report).count() as u64)
}

/// How many findings of this code are not listed.
pub(super) fn hidden_of(report: &Report, code: Code) -> u64 {
    let listed: u64 =
        report.findings.iter().filter(|counted| counted.finding.code == code).map(|counted| counted.count).sum();
    report.finding_counts.get(&code).copied().unwrap_or(0).saturating_sub(listed)
}

/// Something is wrong with all rows alike, so that none can be called good.
pub(super) fn all_wrong(report: &Report) -> bool {
    report.told.incidents.iter().any(|incident| matches!(incident.kind, Kind::WrongKey | Kind::OtherHashing))
}

/// Rows are absent in an incident of this kind, and its numbers are theirs.
pub(super) fn is_gap(incident: &Incident) -> bool {
    matches!(incident.kind, Kind::RowsDeleted | Kind::PartMissing | Kind::BeginningCut | Kind::TailCut)
}

/// Why rows without a fault are not wholly checked; empty where they are.
///
/// A check may be incomplete for rows that have a fault or a bound of their own. Those are drawn as such.
pub(super) fn unchecked(report: &Report) -> Vec<String> {
    let listed = report.findings.iter().filter(|counted| counted.finding.code.class() != Class::Note);
    let marked: BTreeSet<_> =
        listed.filter_map(|counted| counted.finding.place).map(|place| (place.part, place.line)).collect();
    let complete = hidden(report) == 0;
    let unkeyed = report.finding_counts.contains_key(&Code::NoKey);
    let mut out = Vec::new();
    for check in report.checks.iter().filter(|check| !matches!(check.id, CheckId::Head | CheckId::Sequence)) {
        let open = check.total.saturating_sub(check.done());
        let by_key = unkeyed && check.id != CheckId::Chain;
        let explained = open == 0 || (complete && !by_key && open <= marked.len() as u64);
        if check.total == 0 || !explained {
            out.push(format!("{}: {} of {} checked", check.id.name(), grouped(check.done()), grouped(check.total)));
        }
    }
    out
}

/// What a row without a fault was checked for, as `chain, digests, signatures`.
pub(super) fn checked_for(report: &Report) -> String {
    let names = report.checks.iter().filter(|check| check.id != CheckId::Head && check.done() > 0);
    names.map(|check| check.id.name()).collect::<Vec<_>>().join(", ")
}

/// The numbers of the rows that a finding is about: its own, or those that its incident leaves between two good rows.
pub(super) fn numbers(finding: &Finding, report: &Report) -> Option<(u64, u64)> {
    if let Some(sequence) = finding.sequence {
        return Some((sequence, sequence));
    }
    let place = finding.place?;
    let around = |incident: &&Incident| {
        let (Some(first), Some(last)) = (incident.first, incident.last) else { return false };
        first <= place && place <= last && !is_gap(incident)
    };
    let incident = report.told.incidents.iter().find(around)?;
    let (before, behind) = incident.good_before.zip(incident.good_after)?;
    (before < behind).then(|| (before + 1, (before + 1).max(behind - 1)))
}

/// Whether an anchor is about the chain of this index.
pub(super) fn about(anchor: &AnchorFacts, report: &Report, chain: usize) -> bool {
    let Some(facts) = report.chains.get(chain) else { return false };
    let unnamed = report.chains.len() == 1 && (anchor.chain.is_none() || facts.id.is_none());
    unnamed || anchor.chain == facts.id
}

/// Up to which number the anchors reach in the chain of this index; `None` where none of them vouches for its end.
pub(super) fn anchored(report: &Report, chain: usize) -> Option<u64> {
    let facts = report.chains.get(chain)?;
    let of_ends = || HEAD_BOUNDS.iter().chain(OF_ANCHORS).copied();
    if of_ends().any(|code| hidden_of(report, code) > 0) {
        return None;
    }
    let single = report.chains.len() == 1;
    let of_chain = |finding: &&Finding| {
        let named = finding.chain.is_some() && facts.id.is_some();
        finding.chain == facts.id || finding.chain.is_none() || (single && !named)
    };
    let findings = report.findings.iter().map(|counted| &counted.finding).filter(of_chain);
    let mut open = findings.map(|finding| finding.code).filter(|code| of_ends().any(|end| end == *code));
    let own = || report.anchors.iter().filter(|anchor| about(anchor, report, chain));
    let good = || own().filter(|anchor| anchor.verdict.is_good());
    if own().any(|anchor| !anchor.verdict.is_good()) {
        return None;
    }
    let reached = good().filter_map(|anchor| anchor.sequence).filter(|&sequence| Some(sequence) <= facts.last_sequence);
    match open.next() {
        None if good().next().is_some() => facts.last_sequence,
        Some(Code::AfterAnchor) if open.next().is_none() => reached.max(),
        _ => None,
    }
}
