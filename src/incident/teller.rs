//! The teller: hears of rows in file order and remembers what stories are made of.
//!
//! It is told of rows that something is wrong with, of the row behind each of these, and of runs as a
//! whole; of good rows it may be told or not, as the work happened to be cut, so that nothing here
//! depends on them. Memory is bounded: of each kind of pattern the first [`LIMIT`] are remembered.

use std::collections::BTreeSet;

use super::patterns::{After, Break, By, Copies, Damage, Group, Number, Track, Wanted};
use super::seen::{At, Mark, Names, Row, Unread};
use crate::fact::{Digest, Place, Sequence};
use crate::finding::{Code, Finding};

/// How many patterns of one kind are remembered.
pub(super) const LIMIT: usize = 1_000;

/// How many digests of edited rows are remembered: no story of a fork is told that may start at one.
const EDITED: usize = 1 << 14;

/// What was heard so far.
#[derive(Clone, Debug, Default)]
pub struct Teller {
    pub(super) tracks: Vec<Track>,
    pub(super) groups: Vec<Group>,
    pub(super) breaks: Vec<Break>,
    pub(super) numbers: Vec<Number>,
    pub(super) copies: Vec<Copies>,
    pub(super) damage: Vec<Damage>,
    pub(super) starts: Vec<(usize, At)>,
    /// What rows state whose content has another digest; `None` once there are too many.
    edited: Option<BTreeSet<Digest>>,
    /// The heads that the manifest states, and the row of each.
    wanted: Vec<Wanted>,
    /// The part of the row before.
    part: Option<u32>,
    rows: u64,
    pub(super) unread: u64,
    last_sequence: Option<u64>,
}

impl Teller {
    /// Before the first row, listening for rows with these digests.
    pub fn new(heads: &[Digest]) -> Self {
        Teller {
            wanted: heads.iter().map(|head| Wanted { digest: *head, seen: None, behind: None }).collect(),
            edited: Some(BTreeSet::new()),
            ..Teller::default()
        }
    }

    /// A line cannot be read.
    pub fn unread(&mut self, line: Unread) {
        self.unread += 1;
        self.part = Some(line.place.part);
        let rows_before = self.rows;
        match self.damage.last_mut() {
            Some(damage) if damage.rows_before == rows_before => {
                damage.last = line.place;
                damage.lines += 1;
                damage.faults += 1;
                if line.code == Code::TornRow {
                    damage.code = line.code;
                }
            }
            _ => {
                let damage = Damage {
                    first: line.place,
                    last: line.place,
                    lines: 1,
                    code: line.code,
                    before: self.last_sequence,
                    after: None,
                    missing: 0,
                    faults: 1,
                    rows_before,
                };
                push(&mut self.damage, damage);
            }
        }
    }

    /// A row is a copy of an earlier one.
    pub fn copy(&mut self, row: Row<'_>) {
        let at = row.at();
        self.pass(at, 1);
        let before = self.tracks.get_mut(row.chain).and_then(|track| {
            track.rows = row.ordinal;
            track.last.sequence
        });
        match self.copies.last_mut() {
            Some(copies) if copies.chain == row.chain && copies.last.ordinal + 1 == at.ordinal => {
                copies.last = at;
                copies.rows += 1;
            }
            _ => {
                push(&mut self.copies, Copies { chain: row.chain, first: at, last: at, rows: 1, before });
            }
        }
    }

    /// The rows of a run behind its first one.
    pub fn run(&mut self, chain: usize, rows: u64, place: Place, sequence: Option<Sequence>, name: Digest) {
        let Some(track) = self.tracks.get_mut(chain) else { return };
        track.rows += rows;
        track.last = At { place, ordinal: track.rows, sequence: sequence.map(Sequence::get) };
        track.names = [Some(name), Some(name)];
        track.last_is_good = true;
        track.open = None;
        let last = track.last;
        self.pass(last, rows);
    }

    /// A row that is no copy.
    pub fn row(&mut self, row: Row<'_>) {
        let (at, mark) = (row.at(), row.mark());
        let first_of_part = self.part.is_some_and(|part| part != at.place.part);
        self.pass(at, 1);
        let head = row.head;
        for wanted in &mut self.wanted {
            match wanted.seen {
                Some((chain, _)) if chain == row.chain => wanted.behind = wanted.behind.or(Some(at)),
                None if Some(wanted.digest) == head => wanted.seen = Some((row.chain, at)),
                _ => {}
            }
        }
        if mark.digest {
            self.remember_edited(row.facts.hash);
        }
        if row.chain >= self.tracks.len() {
            self.open(&row, at, mark);
            return;
        }
        let Some(track) = self.tracks.get_mut(row.chain) else { return };
        let skipped = self.unread > std::mem::replace(&mut track.unread, self.unread);
        let before = Track { open: track.open.take(), ..track.clone() };
        let link = row.fault(&[Code::LinkBroken, Code::Fork, Code::SecondGenesis]);
        let number = row.fault(&[Code::SequenceGap, Code::SequenceRepeated, Code::SequenceBackwards]);
        let goes_on = |open: &usize| self.groups.get(*open).is_some_and(|group| group.mark == mark);
        let group = match before.open.filter(|_| link.is_none() && !skipped).filter(goes_on) {
            Some(open) => {
                self.extend(open, at, &row);
                Some(open)
            }
            None => {
                if let Some(open) = before.open.filter(|_| !skipped) {
                    self.close(open, &row, &before.names, mark);
                }
                self.begin(&row, at, mark, &before)
            }
        };
        if let Some(link) = link {
            self.broken(&row, link, number, first_of_part, &before);
        } else if let Some(number) = number {
            self.numbered(number, &row, skipped, group, &before);
        }
        if let Some(track) = self.tracks.get_mut(row.chain) {
            track.name = row.name.cloned().or(track.name.take());
            track.last = at;
            track.names = row.names();
            track.rows = row.ordinal;
            track.last_is_good = !mark.is_fault();
            track.open = group;
        }
    }

    /// Whether the row that states this digest is known to have another one.
    pub(super) fn may_be_edited(&self, digest: Option<Digest>) -> bool {
        self.edited.as_ref().is_none_or(|edited| digest.is_none_or(|digest| edited.contains(&digest)))
    }

    /// The row whose digest the manifest's entry of this index states as its head.
    pub(super) fn head(&self, entry: usize) -> Option<(usize, At)> {
        self.wanted.get(entry).and_then(|wanted| wanted.seen)
    }

    /// The row behind that one.
    pub(super) fn behind_head(&self, entry: usize) -> Option<At> {
        self.wanted.get(entry).and_then(|wanted| wanted.behind)
    }

    fn pass(&mut self, at: At, rows: u64) {
        self.part = Some(at.place.part);
        if let Some(damage) = self.damage.last_mut().filter(|damage| damage.rows_before == self.rows) {
            damage.after = damage.after.or(at.sequence);
        }
        self.rows += rows;
        self.last_sequence = at.sequence;
    }

    fn open(&mut self, row: &Row<'_>, at: At, mark: Mark) {
        let mut track = Track {
            name: row.name.cloned(),
            first: at,
            first_prev: row.facts.prev,
            last: at,
            names: row.names(),
            rows: row.ordinal,
            last_is_good: !mark.is_fault(),
            open: None,
            unread: self.unread,
            forgotten: None,
        };
        let nothing = Track { names: [None; 2], last: At { sequence: None, ..at }, ..track.clone() };
        track.open = self.begin(row, at, mark, &nothing);
        self.tracks.push(track);
        if row.fault(&[Code::GenesisBroken]).is_some() {
            push(&mut self.starts, (row.chain, at));
        }
    }

    fn remember_edited(&mut self, stated: Option<Digest>) {
        if let (Some(edited), Some(stated)) = (&mut self.edited, stated) {
            edited.insert(stated);
        }
        if self.edited.as_ref().is_some_and(|edited| edited.len() > EDITED) {
            self.edited = None;
        }
    }

    /// Start a group with this row, if anything is wrong with it.
    fn begin(&mut self, row: &Row<'_>, at: At, mark: Mark, before: &Track) -> Option<usize> {
        if !mark.is_fault() {
            return None;
        }
        let group = Group {
            chain: row.chain,
            mark,
            first: at,
            last: at,
            rows: 1,
            faults: own_faults(row, mark),
            before: before.names,
            good_before: before.last.sequence.filter(|_| before.last_is_good),
            after: None,
            numbered: false,
        };
        push(&mut self.groups, group).then(|| self.groups.len() - 1)
    }

    fn extend(&mut self, open: usize, at: At, row: &Row<'_>) {
        if let Some(group) = self.groups.get_mut(open) {
            group.last = at;
            group.rows += 1;
            group.faults += own_faults(row, group.mark);
        }
    }

    /// The row behind a group.
    fn close(&mut self, open: usize, row: &Row<'_>, names: &Names, mark: Mark) {
        let Some(group) = self.groups.get_mut(open) else { return };
        let prev = row.facts.prev;
        let by = match (prev, names) {
            (None, _) => By::No,
            (_, [stated, _]) if prev == *stated => By::Stated,
            (_, [_, content]) if prev == *content => By::Content,
            _ => By::No,
        };
        group.after = Some(After { at: row.at(), by, mark });
    }

    fn broken(&mut self, row: &Row<'_>, link: &Finding, number: Option<&Finding>, first_of_part: bool, before: &Track) {
        let reversal = row.fault(&[Code::ReversalInvalid]).is_some();
        let kept = push(
            &mut self.breaks,
            Break {
                chain: row.chain,
                code: link.code,
                at: row.at(),
                prev: row.facts.prev,
                hash: row.facts.hash,
                mark: row.mark(),
                first_of_part,
                before: before.last,
                before_is_good: before.last_is_good,
                names: before.names,
                number: number.and_then(numbers),
                other: link.other,
                faults: 1 + u64::from(number.is_some()) + u64::from(reversal && !row.mark().digest),
            },
        );
        if let Some(track) = self.tracks.get_mut(row.chain).filter(|track| !kept && track.forgotten.is_none()) {
            track.forgotten = Some((before.last, before.names));
        }
    }

    /// A number is out of step while nothing is wrong with the link.
    fn numbered(&mut self, finding: &Finding, row: &Row<'_>, skipped: bool, group: Option<usize>, before: &Track) {
        let Some((code, expected, found)) = numbers(finding) else { return };
        let at = row.at();
        if skipped {
            if let Some(damage) = self.damage.last_mut().filter(|_| code == Code::SequenceGap) {
                damage.missing = found.saturating_sub(expected).saturating_sub(damage.lines);
                damage.faults += 1;
            }
            return;
        }
        // An edited row may have been given another number, which the row behind it shows as well.
        let edited = |group: &&mut Group| group.mark.digest;
        if let Some(group) = group.and_then(|group| self.groups.get_mut(group)).filter(edited) {
            group.faults += 1;
            group.numbered = true;
            return;
        }
        if let Some(group) = before.open.and_then(|open| self.groups.get_mut(open)).filter(edited)
            && group.numbered
        {
            group.faults += 1;
            return;
        }
        match self.numbers.last_mut() {
            Some(last) if last.chain == row.chain && last.code == code && last.last.ordinal + 1 == at.ordinal => {
                last.last = at;
                last.rows += 1;
            }
            _ => {
                let (chain, before) = (row.chain, before.last);
                let number = Number { chain, code, first: at, last: at, rows: 1, expected, found, before };
                push(&mut self.numbers, number);
            }
        }
    }
}

/// Take one more, if there is room; says whether there was.
fn push<T>(list: &mut Vec<T>, item: T) -> bool {
    let room = list.len() < LIMIT;
    if room {
        list.push(item);
    }
    room
}

/// The faults on a row's line that its mark stands for.
fn own_faults(row: &Row<'_>, mark: Mark) -> u64 {
    let own = |code: Code| code <= Code::UnknownKey || code == Code::ChainMixed;
    row.faults().filter(|finding| own(finding.code) || mark.digest && finding.code == Code::ReversalInvalid).count()
        as u64
}

fn numbers(finding: &Finding) -> Option<(Code, u64, u64)> {
    let number = |text: &Option<String>| text.as_deref()?.parse().ok();
    Some((finding.code, number(&finding.expected)?, number(&finding.found)?))
}
