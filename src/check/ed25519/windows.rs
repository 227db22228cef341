//! The windows of the keys of a run: made when a key has enough signatures to pay for them, and so many at most.
//!
//! Whoever brings the signature that makes it enough builds them, once, while others go on without; nobody waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ed25519_dalek::VerifyingKey;

use super::fixed_key::FixedKey;

/// Signatures under one key from which windows pay (benches/signatures.rs): fewer are judged by `verify_strict`.
pub const ENOUGH: usize = 256;

/// Keys whose windows are kept: 23 MiB. The one that was not used for longest makes room.
pub const KEPT: usize = 8;

/// The windows of a run.
#[derive(Debug)]
pub(super) struct Windows {
    /// Signatures under one key from which its windows are built.
    enough: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    kept: Vec<Kept>,
    /// Signatures that were judged without windows, by key; `None` while they are being built, or cannot be.
    waiting: HashMap<[u8; 32], Option<usize>>,
    uses: u64,
}

#[derive(Debug)]
struct Kept {
    key: Arc<FixedKey>,
    used: u64,
}

impl Windows {
    /// None yet; a key has them from so many signatures on.
    pub fn new(enough: usize) -> Self {
        Windows { enough, state: Mutex::default() }
    }

    /// The windows of a key that has `count` signatures more; `None` where they are to be judged without.
    pub fn of(&self, key: &VerifyingKey, count: usize) -> Option<Arc<FixedKey>> {
        let bytes = *key.as_bytes();
        {
            let mut state = self.state();
            if let Some(kept) = state.find(&bytes) {
                return Some(kept);
            }
            let waiting = state.waiting.entry(bytes).or_insert(Some(0));
            let sum = waiting.as_mut()?;
            *sum += count;
            if *sum < self.enough {
                return None;
            }
            *waiting = None;
        }
        let built = Arc::new(FixedKey::new(*key)?);
        self.state().keep(Arc::clone(&built));
        Some(built)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked left nothing half done that matters: at worst a key stays without windows.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn find(&mut self, bytes: &[u8; 32]) -> Option<Arc<FixedKey>> {
        self.uses += 1;
        let kept = self.kept.iter_mut().find(|kept| kept.key.verifying().as_bytes() == bytes)?;
        kept.used = self.uses;
        Some(Arc::clone(&kept.key))
    }

    fn keep(&mut self, key: Arc<FixedKey>) {
        self.waiting.remove(key.verifying().as_bytes());
        if self.kept.len() >= KEPT
            && let Some((oldest, _)) = self.kept.iter().enumerate().min_by_key(|(_, kept)| kept.used)
        {
            self.kept.swap_remove(oldest);
        }
        self.uses += 1;
        self.kept.push(Kept { key, used: self.uses });
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::SigningKey;

    use super::*;

    fn key(seed: u8) -> VerifyingKey {
        SigningKey::from_bytes(&[seed; 32]).verifying_key()
    }

    #[test]
    fn few_signatures_build_nothing() {
        let windows = Windows::new(ENOUGH);
        assert!(windows.of(&key(1), ENOUGH - 1).is_none());
        // Those of another key do not count.
        assert!(windows.of(&key(2), ENOUGH - 1).is_none());
        assert!(windows.of(&key(1), 0).is_none());
        let built = windows.of(&key(1), 1).expect("enough");
        assert_eq!(*built.verifying(), key(1));
        assert!(windows.of(&key(1), 1).is_some_and(|again| Arc::ptr_eq(&again, &built)));
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_makes_room() {
        let windows = Windows::new(ENOUGH);
        for seed in 0..KEPT as u8 {
            assert!(windows.of(&key(seed), ENOUGH).is_some());
        }
        assert!(windows.of(&key(0), 1).is_some());
        assert!(windows.of(&key(100), ENOUGH).is_some());
        assert_eq!(windows.state().kept.len(), KEPT);
        assert!(windows.of(&key(0), 1).is_some());
        assert!(windows.of(&key(1), 1).is_none(), "it made room, and counts anew");
        assert!(windows.of(&key(1), ENOUGH).is_some());
    }

    #[test]
    fn nobody_waits_for_what_another_builds() {
        let windows = Windows::new(ENOUGH);
        windows.state().waiting.insert(*key(1).as_bytes(), None);
        assert!(windows.of(&key(1), 10 * ENOUGH).is_none());
    }
}
