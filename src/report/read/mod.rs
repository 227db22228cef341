//! Reading back: decides whether a JSON text is a report that this version can show in full, and makes the
//! model of it again.
//!
//! The report id is derived anew from the members that it covers. What it does not cover is believed: who
//! changes that, or writes a whole report with an id that fits, cannot be told from the program. Only the id
//! that was cited elsewhere shows it. What is prose (messages, stories, limits) is made anew from the facts.

mod agrees;
mod members;
mod words;

use std::collections::BTreeMap;

use serde_json::Value;

use super::identity::{SCHEMA, derived};
use super::limits::limits;
use super::since::{Before, Signer, SinceFacts};
use super::{
    AnchorFacts, ChainFacts, Code, Counted, Coverage, DeclaredFacts, Environment, ExpectationFacts, Folder,
    FormatFacts, KeyFacts, Left, Policy, ProfileFacts, Report, Sidecar, Subject, Taken, Told,
};
use crate::fact::{Place, Sequence, WitnessFacts};
use crate::finding::{Class, Finding, Tally};
use crate::incident::{Detail, Incident};
use crate::stop::{Stop, StopCode};
use crate::verdict::{Check, Status, Verdict, judge};
use members::Members;
use words::Unknown;

/// What a JSON report turns out to be.
#[derive(Clone, Debug)]
pub enum ReadBack {
    /// Its id is right.
    Whole {
        /// The report.
        report: Box<Report>,
        /// Its id.
        id: String,
    },
    /// It was changed after it was written: it has another id than it states.
    Altered {
        /// The id that it states.
        stated: String,
        /// The id that it has.
        found: String,
    },
}

impl ReadBack {
    /// The report with its id.
    ///
    /// # Errors
    ///
    /// A stop for one that was changed, by this name.
    pub fn whole(self, name: &str) -> Result<(Report, String), Stop> {
        match self {
            ReadBack::Whole { report, id } => Ok((*report, id)),
            ReadBack::Altered { stated, found } => Err(Stop::new(
                StopCode::Report,
                format!("{name}: the report was changed after it was written: it states {stated} and has {found}"),
            )
            .hint("ask for the report as it was written, or verify the export again")),
        }
    }
}

/// The report that this text is; `name` is the file's, for stops.
///
/// # Errors
///
/// A stop for a text that is no report of this schema, or holds what this version does not know.
pub fn read(text: &str, name: &str) -> Result<ReadBack, Stop> {
    let value: Value = serde_json::from_str(text).map_err(|why| refused(name, &format!("no JSON text: {why}")))?;
    is_a_report(&value, name)?;
    let members: Members = serde_json::from_str(text).map_err(|why| {
        refused(name, &format!("no report that this version can show: {why}"))
            .hint("show it with the version that wrote it, which environment.tool names")
    })?;
    let stated = value.get("report_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let found = derived(&value);
    if stated != found {
        return Ok(ReadBack::Altered { stated, found });
    }
    let agrees = |report: Report| match agrees::contradiction(&report) {
        None => Ok(report),
        Some(what) => Err(Wrong::Contradiction(what)),
    };
    let report = are_in_range(&value).and_then(|()| report(members)).and_then(agrees);
    let report = report.map_err(|wrong| refused(name, &wrong.to_string()))?;
    Ok(ReadBack::Whole { report: Box::new(report), id: found })
}

/// Why a report cannot be read.
enum Wrong {
    /// A word that this version does not write.
    Word(String),
    /// It contradicts itself.
    Contradiction(&'static str),
    /// It has no digest of a file that it is of.
    NoDigest,
}

impl From<Unknown> for Wrong {
    fn from(word: Unknown) -> Self {
        Wrong::Word(word)
    }
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Word(word) => write!(f, "no report that this version can show: it says {word:?}"),
            Wrong::NoDigest => f.write_str("the report has no digest of its file (--subject-digest none)"),
            Wrong::Contradiction(what) => write!(f, "the report contradicts itself: {what}"),
        }
    }
}

fn refused(name: &str, why: &str) -> Stop {
    Stop::new(StopCode::Report, format!("{name}: {why}"))
        .hint("give the JSON report of one ledger, as --json or --report json=FILE writes it")
}

/// Whether it is a report at all, and of this schema.
fn is_a_report(value: &Value, name: &str) -> Result<(), Stop> {
    let Value::Object(members) = value else {
        let what = if value.is_array() { "the reports of several ledgers (--each)" } else { "no JSON object" };
        return Err(refused(name, &format!("this is {what}, where one report is wanted")));
    };
    match members.get("schema").and_then(Value::as_str) {
        Some(SCHEMA) if members.contains_key("stop") => {
            Err(refused(name, "this is no report: that run came to no verdict"))
        }
        Some(SCHEMA) => Ok(()),
        Some(other) => Err(refused(name, &format!("its schema is {other}, where {SCHEMA} is wanted"))),
        None => Err(refused(name, &format!("it names no schema, where {SCHEMA} is wanted"))),
    }
}

/// Whether all numbers are exact integers, and every place is in one of the parts: whoever shows them adds
/// them up and looks there.
fn are_in_range(value: &Value) -> Result<(), Wrong> {
    let parts = value.get("subject").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let part = |name: &str| members.get(name).and_then(Value::as_u64);
                let order = members.get("order").and_then(Value::as_array);
                let order = order.into_iter().flatten().filter_map(Value::as_u64);
                let mut places = [part("part"), part("last_part")].into_iter().flatten().chain(order);
                if places.any(|part| part >= parts) {
                    return Err(Wrong::Contradiction("a place is in none of the files"));
                }
                open.extend(members.values());
            }
            Value::Number(number) if number.as_u64().is_none_or(|number| number > Sequence::MAX) => {
                return Err(Wrong::Contradiction("a number is out of range"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn report(members: Members) -> Result<Report, Wrong> {
    let Members { profile, details, untold, .. } = members;
    let format = details.profile;
    let finding_counts = counts(members.finding_counts)?;
    let accepted = members.accepted.iter().map(|word| words::code(word)).collect::<Result<Vec<Code>, Unknown>>()?;
    let policy = Policy { accepted, strict: members.strict };
    let checks = members.checks.into_iter().map(check).collect::<Result<Vec<Check>, Wrong>>()?;
    let coverage = coverage(members.coverage);
    let verdict = verdict((&members.verdict, members.exit_code), &finding_counts, &policy, coverage.rows, &checks)?;
    if members.unfinished != members.unfinished_reason.is_some() {
        return Err(Wrong::Contradiction("whether it is unfinished, and why"));
    }
    let findings = members.findings.into_iter().map(finding).collect::<Result<Vec<Counted>, Wrong>>()?;
    are_counted(&findings, &finding_counts, &policy, &members.findings_digest)?;
    let incidents = members.incidents.into_iter().map(incident).collect::<Result<Vec<Incident>, Wrong>>()?;
    let mut report = Report {
        verdict,
        subjects: members.subject.into_iter().map(subject).collect::<Result<_, _>>()?,
        profile: ProfileFacts {
            name: profile.name,
            source: words::source(&profile.source)?,
            sha256: profile.sha256,
            in_document: format.in_document,
            recipe: profile.recipe,
            default_recipe: format.default_recipe,
            format: FormatFacts {
                home: format.home,
                sha1: format.sha1,
                links_only: format.links_only,
                partly_signed: format.partly_signed,
                reprints: format.reprints,
            },
        },
        keys: members.keys.into_iter().map(key).collect::<Result<Vec<KeyFacts>, Wrong>>()?,
        anchors: members.anchors.into_iter().map(anchor).collect::<Result<Vec<AnchorFacts>, Wrong>>()?,
        expectations: members.expectations.into_iter().map(expectation).collect::<Result<Vec<_>, Wrong>>()?,
        since: members.since.map(since).transpose()?,
        declared: members.declared_breaks.map(|list| declared(list, details.declared_breaks)).transpose()?,
        coverage,
        chains: chains(members.chains, details.chains)?,
        checks,
        findings,
        finding_counts,
        findings_digest: members.findings_digest,
        told: Told { incidents, more: untold.incidents, unexplained: untold.faults },
        policy,
        unfinished: members.unfinished_reason,
        limits: Vec::new(),
        environment: environment(members.environment),
    };
    report.limits = limits(&report);
    Ok(report)
}

fn counts(counts: BTreeMap<String, u64>) -> Result<BTreeMap<Code, u64>, Wrong> {
    counts.into_iter().map(|(word, count)| Ok((words::code(&word)?, count))).collect()
}

/// The verdict that the counts and checks lead to, which must be the one that is stated.
fn verdict(
    stated: (&str, u8),
    counts: &BTreeMap<Code, u64>,
    policy: &Policy,
    rows: u64,
    checks: &[Check],
) -> Result<Verdict, Wrong> {
    let verdict = judge(counts, policy, rows, checks);
    match (verdict.word(), verdict.exit_code()) == stated {
        true => Ok(verdict),
        false => Err(Wrong::Contradiction("its findings and checks lead to another verdict")),
    }
}

/// Whether the listed findings can be those that were counted: where all of them are listed, and as they were
/// found, the digest over them is the one that the id covers.
fn are_counted(findings: &[Counted], counts: &BTreeMap<Code, u64>, policy: &Policy, digest: &str) -> Result<(), Wrong> {
    let mut listed: BTreeMap<Code, u64> = BTreeMap::new();
    let mut tally = Tally::new(policy.clone(), 0);
    let mut as_found = true;
    for Counted { finding, count } in findings {
        let known = listed.entry(finding.code).or_default();
        *known = known.saturating_add(*count);
        if finding.code.class() == Class::Note {
            continue;
        }
        let texts = [finding.chain.as_deref(), finding.member.as_deref()];
        let texts = texts.into_iter().chain([finding.expected.as_deref(), finding.found.as_deref()]).flatten();
        // What was escaped or cut is not what the digest is of.
        as_found &= texts.into_iter().all(|text| !text.contains(['\\', '…']));
        tally.push(finding.clone());
    }
    if listed.iter().any(|(code, count)| counts.get(code).is_none_or(|all| count > all)) {
        return Err(Wrong::Contradiction("more findings are listed than were counted"));
    }
    let whole = |(code, count): (&Code, &u64)| code.class() == Class::Note || listed.get(code) == Some(count);
    if as_found && counts.iter().all(whole) && tally.finish().1 != digest {
        return Err(Wrong::Contradiction("the listed findings are not those that its findings_digest is of"));
    }
    Ok(())
}

fn check(check: members::Check) -> Result<Check, Wrong> {
    let failed = words::status(&check.status)? == Status::Failed;
    let vouched = check.vouched.unwrap_or(0);
    let id = words::check_id(&check.id)?;
    let read = Check { id, checked: check.checked, vouched, total: check.total, failed };
    match read.status().name() == check.status && read.done() <= read.total {
        true => Ok(read),
        false => Err(Wrong::Contradiction("a check has another status than its figures")),
    }
}

fn since(since: members::Since) -> Result<SinceFacts, Wrong> {
    Ok(SinceFacts {
        report_id: since.report_id,
        verdict: words::vouching(&since.verdict)?,
        bounds: since.bounds.iter().map(|word| words::code(word)).collect::<Result<Vec<Code>, Unknown>>()?,
        subjects: since
            .subject
            .into_iter()
            .map(|members::Before { bytes, sha256, rows }| Before { bytes, sha256, rows })
            .collect(),
        holds: since.holds,
        digests: since.digests,
        signatures: since.signatures,
        keys: since
            .keys
            .into_iter()
            .map(|members::Signer { id, fingerprint, rows }| Signer { id, fingerprint, rows })
            .collect(),
        through: since.through,
    })
}

fn coverage(coverage: members::Coverage) -> Coverage {
    Coverage {
        rows: coverage.rows,
        chained: coverage.chained,
        prechain: coverage.prechain,
        declared: coverage.declared,
        digests: coverage.digests,
        signatures: coverage.signatures,
        first_sequence: coverage.first_sequence,
        last_sequence: coverage.last_sequence,
        first_time: coverage.first_time,
        last_time: coverage.last_time,
        uncovered: coverage.uncovered.into_iter().map(Into::into).collect(),
    }
}

fn subject(subject: members::Subject) -> Result<Subject, Wrong> {
    let members::Subject { name, bytes, sha256, rows, sidecar } = subject;
    let sidecar = sidecar.map(|members::Sidecar { name, bytes, sha256 }| {
        Ok::<_, Wrong>(Sidecar { name, bytes, sha256: sha256.ok_or(Wrong::NoDigest)? })
    });
    Ok(Subject { name, bytes, sha256: sha256.ok_or(Wrong::NoDigest)?, rows, sidecar: sidecar.transpose()? })
}

fn key(key: members::Key) -> Result<KeyFacts, Wrong> {
    let algorithm = words::algorithm(&key.algorithm)?;
    Ok(KeyFacts { id: key.id, algorithm, fingerprint: key.fingerprint, rows: key.rows })
}

fn anchor(anchor: members::Anchor) -> Result<AnchorFacts, Wrong> {
    let witness = match (anchor.namespace, anchor.self_integrity, anchor.pins) {
        (Some(namespace), Some(integrity), Some(pins)) => {
            Some(WitnessFacts { namespace, self_integrity: words::integrity(&integrity)?, pins })
        }
        (None, None, None) => None,
        _ => return Err(Wrong::Contradiction("an anchor is half a witness")),
    };
    Ok(AnchorFacts {
        kind: words::anchor_kind(&anchor.kind, anchor.named)?,
        verdict: words::anchor_verdict(&anchor.verdict)?,
        signed: anchor.signed,
        chain: anchor.chain.map(Into::into),
        sequence: anchor.sequence,
        rows: anchor.rows,
        head: anchor.head,
        exported_at: anchor.exported_at,
        witness,
    })
}

fn expectation(expectation: members::Expectation) -> Result<ExpectationFacts, Wrong> {
    let met = match words::status(&expectation.status)? {
        Status::Passed => Some(true),
        Status::Failed => Some(false),
        Status::NotChecked => None,
    };
    let member = words::expected(&expectation.member)?;
    Ok(ExpectationFacts { member, expected: expectation.expected, found: expectation.found, met })
}

fn declared(list: Vec<members::Declared>, spots: Vec<members::Spot>) -> Result<Vec<DeclaredFacts>, Wrong> {
    if list.len() != spots.len() {
        return Err(Wrong::Contradiction("details are not of as many declared breaks"));
    }
    let facts = |(declared, spot): (members::Declared, members::Spot)| DeclaredFacts {
        place: Place { part: declared.part, line: declared.line, offset: spot.offset, length: spot.length },
        line: declared.of_line,
        why: declared.why,
        pin_holds: declared.pin_holds,
        excuses: declared.excuses,
    };
    Ok(list.into_iter().zip(spots).map(facts).collect())
}

fn chains(list: Vec<members::Chain>, details: Vec<members::ChainDetails>) -> Result<Vec<ChainFacts>, Wrong> {
    if list.len() != details.len() {
        return Err(Wrong::Contradiction("details are not of as many chains"));
    }
    let facts = |(chain, details): (members::Chain, members::ChainDetails)| ChainFacts {
        id: chain.id.map(Into::into),
        rows: chain.rows,
        first_sequence: chain.first_sequence,
        last_sequence: chain.last_sequence,
        head: chain.head,
        last_time: details.last_time,
        pin: details.pin,
    };
    Ok(list.into_iter().zip(details).map(facts).collect())
}

fn finding(found: members::Found) -> Result<Counted, Wrong> {
    let code = words::code(&found.code)?;
    let place = place((found.part, found.line), (found.offset, found.length))?;
    let finding = Finding {
        code,
        place,
        sequence: found.sequence,
        chain: found.chain.map(Into::into),
        member: found.member.map(Into::into),
        expected: found.expected,
        found: found.found,
        other: found.other_sequence,
    };
    match found.count {
        count if count.is_some() != (code.class() == Class::Note) => {
            Err(Wrong::Contradiction("a count stands on notes alone"))
        }
        count => Ok(Counted { finding, count: count.unwrap_or(1) }),
    }
}

/// All of a place is known, or nothing.
fn place(line: (Option<u32>, Option<u64>), bytes: (Option<u64>, Option<u64>)) -> Result<Option<Place>, Wrong> {
    match (line, bytes) {
        ((Some(part), Some(line)), (Some(offset), Some(length))) => Ok(Some(Place { part, line, offset, length })),
        ((None, None), (None, None)) => Ok(None),
        _ => Err(Wrong::Contradiction("a place is half known")),
    }
}

fn incident(incident: members::Incident) -> Result<Incident, Wrong> {
    let sequences = match (incident.first_sequence, incident.last_sequence) {
        (Some(first), Some(last)) => Some((first, last)),
        (None, None) => None,
        _ => return Err(Wrong::Contradiction("the rows of an incident are half known")),
    };
    Ok(Incident {
        kind: words::kind(&incident.kind)?,
        certain: incident.certain,
        first: place((incident.part, incident.first_line), (incident.first_offset, incident.first_length))?,
        last: place((incident.last_part, incident.last_line), (incident.last_offset, incident.last_length))?,
        sequences,
        chain: incident.chain.map(Into::into),
        rows: incident.rows,
        faults: incident.faults,
        good_before: incident.good_before,
        good_after: incident.good_after,
        detail: match incident.detail {
            None => Detail::None,
            Some(members::Detail::Signature(holds)) => Detail::Signature(holds),
            Some(members::Detail::Order(parts)) => Detail::Order(parts),
            Some(members::Detail::Other(sequence)) => Detail::Other(sequence),
            Some(members::Detail::Code(word)) => Detail::Code(words::code(&word)?),
            Some(members::Detail::Stated { stated, found }) => Detail::Stated { stated, found },
            Some(members::Detail::Head { sequence, digest }) => Detail::Head { sequence, digest },
        },
    })
}

fn environment(environment: members::Environment) -> Environment {
    let taken = |members::Taken { name, part, link, by_name }| Taken { name, part, link, by_name };
    let left = |members::Left { name, why }| Left { name, why };
    let folder = |folder: members::Folder| Folder {
        name: folder.name,
        taken: folder.taken.into_iter().map(taken).collect(),
        left: folder.left.into_iter().map(left).collect(),
    };
    Environment {
        tool: environment.tool,
        tool_sha256: environment.tool_sha256,
        arguments: environment.arguments,
        platform: environment.platform,
        threads: environment.threads,
        signature_engine: environment.signature_engine,
        signatures_fast: environment.signatures_fast,
        signatures_cross_checked: environment.signatures_cross_checked,
        folders: environment.folders.into_iter().map(folder).collect(),
        operator: environment.operator,
        case_id: environment.case_id,
        started: environment.started,
        finished: environment.finished,
    }
}
