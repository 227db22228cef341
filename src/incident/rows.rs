//! Stories of rows that are wrong by themselves, and of lines that cannot be read.

use super::patterns::{By, Copies, Damage, Group, Number};
use super::seen::Signature;
use super::story::{Draft, Stories};
use super::{Detail, Kind};
use crate::finding::Code;

impl Stories<'_> {
    /// Tell the groups that no story has used, copies, numbers, beginnings and damage. `vouched` says of a
    /// chain whether a signed anchor states its head.
    pub fn rows(&mut self, vouched: &dyn Fn(usize) -> bool) {
        for (index, group) in self.teller.groups.iter().enumerate() {
            if self.used.get(index) == Some(&false)
                && let Some(draft) = self.group(index, group, vouched)
            {
                self.drafts.push(draft);
            }
        }
        for copies in &self.teller.copies {
            let draft = self.copied(copies);
            self.drafts.push(draft);
        }
        for number in &self.teller.numbers {
            let draft = self.number(number);
            self.drafts.push(draft);
        }
        for &(chain, at) in &self.teller.starts {
            let group = self.group_of(chain, at.ordinal).and_then(|group| self.teller.groups.get(group));
            // A first row that was edited is told as that.
            if group.is_none_or(|group| !self.mark(group.mark).digest) {
                self.drafts.push(self.draft(Kind::BeginningCut, chain, at, at).rows(0).faults(1));
            }
        }
        for damage in &self.teller.damage {
            let draft = self.damaged(damage);
            self.drafts.push(draft);
        }
    }

    fn group(&self, index: usize, group: &Group, vouched: &dyn Fn(usize) -> bool) -> Option<Draft> {
        let mark = self.mark(group.mark);
        if !mark.is_fault() {
            return None;
        }
        let (kind, certain) = self.kind(group, vouched)?;
        let draft = self.draft(kind, group.chain, group.first, group.last).certain(certain).rows(group.rows);
        let after = group.after.filter(|after| !self.mark(after.mark).is_fault()).and_then(|after| after.at.sequence);
        let draft = draft.faults(self.faults(index)).good(group.good_before, after);
        let judged = match mark.signature {
            Signature::Unjudged => None,
            signature => Some(signature == Signature::Holds),
        };
        Some(match kind {
            Kind::ContentEdited => draft.detail(Detail::Signature(judged)),
            _ => draft,
        })
    }

    fn kind(&self, group: &Group, vouched: &dyn Fn(usize) -> bool) -> Option<(Kind, bool)> {
        let mark = self.mark(group.mark);
        let by = group.after.map(|after| after.by);
        let ends = self.teller.tracks.get(group.chain).is_some_and(|track| track.last.ordinal == group.last.ordinal);
        let speaks_for_content = mark.signature == Signature::OverContent || by == Some(By::Content);
        if mark.digest || mark.digest_unread {
            return Some(match speaks_for_content {
                true => (Kind::DigestEdited, mark.signature == Signature::OverContent),
                false if mark.digest => (Kind::ContentEdited, false),
                false => (Kind::FieldsDamaged, false),
            });
        }
        if mark.sound && mark.signature == Signature::Holds {
            return Some((Kind::WrittenMalformed, true));
        }
        if mark.fields {
            return Some((Kind::FieldsDamaged, false));
        }
        match mark.signature {
            Signature::Missing => Some((Kind::SignaturesStripped, true)),
            Signature::Malformed => Some((Kind::SignaturesAltered, true)),
            Signature::Fails if group.is_vouched_for() => Some((Kind::SignaturesReplaced, false)),
            Signature::Fails if ends && vouched(group.chain) => Some((Kind::KeyChanged, false)),
            Signature::Fails if ends && group.first.ordinal == 1 && group.rows > 1 && self.teller.tracks.len() > 1 => {
                Some((Kind::WrongKey, false))
            }
            Signature::Fails if ends || by == Some(By::No) => Some((Kind::RowsRehashed, !ends)),
            Signature::Fails => None,
            _ if mark.mixed => Some((Kind::ForeignRows, false)),
            _ => None,
        }
    }

    fn copied(&self, copies: &Copies) -> Draft {
        let draft = self.draft(Kind::RowsCopied, copies.chain, copies.first, copies.last).certain(true);
        draft.rows(copies.rows).faults(copies.rows).good(copies.before, None).lost(-i128::from(copies.rows))
    }

    fn number(&self, number: &Number) -> Draft {
        let draft = self.draft(Kind::NumbersWrong, number.chain, number.first, number.last);
        let draft = draft.rows(number.rows).faults(number.rows).good(number.before.sequence, None);
        let (stated, found) = (number.expected.to_string(), number.found.to_string());
        draft.detail(Detail::Stated { stated, found })
    }

    fn damaged(&self, damage: &Damage) -> Draft {
        let kind = match damage.code {
            Code::TornRow => Kind::TornWrite,
            Code::NotJson if damage.lines == 1 && damage.missing == 1 => Kind::LinesJoined,
            _ => Kind::LinesUnreadable,
        };
        let mut draft = self.whole(kind, None, damage.faults).rows(damage.lines).good(damage.before, damage.after);
        draft.incident.certain = kind == Kind::LinesUnreadable;
        draft.incident.first = Some(damage.first);
        draft.incident.last = Some(damage.last);
        if let [track] = self.teller.tracks.as_slice() {
            draft.incident.chain = track.name.clone();
            draft.chain = Some(0);
            draft.at_end = damage.last > track.last.place;
        }
        // A line that stands where no number is missing held no row; two numbers on one line were two rows.
        draft.lost = match damage.before.zip(damage.after) {
            Some((before, after)) if draft.chain.is_some() => {
                i128::from(after) - i128::from(before) - 1 - i128::from(damage.lines)
            }
            _ => i128::from(damage.missing),
        };
        draft.detail(Detail::Code(damage.code))
    }
}
