//! Stories of the ends of chains: what anchors state and rows do not show.

use std::sync::Arc;

use super::story::{Draft, Stories};
use super::{Detail, Kind};
use crate::fact::{AnchorFacts, AnchorKind, AnchorMember};
use crate::finding::{Code, Finding};

/// What is known at the end of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Ends<'a> {
    /// Faults of the anchors, in the order in which they were found.
    pub faults: &'a [Finding],
    /// The anchors: first one for each entry of the manifest, in its order.
    pub anchors: &'a [AnchorFacts],
    /// What the format calls the members of its manifests.
    pub members: &'a [(AnchorMember, String)],
    /// How many faults there are in all, and of the codes that all rows may have.
    pub total: u64,
    /// Digests that were compared, and how many are wrong.
    pub digests: (u64, u64),
    /// Signatures that were judged, and how many fail.
    pub signatures: (u64, u64),
}

/// What an entry of the manifest states and the export does not show.
#[derive(Clone, Copy, Debug, Default)]
struct Contradicted<'a> {
    entries: Option<(u64, u64)>,
    first: Option<(u64, u64)>,
    last: Option<(u64, u64)>,
    head: Option<&'a Finding>,
    chain: Option<&'a Finding>,
    file: bool,
    seal: bool,
}

impl<'a> Contradicted<'a> {
    fn of(faults: impl Iterator<Item = &'a Finding>, members: &[(AnchorMember, String)]) -> Self {
        let mut out = Contradicted::default();
        for fault in faults {
            let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<u64>().ok());
            let both = number(&fault.expected).zip(number(&fault.found));
            if fault.code == Code::HeadMismatch {
                out.head = Some(fault);
                continue;
            }
            let member = members.iter().find(|(_, name)| fault.member.as_deref() == Some(name));
            match member.map(|(member, _)| member) {
                Some(AnchorMember::Count) => out.entries = both,
                Some(AnchorMember::First) => out.first = both,
                Some(AnchorMember::Last) => out.last = both,
                Some(AnchorMember::Chain) => out.chain = Some(fault),
                Some(AnchorMember::Signature) => out.seal = true,
                Some(AnchorMember::File) => out.file = true,
                None => {}
            }
        }
        out
    }

    /// How many faults it stands for.
    fn faults(&self) -> u64 {
        let flags = [
            self.entries.is_some(),
            self.first.is_some(),
            self.last.is_some(),
            self.head.is_some(),
            self.chain.is_some(),
            self.file,
            self.seal,
        ];
        flags.into_iter().map(u64::from).sum()
    }
}

/// What an anchor's fault states and what was found.
fn stated(fault: Option<&Finding>) -> Detail {
    match fault.and_then(|fault| fault.expected.clone().zip(fault.found.clone())) {
        Some((stated, found)) => Detail::Stated { stated, found },
        None => Detail::None,
    }
}

impl Stories<'_> {
    /// Tell what the anchors contradict; `sealed` says whether the manifest's signatures hold.
    pub fn ends(&mut self, ends: &Ends<'_>) {
        let entries: Vec<&AnchorFacts> = ends
            .anchors
            .iter()
            .filter(|anchor| matches!(anchor.kind, AnchorKind::Manifest | AnchorKind::Sidecar))
            .collect();
        let alone = entries.len() == 1 && self.teller.tracks.len() <= 1;
        for (index, entry) in entries.iter().enumerate() {
            let own = |name: &Option<Arc<str>>| alone || *name == entry.chain;
            let mine = ends.faults.iter().filter(|fault| match fault.code {
                Code::ManifestMismatch => own(&fault.chain),
                Code::HeadMismatch => own(&fault.chain) && fault.member.as_deref() == Some("manifest"),
                _ => false,
            });
            let contradicted = Contradicted::of(mine, ends.members);
            let chain = match alone {
                true => (!self.teller.tracks.is_empty()).then_some(0),
                false => self.teller.tracks.iter().position(|track| track.name == entry.chain),
            };
            match chain {
                Some(chain) => self.entry(index, entry, chain, contradicted),
                None if contradicted.entries.is_some() && self.teller.unread == 0 => {
                    let rows = contradicted.entries.map_or(0, |(stated, _)| stated);
                    let mut draft = self.whole(Kind::ChainMissing, None, contradicted.faults()).rows(rows);
                    draft.incident.chain.clone_from(&entry.chain);
                    self.drafts.push(draft.certain(true));
                }
                None => {}
            }
        }
        if self.teller.tracks.len() == 1 {
            let pins = |fault: &&Finding| fault.code == Code::HeadMismatch && fault.member.as_deref() == Some("head");
            ends.faults.iter().filter(pins).for_each(|fault| self.pin(fault));
            let conflicts = ends.faults.iter().filter(|fault| fault.code == Code::AnchorConflict);
            conflicts.for_each(|fault| self.conflict(fault));
        }
    }

    /// An entry of the manifest against its chain.
    fn entry(&mut self, index: usize, entry: &AnchorFacts, chain: usize, mut left: Contradicted<'_>) {
        if left.chain.is_some() && left.head.is_some() {
            let draft = self.whole(Kind::WrongLedger, Some(chain), left.faults()).detail(stated(left.chain));
            self.drafts.push(draft);
            return;
        }
        if left.head.is_some()
            && self.other_hashing
            && self.lend_to(1, |draft| draft.incident.kind == Kind::OtherHashing)
        {
            left.head = None;
        }
        if left.seal && self.wrong_key && self.lend_to(1, |draft| draft.incident.kind == Kind::WrongKey) {
            left.seal = false;
        }
        self.front(chain, &mut left);
        let known = self.drafts.iter().any(|draft| draft.chain == Some(chain));
        if left.head.is_some() {
            self.end(index, entry, chain, &mut left);
        }
        let at_end = |draft: &Draft| draft.chain == Some(chain) && draft.at_end;
        if left.last.is_some() && self.lend_to(1, at_end) {
            left.last = None;
        }
        if let Some((stated, found)) = left.entries {
            let moved = |draft: &Draft| draft.chain == Some(chain) && draft.lost != 0;
            if i128::from(stated) - i128::from(found) == self.lost(chain) && self.lend_to(1, moved) {
                left.entries = None;
            }
        }
        if left.file && self.lend_to(1, |draft| draft.chain == Some(chain)) {
            left.file = false;
        }
        let fits = left.head.is_none() && !known && (left.entries.is_some() || left.last.is_some());
        if left.seal || fits || left.head.is_none() && left.chain.is_some() {
            let draft = self.whole(Kind::ManifestAltered, Some(chain), left.faults());
            self.drafts.push(draft.certain(left.seal && !self.wrong_key));
        }
    }

    /// Rows that the manifest has before the first one of the export.
    fn front(&mut self, chain: usize, left: &mut Contradicted<'_>) {
        let Some((stated, found)) = left.first else { return };
        if self.lend_to(1, |draft| draft.chain == Some(chain) && draft.at_start) {
            left.first = None;
        } else if stated < found {
            let Some(track) = self.teller.tracks.get(chain) else { return };
            let draft = self.draft(Kind::BeginningCut, chain, track.first, track.first).faults(1);
            let draft = draft.rows(found - stated).sequences(stated, found - 1);
            self.drafts.push(draft.good(None, Some(found)).lost(i128::from(found - stated)));
            left.first = None;
        }
    }

    /// Another head than the manifest states.
    fn end(&mut self, index: usize, entry: &AnchorFacts, chain: usize, left: &mut Contradicted<'_>) {
        let Some(track) = self.teller.tracks.get(chain) else { return };
        let (last, rows) = (track.last, i128::from(track.rows));
        let earlier = self.teller.head(index).filter(|(of, at)| *of == chain && at.ordinal < last.ordinal);
        let more = left.entries.map(|(stated, found)| i128::from(stated) - i128::from(found) - self.lost(chain));
        let faults = |left: &Contradicted<'_>| {
            1 + u64::from(left.entries.is_some()) + u64::from(left.last.is_some()) + u64::from(left.file)
        };
        // A manifest that counts the later rows too is about another order of the same rows, or contradicts itself.
        if let Some((_, at)) = earlier.filter(|_| more.is_some_and(|more| more < 0)) {
            let behind = |draft: &Draft| draft.chain == Some(chain) && draft.incident.first > Some(at.place);
            let foreign = self.drafts.iter().any(|draft| {
                behind(draft) && draft.incident.good_before == at.sequence && SPURIOUS.contains(&draft.incident.kind)
            });
            let mut explained = faults(left);
            let joined = |draft: &Draft| behind(draft) && JOINED.contains(&draft.incident.kind);
            if self.lend_to(explained, joined) {
                (left.entries, left.last, left.head, left.file) = (None, None, None, false);
                return;
            }
            if foreign {
                let (gone, kept): (Vec<Draft>, Vec<Draft>) = self.drafts.drain(..).partition(behind);
                self.drafts = kept;
                explained += gone.iter().map(|draft| draft.incident.faults).sum::<u64>();
            }
            let kind = if foreign { Kind::RowsAppended } else { Kind::LogGrown };
            let first = self.teller.behind_head(index).unwrap_or(at);
            let mut draft = self.draft(kind, chain, first, last).faults(explained);
            draft = draft.rows(last.ordinal - at.ordinal).good(at.sequence, None);
            if let Some(sequence) = at.sequence {
                let behind = sequence.saturating_add(1);
                let to = last.sequence.filter(|to| *to >= behind).unwrap_or(behind);
                draft = draft.sequences(behind, to);
                draft = draft.detail(Detail::Head { sequence, digest: entry.head.clone() });
            }
            self.drafts.push(draft);
            (left.entries, left.last, left.head, left.file) = (None, None, None, false);
            return;
        }
        let further = left.last.and_then(|(stated, found)| stated.checked_sub(found)).filter(|rows| *rows > 0);
        if earlier.is_none() && more.is_some_and(|more| more > 0) && (left.last.is_none() || further.is_some()) {
            let missing = more.and_then(|more| u64::try_from(more).ok()).unwrap_or_default();
            let mut draft = self.draft(Kind::TailCut, chain, last, last).rows(missing).faults(faults(left));
            if let Some((stated, found)) = left.last {
                draft = draft.sequences(found.saturating_add(1), stated);
            } else {
                draft.incident.sequences = None;
            }
            draft.at_end = false;
            self.drafts.push(draft.good(last.sequence, None).lost(i128::from(missing)));
            (left.entries, left.last, left.head, left.file) = (None, None, None, false);
        } else if self.lend_to(1, |draft| draft.chain == Some(chain) && draft.at_end) {
            left.head = None;
        } else if earlier.is_none() && left.entries.is_none() && left.last.is_none() && !left.seal && rows > 0 {
            let draft = self.draft(Kind::TwoHistories, chain, last, last).faults(1).detail(stated(left.head));
            self.drafts.push(draft);
            left.head = None;
        }
    }

    /// A pinned head that no row has.
    fn pin(&mut self, fault: &Finding) {
        let Some(track) = self.teller.tracks.first() else { return };
        let last = track.last;
        let (Some(pinned), Some(end)) = (fault.sequence, last.sequence) else { return };
        let touched = |draft: &Draft| {
            draft.incident.rows > 0
                && draft.incident.sequences.is_some_and(|(first, last)| (first..=last).contains(&pinned))
        };
        if self.lend_to(1, touched) || fault.found.is_none() && pinned <= end {
            return;
        }
        if fault.found.is_some() {
            let mut draft = self.whole(Kind::TwoHistories, Some(0), 1).sequences(pinned, pinned);
            draft.incident.rows = 1;
            self.drafts.push(draft.detail(stated(Some(fault))));
        } else {
            let draft = self.draft(Kind::TailCut, 0, last, last).rows(pinned - end).faults(1);
            self.drafts.push(draft.sequences(end + 1, pinned).good(last.sequence, None));
        }
    }

    /// Two anchors that contradict each other.
    fn conflict(&mut self, fault: &Finding) {
        if !self.lend_to(1, |draft| draft.incident.kind == Kind::TwoHistories) {
            let draft = self.whole(Kind::TwoHistories, Some(0), 1).detail(stated(Some(fault)));
            self.drafts.push(draft);
        }
    }

    /// How many rows more a chain had before what was told happened to it.
    fn lost(&self, chain: usize) -> i128 {
        self.drafts.iter().filter(|draft| draft.chain == Some(chain)).map(|draft| draft.lost).sum()
    }

    /// Put faults into the first story of which this is true.
    fn lend_to(&mut self, faults: u64, is_meant: impl Fn(&Draft) -> bool) -> bool {
        match self.drafts.iter_mut().find(|draft| is_meant(draft)) {
            Some(draft) => {
                draft.incident.faults += faults;
                true
            }
            None => false,
        }
    }
}

/// Stories of rows that may have been put behind the end.
const SPURIOUS: &[Kind] =
    &[Kind::RowsRehashed, Kind::SignaturesStripped, Kind::SignaturesAltered, Kind::HistoryRewritten, Kind::RowsDeleted];

/// Stories of rows that are known to be of another export.
const JOINED: &[Kind] = &[Kind::ConcatenatedExports, Kind::LedgerRestarted];
