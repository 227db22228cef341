//! What a row's preimage hashes to, in the settled reading or in all of them.

use crate::fact::{Digest, DigestFact, KeyIndex, Reading, Recipe};
use crate::profile::{Found, HashRule, Material, Plan, Scribe, Unwritten, View};
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;

use super::witness::{DigestSeen, Witness};

/// How a row's digest came out.
pub(super) struct Digested {
    pub fact: DigestFact,
    /// The secret that made it, of a MAC.
    pub key: Option<KeyIndex>,
    /// A key that it needs was not given.
    pub unkeyed: bool,
    /// Why it could not be computed, where a member of the row is the reason.
    pub wrong: Option<Unwritten>,
    /// What the row names as its algorithm, where that is none.
    pub algorithm: Option<String>,
    /// The rule that the row follows in the default reading.
    pub rule: Option<usize>,
}

/// Computes digests.
#[derive(Debug)]
pub(super) struct Digester<'p> {
    plan: &'p Plan,
    keys: &'p Keyring,
    recipe: Recipe,
    preimage: Vec<u8>,
}

/// Why one reading has no digest.
enum No {
    Key,
    Parts(Unwritten),
    Algorithm(String),
    /// No rule is for this row.
    Rule,
}

impl<'p> Digester<'p> {
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Digester { plan, keys, recipe, preimage: Vec::new() }
    }

    /// What was hashed last.
    pub fn preimage(&self) -> &[u8] {
        &self.preimage
    }

    /// The digest of this row, compared with the one that it states. `hash` is none where it is malformed,
    /// and where the format's rows state none.
    pub fn digest<W: Witness>(
        &mut self,
        material: &Material<'_>,
        hash: Option<&Digest>,
        scribe: &mut Scribe,
        witness: &mut W,
    ) -> Digested {
        let mut out = Digested {
            fact: DigestFact::Unknown,
            key: None,
            unkeyed: false,
            wrong: None,
            algorithm: None,
            rule: self.plan.hash.first().and_then(|rules| chosen(rules, &material.view)),
        };
        let Some(reading) = self.recipe.hash else {
            let readings = 0..self.plan.hash.readings.len();
            let all: Result<Vec<(Digest, Option<KeyIndex>)>, No> =
                readings.map(|reading| self.of(reading as Reading, material, scribe, witness)).collect();
            match all {
                Ok(all) => {
                    // The secret that made what the row states: in a reading that makes something else, the
                    // row has another digest than it states.
                    out.key = all.iter().find_map(|(_, key)| *key);
                    out.fact = DigestFact::Readings(all.into_iter().map(|(digest, _)| digest).collect());
                }
                Err(no) => out.refuse(no),
            }
            return out;
        };
        match self.of(reading, material, scribe, witness) {
            Ok((digest, key)) => {
                out.key = key;
                out.fact = if Some(&digest) == hash { DigestFact::Fits } else { DigestFact::Recomputed(digest) };
            }
            Err(no) => out.refuse(no),
        }
        out
    }

    /// The digest that a row states, believed.
    pub fn believed(&self, view: &View<'_>, hash: Option<&Digest>) -> Digested {
        Digested {
            fact: if hash.is_some() { DigestFact::Fits } else { DigestFact::Unknown },
            key: None,
            unkeyed: false,
            wrong: None,
            algorithm: None,
            rule: self.plan.hash.first().and_then(|rules| chosen(rules, view)),
        }
    }

    /// The rule that a row follows in the settled reading, or in the default one.
    pub fn rule(&self, view: &View<'_>) -> Option<(Reading, &'p HashRule)> {
        let (plan, reading) = (self.plan, self.recipe.hash.unwrap_or_default());
        let rules = plan.hash.get(reading)?;
        Some((reading, rules.get(chosen(rules, view)?)?))
    }

    fn of<W: Witness>(
        &mut self,
        reading: Reading,
        material: &Material<'_>,
        scribe: &mut Scribe,
        witness: &mut W,
    ) -> Result<(Digest, Option<KeyIndex>), No> {
        let rules = self.plan.hash.get(reading).ok_or(No::Rule)?;
        let rule = chosen(rules, &material.view).and_then(|index| rules.get(index)).ok_or(No::Rule)?;
        let algorithm = rule.algorithm.of(&material.view).map_err(|found| No::Algorithm(said(found)))?;
        self.preimage.clear();
        scribe.write(&rule.preimage, material, &mut self.preimage).map_err(No::Parts)?;
        let mut saw = |preimage: &[u8], key, digest: &Digest| {
            witness.digest(&DigestSeen { reading, rule, algorithm, key, preimage, digest });
        };
        let Some(key) = rule.key.as_ref().filter(|_| algorithm.is_mac()) else {
            let digest = algorithm.digest(&self.preimage, None).ok_or(No::Key)?;
            saw(&self.preimage, None, &digest);
            return Ok((self.named(rule, &digest), None));
        };
        let secrets = self.keys.of(*key).filter_map(|(index, _, key)| match key {
            Key::Secret(secret) => Some((index, secret)),
            _ => None,
        });
        // Under several secrets the row's own text says which one made it; where none did, the first is
        // the one that is compared.
        let mut first = None;
        for (index, secret) in secrets {
            let mac = secret.mac(&self.preimage);
            saw(&self.preimage, Some(index), &mac);
            let digest = self.named(rule, &mac);
            if material.hash.is_some_and(|hash| hash.digest == Some(&digest)) {
                return Ok((digest, Some(index)));
            }
            first.get_or_insert((digest, None));
        }
        first.ok_or(No::Key)
    }

    /// The digest as rows are named by it.
    fn named(&self, rule: &HashRule, digest: &Digest) -> Digest {
        match self.plan.form.is_encoded() {
            true => *digest,
            false => Digest::of_text(rule.form.encode(digest.bytes())),
        }
    }
}

impl Digested {
    fn refuse(&mut self, no: No) {
        match no {
            No::Key => self.unkeyed = true,
            No::Parts(unwritten) => self.wrong = Some(unwritten),
            No::Algorithm(said) => self.algorithm = Some(said),
            No::Rule => {}
        }
    }
}

/// The first rule that the row fits.
fn chosen(rules: &[HashRule], view: &View<'_>) -> Option<usize> {
    rules.iter().position(|rule| rule.when.as_ref().is_none_or(|when| when.holds(view)))
}

fn said(found: Option<Found<'_>>) -> String {
    found.map_or_else(|| "nothing".to_owned(), super::fields::shown_found)
}
