//! The run: with what, when and how the report was made. None of it is part of the report id.

use maud::{Markup, html};

use super::super::figures::grouped;
use super::super::shell::{self, UNWRITABLE};
use super::super::{Environment, folders};
use super::words::{exact, fact, foreign};

/// The section.
pub(super) fn section(environment: &Environment) -> Markup {
    let folders = folders::lines(&environment.folders);
    html! {
        section aria-labelledby="run" {
            h2 #run { "The run" }
            p { "These facts depend on where and how the program was run. They are no part of the report id." }
            dl.facts {
                @if let Some(operator) = &environment.operator { (fact("Operator", foreign(operator))) }
                @if let Some(case_id) = &environment.case_id { (fact("Case", foreign(case_id))) }
                (fact("Tool", foreign(&environment.tool)))
                @if let Some(sha256) = &environment.tool_sha256 { (fact("SHA-256 of the program", exact(sha256))) }
                @if let Some((_, arguments)) = environment.arguments.split_first() {
                    (fact("Command line", match shell::command(arguments.iter().map(String::as_str)) {
                        Some(command) => html! { code { (command) } },
                        None => html! { (UNWRITABLE) },
                    }))
                }
                (fact("Start", foreign(&environment.started)))
                (fact("End", foreign(&environment.finished)))
                (fact("Platform", foreign(&environment.platform)))
                (fact("Threads", html! { (environment.threads) }))
                (fact("Signature engine", html! {
                    (foreign(&environment.signature_engine)) ", " (grouped(environment.signatures_fast)) " signatures, "
                    (grouped(environment.signatures_cross_checked)) " of them judged a second time"
                }))
            }
            @if !folders.is_empty() { ul { @for line in &folders { li { bdi { (line) } } } } }
        }
    }
}
