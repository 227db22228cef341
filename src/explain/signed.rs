//! Near misses of a signature: over what else, or under which other key, it holds.

use crate::check::algorithm;
use crate::digest::DigestAlgorithm;
use crate::fact::Digest;
use crate::profile::{HashRule, Material, Naming, Part, Plan, Scribe, SignatureRule};
use crate::report::explained::Near;
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;

/// Signatures that are verified at most.
const TRIES: u64 = 1000;

/// Near misses that are told.
const TOLD: usize = 8;

/// A signature that fails, and what it may be over.
pub(super) struct Search<'a> {
    pub plan: &'a Plan,
    pub keys: &'a Keyring,
    pub material: Material<'a>,
    pub signature: &'a [u8],
    pub scribe: &'a mut Scribe,
    /// The row is the first of its chain.
    pub first: bool,
}

impl Search<'_> {
    /// Over which messages and under which keys it holds; `computed` is the digest of the row where it states
    /// another one.
    pub fn run(&mut self, rule: &SignatureRule, hash: Option<&HashRule>, computed: Option<&Digest>) -> Near {
        let mut near = Near::default();
        for (name, message) in self.messages(rule, hash, computed) {
            for (key, ours) in self.keys_for(rule) {
                if near.tries >= TRIES || near.fits.len() >= TOLD {
                    return near;
                }
                near.tries += 1;
                if algorithm::verify(&rule.scheme, key, &message, self.signature) {
                    let mut said = vec![format!("over {name}")];
                    if !ours {
                        said.push(format!("under {}, which was given for something else", key.fingerprint()));
                    }
                    near.fits.push(said);
                }
            }
        }
        near
    }

    /// The keys of the rule's role, and then all others.
    fn keys_for(&self, rule: &SignatureRule) -> Vec<(&Key, bool)> {
        let ours: Vec<&Key> = self.keys.of(rule.key).map(|(_, _, key)| key).collect();
        let others = self.keys.keys().iter().filter_map(|trusted| trusted.key()).filter(|key| !ours.contains(key));
        let others: Vec<(&Key, bool)> = others.map(|key| (key, false)).collect();
        ours.into_iter().map(|key| (key, true)).chain(others).collect()
    }

    /// The messages, each once.
    fn messages(
        &mut self,
        rule: &SignatureRule,
        hash: Option<&HashRule>,
        computed: Option<&Digest>,
    ) -> Vec<(String, Vec<u8>)> {
        let plan = self.plan;
        let mut all: Vec<(String, Vec<u8>)> = Vec::new();
        let mut add = |scribe: &mut Scribe, material: &Material<'_>, name: String, parts: &[Part]| {
            let mut message = Vec::new();
            let written = scribe.write(parts, material, &mut message).is_ok();
            if written && !message.is_empty() && !all.iter().any(|(_, known)| *known == message) {
                all.push((name, message));
            }
        };
        let material = self.material;
        add(self.scribe, &material, "its message".to_owned(), &rule.message);
        let guesses = plan.guesses(rule, hash);
        for (name, parts) in &guesses {
            add(self.scribe, &material, name.clone(), parts);
        }
        for (reading, rules) in plan.signature.readings.iter().enumerate() {
            let name = plan.signature.names.get(reading).map_or("", String::as_str);
            for other in rules {
                add(self.scribe, &material, format!("the message of {}={name}", plan.signature.name), &other.message);
            }
        }
        for deviation in plan.deviations(&rule.message, DigestAlgorithm::Sha256, &material.view, self.first) {
            if let Some(parts) = plan.deviate(&rule.message, &deviation) {
                add(self.scribe, &material, format!("its message with {deviation}"), &parts);
            }
        }
        if let Some(computed) = computed {
            let material = Material { hash: Some(Naming { text: None, digest: Some(computed) }), ..material };
            for (name, parts) in &guesses {
                add(self.scribe, &material, format!("{name}, of the computed digest"), parts);
            }
        }
        let prehashed: Vec<(String, Vec<u8>)> = all
            .iter()
            .filter_map(|(name, message)| {
                let digest = DigestAlgorithm::Sha256.digest(message, None)?;
                Some((format!("the SHA-256 of {name}"), digest.bytes().to_vec()))
            })
            .collect();
        for (name, message) in prehashed {
            if !all.iter().any(|(_, known)| *known == message) {
                all.push((name, message));
            }
        }
        all
    }
}
