//! Drawing: how each state and each sign looks. Shapes and patterns tell all of them apart without colour.

use maud::{Markup, html};

use super::lanes::{Sign, State};

/// A length in the picture, with one digit behind the point.
pub(super) fn length(value: f64) -> String {
    format!("{value:.1}")
}

/// The patterns, which all pictures of the page share.
pub(super) fn patterns() -> Markup {
    html! {
        svg.patterns width="0" height="0" aria-hidden="true" {
            defs {
                pattern id="fill-partly" width="6" height="6" patternUnits="userSpaceOnUse" {
                    rect.partly-ground width="6" height="6" {}
                    path.partly-line d="M-1,7 L7,-1 M-1,1 L1,-1 M5,7 L7,5" {}
                }
                pattern id="fill-uncovered" width="4" height="4" patternUnits="userSpaceOnUse" {
                    path.uncovered-line d="M0,1 H4" {}
                }
                pattern id="fill-untold" width="5" height="5" patternUnits="userSpaceOnUse" {
                    rect.untold-ground width="5" height="5" {}
                    circle.untold-dot cx="2.5" cy="2.5" r="1.2" {}
                }
                pattern id="fill-declared" width="4" height="4" patternUnits="userSpaceOnUse" {
                    rect.declared-ground width="4" height="4" {}
                    path.declared-line d="M2,0 V4" {}
                }
                pattern id="fill-faulty" width="6" height="6" patternUnits="userSpaceOnUse" {
                    rect.faulty-ground width="6" height="6" {}
                    path.faulty-line d="M0,0 L6,6 M6,0 L0,6" {}
                }
            }
        }
    }
}

/// How a state is filled: a class where it is plain, a pattern elsewhere.
fn fill(state: State) -> (&'static str, Option<&'static str>) {
    match state {
        State::Whole => ("whole", None),
        State::Partly => ("partly", Some("url(#fill-partly)")),
        State::Uncovered => ("uncovered", Some("url(#fill-uncovered)")),
        State::Untold => ("untold", Some("url(#fill-untold)")),
        State::Declared => ("declared", Some("url(#fill-declared)")),
        State::Missing => ("missing", None),
        State::Faulty => ("faulty", Some("url(#fill-faulty)")),
    }
}

/// A stretch of the band.
pub(super) fn stretch(state: State, x: f64, y: f64, width: f64, height: f64, title: &str) -> Markup {
    let (class, fill) = fill(state);
    html! {
        rect class=(class) fill=[fill] x=(length(x)) y=(length(y)) width=(length(width)) height=(length(height)) {
            title { (title) }
        }
    }
}

/// What a state means; `checked` and `unchecked` say of what.
pub(super) fn meaning(state: State, checked: &str) -> String {
    match state {
        State::Whole => format!("checked ({checked}), no fault"),
        State::Partly => "no fault, but not every check was made".to_owned(),
        State::Uncovered => "before the chain starts: covered by nothing".to_owned(),
        State::Untold => "faults lie here that are not listed".to_owned(),
        State::Declared => "a break that the ledger declares".to_owned(),
        State::Missing => "missing: no row has these numbers".to_owned(),
        State::Faulty => "rows with faults, or that an incident is about".to_owned(),
    }
}

/// The path of a sign around a point, and its class.
pub(super) fn sign(sign: Sign, x: f64, y: f64) -> Markup {
    let at = format!("translate({},{})", length(x), length(y));
    let path = |class: &str, d: &str| {
        html! { path class=(class) transform=(at) d=(d) {} }
    };
    match sign {
        Sign::Fault => path("bar", "M-3,6 V-6 H3 V6 Z"),
        Sign::Break => path("sign bad", "M2,-7 L-3,-2 L3,1 L-2,7"),
        Sign::Gap => path("sign bad", "M-5,-5 H-2 V5 H-5 M5,-5 H2 V5 H5"),
        Sign::Fork => path("sign bad", "M-6,0 H-1 L5,-5 M-1,0 L5,5"),
        Sign::Declared => path("sign odd", "M0,-6 L6,0 L0,6 L-6,0 Z"),
        Sign::Anchor => path("sign good", "M-6,0 A6,6 0 1 1 6,0 A6,6 0 1 1 -6,0 M-3,0 L-1,3 L3,-3"),
        Sign::AnchorDiffers => path("sign bad", "M-6,0 A6,6 0 1 1 6,0 A6,6 0 1 1 -6,0 M-3,-3 L3,3 M3,-3 L-3,3"),
        Sign::AnchorOpen => path("sign odd", "M-6,0 A6,6 0 1 1 6,0 A6,6 0 1 1 -6,0 M-2,0 H2"),
    }
}

/// What a sign means.
pub(super) fn sign_meaning(sign: Sign) -> &'static str {
    match sign {
        Sign::Fault => "faults; a higher bar stands for more of them",
        Sign::Break => "break: a link to the row before does not hold",
        Sign::Gap => "gap: sequence numbers are missing here",
        Sign::Fork => "fork: two rows follow the same row",
        Sign::Declared => "declared break",
        Sign::Anchor => "anchor that states what the export shows",
        Sign::AnchorDiffers => "anchor that states something else",
        Sign::AnchorOpen => "anchor that could not be compared",
    }
}

/// A sample of a state, for the legend.
pub(super) fn sample(state: State) -> Markup {
    html! {
        svg.sample viewBox="0 0 28 14" width="28" height="14" aria-hidden="true" {
            (bare(state))
        }
    }
}

fn bare(state: State) -> Markup {
    let (class, fill) = fill(state);
    html! { rect class=(class) fill=[fill] x="1" y="1" width="26" height="12" {} }
}

/// A sample of a sign, for the legend.
pub(super) fn sign_sample(of: Sign) -> Markup {
    html! {
        svg.sample viewBox="0 0 28 16" width="28" height="16" aria-hidden="true" { (sign(of, 14.0, 8.0)) }
    }
}

/// A sample of the line under the band, for the legend.
pub(super) fn line_sample(anchored: bool) -> Markup {
    html! {
        svg.sample viewBox="0 0 28 14" width="28" height="14" aria-hidden="true" {
            path class=(reach(anchored)) d="M1,7 H27" {}
        }
    }
}

/// The class of the line that says whether an anchor reaches a row.
pub(super) fn reach(anchored: bool) -> &'static str {
    if anchored { "anchored" } else { "unanchored" }
}
