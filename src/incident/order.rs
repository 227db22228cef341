//! Stories that broken links tell: rows that are missing, too many, or in another order.
//!
//! A broken link ends one stretch of rows that hold together and starts the next. Each stretch names
//! the row it was chained to, so that stretches that were moved can be put in order again, and what
//! stands between two that follow each other does not belong there.

use std::collections::HashMap;

use super::patterns::Break;
use super::seen::{At, Names, Signature};
use super::story::Stories;
use super::{Detail, Kind};
use crate::fact::Digest;
use crate::finding::Code;

/// How many stretches are put in order again at one place.
const BLOCK: usize = 64;

/// Rows that hold together.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    first: At,
    last: At,
    prev: Option<Digest>,
    names: Names,
    first_of_part: bool,
}

/// The stretches of a chain.
struct Stretches {
    list: Vec<Stretch>,
    by_prev: HashMap<Digest, Vec<usize>>,
    by_name: HashMap<Digest, usize>,
    /// The last one goes on beyond what is remembered.
    open: bool,
}

/// Stretches that hold together in another order than they stand in.
struct Block {
    order: Vec<usize>,
    last: usize,
}

impl Stories<'_> {
    /// Tell the breaks of a chain.
    pub fn breaks(&mut self, chain: usize) {
        let breaks: Vec<&Break> = self.teller.breaks.iter().filter(|found| found.chain == chain).collect();
        let Some(stretches) = Stretches::of(self, chain, &breaks) else { return };
        let faults = |from: usize, to: usize| {
            let told = breaks.get(from.saturating_sub(1)..to.min(breaks.len())).unwrap_or_default();
            told.iter().map(|found| found.faults).sum::<u64>()
        };
        let mut at = 1;
        let mut loose: Option<(At, At, u64)> = None;
        let mut loosen = |from: &Break, to: &Break, faults: u64| {
            let (first, _, sum) = loose.unwrap_or((from.at, to.at, 0));
            loose = Some((first, to.at, sum + faults));
        };
        if let Some(block) = stretches.block(0) {
            self.reordered(chain, &stretches, 0, &block, faults(1, block.last + 1));
            at = block.last + 2;
        }
        while let Some(&found) = breaks.get(at - 1) {
            if let Some(block) = stretches.block(at) {
                self.reordered(chain, &stretches, at, &block, faults(at, block.last + 1));
                at = block.last + 2;
            } else if let Some(back) = stretches.after(at - 1).find(|&back| back > at) {
                let forks = self.forks(found);
                if !forks && stretches.belong_elsewhere(at, back) {
                    loosen(found, breaks.get(back - 1).unwrap_or(&found), faults(at, back));
                    at = back + 1;
                } else {
                    at = 1 + self.between(chain, &stretches, (at, back), found, &faults);
                }
            } else {
                match stretches.predecessor(at) {
                    Some(_) => loosen(found, found, found.faults),
                    // The true first row, where the row that stands first was chained to another one.
                    None if found.code == Code::SecondGenesis && stretches.predecessor(0).is_some() => {
                        loosen(found, found, found.faults);
                    }
                    // Of a chain with more breaks than are remembered it is not known what is missing.
                    None if stretches.open && found.number.is_some() => {}
                    None => self.single(chain, found, stretches.list.get(at)),
                }
                at += 1;
            }
        }
        if let Some((first, last, faults)) = loose {
            let mut draft = self.draft(Kind::RowsReordered, chain, first, last).rows(0).faults(faults);
            draft.incident.sequences = None;
            self.drafts.push(draft);
        }
    }

    /// Whether a break is the start of a second branch.
    fn forks(&self, found: &Break) -> bool {
        matches!(found.code, Code::Fork | Code::SecondGenesis) && !self.teller.may_be_edited(found.prev)
    }

    fn reordered(&mut self, chain: usize, stretches: &Stretches, first: usize, block: &Block, faults: u64) {
        let list = &stretches.list;
        let (Some(start), Some(end)) = (list.get(first), list.get(block.last)) else { return };
        let rows = |index: usize| list.get(index).map_or(0, |stretch| stretch.last.ordinal + 1 - stretch.first.ordinal);
        let at_parts = (first..=block.last + 1)
            .filter(|&index| index > 0)
            .all(|index| list.get(index).is_none_or(|stretch| stretch.first_of_part));
        let inner: Vec<u64> = (first..=block.last).map(rows).collect();
        let reversed = block.order.iter().rev().copied().eq(first..=block.last);
        let (kind, moved) = if at_parts {
            (Kind::PartsOutOfOrder, inner.iter().sum())
        } else if reversed && (inner == [1, 1] || matches!(inner[..], [1, _, 1])) {
            (Kind::RowsSwapped, 2)
        } else {
            (Kind::RowsReordered, inner.iter().sum())
        };
        let before = first.checked_sub(1).and_then(|index| list.get(index)).and_then(|stretch| stretch.last.sequence);
        let after = list.get(block.last + 1).and_then(|stretch| stretch.first.sequence);
        let mut draft = self.draft(kind, chain, start.first, end.last).certain(true).rows(moved).faults(faults);
        // The rows of the block by number, lowest first.
        let lowest = block.order.first().and_then(|index| list.get(*index)).and_then(|stretch| stretch.first.sequence);
        let highest = block.order.last().and_then(|index| list.get(*index)).and_then(|stretch| stretch.last.sequence);
        draft.incident.sequences = lowest.zip(highest);
        if kind == Kind::PartsOutOfOrder {
            let parts = |index: usize| list.get(index).map_or(0..0, parts_of);
            let all = (0..first).chain(block.order.iter().copied()).chain(block.last + 1..list.len());
            let mut order: Vec<u32> = all.flat_map(parts).collect();
            let mut seen = std::collections::HashSet::new();
            order.retain(|part| seen.insert(*part));
            draft = draft.detail(Detail::Order(order));
        }
        self.drafts.push(draft.good(before, after));
    }

    /// What stands between two stretches that follow each other; gives the last break that it explains.
    fn between(
        &mut self,
        chain: usize,
        stretches: &Stretches,
        (first, back): (usize, usize),
        found: &Break,
        faults: &dyn Fn(usize, usize) -> u64,
    ) -> usize {
        let list = &stretches.list;
        let Some(start) = list.get(first) else { return back };
        let sound = |stories: &Self, stretch: &Stretch| {
            let inside = |ordinal: u64| (stretch.first.ordinal..=stretch.last.ordinal).contains(&ordinal);
            let mut groups = stories.teller.groups.iter().filter(|group| group.chain == chain);
            groups.all(|group| {
                let mark = stories.mark(group.mark);
                !inside(group.first.ordinal) || !mark.digest && mark.signature.is_good()
            })
        };
        let forks = self.forks(found);
        let mut branch: Vec<usize> = (first..back).collect();
        if forks && branch.iter().filter_map(|index| list.get(*index)).all(|stretch| sound(self, stretch)) {
            // The two branches may go on by turns.
            let (mut one, mut other, mut end) = (back, back - 1, back);
            loop {
                let next = end + 1;
                if stretches.after(other).any(|index| index == next) {
                    other = next;
                    branch.push(next);
                } else if stretches.after(one).any(|index| index == next) {
                    one = next;
                } else {
                    break;
                }
                end = next;
            }
            let last = branch.last().and_then(|index| list.get(*index)).unwrap_or(start);
            let rows = branch.iter().filter_map(|index| list.get(*index));
            let rows: u64 = rows.map(|stretch| stretch.last.ordinal + 1 - stretch.first.ordinal).sum();
            let draft = self.draft(Kind::ConcurrentWriters, chain, start.first, last.last).rows(rows);
            let after = list.get(end).filter(|_| end == back).and_then(|stretch| stretch.first.sequence);
            let before = found.before.sequence.filter(|_| found.before_is_good);
            let other = found.other.map_or(Detail::None, Detail::Other);
            let lost = -i128::from(rows);
            self.drafts.push(draft.faults(faults(first, end)).good(before, after).detail(other).lost(lost));
            return end;
        }
        let Some(last) = list.get(back - 1) else { return back };
        let taken = self.take(chain, start.first.ordinal, last.last.ordinal);
        let draft = self.draft(Kind::RowsInserted, chain, start.first, last.last).certain(true);
        let rows = draft.incident.rows;
        let after = list.get(back).and_then(|stretch| stretch.first.sequence);
        let before = found.before.sequence.filter(|_| found.before_is_good);
        self.drafts.push(draft.faults(taken + faults(first, back)).good(before, after).lost(-i128::from(rows)));
        back
    }

    /// A break that no other stretch explains.
    fn single(&mut self, chain: usize, found: &Break, stretch: Option<&Stretch>) {
        let Some(stretch) = stretch else { return };
        let mark = self.mark(found.mark);
        let good = mark.signature.is_good() && !mark.digest && !mark.fields;
        let before = found.before.sequence.filter(|_| found.before_is_good);
        let after = found.at.sequence.filter(|_| good);
        let group = self.group_before(chain, found.at.ordinal);
        let known = group.and_then(|group| self.teller.groups.get(group));
        let before_mark = known.map(|group| self.mark(group.mark));
        // Rows to the end of a stretch hold together among themselves.
        let here = |stories: &Self, kind| stories.draft(kind, chain, found.at, stretch.last).faults(found.faults);
        let lone = |stories: &Self, kind| stories.draft(kind, chain, found.at, found.at).faults(found.faults);
        match (found.code, found.number) {
            (Code::SecondGenesis, _) if found.at.sequence.is_some_and(|sequence| sequence <= 1) => {
                let twin = self.teller.tracks.get(chain).map(|track| track.first);
                let twins = found.before.ordinal == 1
                    && !found.first_of_part
                    && twin.is_some_and(|twin| twin.sequence == found.at.sequence);
                let kind = if twins { Kind::ConcurrentWriters } else { Kind::ConcatenatedExports };
                self.drafts.push(here(self, kind).good(before, None));
            }
            (Code::SecondGenesis, _) if good => {
                self.drafts.push(here(self, Kind::LedgerRestarted).good(before, None));
            }
            (Code::Fork, _) => {
                let pushed_in = known.filter(|known| found.prev.is_some() && known.before.contains(&found.prev));
                if let (Some(known), Some(true)) = (pushed_in, before_mark.map(|mark| mark.is_fault())) {
                    let (first, last, rows) = (known.first, known.last, known.rows);
                    let (before, taken) = (known.good_before, self.take(chain, first.ordinal, last.ordinal));
                    let draft = self.draft(Kind::RowsInserted, chain, first, last).certain(true);
                    let draft = draft.faults(taken + found.faults).good(before, after);
                    self.drafts.push(draft.lost(-i128::from(rows)));
                } else if good && !self.teller.may_be_edited(found.prev) && found.hash != found.names[0] {
                    let other = found.other.map_or(Detail::None, Detail::Other);
                    self.drafts.push(here(self, Kind::ConcurrentWriters).good(before, None).detail(other));
                }
            }
            (Code::LinkBroken, Some((Code::SequenceGap, expected, number))) if number > expected => {
                let kind = if found.first_of_part { Kind::PartMissing } else { Kind::RowsDeleted };
                let signed = mark.signature == Signature::Holds;
                let certain = kind == Kind::RowsDeleted && signed && good && found.before_is_good;
                let draft = self.draft(kind, chain, found.before, found.at).certain(certain).faults(found.faults);
                let draft = draft.sequences(expected, number - 1).rows(number - expected).good(before, after);
                self.drafts.push(draft.lost(i128::from(number - expected)));
            }
            (Code::LinkBroken, None) if mark.digest => self.lend(self.group_of(chain, found.at.ordinal), found.faults),
            (Code::LinkBroken, None) if before_mark.is_some_and(|mark| mark.digest || mark.signature.is_fault()) => {
                self.lend(group, found.faults);
            }
            (Code::LinkBroken, None) if good && found.before_is_good && !mark.mixed && !found.first_of_part => {
                self.drafts.push(lone(self, Kind::HistoryRewritten).rows(0).good(before, after));
            }
            (Code::LinkBroken, _) if found.first_of_part && good => {
                self.drafts.push(here(self, Kind::ConcatenatedExports).good(before, None));
            }
            _ => {}
        }
    }

    fn lend(&mut self, group: Option<usize>, faults: u64) {
        if let Some(lent) = group.and_then(|group| self.lent.get_mut(group)) {
            *lent += faults;
        }
    }
}

impl Stretches {
    fn of(stories: &Stories<'_>, chain: usize, breaks: &[&Break]) -> Option<Self> {
        let track = stories.teller.tracks.get(chain)?;
        let ends = breaks.iter().map(|found| (found.before, found.names));
        let last = track.forgotten.unwrap_or((track.last, track.names));
        let starts = std::iter::once((track.first, track.first_prev, false));
        let starts = starts.chain(breaks.iter().map(|found| (found.at, found.prev, found.first_of_part)));
        let list: Vec<Stretch> = starts
            .zip(ends.chain([last]))
            .map(|((first, prev, first_of_part), (last, names))| Stretch { first, last, prev, names, first_of_part })
            .collect();
        let mut by_prev: HashMap<Digest, Vec<usize>> = HashMap::new();
        let mut by_name = HashMap::new();
        for (index, stretch) in list.iter().enumerate() {
            if let Some(prev) = stretch.prev {
                by_prev.entry(prev).or_default().push(index);
            }
            for name in stretch.names.into_iter().flatten() {
                by_name.entry(name).or_insert(index);
            }
        }
        Some(Stretches { list, by_prev, by_name, open: track.forgotten.is_some() })
    }

    /// The stretches that were chained to the end of this one.
    fn after(&self, index: usize) -> impl Iterator<Item = usize> {
        let names = self.list.get(index).map_or([None; 2], |stretch| stretch.names);
        let mut names: Vec<Digest> = names.into_iter().flatten().collect();
        names.dedup();
        names.into_iter().flat_map(|name| self.by_prev.get(&name).into_iter().flatten().copied())
    }

    /// The stretch whose last row this one was chained to.
    fn predecessor(&self, index: usize) -> Option<usize> {
        self.list.get(index)?.prev.and_then(|prev| self.by_name.get(&prev).copied())
    }

    /// Whether one of these stretches is chained to another one than its neighbours here.
    fn belong_elsewhere(&self, first: usize, end: usize) -> bool {
        let outside = |index: usize| !(first..end).contains(&index);
        (first..end).any(|index| self.predecessor(index).is_some_and(outside) || self.after(index).any(outside))
    }

    /// The one that was, where there is exactly one.
    fn next(&self, index: usize) -> Option<usize> {
        let mut all = self.after(index);
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    /// The stretches from `first` on that hold together in another order, and with both neighbours.
    fn block(&self, first: usize) -> Option<Block> {
        let mut at = if first == 0 { self.head()? } else { self.next(first - 1)? };
        let mut order = Vec::new();
        let mut last = 0;
        while at >= first && !order.contains(&at) && order.len() < BLOCK {
            order.push(at);
            last = last.max(at);
            let whole = order.len() == last + 1 - first && order.len() > 1;
            let ends = last + 1 == self.list.len() && !self.open;
            if whole && (ends || self.next(at) == Some(last + 1)) {
                return Some(Block { order, last });
            }
            at = self.next(at)?;
        }
        None
    }

    /// The stretch that comes before the first one of the file, and before all others.
    fn head(&self) -> Option<usize> {
        let mut at = 0;
        for _ in 0..BLOCK {
            match self.predecessor(at) {
                Some(before) => at = before,
                None => return (at != 0).then_some(at),
            }
        }
        None
    }
}

fn parts_of(stretch: &Stretch) -> std::ops::Range<u32> {
    stretch.first.place.part..stretch.last.place.part.saturating_add(1)
}
