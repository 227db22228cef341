//! The HTML report: one page that an auditor reads, prints and files.
//!
//! It has no script, no remote part and no link, and says so to the browser. The verdict stands first. Foreign
//! text is escaped for readers like everywhere, and the templates escape it once more for HTML; only the style
//! sheet is written as it is. Nothing is told by colour alone.

mod aligned;
mod draw;
mod facts;
mod findings;
mod geometry;
mod happened;
mod known;
mod lanes;
mod legend;
mod lines;
mod picture;
mod run;
mod times;
mod verdict;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::form::Form;
use super::{Outcome, Report};

/// The style sheet.
const STYLE: &str = include_str!("page.css");

/// What the page may load: nothing. Its own style sheet is the only one that counts, by its digest.
fn policy() -> String {
    let digest = data_encoding::BASE64.encode(&Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
}

/// The HTML report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Html;

impl Form for Html {
    fn kind(&self) -> &'static str {
        "html"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        let (title, body) = match outcome {
            Outcome::Report(report) => (report.verdict.word(), of_report(report)),
            Outcome::Stop(stop) => ("no verdict", verdict::stop(stop)),
        };
        let mut text = page(title, &body).into_string();
        text.push('\n');
        Some(text)
    }
}

fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { "ledger-verify: " (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

fn of_report(report: &Report) -> Markup {
    html! {
        (verdict::section(report))
        main {
            (verdict::subjects(report))
            (picture::section(report))
            (happened::section(report))
            (findings::faults(report))
            (findings::bounds(report))
            (findings::declared(report))
            (facts::unchecked(report))
            (facts::checks(report))
            (facts::keys(report))
            (facts::anchors(report))
            (facts::since(report))
            (facts::chains(report))
            (facts::coverage(report))
            (findings::notes(report))
            (facts::limits(report))
        }
        footer { (run::section(&report.environment)) }
    }
}
