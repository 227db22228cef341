//! Lanes: what the picture shows, before anything is drawn. Each chain is a lane on the axis of its sequence
//! numbers. Where numbers cannot tell where a row stands, the files are one lane on the axis of their lines.
//!
//! A stretch is drawn as checked only if every listed fault has its place, no fault is touched by it, and no
//! fault that is not listed can lie in it.

use std::sync::Arc;

use super::super::figures::{counted, grouped};
use super::super::message::message;
use super::super::{AnchorFacts, AnchorVerdict, Report};
use super::geometry::{Span, partition};
use super::known;
use super::lines;
use crate::finding::{Code, Finding};

/// Lanes that are drawn.
const MAX_LANES: usize = 12;

/// What is known of the rows of a stretch, the more important the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Every check was made, and there is no fault.
    Whole,
    /// There is no fault, but a check was not made or not of all rows.
    Partly,
    /// Rows before the chain starts: nothing covers them.
    Uncovered,
    /// Faults lie here that the report does not list.
    Untold,
    /// A break that the ledger declares.
    Declared,
    /// No row carries these numbers.
    Missing,
    /// The rows have faults.
    Faulty,
}

/// What stands at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    /// A fault of any kind.
    Fault,
    /// The link to the row before does not hold.
    Break,
    /// Numbers are missing before this row, or behind it.
    Gap,
    /// Another row follows the same row.
    Fork,
    /// A break that the ledger declares.
    Declared,
    /// An anchor that states what the export shows.
    Anchor,
    /// An anchor that does not.
    AnchorDiffers,
    /// An anchor that could not be compared.
    AnchorOpen,
}

/// A sign at a position.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// The number of its row, or its line.
    pub(super) at: u64,
    /// What it is.
    pub(super) sign: Sign,
    /// What is said of it; escaped.
    pub(super) told: String,
}

/// One lane.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// The chain's name.
    pub(super) name: Option<Arc<str>>,
    /// Its rows.
    pub(super) rows: u64,
    /// The positions that are drawn, missing ones too.
    pub(super) extent: Span,
    /// What is known, in order and without overlap.
    pub(super) stretches: Vec<(Span, State)>,
    /// Positions without rows.
    pub(super) gaps: Vec<Span>,
    /// What stands at single positions.
    pub(super) marks: Vec<Mark>,
    /// The last position that an anchor reaches.
    pub(super) anchored: Option<u64>,
    /// The position of the last row.
    pub(super) last: u64,
    /// First lines of files but the first one.
    pub(super) borders: Vec<u64>,
}

/// What the positions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// Sequence numbers, in each chain its own.
    Sequence,
    /// Lines, through all files.
    Line,
}

/// All lanes.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    /// Their axis.
    pub(super) axis: Axis,
    /// Those that are drawn; none where there is no row.
    pub(super) lanes: Vec<Lane>,
    /// What a reader must know to read them, and what is not drawn.
    pub(super) words: Vec<String>,
    /// What rows without a fault were not checked for; empty where every check was made.
    pub(super) unchecked: Vec<String>,
}

/// The lanes of this report.
pub(super) fn lanes(report: &Report) -> Lanes {
    let unchecked = known::unchecked(report);
    let ground = match (known::all_wrong(report), unchecked.is_empty()) {
        (true, _) => State::Faulty,
        (false, true) => State::Whole,
        (false, false) => State::Partly,
    };
    let mut words = Vec::new();
    let (axis, mut lanes) = if report.coverage.rows == 0 {
        (Axis::Line, Vec::new())
    } else if numbered(report) {
        (Axis::Sequence, by_sequence(report, ground, &mut words))
    } else {
        (Axis::Line, vec![lines::lane(report, ground, &mut words)])
    };
    let hidden = known::hidden(report);
    if hidden > 0 {
        words.push(format!(
            "{} not listed in this report. They lie behind the last listed one, somewhere in the dotted stretches.",
            counted(hidden, "fault is", "faults are")
        ));
    }
    let placeless = known::faults(report).filter(|counted| counted.finding.place.is_none()).count();
    if placeless > 0 {
        let noun = counted(placeless as u64, "fault concerns", "faults concern");
        words.push(format!("{noun} the export as a whole and have no place in the picture."));
    }
    if report.unfinished.is_some() {
        words.push("The export was not read to its end: the picture ends where reading ended.".to_owned());
    }
    cap(&mut lanes, &mut words);
    Lanes { axis, lanes, words, unchecked }
}

/// Whether the numbers tell where every row stands that something is said of.
fn numbered(report: &Report) -> bool {
    let has = |code| report.finding_counts.contains_key(&code);
    let confused = [
        Code::SequenceBackwards,
        Code::SequenceRepeated,
        Code::SecondGenesis,
        Code::GenesisBroken,
        Code::ChainReset,
        Code::PrechainRows,
        Code::UnchainedRow,
    ];
    let ordered = report.chains.iter().all(|chain| match (chain.first_sequence, chain.last_sequence) {
        (Some(first), Some(last)) => first <= last && chain.rows <= (last - first).saturating_add(1),
        _ => false,
    });
    let told = |finding: &Finding| chain_of(finding, report).zip(known::numbers(finding, report)).is_some();
    !report.chains.is_empty()
        && ordered
        && !confused.into_iter().any(has)
        && known::row_faults(report).all(|(finding, _)| told(finding))
        && known::hidden_of(report, Code::DeclaredBreak) == 0
        && of(report, Code::DeclaredBreak).all(told)
}

pub(super) fn of(report: &Report, code: Code) -> impl Iterator<Item = &Finding> {
    report.findings.iter().map(|counted| &counted.finding).filter(move |finding| finding.code == code)
}

/// The index of a finding's chain.
fn chain_of(finding: &Finding, report: &Report) -> Option<usize> {
    match report.chains.as_slice() {
        [_] => Some(0),
        chains => chains.iter().position(|chain| chain.id == finding.chain),
    }
}

fn by_sequence(report: &Report, ground: State, words: &mut Vec<String>) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = (0..report.chains.len()).filter_map(|index| start(report, index)).collect();
    let mut over: Vec<Vec<(Span, State)>> = vec![Vec::new(); lanes.len()];
    let mut furthest: Vec<Option<u64>> = vec![None; lanes.len()];
    for (finding, _) in known::row_faults(report) {
        let (Some(chain), Some(span)) = (chain_of(finding, report), known::numbers(finding, report)) else { continue };
        let (Some(lane), Some(over), Some(furthest)) =
            (lanes.get_mut(chain), over.get_mut(chain), furthest.get_mut(chain))
        else {
            continue;
        };
        over.push((span, State::Faulty));
        *furthest = (*furthest).max(Some(span.1));
        let missing = gap(finding);
        // A gap is marked in its own middle.
        lane.marks.extend(signs(finding, span.0).map(|mark| match (mark.sign, missing) {
            (Sign::Gap, Some((first, last))) => Mark { at: first + (last - first) / 2, ..mark },
            _ => mark,
        }));
        lane.gaps.extend(missing);
    }
    for incident in &report.told.incidents {
        let chain = if lanes.len() == 1 { Some(0) } else { lanes.iter().position(|lane| lane.name == incident.chain) };
        let (Some(index), Some(span)) = (chain, incident.sequences.filter(|(first, last)| first <= last)) else {
            continue;
        };
        let (Some(lane), Some(over)) = (lanes.get_mut(index), over.get_mut(index)) else { continue };
        if known::is_gap(incident) {
            let at = span.0 + (span.1 - span.0) / 2;
            let told = format!("{}: {} to {}", incident.kind.name(), grouped(span.0), grouped(span.1));
            if !lane.gaps.contains(&span) {
                lane.marks.push(Mark { at, sign: Sign::Gap, told });
                lane.gaps.push(span);
            }
        } else if incident.first.is_some() && incident.faults > 0 {
            over.push((span, State::Faulty));
        }
    }
    for finding in of(report, Code::DeclaredBreak) {
        let (Some(chain), Some(span)) = (chain_of(finding, report), known::numbers(finding, report)) else { continue };
        if let (Some(lane), Some(over)) = (lanes.get_mut(chain), over.get_mut(chain)) {
            over.push((span, State::Declared));
            lane.marks.push(Mark { at: span.0, sign: Sign::Declared, told: told(finding) });
        }
    }
    let hidden = known::hidden(report) > 0;
    for (index, ((lane, mut over), furthest)) in lanes.iter_mut().zip(over).zip(furthest).enumerate() {
        let rows = lane.extent;
        if hidden {
            over.push(((furthest.map_or(rows.0, |last| last.saturating_add(1)), rows.1), State::Untold));
        }
        over.extend(lane.gaps.iter().map(|&gap| (gap, State::Missing)));
        lane.stretches = partition(rows, ground, &over);
        let ends = lane.stretches.first().zip(lane.stretches.last());
        lane.extent = ends.map_or(rows, |((first, _), (last, _))| (first.0, last.1));
        lane.anchored = known::anchored(report, index);
    }
    let mut undrawn = 0;
    for anchor in &report.anchors {
        undrawn += u64::from(!stand(anchor, report, &mut lanes));
    }
    if undrawn > 0 {
        words.push(format!("{} not drawn: the picture has no such row.", counted(undrawn, "anchor is", "anchors are")));
    }
    let idle = report.declared.iter().flatten().filter(|declared| !declared.excuses).count() as u64;
    if idle > 0 {
        words.push(format!(
            "{} nothing and not drawn: see the list.",
            counted(idle, "declared break that excuses", "declared breaks that excuse")
        ));
    }
    if lanes.len() > 1 {
        words.push("Each chain is drawn on a scale of its own, from its first number to its last.".to_owned());
    }
    lanes
}

/// A lane of good rows.
fn start(report: &Report, index: usize) -> Option<Lane> {
    let chain = report.chains.get(index)?;
    let (first, last) = chain.first_sequence.zip(chain.last_sequence)?;
    Some(Lane {
        name: chain.id.clone(),
        rows: chain.rows,
        extent: (first, last),
        stretches: Vec::new(),
        gaps: Vec::new(),
        marks: Vec::new(),
        anchored: None,
        last,
        borders: Vec::new(),
    })
}

/// Put an anchor on its lane; whether there is a place for it.
fn stand(anchor: &AnchorFacts, report: &Report, lanes: &mut [Lane]) -> bool {
    let index = (0..report.chains.len()).find(|&index| known::about(anchor, report, index));
    let Some((lane, chain)) = index.and_then(|index| lanes.get_mut(index).zip(report.chains.get(index))) else {
        return false;
    };
    let is_head = anchor.verdict.is_good() && chain.head.as_ref() == Some(&anchor.head);
    let at = anchor.sequence.or(if is_head { chain.last_sequence } else { None });
    match at.filter(|at| (lane.extent.0..=lane.extent.1).contains(at)) {
        Some(at) => {
            lane.marks.push(anchor_mark(anchor, at, "row"));
            true
        }
        None => false,
    }
}

/// The mark of an anchor.
pub(super) fn anchor_mark(anchor: &AnchorFacts, at: u64, noun: &str) -> Mark {
    let told = format!("{} at {noun} {}: {}", anchor.kind.name(), grouped(at), anchor.verdict.name());
    Mark { at, sign: anchor_sign(anchor), told }
}

/// How an anchor is drawn.
pub(super) fn anchor_sign(anchor: &AnchorFacts) -> Sign {
    match anchor.verdict {
        AnchorVerdict::Matches | AnchorVerdict::Consistent => Sign::Anchor,
        AnchorVerdict::Differs | AnchorVerdict::Truncated | AnchorVerdict::Rewritten => Sign::AnchorDiffers,
        AnchorVerdict::NotJudged
        | AnchorVerdict::LocalBroken
        | AnchorVerdict::WitnessBroken
        | AnchorVerdict::NoRecord => Sign::AnchorOpen,
    }
}

/// The marks of a fault.
pub(super) fn signs(finding: &Finding, at: u64) -> impl Iterator<Item = Mark> {
    let own = match finding.code {
        Code::LinkBroken | Code::GenesisBroken | Code::SecondGenesis | Code::ChainMixed => Some(Sign::Break),
        Code::SequenceGap => Some(Sign::Gap),
        Code::Fork => Some(Sign::Fork),
        _ => None,
    };
    let told = told(finding);
    [Some(Sign::Fault), own].into_iter().flatten().map(move |sign| Mark { at, sign, told: told.clone() })
}

/// The missing numbers that a gap states.
fn gap(finding: &Finding) -> Option<Span> {
    let number = |text: &Option<String>| text.as_ref()?.parse::<u64>().ok();
    let (first, next) = number(&finding.expected).zip(number(&finding.found))?;
    (finding.code == Code::SequenceGap && first < next).then(|| (first, next - 1))
}

pub(super) fn told(finding: &Finding) -> String {
    format!("{}: {}", finding.code.name(), message(finding))
}

/// Leave out lanes that there is no room for: first those that nothing is wrong with.
fn cap(lanes: &mut Vec<Lane>, words: &mut Vec<String>) {
    if lanes.len() <= MAX_LANES {
        return;
    }
    let quiet = |lane: &Lane| lane.gaps.is_empty() && lane.marks.iter().all(|mark| mark.sign > Sign::Fork);
    let mut order: Vec<(bool, usize)> = lanes.iter().enumerate().map(|(index, lane)| (quiet(lane), index)).collect();
    order.sort_unstable();
    let left = order.split_off(MAX_LANES);
    let wrong = left.iter().filter(|(quiet, _)| !quiet).count() as u64;
    let mut kept: Vec<usize> = order.into_iter().map(|(_, index)| index).collect();
    kept.sort_unstable();
    let mut index = 0;
    lanes.retain(|_| {
        index += 1;
        kept.binary_search(&(index - 1)).is_ok()
    });
    let with = if wrong > 0 { format!(", {} of them with faults", grouped(wrong)) } else { String::new() };
    words.push(format!("{} not drawn{with}.", counted(left.len() as u64, "more chain is", "more chains are")));
}
