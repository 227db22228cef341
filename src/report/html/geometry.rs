//! Geometry of the picture: scales, columns, bins and the places of labels.
//!
//! Pure arithmetic, which knows no report: positions are numbers of rows or lines, results are lengths in the
//! picture's own unit. Whatever the positions are, nothing leaves the box, no two labels overlap, and bins add
//! up to what was put in.

use std::collections::BTreeMap;

/// An inclusive stretch of positions.
pub(super) type Span = (u64, u64);

/// Which part of the width a stretch without rows may take where the scale is cut short, as a share of all rows.
const GAP_SHARE: f64 = 0.08;

/// Positions onto a width. Where no rows are, the scale is cut short, so that a gap of a billion numbers does
/// not press the rows into a line.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Pieces in order, each with its first position, its number of positions and its left and right edge.
    pieces: Vec<Piece>,
    left: f64,
    right: f64,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    start: u64,
    length: u64,
    left: f64,
    right: f64,
    cut: bool,
}

impl Scale {
    /// A scale of the positions `extent` onto `left` to `right`. `gaps` are the stretches without rows.
    pub(super) fn new(extent: Span, gaps: &[Span], left: f64, right: f64) -> Self {
        let mut pieces = Vec::new();
        let (mut next, last) = (extent.0, extent.1.max(extent.0));
        let mut gaps: Vec<Span> = gaps.iter().map(|&(a, b)| (a.max(next), b.min(last))).collect();
        gaps.sort_unstable();
        let piece = |start, end: u64, cut| Piece { start, length: (end - start).saturating_add(1), left, right, cut };
        for (start, end) in gaps {
            let start = start.max(next);
            if start > end {
                continue;
            }
            if start > next {
                pieces.push(piece(next, start - 1, false));
            }
            pieces.push(piece(start, end, true));
            next = end.saturating_add(1);
        }
        if next <= last {
            pieces.push(piece(next, last, false));
        }
        let sum = |cut: bool| pieces.iter().filter(|piece| piece.cut == cut).map(|piece| piece.length as f64).sum();
        let (rows, missing): (f64, f64) = (sum(false), sum(true));
        let gaps = pieces.iter().filter(|piece| piece.cut).count().max(1) as f64;
        // Gaps are cut only where they would take more than half of the width, and then take less than half.
        let most = if rows > 0.0 && missing > rows { rows * GAP_SHARE.min(1.0 / gaps) } else { f64::INFINITY };
        let weight = |piece: &Piece| {
            let length = piece.length as f64;
            if piece.cut { length.min(most) } else { length }
        };
        let total: f64 = pieces.iter().map(weight).sum();
        let mut so_far = 0.0;
        for piece in &mut pieces {
            let at = |sum: f64| (left + (right - left) * sum / total.max(f64::MIN_POSITIVE)).clamp(left, right);
            piece.left = at(so_far);
            // A gap that is drawn in its true length is no cut.
            let own = weight(piece);
            piece.cut = piece.cut && own < piece.length as f64;
            so_far += own;
            piece.right = at(so_far);
        }
        Scale { pieces, left, right }
    }

    /// The left edge of a position; the right end of the scale for what lies behind it.
    pub(super) fn left_of(&self, position: u64) -> f64 {
        let behind = self.pieces.partition_point(|piece| piece.start <= position);
        let Some(piece) = behind.checked_sub(1).and_then(|index| self.pieces.get(index)) else { return self.left };
        let offset = (position - piece.start) as f64 / piece.length as f64;
        (piece.left + (piece.right - piece.left) * offset).clamp(piece.left, piece.right)
    }

    /// The right edge of a position.
    pub(super) fn right_of(&self, position: u64) -> f64 {
        position.checked_add(1).map_or(self.right, |next| self.left_of(next))
    }

    /// The middle of a position.
    pub(super) fn middle_of(&self, position: u64) -> f64 {
        (self.left_of(position) + self.right_of(position)) / 2.0
    }

    /// Its pieces in order: the positions of each, its edges, and whether it is cut short.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (Span, f64, f64, bool)> {
        self.pieces.iter().map(|piece| {
            let end = piece.start.saturating_add(piece.length - 1);
            ((piece.start, end), piece.left, piece.right, piece.cut)
        })
    }
}

/// A run of neighbouring columns in one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Run<S> {
    /// The state.
    pub(super) state: S,
    /// Its left edge.
    pub(super) left: f64,
    /// Its right edge.
    pub(super) right: f64,
    /// The first and last position in that state which the run shows.
    pub(super) span: Span,
    /// How many stretches it shows.
    pub(super) stretches: u64,
}

/// Paint stretches in columns of this width. The greatest state of a column wins, so that one bad row among a
/// billion good ones is still drawn.
pub(super) fn paint<S: Copy + Ord>(
    stretches: &[(Span, S)],
    scale: &Scale,
    left: f64,
    right: f64,
    width: f64,
) -> Vec<Run<S>> {
    let columns = columns(left, right, width);
    let mut painted: Vec<Option<Run<S>>> = vec![None; columns];
    for &(span, state) in stretches {
        let from = column(scale.left_of(span.0), left, width).min(columns - 1);
        let to = last_column(scale.right_of(span.1), left, width).clamp(from, columns - 1);
        let range = painted.get_mut(from..=to);
        for slot in range.into_iter().flatten() {
            match slot {
                Some(run) if run.state > state => {}
                Some(run) if run.state == state => {
                    run.span = (run.span.0.min(span.0), run.span.1.max(span.1));
                    run.stretches += 1;
                }
                _ => *slot = Some(Run { state, left, right, span, stretches: 1 }),
            }
        }
    }
    let mut runs: Vec<Run<S>> = Vec::new();
    let mut open = false;
    for (index, slot) in painted.into_iter().enumerate() {
        let edge = |index: usize| (left + index as f64 * width).min(right);
        let Some(run) = slot else {
            open = false;
            continue;
        };
        match runs.last_mut().filter(|last| open && last.state == run.state) {
            Some(last) => {
                let shared = run.span.0 <= last.span.1;
                last.stretches += if shared { run.stretches.saturating_sub(1) } else { run.stretches };
                last.span = (last.span.0.min(run.span.0), last.span.1.max(run.span.1));
                last.right = edge(index + 1);
            }
            None => runs.push(Run { left: edge(index), right: edge(index + 1), ..run }),
        }
        open = true;
    }
    runs
}

fn columns(left: f64, right: f64, width: f64) -> usize {
    // A float becomes the nearest integer that fits: no overflow.
    (((right - left) / width).ceil() as usize).max(1)
}

fn column(x: f64, left: f64, width: f64) -> usize {
    ((x - left) / width).floor() as usize
}

/// The last column that something with this right edge touches.
fn last_column(x: f64, left: f64, width: f64) -> usize {
    (((x - left) / width).ceil() as usize).saturating_sub(1)
}

/// The stretches of `base` with what lies over it: neighbouring positions with the same greatest state, in order.
/// What lies outside `base` is taken as it is.
pub(super) fn partition<S: Copy + Ord>(base: Span, ground: S, over: &[(Span, S)]) -> Vec<(Span, S)> {
    let mut edges: Vec<(u64, bool, S)> = Vec::with_capacity(over.len() * 2 + 2);
    for &((first, last), state) in over.iter().chain(&[(base, ground)]).filter(|((first, last), _)| first <= last) {
        edges.push((first, true, state));
        edges.push((last.saturating_add(1), false, state));
    }
    edges.sort_unstable_by_key(|&(position, ..)| position);
    let mut active: BTreeMap<S, u64> = BTreeMap::new();
    let mut out: Vec<(Span, S)> = Vec::new();
    let mut edges = edges.into_iter().peekable();
    while let Some((position, opens, state)) = edges.next() {
        let count = active.entry(state).or_default();
        *count = if opens { *count + 1 } else { count.saturating_sub(1) };
        let Some(&(next, ..)) = edges.peek() else { break };
        let greatest = active.iter().rev().find(|&(_, &count)| count > 0).map(|(&state, _)| state);
        let (Some(state), true) = (greatest, next > position) else { continue };
        match out.last_mut().filter(|(span, last)| *last == state && span.1 + 1 == position) {
            Some((span, _)) => span.1 = next - 1,
            None => out.push(((position, next - 1), state)),
        }
    }
    out
}

/// Marks that are drawn as one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bin {
    /// Where it is drawn.
    pub(super) middle: f64,
    /// The first and last position in it.
    pub(super) span: Span,
    /// How many marks it holds.
    pub(super) count: u64,
    /// Index of its first mark among those that were put in.
    pub(super) first: usize,
}

/// Gather marks in bins of this width, each mark at its position. The middles keep half a width from the edges.
pub(super) fn bins(positions: &[u64], scale: &Scale, left: f64, right: f64, width: f64) -> Vec<Bin> {
    let count = columns(left, right, width);
    let width = (right - left) / count as f64;
    let mut bins: Vec<Option<Bin>> = vec![None; count];
    for (first, &position) in positions.iter().enumerate() {
        let index = column(scale.middle_of(position), left, width).min(count - 1);
        let Some(slot) = bins.get_mut(index) else { continue };
        match slot {
            Some(bin) => {
                bin.span = (bin.span.0.min(position), bin.span.1.max(position));
                bin.count += 1;
            }
            None => {
                let middle = left + (index as f64 + 0.5) * width;
                *slot = Some(Bin { middle, span: (position, position), count: 1, first });
            }
        }
    }
    bins.into_iter().flatten().collect()
}

/// A label: its text starts at `left` and takes `width`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// Left edge.
    pub(super) left: f64,
    /// Width, as estimated.
    pub(super) width: f64,
    /// What it says.
    pub(super) text: String,
}

/// Place labels around the wished middles, the first ones first; what has no room is left out.
pub(super) fn labels(wished: Vec<(f64, String)>, left: f64, right: f64, glyph: f64) -> Vec<Label> {
    let mut placed: Vec<Label> = Vec::new();
    for (middle, text) in wished {
        let width = text.chars().count() as f64 * glyph;
        if width > right - left {
            continue;
        }
        let start = (middle - width / 2.0).clamp(left, right - width);
        let free = |label: &Label| start >= label.left + label.width + glyph || start + width + glyph <= label.left;
        if placed.iter().all(free) {
            placed.push(Label { left: start, width, text });
        }
    }
    placed
}

/// A number in four characters at most: `999`, `12k`, `3M`; a unit that is not full is not counted.
pub(super) fn compact(number: u64) -> String {
    let units = ["", "k", "M", "G", "T", "P", "E"];
    let (mut left, mut unit) = (number, 0);
    while left >= 1000 && unit + 1 < units.len() {
        (left, unit) = (left / 1000, unit + 1);
    }
    format!("{left}{}", units.get(unit).copied().unwrap_or_default())
}

/// Round numbers strictly between two positions, about `wished` of them.
pub(super) fn round_numbers((first, last): Span, wished: u64) -> Vec<u64> {
    let raw = last.saturating_sub(first).div_ceil(wished.max(1));
    let mut power = 1_u64;
    while power.saturating_mul(10) <= raw {
        power = power.saturating_mul(10);
    }
    let step = [1, 2, 5, 10].into_iter().map(|digit| power.saturating_mul(digit)).find(|&step| step >= raw);
    let step = step.unwrap_or(power).max(1);
    let start = (first / step).saturating_add(1).saturating_mul(step);
    let numbers = std::iter::successors(Some(start), |number| number.checked_add(step));
    numbers.take_while(|&number| number < last).take(100).collect()
}

#[cfg(test)]
mod tests;
