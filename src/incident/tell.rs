//! The telling: patterns become incidents, in file order, each fault in one story at most.

use super::ends::Ends;
use super::story::{Draft, Stories};
use super::teller::Teller;
use super::{Detail, Incident, Kind};

/// How many incidents are listed.
pub const LISTED: usize = 100;

/// Rows from which on all of them having the same fault says something of the run as a whole.
const SEVERAL: u64 = 3;

/// What is told of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What happened, in file order; what concerns the export as a whole comes last.
    pub incidents: Vec<Incident>,
    /// Incidents that are not listed.
    pub more: u64,
    /// Faults that are part of no story.
    pub unexplained: u64,
}

impl Teller {
    /// Tell what most likely happened.
    pub fn tell(&self, ends: &Ends<'_>) -> Told {
        let mut stories = Stories::new(self);
        stories.wholes(ends);
        for chain in 0..self.tracks.len() {
            stories.breaks(chain);
        }
        let vouched = |chain: usize| {
            let name = self.tracks.get(chain).and_then(|track| track.name.as_ref());
            let about = |of: &Option<std::sync::Arc<str>>| of.as_ref() == name || self.tracks.len() == 1;
            let holds = |anchor: &crate::fact::AnchorFacts| {
                anchor.signed && anchor.verdict == crate::fact::AnchorVerdict::Matches && about(&anchor.chain)
            };
            ends.anchors.iter().any(holds)
        };
        stories.rows(&vouched);
        stories.ends(ends);
        let mut drafts = stories.drafts;
        drafts.sort_by_key(|draft| (draft.incident.first.is_none(), draft.incident.first, draft.incident.last));
        let explained: u64 = drafts.iter().map(|draft| draft.incident.faults).sum();
        let more = drafts.len().saturating_sub(LISTED) as u64;
        drafts.truncate(LISTED);
        Told {
            incidents: drafts.into_iter().map(|draft| draft.incident).collect(),
            more,
            unexplained: ends.total.saturating_sub(explained),
        }
    }
}

impl Stories<'_> {
    /// What all rows have in common is no fault of any of them.
    fn wholes(&mut self, ends: &Ends<'_>) {
        let teller = self.teller;
        let (Some(first), Some(last)) = (
            teller.tracks.iter().map(|track| track.first).min_by_key(|at| at.place),
            teller.tracks.iter().map(|track| track.last).max_by_key(|at| at.place),
        ) else {
            return;
        };
        let all = |stories: &Self, kind, rows, faults| {
            let mut draft: Draft = stories.whole(kind, None, faults).rows(rows);
            (draft.incident.first, draft.incident.last) = (Some(first.place), Some(last.place));
            if let [track] = teller.tracks.as_slice() {
                draft.incident.chain.clone_from(&track.name);
                draft.incident.sequences = track.first.sequence.zip(track.last.sequence);
            }
            draft
        };
        let (judged, failing) = ends.signatures;
        let sealed = ends.anchors.iter().any(|anchor| anchor.signed);
        let compared = ends.digests;
        let most = judged * 2 > teller.tracks.iter().map(|track| track.rows).sum();
        if judged > 0 && judged == failing && most && !sealed {
            let draft = all(self, Kind::WrongKey, failing, failing);
            self.wrong_key = true;
            self.drafts.push(draft);
        }
        let unedited = teller.breaks.is_empty() && teller.numbers.is_empty();
        if compared.0 >= SEVERAL && compared.0 == compared.1 && unedited {
            let draft = all(self, Kind::OtherHashing, compared.1, compared.1);
            self.other_hashing = true;
            let held = judged > failing;
            self.drafts.push(draft.detail(Detail::Signature((judged > 0).then_some(held))));
        }
    }
}
