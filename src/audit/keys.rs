//! The key files that the user names, read as the roles of the profile want them.
//!
//! `--key FILE` fills the only role. `--key NAME=FILE` fills the role of that name, if the profile has
//! one; any other NAME is a key id or a chain, which only the rows show.

use std::path::{Path, PathBuf};

use super::load::read_small;
use crate::algorithm::{KeyWish, SignatureAlgorithm};
use crate::profile::{Plan, Role, RoleIndex};
use crate::stop::{Stop, StopCode};
use crate::trust::key::{self, Key};
use crate::trust::keyring::Keyring;

/// The algorithms whose keys have a form of their own, for a format that has no use for any.
const PUBLIC: [SignatureAlgorithm; 4] =
    [SignatureAlgorithm::Ed25519, SignatureAlgorithm::Es256, SignatureAlgorithm::Rs256, SignatureAlgorithm::MlDsa65];

/// One key of a file, as each of several roles reads it.
type Ways = Vec<(Option<RoleIndex>, Key)>;

/// A key file as it was given; which keys it holds depends on the format.
#[derive(Debug)]
pub(super) struct KeyFile {
    /// The name before `=`.
    name: Option<String>,
    bytes: Vec<u8>,
    source: String,
}

impl KeyFile {
    /// What stands in it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its name, for messages.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// The bytes of these files, each read once: it may be a pipe.
pub(super) fn files(given: &[(Option<String>, PathBuf)]) -> Result<Vec<KeyFile>, Stop> {
    let read = |(name, path): &(Option<String>, PathBuf)| {
        if is_key_text(path) {
            return Err(Stop::new(
                StopCode::Key,
                "--key takes the name of a file, and was given what looks like the key itself",
            )
            .hint("write it to a file and name that; if it is a private key, treat it as exposed"));
        }
        let bytes = read_small(path, "key", key::LARGEST as u64, StopCode::Key)?;
        Ok(KeyFile { name: name.clone(), bytes, source: path.display().to_string() })
    };
    given.iter().map(read).collect()
}

/// The keys of these files.
pub(super) fn keyring(files: &[KeyFile], plan: &Plan) -> Result<Keyring, Stop> {
    let mut keyring = Keyring::default();
    for file in files {
        let name = file.name.as_deref();
        let named = |role: &Role| role.name.as_deref() == name;
        let role = name.filter(|_| plan.roles.iter().any(named));
        let ways = match role {
            Some(_) => file.ways(plan, named)?,
            None => file.any_role(plan)?,
        };
        let bound = if role.is_some() { None } else { name };
        for ways in ways {
            keyring.add(ways, role, bound)?;
        }
    }
    Ok(keyring)
}

impl KeyFile {
    /// The keys of the file, each as the roles that are `wanted` read it.
    fn ways(&self, plan: &Plan, wanted: impl Fn(&Role) -> bool) -> Result<Vec<Ways>, Stop> {
        let mut keys: Vec<Ways> = Vec::new();
        for (index, role) in plan.roles.iter().enumerate().filter(|(_, role)| wanted(role)) {
            let read = key::read(&self.bytes, &role.wish, &self.source)?;
            keys.resize_with(read.len().max(keys.len()), Vec::new);
            for (ways, key) in keys.iter_mut().zip(read) {
                ways.push((Some(RoleIndex(index)), key));
            }
        }
        Ok(keys)
    }

    /// The keys of a file that was given for no role: it fills the only one, or the only one that it is a
    /// key for.
    fn any_role(&self, plan: &Plan) -> Result<Vec<Ways>, Stop> {
        let mut names: Vec<Option<&str>> = plan.roles.iter().map(|role| role.name.as_deref()).collect();
        names.sort_unstable();
        names.dedup();
        let of = |name: Option<&str>| self.ways(plan, |role: &Role| role.name.as_deref() == name);
        match names.as_slice() {
            [] => self.without_role(),
            [only] => of(*only),
            several => {
                let read: Vec<Result<Vec<Ways>, Stop>> = several.iter().map(|name| of(*name)).collect();
                let fits = read.iter().filter(|read| read.is_ok()).count();
                let mut read = read.into_iter();
                match fits {
                    0 => read.next().unwrap_or_else(|| Ok(Vec::new())),
                    1 => read.find(Result::is_ok).unwrap_or_else(|| Ok(Vec::new())),
                    _ => {
                        let names: Vec<&str> = several.iter().flatten().copied().collect();
                        let why = format!("key {}: the format {} takes several keys", self.source, plan.name);
                        Err(Stop::new(StopCode::Key, why)
                            .hint(format!("say which it is: --key ROLE=FILE, where ROLE is {}", names.join(" or "))))
                    }
                }
            }
        }
    }

    /// The keys of a file for a format that has no use for any: what they are is told all the same.
    fn without_role(&self) -> Result<Vec<Ways>, Stop> {
        let read = PUBLIC.map(|algorithm| key::read(&self.bytes, &KeyWish::of(algorithm), &self.source));
        let [first, ..] = &read;
        let first = first.clone();
        let keys = read.into_iter().find(Result::is_ok).unwrap_or(first)?;
        Ok(keys.into_iter().map(|key| vec![(None, key)]).collect())
    }
}

/// Whether these are the bytes of a file of public keys.
pub(super) fn is_public(bytes: &[u8]) -> bool {
    PUBLIC.iter().any(|algorithm| key::read(bytes, &KeyWish::of(*algorithm), "").is_ok())
}

/// Whether this is rather the text of a key than the name of a file. It might be a private one, so that
/// no message may show it.
fn is_key_text(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    // 43 characters are the shortest text of 32 bytes, base64 without padding.
    let bare = text.len() >= 43 && text.bytes().all(word);
    let line = ["ssh-ed25519 ", "ssh-rsa ", "ecdsa-sha2-nistp256 "].iter().any(|kind| text.starts_with(kind));
    let wrapped = text.contains("-----") || line || text.contains("\"kty\"");
    (bare || wrapped) && !path.exists()
}
