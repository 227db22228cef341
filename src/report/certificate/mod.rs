//! The certification sheet: the facts that a qualified person certifies about a run, and blanks for what only that
//! person can say.
//!
//! Decided here: which facts stand on it, in which order, and what is left to be filled in by hand. They answer what
//! a certification of a process or of an identified copy asks for (in the United States rules 902(13) and (14) of the
//! Federal Rules of Evidence, in the form of 28 U.S.C. § 1746). The sheet gives no legal advice, claims nothing
//! about what a court does with it, and says so. It is the same for every verdict.

mod html;
mod text;

pub use html::CertificateHtml;
pub use text::Certificate;

use super::checks::status_of;
use super::escape::{escape, escape_cut, quote};
use super::figures::{counted, grouped};
use super::identity::report_id;
use super::shell::{self, UNWRITABLE};
use super::since::Before;
use super::text::conclusion;
use super::{AnchorFacts, KeyFacts, Report, story};

/// Files, keys, anchors that are listed; a report in JSON has all of them.
const MAX_LISTED: usize = 1000;

/// Incidents that are told.
const MAX_INCIDENTS: usize = 20;

/// Characters of a name or of an argument.
const MAX_TEXT: usize = 1024;

/// What the sheet is called.
const TITLE: &str = "Certification sheet of a ledger verification";

/// What it is not.
const DISCLAIMER: &str = "This sheet is not legal advice, and it does not say that anything is admissible as evidence. \
    The program filled in the facts of one run. What a certification must contain, and who may give it, is for \
    the law that applies: ask counsel. The sheet is worth nothing until a person who is qualified to do so has \
    checked it, filled in the blanks and signed it.";

/// How the digests and the verdict came about: sentences that are true of this run, whatever came of it.
fn process(report: &Report) -> Vec<String> {
    let read = match report.unfinished {
        None => {
            "It read each from the first byte to the last, and computed the SHA-256 digest (FIPS 180-4) over exactly the bytes \
             that it checked, from one copy of them. Of a compressed file, length and digest are those of its content. Whoever \
             has the file can compute the digest again with any other program."
        }
        Some(_) => {
            "Reading ended early (see \"Unfinished\" above). The SHA-256 digest (FIPS 180-4) of the last file is that of the bytes that \
             were read and checked until then, of a compressed file of its content, and not that of the whole file."
        }
    };
    let mut out = vec![
        format!("The program opened the files for reading only. {read}"),
        "It read every row strictly and recomputed the digest of each row from the row's content by the rules of the format. It \
         compared that with the digest that the row states, where rows of the format state one, and each row's link with the \
         digest of the row before it. Signatures were verified with the keys named below, if any, and the end of the ledger was \
         compared with the anchors named below, if any."
            .to_owned(),
    ];
    if report.since.is_some() {
        out.push(
            "Not so the rows that an earlier report vouches for (see \"What was checked\"): of these it compared the bytes with that \
             report's digest, read them and followed their links, but recomputed digests and verified signatures only at \
             their beginning and end."
                .to_owned(),
        );
    }
    out.push(
        "The report id is the SHA-256 digest of the facts of the report in canonical form (RFC 8785). It depends on the files, \
         keys, anchors, format and options, and neither on the machine nor on the time: a second run over the same things gives \
         the same id."
            .to_owned(),
    );
    out
}

/// What is filled in by hand.
const BLANKS: [&str; 8] = [
    "Full name",
    "Employer and position",
    "Qualification: training and experience with such records and with this program",
    "How, when and from whom the files named above were received, and how they were kept",
    "How the fingerprints of the keys named above were compared with their owner",
    "Place",
    "Date",
    "Signature",
];

/// What stands over the part that is signed.
const SIGNING: &str = "Statement of the person who signs (strike out what does not apply)";

/// What the signed part belongs to.
const BELONGS: &str = "It belongs to the certification sheet of the report";

/// What the person who signs says, of which what does not apply is struck out.
const STATEMENT: [&str; 3] = [
    "I ran the program named above on the files named above, or was present when it was run.",
    "I have compared the digests and the facts on this sheet with the files and with the report of this id.",
    "I declare under penalty of perjury that the foregoing is true and correct. (The words that such a declaration needs \
     depend on where it is made.)",
];

/// A part of the sheet.
struct Section {
    heading: &'static str,
    /// Sentences before the facts.
    prose: Vec<String>,
    /// Label and value; escaped.
    facts: Vec<(String, String)>,
}

impl Section {
    fn of(heading: &'static str, facts: Vec<(String, String)>) -> Self {
        Section { heading, prose: Vec::new(), facts }
    }
}

/// What is known of the run, in the order of the sheet.
fn sections(report: &Report) -> Vec<Section> {
    vec![
        Section::of("The result", result(report)),
        Section::of("What was examined", files(report)),
        Section { heading: "How it was examined", prose: process(report), facts: format(report) },
        Section::of("Keys", listed("Key", &report.keys, key, "none were given: no signature was checked")),
        Section::of(
            "Anchors: what stood outside the files",
            listed("Anchor", &report.anchors, anchor, "nothing states where the ledger ends"),
        ),
        Section::of("What was checked", checks(report).into_iter().chain(since(report)).collect()),
        Section::of("Findings", findings(report)),
        Section {
            heading: "What this result does not show",
            prose: report.limits.iter().map(|limit| escape(limit).into_owned()).collect(),
            facts: Vec::new(),
        },
        Section::of("The run", run(report)),
    ]
}

fn fact(label: impl Into<String>, value: impl Into<String>) -> (String, String) {
    (label.into(), value.into())
}

fn shown(text: &str) -> String {
    escape_cut(text, MAX_TEXT).into_owned()
}

fn known(text: Option<&str>) -> String {
    match text {
        Some(text) if !text.is_empty() => shown(text),
        _ => "not stated".to_owned(),
    }
}

fn result(report: &Report) -> Vec<(String, String)> {
    let mut out = vec![
        fact("Verdict", conclusion(report)),
        fact("Report id", report_id(report)),
        fact("Exit code", report.verdict.exit_code().to_string()),
    ];
    if let Some(reason) = &report.unfinished {
        out.push(fact("Unfinished", shown(reason)));
    }
    out
}

fn files(report: &Report) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (number, subject) in (1..).zip(report.subjects.iter().take(MAX_LISTED)) {
        out.push(fact(format!("File {number}"), shown(&subject.name)));
        out.push(fact("  bytes", grouped(subject.bytes)));
        out.push(fact("  rows", grouped(subject.rows)));
        out.push(fact("  SHA-256", subject.sha256.clone()));
        if let Some(sidecar) = &subject.sidecar {
            out.push(fact("  with it, line by line", shown(&sidecar.name)));
            out.push(fact("  bytes", grouped(sidecar.bytes)));
            out.push(fact("  SHA-256", sidecar.sha256.clone()));
        }
    }
    out.extend(more(report.subjects.len()));
    let coverage = &report.coverage;
    let range = |first: Option<String>, last: Option<String>| match (first, last) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        (None, None) => "none".to_owned(),
        (first, last) => first.or(last).unwrap_or_default(),
    };
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let time = |time: &Option<String>| time.as_deref().map(shown);
    out.push(fact("Rows in all", grouped(coverage.rows)));
    out.push(fact("Sequences", range(number(coverage.first_sequence), number(coverage.last_sequence))));
    out.push(fact("Times in the rows", range(time(&coverage.first_time), time(&coverage.last_time))));
    out
}

fn format(report: &Report) -> Vec<(String, String)> {
    let profile = &report.profile;
    let source = match profile.source {
        "builtin" => "built into the program, named on the command line",
        "file" => "from a file",
        _ if report.assumes_format() => "built into the program, assumed: there is no row to detect it from",
        _ => "built into the program, detected from the rows",
    };
    let mut out = vec![
        fact("Format", format!("{}, {source}", quote(&profile.name, MAX_TEXT))),
        fact("  its SHA-256", shown(&profile.sha256)),
    ];
    if !profile.recipe.is_empty() {
        out.push(fact("  readings", shown(&profile.recipe)));
    }
    out
}

fn more(length: usize) -> Option<(String, String)> {
    let rest = length.saturating_sub(MAX_LISTED);
    (rest > 0).then(|| fact("And more", format!("{}, all in the JSON report of this id", grouped(rest as u64))))
}

fn listed<T>(noun: &str, all: &[T], tell: fn(&T) -> String, none: &str) -> Vec<(String, String)> {
    if all.is_empty() {
        return vec![fact("None", none)];
    }
    let numbered =
        (1..).zip(all.iter().take(MAX_LISTED)).map(|(number, one)| fact(format!("{noun} {number}"), tell(one)));
    numbered.chain(more(all.len())).collect()
}

fn key(key: &KeyFacts) -> String {
    let bound = key.id.as_deref().map(|id| format!(", bound to {}", quote(id, MAX_TEXT))).unwrap_or_default();
    let rows = counted(key.rows, "row", "rows");
    format!("{} {}{bound}, verified the signatures of {rows}", key.algorithm, shown(&key.fingerprint))
}

fn anchor(anchor: &AnchorFacts) -> String {
    let chain = anchor.chain.as_deref().map(|chain| format!(" of {}", quote(chain, MAX_TEXT))).unwrap_or_default();
    let at = anchor.sequence.map(|sequence| format!(" at sequence {sequence}")).unwrap_or_default();
    let made = anchor.exported_at.as_deref().map(|time| format!(", made {}", shown(time))).unwrap_or_default();
    let signed = if anchor.signed { "signed under one of the keys" } else { "without a signature that was verified" };
    format!(
        "{}{chain}, {signed}{made}: states {}{at}: {}",
        anchor.kind.name(),
        shown(&anchor.head),
        anchor.verdict.name()
    )
}

fn checks(report: &Report) -> Vec<(String, String)> {
    let checks = report.checks.iter().map(|check| {
        let vouched = match check.vouched {
            0 => String::new(),
            vouched => format!(", {} vouched for by an earlier report", grouped(vouched)),
        };
        let figures = format!("{} of {}{vouched}", grouped(check.checked), grouped(check.total));
        fact(check.id.name(), format!("{} ({figures})", check.status().name()))
    });
    let expected = report.expectations.iter().map(|one| {
        let found = known(one.found.as_deref());
        let status = status_of(one.met).name();
        fact(format!("expected {}", one.member), format!("{}: {status} (found {found})", shown(&one.expected)))
    });
    checks.chain(expected).collect()
}

/// The earlier report that vouches for the beginning, where one was given.
fn since(report: &Report) -> Vec<(String, String)> {
    let Some(since) = &report.since else { return Vec::new() };
    let holds = match since.holds {
        true => "the files begin with the bytes that it is of",
        false => "the files do not begin with the bytes that it is of: it vouches for nothing",
    };
    let of = |before: &Before| {
        fact(
            "  it is of",
            format!(
                "{}, {} bytes, SHA-256 {}",
                counted(before.rows, "row", "rows"),
                grouped(before.bytes),
                shown(&before.sha256)
            ),
        )
    };
    let bounds: String = since.bounds.iter().map(|code| format!(", {}", code.name())).collect();
    let mut out = vec![
        fact("earlier report", shown(&since.report_id)),
        fact("  its verdict", format!("{}{bounds}", since.verdict)),
        fact("  outcome", holds),
    ];
    out.extend(since.subjects.iter().take(MAX_LISTED).map(of));
    out.extend(since.through.iter().take(MAX_LISTED).map(|id| fact("  it was made with", shown(id))));
    out
}

fn findings(report: &Report) -> Vec<(String, String)> {
    if report.finding_counts.is_empty() {
        return vec![fact("None", "nothing was found that is worth saying")];
    }
    let told = |(&code, &count): (&crate::finding::Code, &u64)| {
        let accepted = if report.policy.accepts(code) { ", accepted by the operator" } else { "" };
        let class = report.policy.class(code).name();
        fact(code.name(), format!("{} ({class}{accepted}): {}", grouped(count), code.meaning()))
    };
    let incidents = report.told.incidents.iter().take(MAX_INCIDENTS);
    let happened = incidents.map(|incident| fact("What happened", story::story(incident, report)));
    report.finding_counts.iter().map(told).chain(happened).collect()
}

fn run(report: &Report) -> Vec<(String, String)> {
    let environment = &report.environment;
    let fast = environment.signatures_fast;
    let engine = match fast {
        0 => shown(&environment.signature_engine),
        _ => format!(
            "{}: judged {} signatures, {} of these checked with the reference engine too; the reference engine judged all others",
            shown(&environment.signature_engine),
            grouped(fast),
            grouped(environment.signatures_cross_checked)
        ),
    };
    let line = environment.arguments.split_first().map(|(_, arguments)| {
        shell::command(arguments.iter().map(String::as_str)).unwrap_or_else(|| UNWRITABLE.to_owned())
    });
    vec![
        fact("Program", known(Some(&environment.tool))),
        fact("  its SHA-256", known(environment.tool_sha256.as_deref())),
        fact("  signature engine", if engine.is_empty() { known(None) } else { engine }),
        fact("Command line", line.unwrap_or_else(|| known(None))),
        fact("Machine", known(Some(&environment.platform))),
        fact("Start (UTC)", known(Some(&environment.started))),
        fact("End (UTC)", known(Some(&environment.finished))),
        fact("Operator", known(environment.operator.as_deref())),
        fact("Case", known(environment.case_id.as_deref())),
    ]
}
