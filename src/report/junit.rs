//! JUnit XML: what a build server shows.
//!
//! Decided here: what is a failure. A fault is a `failure`; what could not be vouched for, and a run without a
//! verdict, is an `error`; what was not asked for, or whose absence the user accepted, is `skipped`. The first
//! testcase is the verdict itself, so that a suite is green exactly where the exit code is 0.
//!
//! There is no formal standard. The attributes are those that build servers read; no time stands in them, so that
//! the same outcome gives the same text.

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::checks::status_of;
use super::escape::escape_cut;
use super::figures::{counted, grouped};
use super::form::Form;
use super::identity::report_id;
use super::message::message;
use super::summary::{Entry, Summary};
use super::text::{Text, conclusion, place};
use super::{Outcome, Report};
use crate::finding::{Class, Code, Finding};
use crate::stop::Stop;
use crate::verdict::{Check, Status, Verdict, unexplained};

/// Characters of a name.
const MAX_NAME: usize = 256;

/// Characters of a sentence.
const MAX_TEXT: usize = 1024;

/// Findings of one code that a testcase lists.
const MAX_LISTED: usize = 100;

/// The report as JUnit XML.
#[derive(Clone, Copy, Debug)]
pub struct Junit;

impl Form for Junit {
    fn kind(&self) -> &'static str {
        "junit"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        let name = match outcome {
            Outcome::Report(report) => name(report),
            Outcome::Stop(_) => "ledger-verify".to_owned(),
        };
        Some(xml([suite(&name, outcome)]))
    }

    fn several(&self) -> Option<fn(&Summary) -> String> {
        Some(|summary| xml(summary.entries.iter().map(|Entry { name, outcome }| suite(&shown(name), outcome))))
    }
}

fn xml(suites: impl IntoIterator<Item = TestSuite>) -> String {
    let mut report = quick_junit::Report::new("ledger-verify");
    report.add_test_suites(suites);
    // Writing to memory cannot fail, and every text is without what XML forbids.
    report.to_string().unwrap_or_default()
}

/// The name of a suite: the first file, and how many there are.
fn name(report: &Report) -> String {
    let first = report.subjects.first().map_or("ledger-verify", |subject| &subject.name);
    match report.subjects.len() {
        0 | 1 => shown(first),
        files => format!("{} and {} more", shown(first), grouped(files as u64 - 1)),
    }
}

fn shown(name: &str) -> String {
    escape_cut(name, MAX_NAME).into_owned()
}

fn sentence(text: &str) -> String {
    escape_cut(text, MAX_TEXT).into_owned()
}

fn suite(name: &str, outcome: &Outcome) -> TestSuite {
    let mut suite = TestSuite::new(name);
    match outcome {
        Outcome::Report(report) => {
            properties(report, &mut suite);
            suite.add_test_cases(cases(report).into_iter().map(|case| case.of(name)));
        }
        Outcome::Stop(stop) => {
            suite.add_test_case(stopped(stop).of(name));
        }
    }
    if let Some(text) = Text.text(outcome) {
        suite.set_system_out(text);
    }
    suite
}

fn properties(report: &Report, suite: &mut TestSuite) {
    let environment = &report.environment;
    let mut properties = vec![
        ("verdict".to_owned(), report.verdict.word().to_owned()),
        ("exit_code".to_owned(), report.verdict.exit_code().to_string()),
        ("report_id".to_owned(), report_id(report)),
        ("profile".to_owned(), shown(&report.profile.name)),
    ];
    for (index, subject) in report.subjects.iter().enumerate() {
        properties.push((format!("subject.{index}.name"), shown(&subject.name)));
        properties.push((format!("subject.{index}.sha256"), subject.sha256.clone()));
    }
    properties.extend(report.since.iter().map(|since| ("since".to_owned(), sentence(&since.report_id))));
    let environment = [
        ("tool", Some(&environment.tool)),
        ("tool_sha256", environment.tool_sha256.as_ref()),
        ("operator", environment.operator.as_ref()),
        ("case_id", environment.case_id.as_ref()),
    ];
    let known =
        environment.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    properties.extend(known.map(|(name, value)| (name.to_owned(), sentence(value))));
    suite.add_properties(properties.into_iter().map(|(name, value)| Property::new(name, value)));
}

/// A testcase before it knows its class.
struct Case {
    name: String,
    status: TestCaseStatus,
}

impl Case {
    fn passed(name: impl Into<String>) -> Self {
        Case { name: name.into(), status: TestCaseStatus::success() }
    }

    /// Not passed: one line, what kind of thing, and more of it in lines of text.
    fn not(name: impl Into<String>, mut status: TestCaseStatus, kind: &str, line: &str, more: &[String]) -> Self {
        status.set_message(line).set_type(kind);
        if !more.is_empty() {
            status.set_description(more.join("\n"));
        }
        Case { name: name.into(), status }
    }

    /// The class is the export: build servers take two cases of one class and name for one.
    fn of(self, export: &str) -> TestCase {
        let mut case = TestCase::new(self.name, self.status);
        case.set_classname(export);
        case
    }
}

fn failure() -> TestCaseStatus {
    TestCaseStatus::non_success(NonSuccessKind::Failure)
}

fn error() -> TestCaseStatus {
    TestCaseStatus::non_success(NonSuccessKind::Error)
}

fn cases(report: &Report) -> Vec<Case> {
    let mut cases = vec![verdict(report)];
    cases.extend(report.checks.iter().map(|one| check(report, one)));
    cases.extend(report.expectations.iter().map(|expectation| {
        let name = format!("expected {}", expectation.member);
        let found = expectation.found.as_deref().unwrap_or("unknown");
        let line = sentence(&format!("{} expected, the export has {found}", expectation.expected));
        match status_of(expectation.met) {
            Status::Passed => Case::passed(name),
            Status::Failed => Case::not(name, failure(), "failed", &line, &[]),
            Status::NotChecked => Case::not(name, error(), "not checked", &line, &[]),
        }
    }));
    let limiting = report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) != Class::Note);
    cases.extend(limiting.map(|(&code, &count)| finding(report, code, count)));
    cases
}

fn verdict(report: &Report) -> Case {
    let line = conclusion(report);
    let word = report.verdict.word();
    match report.verdict {
        Verdict::Verified { .. } | Verdict::Bounded { open: false } => Case::passed("verdict"),
        Verdict::Broken { .. } => Case::not("verdict", failure(), word, &line, &[]),
        Verdict::Bounded { open: true } => Case::not("verdict", error(), word, &line, &[]),
    }
}

fn check(report: &Report, check: &Check) -> Case {
    let name = format!("check {}", check.id.name());
    let line = format!("{}: {} of {} checked", check.status().name(), grouped(check.done()), grouped(check.total));
    let open = || unexplained(&report.finding_counts, &report.policy, &report.checks).any(|other| other.id == check.id);
    match check.status() {
        Status::Passed => Case::passed(name),
        Status::Failed => Case::not(name, failure(), "failed", &line, &[]),
        // A bound of its own says why, and is an error where nobody accepted it.
        Status::NotChecked if !open() => Case::not(name, TestCaseStatus::skipped(), "not checked", &line, &[]),
        Status::NotChecked => Case::not(name, error(), "not checked", &line, &[]),
    }
}

fn finding(report: &Report, code: Code, count: u64) -> Case {
    let listed = report.findings.iter().filter(|counted| counted.finding.code == code);
    let mut lines: Vec<String> = listed
        .take(MAX_LISTED)
        .map(|counted| format!("{}{}", place(report, counted), message(&counted.finding)))
        .collect();
    let first = lines.first().cloned().unwrap_or_else(|| message(&Finding::new(code, None)));
    let more = count.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("… and {} more", grouped(more)));
    }
    lines.push(format!("what to do: {}", code.action()));
    let line = match count {
        1 => first,
        _ => format!("{}, first {first}", counted(count, "place", "places")),
    };
    let name = format!("finding {}", code.name());
    match report.policy.class(code) {
        Class::Fault => Case::not(name, failure(), "fault", &line, &lines),
        _ if report.policy.accepts(code) => {
            Case::not(name, TestCaseStatus::skipped(), "bound", &format!("accepted: {line}"), &[])
        }
        _ => Case::not(name, error(), "bound", &line, &lines),
    }
}

fn stopped(stop: &Stop) -> Case {
    let more: Vec<String> = stop.hint.iter().map(|hint| sentence(hint)).collect();
    Case::not("verdict", error(), stop.code.name(), &format!("no verdict: {}", sentence(&stop.message)), &more)
}
