//! The keys that the user trusts: for which roles of the format, and which chains and key ids each may
//! sign for.

use std::sync::Arc;

use super::key::Key;
use crate::fact::KeyIndex;
use crate::profile::{Plan, RoleIndex};
use crate::stop::{Stop, StopCode};

/// One trusted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key as each of the roles reads it, at least one; `None` for a format that has no role for it.
    ways: Vec<(Option<RoleIndex>, Key)>,
    /// The name of the role it was given for, if it was given for one.
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
    /// Add a key, as each role reads it, bound to `name` if one is given. A key that is given again for the
    /// same role is bound to that name too; given unbound once, it may sign for any.
    ///
    /// # Errors
    ///
    /// A stop for more keys than can be numbered.
    pub fn add(
        &mut self,
        ways: Vec<(Option<RoleIndex>, Key)>,
        role: Option<&str>,
        name: Option<&str>,
    ) -> Result<(), Stop> {
        let bound: Vec<Arc<str>> = name.map(Arc::from).into_iter().collect();
        let same = |known: &&mut TrustedKey| known.ways == ways && known.role.as_deref() == role;
        if let Some(known) = self.keys.iter_mut().find(same) {
            match known.bound.is_empty() || bound.is_empty() {
                true => known.bound.clear(),
                false => bound.into_iter().for_each(|name| {
                    if !known.bound.contains(&name) {
                        known.bound.push(name);
                    }
                }),
            }
            return Ok(());
        }
        if self.keys.len() > usize::from(u16::MAX) {
            return Err(Stop::new(StopCode::Key, "more than 65,536 keys were given"));
        }
        if !ways.is_empty() {
            self.keys.push(TrustedKey { ways, role: role.map(Arc::from), bound });
        }
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

    /// The keys that fill this role, each as the role reads it.
    pub fn of(&self, role: RoleIndex) -> impl Iterator<Item = (KeyIndex, &TrustedKey, &Key)> {
        self.numbered().filter_map(move |(index, trusted)| {
            let (_, key) = trusted.ways.iter().find(|(of, _)| *of == Some(role))?;
            Some((index, trusted, key))
        })
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
    /// The key, as the first of its roles reads it.
    pub fn key(&self) -> Option<&Key> {
        self.ways.first().map(|(_, key)| key)
    }

    /// What it is used for.
    pub fn algorithm(&self, plan: &Plan) -> &'static str {
        let role = self.ways.first().and_then(|(role, _)| plan.roles.get((*role)?.0));
        role.map_or("", |role| role.wish.algorithm.name())
    }

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

    fn secret(text: &str, roles: &[usize]) -> Vec<(Option<RoleIndex>, Key)> {
        let secret = Key::Secret(Secret::new(text.as_bytes()).expect("a secret"));
        roles.iter().map(|role| (Some(RoleIndex(*role)), secret.clone())).collect()
    }

    #[test]
    fn roles_and_names() {
        let mut keys = Keyring::default();
        keys.add(secret("a", &[0]), Some("mac"), None).expect("room");
        keys.add(secret("b", &[0, 1]), None, Some("acme")).expect("room");
        keys.add(secret("a", &[1]), Some("seal"), None).expect("room");
        keys.add(secret("b", &[0, 1]), None, Some("key-1")).expect("room");
        let numbers = |role| keys.of(RoleIndex(role)).map(|(number, ..)| number.0).collect::<Vec<u16>>();
        assert_eq!(numbers(0), [0, 1]);
        assert_eq!(numbers(1), [1, 2]);
        assert_eq!(numbers(2), [] as [u16; 0]);
        let [free, bound, _] = keys.keys() else { panic!("three keys") };
        assert!(free.may_sign_for(None, None));
        assert!(bound.may_sign_for(None, Some("acme")) && bound.may_sign_for(Some("key-1"), Some("globex")));
        assert!(!bound.may_sign_for(None, None) && !bound.may_sign_for(Some("key-2"), Some("globex")));
        keys.add(secret("b", &[0, 1]), None, Some("acme")).expect("room");
        assert_eq!(keys.keys()[1].bound.len(), 2, "each name once");
        assert_eq!(keys.bindings().iter().map(|name| &**name).collect::<Vec<_>>(), ["acme", "key-1"]);
        keys.add(secret("b", &[0, 1]), None, None).expect("room");
        assert!(keys.keys()[1].may_sign_for(None, None), "unbound once, it may sign for any");
    }
}
