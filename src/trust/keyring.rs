//! The keys that the user trusts: for which role of the format, and which chains and key ids each may
//! sign for.

use std::sync::Arc;

use super::key::Key;
use crate::algorithm::SignatureAlgorithm;
use crate::fact::KeyIndex;
use crate::stop::{Stop, StopCode};

/// One trusted key.
#[derive(Clone, Debug)]
pub struct TrustedKey {
    /// The key.
    pub key: Key,
    /// What it was read for, and is good for.
    pub algorithm: SignatureAlgorithm,
    /// The role it was given for; none for the only role.
    pub role: Option<Arc<str>>,
    /// The names that it is bound to, each a key id or a chain, which only the rows show; none means any.
    pub bound: Vec<Arc<str>>,
}

/// The trusted keys, each once for a role, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    keys: Vec<TrustedKey>,
}

impl Keyring {
    /// Add a key for a role, bound to `name` if one is given. A key that is given again for the same role
    /// is bound to that name too; given unbound once, it may sign for any.
    ///
    /// # Errors
    ///
    /// A stop for more keys than can be numbered.
    pub fn add(
        &mut self,
        key: Key,
        algorithm: SignatureAlgorithm,
        role: Option<&str>,
        name: Option<&str>,
    ) -> Result<(), Stop> {
        let bound: Vec<Arc<str>> = name.map(Arc::from).into_iter().collect();
        let known = self
            .keys
            .iter_mut()
            .find(|known| known.key == key && known.algorithm == algorithm && known.role.as_deref() == role);
        if let Some(known) = known {
            match known.bound.is_empty() || bound.is_empty() {
                true => known.bound.clear(),
                false => known.bound.extend(bound),
            }
            return Ok(());
        }
        if self.keys.len() > usize::from(u16::MAX) {
            return Err(Stop::new(StopCode::Key, "more than 65,536 keys were given"));
        }
        self.keys.push(TrustedKey { key, algorithm, role: role.map(Arc::from), bound });
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

    /// The keys that fill this role for this algorithm: those that were given for it, and those given for
    /// no role. A format with several roles of one algorithm must give each key its role, else it fills all.
    pub fn keys_for(
        &self,
        role: Option<&str>,
        algorithm: SignatureAlgorithm,
    ) -> impl Iterator<Item = (KeyIndex, &TrustedKey)> {
        self.numbered()
            .filter(move |(_, key)| key.algorithm == algorithm && (key.role.is_none() || key.role.as_deref() == role))
    }

    /// Whether no key was given.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The names that keys are bound to, each once.
    pub fn bindings(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self.keys.iter().flat_map(|key| key.bound.iter().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }
}

impl TrustedKey {
    /// Whether it may sign where the row has this key id, in this chain.
    pub fn may_sign_for(&self, key_id: Option<&str>, chain: Option<&str>) -> bool {
        let named = |name: &str| self.bound.iter().any(|bound| &**bound == name);
        self.bound.is_empty() || key_id.is_some_and(named) || chain.is_some_and(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Secret;

    fn secret(text: &str) -> Key {
        Key::Secret(Secret::new(text.as_bytes()).expect("a secret"))
    }

    const MAC: SignatureAlgorithm = SignatureAlgorithm::HmacSha256;

    #[test]
    fn roles_and_names() {
        let mut keys = Keyring::default();
        keys.add(secret("a"), MAC, Some("mac"), None).expect("room");
        keys.add(secret("b"), MAC, None, Some("acme")).expect("room");
        keys.add(secret("a"), MAC, Some("seal"), None).expect("room");
        keys.add(secret("b"), MAC, None, Some("key-1")).expect("room");
        let numbers = |role| keys.keys_for(role, MAC).map(|(number, _)| number.0).collect::<Vec<u16>>();
        assert_eq!(numbers(Some("mac")), [0, 1]);
        assert_eq!(numbers(Some("seal")), [1, 2]);
        assert_eq!(numbers(None), [1], "a key that was given for a role fills no other");
        assert_eq!(keys.keys_for(Some("mac"), SignatureAlgorithm::Ed25519).count(), 0);
        let [free, bound, _] = keys.keys() else { panic!("three keys") };
        assert!(free.may_sign_for(None, None));
        assert!(bound.may_sign_for(None, Some("acme")) && bound.may_sign_for(Some("key-1"), Some("globex")));
        assert!(!bound.may_sign_for(None, None) && !bound.may_sign_for(Some("key-2"), Some("globex")));
        assert_eq!(keys.bindings().iter().map(|name| &**name).collect::<Vec<_>>(), ["acme", "key-1"]);
        keys.add(secret("b"), MAC, None, None).expect("room");
        assert!(keys.keys()[1].may_sign_for(None, None), "unbound once, it may sign for any");
    }
}
