//! The two rows of a fork, looked at closely: digest, link, signature, and what the keys vouch for.
//!
//! Decided here: a row is vouched for where a signature holds under a key that may sign it, over a digest that was
//! recomputed. What a row states alone vouches for nothing.

use super::reading::Kept;
use super::weigh::{Two, computed};
use crate::chain::Tip;
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, DigestFact, Facts, KeyIndex, Recipe, SignatureFact};
use crate::profile::Plan;
use crate::report::compare::{CommonRow, Fork, ForkRow, MOST_TEXT, Side, SignatureStanding, Standing, Vouched};
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;

/// Bytes of a row that is looked for in the other export.
const SOUGHT: usize = 64 << 10;

/// By what rows are looked at.
#[derive(Debug)]
pub(super) struct Close<'p> {
    plan: &'p Plan,
    keys: &'p Keyring,
    recipe: Recipe,
    checker: Checker<'p>,
}

/// A fork under way: what is told of it, and what is still looked for.
#[derive(Debug)]
pub(super) struct Open {
    pub fork: Fork,
    /// How the next row of each may name the row.
    tips: [Tip; 2],
    left: [Before; 2],
    /// The row itself, to be found in the other export.
    sought: [Option<Vec<u8>>; 2],
}

/// Where a fork is.
pub(super) struct At<'a> {
    pub chain: Option<String>,
    pub rows: [&'a Kept; 2],
    /// The last rows that both have in this chain, with what each leaves.
    pub last: [Option<&'a Kept>; 2],
    pub before: [Before; 2],
    /// Whether these are known to be the first rows of the chain in both exports.
    pub first: bool,
}

impl<'p> Close<'p> {
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Close { plan, keys, recipe, checker: Checker::new(plan, keys, recipe) }
    }

    /// Look at a fork.
    pub fn look(&mut self, at: &At<'_>, two: Two) -> Open {
        let last = [0, 1].map(|index| at.last[index].and_then(|row| self.facts(row, &Before::Unknown)));
        let seen = [0, 1].map(|index| self.facts(at.rows[index], &at.before[index]));
        let [of_a, of_b] = seen;
        let facts = [of_a.unwrap_or(two.a), of_b.unwrap_or(two.b)];
        let tips = [0, 1].map(|index| Tip::of(&facts[index], self.recipe.hash));
        let left = [0, 1].map(|index| facts[index].left.clone().map_or(Before::Unknown, Before::Row));
        let rows = [0, 1].map(|index| {
            let tip = last[index].as_ref().map(|facts| Tip::of(facts, self.recipe.hash));
            self.row(at, index, &facts[index], tip.as_ref())
        });
        let common = [0, 1].map(|index| {
            let sequence = last[index].as_ref().and_then(|facts| facts.sequence).map(|sequence| sequence.get());
            at.last[index].map(|row| CommonRow { place: row.place, sequence })
        });
        let previous = facts.each_ref().map(|facts| facts.prev);
        let one_predecessor = match previous {
            // Where rows do not state it, it was given to both by us.
            _ if self.plan.late => None,
            [Some(a), Some(b)] => Some(a == b),
            _ => None,
        };
        let vouched = self.vouched(&rows);
        let fork = Fork {
            chain: at.chain.clone(),
            common,
            members: two.members,
            one_predecessor,
            vouched,
            behind: [0, 0],
            equal_behind: 0,
            joined: None,
            rows,
        };
        let sought = at.rows.map(|row| (row.bytes.len() <= SOUGHT).then(|| row.bytes.clone()));
        Open { fork, tips, left, sought }
    }

    /// A row of this chain behind the fork.
    pub fn behind(&mut self, open: &mut Open, side: Side, row: &Kept) {
        let index = side.index();
        if open.fork.behind[index] == 0 {
            let next = self.next(open, index, row);
            open.fork.rows[index].next = Some(next);
        }
        open.fork.behind[index] += 1;
        let other = side.other().index();
        if open.sought[other].as_deref() == Some(&row.bytes[..]) {
            open.fork.rows[other].elsewhere = Some(row.place);
            open.sought[other] = None;
        }
    }

    /// Whether a row goes on from the row of the fork.
    fn next(&mut self, open: &Open, index: usize, row: &Kept) -> Standing {
        let Some(facts) = self.facts(row, &open.left[index]) else { return Standing::Open };
        if self.plan.late {
            return digest_standing(&facts);
        }
        named(&open.tips[index], facts.prev.as_ref())
    }

    fn facts(&mut self, row: &Kept, before: &Before) -> Option<Facts> {
        match self.checker.check(&row.line(), Some(before))? {
            Checked::Row(facts) => Some(*facts),
            Checked::Unreadable(..) | Checked::Unchained(..) => None,
        }
    }

    fn row(&self, at: &At<'_>, index: usize, facts: &Facts, last: Option<&Tip>) -> ForkRow {
        let row = at.rows[index];
        let text = |digest: &Digest| self.plan.form.encode(digest);
        let digest = match digest_standing(facts) {
            // It was computed with a row before it that may not be that.
            Standing::Fails if self.plan.late && at.before[index] == Before::Unknown => Standing::Open,
            standing => standing,
        };
        let link = match (last, self.plan.late) {
            (Some(_), true) => digest,
            (Some(tip), false) => named(tip, facts.prev.as_ref()),
            (None, false) if at.first && facts.prev == Some(Digest::GENESIS) => Standing::Holds,
            (None, _) => Standing::Open,
        };
        let (signature, signers) = self.signature(facts);
        let over = matches!(facts.signature, SignatureFact::Holds { over: Some(_), .. });
        let bound = facts.fits() || over || self.plan.hash.first().is_none_or(Vec::is_empty);
        let computed = computed(facts).and_then(|digests| {
            let reading = usize::from(self.recipe.hash.unwrap_or_default());
            let fitting = digests.iter().find(|digest| facts.hash.as_ref() == Some(*digest)).copied();
            fitting.or_else(|| digests.get(reading).copied()).or_else(|| digests.first().copied())
        });
        ForkRow {
            place: row.place,
            text: row.bytes.get(..MOST_TEXT.min(row.bytes.len())).unwrap_or_default().to_vec(),
            cut: row.bytes.len() > MOST_TEXT,
            sequence: facts.sequence.map(|sequence| sequence.get()),
            time: facts.time.map(|time| time.to_string()),
            stated: self.plan.fields.hash.as_ref().and(facts.hash.as_ref()).map(text),
            computed: computed.as_ref().map(text),
            digest,
            previous: facts.prev.as_ref().filter(|_| !self.plan.late).map(text),
            link,
            signature,
            vouched: bound && signature == SignatureStanding::Holds,
            signers,
            next: None,
            elsewhere: None,
        }
    }

    /// How the signatures of a row came out, or its MAC in a format without signatures, and under which keys.
    fn signature(&self, facts: &Facts) -> (SignatureStanding, Vec<String>) {
        let held = match facts.signature {
            SignatureFact::Holds { key, .. } => Some(key),
            SignatureFact::Fails | SignatureFact::Unjudged => None,
        };
        let mut keys: Vec<KeyIndex> = held.into_iter().chain(facts.also.iter().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        let trusted = |key: &KeyIndex| self.keys.keys().get(usize::from(key.0));
        let fingerprint = |key: &KeyIndex| trusted(key).and_then(|key| key.key()).map(Key::fingerprint);
        let signers: Vec<String> = keys.iter().filter_map(fingerprint).collect();
        let permitted = keys.iter().all(|key| {
            trusted(key).is_some_and(|key| key.may_sign_for(facts.key_id.as_deref(), facts.group.as_deref()))
        });
        let macs = !self.plan.signs() && !keys.is_empty();
        let standing = match facts.signature {
            _ if !self.plan.seals() => SignatureStanding::None,
            SignatureFact::Holds { .. } if permitted => SignatureStanding::Holds,
            SignatureFact::Holds { .. } => SignatureStanding::NotPermitted,
            SignatureFact::Fails => SignatureStanding::Fails,
            SignatureFact::Unjudged if macs && !permitted => SignatureStanding::NotPermitted,
            SignatureFact::Unjudged if macs && facts.fits() => SignatureStanding::Holds,
            SignatureFact::Unjudged if macs => SignatureStanding::Fails,
            SignatureFact::Unjudged if facts.signed || facts.unkeyed => SignatureStanding::NotJudged,
            SignatureFact::Unjudged => SignatureStanding::Absent,
        };
        (standing, signers)
    }

    fn vouched(&self, [a, b]: &[ForkRow; 2]) -> Vouched {
        match (a.vouched, b.vouched) {
            _ if !self.plan.seals() => Vouched::NoSignatures,
            (true, true) if a.signers.iter().any(|key| b.signers.contains(key)) => Vouched::BothByOne,
            (true, true) => Vouched::Both,
            (true, false) => Vouched::Only(Side::A),
            (false, true) => Vouched::Only(Side::B),
            (false, false) if self.keys.is_empty() => Vouched::NotJudged,
            (false, false) => Vouched::Neither,
        }
    }
}

fn digest_standing(facts: &Facts) -> Standing {
    match &facts.digest {
        DigestFact::Unknown => Standing::Open,
        _ if facts.fits() => Standing::Holds,
        _ => Standing::Fails,
    }
}

fn named(tip: &Tip, previous: Option<&Digest>) -> Standing {
    match previous.and_then(|previous| tip.is_named_by(previous)) {
        Some(true) => Standing::Holds,
        Some(false) => Standing::Fails,
        None => Standing::Open,
    }
}
