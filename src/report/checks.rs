//! Check lines: what the text report says of each check, with its figures.
//!
//! A line gets its tick only where everything it speaks of was looked at and is good. What was not
//! looked at gets a line too, with the reason, so that nobody reads its absence as a pass.

use super::escape::{escape_cut, quote};
use super::figures::{counted, grouped, shortened};
use super::{AnchorFacts, AnchorKind, AnchorVerdict, ChainFacts, ExpectationFacts, Report, since};
use crate::finding::Code;
use crate::verdict::{Check, CheckId, Status};

/// Anchors that get a line of their own, before the rest is told in one.
const MAX_ANCHORS: usize = 8;

/// Keys that are named; a fingerprint is never cut, so that there is a limit to their number.
const MAX_KEYS: usize = 16;

/// Characters of a chain's name or of a stated head.
const MAX_NAME: usize = 64;

/// How a line came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// All looked at, all good.
    Good,
    /// Something is wrong.
    Bad,
    /// Only a part was looked at, or something limits it.
    Partly,
    /// Nothing was looked at.
    Not,
}

impl Mark {
    /// The sign before the line.
    pub fn sign(self) -> char {
        match self {
            Mark::Good => '✓',
            Mark::Bad => '✗',
            Mark::Partly => '!',
            Mark::Not => '–',
        }
    }
}

/// One line about a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How it came out.
    pub mark: Mark,
    /// What is said, without mark; escaped.
    pub text: String,
}

impl Line {
    fn new(mark: Mark, text: impl Into<String>) -> Self {
        Line { mark, text: text.into() }
    }
}

/// The lines on chain and digests, signatures, sequence, head and expectations, in this order.
pub fn lines(report: &Report) -> Vec<Line> {
    let mut out = vec![chain(report)];
    out.extend(since::line(report));
    if let Some(check) = find(report, CheckId::Signatures) {
        out.push(signatures(report, check));
        out.extend(idle_keys(report));
    }
    if let Some(check) = find(report, CheckId::Sequence) {
        out.push(sequence(report, check));
    }
    if let Some(check) = find(report, CheckId::Head) {
        heads(report, check, &mut out);
    }
    out.extend(report.expectations.iter().map(expectation));
    out
}

/// How an expectation came out.
pub(super) fn status_of(met: Option<bool>) -> Status {
    match met {
        Some(true) => Status::Passed,
        Some(false) => Status::Failed,
        None => Status::NotChecked,
    }
}

/// `expected span 2026-01-01..2026-03-31: met (2026-01-01T09:00:00Z..2026-03-31T15:00:00Z)`.
fn expectation(expectation: &ExpectationFacts) -> Line {
    let stated = format!("expected {} {}", expectation.member, quote(&expectation.expected, MAX_NAME));
    let found = expectation.found.as_deref().map(|found| escape_cut(found, 2 * MAX_NAME));
    match (expectation.met, found) {
        (Some(true), Some(found)) if expectation.found.as_ref() != Some(&expectation.expected) => {
            Line::new(Mark::Good, format!("{stated}: met ({found})"))
        }
        (Some(true), _) => Line::new(Mark::Good, format!("{stated}: met")),
        (Some(false), Some(found)) => Line::new(Mark::Bad, format!("{stated}: not met ({found})")),
        (Some(false), None) => Line::new(Mark::Bad, format!("{stated}: not met (no row has a time stamp)")),
        (None, _) => Line::new(Mark::Not, format!("{stated}: not checked: the export was not read to its end")),
    }
}

fn find(report: &Report, id: CheckId) -> Option<&Check> {
    report.checks.iter().find(|check| check.id == id)
}

/// Which line a fault speaks against.
fn check_of(code: Code) -> Option<CheckId> {
    Some(match code {
        Code::SignatureMissing
        | Code::SignatureMalformed
        | Code::SignatureAlgorithm
        | Code::SignatureInvalid
        | Code::UnknownKey => CheckId::Signatures,
        Code::SequenceGap | Code::SequenceRepeated | Code::SequenceBackwards => CheckId::Sequence,
        Code::HeadMismatch | Code::ManifestMismatch | Code::AnchorConflict => CheckId::Head,
        // They have lines of their own.
        Code::PrefixChanged | Code::ExpectationFailed => return None,
        // Faults that keep a row from being read keep it from being a good link as well.
        code if code < Code::NoKey => CheckId::Chain,
        _ => return None,
    })
}

/// `2 link-broken, 1 fork`: the faults of a line; gaps are told in words there.
fn figures(report: &Report, id: CheckId) -> String {
    let of_line =
        report.finding_counts.iter().filter(|&(&code, _)| check_of(code) == Some(id) && code != Code::SequenceGap);
    of_line.map(|(code, &count)| format!("{} {}", grouped(count), code.name())).collect::<Vec<_>>().join(", ")
}

/// Chain and digests share a line: links over wrong digests are no intact chain.
fn chain(report: &Report) -> Line {
    let entries = counted(report.coverage.rows, "entry", "entries");
    let faults = figures(report, CheckId::Chain);
    let checks = [find(report, CheckId::Chain), find(report, CheckId::Digests)];
    let failed = checks.iter().flatten().any(|check| check.status() == Status::Failed);
    if failed || !faults.is_empty() {
        return Line::new(Mark::Bad, with_faults(&format!("{entries}, chain not intact"), &faults));
    }
    if checks.iter().flatten().count() > 0 && checks.iter().flatten().all(|check| check.status() == Status::Passed) {
        if let Some(but) = open_ends(report) {
            return Line::new(Mark::Partly, format!("{entries}, chain intact but for {but}"));
        }
        return match report.chains.len() {
            0 | 1 => Line::new(Mark::Good, format!("{entries}{}, chain intact", later_start(report))),
            chains => Line::new(Mark::Good, format!("{entries} in {} chains, all intact", grouped(chains as u64))),
        };
    }
    if report.coverage.rows == 0 {
        return Line::new(Mark::Not, format!("{entries}, chain not checked: there is no row"));
    }
    let part = |check: Option<&Check>, what: &str| match check {
        Some(check) => format!(", {} of {} {what}", grouped(check.done()), grouped(check.total)),
        None => String::new(),
    };
    let [links, digests] = checks;
    let text = format!("{entries}{}{}", part(links, "in the chain"), part(digests, "digests checked"));
    let some = checks.iter().flatten().any(|check| check.checked > 0);
    Line::new(if some { Mark::Partly } else { Mark::Not }, text)
}

/// `2 rows before it starts and 1 declared break`: what the chain does not hold together, and no fault.
fn open_ends(report: &Report) -> Option<String> {
    let ends = [
        (report.coverage.prechain, "row before it starts", "rows before it starts"),
        (report.coverage.declared, "declared break", "declared breaks"),
    ];
    let ends: Vec<String> =
        ends.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| counted(count, one, many)).collect();
    (!ends.is_empty()).then(|| ends.join(" and "))
}

/// ` from sequence 8`: where a pin vouches for what stood before the first row, and no bound tells of it.
fn later_start(report: &Report) -> String {
    let [ChainFacts { first_sequence: Some(first), .. }] = report.chains.as_slice() else { return String::new() };
    let states_predecessor = |anchor: &AnchorFacts| {
        let behind = anchor.sequence.is_some_and(|sequence| sequence < *first);
        anchor.kind == AnchorKind::Head && anchor.verdict == AnchorVerdict::Matches && behind
    };
    match report.anchors.iter().any(states_predecessor) || report.finding_counts.contains_key(&Code::PartialStart) {
        true => format!(" from sequence {first}"),
        false => String::new(),
    }
}

fn signatures(report: &Report, check: &Check) -> Line {
    let valid: u64 = report.keys.iter().map(|key| key.rows).sum();
    let by = signers(report);
    let faults = figures(report, CheckId::Signatures);
    match check.status() {
        Status::Failed => {
            let text = format!("{} of {} signatures valid{by}", grouped(valid), grouped(check.total));
            Line::new(Mark::Bad, with_faults(&text, &faults))
        }
        Status::Passed => {
            let text = format!("{} valid{by}", counted(check.checked, "signature", "signatures"));
            Line::new(Mark::Good, format!("{text}{}", vouched(report, check)))
        }
        Status::NotChecked if check.checked > 0 => Line::new(
            Mark::Partly,
            format!(
                "{} of {} signatures checked and valid{by}{}",
                grouped(check.checked),
                grouped(check.total),
                vouched(report, check)
            ),
        ),
        Status::NotChecked => {
            let reason = if report.finding_counts.contains_key(&Code::NoKey) {
                "no key was given"
            } else if report.coverage.rows == 0 {
                "there is no row"
            } else {
                "no row has one that can be checked"
            };
            Line::new(Mark::Not, format!("signatures not checked: {reason}"))
        }
    }
}

/// `; 18,302 vouched for by report sha256:4c1f…`.
fn vouched(report: &Report, check: &Check) -> String {
    match (&report.since, check.vouched) {
        (Some(since), 1..) => format!("; {} {}", grouped(check.vouched), since.by()),
        _ => String::new(),
    }
}

/// ` (acme, SHA256:…)`: who signed. With several keys each one says how many rows are its.
fn signers(report: &Report) -> String {
    let used: Vec<_> = report.keys.iter().filter(|key| key.rows > 0).collect();
    let mut parts = Vec::new();
    if let [ChainFacts { id: Some(id), .. }] = report.chains.as_slice() {
        parts.push(quote(id, MAX_NAME).into_owned());
    }
    let several = used.len() > 1 || report.chains.len() > 1;
    for key in used.iter().take(MAX_KEYS) {
        let bound = match (&key.id, several) {
            (Some(id), true) => format!("{} ", quote(id, MAX_NAME)),
            _ => String::new(),
        };
        let rows = if used.len() > 1 { format!(" {}", counted(key.rows, "row", "rows")) } else { String::new() };
        parts.push(format!("{bound}{}{rows}", key.fingerprint));
    }
    if used.len() > MAX_KEYS {
        parts.push(format!("and {} more keys", grouped((used.len() - MAX_KEYS) as u64)));
    }
    if used.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

/// Keys that were given and verified nothing: a reader must not take them for signers.
fn idle_keys(report: &Report) -> Vec<Line> {
    let signed_before = |key: &super::KeyFacts| {
        let mut before = report.since.iter().flat_map(|since| &since.keys);
        before.any(|known| known.fingerprint == key.fingerprint && known.id == key.id)
    };
    let idle: Vec<_> = report.keys.iter().filter(|key| key.rows == 0 && !signed_before(key)).collect();
    let mut out: Vec<Line> = idle
        .iter()
        .take(MAX_KEYS)
        .map(|key| Line::new(Mark::Partly, format!("key {} verified 0 rows", key.fingerprint)))
        .collect();
    if idle.len() > MAX_KEYS {
        let more = grouped((idle.len() - MAX_KEYS) as u64);
        out.push(Line::new(Mark::Partly, format!("{more} more keys verified 0 rows")));
    }
    out
}

fn sequence(report: &Report, check: &Check) -> Line {
    let gaps = report.finding_counts.get(&Code::SequenceGap).copied().unwrap_or(0);
    let told = format!("{} detected", counted(gaps, "gap", "gaps"));
    let faults = figures(report, CheckId::Sequence);
    if check.status() == Status::Failed || gaps > 0 || !faults.is_empty() {
        return Line::new(Mark::Bad, with_faults(&told, &faults));
    }
    match check.status() {
        Status::Passed => Line::new(Mark::Good, told),
        _ if check.checked > 0 => {
            let part = format!("{} of {} sequence numbers", grouped(check.checked), grouped(check.total));
            Line::new(Mark::Partly, format!("{told} in {part}"))
        }
        _ if report.coverage.rows == 0 => Line::new(Mark::Not, "gaps not checked: there is no row"),
        _ => Line::new(Mark::Not, "gaps not checked: no row has a sequence number that can be read"),
    }
}

fn heads(report: &Report, check: &Check, out: &mut Vec<Line>) {
    out.extend(report.anchors.iter().take(MAX_ANCHORS).map(|anchor| head(report, anchor)));
    if let Some(rest) = report.anchors.get(MAX_ANCHORS..).filter(|rest| !rest.is_empty()) {
        let good = rest.iter().filter(|anchor| anchor.verdict.is_good()).count();
        let mark = if good == rest.len() { Mark::Good } else { Mark::Bad };
        let (good, all) = (grouped(good as u64), grouped(rest.len() as u64));
        out.push(Line::new(mark, format!("{good} of {all} more anchors match")));
    }
    if check.status() == Status::Failed && !out.iter().any(|line| line.mark == Mark::Bad) {
        out.push(Line::new(Mark::Bad, with_faults("the anchors do not fit", &figures(report, CheckId::Head))));
    }
    if check.status() != Status::NotChecked {
        return;
    }
    if report.anchors.is_empty() {
        let reason = if report.coverage.rows == 0 { "there is no row" } else { "no manifest and no head was given" };
        out.push(Line::new(Mark::Not, format!("head not checked: {reason}")));
    } else if check.total > 1 {
        let part = format!("{} of {} heads are anchored", grouped(check.checked), grouped(check.total));
        out.push(Line::new(Mark::Partly, part));
    } else if report.finding_counts.contains_key(&Code::ManifestUnsigned) {
        out.push(Line::new(Mark::Partly, "no key vouches for the manifest: it was only found beside the export"));
    } else if report.anchors.iter().all(|anchor| anchor.verdict.is_good()) {
        out.push(Line::new(Mark::Partly, "no anchor states the head of the last row"));
    }
}

fn head(report: &Report, anchor: &AnchorFacts) -> Line {
    let stated = short(&anchor.head);
    let of = match (&anchor.chain, report.chains.len()) {
        (Some(chain), 2..) => format!(" of {}", quote(chain, MAX_NAME)),
        _ => String::new(),
    };
    let what = describe(anchor);
    match anchor.verdict {
        AnchorVerdict::Matches | AnchorVerdict::Consistent => {
            let at = match (anchor.kind, anchor.sequence, anchor.rows) {
                (AnchorKind::Head, Some(sequence), _) => format!(" at sequence {sequence}"),
                (_, _, Some(rows)) => format!(" at row {}", grouped(rows)),
                _ => String::new(),
            };
            Line::new(Mark::Good, format!("head {stated}{of}{at} matches {what}"))
        }
        AnchorVerdict::Truncated | AnchorVerdict::Rewritten => {
            let text = format!("the export{of} is {}, says {what}", anchor.verdict.name());
            Line::new(Mark::Bad, with_faults(&text, &figures(report, CheckId::Head)))
        }
        AnchorVerdict::LocalBroken => {
            Line::new(Mark::Not, format!("not compared with {what}: the export itself has faults"))
        }
        AnchorVerdict::WitnessBroken => {
            Line::new(Mark::Not, format!("not compared with {what}: its own chain is broken"))
        }
        AnchorVerdict::NoRecord => Line::new(Mark::Not, format!("{what} has no pin of this ledger")),
        AnchorVerdict::Differs => match export_head(report, anchor) {
            // A manifest can differ in something else than the head.
            Some(found) if report.finding_counts.contains_key(&Code::HeadMismatch) && *found != anchor.head => {
                Line::new(Mark::Bad, format!("head {}{of} differs from {what}, which states {stated}", short(found)))
            }
            _ => {
                let text = format!("the export{of} differs from {what}");
                Line::new(Mark::Bad, with_faults(&text, &figures(report, CheckId::Head)))
            }
        },
        AnchorVerdict::NotJudged => {
            Line::new(Mark::Not, format!("head {stated}{of} of {what} cannot be compared with the rows that were read"))
        }
    }
}

/// `manifest (signed, as of 2026-08-31)`: the anchor, whether something vouches for it, its date.
fn describe(anchor: &AnchorFacts) -> String {
    let mut facts = Vec::new();
    if anchor.kind.name() == "manifest" {
        facts.push(if anchor.signed { "signed" } else { "not signed" }.to_owned());
    }
    if anchor.kind == AnchorKind::Sidecar && !anchor.signed {
        facts.push("found beside the export".to_owned());
    }
    if let Some(witness) = &anchor.witness {
        facts.push(format!("namespace {}", quote(&witness.namespace, MAX_NAME)));
        facts.push(format!("its own chain {}", witness.self_integrity));
    }
    if let Some(date) = &anchor.exported_at {
        facts.push(format!("as of {}", day(date)));
    }
    let name = match anchor.kind {
        AnchorKind::Head => "--head",
        AnchorKind::Witness => "the witness",
        AnchorKind::Manifest | AnchorKind::Sidecar => "manifest",
    };
    if facts.is_empty() { name.to_owned() } else { format!("{name} ({})", facts.join(", ")) }
}

/// The day of an RFC 3339 time; any other text as it is.
fn day(time: &str) -> String {
    match time.split_once('T') {
        Some((day, _)) if day.len() == 10 && day.bytes().all(|b| b.is_ascii_digit() || b == b'-') => day.to_owned(),
        _ => escape_cut(time, 32).into_owned(),
    }
}

fn export_head<'a>(report: &'a Report, anchor: &AnchorFacts) -> Option<&'a String> {
    let chain = match report.chains.as_slice() {
        [only] => Some(only),
        chains => chains.iter().find(|chain| chain.id == anchor.chain),
    };
    chain?.head.as_ref()
}

fn short(digest: &str) -> String {
    shortened(digest).unwrap_or_else(|| escape_cut(digest, MAX_NAME).into_owned())
}

fn with_faults(text: &str, faults: &str) -> String {
    if faults.is_empty() { text.to_owned() } else { format!("{text}: {faults}") }
}
