//! The keys that the user trusts, and which chains each may sign for.

use std::sync::Arc;

use super::key::PublicKey;
use crate::fact::KeyIndex;
use crate::stop::{Stop, StopCode};

/// One trusted key.
#[derive(Clone, Debug)]
pub struct TrustedKey {
    /// The key.
    pub public: PublicKey,
    /// The chains it may sign for; none means any.
    pub bound: Vec<Arc<str>>,
}

/// The trusted keys, each once, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    keys: Vec<TrustedKey>,
}

impl Keyring {
    /// Add a key, bound to `chain` if one is named. A key that is given again is bound to that chain
    /// too; given unbound once, it may sign for any.
    ///
    /// # Errors
    ///
    /// A stop for more keys than can be numbered.
    pub fn add(&mut self, public: PublicKey, chain: Option<&str>) -> Result<(), Stop> {
        let bound: Vec<Arc<str>> = chain.map(Arc::from).into_iter().collect();
        if let Some(known) = self.keys.iter_mut().find(|known| known.public == public) {
            match known.bound.is_empty() || bound.is_empty() {
                true => known.bound.clear(),
                false => known.bound.extend(bound),
            }
            return Ok(());
        }
        if self.keys.len() > usize::from(u16::MAX) {
            return Err(Stop::new(StopCode::Key, "more than 65,536 keys were given"));
        }
        self.keys.push(TrustedKey { public, bound });
        Ok(())
    }

    /// The keys.
    pub fn keys(&self) -> &[TrustedKey] {
        &self.keys
    }

    /// The keys with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (KeyIndex, &TrustedKey)> {
        self.keys.iter().enumerate().map(|(index, key)| (KeyIndex(index as u16), key))
    }

    /// Whether no key was given.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The chains that keys are bound to, each once.
    pub fn bindings(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self.keys.iter().flat_map(|key| key.bound.iter().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }
}

impl TrustedKey {
    /// Whether it may sign for this chain.
    pub fn may_sign_for(&self, chain: Option<&str>) -> bool {
        self.bound.is_empty() || chain.is_some_and(|chain| self.bound.iter().any(|bound| &**bound == chain))
    }
}
