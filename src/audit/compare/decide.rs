//! What two rows at one place of a chain mean for it.
//!
//! Decided here: a chain goes on, forks, or cannot be followed any more. Where one export starts later, its first row
//! is looked for in the other by what both state: the number, or else the link. That only chooses which rows are
//! compared; whether they are one row is decided by their bytes and digests alone.

use std::sync::Arc;

use super::fork::At;
use super::lane::State;
use super::pairing::{Pairing, REMEMBERED};
use super::reading::{Kept, is_same};
use super::weigh::{Two, Weighed};
use crate::chain::Tip;
use crate::fact::{Before, Digest, Facts};
use crate::report::compare::{MOST_FORKS, Side};

impl Pairing<'_> {
    /// Put two rows side by side; gives the one that must wait on, if one must.
    pub(super) fn pair(&mut self, index: usize, a: &Kept, b: &Kept) -> Option<Side> {
        match self.lanes[index].state {
            State::Together => {}
            State::Forked(_) => {
                self.behind_fork(index, a, b);
                return None;
            }
            State::Lost => {
                self.tally.uncompared += 2;
                return None;
            }
        }
        if is_same(&a.line(), &b.line()) {
            self.match_rows(index, [a.clone(), b.clone()]);
            return None;
        }
        let [before_a, before_b] = self.before(index);
        let places = [a.place, b.place];
        match self.scales.weigh((&a.line(), &before_a), (&b.line(), &before_b)) {
            Weighed::Blank(true, true) => return None,
            Weighed::Blank(true, false) => return Some(Side::B),
            Weighed::Blank(false, _) => return Some(Side::A),
            Weighed::Unreadable(of_a, of_b) => {
                // One of each at one place: which rows follow is not in doubt.
                if of_a && of_b {
                    self.tally.unreadable(Side::A, a.place);
                    self.tally.unreadable(Side::B, b.place);
                    return None;
                }
                let (side, row) = if of_a { (Side::A, a) } else { (Side::B, b) };
                self.unreadable(side, row.place);
                return Some(side.other());
            }
            Weighed::Rewritten => self.tally.rewritten.add(places, None),
            Weighed::Uncovered(members) => self.tally.uncovered.add(places, Some(members)),
            Weighed::Unproven(members) => self.tally.unproven.add(places, Some(members)),
            Weighed::Two(two) => return self.two(index, [a, b], *two),
        }
        self.match_rows(index, [a.clone(), b.clone()]);
        None
    }

    /// Two rows that are not one.
    fn two(&mut self, index: usize, rows: [&Kept; 2], two: Two) -> Option<Side> {
        let [of_a, of_b] = [two.a.sequence, two.b.sequence];
        let one_number = of_a.is_some() && of_a == of_b;
        if !one_number && self.open != [0, 0] {
            return self.beside_unreadable(index, &two);
        }
        if self.lanes[index].is_fresh()
            && !one_number
            && let Some(outcome) = self.align(index, &two)
        {
            return outcome;
        }
        self.fork(index, rows, two);
        None
    }

    /// Lines before could not be read, and one of these may be the row that stands beside one of them.
    fn beside_unreadable(&mut self, index: usize, two: &Two) -> Option<Side> {
        for side in Side::BOTH {
            let (own, other) = if side == Side::A { (&two.a, &two.b) } else { (&two.b, &two.a) };
            if self.open[side.index()] > 0 && self.is_before(other, own) {
                self.open[side.index()] -= 1;
                self.tally.uncompared += 1;
                return Some(side);
            }
        }
        self.lose(index);
        None
    }

    /// Whether a row is known to stand before another one in its chain.
    fn is_before(&self, first: &Facts, then: &Facts) -> bool {
        match (first.sequence, then.sequence) {
            (Some(first), Some(then)) => first < then,
            _ => self.is_linked(first, then),
        }
    }

    /// Whether a row states another one as its predecessor.
    fn is_linked(&self, first: &Facts, then: &Facts) -> bool {
        let named = then.prev.as_ref().and_then(|previous| Tip::of(first, None).is_named_by(previous));
        !self.plan.late && named == Some(true)
    }

    /// The rows of this chain cannot be put side by side.
    fn lose(&mut self, index: usize) {
        self.tally.lost += 1;
        self.give_up(index);
    }

    /// Nothing more is compared of this chain; two of its rows were just to be.
    fn give_up(&mut self, index: usize) {
        self.lanes[index].state = State::Lost;
        let held =
            self.lanes[index].held.each_ref().map(|held| (held.len(), held.iter().map(Kept::size).sum::<usize>()));
        for (side, (count, size)) in held.into_iter().enumerate() {
            self.tally.uncompared += count as u64;
            self.waiting[side] -= size;
        }
        self.lanes[index].held = Default::default();
        self.tally.uncompared += 2;
    }

    /// No row of this chain was compared yet: one of the two may start later. `None` where both rows are known to
    /// stand at one place.
    fn align(&mut self, index: usize, two: &Two) -> Option<Option<Side>> {
        let lane = &self.lanes[index];
        let genesis = |facts: &Facts| !self.plan.late && facts.prev == Some(Digest::GENESIS);
        let lower = match (two.a.sequence, two.b.sequence) {
            (Some(a), Some(b)) => Some(if a < b { Side::A } else { Side::B }),
            _ if !self.plan.late && two.a.prev.is_some() && two.a.prev == two.b.prev => return None,
            _ => lane.skipping.or(match (genesis(&two.a), genesis(&two.b)) {
                (true, false) => Some(Side::A),
                (false, true) => Some(Side::B),
                _ => None,
            }),
        };
        let Some(lower) = lower.filter(|lower| lane.skipping.is_none_or(|skipping| skipping == *lower)) else {
            self.lose(index);
            self.tally.lost -= 1;
            self.tally.apart += 1;
            return Some(None);
        };
        let (row, other) = if lower == Side::A { (&two.a, &two.b) } else { (&two.b, &two.a) };
        // Rows of this chain may have been compared before: only its very first one has none before it.
        if lane.earlier && lane.skipping.is_none() && !genesis(row) {
            return None;
        }
        let aligned = row.sequence.is_none() && self.is_linked(row, other);
        let lane = &mut self.lanes[index];
        lane.skipping = Some(lower);
        lane.aligned = aligned;
        lane.skipped += 1;
        self.tally.skip(lower, row.place);
        Some(Some(lower.other()))
    }

    /// From here on the chain has two histories.
    fn fork(&mut self, index: usize, rows: [&Kept; 2], two: Two) {
        if self.has_chains() && self.lanes[index].name.is_none() {
            // Of which chain each of them is, is not known: they may stand at two places of it, or in two chains.
            self.tally.unnamed.add(rows.map(|row| row.place), Some(two.members));
            self.give_up(index);
            return;
        }
        let before = self.before(index);
        let lane = &self.lanes[index];
        self.tally.forked += 1;
        if self.forks.len() >= MOST_FORKS {
            self.lanes[index].state = State::Forked(None);
            return;
        }
        let last = self.last(index).clone();
        let at = At {
            chain: lane.name.clone(),
            rows,
            last: last.each_ref().map(|last| last.as_deref()),
            before,
            first: self.prefix == 0 && lane.matched == 0 && lane.skipped == 0,
        };
        let open = self.close.look(&at, two);
        self.lanes[index].state = State::Forked(Some(self.forks.len()));
        self.forks.push(open);
    }

    /// The last rows that both have of this chain. Rows that name no chain are of the only one there is.
    fn last(&self, index: usize) -> &[Option<Arc<Kept>>; 2] {
        let own = &self.lanes[index].last;
        let [_, _] = self.lanes.as_slice() else { return own };
        let Some(unnamed) = self.lanes.iter().find(|lane| lane.name.is_none()) else { return own };
        let is_later = own.iter().zip(&unnamed.last).all(|pair| match pair {
            (Some(own), Some(unnamed)) => unnamed.place > own.place,
            (own, _) => own.is_none(),
        });
        if is_later { &unnamed.last } else { own }
    }

    /// Two rows behind the fork of their chain.
    pub(super) fn behind_fork(&mut self, index: usize, a: &Kept, b: &Kept) {
        let State::Forked(Some(fork)) = self.lanes[index].state else { return };
        let Some(open) = self.forks.get_mut(fork) else { return };
        self.close.behind(open, Side::A, a);
        self.close.behind(open, Side::B, b);
        if is_same(&a.line(), &b.line()) {
            open.fork.equal_behind += 1;
            open.fork.joined.get_or_insert([a.place, b.place]);
        } else {
            open.fork.joined = None;
        }
    }

    /// A row behind the end of the other export.
    pub(super) fn alone(&mut self, index: usize, side: Side, row: &Kept) {
        let lane = &self.lanes[index];
        match lane.state {
            // Its rows were never put side by side: behind what, is not known.
            State::Together if lane.is_fresh() && lane.skipping.is_some() => self.tally.uncompared += 1,
            State::Together => self.behind(side, &row.line()),
            State::Lost => self.tally.uncompared += 1,
            State::Forked(fork) => {
                if let Some(open) = fork.and_then(|fork| self.forks.get_mut(fork)) {
                    self.close.behind(open, side, row);
                }
            }
        }
    }

    /// Two rows are one.
    pub(super) fn match_rows(&mut self, index: usize, rows: [Kept; 2]) {
        self.tally.reordered |= rows[0].number != rows[1].number;
        self.lanes[index].matched += 1;
        self.tally.matched += 1;
        self.remember(index, rows);
    }

    /// These are the last rows that both have of this chain.
    pub(super) fn remember(&mut self, index: usize, rows: [Kept; 2]) {
        let lane = &mut self.lanes[index];
        let forgotten: usize = lane.last.iter().flatten().map(|row| row.size()).sum();
        self.remembered -= forgotten;
        let size: usize = rows.iter().map(Kept::size).sum();
        let keeps = self.remembered + size <= REMEMBERED || self.lanes.len() == 1;
        let lane = &mut self.lanes[index];
        lane.last = if keeps { rows.map(|row| Some(Arc::new(row))) } else { [None, None] };
        self.remembered += if keeps { size } else { 0 };
    }

    /// What the row before leaves for the next one of this chain, in each.
    fn before(&mut self, index: usize) -> [Before; 2] {
        if !self.plan.carries() {
            return [Before::Unknown, Before::Unknown];
        }
        let lane = &self.lanes[index];
        let first = self.prefix == 0 && lane.matched == 0 && lane.skipped == 0;
        let last = lane.last.clone();
        last.map(|row| match row {
            Some(row) => self.scales.left(&row),
            None if first => Before::First,
            None => Before::Unknown,
        })
    }

    /// Both were read to their end: what still waits has nothing beside it.
    pub(super) fn finish(&mut self) {
        for index in 0..self.lanes.len() {
            let held = std::mem::take(&mut self.lanes[index].held);
            let lane = &self.lanes[index];
            if lane.is_fresh() && lane.skipping.is_some()
                || lane.aligned && lane.matched == 0 && held.iter().any(|held| !held.is_empty())
            {
                self.tally.apart += 1;
                self.lanes[index].state = State::Lost;
            }
            for (side, rows) in Side::BOTH.into_iter().zip(held) {
                rows.iter().for_each(|row| self.alone(index, side, row));
            }
        }
    }
}
