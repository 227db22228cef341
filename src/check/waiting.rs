//! Signatures that wait to be judged together: an engine judges many at once, and rows come one by one.
//!
//! A row is checked as if its signatures held under the first key that is tried; its facts say so, and are put right
//! when the verdicts are there. That is exact: what holds is the first that holds of the same tries in the same order
//! as for a row alone, and a row whose tries all fail is judged alone after that, or fails where nothing else is to be
//! tried. No row's verdict depends on another row.

use std::ops::Range;

use ed25519_dalek::VerifyingKey;

use super::ed25519::{Claim, Judge, Sample, Verdict};
use crate::fact::{Facts, KeyIndex, Place, Reading, SignatureFact};

/// Signatures of some rows, in the order of the rows.
#[derive(Debug, Default)]
pub(super) struct Waiting<'p> {
    bytes: Vec<u8>,
    tries: Vec<Try<'p>>,
    signatures: Vec<Signature>,
}

/// One message under one key.
#[derive(Debug)]
struct Try<'p> {
    index: KeyIndex,
    key: &'p VerifyingKey,
    reading: Reading,
    message: Range<usize>,
    signature: [u8; 64],
}

/// A signature of a row, and what may be said of it.
#[derive(Debug)]
struct Signature {
    place: Place,
    spot: Spot,
    /// Over which recomputed digest its messages are.
    over: Option<Reading>,
    tries: Range<usize>,
    /// There is nothing else to be tried: it fails if all these do.
    whole: bool,
    /// The row has no other.
    alone: bool,
}

/// Where the facts of a row have what is said of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// As the row's signature.
    First,
    /// Among the further keys.
    Also(usize),
}

/// How far the list was at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    bytes: usize,
    tries: usize,
    signatures: usize,
}

/// What a signature that waited comes to.
#[derive(Clone, Copy, Debug)]
pub struct Settled {
    /// The row.
    pub place: Place,
    spot: Spot,
    /// `None` if the row must be judged alone.
    fact: Option<SignatureFact>,
}

impl Settled {
    /// Put the facts of the row right; whether that can be done. If not, it must be checked again, by a checker with
    /// which nothing waits.
    pub fn tell(&self, facts: &mut Facts) -> bool {
        match (self.spot, self.fact) {
            (Spot::First, Some(fact)) => facts.signature = fact,
            (Spot::Also(at), Some(SignatureFact::Holds { key, .. })) => {
                facts.also.get_mut(at).into_iter().for_each(|also| *also = key);
            }
            (Spot::Also(_), Some(_)) | (_, None) => return false,
        }
        true
    }
}

impl<'p> Waiting<'p> {
    pub fn mark(&self) -> Mark {
        Mark { bytes: self.bytes.len(), tries: self.tries.len(), signatures: self.signatures.len() }
    }

    /// Forget what came since.
    pub fn back_to(&mut self, mark: Mark) {
        self.bytes.truncate(mark.bytes);
        self.tries.truncate(mark.tries);
        self.signatures.truncate(mark.signatures);
    }

    /// Add a try of the next signature.
    pub fn add(
        &mut self,
        (index, key): (KeyIndex, &'p VerifyingKey),
        reading: Reading,
        message: &[u8],
        signature: [u8; 64],
    ) {
        let start = self.bytes.len();
        // The same message under the next key is there already.
        let message = match self.tries.last() {
            Some(last) if self.bytes.get(last.message.clone()) == Some(message) => last.message.clone(),
            _ => {
                self.bytes.extend_from_slice(message);
                start..self.bytes.len()
            }
        };
        self.tries.push(Try { index, key, reading, message, signature });
    }

    /// The tries since the mark are all of one signature; what it is taken for until it is judged. `None` if there are
    /// none.
    pub fn close(
        &mut self,
        since: Mark,
        (place, spot): (Place, Spot),
        over: Option<Reading>,
        whole: bool,
    ) -> Option<SignatureFact> {
        let first = self.tries.get(since.tries)?;
        let fact = SignatureFact::Holds { key: first.index, reading: first.reading, over };
        let tries = since.tries..self.tries.len();
        self.signatures.push(Signature { place, spot, over, tries, whole, alone: true });
        Some(fact)
    }

    /// The row that the signatures since the mark are of has others beside each of them.
    pub fn several(&mut self, since: Mark) {
        self.signatures.iter_mut().skip(since.signatures).for_each(|signature| signature.alone = false);
    }

    /// Judge them all. What they come to, in the order of the rows.
    pub fn settle(&mut self, judge: &Judge, sample: Sample) -> Vec<Settled> {
        let held = self.judged(judge, sample);
        let mut settled = Vec::with_capacity(self.signatures.len());
        for (signature, held) in self.signatures.iter().zip(held) {
            let fact = match held.and_then(|at| self.tries.get(at)) {
                Some(held) => {
                    judge.set_likely(held.index.0);
                    Some(SignatureFact::Holds { key: held.index, reading: held.reading, over: signature.over })
                }
                None => (signature.whole && signature.alone).then_some(SignatureFact::Fails),
            };
            settled.push(Settled { place: signature.place, spot: signature.spot, fact });
        }
        self.back_to(Mark { bytes: 0, tries: 0, signatures: 0 });
        settled
    }

    /// Of each signature the first of its tries that holds.
    fn judged(&self, judge: &Judge, sample: Sample) -> Vec<Option<usize>> {
        let mut held = vec![None; self.signatures.len()];
        // Each signature with its next try; those under one key are judged together.
        let mut open: Vec<(usize, usize)> =
            self.signatures.iter().map(|signature| signature.tries.start).enumerate().collect();
        let mut doubted: Vec<(usize, usize)> = Vec::new();
        while !open.is_empty() {
            open.sort_by_key(|(signature, at)| (self.tries.get(*at).map(|it| it.index), *signature));
            let mut next = Vec::new();
            for group in open.chunk_by(|(_, a), (_, b)| self.key(*a) == self.key(*b)) {
                let Some(key) = group.first().and_then(|(_, at)| self.key(*at)) else { continue };
                let claims: Vec<Claim<'_>> = group.iter().filter_map(|(_, at)| self.claim(*at)).collect();
                let mut verdicts = Vec::with_capacity(claims.len());
                if let Err(wrong) = judge.judge(key, &claims, sample, &mut verdicts) {
                    group.get(wrong).into_iter().for_each(|(signature, _)| self.differ(judge, *signature));
                    return held;
                }
                for ((signature, at), verdict) in group.iter().zip(verdicts) {
                    match verdict {
                        Verdict::Holds => {
                            held.get_mut(*signature).into_iter().for_each(|held| *held = Some(*at));
                            continue;
                        }
                        Verdict::Doubted => doubted.push((*signature, *at)),
                        Verdict::Fails => {}
                    }
                    if self.signatures.get(*signature).is_some_and(|it| at + 1 < it.tries.end) {
                        next.push((*signature, at + 1));
                    }
                }
            }
            open = next;
        }
        // Nothing is said of a signature because an engine alone has refused a try of it.
        doubted.retain(|(signature, _)| held.get(*signature).is_some_and(Option::is_none));
        for (signature, at) in doubted {
            if let (Some(key), Some(claim)) = (self.key(at), self.claim(at))
                && !judge.refuse(key, &claim)
            {
                self.differ(judge, signature);
            }
        }
        held
    }

    fn differ(&self, judge: &Judge, signature: usize) {
        self.signatures.get(signature).into_iter().for_each(|signature| judge.differ(signature.place));
    }

    fn key(&self, at: usize) -> Option<&'p VerifyingKey> {
        self.tries.get(at).map(|it| it.key)
    }

    fn claim(&self, at: usize) -> Option<Claim<'_>> {
        let it = self.tries.get(at)?;
        Some(Claim { message: self.bytes.get(it.message.clone())?, signature: &it.signature })
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::super::ed25519::{ENOUGH, Engine};
    use super::*;

    fn place(line: u64) -> Place {
        Place { part: 0, line, offset: 0, length: 0 }
    }

    fn add<'p>(waiting: &mut Waiting<'p>, line: u64, keys: &[(u16, &'p VerifyingKey)], signature: [u8; 64]) {
        let mark = waiting.mark();
        keys.iter().for_each(|(index, key)| waiting.add((KeyIndex(*index), key), 0, b"message", signature));
        let first = SignatureFact::Holds { key: KeyIndex(keys[0].0), reading: 0, over: None };
        assert_eq!(waiting.close(mark, (place(line), Spot::First), None, true), Some(first));
    }

    /// So many bad signatures under the first key, and then one under one of two keys.
    fn settled(engine: Engine, signer: usize) -> (Judge, Option<SignatureFact>) {
        let signing = [SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32])];
        let [first, second] = [signing[0].verifying_key(), signing[1].verifying_key()];
        let mut waiting = Waiting::default();
        for line in 0..ENOUGH as u64 {
            add(&mut waiting, line, &[(0, &first)], [7; 64]);
        }
        let signature = signing[signer].sign(b"message").to_bytes();
        add(&mut waiting, 1000, &[(0, &first), (1, &second)], signature);
        let judge = Judge::new(engine, ENOUGH);
        let settled = waiting.settle(&judge, Sample::Close);
        assert_eq!(settled.len(), ENOUGH + 1);
        assert!(settled[..ENOUGH].iter().all(|settled| settled.fact == Some(SignatureFact::Fails)));
        assert_eq!(waiting.mark(), Mark { bytes: 0, tries: 0, signatures: 0 });
        (judge, settled[ENOUGH].fact)
    }

    #[test]
    fn the_first_key_that_holds_is_told() {
        for (signer, key) in [(0, KeyIndex(0)), (1, KeyIndex(1))] {
            let (judge, fact) = settled(Engine::Portable, signer);
            assert_eq!(fact, Some(SignatureFact::Holds { key, reading: 0, over: None }));
            assert_eq!(judge.differs(), None);
            assert_eq!(judge.likely(), key.0);
            // Every refusal was put before `verify_strict`, but of the one that held under the other key.
            assert_eq!(judge.judged().cross_checked as usize / ENOUGH, 1);
        }
    }

    /// The second key has few signatures, which `verify_strict` refuses: the first key's refusal is looked at all the
    /// same.
    #[test]
    fn a_refusal_is_confirmed_under_each_key() {
        let (judge, fact) = settled(Engine::Wrong(false), 0);
        assert_eq!(fact, Some(SignatureFact::Fails));
        assert_eq!(judge.differs(), Some(place(1000)));
        // Under the second key it holds, by `verify_strict`: nothing is doubted that is told.
        let (judge, fact) = settled(Engine::Wrong(false), 1);
        assert_eq!(fact, Some(SignatureFact::Holds { key: KeyIndex(1), reading: 0, over: None }));
        assert_eq!(judge.differs(), None);
    }

    #[test]
    fn what_is_taken_back_does_not_wait() {
        let key = SigningKey::from_bytes(&[1; 32]).verifying_key();
        let mut waiting = Waiting::default();
        add(&mut waiting, 1, &[(0, &key)], [7; 64]);
        let mark = waiting.mark();
        add(&mut waiting, 2, &[(0, &key)], [7; 64]);
        waiting.back_to(mark);
        assert_eq!(waiting.close(mark, (place(2), Spot::First), None, true), None);
        let settled = waiting.settle(&Judge::new(Engine::Portable, ENOUGH), Sample::Close);
        assert_eq!(settled.iter().map(|settled| settled.place).collect::<Vec<_>>(), [place(1)]);
    }
}
