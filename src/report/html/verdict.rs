//! The head of the page: the word, what it means, and what was examined; or why there is no verdict.

use maud::{Markup, html};

use super::super::figures::{counted, grouped, size};
use super::super::identity::report_id;
use super::super::text::{except, reasons};
use super::super::{ASSUMED, Report, Subject};
use super::words::{exact, fact, foreign};
use crate::stop::Stop;
use crate::verdict::Verdict;

/// The word that a page starts with, and the sign beside it.
pub(super) fn word(verdict: Verdict) -> (&'static str, &'static str) {
    let sign = match verdict {
        Verdict::Verified { .. } => "✓",
        Verdict::Broken { .. } => "✗",
        Verdict::Bounded { .. } => "!",
    };
    (verdict.word(), sign)
}

/// The verdict.
pub(super) fn section(report: &Report) -> Markup {
    let (word, sign) = word(report.verdict);
    let reasons = reasons(report);
    html! {
        header.verdict.(word) {
            p.kind { "Report on the export of a hash-chained ledger" }
            h1 { span.sign aria-hidden="true" { (sign) } " " (word) }
            p.meaning { (meaning(report)) }
            @if !reasons.is_empty() { p { "Why: " (reasons) "." } }
            dl.facts {
                (fact("Exit code", html! { (report.verdict.exit_code()) }))
                (fact("Report id", html! { (exact(&report_id(report))) }))
            }
        }
    }
}

fn meaning(report: &Report) -> String {
    let except = except(report);
    match report.verdict {
        Verdict::Verified { rows } => format!(
            "Every one of {} was checked and every check passed. Nothing is left to trust but the keys and the anchor{except}.",
            counted(rows.get(), "row", "rows")
        ),
        Verdict::Broken { .. } => {
            format!("At least one fault was found: damage or tampering is proven{except}.")
        }
        Verdict::Bounded { open: true } => {
            format!("No fault was found, but something limits what was vouched for{except}.")
        }
        Verdict::Bounded { open: false } => format!(
            "No fault was found. Something limits what was vouched for, and the user accepted all of it{except}."
        ),
    }
}

/// What was examined.
pub(super) fn subjects(report: &Report) -> Markup {
    html! {
        section aria-labelledby="subject" {
            h2 #subject { "What was examined" }
            @for subject in &report.subjects { (one(subject)) }
            @if report.subjects.len() > 1 {
                p { (grouped(report.subjects.len() as u64)) " files, read in this order as one ledger." }
            }
            dl.facts {
                (fact("Format", html! { (foreign(&report.profile.name)) ", " (source(report)) }))
                (fact("SHA-256 of the profile", exact(&report.profile.sha256)))
                @if !report.profile.recipe.is_empty() { (fact("Readings", foreign(&report.profile.recipe))) }
            }
        }
    }
}

fn source(report: &Report) -> &'static str {
    match report.profile.source {
        "file" => "described by a file of the user's",
        "detected" if report.assumes_format() => ASSUMED,
        "detected" => "detected from the rows",
        _ => "built in",
    }
}

fn one(subject: &Subject) -> Markup {
    html! {
        dl.facts.subject {
            (fact("File", foreign(&subject.name)))
            (fact("Size", html! { (grouped(subject.bytes)) " bytes (" (size(subject.bytes)) "), " (counted(subject.rows, "row", "rows")) }))
            (fact("SHA-256", exact(&subject.sha256)))
            @if let Some(sidecar) = &subject.sidecar {
                (fact("Beside it", html! { (foreign(&sidecar.name)) ", line by line, " (grouped(sidecar.bytes)) " bytes" }))
                (fact("Its SHA-256", exact(&sidecar.sha256)))
            }
        }
    }
}

/// Why there is no verdict.
pub(super) fn stop(stop: &Stop) -> Markup {
    html! {
        header.verdict.stopped {
            p.kind { "Run of ledger-verify" }
            h1 { span.sign aria-hidden="true" { "–" } " no verdict" }
            p.meaning { "The run could not be carried out. Nothing is said about the ledger." }
            dl.facts {
                (fact("Exit code", html! { "2" }))
                (fact("Kind", html! { (stop.code.name()) }))
            }
        }
        main {
            section aria-labelledby="why" {
                h2 #why { "Why" }
                p { (foreign(&stop.message)) }
            }
            section aria-labelledby="next" {
                h2 #next { "What to do" }
                p {
                    @match &stop.hint {
                        Some(hint) => (foreign(hint)),
                        None => "Remove the cause and run the same command again.",
                    }
                }
            }
        }
    }
}
