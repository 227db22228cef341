//! The judge of a run: which engine judges which claims, and whether it can be trusted.
//!
//! An engine is checked while it works. Whatever it refuses is put before `verify_strict` before anything is said of
//! it ([`Judge::refuse`]), and so is a sample of what it accepts. Where the two differ, the fault is this program's, and
//! the run stops: nothing that was said of any signature counts then.

use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use ed25519_dalek::VerifyingKey;
use sha2::{Digest as _, Sha256};

use super::claim::Claim;
use super::engine::{Choice, Engine};
use super::verify;
use super::windows::{ENOUGH, Windows};
use crate::place::Place;

/// How many of the accepted signatures are put before `verify_strict` too: one in so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// At the start of an export, so that a short run has a sample too.
    Close,
    /// Further on.
    Wide,
}

impl Sample {
    fn one_in(self) -> u64 {
        match self {
            Sample::Close => 16,
            Sample::Wide => 1024,
        }
    }
}

/// What became of the signatures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Judged with windows of their key.
    pub fast: u64,
    /// Of these, put before `verify_strict` too: all that were refused, and a sample of the others.
    pub cross_checked: u64,
}

/// Judges the claims of a run, from any thread.
#[derive(Debug)]
pub struct Judge {
    engine: Engine,
    windows: Windows,
    fast: AtomicU64,
    cross_checked: AtomicU64,
    differs: Mutex<Option<Place>>,
    /// The key that verified last: most often the next one does too. It decides what is tried first.
    likely: AtomicU16,
}

impl Judge {
    /// The judge that was asked for; `None` where the processor does not have its engine. One that is chosen by name
    /// judges every signature with windows, however few there are.
    pub fn of(choice: Choice) -> Option<Self> {
        let enough = if choice == Choice::Auto { ENOUGH } else { 0 };
        Some(Judge::new(Engine::of(choice)?, enough))
    }

    /// A judge with this engine, for keys with so many signatures.
    pub fn new(engine: Engine, enough: usize) -> Self {
        Judge {
            engine,
            windows: Windows::new(enough),
            fast: AtomicU64::new(0),
            cross_checked: AtomicU64::new(0),
            differs: Mutex::new(None),
            likely: AtomicU16::new(0),
        }
    }

    /// Its engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// What was judged so far.
    pub fn judged(&self) -> Judged {
        Judged { fast: self.fast.load(Relaxed), cross_checked: self.cross_checked.load(Relaxed) }
    }

    /// Where the engine and `verify_strict` gave different verdicts, if they did.
    pub fn differs(&self) -> Option<Place> {
        *self.differs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// They did, on a signature of this row.
    pub(in crate::check) fn differ(&self, place: Place) {
        let mut first = self.differs.lock().unwrap_or_else(PoisonError::into_inner);
        let order = |place: &Place| (place.part, place.line);
        if first.as_ref().is_none_or(|known| order(&place) < order(known)) {
            *first = Some(place);
        }
    }

    pub(in crate::check) fn likely(&self) -> u16 {
        self.likely.load(Relaxed)
    }

    pub(in crate::check) fn set_likely(&self, key: u16) {
        self.likely.store(key, Relaxed);
    }

    /// Judge claims under one key; `None` if a verdict was another one than that of `verify_strict`: at this claim.
    pub(in crate::check) fn judge(
        &self,
        key: &VerifyingKey,
        claims: &[Claim<'_>],
        sample: Sample,
        verdicts: &mut Vec<Verdict>,
    ) -> Result<(), usize> {
        let windows = match self.engine {
            Engine::Reference => None,
            _ => self.windows.of(key, claims.len()),
        };
        let strict = |claim: &Claim<'_>| verify(key, claim.message, claim.signature);
        let Some(fixed) = windows else {
            let by_strict = |claim| if strict(claim) { Verdict::Holds } else { Verdict::Fails };
            verdicts.extend(claims.iter().map(by_strict));
            return Ok(());
        };
        let mut holds = Vec::with_capacity(claims.len());
        self.engine.judge(&fixed, claims, &mut holds);
        self.fast.fetch_add(claims.len() as u64, Relaxed);
        let mut drawn = Draw::of(claims);
        for (at, (claim, holds)) in claims.iter().zip(&holds).enumerate() {
            if *holds && drawn.one_in(sample.one_in()) {
                self.cross_checked.fetch_add(1, Relaxed);
                if !strict(claim) {
                    return Err(at);
                }
            }
        }
        verdicts.extend(holds.iter().map(|holds| if *holds { Verdict::Holds } else { Verdict::Doubted }));
        Ok(())
    }

    /// Whether a claim that was doubted fails indeed. If not, the engine is wrong.
    pub(in crate::check) fn refuse(&self, key: &VerifyingKey, claim: &Claim<'_>) -> bool {
        self.cross_checked.fetch_add(1, Relaxed);
        !verify(key, claim.message, claim.signature)
    }
}

/// The verdict on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum Verdict {
    /// It holds.
    Holds,
    /// It fails: `verify_strict` says so.
    Fails,
    /// An engine says that it fails.
    Doubted,
}

/// Draws a sample that nobody can choose without choosing all the signatures beside it, and that is the same in every
/// run: its seed is the SHA-256 of the signatures (SplitMix64 from there).
struct Draw(u64);

impl Draw {
    fn of(claims: &[Claim<'_>]) -> Self {
        let mut hash = Sha256::new();
        claims.iter().for_each(|claim| hash.update(claim.signature));
        Draw(hash.finalize().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31).is_multiple_of(many)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    type Signed = ([u8; 4], [u8; 64]);

    /// So many signatures, every tenth of them bad.
    fn signed(count: usize) -> (VerifyingKey, Vec<Signed>) {
        let signing = SigningKey::from_bytes(&[5; 32]);
        let of = |at: u32| {
            let message = at.to_le_bytes();
            let mut signature = signing.sign(&message).to_bytes();
            signature[3] ^= u8::from(at % 10 == 9);
            (message, signature)
        };
        (signing.verifying_key(), (0..count as u32).map(of).collect())
    }

    fn claims(signed: &[Signed]) -> Vec<Claim<'_>> {
        signed.iter().map(|(message, signature)| Claim { message, signature }).collect()
    }

    fn judged(judge: &Judge, count: usize, sample: Sample) -> (Result<(), usize>, Vec<Verdict>) {
        let (key, signed) = signed(count);
        let mut verdicts = Vec::new();
        (judge.judge(&key, &claims(&signed), sample, &mut verdicts), verdicts)
    }

    fn wanted(count: usize, refused: Verdict) -> Vec<Verdict> {
        (0..count).map(|at| if at % 10 == 9 { refused } else { Verdict::Holds }).collect()
    }

    #[test]
    fn few_are_judged_by_verify_strict_and_many_with_windows() {
        let judge = Judge::new(Engine::Portable, ENOUGH);
        assert_eq!(judged(&judge, 100, Sample::Close), (Ok(()), wanted(100, Verdict::Fails)));
        assert_eq!(judge.judged(), Judged::default());
        assert_eq!(judged(&judge, ENOUGH, Sample::Close), (Ok(()), wanted(ENOUGH, Verdict::Doubted)));
        let first = judge.judged();
        assert_eq!(first.fast, ENOUGH as u64);
        assert!((4..60).contains(&first.cross_checked), "{first:?}: one in 16 of 230");
        // The same ones in another run.
        let again = Judge::new(Engine::Portable, ENOUGH);
        assert_eq!(judged(&again, ENOUGH, Sample::Close).0, Ok(()));
        assert_eq!(again.judged(), first);
        // Once the windows are there, few are judged with them too.
        assert_eq!(judged(&judge, 1, Sample::Wide), (Ok(()), vec![Verdict::Holds]));
        assert_eq!(judge.judged().fast, ENOUGH as u64 + 1);
    }

    #[test]
    fn the_reference_has_no_windows() {
        let judge = Judge::new(Engine::Reference, 0);
        assert_eq!(judged(&judge, 300, Sample::Close), (Ok(()), wanted(300, Verdict::Fails)));
        assert_eq!(judge.judged(), Judged::default());
    }

    #[test]
    fn an_engine_that_accepts_what_fails_is_found_out() {
        let judge = Judge::new(Engine::Wrong(true), ENOUGH);
        let (outcome, verdicts) = judged(&judge, 3000, Sample::Close);
        assert!(outcome.is_err_and(|at| at % 10 == 9), "one of the bad ones");
        assert_eq!(verdicts, []);
    }

    #[test]
    fn what_an_engine_refuses_is_only_doubted() {
        let judge = Judge::new(Engine::Wrong(false), ENOUGH);
        let (outcome, verdicts) = judged(&judge, 300, Sample::Close);
        assert_eq!((outcome, verdicts), (Ok(()), vec![Verdict::Doubted; 300]));
        let (key, signed) = signed(10);
        let claims = claims(&signed);
        assert!(!judge.refuse(&key, &claims[0]), "it holds");
        assert!(judge.refuse(&key, &claims[9]));
    }

    #[test]
    fn the_first_place_is_told() {
        let judge = Judge::new(Engine::Portable, ENOUGH);
        let place = |line| Place { part: 0, line, offset: 0, length: 0 };
        assert_eq!(judge.differs(), None);
        [7, 3, 9].into_iter().for_each(|line| judge.differ(place(line)));
        assert_eq!(judge.differs(), Some(place(3)));
    }
}
