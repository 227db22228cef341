//! The picture of the chain: one band for each lane, faults above it, signs below it, its scale at the foot.
//!
//! It is drawn twice, for wide and for narrow pages; the style sheet shows one of them. What it draws was
//! decided by the lanes, and where by the geometry.

use maud::{Markup, html};
use unicode_width::UnicodeWidthStr;

use super::super::Report;
use super::super::escape::escape_cut;
use super::super::figures::{counted, grouped};
use super::draw::{length, meaning, patterns, reach, sign, stretch};
use super::geometry::{Bin, Run, Scale, Span, bins, compact, labels, paint, round_numbers};
use super::lanes::{Axis, Lane, Lanes, Mark, Sign, State, lanes};
use super::{known, legend, lines, times};

/// Widths of the two drawings.
pub(super) const WIDTHS: [(f64, &str); 2] = [(1000.0, "wide"), (330.0, "narrow")];

/// Room at both sides; to the right a chain's open end is drawn there.
pub(super) const MARGIN: (f64, f64) = (10.0, 26.0);

/// Width of a character of a label.
pub(super) const GLYPH: f64 = 7.0;

const HEADER: f64 = 20.0;
const TRACK: f64 = 34.0;
const BAND: f64 = 24.0;
const REACH: f64 = 10.0;
const ROW: f64 = 18.0;
const SCALE: f64 = 26.0;
const BETWEEN: f64 = 16.0;

/// Width of a column of the band, of a bar of faults, and of a place for a sign.
const COLUMN: f64 = 2.0;
const BAR: f64 = 7.0;
const SEAT: f64 = 42.0;

/// The signs that have a row of their own, in this order.
const ROWS: [Sign; 7] =
    [Sign::Break, Sign::Gap, Sign::Fork, Sign::Declared, Sign::Anchor, Sign::AnchorDiffers, Sign::AnchorOpen];

/// The whole section.
pub(super) fn section(report: &Report) -> Markup {
    let all = lanes(report);
    let times = times::Line::new(report);
    html! {
        section aria-labelledby="picture" {
            h2 #picture { "The chain as a picture" }
            @if all.lanes.is_empty() {
                p { "There is no row to draw." }
            } @else {
                (patterns())
                figure {
                    @for (width, name) in WIDTHS { (drawing(&all, report, width, name)) }
                    @if let Some(times) = &times {
                        @for (width, name) in WIDTHS { (times.drawing(width, name)) }
                    }
                    figcaption { (legend::legend(&all, report, times.as_ref())) }
                }
                (legend::table(&all, report))
            }
        }
    }
}

fn drawing(all: &Lanes, report: &Report, width: f64, name: &str) -> Markup {
    let mut top = 4.0;
    let mut bodies = Vec::new();
    for lane in &all.lanes {
        let (height, body) = one(lane, all.axis, report, width, top);
        bodies.push(body);
        top += height + BETWEEN;
    }
    let (title, desc) = (format!("picture-{name}-title"), format!("picture-{name}-desc"));
    html! {
        svg class={ "picture " (name) } role="img" aria-labelledby={ (title) " " (desc) }
            viewBox={ "0 0 " (length(width)) " " (length(top)) } {
            title id=(title) { (heading(all)) }
            desc id=(desc) { (legend::description(all, report)) }
            @for body in &bodies { (body) }
        }
    }
}

fn heading(all: &Lanes) -> String {
    let axis = match all.axis {
        Axis::Sequence => "sequence numbers",
        Axis::Line => "lines",
    };
    match all.lanes.len() {
        1 => format!("The chain on the axis of its {axis}"),
        lanes => format!("{} chains on the axes of their {axis}", grouped(lanes as u64)),
    }
}

/// One lane from this height on: its height and its drawing.
fn one(lane: &Lane, axis: Axis, report: &Report, width: f64, top: f64) -> (f64, Markup) {
    let (left, right) = (MARGIN.0, width - MARGIN.1);
    let scale = Scale::new(lane.extent, &holes(lane), left, right);
    let faults: Vec<&Mark> = lane.marks.iter().filter(|mark| mark.sign == Sign::Fault).collect();
    let band = top + HEADER + if faults.is_empty() { 0.0 } else { TRACK };
    let rows: Vec<Sign> = ROWS.into_iter().filter(|&sign| lane.marks.iter().any(|mark| mark.sign == sign)).collect();
    let signs = band + BAND + REACH;
    let foot = signs + rows.len() as f64 * ROW;
    let runs = paint(&lane.stretches, &scale, left, right, COLUMN);
    let noun = noun(axis, report);
    let body = html! {
        text.name x=(length(left)) y=(length(top + 13.0)) { (header(lane, axis, width)) }
        (track(&faults, &scale, (left, right), band, &noun))
        @for run in &runs { (stretch(run.state, run.left, band, run.right - run.left, BAND, &run_title(run, report, &noun))) }
        @for &border in &lane.borders {
            path.border d={ "M" (length(scale.left_of(border))) "," (length(band - 3.0)) " v" (length(BAND + 6.0)) } {
                title { "a file starts at line " (grouped(border)) }
            }
        }
        (cuts(&scale, band))
        (ends(lane, &scale, report, right, band))
        @for (index, &sign) in rows.iter().enumerate() {
            (seats(lane, sign, &scale, (left, right), signs + (index as f64 + 0.5) * ROW, &noun))
        }
        (foot_line(lane, &scale, (left, right), foot))
    };
    (foot + SCALE - top, body)
}

/// What the positions are called in titles.
pub(super) fn noun(axis: Axis, report: &Report) -> String {
    match axis {
        Axis::Sequence => "row".to_owned(),
        Axis::Line => lines::noun(report),
    }
}

/// Where no row is: there the scale may be cut short.
fn holes(lane: &Lane) -> Vec<Span> {
    let missing = lane.stretches.iter().filter(|(_, state)| *state == State::Missing).map(|(span, _)| *span);
    let pairs = lane.stretches.iter().zip(lane.stretches.iter().skip(1));
    let between = pairs.filter_map(|((before, _), (behind, _))| {
        let (first, next) = (before.1.checked_add(1)?, behind.0);
        (first < next).then(|| (first, next - 1))
    });
    missing.chain(between).collect()
}

fn header(lane: &Lane, axis: Axis, width: f64) -> String {
    let rows = counted(lane.rows, "row", "rows");
    let room = ((width - MARGIN.0 * 2.0) / GLYPH) as usize;
    let name = match (&lane.name, axis) {
        (Some(name), _) => {
            let mut name = escape_cut(name, 64).into_owned();
            // A wide character takes two places.
            while name.width() > room.saturating_sub(rows.len() + 3).max(4) {
                name.truncate(name.char_indices().nth_back(1).map_or(0, |(index, _)| index));
                name.push('…');
            }
            format!("{name}: ")
        }
        (None, Axis::Sequence) => String::new(),
        (None, Axis::Line) => "all files: ".to_owned(),
    };
    format!("{name}{rows}")
}

/// The bars of faults above the band.
fn track(faults: &[&Mark], scale: &Scale, (left, right): (f64, f64), band: f64, noun: &str) -> Markup {
    let positions: Vec<u64> = faults.iter().map(|mark| mark.at).collect();
    let bars = bins(&positions, scale, left, right, BAR);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1) as f64;
    // Faults of one row stand over this row, others over the middle of the rows that they share a bar with.
    let middle = |bar: &Bin| if bar.span.0 == bar.span.1 { scale.middle_of(bar.span.0) } else { bar.middle };
    let height = |bar: &Bin| if most > 1.0 { 6.0 + 12.0 * (bar.count as f64).ln() / most.ln() } else { 10.0 };
    let mut told: Vec<&Bin> = bars.iter().filter(|bar| bar.count > 1).collect();
    told.sort_by_key(|bar| std::cmp::Reverse(bar.count));
    let numbers = labels(told.iter().map(|bar| (middle(bar), compact(bar.count))).collect(), left, right, GLYPH);
    html! {
        @for bar in &bars {
            rect.bar x=(length(middle(bar) - 2.5)) y=(length(band - 2.0 - height(bar))) width="5" height=(length(height(bar))) {
                title { (bin_title(bar, faults.get(bar.first).copied(), "faults", noun)) }
            }
        }
        @for label in &numbers {
            text.count x=(length(label.left)) y=(length(band - 22.0)) { (label.text) }
        }
    }
}

/// The row of one sign below the band.
fn seats(lane: &Lane, of: Sign, scale: &Scale, (left, right): (f64, f64), y: f64, noun: &str) -> Markup {
    let marks: Vec<&Mark> = lane.marks.iter().filter(|mark| mark.sign == of).collect();
    let positions: Vec<u64> = marks.iter().map(|mark| mark.at).collect();
    let seats = bins(&positions, scale, left, right, SEAT);
    // A sign that is alone stands at its row; several stand in the middle of their place.
    let x = |seat: &Bin| match seat.count {
        // A link stands between two rows.
        1 if of == Sign::Break => scale.left_of(seat.span.0).clamp(left + 3.0, right),
        1 => scale.middle_of(seat.span.0),
        _ => seat.middle,
    };
    let numbers = seats.iter().filter(|seat| seat.count > 1);
    html! {
        @for seat in &seats {
            g {
                title { (bin_title(seat, marks.get(seat.first).copied(), "marks", noun)) }
                (sign(of, x(seat), y))
            }
        }
        @for seat in numbers {
            text.count x=(length(x(seat) + 8.0)) y=(length(y + 4.0)) { (compact(seat.count)) }
        }
    }
}

fn bin_title(bin: &Bin, first: Option<&Mark>, many: &str, noun: &str) -> String {
    match (bin.count, first) {
        (1, Some(mark)) => format!("{noun} {}: {}", grouped(bin.span.0), mark.told),
        _ => format!("{} {many}, {}", grouped(bin.count), from_to(bin.span, noun)),
    }
}

/// `row 7`, `row 7 to 9`.
pub(super) fn from_to((first, last): Span, noun: &str) -> String {
    if first == last {
        format!("{noun} {}", grouped(first))
    } else {
        format!("{noun} {} to {}", grouped(first), grouped(last))
    }
}

fn run_title(run: &Run<State>, report: &Report, noun: &str) -> String {
    let told = format!("{}: {}", from_to(run.span, noun), meaning(run.state, &known::checked_for(report)));
    match run.stretches {
        1 => told,
        stretches => format!("{told} ({} stretches, drawn as one)", grouped(stretches)),
    }
}

/// Where the scale is cut short.
fn cuts(scale: &Scale, band: f64) -> Markup {
    html! {
        @for (span, left, right, cut) in scale.pieces() {
            @if cut {
                path.cut d={
                    "M" (length((left + right) / 2.0 - 5.0)) "," (length(band + BAND + 4.0)) " l5,-" (length(BAND + 8.0))
                    " m5,0 l-5," (length(BAND + 8.0))
                } {
                    title { "not to scale: " (from_to(span, "row")) }
                }
            }
        }
    }
}

/// How far an anchor reaches, and how the chain ends.
fn ends(lane: &Lane, scale: &Scale, report: &Report, right: f64, band: f64) -> Markup {
    let first =
        lane.stretches.iter().find(|(_, state)| *state != State::Missing).map_or(lane.extent.0, |(span, _)| span.0);
    let y = length(band + BAND + 5.0);
    let (from, end) = (scale.left_of(first), scale.right_of(lane.last));
    let turn = lane.anchored.map_or(from, |last| scale.right_of(last).clamp(from, end));
    let open = turn < end;
    let unread = report.unfinished.is_some();
    let tail = if lane.extent.1 > lane.last { end } else { right + 16.0 };
    html! {
        @if turn > from {
            path class=(reach(true)) d={ "M" (length(from)) "," (y) " H" (length(turn)) } {
                title { "an anchor reaches these rows" }
            }
        }
        @if open || unread {
            path class=(reach(false)) d={ "M" (length(turn)) "," (y) " H" (length(tail)) } {
                title { "no anchor reaches these rows" }
            }
        }
        @if unread {
            path.unread d={ "M" (length(end)) "," (length(band)) " l6,6 l-6,6 l6,6 l-6,6" } {
                title { "reading ended here" }
            }
        }
    }
}

/// The scale at the foot: ticks with their numbers, as many as have room.
fn foot_line(lane: &Lane, scale: &Scale, (left, right): (f64, f64), foot: f64) -> Markup {
    let mut wished = vec![lane.extent.0, lane.extent.1];
    for (span, from, to, cut) in scale.pieces() {
        if !cut && to - from > 120.0 {
            wished.extend(round_numbers(span, ((to - from) / 110.0) as u64));
        }
    }
    let places = wished.iter().map(|&number| (scale.middle_of(number), grouped(number))).collect();
    let numbers = labels(places, 0.0, right + MARGIN.1, GLYPH);
    html! {
        path.axis d={ "M" (length(left)) "," (length(foot + 3.0)) " H" (length(right)) } {}
        @for &number in &wished {
            path.axis d={ "M" (length(scale.middle_of(number))) "," (length(foot)) " v6" } {}
        }
        @for label in &numbers {
            text.tick x=(length(label.left)) y=(length(foot + 20.0)) textLength=(length(label.width - 1.0)) lengthAdjust="spacingAndGlyphs" { (label.text) }
        }
    }
}
