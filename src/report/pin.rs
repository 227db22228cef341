//! Pins: decides whether a report vouches for heads that its reader may rely on next time, and writes
//! them as `--head` takes them.
//!
//! A pin is given with exit code 0 and with no other: it is made to be trusted later, when nobody
//! looks at the report that it came from. What an audit leaves open a pin does not close.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::quote;
use super::identity::{optional, report_id, text as shown};
use super::{ChainFacts, Report};
use crate::finding::{Class, Code};
use crate::verdict::Verdict;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.head/v1";

/// Bounds that do not hinder a pin: they say that the head is not anchored, which a pin is there to lift.
pub const LIFTED: [Code; 3] = [Code::NoAnchor, Code::ManifestUnsigned, Code::AfterAnchor];

/// Characters of a chain's name.
const MAX_NAME: usize = 256;

/// The exit code: that of the audit, but never 0 without a pin.
pub fn exit_code(report: &Report) -> u8 {
    match (refused(report), report.verdict.exit_code()) {
        (Some(_), 0) => 3,
        (_, code) => code,
    }
}

/// Why there is no pin.
fn refused(report: &Report) -> Option<String> {
    let whole = || report.chains.iter().all(|chain| chain.head.is_some()) && !report.chains.is_empty();
    match report.verdict {
        Verdict::Broken { .. } => Some("the ledger is broken".to_owned()),
        Verdict::Bounded { open: true } => {
            let open: Vec<&str> = bounds(report).filter(|&code| !report.policy.accepts(code)).map(Code::name).collect();
            Some(match open.as_slice() {
                [] => "not everything was checked".to_owned(),
                // It cannot be accepted.
                open if open.contains(&Code::Empty.name()) => "the export holds no row".to_owned(),
                open => format!("bounded by {}: lift or accept each (--accept)", open.join(", ")),
            })
        }
        _ if whole() => None,
        _ => Some("a chain has no head that can be recomputed".to_owned()),
    }
}

/// The bounds of the audit.
fn bounds(report: &Report) -> impl Iterator<Item = Code> {
    report.finding_counts.keys().copied().filter(|&code| report.policy.class(code) == Class::Bound)
}

/// Bounds that were accepted, beyond those that a pin lifts: it vouches no more than the audit there.
fn left_open(report: &Report) -> Vec<&'static str> {
    bounds(report).filter(|code| !LIFTED.contains(code)).map(Code::name).collect()
}

/// The chains with their pins; none where they are refused.
fn pins(report: &Report) -> impl Iterator<Item = (String, &ChainFacts)> {
    let given = refused(report).is_none();
    let pin = |chain: &ChainFacts| -> Option<String> {
        let head = chain.head.as_deref()?;
        if let Some(line) = &chain.pin {
            return Some(line.clone());
        }
        Some(chain.last_sequence.map_or_else(|| head.to_owned(), |sequence| format!("{head}@{sequence}")))
    };
    report.chains.iter().filter(move |_| given).filter_map(move |chain| Some((pin(chain)?, chain)))
}

/// The pin alone, or with several chains one a line, with the chain's name behind it.
pub fn text(report: &Report) -> String {
    let line = |(pin, chain): (String, &ChainFacts)| match (&chain.id, report.chains.len()) {
        (Some(name), 2..) => format!("{pin}  {}\n", quote(name, MAX_NAME)),
        _ => format!("{pin}\n"),
    };
    pins(report).map(line).collect()
}

/// What must be said beside the pins: why there is none, or what they do not vouch for.
///
/// # Errors
///
/// Those of `out`.
pub fn write_remark(report: &Report, out: &mut impl Write) -> io::Result<()> {
    match (refused(report), left_open(report).as_slice()) {
        (Some(why), _) => writeln!(out, "no pin: {why}"),
        (None, []) => Ok(()),
        (None, open) => writeln!(out, "the pin does not vouch for what {} leaves open", open.join(", ")),
    }
}

/// The JSON form, with a line end.
pub fn json(report: &Report) -> String {
    let exported_at = |chain: &ChainFacts| {
        let manifests = report.anchors.iter().filter(|anchor| anchor.chain == chain.id);
        manifests.filter_map(|anchor| anchor.exported_at.as_deref()).next()
    };
    let pin = |(pin, chain): (String, &ChainFacts)| {
        json!({
            "pin": shown(&pin),
            "chain": optional(chain.id.as_deref()),
            "head": optional(chain.head.as_deref()),
            "sequence": chain.last_sequence,
            "rows": chain.rows,
            "last_time": optional(chain.last_time.as_deref()),
            "exported_at": optional(exported_at(chain)),
        })
    };
    let subject = |subject: &super::Subject| json!({ "name": shown(&subject.name), "bytes": subject.bytes, "sha256": subject.sha256, "rows": subject.rows });
    let value = json!({
        "schema": SCHEMA,
        "verdict": report.verdict.word(),
        "exit_code": exit_code(report),
        "report_id": report_id(report),
        "pins": pins(report).map(pin).collect::<Vec<Value>>(),
        "refused": refused(report),
        "left_open": left_open(report),
        "finding_counts": report.finding_counts.iter().map(|(code, &count)| (code.name().to_owned(), count.into()))
            .collect::<serde_json::Map<String, Value>>(),
        "subject": report.subjects.iter().map(subject).collect::<Vec<Value>>(),
        "profile": { "name": shown(&report.profile.name), "sha256": report.profile.sha256 },
        "finished": report.environment.finished,
    });
    format!("{value:#}\n")
}
