//! Rows of two exports side by side, chain by chain.
//!
//! Decided here: which rows belong together (those at the same place of their chain), where that place is if one
//! export starts later, and when two rows at one place are a fork. Rows of several chains may be interleaved in any
//! way; a row waits for the one beside it, and where too many wait the comparison is given up and says so.
//!
//! Chains explain what differs. That nothing differs is never concluded from them: rows that stand side by side in
//! their chains and not in the files are told as such, and bound the word.

use std::collections::HashMap;

use super::common::Common;
use super::fork::{Close, Open};
use super::lane::{Lane, State};
use super::reading::{Kept, Reading, is_row, is_same};
use super::tally::Tally;
use super::weigh::Scales;
use crate::chain::Tip;
use crate::fact::{Digest, Place, Recipe};
use crate::profile::{Layout, Plan};
use crate::read::Line;
use crate::report::compare::Side;
use crate::trust::keyring::Keyring;

/// Bytes of rows that wait for the one beside them.
pub(super) const WAITING: usize = 256 << 20;

/// Bytes of rows that are kept as the last ones of their chains.
pub(super) const REMEMBERED: usize = 64 << 20;

/// Why rows are no longer compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivenUp {
    /// Too many wait.
    Waiting,
    /// There are more chains than are kept apart: this row starts one.
    Chains(Place),
}

/// The comparison of rows under way.
#[derive(Debug)]
pub(super) struct Pairing<'p> {
    pub(super) plan: &'p Plan,
    pub(super) scales: Scales<'p>,
    pub(super) close: Close<'p>,
    pub(super) lanes: Vec<Lane>,
    by_name: HashMap<Option<String>, usize>,
    pub(super) waiting: [usize; 2],
    pub(super) remembered: usize,
    /// Lines of each that could not be read, and that no row of the other was put beside so far.
    pub(super) open: [u64; 2],
    /// Rows that both had before rows were compared.
    pub(super) prefix: u64,
    max_chains: usize,
    most_waiting: usize,
    pub tally: Tally,
    pub forks: Vec<Open>,
    pub given_up: Option<GivenUp>,
}

impl<'p> Pairing<'p> {
    pub fn new(
        plan: &'p Plan,
        (digests, keys): (&'p Keyring, &'p Keyring),
        recipe: Recipe,
        (max_chains, most_waiting): (usize, usize),
    ) -> Self {
        Pairing {
            plan,
            scales: Scales::new(plan, digests, recipe),
            close: Close::new(plan, keys, recipe),
            lanes: Vec::new(),
            by_name: HashMap::new(),
            waiting: [0, 0],
            remembered: 0,
            open: [0, 0],
            prefix: 0,
            max_chains,
            most_waiting,
            tally: Tally::default(),
            forks: Vec::new(),
            given_up: None,
        }
    }

    /// Both go on from here.
    pub fn start(&mut self, common: &Common) {
        self.prefix = common.rows;
        let text = matches!(self.plan.input.layout, Layout::Lines { .. });
        if let Some(batch) = common.last.as_ref().filter(|_| self.has_chains()) {
            for line in batch.lines().filter(|line| is_row(line, text)) {
                let Some(name) = self.scales.chain(&line) else { continue };
                if let Some(lane) = self.lane(name, line.place) {
                    self.lanes[lane].matched += 1;
                    self.remember(lane, [Kept::of(&line), Kept::of(&line)]);
                }
            }
            self.lanes.iter_mut().for_each(|lane| lane.earlier = false);
        } else if let Some(row) = &common.last_row
            && let Some(lane) = self.lane(None, row.place)
        {
            self.lanes[lane].matched = 1;
            self.remember(lane, [row.clone(), row.clone()]);
        }
    }

    /// Whether rows are side by side in all chains.
    fn is_plain(&self) -> bool {
        self.tally.forked == 0 && self.tally.lost == 0 && self.tally.apart == 0 && self.tally.unnamed.count == 0
    }

    pub(super) fn has_chains(&self) -> bool {
        self.plan.fields.group.is_some() && !self.plan.chain.single_group
    }

    /// Compare to the end of both; `advanced` is told now and then and says whether to go on.
    pub fn run<'e>(&mut self, a: &mut Reading<'e>, b: &mut Reading<'e>, advanced: &mut dyn FnMut(u64) -> bool) -> bool {
        let mut done = 0_u64;
        loop {
            let more = [a.has_row(), b.has_row()];
            let (side, alone) = match more {
                [false, false] => return true,
                [true, false] => (Side::A, true),
                [false, true] => (Side::B, true),
                [true, true] if self.waiting == [0, 0] && self.step_both(a, b) => {
                    done += 1;
                    if done.is_multiple_of(4096) && !advanced(a.sums.bytes() + b.sums.bytes()) {
                        return false;
                    }
                    continue;
                }
                [true, true] if self.waiting[0] <= self.waiting[1] => (Side::A, false),
                [true, true] => (Side::B, false),
            };
            let from = if side == Side::A { &mut *a } else { &mut *b };
            self.take(side, from, alone);
            from.step();
            done += 1;
            if done.is_multiple_of(4096) && !advanced(a.sums.bytes() + b.sums.bytes()) {
                return false;
            }
        }
    }

    /// Take a row of each if they are the same bytes; nothing waits.
    fn step_both(&mut self, a: &mut Reading<'_>, b: &mut Reading<'_>) -> bool {
        let (Some(of_a), Some(of_b)) = (a.line(), b.line()) else { return false };
        if self.given_up.is_some() || !is_same(&of_a, &of_b) {
            return false;
        }
        let Some(name) = self.scales.chain(&of_a) else {
            // Of whatever chain it is: it is the same line of both.
            self.tally.reordered |= a.sums.rows() != b.sums.rows();
            self.tally.matched += 1;
            a.step();
            b.step();
            return true;
        };
        let Some(index) = self.lane(name, of_a.place) else { return false };
        let rows = [Kept::next(a, &of_a), Kept::next(b, &of_b)];
        match self.lanes[index].state {
            State::Together => self.match_rows(index, rows),
            _ => self.behind_fork(index, &rows[0], &rows[1]),
        }
        a.step();
        b.step();
        true
    }

    /// Take the next row of one of them. `alone`: the other one has no more.
    fn take(&mut self, side: Side, from: &Reading<'_>, alone: bool) {
        let Some(line) = from.line() else { return };
        if self.given_up.is_some() {
            self.tally.uncompared += 1;
            return;
        }
        // Rows behind the end of the other need not be read where no chain has anything open.
        if alone && self.is_plain() && self.waiting == [0, 0] {
            self.behind(side, &line);
            return;
        }
        let Some(name) = self.scales.chain(&line) else {
            // Behind the end of the other nothing is compared with it.
            match alone && self.waiting[side.other().index()] == 0 {
                true => self.behind(side, &line),
                false => self.unreadable(side, line.place),
            }
            return;
        };
        let Some(index) = self.lane(name, line.place) else { return };
        if self.lanes[index].state == State::Lost {
            self.tally.uncompared += 1;
            return;
        }
        let row = Kept::next(from, &line);
        if alone && self.lanes[index].held[side.other().index()].is_empty() {
            self.alone(index, side, &row);
            return;
        }
        self.waiting[side.index()] += row.size();
        self.lanes[index].held[side.index()].push_back(row);
        self.settle(index);
        if self.waiting.iter().sum::<usize>() > self.most_waiting {
            self.given_up = Some(GivenUp::Waiting);
            self.tally.uncompared +=
                self.lanes.iter().flat_map(|lane| &lane.held).map(|held| held.len() as u64).sum::<u64>();
            self.lanes.iter_mut().for_each(|lane| lane.held = Default::default());
        }
    }

    /// A row behind the end of the other export. The first one must go on from a row that both have.
    pub(super) fn behind(&mut self, side: Side, line: &Line<'_>) {
        if self.tally.of_behind(side).count == 0 && !self.goes_on(line) {
            self.tally.loose(side);
        }
        self.tally.behind(side, line.place);
    }

    /// Whether a row may be the next one of a chain whose rows so far both have; yes where that cannot be told.
    fn goes_on(&mut self, line: &Line<'_>) -> bool {
        let Some(facts) = self.scales.facts(line) else { return false };
        if self.plan.late || self.plan.chain.literal {
            return true;
        }
        let Some(previous) = facts.prev else { return self.plan.fields.prev.is_none() };
        let name = self.scales.chain(line).flatten();
        let own = self.by_name.get(&name).copied();
        if previous == Digest::GENESIS {
            return own.is_none() && (self.prefix == 0 || self.has_chains());
        }
        // A row that names no chain may be of any.
        let lanes: Vec<usize> = match &name {
            Some(_) => own.into_iter().chain(self.by_name.get(&None).copied()).collect(),
            None => (0..self.lanes.len()).collect(),
        };
        // Its chain may stand before what was looked at row by row.
        let unseen = own.is_none() && name.is_some() && self.prefix > 0;
        let unknown = unseen || lanes.iter().any(|lane| self.lanes[*lane].last[0].is_none());
        unknown
            || lanes.into_iter().any(|lane| {
                let last = self.lanes[lane].last[0].clone();
                let last = last.and_then(|last| self.scales.facts(&last.line()));
                last.is_some_and(|last| Tip::of(&last, None).is_named_by(&previous) != Some(false))
            })
    }

    /// A line that is no row that can be read.
    pub(super) fn unreadable(&mut self, side: Side, place: Place) {
        self.open[side.index()] += 1;
        self.tally.unreadable(side, place);
    }

    /// The chain of this name; `None` where there are too many.
    fn lane(&mut self, name: Option<String>, place: Place) -> Option<usize> {
        if let Some(index) = self.by_name.get(&name) {
            return Some(*index);
        }
        if self.lanes.len() >= self.max_chains {
            self.given_up.get_or_insert(GivenUp::Chains(place));
            return None;
        }
        let earlier = self.prefix > 0 && self.has_chains();
        self.lanes.push(Lane { name: name.clone(), earlier, ..Lane::default() });
        self.by_name.insert(name, self.lanes.len() - 1);
        Some(self.lanes.len() - 1)
    }

    /// Put side by side what there is of a chain.
    fn settle(&mut self, index: usize) {
        loop {
            let [of_a, of_b] = &mut self.lanes[index].held;
            if of_a.is_empty() || of_b.is_empty() {
                return;
            }
            let (Some(a), Some(b)) = (of_a.pop_front(), of_b.pop_front()) else { return };
            self.waiting[0] -= a.size();
            self.waiting[1] -= b.size();
            let back = self.pair(index, &a, &b);
            for (side, row) in Side::BOTH.into_iter().zip([a, b]) {
                if back == Some(side) {
                    self.waiting[side.index()] += row.size();
                    self.lanes[index].held[side.index()].push_front(row);
                }
            }
        }
    }
}
