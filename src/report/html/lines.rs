//! The lane of lines: where numbers cannot tell where a row stands, or there are none. Lines are counted
//! through all files; rows of all chains stand in it as they stand in the files.

use std::collections::BTreeMap;

use super::super::Report;
use super::super::figures::{counted, grouped};
use super::geometry::{Span, partition};
use super::known;
use super::lanes::{Lane, Mark, Sign, State, anchor_mark, of, signs, told};
use crate::fact::Place;
use crate::finding::Code;
use crate::verdict::{CheckId, Status};

/// Borders between files that are drawn.
const MAX_BORDERS: usize = 200;

/// The lane of all lines.
pub(super) fn lane(report: &Report, ground: State, words: &mut Vec<String>) -> Lane {
    words.push(
        if report.chains.iter().any(|chain| chain.first_sequence.is_some()) {
            "The picture follows the lines of the files: the numbers of the rows do not tell for all of them where they stand."
        } else {
            "The picture follows the lines of the files: the rows have no numbers that can be read."
        }
        .to_owned(),
    );
    let parts = Parts::new(report);
    let (first, last) = (1, parts.total.max(1));
    let mut over: Vec<(Span, State)> = Vec::new();
    let mut marks = Vec::new();
    let mut furthest = 0;
    for (finding, place) in known::row_faults(report) {
        let at = parts.position(place);
        over.push(((at, at), State::Faulty));
        furthest = furthest.max(at);
        marks.extend(signs(finding, at));
    }
    for incident in &report.told.incidents {
        let (Some(from), Some(to)) = (incident.first, incident.last) else { continue };
        let (from, to) = (parts.position(from), parts.position(to));
        if known::is_gap(incident) {
            let told = format!("{}: {}", incident.kind.name(), counted(incident.rows, "row", "rows"));
            if !marks.iter().any(|mark: &Mark| mark.sign == Sign::Gap && (from..=to).contains(&mark.at)) {
                marks.push(Mark { at: to, sign: Sign::Gap, told });
            }
        } else if incident.faults > 0 {
            over.push(((from, to), State::Faulty));
        }
    }
    for finding in of(report, Code::DeclaredBreak) {
        let Some(place) = finding.place else { continue };
        let at = parts.position(place);
        over.push(((at, at), State::Declared));
        marks.push(Mark { at, sign: Sign::Declared, told: told(finding) });
    }
    let undrawn = known::hidden_of(report, Code::DeclaredBreak);
    if undrawn > 0 {
        words.push(format!(
            "{} not listed as findings and not drawn.",
            counted(undrawn, "declared break is", "declared breaks are")
        ));
        over.push(((first, last), State::Partly));
    }
    before(report, &parts, &mut over);
    if known::hidden(report) > 0 {
        over.push(((furthest + 1, last), State::Untold));
    }
    let anchored = anchors(report, last, &mut marks, words);
    Lane {
        name: report.chains.first().filter(|_| report.chains.len() == 1).and_then(|chain| chain.id.clone()),
        rows: report.coverage.rows,
        extent: (first, last),
        stretches: partition((first, last), ground, &over),
        gaps: Vec::new(),
        marks,
        anchored,
        last,
        borders: parts.starts.into_iter().skip(1).take(MAX_BORDERS).collect(),
    }
}

/// Rows before the chain starts.
fn before(report: &Report, parts: &Parts, over: &mut Vec<(Span, State)>) {
    if report.coverage.prechain == 0 {
        return;
    }
    let places = || of(report, Code::PrechainRows).filter_map(|finding| finding.place);
    if places().count() as u64 == report.coverage.prechain {
        over.extend(places().map(|place| parts.position(place)).map(|at| ((at, at), State::Uncovered)));
    } else {
        // Not all of them are listed. They come first; blank lines among them may only make the stretch longer.
        let blank = report.finding_counts.get(&Code::BlankLine).copied().unwrap_or(0);
        let end = report.coverage.prechain.saturating_add(blank).min(parts.total);
        over.push(((1, end.max(1)), State::Uncovered));
    }
}

/// Anchors can be placed only at the end: the lines of other rows are not in the report.
fn anchors(report: &Report, last: u64, marks: &mut Vec<Mark>, words: &mut Vec<String>) -> Option<u64> {
    let mut undrawn = 0;
    for anchor in &report.anchors {
        let of_last = match report.chains.as_slice() {
            [chain] if known::about(anchor, report, 0) => {
                let head = chain.head.as_ref() == Some(&anchor.head);
                head || (anchor.sequence.is_some() && anchor.sequence == chain.last_sequence)
            }
            _ => false,
        };
        if of_last { marks.push(anchor_mark(anchor, last, "line")) } else { undrawn += 1 }
    }
    if undrawn > 0 {
        words.push(format!(
            "{} not drawn: the line of the row that is stated is not in the report.",
            counted(undrawn, "anchor is", "anchors are")
        ));
    }
    let head = report.checks.iter().find(|check| check.id == CheckId::Head)?;
    (head.status() == Status::Passed).then_some(last)
}

/// Where the files start on the common axis.
struct Parts {
    starts: Vec<u64>,
    total: u64,
}

impl Parts {
    fn new(report: &Report) -> Self {
        let mut seen: BTreeMap<u32, u64> = BTreeMap::new();
        let places = report.findings.iter().filter_map(|counted| counted.finding.place);
        let told = report.told.incidents.iter().flat_map(|incident| [incident.first, incident.last]).flatten();
        for place in places.chain(told) {
            let line = seen.entry(place.part).or_default();
            *line = place.line.max(*line);
        }
        let blank = match report.subjects.as_slice() {
            [_] => report.finding_counts.get(&Code::BlankLine).copied().unwrap_or(0),
            _ => 0,
        };
        let (mut starts, mut total) = (Vec::new(), 0_u64);
        for (part, subject) in (0_u32..).zip(&report.subjects) {
            starts.push(total.saturating_add(1));
            // A file has as many lines as rows, and more where some are blank or hold no row.
            total = total.saturating_add(subject.rows.saturating_add(blank).max(seen.get(&part).copied().unwrap_or(0)));
        }
        Parts { starts, total }
    }

    fn position(&self, place: Place) -> u64 {
        let start = usize::try_from(place.part).ok().and_then(|part| self.starts.get(part)).copied().unwrap_or(1);
        start.saturating_add(place.line.saturating_sub(1)).clamp(1, self.total.max(1))
    }
}

/// `line 7 of the second file` is told by its number in the common count where there are several files.
pub(super) fn noun(report: &Report) -> String {
    match report.subjects.len() {
        0 | 1 => "line".to_owned(),
        files => format!("line, counted through {} files", grouped(files as u64)),
    }
}
