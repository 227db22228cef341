//! What was seen while rows were compared, counted, with the first place of each.

use crate::fact::Place;
use crate::report::compare::{MemberDiff, MembersDiff, Remark, Side};

/// Pairs of rows of one kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub count: u64,
    first: [Option<Place>; 2],
    members: Vec<MemberDiff>,
}

impl Pairs {
    pub fn add(&mut self, places: [Place; 2], members: Option<MembersDiff>) {
        if self.count == 0 {
            self.first = places.map(Some);
            self.members = members.map(|members| members.listed).unwrap_or_default();
        }
        self.count += 1;
    }

    fn remark(&self, code: &'static str, message: impl Fn(u64) -> String) -> Option<Remark> {
        (self.count > 0).then(|| Remark {
            code,
            side: None,
            count: self.count,
            first: self.first,
            members: self.members.clone(),
            message: message(self.count),
        })
    }
}

/// Rows of one of the two.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OneSided {
    pub count: u64,
    pub first: Option<Place>,
}

impl OneSided {
    fn add(&mut self, place: Place) {
        self.count += 1;
        self.first.get_or_insert(place);
    }
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Rows that both have, since rows are compared.
    pub matched: u64,
    pub rewritten: Pairs,
    pub uncovered: Pairs,
    pub unproven: Pairs,
    unreadable: [OneSided; 2],
    skipped: [OneSided; 2],
    behind: [OneSided; 2],
    /// Rows that were not put beside any.
    pub uncompared: u64,
    /// Pairs of rows that differ and name no chain.
    pub unnamed: Pairs,
    /// Rows that are the same stand at different places of the two exports.
    pub reordered: bool,
    /// The first row behind the end of the other does not go on from a row that both have.
    loose: [bool; 2],
    /// Chains that forked, cannot be followed to the end, or have no row in common.
    pub forked: u64,
    pub lost: u64,
    pub apart: u64,
}

impl Tally {
    pub fn unreadable(&mut self, side: Side, place: Place) {
        self.unreadable[side.index()].add(place);
    }

    pub fn skip(&mut self, side: Side, place: Place) {
        self.skipped[side.index()].add(place);
    }

    pub fn behind(&mut self, side: Side, place: Place) {
        self.behind[side.index()].add(place);
    }

    pub fn loose(&mut self, side: Side) {
        self.loose[side.index()] = true;
    }

    /// Rows behind the end of the other, and the first of them.
    pub fn of_behind(&self, side: Side) -> OneSided {
        self.behind[side.index()]
    }

    /// What bounds the word.
    pub fn bounds(&self) -> Vec<Remark> {
        let mut bounds = Vec::new();
        let one = |code, side: Side, rows: OneSided, message: String| {
            let mut first = [None, None];
            first[side.index()] = rows.first;
            Remark { code, side: Some(side), count: rows.count, first, members: Vec::new(), message }
        };
        for side in Side::BOTH {
            let rows = self.unreadable[side.index()];
            if rows.count > 0 {
                let message = format!(
                    "{} of {} cannot be read as rows: what stood there was not compared",
                    lines(rows.count),
                    side.letter()
                );
                bounds.push(one("unreadable-rows", side, rows, message));
            }
        }
        for side in Side::BOTH {
            let rows = self.skipped[side.index()];
            if rows.count > 0 {
                let (own, other) = (side.letter(), side.other().letter());
                let message = format!(
                    "{other} starts later: {} at the start of {own} {} nothing beside {}",
                    rows_of(rows.count),
                    if rows.count == 1 { "has" } else { "have" },
                    if rows.count == 1 { "it" } else { "them" },
                );
                bounds.push(one("partial-overlap", side, rows, message));
            }
        }
        bounds.extend(self.uncovered.remark("members-differ", |count| {
            format!("{} with one digest differ in members that it does not cover", rows_of(count))
        }));
        bounds.extend(self.unproven.remark("unproven-rows", |count| {
            format!("{} are written in two ways, and no digest shows that they are one row", rows_of(count))
        }));
        let several = |code, count: u64, message: String| {
            (count > 0).then(|| Remark { code, side: None, count, first: [None, None], members: Vec::new(), message })
        };
        bounds.extend(several("no-common-row", self.apart, {
            format!("{} no row in common, or none by which they could be put side by side", chains(self.apart))
        }));
        bounds.extend(several("lost-place", self.lost, {
            format!("behind unreadable lines the rows of {} can no longer be put side by side", only_chains(self.lost))
        }));
        bounds.extend(self.unnamed.remark("unnamed-rows", |count| {
            format!(
                "{} that name no chain differ where they stand side by side: of which chain each is was not judged",
                rows_of(count)
            )
        }));
        for side in Side::BOTH.into_iter().filter(|side| self.loose[side.index()]) {
            let (own, other) = (side.letter(), side.other().letter());
            let message = format!(
                "the first row of {own} behind the end of {other} does not go on from a row that both have: it is not the \
                 next row of one history"
            );
            let mut first = [None, None];
            first[side.index()] = self.behind[side.index()].first;
            bounds.push(Remark { side: Some(side), first, ..plain("not-linked", message) });
        }
        if [Side::A, Side::B].iter().all(|side| self.of_behind(*side).count > 0) {
            let message = "each goes on in chains where the other ends: neither is a prefix of the other".to_owned();
            bounds.extend(several("crossed", 1, message));
        }
        bounds
    }

    /// What bounds the word where nothing else does: rows that are the same do not stand at the same places.
    pub fn order(&self) -> Option<Remark> {
        let message = "the same rows stand at different places of the two: rows of several chains follow each other in \
                       another order, or a row stands between them in one alone";
        self.reordered.then(|| plain("interleaved", message))
    }

    /// What changes nothing.
    pub fn notes(&self) -> Vec<Remark> {
        let mut notes = Vec::new();
        notes.extend(self.rewritten.remark("rewritten-rows", |count| {
            format!("{} are written in two ways: members and digest are the same", rows_of(count))
        }));
        notes
    }
}

/// A remark about nothing in particular.
pub(super) fn plain(code: &'static str, message: impl Into<String>) -> Remark {
    Remark { code, side: None, count: 1, first: [None, None], members: Vec::new(), message: message.into() }
}

fn lines(count: u64) -> String {
    crate::report::figures::counted(count, "line", "lines")
}

fn rows_of(count: u64) -> String {
    crate::report::figures::counted(count, "row", "rows")
}

fn chains(count: u64) -> String {
    match count {
        1 => "1 chain has".to_owned(),
        count => format!("{} chains have", crate::report::figures::grouped(count)),
    }
}

fn only_chains(count: u64) -> String {
    crate::report::figures::counted(count, "chain", "chains")
}
