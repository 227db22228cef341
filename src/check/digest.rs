//! What a row's preimage hashes to, in the settled reading or in all of them.
//!
//! SHA-256 of a short preimage may wait to be computed with others. The row is taken to have the digest that it
//! states until then; one that has not is checked again, by itself.

use crate::digest::{DigestAlgorithm, Together};
use crate::fact::{Digest, DigestFact, KeyIndex, Place, Reading, Recipe};
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
    /// The text of a digest.
    text: Vec<u8>,
    /// Whether digests wait, and the rows whose do.
    waits: bool,
    waiting: Vec<Stated<'p>>,
    together: Together,
}

/// A row whose digest waits: what it states, and by which rule that is made.
#[derive(Debug)]
struct Stated<'p> {
    place: Place,
    hash: Digest,
    rule: &'p HashRule,
}

/// Bytes of the longest preimage that waits.
const LONGEST_WAITING: usize = 1 << 12;

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
        let (preimage, text, together) = (Vec::new(), Vec::new(), Together::default());
        Digester { plan, keys, recipe, preimage, text, waits: false, waiting: Vec::new(), together }
    }

    /// Starts anew in this recipe.
    pub fn start(&mut self, recipe: Recipe) {
        (self.recipe, self.waits) = (recipe, false);
        self.waiting.clear();
        self.together.clear();
    }

    /// From now on digests wait until they are settled.
    pub fn wait(&mut self) {
        self.waits = true;
    }

    /// Compute all that wait. The rows that have another digest than they state, in their order.
    pub fn settle(&mut self) -> Vec<Place> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let rows = waiting.drain(..).zip(self.together.digests());
        let wrong = rows.filter(|(row, digest)| self.named(row.rule, &Digest::from(*digest)) != row.hash);
        let wrong = wrong.map(|(row, _)| row.place).collect();
        self.waiting = waiting;
        wrong
    }

    /// What was hashed last.
    pub fn preimage(&self) -> &[u8] {
        &self.preimage
    }

    /// The digest of this row, compared with the one that it states. `hash` is none where it is malformed,
    /// and where the format's rows state none.
    pub fn digest<W: Witness>(
        &mut self,
        (material, place): (&Material<'_>, Place),
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
        let made = self.written(reading, material, scribe).and_then(|(rule, algorithm)| {
            if let (DigestAlgorithm::Sha256, Some(hash)) = (algorithm, hash)
                && self.lets_wait(Stated { place, hash: *hash, rule })
            {
                return Ok((*hash, None));
            }
            self.computed(reading, (rule, algorithm), material, witness)
        });
        match made {
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

    /// Whether the digest of the preimage that was written may wait, and does from now on.
    fn lets_wait(&mut self, row: Stated<'p>) -> bool {
        let waits = self.waits && self.preimage.len() <= LONGEST_WAITING;
        if waits {
            self.together.add(&self.preimage);
            self.waiting.push(row);
        }
        waits
    }

    /// The rule of this row in this reading, and its algorithm; the preimage is written then.
    fn written(
        &mut self,
        reading: Reading,
        material: &Material<'_>,
        scribe: &mut Scribe,
    ) -> Result<(&'p HashRule, DigestAlgorithm), No> {
        let rules = self.plan.hash.get(reading).ok_or(No::Rule)?;
        let rule = chosen(rules, &material.view).and_then(|index| rules.get(index)).ok_or(No::Rule)?;
        let algorithm = rule.algorithm.of(&material.view).map_err(|found| No::Algorithm(said(found)))?;
        self.preimage.clear();
        scribe.write(&rule.preimage, material, &mut self.preimage).map_err(No::Parts)?;
        Ok((rule, algorithm))
    }

    fn of<W: Witness>(
        &mut self,
        reading: Reading,
        material: &Material<'_>,
        scribe: &mut Scribe,
        witness: &mut W,
    ) -> Result<(Digest, Option<KeyIndex>), No> {
        let written = self.written(reading, material, scribe)?;
        self.computed(reading, written, material, witness)
    }

    /// The digest of the preimage that was written.
    fn computed<W: Witness>(
        &mut self,
        reading: Reading,
        (rule, algorithm): (&'p HashRule, DigestAlgorithm),
        material: &Material<'_>,
        witness: &mut W,
    ) -> Result<(Digest, Option<KeyIndex>), No> {
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
    fn named(&mut self, rule: &HashRule, digest: &Digest) -> Digest {
        match self.plan.form.is_encoded() {
            true => *digest,
            false => {
                self.text.clear();
                rule.form.encode_into(digest.bytes(), &mut self.text);
                Digest::of_text(&self.text)
            }
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
