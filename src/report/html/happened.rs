//! What happened: the incidents, each with what is still good around it and what to do.

use maud::{Markup, html};

use super::super::Report;
use super::super::figures::{counted, grouped};
use super::super::story;
use super::words::fact;

/// The section; nothing where there is no story.
pub(super) fn section(report: &Report) -> Markup {
    let told = &report.told;
    if told.incidents.is_empty() && told.unexplained == 0 {
        return html! {};
    }
    html! {
        section aria-labelledby="happened" {
            h2 #happened { "What most likely happened" }
            @for (index, incident) in told.incidents.iter().enumerate() {
                article.incident {
                    h3 { (incident.kind.title()) }
                    p { (story::story(incident, report)) }
                    dl.facts {
                        (fact("Incident", html! { (incident.kind.name()) @if incident.faults > 0 { ", " (counted(incident.faults, "fault", "faults")) } }))
                        @if let Some(good) = story::good(index, report) { (fact("Still good", html! { (good) })) }
                        (fact("Last good row before", number(incident.good_before)))
                        (fact("First good row behind", number(incident.good_after)))
                        (fact("Not proved", html! { (incident.kind.limit()) }))
                        (fact("What to do", html! { (story::next(incident)) }))
                    }
                }
            }
            @if told.more > 0 { p { "… and " (counted(told.more, "more incident", "more incidents")) " not listed." } }
            @if told.unexplained > 0 {
                p { (counted(told.unexplained, "fault is", "faults are")) " part of no story." }
            }
        }
    }
}

fn number(row: Option<u64>) -> Markup {
    html! {
        @match row {
            Some(row) => (grouped(row)),
            None => "not known",
        }
    }
}
