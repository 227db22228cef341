//! The walk: every row of an export in file order, judged against what came before it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::counted::CountWatch;
use super::declared::{Declaration, Excuse, Resume};
use super::directory::Directory;
use super::history::History;
use super::judge::{Link, Subject};
use super::link::Tip;
use super::pins::Watch;
use super::segment::{Basis, Item, Run, Segment, Times};
use super::sequence::Last;
use super::{ChainEnd, CountsSeen, PinSeen, Rules, Start};
use crate::fact::{Before, Declared, Facts, Left, Place, Recipe, Sequence};
use crate::finding::{Class, Code, Finding, Notes, Tally};
use crate::incident::{Row, Teller, Unread};

/// The walk so far.
#[derive(Debug)]
pub struct Walk<'r> {
    pub(super) rules: &'r Rules,
    pub(super) recipe: Recipe,
    pub(super) directory: Directory,
    watch: Watch,
    counted: CountWatch<'r>,
    notes: Notes,
    pub(super) totals: Totals,
    /// Where a row starts one chain too many.
    overflow: Option<Place>,
    teller: Teller,
    declared: BTreeMap<u32, Excuse>,
}

/// What was walked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Readable rows, copies among them.
    pub rows: u64,
    /// Lines that hold something that cannot be read as a row.
    pub unreadable: u64,
    /// Rows among them before the chain starts.
    pub prechain: u64,
    /// Rows among them without link behind its start.
    pub unchained: u64,
    /// Rows among them whose break the ledger declares.
    pub declared: u64,
    /// Declarations among them, as they were collected.
    pub declarations: u64,
    /// Digests that were recomputed and compared.
    pub digests: u64,
    /// Signatures that were judged.
    pub signatures: u64,
    /// Digests that an earlier report vouches for, none of them among those above.
    pub vouched: u64,
    /// Rows that carry a signature likewise.
    pub vouched_signed: u64,
    /// Signatures among them that hold under a key that is bound to another chain.
    pub unpermitted: u64,
    /// Rows that carry a signature, or must.
    pub signed: u64,
    /// Rows of which something needs a key that was not given.
    pub unkeyed: u64,
    /// Key ids that keys are bound to and rows name.
    pub key_ids: BTreeSet<Arc<str>>,
    /// Rows verified by each key.
    pub key_rows: Vec<u64>,
    /// Where the last line stands that holds a row or something unreadable.
    pub last_place: Option<Place>,
    /// Time stamp of the first row that has one.
    pub first_time: Option<Timestamp>,
    /// Time stamp of the last row that has one.
    pub last_time: Option<Timestamp>,
}

/// What the walk leaves for the anchors and the report.
#[derive(Clone, Debug)]
pub struct WalkEnd {
    /// The chains, in the order of their first rows.
    pub chains: Vec<ChainEnd>,
    /// What was seen of each pin.
    pub pins: Vec<PinSeen>,
    /// What was seen of those that name their row by how many rows there were.
    pub counted: CountsSeen,
    /// The readings that the rows are in; the default where no row settled one.
    pub recipe: Recipe,
    /// What was walked.
    pub totals: Totals,
    /// What was heard of faults.
    pub teller: Teller,
    /// The declarations whose line was walked, by their place in the list.
    pub declared: BTreeMap<u32, Excuse>,
}

impl<'r> Walk<'r> {
    /// Before the first row, with the readings that are settled from the start.
    pub fn new(rules: &'r Rules, recipe: Recipe) -> Self {
        Walk {
            rules,
            recipe,
            directory: Directory::new(rules),
            watch: Watch::new(&rules.pins),
            counted: CountWatch::new(&rules.counted),
            notes: Notes::default(),
            teller: Teller::new(&rules.heads),
            totals: Totals { key_rows: vec![0; rules.bindings.len()], ..Totals::default() },
            overflow: None,
            declared: BTreeMap::new(),
        }
    }

    /// The row that starts one chain too many. The walk ends before it: what it cannot keep apart it cannot
    /// judge.
    pub fn overflow(&self) -> Option<Place> {
        self.overflow
    }

    /// What is settled so far, for the workers that check the next rows.
    pub fn basis(&self) -> Basis {
        Basis { recipe: self.recipe, chains: self.directory.settled_names() }
    }

    /// Walk the rows of the next segment.
    pub fn absorb(&mut self, segment: Segment, history: &mut dyn History, tally: &mut Tally) {
        self.notes.merge(segment.notes);
        for item in segment.items {
            if self.overflow.is_some() {
                break;
            }
            match item {
                Item::Row(facts) => {
                    self.row(*facts, history, tally);
                }
                Item::Run(run) => self.run(run, history, tally),
                Item::Unchained(place, declared) => self.unchained(place, declared, tally),
                Item::Told(finding) => tally.push(finding),
                Item::Unreadable(place, finding) => {
                    // Where the chain is what rows claim, what is no row claims nothing and hides nothing.
                    if !self.rules.literal {
                        self.totals.unreadable += 1;
                        self.watch.unreadable();
                    }
                    self.totals.last_place = Some(place);
                    self.teller.unread(Unread { place, code: finding.code });
                    tally.push(finding);
                }
            }
        }
        tally.note(std::mem::take(&mut self.notes));
    }

    /// The end of the export.
    pub fn finish(mut self) -> WalkEnd {
        let (step, unreadable) = (self.rules.sequence_step, self.totals.unreadable);
        let chains = self.directory.chains;
        for chain in &chains {
            let first = chain.last.map_or(0, |last| last.next(step));
            let highest = chain.last.map_or(0, |last| last.highest().saturating_add(step));
            let reach = chain.unreadable_after(unreadable).saturating_mul(step);
            if reach > 0 {
                self.watch.unreadable_numbers(first..highest.saturating_add(reach));
            }
        }
        if chains.is_empty() && unreadable > 0 {
            self.watch.unreadable_numbers(0..u64::MAX);
        }
        let reading = self.recipe.hash.unwrap_or_default();
        WalkEnd {
            chains: chains.into_iter().map(|chain| chain.end(unreadable, reading)).collect(),
            pins: self.watch.into_seen(),
            counted: self.counted.into_seen(),
            recipe: Recipe { hash: Some(reading), signature: self.recipe.signature.or(Some(0)) },
            totals: self.totals,
            teller: self.teller,
            declared: self.declared,
        }
    }

    /// A run: its first row is judged, the others are known to follow it.
    fn run(&mut self, run: Run, history: &mut dyn History, tally: &mut Tally) {
        let rest = run.rows - 1;
        let (first_place, last_place) = (run.first.place, run.last_place);
        let (also, unkeyed) = (run.first.also.clone(), run.first.unkeyed);
        let (signed, sealed) = (run.first.signed, run.first.sealed);
        let (link, index) = self.row(*run.first, history, tally);
        if rest == 0 || self.overflow.is_some() {
            return;
        }
        if link == Link::Copy {
            // The rows after a copy are judged against the row before it, so each by itself.
            for facts in history.unfold(first_place, last_place).into_iter().skip(1) {
                self.row(facts, history, tally);
            }
            return;
        }
        self.totals.rows += rest;
        let total = self.totals.rows;
        self.counted.others(total, |count| {
            let rows = history.unfold(first_place, last_place);
            // The row before the run's second one made it `total - rest` rows.
            let number = usize::try_from(count - (total - rest)).ok()?;
            rows.get(number).and_then(|facts| facts.hash)
        });
        self.totals.last_place = Some(last_place);
        self.proven(last_place, (run.key, &also), (signed, unkeyed), rest);
        self.time(Times { first: run.times.first, last: run.times.last });
        self.directory.advance(index, Tip::fitting(run.last_hash, run.last_name));
        let Some(chain) = self.directory.chains.get_mut(index) else { return };
        chain.rows += rest;
        chain.row = self.totals.rows;
        chain.place = last_place;
        chain.last = run.last_sequence.map(Last::exactly);
        chain.left = run.last_left.map_or(Before::Unknown, Before::Row);
        chain.sealed(sealed, last_place);
        let name = run.last_name.unwrap_or(run.last_hash);
        self.teller.run(index, rest, last_place, run.last_sequence, name);
        // Inside the run the clock was compared already; its first time stamp may not be the first row's.
        self.notes.merge(run.notes);
        chain.times.follow(run.times, &mut self.notes);
        for (place, own, target) in run.reversals {
            self.reversal(index, place, own.map_or(Sequence::MAX, Sequence::get), target, tally);
        }
    }

    /// A row without link and digest: before the chain starts it may be so, behind that it is no part of it.
    fn unchained(&mut self, place: Place, declared: Option<Declared>, tally: &mut Tally) {
        self.totals.rows += 1;
        self.totals.last_place = Some(place);
        self.counted.unchained(self.totals.rows);
        self.seen(declared);
        if self.directory.chains.is_empty() {
            self.totals.prechain += 1;
            return tally.push(Finding::new(Code::PrechainRows, Some(place)));
        }
        self.totals.unchained += 1;
        let rules = self.rules;
        let Some((index, declaration)) = rules.declared.excuse(declared) else {
            return tally.push(Finding::new(Code::UnchainedRow, Some(place)));
        };
        self.excused(index);
        tally.push(excused(declaration, Finding::new(Code::DeclaredBreak, Some(place))));
        let resume = declaration.resume.as_ref();
        if let Some(chain) = self.directory.go_on_from(resume.map(|resume| resume.name), rules.late) {
            chain.left = match resume {
                Some(Resume { name, text }) => {
                    Before::Row(Arc::new(Left { name: Some(*name), text: text.clone(), members: Vec::new() }))
                }
                None => Before::First,
            };
        }
    }

    /// A line was walked of which something is declared, or which declares.
    fn seen(&mut self, declared: Option<Declared>) {
        let Some(Declared { excused_by, declares }) = declared else { return };
        self.totals.declarations += u64::from(declares.is_some());
        if let Some((index, pinned)) = excused_by {
            self.declared.insert(index, Excuse { pin_holds: pinned, excuses: false });
        }
    }

    /// This declaration excused a row.
    fn excused(&mut self, index: u32) {
        self.totals.declared += 1;
        if let Some(excuse) = self.declared.get_mut(&index) {
            excuse.excuses = true;
        }
    }

    /// A row by itself; gives how its link came out and its chain.
    fn row(&mut self, mut facts: Facts, history: &mut dyn History, tally: &mut Tally) -> (Link, usize) {
        let (rules, step) = (self.rules, self.rules.sequence_step);
        let Some(belongs) = self.directory.place(&facts, self.totals.unreadable, rules) else {
            self.overflow = Some(facts.place);
            return (Link::NotJudged, 0);
        };
        self.totals.rows += 1;
        self.totals.last_place = Some(facts.place);
        let index = belongs.chain;
        let Some(chain) = self.directory.chains.get_mut(index) else { return (Link::NotJudged, index) };
        let last_before = chain.last;
        let skipped = chain.pass(self.totals.unreadable, step);
        if rules.carries {
            let before = Subject { facts: &facts, chain, rules }.before();
            if facts.before != before {
                // What cannot be read again is told by the pipeline, which then reads no further.
                facts = history.recheck(facts.place, &before).unwrap_or(facts);
            }
        }
        if rules.late
            && rules.reset
            && !belongs.first
            && !facts.fits()
            && let Some(anew) = history.recheck(facts.place, &Before::First).filter(Facts::fits)
        {
            // No row states its predecessor: that the digest is one of a first row shows a new start.
            facts = anew;
        }
        self.counted.row(self.totals.rows, facts.hash);
        let Some(chain) = self.directory.chains.get(index) else { return (Link::NotJudged, index) };

        let subject = Subject { facts: &facts, chain, rules };
        let link = match belongs.first {
            true => Link::NotJudged,
            false => subject.link(skipped, index, &self.directory, history),
        };
        if link == Link::Copy {
            let ordinal = chain.rows;
            tally.push(subject.finding(Code::SequenceRepeated));
            self.teller.copy(Row { facts: &facts, chain: index, name: None, ordinal, head: None, findings: &[] });
            return (link, index);
        }
        let expected = !belongs.first && skipped == 0;
        self.directory.parents.link(index, &facts, &chain.tip, expected);
        for finding in &facts.findings {
            let finding = finding.clone().chain(chain.name.clone());
            match finding.code.class() {
                Class::Note => self.notes.push(finding),
                Class::Fault | Class::Bound => tally.push(finding),
            }
        }
        if belongs.mixed {
            let mut finding = subject.finding(Code::ChainMixed);
            finding.expected = chain.name.as_deref().map(str::to_owned);
            finding.found = facts.group.as_deref().map(str::to_owned);
            tally.push(finding);
        }
        let excuse = rules.declared.excuse(facts.declared);
        let mut broken = false;
        if belongs.first {
            self.start(&facts, index, skipped, tally);
        } else {
            let number = if link.speaks_for_sequence() { None } else { subject.sequence() };
            let wrong = subject.wrong_link(link).filter(|_| excuse.is_none() || !link.is_broken());
            broken = link.is_broken();
            wrong.into_iter().chain(number).for_each(|finding| tally.push(finding));
            if skipped > 0 {
                let from = last_before.map_or(0, |last| last.next(step));
                let to = match (facts.sequence, last_before) {
                    (Some(sequence), _) => sequence.get(),
                    (None, None) => u64::MAX,
                    // Told with the numbers that this row may have itself.
                    (None, Some(_)) => from,
                };
                self.watch.unreadable_numbers(from..to);
            }
        }
        if link == Link::Wrong(Code::ChainReset)
            && let Some(chain) = self.directory.chains.get_mut(index)
        {
            // No later signature vouches for what ends here.
            chain.end_unsigned(rules).into_iter().for_each(|finding| tally.push(finding));
        }
        if !link.is_broken() {
            // Where the link is broken, that other members do not equal the row before is the same fault.
            facts.unequal.drain(..).for_each(|finding| tally.push(finding.chain(chain_name(&self.directory, index))));
        }
        if let (Link::Wrong(Code::SecondGenesis), Some(number)) = (link, facts.sequence.map(Sequence::get))
            && rules.may_start(number)
            && let Some(chain) = self.directory.chains.get_mut(index)
        {
            chain.reversals.begin_anew(number);
        }
        match (self.digest(&facts, index), excuse) {
            (Some(_), Some(_)) => broken = true,
            (wrong, _) => wrong.into_iter().for_each(|finding| tally.push(finding)),
        }
        self.seen(facts.declared);
        if let (Some((index, declaration)), true) = (excuse, broken) {
            self.excused(index);
            let finding = Finding::new(Code::DeclaredBreak, Some(facts.place));
            tally.push(excused(declaration, finding.sequence(facts.sequence.map(Sequence::get))));
        }
        self.signature(&facts, index, tally);
        self.settle(&facts, index, tally);
        self.hear(&facts, index, tally);
        (link, index)
    }

    /// Let the teller hear of a row that is settled.
    fn hear(&mut self, facts: &Facts, index: usize, tally: &Tally) {
        let Some(chain) = self.directory.chains.get(index) else { return };
        let head = chain.tip.head(self.recipe.hash.unwrap_or_default());
        let findings = tally.on(facts.place);
        let name = chain.name.as_ref();
        self.teller.row(Row { facts, chain: index, name, ordinal: chain.rows, head, findings });
    }

    /// The first row of a chain.
    fn start(&mut self, facts: &Facts, index: usize, skipped: u64, tally: &mut Tally) {
        let Some(chain) = self.directory.chains.get_mut(index) else { return };
        let number = facts.sequence.map(Sequence::get);
        if skipped > 0 {
            chain.first_sequence = None;
            self.watch.unreadable_numbers(0..number.unwrap_or(u64::MAX));
            return;
        }
        let (start, finding) = Subject { facts, chain, rules: self.rules }.start();
        chain.start = start;
        let predecessor = number.and_then(|number| number.checked_sub(self.rules.sequence_step));
        let pinned = match (start, facts.prev) {
            (Start::Partial, Some(prev)) => self.watch.start(index, predecessor, prev),
            _ => false,
        };
        // A pin that states where the export starts takes the place of what came before.
        finding
            .filter(|finding| !(pinned && finding.code == Code::PartialStart))
            .into_iter()
            .for_each(|finding| tally.push(finding));
    }

    /// Go on from what the row states.
    fn settle(&mut self, facts: &Facts, index: usize, tally: &mut Tally) {
        let tip = Tip::of(facts, self.recipe.hash);
        let head = tip.head(self.recipe.hash.unwrap_or_default());
        self.signed(facts.place, facts.signed, facts.unkeyed, 1);
        self.directory.parents.row(index, facts, &tip);
        self.directory.advance(index, tip);
        let Some(chain) = self.directory.chains.get_mut(index) else { return };
        match (facts.sequence, &mut chain.last) {
            (Some(sequence), last) => *last = Some(Last::exactly(sequence)),
            (None, Some(last)) => last.take_as_expected(self.rules.sequence_step),
            (None, None) => {}
        }
        let last = chain.last;
        chain.place = facts.place;
        chain.row = self.totals.rows;
        chain.left = facts.left.clone().map_or(Before::Unknown, Before::Row);
        chain.sealed(facts.sealed, facts.place);
        if let Some(key_id) = facts.key_id.as_ref().filter(|id| self.rules.binds(id)) {
            self.totals.key_ids.insert(Arc::clone(key_id));
        }
        chain.times.follow(Times::of(facts), &mut self.notes);
        self.time(Times::of(facts));
        self.watch.row(index, last.and_then(Last::known), head);
        if let Some(last) = last.filter(|last| last.known().is_none()) {
            self.watch.unreadable_numbers(last.lowest()..last.highest().saturating_add(1));
        }
        if let Some(target) = facts.reversal {
            self.reversal(index, facts.place, last.map_or(Sequence::MAX, Last::highest), target, tally);
        }
    }

    fn reversal(&mut self, index: usize, place: Place, own: u64, target: Option<Sequence>, tally: &mut Tally) {
        let Some(chain) = self.directory.chains.get_mut(index) else { return };
        if let Some(code) = chain.reversals.judge(own, target, chain.first_sequence, chain.start) {
            let mut finding = Finding::new(code, Some(place)).sequence(Some(own)).chain(chain.name.clone());
            finding.found = target.map(|target| target.to_string());
            tally.push(finding);
        }
    }

    fn time(&mut self, times: Times) {
        self.totals.first_time = self.totals.first_time.or(times.first.map(|(time, _)| time));
        self.totals.last_time = times.last.or(self.totals.last_time);
    }
}

/// The bound that a declaration makes of a fault.
fn excused(declaration: &Declaration, finding: Finding) -> Finding {
    let Place { part, line, .. } = declaration.place;
    let line = match finding.place {
        Some(place) if place.part != part => format!("{line} of part {}", part + 1),
        _ => line.to_string(),
    };
    finding.expected(line).found(declaration.why.as_str())
}

/// The name of the chain at this place of the list.
fn chain_name(directory: &Directory, index: usize) -> Option<Arc<str>> {
    directory.chains.get(index).and_then(|chain| chain.name.clone())
}
