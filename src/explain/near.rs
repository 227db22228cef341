//! Near misses of a digest: what would make it fit.
//!
//! One change after the other, then two at once, within a bound of tries and bytes. Everything that is
//! tried is written and hashed by the code that checks.

use std::mem::discriminant;

use super::spelled::Spelled;
use crate::digest::DigestAlgorithm;
use crate::fact::{Digest, Reading};
use crate::profile::{Deviation, HashRule, Material, Part, Plan, Scribe};
use crate::report::explained::Near;
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;

/// Preimages that are tried at most.
const TRIES: u64 = 20_000;

/// Bytes that are hashed at most, in all.
const BYTES: u64 = 512 << 20;

/// Near misses that are told.
const TOLD: usize = 8;

/// What is tried.
pub(super) struct Search<'a> {
    pub plan: &'a Plan,
    pub keys: &'a Keyring,
    pub material: Material<'a>,
    pub stated: Spelled<'a>,
    /// The row is the first of its chain.
    pub first: bool,
    pub scribe: &'a mut Scribe,
    bytes: u64,
    found: Near,
}

impl<'a> Search<'a> {
    pub fn new(
        (plan, keys): (&'a Plan, &'a Keyring),
        material: Material<'a>,
        stated: Spelled<'a>,
        first: bool,
        scribe: &'a mut Scribe,
    ) -> Self {
        Search { plan, keys, material, stated, first, scribe, bytes: 0, found: Near::default() }
    }

    /// What makes the digest of a row that follows this rule fit. Where the row names no algorithm that is
    /// known, SHA-256 is tried.
    pub fn run(mut self, reading: Reading, rule: &HashRule) -> Near {
        let algorithm = rule.algorithm.of(&self.material.view).unwrap_or_default();
        self.attempt(rule, &rule.preimage, algorithm, &[]);
        self.other_rules(reading, rule);
        let all = self.plan.deviations(&rule.preimage, algorithm, &self.material.view, self.first);
        for deviation in &all {
            if let Some(parts) = self.plan.deviate(&rule.preimage, deviation) {
                self.attempt(rule, &parts, of(deviation, algorithm), &[deviation]);
            }
        }
        if self.found.fits.is_empty() {
            // Changes of single members are many and go last, or they would use up the tries.
            let (members, others): (Vec<&Deviation>, Vec<&Deviation>) =
                all.iter().partition(|deviation| is_of_member(deviation));
            let across = members.iter().flat_map(|member| others.iter().map(|other| (*member, *other)));
            for (one, other) in within(&others).chain(across).chain(within(&members)) {
                if self.is_enough() {
                    break;
                }
                self.pair(rule, algorithm, one, other);
            }
        }
        self.found.fits.truncate(TOLD);
        self.found
    }

    /// The other tables of the profile: other readings, and other conditions.
    fn other_rules(&mut self, reading: Reading, rule: &HashRule) {
        for (index, rules) in self.plan.hash.readings.iter().enumerate() {
            for (number, other) in rules.iter().enumerate().filter(|(_, other)| !std::ptr::eq(*other, rule)) {
                let name = match (index == usize::from(reading), self.plan.hash.names.get(index)) {
                    (false, Some(name)) if !self.plan.hash.name.is_empty() => {
                        format!("--recipe {}={name}", self.plan.hash.name)
                    }
                    _ => format!("[[hash]] number {} is for this row", number + 1),
                };
                let Ok(algorithm) = other.algorithm.of(&self.material.view) else { continue };
                self.named(other, &other.preimage, algorithm, || vec![name.clone()]);
            }
        }
    }

    fn pair(&mut self, rule: &HashRule, algorithm: DigestAlgorithm, one: &Deviation, other: &Deviation) {
        // The second of a kind takes the place of the first, but for members.
        if discriminant(one) == discriminant(other) && !is_of_member(one) {
            return;
        }
        let (first, second) = if rank(one) <= rank(other) { (one, other) } else { (other, one) };
        let parts = self.plan.deviate(&rule.preimage, first);
        if let Some(parts) = parts.and_then(|parts| self.plan.deviate(&parts, second)) {
            self.attempt(rule, &parts, of(second, of(first, algorithm)), &[first, second]);
        }
    }

    fn is_enough(&self) -> bool {
        self.found.fits.len() >= TOLD || self.found.tries >= TRIES || self.bytes >= BYTES
    }

    fn attempt(&mut self, rule: &HashRule, parts: &[Part], algorithm: DigestAlgorithm, changes: &[&Deviation]) {
        self.named(rule, parts, algorithm, || changes.iter().map(ToString::to_string).collect());
    }

    fn named(
        &mut self,
        rule: &HashRule,
        parts: &[Part],
        algorithm: DigestAlgorithm,
        changes: impl Fn() -> Vec<String>,
    ) {
        if self.is_enough() {
            return;
        }
        let mut preimage = Vec::new();
        if self.scribe.write(parts, &self.material, &mut preimage).is_err() {
            return;
        }
        self.found.tries += 1;
        self.bytes += preimage.len() as u64;
        for digest in self.digests(rule, algorithm, &preimage) {
            if let Some(differs) = self.stated.is(&digest) {
                let mut changes = changes();
                changes.extend(differs.map(str::to_owned));
                self.found.fits.push(changes);
                return;
            }
        }
    }

    /// The digest of these bytes, or their MACs under the keys that were given for it.
    fn digests(&self, rule: &HashRule, algorithm: DigestAlgorithm, bytes: &[u8]) -> Vec<Digest> {
        match (algorithm.is_mac(), rule.key) {
            (false, _) | (true, None) => algorithm.digest(bytes, None).into_iter().collect(),
            (true, Some(role)) => {
                let secrets = self.keys.of(role).filter_map(|(_, _, key)| match key {
                    Key::Secret(secret) => Some(secret),
                    _ => None,
                });
                secrets.map(|secret| secret.mac(bytes)).collect()
            }
        }
    }
}

/// Every two of them, once.
fn within<'d>(all: &[&'d Deviation]) -> impl Iterator<Item = (&'d Deviation, &'d Deviation)> {
    let behind = |(index, one): (usize, &&'d Deviation)| {
        let one = *one;
        all.iter().skip(index + 1).map(move |other| (one, *other))
    };
    all.iter().enumerate().flat_map(behind)
}

/// The algorithm after this change.
fn of(deviation: &Deviation, algorithm: DigestAlgorithm) -> DigestAlgorithm {
    if let Deviation::Algorithm(other) = deviation { *other } else { algorithm }
}

fn is_of_member(deviation: &Deviation) -> bool {
    matches!(deviation, Deviation::LeftOut(_) | Deviation::TakenIn(_))
}

/// What is applied first: what becomes of the predecessor's digest before what stands between the parts,
/// and a line end last.
fn rank(deviation: &Deviation) -> u8 {
    match deviation {
        Deviation::Line => 0,
        Deviation::Prev(_) => 2,
        Deviation::PrevAt(_) | Deviation::PrevAdded(..) | Deviation::PrevLeftOut | Deviation::Genesis(_) => 3,
        Deviation::Joined(_) => 4,
        Deviation::Newline => 5,
        Deviation::Algorithm(_) => 6,
        _ => 1,
    }
}
