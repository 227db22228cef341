//! Findings: faults with what should stand there beside what does, bounds with how to lift them, declared
//! breaks, and notes.

use maud::{Markup, html};

use super::super::figures::{counted, grouped};
use super::super::message::message;
use super::super::{DeclaredFacts, Report};
use super::aligned::compared;
use super::known;
use super::words::{exact, fact, foreign};
use crate::fact::Place;
use crate::finding::{Class, Code, Counted};

/// The faults.
pub(super) fn faults(report: &Report) -> Markup {
    let total = known::total(report, Class::Fault);
    let hidden = known::hidden(report);
    html! {
        @if total > 0 {
            section aria-labelledby="faults" {
                h2 #faults { (counted(total, "fault", "faults")) }
                (counts(report, Class::Fault))
                @for counted in known::faults(report) { (finding(counted, report)) }
                @if hidden > 0 {
                    p { "… and " (grouped(hidden)) " more. They are counted and covered by the report id; --max-findings lists more of them." }
                }
            }
        }
    }
}

/// How many findings of each code there are.
fn counts(report: &Report, class: Class) -> Markup {
    let codes = report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) == class);
    html! {
        table {
            thead { tr { th scope="col" { "Code" } th scope="col" { "Number" } th scope="col" { "What it means" } } }
            tbody {
                @for (code, count) in codes {
                    tr { th scope="row" { (code.name()) } td.number { (grouped(*count)) } td { (code.meaning()) } }
                }
            }
        }
    }
}

fn finding(counted: &Counted, report: &Report) -> Markup {
    let finding = &counted.finding;
    let raised = finding.code.class() == Class::Bound;
    html! {
        article.finding {
            h3 { (finding.code.name()) @if let Some(place) = finding.place { ", " (place_of(place, report)) } }
            p { bdi { (message(finding)) } "." }
            @match (&finding.expected, &finding.found) {
                (Some(expected), Some(found)) => (compared(expected, found)),
                (Some(expected), None) => dl.facts { (fact("Expected", exact(expected))) },
                (None, Some(found)) => dl.facts { (fact("Found", exact(found))) },
                (None, None) => {}
            }
            dl.facts {
                @if let Some(place) = finding.place {
                    (fact("Place", html! { (place_of(place, report)) ", byte " (grouped(place.offset)) ", " (grouped(place.length)) " bytes long" }))
                }
                @if let Some(sequence) = finding.sequence { (fact("Sequence", html! { (sequence) })) }
                @if let Some(chain) = &finding.chain { (fact("Chain", foreign(chain))) }
                @if let Some(member) = &finding.member { (fact("Member", foreign(member))) }
                @if let Some(other) = finding.other { (fact("Other row", html! { "sequence " (other) })) }
                @if raised { (fact("How to lift it", html! { (finding.code.action()) })) }
            }
        }
    }
}

/// `line 7`, with its file where there are several.
fn place_of(place: Place, report: &Report) -> Markup {
    let subject = usize::try_from(place.part).ok().and_then(|part| report.subjects.get(part));
    html! {
        @if report.subjects.len() > 1 {
            @if let Some(subject) = subject { (foreign(&subject.name)) " " }
        }
        "line " (place.line)
    }
}

/// The bounds.
pub(super) fn bounds(report: &Report) -> Markup {
    let mut codes =
        report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) == Class::Bound).peekable();
    html! {
        @if codes.peek().is_some() {
            section aria-labelledby="bounds" {
                h2 #bounds { "What limits the verdict" }
                @for (&code, &count) in codes { (bound(code, count, report)) }
            }
        }
    }
}

/// Listed places of one bound: a bound can have one for each row.
const MAX_PLACES: usize = 20;

fn bound(code: Code, count: u64, report: &Report) -> Markup {
    let listed: Vec<&Counted> = report.findings.iter().filter(|counted| counted.finding.code == code).collect();
    let shown = listed.len().min(MAX_PLACES) as u64;
    html! {
        article.bound {
            h3 {
                (code.name())
                @if count > 1 { " (" (grouped(count)) " times)" }
                @if report.policy.accepts(code) { " – accepted by the user" }
            }
            p { (code.meaning()) }
            @if !listed.is_empty() {
                ul {
                    @for counted in listed.iter().take(MAX_PLACES) {
                        li {
                            @if let Some(place) = counted.finding.place { (place_of(place, report)) ": " }
                            bdi { (message(&counted.finding)) }
                        }
                    }
                    @if count > shown { li { "… and " (grouped(count - shown)) " more" } }
                }
            }
            p { strong { "To lift it: " } (code.action()) }
        }
    }
}

/// The breaks that the ledger declares.
pub(super) fn declared(report: &Report) -> Markup {
    html! {
        @if let Some(declared) = report.declared.as_ref().filter(|declared| !declared.is_empty()) {
            section aria-labelledby="declared" {
                h2 #declared { "Breaks that the ledger declares" }
                p { "A declaration is the ledger's own word. It stays visible for ever." }
                table {
                    thead {
                        tr {
                            th scope="col" { "Declared at" }
                            th scope="col" { "Break of" }
                            th scope="col" { "Pin" }
                            th scope="col" { "Outcome" }
                            th scope="col" { "Reason given" }
                        }
                    }
                    tbody {
                        @for one in declared {
                            tr {
                                td { (place_of(one.place, report)) }
                                td { @match one.line { Some(line) => { "line " (line) } None => "no line" } }
                                td { (pin(one)) }
                                td { (outcome(one, report)) }
                                td { (foreign(&one.why)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pin(declared: &DeclaredFacts) -> &'static str {
    match declared.pin_holds {
        Some(true) => "holds",
        Some(false) => "does not hold: the line has another text",
        None => "not compared",
    }
}

fn outcome(declared: &DeclaredFacts, report: &Report) -> &'static str {
    match (declared.excuses, declared.pin_holds) {
        (true, _) => "excused: a bound, no fault",
        (false, _) if report.policy.strict => "not honoured (--strict)",
        (false, Some(true)) => "excuses nothing: the line has no break that can be excused",
        (false, Some(false)) => "excuses nothing",
        (false, None) => "excuses nothing: there is no such row, or a later declaration counts for it",
    }
}

/// The notes.
pub(super) fn notes(report: &Report) -> Markup {
    let total = known::total(report, Class::Note);
    let listed = || report.findings.iter().filter(|counted| counted.finding.code.class() == Class::Note);
    let told: u64 = listed().map(|counted| counted.count).sum();
    html! {
        @if total > 0 {
            section aria-labelledby="notes" {
                h2 #notes { "Notes" }
                p { "They change nothing in the verdict." }
                ul {
                    @for note in listed() {
                        li {
                            @if let Some(place) = note.finding.place { (place_of(place, report)) ": " }
                            (note.finding.code.name()) ": " bdi { (message(&note.finding)) }
                            @if note.count > 1 { ", " (grouped(note.count)) " places in all" }
                        }
                    }
                    @if total > told { li { "… and " (grouped(total - told)) " more" } }
                }
            }
        }
    }
}
