//! The facts behind the verdict: checks, keys, anchors, chains and what was covered.

use maud::{Markup, html};

use super::super::checks::{Mark, lines, status_of};
use super::super::escape::escape;
use super::super::figures::grouped;
use super::super::identity::named;
use super::super::{AnchorFacts, AnchorKind, Report};
use super::words::{exact, fact, foreign};
use crate::verdict::{Check, CheckId, Status};

/// Chains of the table.
const MAX_CHAINS: usize = 1000;

/// What was not checked, in words, and why.
pub(super) fn unchecked(report: &Report) -> Markup {
    let lines: Vec<_> =
        lines(report).into_iter().filter(|line| matches!(line.mark, Mark::Partly | Mark::Not)).collect();
    let open: Vec<&Check> = report.checks.iter().filter(|check| check.done() < check.total).collect();
    html! {
        section aria-labelledby="unchecked" {
            h2 #unchecked { "What was not checked" }
            @if lines.is_empty() && open.is_empty() && report.unfinished.is_none() {
                p { "Nothing: every check of this format was made of every row." }
            } @else {
                ul {
                    @if let Some(reason) = &report.unfinished { li { "Unfinished: " (foreign(reason)) } }
                    @for line in &lines { li { bdi { (escape(&line.text)) } } }
                    @for check in open {
                        li { (check.id.name()) ": " (grouped(check.total - check.done())) " of " (grouped(check.total)) " not checked" }
                    }
                }
            }
        }
    }
}

/// The table of checks.
pub(super) fn checks(report: &Report) -> Markup {
    html! {
        section aria-labelledby="checks" {
            h2 #checks { "Checks" }
            table {
                thead { tr { th scope="col" { "Check" } th scope="col" { "Outcome" } th scope="col" { "Checked" } th scope="col" { "Of" } } }
                tbody {
                    @for check in &report.checks {
                        tr {
                            th scope="row" { (check.id.name()) " " small { (what(check.id)) } }
                            td { (status(check.status())) }
                            td.number { (grouped(check.checked)) @if check.vouched > 0 { ", and " (grouped(check.vouched)) " vouched for" } }
                            td.number { (grouped(check.total)) }
                        }
                    }
                }
            }
            ul.plain {
                @for line in lines(report) { li { span.sign aria-hidden="true" { (line.mark.sign()) } " " bdi { (escape(&line.text)) } } }
            }
            @if !report.expectations.is_empty() { (expectations(report)) }
        }
    }
}

fn expectations(report: &Report) -> Markup {
    html! {
        h3 { "What the user expected" }
        table {
            thead { tr { th scope="col" { "Of" } th scope="col" { "Outcome" } th scope="col" { "Expected" } th scope="col" { "Found" } } }
            tbody {
                @for expectation in &report.expectations {
                    tr {
                        th scope="row" { (foreign(expectation.member)) }
                        td { (status(status_of(expectation.met))) }
                        td { (foreign(&expectation.expected)) }
                        td { @match &expectation.found { Some(found) => (foreign(found)), None => "–" } }
                    }
                }
            }
        }
    }
}

fn status(status: Status) -> Markup {
    let sign = match status {
        Status::Passed => "✓",
        Status::Failed => "✗",
        Status::NotChecked => "–",
    };
    html! { span.sign aria-hidden="true" { (sign) } " " (status.name()) }
}

fn what(id: CheckId) -> &'static str {
    match id {
        CheckId::Chain => "every row states its predecessor's digest",
        CheckId::Digests => "every row's content has the digest that it states",
        CheckId::Signatures => "every row's signature holds",
        CheckId::Sequence => "sequence numbers run without gap",
        CheckId::Head => "an anchor states the head",
    }
}

/// The keys.
pub(super) fn keys(report: &Report) -> Markup {
    html! {
        section aria-labelledby="keys" {
            h2 #keys { "Keys" }
            @if report.keys.is_empty() {
                p { "No key was given." }
            } @else {
                table {
                    thead { tr { th scope="col" { "Fingerprint" } th scope="col" { "Kind" } th scope="col" { "Bound to" } th scope="col" { "Rows it signed" } } }
                    tbody {
                        @for key in &report.keys {
                            tr {
                                th scope="row" { (exact(&key.fingerprint)) }
                                td { (foreign(key.algorithm)) }
                                td { @match &key.id { Some(id) => (foreign(id)), None => "–" } }
                                td.number { (grouped(key.rows)) }
                            }
                        }
                    }
                }
                p { "Compare each fingerprint with the one that the key's owner states, by another way than this export." }
            }
        }
    }
}

/// The anchors.
pub(super) fn anchors(report: &Report) -> Markup {
    html! {
        section aria-labelledby="anchors" {
            h2 #anchors { "Anchors" }
            @if report.anchors.is_empty() { p { "Nothing outside the export states its head." } }
            @for anchor in &report.anchors { (one(anchor)) }
        }
    }
}

fn one(anchor: &AnchorFacts) -> Markup {
    let origin = if named(anchor.kind) { "named by the user" } else { "found beside the export" };
    html! {
        article.anchor {
            h3 { (anchor.kind.name()) ": " (anchor.verdict.name()) }
            dl.facts {
                (fact("Origin", html! { (origin) }))
                @if anchor.kind != AnchorKind::Head {
                    (fact("Signature", html! { @if anchor.signed { "holds under one of the keys" } @else { "none that holds under one of the keys" } }))
                }
                (fact("Head", exact(&anchor.head)))
                @if let Some(chain) = &anchor.chain { (fact("Chain", foreign(chain))) }
                @if let Some(sequence) = anchor.sequence { (fact("Sequence", html! { (sequence) })) }
                @if let Some(rows) = anchor.rows { (fact("Rows", html! { (grouped(rows)) })) }
                @if let Some(date) = &anchor.exported_at { (fact("As of", foreign(date))) }
                @if let Some(witness) = &anchor.witness {
                    (fact("Namespace", foreign(&witness.namespace)))
                    (fact("Its own chain", html! { (foreign(witness.self_integrity)) ", " (grouped(witness.pins)) " pins" }))
                }
            }
        }
    }
}

/// The earlier report that vouches for the beginning; nothing where none was given.
pub(super) fn since(report: &Report) -> Markup {
    let Some(since) = &report.since else { return html! {} };
    let outcome = match since.holds {
        true => "the export begins with these bytes: what it says of their rows counts here",
        false => "the export does not begin with these bytes: it vouches for nothing",
    };
    html! {
        section aria-labelledby="since" {
            h2 #since { "Vouched for by an earlier report" }
            dl.facts {
                (fact("Report id", exact(&since.report_id)))
                (fact("Outcome", html! { (outcome) }))
                (fact("Its verdict", html! { (since.verdict) @for code in &since.bounds { ", " (code.name()) } }))
                @for before in &since.subjects {
                    (fact("It is of", html! { (grouped(before.rows)) " rows, " (grouped(before.bytes)) " bytes, SHA-256 " (exact(&before.sha256)) }))
                }
                (fact("Digests and signatures", html! { (grouped(since.digests)) " and " (grouped(since.signatures)) " were checked then and not now" }))
                @for id in &since.through { (fact("It was made with", exact(id))) }
            }
        }
    }
}

/// The chains.
pub(super) fn chains(report: &Report) -> Markup {
    let more = report.chains.len().saturating_sub(MAX_CHAINS);
    html! {
        @if !report.chains.is_empty() {
            section aria-labelledby="chains" {
                h2 #chains { "Chains" }
                @for chain in report.chains.iter().take(MAX_CHAINS) {
                    dl.facts.chain {
                        (fact("Chain", html! { @match &chain.id { Some(id) => (foreign(id)), None => "no name" } }))
                        (fact("Rows", html! {
                            (grouped(chain.rows))
                            @if let Some((first, last)) = chain.first_sequence.zip(chain.last_sequence) { ", sequence " (first) " to " (last) }
                        }))
                        @if let Some(time) = &chain.last_time { (fact("Last time stamp", foreign(time))) }
                        @if let Some(head) = &chain.head { (fact("Head, recomputed", exact(head))) }
                        @if let Some(pin) = &chain.pin { (fact("Pin", exact(pin))) }
                    }
                }
                @if more > 0 { p { "… and " (grouped(more as u64)) " more chains." } }
            }
        }
    }
}

/// What was covered.
pub(super) fn coverage(report: &Report) -> Markup {
    let coverage = &report.coverage;
    let figures = [
        ("Rows", coverage.rows),
        ("Rows in the chain", coverage.chained),
        ("Rows before the chain starts", coverage.prechain),
        ("Declared breaks", coverage.declared),
        ("Digests recomputed", coverage.digests),
        ("Signatures judged", coverage.signatures),
    ];
    html! {
        section aria-labelledby="coverage" {
            h2 #coverage { "What was covered" }
            dl.facts {
                @for (term, figure) in figures { (fact(term, html! { (grouped(figure)) })) }
                (fact("Sequence", html! {
                    @match coverage.first_sequence.zip(coverage.last_sequence) {
                        Some((first, last)) => { (first) " to " (last) }
                        None => "not known",
                    }
                }))
                (fact("First time stamp", time(coverage.first_time.as_deref())))
                (fact("Last time stamp", time(coverage.last_time.as_deref())))
                @if !coverage.uncovered.is_empty() {
                    (fact("Members that nothing covers", html! { @for member in &coverage.uncovered { (foreign(member)) " " } }))
                }
            }
        }
    }
}

fn time(text: Option<&str>) -> Markup {
    html! { @match text { Some(text) => (foreign(text)), None => "not known" } }
}

/// What the verdict does not show.
pub(super) fn limits(report: &Report) -> Markup {
    html! {
        section aria-labelledby="limits" {
            h2 #limits { "What this verdict does not show" }
            ul { @for limit in &report.limits { li { (foreign(limit)) } } }
        }
    }
}
