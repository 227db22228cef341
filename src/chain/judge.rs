//! The judgements on one row against its chain, each giving the finding it leads to.

use super::Rules;
use super::directory::Directory;
use super::history::{History, Question};
use super::state::{Chain, Start};
use crate::fact::{Before, Digest, Facts, Sequence};
use crate::finding::{Code, Finding};

/// How a row's link came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// It names the last row.
    Good,
    /// There is nothing to judge it by.
    NotJudged,
    /// The row is a copy of an earlier one.
    Copy,
    /// It names a row that already has a successor, with this number.
    Fork(Option<u64>),
    /// It is wrong in this way.
    Wrong(Code),
}

impl Link {
    /// Whether the row is not the one that should follow, which is a fault.
    pub fn is_broken(self) -> bool {
        matches!(self, Link::Fork(_) | Link::Wrong(_)) && self != Link::Wrong(Code::ChainReset)
    }

    /// Whether what is wrong with the link also explains the number.
    pub fn speaks_for_sequence(self) -> bool {
        matches!(self, Link::Fork(_) | Link::Wrong(Code::SecondGenesis | Code::ChainReset))
    }
}

/// The row, for the findings about it.
pub(super) struct Subject<'a> {
    pub facts: &'a Facts,
    pub chain: &'a Chain,
    pub rules: &'a Rules,
}

impl Subject<'_> {
    /// A finding about the row.
    pub fn finding(&self, code: Code) -> Finding {
        Finding::new(code, Some(self.facts.place))
            .sequence(self.facts.sequence.map(Sequence::get))
            .chain(self.chain.name.clone())
    }

    /// The digest as rows state it.
    pub fn text(&self, digest: &Digest) -> String {
        self.rules.form.encode(digest)
    }

    /// The row before this one, as far as anything of it depends on that: what the chain's last row left.
    /// Of a first row that states that it is none, the one before is not known; one that starts the chain
    /// anew has none.
    pub fn before(&self) -> Before {
        let is_later = || match self.rules.late {
            true => self.facts.sequence.is_some_and(|number| !self.rules.may_start(number.get())),
            false => self.start().0 == Start::Partial,
        };
        let is_anew = || !self.rules.late && self.rules.reset && self.facts.prev == Some(Digest::GENESIS);
        match &self.chain.left {
            Before::First if is_later() => Before::Unknown,
            Before::Row(_) if is_anew() => Before::First,
            left => left.clone(),
        }
    }

    /// The link of a row that is not its chain's first, after `skipped` unreadable lines; a fork comes
    /// with the number of the other successor.
    pub fn link(&self, skipped: u64, index: usize, directory: &Directory, history: &mut dyn History) -> Link {
        let Some(prev) = &self.facts.prev else { return Link::NotJudged };
        if skipped > 0 {
            return Link::NotJudged;
        }
        match self.chain.tip.is_named_by(prev) {
            Some(true) => return Link::Good,
            None => return Link::NotJudged,
            Some(false) => {}
        }
        if *prev == Digest::GENESIS {
            return Link::Wrong(if self.rules.reset { Code::ChainReset } else { Code::SecondGenesis });
        }
        let known = directory.parents.of(index, prev);
        let seen = history.look_back(&Question {
            place: self.facts.place,
            prev: *prev,
            hash: self.facts.hash,
            parent: known.parent,
            successor: known.successor,
            may_be_of: &|name| directory.may_be_of(name, self.chain.name.as_deref()),
        });
        match (seen.parent || known.parent, seen.successor || known.successor) {
            _ if seen.copy => Link::Copy,
            // What the text does not show has no number there either.
            (true, true) if known.parent && known.successor => Link::Fork(None),
            (true, true) => Link::Fork(seen.successor_sequence),
            _ => Link::Wrong(Code::LinkBroken),
        }
    }

    /// What a wrong link leads to.
    pub fn wrong_link(&self, link: Link) -> Option<Finding> {
        let (code, other) = match link {
            Link::Good | Link::NotJudged | Link::Copy => return None,
            Link::Fork(other) => (Code::Fork, other),
            Link::Wrong(code) => (code, None),
        };
        let mut finding = self.finding(code);
        finding.found = self.facts.prev.as_ref().map(|prev| self.text(prev));
        finding.other = other;
        finding.expected = self.chain.tip.names().next().map(|digest| self.text(&digest));
        Some(finding)
    }

    /// The number of a row that is not its chain's first.
    pub fn sequence(&self) -> Option<Finding> {
        let (sequence, last) = (self.facts.sequence?, self.chain.last?);
        let code = last.judge(sequence, self.rules.sequence_step)?;
        if code == Code::SequenceGap && self.rules.gaps {
            return None;
        }
        let next = last.next(self.rules.sequence_step);
        Some(self.finding(code).expected(next.to_string()).found(sequence.to_string()))
    }

    /// How the chain starts with this row, and what is wrong with that. `None` for the start if the
    /// row states too little.
    pub fn start(&self) -> (Start, Option<Finding>) {
        let number = self.facts.sequence.map(Sequence::get);
        let first = number.map(|number| self.rules.may_start(number));
        let Some(prev) = &self.facts.prev else {
            return match self.rules.late && first == Some(false) {
                true => (Start::Partial, Some(self.finding(Code::PartialStart))),
                false => (Start::NotJudged, None),
            };
        };
        let genesis = *prev == Digest::GENESIS;
        match (genesis, first) {
            (true, Some(true) | None) => (Start::Whole, None),
            (true, Some(false)) => {
                let starts: Vec<String> = self.rules.sequence_starts.iter().map(u64::to_string).collect();
                let finding = self.finding(Code::GenesisBroken).member("sequence").expected(starts.join(" or "));
                (Start::Whole, Some(finding.found(number.unwrap_or_default().to_string())))
            }
            (false, Some(true)) => {
                let finding = self.finding(Code::GenesisBroken).member("link").expected(self.text(&Digest::GENESIS));
                (Start::Whole, Some(finding.found(self.text(prev))))
            }
            (false, Some(false) | None) => {
                (Start::Partial, Some(self.finding(Code::PartialStart).found(self.text(prev))))
            }
        }
    }
}
