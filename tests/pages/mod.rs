//! Reports that the HTML form must be clear for: from no row to a billion, from no fault to ten million.

use std::sync::Arc;

use ledger_verify::fact::{DeclaredFacts, Place, WitnessFacts};
use ledger_verify::finding::{Code, Finding, Policy};
use ledger_verify::incident::{Detail, Incident, Kind, Told};
use ledger_verify::report::{
    AnchorFacts, AnchorKind, AnchorVerdict, ChainFacts, ExpectationFacts, Folder, KeyFacts, Left, Outcome, Report,
    Sidecar, Subject, Taken,
};
use ledger_verify::stop::{Stop, StopCode};
use ledger_verify::verdict::CheckId;

use crate::models::{self, HEAD, OTHER, at, finish, set};

/// Every page, by its name.
pub fn pages() -> Vec<(&'static str, Outcome)> {
    let reports = [
        ("good", models::good()),
        ("broken", broken()),
        ("bounded", models::bounded(Policy::default())),
        ("strict", models::bounded(models::strict())),
        ("empty", models::empty()),
        ("one", one()),
        ("thousand", thousand()),
        ("millions", millions()),
        ("billion", billion()),
        ("unnumbered", unnumbered()),
        ("chains", chains(40)),
        ("parts", models::many(1000)),
        ("declared", declared()),
        ("hostile", hostile(HOSTILE)),
    ];
    let stop = Stop::new(StopCode::Key, "pk.pem: a private key <b>\u{202e}").hint("Give the public key.");
    let reports = reports.into_iter().map(|(name, report)| (name, Outcome::Report(Box::new(report))));
    reports.chain([("stop", Outcome::Stop(stop))]).collect()
}

fn resize(report: &mut Report, rows: u64) {
    report.subjects[0].rows = rows;
    report.coverage.rows = rows;
    report.coverage.chained = rows;
    report.coverage.digests = rows;
    report.coverage.signatures = rows;
    report.coverage.last_sequence = Some(rows);
    report.chains[0].rows = rows;
    report.chains[0].last_sequence = Some(rows);
    report.anchors.iter_mut().for_each(|anchor| anchor.sequence = Some(rows));
    report.keys.iter_mut().for_each(|key| key.rows = rows);
    report.checks.iter_mut().filter(|check| check.id != CheckId::Head).for_each(|check| {
        (check.checked, check.total) = (rows, rows);
    });
}

pub fn incident(kind: Kind, first: Option<Place>, last: Option<Place>, sequences: (u64, u64), faults: u64) -> Incident {
    Incident {
        kind,
        certain: true,
        first,
        last,
        sequences: Some(sequences),
        chain: Some("acme".into()),
        rows: sequences.1 - sequences.0 + 1,
        faults,
        good_before: sequences.0.checked_sub(1),
        good_after: sequences.1.checked_add(1),
        detail: Detail::None,
    }
}

/// One edited row, one that was deleted, a fork, and a tail that no anchor reaches.
pub fn broken() -> Report {
    let mut report = models::good();
    resize(&mut report, 40);
    report.environment = environment();
    report.anchors[0].sequence = Some(30);
    report.anchors[0].signed = true;
    report.anchors[0].exported_at = Some("2026-09-02T10:00:00Z".into());
    let chain: Option<Arc<str>> = Some("acme".into());
    let findings = vec![
        Finding::new(Code::HashMismatch, at(0, 7)).sequence(Some(7)).chain(chain.clone()).expected(HEAD).found(OTHER),
        Finding::new(Code::LinkBroken, at(0, 12)).sequence(Some(15)).chain(chain.clone()).expected(OTHER).found(HEAD),
        Finding::new(Code::SequenceGap, at(0, 12)).sequence(Some(15)).chain(chain.clone()).expected("12").found("15"),
        Finding::new(Code::Fork, at(0, 23)).sequence(Some(25)).chain(chain.clone()).expected(HEAD).found(OTHER),
        Finding::new(Code::AfterAnchor, at(0, 38)).chain(chain).sequence(Some(40)),
        Finding::new(Code::Crlf, at(0, 2)),
    ];
    report.told = Told {
        incidents: vec![
            Incident {
                detail: Detail::Signature(Some(true)),
                ..incident(Kind::ContentEdited, at(0, 7), at(0, 7), (7, 7), 1)
            },
            incident(Kind::RowsDeleted, at(0, 11), at(0, 12), (12, 14), 2),
            Incident {
                detail: Detail::Other(24),
                ..incident(Kind::ConcurrentWriters, at(0, 23), at(0, 23), (25, 25), 1)
            },
        ],
        more: 0,
        unexplained: 0,
    };
    for id in [CheckId::Digests, CheckId::Chain, CheckId::Sequence] {
        set(&mut report, id, 40, true);
    }
    set(&mut report, CheckId::Head, 0, false);
    finish(report, Policy::default(), findings, 100)
}

fn environment() -> ledger_verify::report::Environment {
    ledger_verify::report::Environment {
        tool: "ledger-verify 0.1.0".into(),
        tool_sha256: Some("5e".repeat(32)),
        arguments: ["ledger-verify", "export.jsonl", "--key", "pk.pem", "--report", "html=report.html"]
            .map(String::from)
            .into(),
        platform: "linux x86_64".into(),
        threads: 2,
        signature_engine: "portable".into(),
        started: "2026-09-03T08:00:00Z".into(),
        finished: "2026-09-03T08:00:01Z".into(),
        ..Default::default()
    }
}

fn one() -> Report {
    let mut report = models::good();
    resize(&mut report, 1);
    finish(report, Policy::default(), Vec::new(), 100)
}

/// A thousand edited rows, each an incident of its own, of a hundred thousand.
fn thousand() -> Report {
    let mut report = models::good();
    resize(&mut report, 100_000);
    set(&mut report, CheckId::Digests, 100_000, true);
    let row = |n: u64| 1 + n * n % 99_991;
    let mut rows: Vec<u64> = (1..=1000).map(row).collect();
    rows.sort_unstable();
    rows.dedup();
    let finding = |&row: &u64| {
        Finding::new(Code::HashMismatch, at(0, row))
            .sequence(Some(row))
            .chain(Some("acme".into()))
            .expected(HEAD)
            .found(OTHER)
    };
    let told = |&row: &u64| incident(Kind::ContentEdited, at(0, row), at(0, row), (row, row), 1);
    report.told = Told { incidents: rows.iter().map(told).collect(), more: 0, unexplained: 0 };
    finish(report, Policy::default(), rows.iter().map(finding).collect(), 2000)
}

/// Ten million faults, of which a hundred are listed.
fn millions() -> Report {
    let mut report = models::good();
    resize(&mut report, 1_000_000_000);
    set(&mut report, CheckId::Digests, 1_000_000_000, true);
    let finding = |row| Finding::new(Code::HashMismatch, at(0, row)).sequence(Some(row)).expected(HEAD).found(OTHER);
    let mut report = finish(report, Policy::default(), (1..=100).map(|n| finding(n * 4_000_000)).collect(), 100);
    report.finding_counts.insert(Code::HashMismatch, 10_000_000);
    report
}

/// A billion good rows, and one bad.
fn billion() -> Report {
    let mut report = models::good();
    resize(&mut report, 1_000_000_000);
    set(&mut report, CheckId::Digests, 1_000_000_000, true);
    let row = 712_345_678;
    let finding = Finding::new(Code::HashMismatch, at(0, row)).sequence(Some(row)).expected(HEAD).found(OTHER);
    finish(report, Policy::default(), vec![finding], 100)
}

/// No sequence numbers: the lines of two files.
fn unnumbered() -> Report {
    let mut report = models::many(0);
    report.chains[0].first_sequence = None;
    report.chains[0].last_sequence = None;
    report.coverage.first_sequence = None;
    report.coverage.last_sequence = None;
    report.coverage.first_time = None;
    report.coverage.last_time = None;
    report.checks.retain(|check| check.id != CheckId::Sequence);
    report.keys.clear();
    let edited = |line| Finding::new(Code::HashMismatch, at(1, line)).expected(HEAD).found(OTHER);
    set(&mut report, CheckId::Signatures, 0, false);
    let findings = [
        vec![edited(500), edited(501), Finding::new(Code::NotJson, at(1, 4000)).found("it is no JSON")],
        vec![Finding::new(Code::NoKey, None)],
    ];
    finish(report, Policy::default(), findings.concat(), 100)
}

/// Many chains, two of them with faults.
pub fn chains(count: u64) -> Report {
    let mut report = models::good();
    let chain = |n: u64| ChainFacts {
        id: Some(format!("workspace-{n}").into()),
        rows: 10 * (n + 1),
        first_sequence: Some(1),
        last_sequence: Some(10 * (n + 1)),
        head: Some(HEAD.into()),
        last_time: Some(format!("2026-08-{:02}T00:00:00Z", n % 27 + 1)),
        pin: None,
    };
    report.chains = (0..count).map(chain).collect();
    let rows = report.chains.iter().map(|chain| chain.rows).sum();
    resize(&mut report, rows);
    report.chains[0] = chain(0);
    report.anchors = report
        .chains
        .iter()
        .map(|chain| AnchorFacts {
            kind: AnchorKind::Manifest,
            verdict: AnchorVerdict::Matches,
            signed: true,
            chain: chain.id.clone(),
            sequence: chain.last_sequence,
            rows: None,
            witness: None,
            head: HEAD.into(),
            exported_at: Some("2026-09-01T00:00:00Z".into()),
        })
        .collect();
    set(&mut report, CheckId::Digests, rows, true);
    let edited = |n: u64, row| {
        let chain = Some(format!("workspace-{n}").into());
        Finding::new(Code::HashMismatch, at(0, 100 * n + row))
            .chain(chain)
            .sequence(Some(row))
            .expected(HEAD)
            .found(OTHER)
    };
    finish(report, Policy::default(), vec![edited(3, 7), edited(20, 150)], 100)
}

/// Breaks that the ledger declares, and rows before its chain starts.
fn declared() -> Report {
    let mut report = unnumbered();
    report.subjects.truncate(1);
    resize(&mut report, 60);
    report.chains[0].last_sequence = None;
    report.anchors.clear();
    report.coverage.prechain = 10;
    report.coverage.declared = 1;
    report.checks.retain(|check| check.id != CheckId::Signatures);
    set(&mut report, CheckId::Head, 0, false);
    let of = |line, excuses, pin_holds| DeclaredFacts {
        place: at(0, 50).unwrap_or_default(),
        line: Some(line),
        why: "the disk was full, <i>see</i> ticket 4711".into(),
        pin_holds,
        excuses,
    };
    report.declared = Some(vec![of(30, true, Some(true)), of(31, false, None)]);
    let mut findings: Vec<Finding> = (1..=10).map(|line| Finding::new(Code::PrechainRows, at(0, line))).collect();
    findings.push(Finding::new(Code::DeclaredBreak, at(0, 30)).expected("50").found("the disk was full"));
    findings.push(Finding::new(Code::NoAnchor, None));
    finish(report, Policy::default(), findings, 100)
}

/// What a hostile writer would put into a page: ends of what we open, scripts, styles, addresses, codes.
pub const HOSTILE: &str = "</title></style></svg></table>--><!--]]><script>alert(1)</script><img src=x onerror=alert(1)>\
    <a href=\"javascript:alert(1)\">a</a><style>*{display:none}</style>\" onload='alert(1)' style=\"color:red\" x='\
    <svg onload=alert(1)><animate href=#x><base href=//e><meta http-equiv=refresh content=0>&lt;b&gt;&#60;i&#62;\
    {{7*7}}${7*7}\\\u{1b}[2K\u{202e}\u{2066}\u{200b}\u{9b}\0\r\nb\u{feff}\u{e0041}}*/;@import 'x';url(x)\u{5d0}\u{5d1}";

/// This text in every place that foreign text can reach, and in many that it cannot.
pub fn hostile(bad: &'static str) -> Report {
    let name: Arc<str> = bad.into();
    let mut report = broken();
    report.subjects = vec![
        Subject {
            name: bad.into(),
            bytes: 1,
            sha256: bad.into(),
            rows: 40,
            sidecar: Some(Sidecar { name: bad.into(), bytes: 1, sha256: bad.into() }),
        },
        Subject { name: bad.into(), bytes: 1, sha256: bad.into(), rows: 1, sidecar: None },
    ];
    report.profile.name = bad.into();
    report.profile.source = bad;
    report.profile.sha256 = bad.into();
    report.profile.recipe = bad.into();
    report.keys.push(KeyFacts { id: Some(bad.into()), algorithm: bad, fingerprint: bad.into(), rows: 1 });
    report.chains = (0..2)
        .map(|n| ChainFacts {
            id: Some(if n == 0 { name.clone() } else { format!("{n}{bad}").into() }),
            rows: 40,
            first_sequence: Some(1),
            last_sequence: Some(40),
            head: Some(bad.into()),
            last_time: Some(bad.into()),
            pin: Some(bad.into()),
        })
        .collect();
    report.anchors = [AnchorKind::Manifest, AnchorKind::Sidecar, AnchorKind::Head, AnchorKind::Witness]
        .map(|kind| AnchorFacts {
            kind,
            verdict: AnchorVerdict::Differs,
            signed: false,
            chain: Some(name.clone()),
            sequence: Some(40),
            rows: Some(40),
            head: bad.into(),
            exported_at: Some(bad.into()),
            witness: Some(WitnessFacts { namespace: bad.into(), self_integrity: bad, pins: 1 }),
        })
        .into();
    report.expectations = [Some(true), Some(false), None]
        .map(|met| ExpectationFacts { member: bad, expected: bad.into(), found: Some(bad.into()), met })
        .into();
    report.declared = Some(vec![DeclaredFacts {
        place: at(0, 5).unwrap_or_default(),
        line: Some(3),
        why: bad.into(),
        pin_holds: Some(false),
        excuses: false,
    }]);
    report.coverage.uncovered = vec![name.clone()];
    report.coverage.first_time = Some(bad.into());
    report.coverage.last_time = Some(bad.into());
    report.unfinished = Some(bad.into());
    let details = [
        Detail::None,
        Detail::Order(vec![1, 0]),
        Detail::Stated { stated: bad.into(), found: bad.into() },
        Detail::Head { sequence: 7, digest: bad.into() },
    ];
    let told = |(&kind, detail): (&Kind, &Detail)| Incident {
        chain: Some(name.clone()),
        detail: detail.clone(),
        ..incident(kind, at(0, 3), at(0, 3), (3, 3), 1)
    };
    let kinds = Kind::ALL.iter().filter(|kind| !matches!(kind, Kind::WrongKey | Kind::OtherHashing));
    report.told.incidents = kinds.flat_map(|kind| details.iter().map(move |detail| (kind, detail))).map(told).collect();
    let environment = &mut report.environment;
    environment.tool = bad.into();
    environment.tool_sha256 = Some(bad.into());
    environment.arguments = vec![bad.into(), bad.into()];
    environment.platform = bad.into();
    environment.signature_engine = bad.into();
    environment.operator = Some(bad.into());
    environment.case_id = Some(bad.into());
    environment.started = bad.into();
    environment.finished = bad.into();
    environment.folders = vec![Folder {
        name: bad.into(),
        taken: vec![Taken { name: bad.into(), part: 0, link: true, by_name: true }],
        left: vec![Left { name: bad.into(), why: bad.into() }],
    }];
    let all = |&code: &Code| {
        Finding::new(code, at(0, 1))
            .chain(Some(name.clone()))
            .member(bad)
            .expected(bad)
            .found(format!("{bad}!"))
            .sequence(Some(1))
    };
    let mut report = finish(report, Policy::default(), Code::ALL.iter().map(all).collect(), 200);
    report.limits.push(bad.into());
    report
}
