//! The picture in words: its legend, its description for readers who do not see it, and its stretches as a table.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::Report;
use super::super::figures::grouped;
use super::draw::{line_sample, meaning, sample, sign_meaning, sign_sample};
use super::known;
use super::lanes::{Axis, Lane, Lanes, Sign, State};
use super::picture::{from_to, noun};
use super::times;
use super::words::name;

/// Stretches that the description tells.
const TOLD: usize = 12;

/// Rows of the table.
const LISTED: usize = 40;

/// The legend: the states and signs that occur, and what else must be known.
pub(super) fn legend(all: &Lanes, report: &Report, times: Option<&times::Line>) -> Markup {
    let states: BTreeSet<State> = all.lanes.iter().flat_map(|lane| &lane.stretches).map(|(_, state)| *state).collect();
    let signs: BTreeSet<Sign> = all.lanes.iter().flat_map(|lane| &lane.marks).map(|mark| mark.sign).collect();
    let anchored = all.lanes.iter().any(|lane| lane.anchored.is_some());
    let unanchored = all.lanes.iter().any(|lane| lane.anchored.is_none_or(|reached| reached < lane.last));
    let checked = known::checked_for(report);
    html! {
        ul.legend {
            @for &state in &states { li { (sample(state)) " " (meaning(state, &checked)) } }
            @for &sign in &signs { li { (sign_sample(sign)) " " (sign_meaning(sign)) } }
            @if anchored { li { (line_sample(true)) " an anchor reaches these rows" } }
            @if unanchored { li { (line_sample(false)) " no anchor reaches these rows" } }
        }
        ul.words {
            li {
                @match all.axis {
                    Axis::Sequence => "From left to right run the sequence numbers of the rows.",
                    Axis::Line => "From left to right run the lines of the files.",
                }
                " Where many rows share a place, the worst of them is drawn; a number beside a mark says how many it stands for (k: thousands, M: millions)."
            }
            @if !all.unchecked.is_empty() && states.contains(&State::Partly) {
                li { "Not every check was made of the hatched rows: " (all.unchecked.join("; ")) "." }
            }
            @for words in &all.words { li { (words) } }
            @if let Some(times) = times { li { (times.words()) } }
        }
    }
}

/// What the picture shows, in one paragraph.
pub(super) fn description(all: &Lanes, report: &Report) -> String {
    let (noun, checked) = (noun(all.axis, report), known::checked_for(report));
    let of_lane = |lane: &Lane| {
        let mut parts: Vec<String> = lane
            .stretches
            .iter()
            .take(TOLD)
            .map(|(span, state)| format!("{}: {}", from_to(*span, &noun), meaning(*state, &checked)))
            .collect();
        if lane.stretches.len() > TOLD {
            parts.push(format!("and {} more stretches", grouped((lane.stretches.len() - TOLD) as u64)));
        }
        let name = lane.name.as_deref().map(|chain| format!("chain {}, ", name(chain))).unwrap_or_default();
        format!("{name}{}.", parts.join("; "))
    };
    all.lanes.iter().map(of_lane).collect::<Vec<_>>().join(" ")
}

/// The stretches as a table, for print and for readers who do not see the picture.
pub(super) fn table(all: &Lanes, report: &Report) -> Markup {
    let checked = known::checked_for(report);
    let several = all.lanes.len() > 1;
    let rows: usize = all.lanes.iter().map(|lane| lane.stretches.len()).sum();
    let stretches = all.lanes.iter().flat_map(|lane| lane.stretches.iter().map(move |stretch| (lane, stretch)));
    html! {
        h3 { "The stretches of the picture" }
        table {
            thead {
                tr {
                    @if several { th scope="col" { "Chain" } }
                    th scope="col" { @match all.axis { Axis::Sequence => "From row", Axis::Line => "From line" } }
                    th scope="col" { "To" }
                    th scope="col" { "What is known" }
                }
            }
            tbody {
                @for (lane, ((first, last), state)) in stretches.take(LISTED) {
                    tr {
                        @if several { td { (lane.name.as_deref().map(name).unwrap_or_default()) } }
                        td.number { (grouped(*first)) }
                        td.number { (grouped(*last)) }
                        td { (sample(*state)) " " (meaning(*state, &checked)) }
                    }
                }
            }
        }
        @if rows > LISTED { p { "… and " (grouped((rows - LISTED) as u64)) " more stretches." } }
    }
}
