//! The axis of time: the first and the last row, the last rows of the chains, and when anchors were made, as far
//! as these say so. Nothing is said of the rows between: their times are not in the report.

use jiff::Timestamp;
use maud::{Markup, html};

use super::super::Report;
use super::super::figures::grouped;
use super::draw::{length, sign};
use super::geometry::labels;
use super::lanes::{Sign, anchor_sign};
use super::picture::{GLYPH, MARGIN};
use super::words::name;

/// Times that are drawn of chains and of anchors.
const MAX_POINTS: usize = 200;

/// Width of a place for a mark.
const SEAT: f64 = 12.0;

/// What happened at a time.
#[derive(Clone, Debug)]
struct Point {
    at: Timestamp,
    anchor: Option<Sign>,
    told: String,
}

/// What is drawn on the axis of time.
#[derive(Clone, Debug)]
pub(super) struct Line {
    rows: Option<(Timestamp, Timestamp)>,
    points: Vec<Point>,
    start: Timestamp,
    end: Timestamp,
    more: usize,
}

impl Line {
    /// The axis of this report; `None` where no two times are known.
    pub(super) fn new(report: &Report) -> Option<Line> {
        let time = |text: &str| text.parse::<Timestamp>().ok();
        let coverage = &report.coverage;
        let ends = coverage.first_time.as_deref().and_then(time).zip(coverage.last_time.as_deref().and_then(time));
        let rows = ends.map(|(first, last)| (first.min(last), first.max(last)));
        let mut points = Vec::new();
        let several = report.chains.len() > 1;
        for chain in report.chains.iter().filter(|_| several) {
            let Some(at) = chain.last_time.as_deref().and_then(time) else { continue };
            let chain = chain.id.as_deref().map(|id| format!(" of {}", name(id))).unwrap_or_default();
            points.push(Point { at, anchor: None, told: format!("{at}: last row{chain}") });
        }
        for anchor in &report.anchors {
            let Some(at) = anchor.exported_at.as_deref().and_then(time) else { continue };
            points.push(Point {
                at,
                anchor: Some(anchor_sign(anchor)),
                told: format!("{at}: {} was made, as it says itself", anchor.kind.name()),
            });
        }
        let more = points.len().saturating_sub(MAX_POINTS);
        points.truncate(MAX_POINTS);
        let all =
            || rows.into_iter().flat_map(|(first, last)| [first, last]).chain(points.iter().map(|point| point.at));
        let (start, end) = all().min().zip(all().max())?;
        (start < end).then_some(Line { rows, points, start, end, more })
    }

    /// What must be said of it.
    pub(super) fn words(&self) -> String {
        let more = match self.more {
            0 => String::new(),
            more => format!(" {} more times are not drawn.", grouped(more as u64)),
        };
        format!(
            "The axis of time runs from {} to {}. Its times are those that rows and anchors state; between the first and the last row no times are in the report.{more}",
            self.start, self.end
        )
    }

    /// The drawing.
    pub(super) fn drawing(&self, width: f64, size: &str) -> Markup {
        let (left, right) = (MARGIN.0, width - MARGIN.1);
        let span = (self.end.as_second() - self.start.as_second()).max(1) as f64;
        let x = |at: Timestamp| {
            let share = (at.as_second() - self.start.as_second()) as f64 / span;
            (left + (right - left) * share).clamp(left, right)
        };
        let day = |at: Timestamp| at.to_string().chars().take(10).collect::<String>();
        let mut wished = vec![(x(self.start), day(self.start)), (x(self.end), day(self.end))];
        wished.extend(self.rows.iter().map(|(_, last)| (x(*last), day(*last))));
        wished.extend(self.points.iter().map(|point| (x(point.at), day(point.at))));
        let days = labels(wished, 0.0, width, GLYPH);
        let (title, desc) = (format!("time-{size}-title"), format!("time-{size}-desc"));
        html! {
            svg class={ "picture " (size) } role="img" aria-labelledby={ (title) " " (desc) }
                viewBox={ "0 0 " (length(width)) " 78" } {
                title id=(title) { "The axis of time" }
                desc id=(desc) { (self.words()) }
                text.name x=(length(left)) y="14" { "Time, as rows and anchors state it" }
                @if let Some((first, last)) = self.rows {
                    rect.time x=(length(x(first))) y="22" width=(length((x(last) - x(first)).max(2.0))) height="10" {
                        title { "rows from " (first) " to " (last) }
                    }
                }
                @for point in self.seated(x) {
                    g {
                        title { (point.told) }
                        @if let Some(anchor) = point.anchor { (sign(anchor, x(point.at), 44.0)) }
                        @else { path.axis d={ "M" (length(x(point.at))) ",20 v14" } {} }
                    }
                }
                path.axis d={ "M" (length(left)) ",55 H" (length(right)) } {}
                @for label in &days {
                    text.tick x=(length(label.left)) y="72" textLength=(length(label.width - 1.0)) lengthAdjust="spacingAndGlyphs" { (label.text) }
                }
            }
        }
    }

    /// The points, of several in one place only the first of each kind.
    fn seated(&self, x: impl Fn(Timestamp) -> f64) -> Vec<&Point> {
        let mut taken = std::collections::BTreeSet::new();
        self.points.iter().filter(|point| taken.insert((point.anchor, (x(point.at) / SEAT) as u64))).collect()
    }
}
