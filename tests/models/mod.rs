//! Report models built by hand: a good one, and what is made of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger_verify::fact::Place;
use ledger_verify::finding::{Class, Code, Finding, Notes, Policy, Tally};
use ledger_verify::report::limits::limits;
use ledger_verify::report::{
    AnchorFacts, AnchorKind, AnchorVerdict, ChainFacts, Coverage, Environment, ExpectationFacts, FormatFacts, KeyFacts,
    Outcome, ProfileFacts, Report, Subject,
};
use ledger_verify::stop::{Stop, StopCode};
use ledger_verify::verdict::{Check, CheckId, judge};

pub const HEAD: &str = "0xa10e6c2b7d19f04e5a3c8821b6f7d0e94c5ab1273fe8d6409b7c1a5e2f803b08";
pub const OTHER: &str = "0x9f3c000000000000000000000000000000000000000000000000000000000077";
pub const KEY: &str = "SHA256:Yb3kq0ZVhR7mXc1tWn8uEo5sDf2gJi4lPa6vQy9zBxM";

pub fn check(id: CheckId, checked: u64, total: u64) -> Check {
    Check { id, checked, vouched: 0, total, failed: false }
}

pub fn at(part: u32, line: u64) -> Option<Place> {
    Some(Place { part, line, offset: (line - 1) * 700, length: 699 })
}

/// 18,422 good rows with a key and a signed manifest.
pub fn good() -> Report {
    let rows = 18_422;
    let checks = [CheckId::Chain, CheckId::Digests, CheckId::Signatures, CheckId::Sequence]
        .map(|id| check(id, rows, rows))
        .into_iter()
        .chain([check(CheckId::Head, 1, 1)])
        .collect();
    finish(
        Report {
            verdict: ledger_verify::verdict::Verdict::Bounded { open: true },
            subjects: vec![Subject {
                name: "export.jsonl".into(),
                bytes: 13_104_877,
                sha256: format!("4c1f{}", "0".repeat(60)),
                rows,
                sidecar: None,
            }],
            profile: ProfileFacts {
                name: "void".into(),
                source: "builtin",
                sha256: "ab".repeat(32),
                in_document: false,
                recipe: "prev=raw, signed=raw".into(),
                default_recipe: true,
                format: FormatFacts { home: true, reprints: true, ..FormatFacts::default() },
            },
            keys: vec![KeyFacts { id: None, algorithm: "ed25519", fingerprint: KEY.into(), rows }],
            anchors: vec![AnchorFacts {
                kind: AnchorKind::Manifest,
                verdict: AnchorVerdict::Matches,
                signed: true,
                chain: Some("acme".into()),
                sequence: Some(rows),
                rows: None,
                witness: None,
                head: HEAD.into(),
                exported_at: None,
            }],
            expectations: Vec::new(),
            since: None,
            declared: None,
            coverage: Coverage {
                rows,
                chained: rows,
                digests: rows,
                signatures: rows,
                first_sequence: Some(1),
                last_sequence: Some(rows),
                first_time: Some("2026-08-01T00:00:00Z".into()),
                last_time: Some("2026-08-31T00:00:00Z".into()),
                ..Coverage::default()
            },
            chains: vec![ChainFacts {
                id: Some("acme".into()),
                rows,
                first_sequence: Some(1),
                last_sequence: Some(rows),
                head: Some(HEAD.into()),
                last_time: Some("2026-08-31T00:00:00Z".into()),
                pin: None,
            }],
            checks,
            findings: Vec::new(),
            finding_counts: BTreeMap::new(),
            findings_digest: String::new(),
            told: ledger_verify::incident::Told::default(),
            policy: Policy::default(),
            unfinished: None,
            limits: Vec::new(),
            environment: Environment { tool: "ledger-verify 0.1.0".into(), threads: 2, ..Environment::default() },
        },
        Policy::default(),
        Vec::new(),
        100,
    )
}

/// The report with these findings, judged anew.
pub fn finish(mut report: Report, policy: Policy, findings: Vec<Finding>, limit: usize) -> Report {
    let mut tally = Tally::new(policy.clone(), limit);
    let mut notes = Notes::default();
    for finding in findings {
        match finding.code.class() {
            Class::Note => notes.push(finding),
            Class::Fault | Class::Bound => tally.push(finding),
        }
    }
    tally.note(notes);
    (report.finding_counts, report.findings_digest, report.findings) = tally.finish();
    report.verdict = judge(&report.finding_counts, &policy, report.coverage.rows, &report.checks);
    report.policy = policy;
    report.limits = limits(&report);
    report
}

pub fn set(report: &mut Report, id: CheckId, checked: u64, failed: bool) {
    report.checks.iter_mut().filter(|c| c.id == id).for_each(|c| (c.checked, c.failed) = (checked, failed));
}

/// One edited row, and one that was deleted before line 9.
pub fn broken() -> Report {
    let mut report = good();
    set(&mut report, CheckId::Digests, 18_422, true);
    set(&mut report, CheckId::Sequence, 18_422, true);
    set(&mut report, CheckId::Chain, 18_422, true);
    let findings = vec![
        Finding::new(Code::HashMismatch, at(0, 7)).sequence(Some(7)).expected(HEAD).found(OTHER),
        Finding::new(Code::LinkBroken, at(0, 9)).sequence(Some(10)).expected(HEAD).found(OTHER),
        Finding::new(Code::SequenceGap, at(0, 9)).sequence(Some(10)).expected("9").found("10"),
        Finding::new(Code::Crlf, at(0, 2)),
        Finding::new(Code::Crlf, at(0, 3)),
    ];
    finish(report, Policy::default(), findings, 100)
}

/// No key and no anchor.
pub fn bounded(policy: Policy) -> Report {
    let mut report = good();
    report.keys.clear();
    report.anchors.clear();
    report.coverage.signatures = 0;
    set(&mut report, CheckId::Signatures, 0, false);
    set(&mut report, CheckId::Head, 0, false);
    let findings = vec![Finding::new(Code::NoKey, None), Finding::new(Code::NoAnchor, None)];
    finish(report, policy, findings, 100)
}

/// No row at all.
pub fn empty() -> Report {
    let mut report = good();
    report.subjects[0].rows = 0;
    report.subjects[0].bytes = 0;
    report.keys[0].rows = 0;
    report.anchors.clear();
    report.chains.clear();
    report.coverage = Coverage::default();
    report.checks.iter_mut().for_each(|check| (check.checked, check.total) = (0, 0));
    finish(report, Policy::default(), vec![Finding::new(Code::Empty, None)], 100)
}

/// 300 edited rows in the second of two parts, of which `limit` are listed.
pub fn many(limit: usize) -> Report {
    let mut report = good();
    report.subjects[0].rows = 10_000;
    let second =
        Subject { name: "b.jsonl".into(), bytes: 999_950, sha256: "99aa".repeat(16), rows: 8_422, sidecar: None };
    report.subjects.push(second);
    set(&mut report, CheckId::Digests, 18_422, true);
    let edited = |line| Finding::new(Code::HashMismatch, at(1, line)).expected(HEAD).found(OTHER);
    finish(report, Policy::default(), (1..=300).map(edited).collect(), limit)
}

/// Hostile text in every place that foreign text can reach.
pub fn hostile() -> Report {
    let bad = "a\u{1b}[2K\u{202e}\u{200b}\u{9b}\r\nb\u{feff}\u{e0041}";
    let name: Arc<str> = bad.into();
    let mut report = broken();
    report.subjects[0].name = bad.into();
    report.profile.name = bad.into();
    report.profile.recipe = bad.into();
    report.keys[0].id = Some(bad.into());
    report.chains[0].id = Some(name.clone());
    report.chains.push(report.chains[0].clone());
    report.anchors[0].head = bad.into();
    report.anchors[0].exported_at = Some(bad.into());
    report.anchors[0].chain = Some(name.clone());
    report.coverage.uncovered = vec![name.clone()];
    report.coverage.first_time = Some(bad.into());
    report.expectations = [Some(true), Some(false), None]
        .map(|met| ExpectationFacts { member: "profile", expected: bad.into(), found: Some(bad.into()), met })
        .into();
    report.unfinished = Some(bad.into());
    report.environment.arguments = vec![bad.into()];
    let all = |&code: &Code| {
        Finding::new(code, at(0, 1)).chain(Some(name.clone())).member(bad).expected(bad).found(bad).sequence(Some(1))
    };
    let findings = Code::ALL.iter().map(all).collect();
    finish(report, Policy::default(), findings, 100)
}

pub fn accept(codes: &[Code]) -> Policy {
    Policy { accepted: codes.to_vec(), strict: false }
}

pub fn strict() -> Policy {
    Policy { accepted: vec![Code::NoKey], strict: true }
}

/// Every kind of outcome.
pub fn outcomes() -> Vec<Outcome> {
    let mut unfinished = broken();
    unfinished.unfinished = Some("export.jsonl shrank".into());
    unfinished.limits = limits(&unfinished);
    let reports = [
        good(),
        broken(),
        bounded(Policy::default()),
        bounded(accept(&[Code::NoKey, Code::NoAnchor])),
        bounded(strict()),
        empty(),
        many(100),
        many(0),
        hostile(),
        unfinished,
    ];
    let stops = [
        Stop::new(StopCode::Key, "pk.pem: a private\u{1b} key").hint("give the public key"),
        Stop::new(StopCode::Usage, "no export"),
    ];
    let reports = reports.into_iter().map(|report| Outcome::Report(Box::new(report)));
    reports.chain(stops.map(Outcome::Stop)).collect()
}
