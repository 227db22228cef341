//! The signatures of a row: is each there, well written, and under which of the trusted keys does it hold?

use crate::algorithm::SignatureSize;
use smallvec::SmallVec;

use crate::fact::{Digest, DigestFact, KeyIndex, Place, Reading, Recipe, SignatureFact};
use crate::finding::{Code, Finding};
use crate::profile::{Found, Material, Naming, PinField, Plan, Scribe, SignatureRule, Unwritten};
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;

use super::algorithm::{self, Question};
use super::fields::{cut, described, shown_found};
use super::waiting::{Spot, Waiting};
use super::witness::{AttemptSeen, SignatureSeen, Witness};

/// Judges signatures.
#[derive(Debug)]
pub(super) struct SignatureReader<'p> {
    plan: &'p Plan,
    keys: &'p Keyring,
    recipe: Recipe,
    /// The key that verified last: most often the next one does too.
    likely: KeyIndex,
    message: Vec<u8>,
    signature: Vec<u8>,
    /// Signatures that are judged later, where any are.
    waiting: Option<Waiting<'p>>,
}

/// How a row's signatures came out.
pub(super) struct Signed {
    pub fact: SignatureFact,
    /// Further keys under which a signature of the row holds.
    pub also: Vec<KeyIndex>,
    /// The row carries a signature that the format asks for.
    pub present: bool,
    /// A key that it needs was not given.
    pub unkeyed: bool,
    pub findings: Vec<Finding>,
    /// Why messages could not be written, where a member of the row is the reason.
    pub wrong: Vec<Unwritten>,
}

/// What a signature can be about.
pub(super) struct About<'a> {
    pub material: Material<'a>,
    pub hash: Option<&'a Digest>,
    pub digest: &'a DigestFact,
    pub place: Place,
}

impl<'p> SignatureReader<'p> {
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        SignatureReader {
            plan,
            keys,
            recipe,
            likely: KeyIndex(0),
            message: Vec::new(),
            signature: Vec::new(),
            waiting: None,
        }
    }

    /// From now on Ed25519 signatures wait until they are settled; `likely` is the key that is tried first.
    pub fn wait(&mut self, likely: u16) {
        self.likely = KeyIndex(likely);
        self.waiting = Some(Waiting::default());
    }

    /// The signatures that wait.
    pub fn waiting(&mut self) -> Option<&mut Waiting<'p>> {
        self.waiting.as_mut()
    }

    /// Starts anew in this recipe.
    pub fn start(&mut self, recipe: Recipe) {
        (self.recipe, self.likely, self.waiting) = (recipe, KeyIndex(0), None);
    }

    /// What was signed last, as it was judged.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// Judge every signature that the row must have, or has; or let it wait.
    pub fn judge<W: Witness>(&mut self, about: &About<'_>, scribe: &mut Scribe, witness: &mut W) -> Signed {
        let Some(mark) = self.waiting.as_ref().map(Waiting::mark) else {
            return self.judge_all(about, scribe, witness);
        };
        let out = self.judge_all(about, scribe, witness);
        let Some(mut waiting) = self.waiting.take() else { return out };
        let plain = matches!(out.fact, SignatureFact::Holds { .. }) && out.wrong.is_empty();
        let out = if plain || waiting.mark() == mark {
            if !out.also.is_empty() {
                waiting.several(mark);
            }
            out
        } else {
            // What else is said of the row hangs on what its signatures come to: it is judged alone.
            waiting.back_to(mark);
            self.judge_all(about, scribe, witness)
        };
        self.waiting = Some(waiting);
        out
    }

    /// Whether the signatures are there and well written; none is judged.
    pub fn present(&mut self, about: &About<'_>) -> Signed {
        let mut out = Signed::nothing();
        let plan = self.plan;
        for rule in plan.signature.first().into_iter().flatten() {
            if rule.when.as_ref().is_some_and(|when| !when.holds(&about.material.view)) {
                continue;
            }
            match self.read(rule, about) {
                Ok(present) => out.present |= present,
                Err(finding) => {
                    out.present = true;
                    out.findings.push(*finding);
                }
            }
        }
        out
    }

    fn judge_all<W: Witness>(&mut self, about: &About<'_>, scribe: &mut Scribe, witness: &mut W) -> Signed {
        let mut out = Signed::nothing();
        let plan = self.plan;
        for (index, rule) in plan.signature.first().into_iter().flatten().enumerate() {
            if rule.when.as_ref().is_some_and(|when| !when.holds(&about.material.view)) {
                continue;
            }
            match self.read(rule, about) {
                Ok(true) => out.present = true,
                Ok(false) => continue,
                Err(finding) => {
                    out.present = true;
                    out.findings.push(*finding);
                    continue;
                }
            }
            let judged = self.one((index, out.spot()), rule, about, scribe, witness);
            witness.signature(&SignatureSeen { rule: index, bytes: &self.signature, judged: judged.is_ok() });
            match judged {
                Ok(fact) => out.add(fact),
                Err(No::Key) => out.unkeyed = true,
                Err(No::Known(named)) => {
                    let member = rule.pin.as_ref().map_or("", |pin| pin.field.name());
                    let finding = Finding::new(Code::UnknownKey, Some(about.place)).member(member);
                    out.findings.push(finding.found(named));
                }
                Err(No::Message(unwritten)) => out.wrong.push(unwritten),
            }
        }
        if let (SignatureFact::Holds { key, .. }, [_, ..]) = (out.fact, out.wrong.as_slice()) {
            // One that holds does not stand for one that was not judged.
            out.fact = SignatureFact::Unjudged;
            out.also.push(key);
        }
        out
    }

    /// Whether the signature is there; its bytes are in `self.signature` then. Whether it is well written
    /// is judged without any key.
    fn read(&mut self, rule: &SignatureRule, about: &About<'_>) -> Result<bool, Box<Finding>> {
        let finding = |code| Finding::new(code, Some(about.place)).member(rule.field.name());
        let found = rule.field.find(&about.material.view);
        let Some(found) = found.filter(|found| !found.is_null() && found.as_str() != Some("")) else {
            return if rule.required { Err(finding(Code::SignatureMissing).into()) } else { Ok(false) };
        };
        let size = rule.scheme.signature_size();
        let malformed = || {
            let form = match size {
                SignatureSize::Bytes(bytes) | SignatureSize::AtMost(bytes) => described(&rule.form, bytes),
                SignatureSize::Text => "an armoured SSH signature".to_owned(),
            };
            finding(Code::SignatureMalformed).expected(form).found(shown_found(found))
        };
        let Some(text) = found.as_str() else { return Err(malformed().into()) };
        if size.read(&rule.form, text, &mut self.signature).is_some() {
            return Ok(true);
        }
        // A prefix such as `ed25519:` names the algorithm. Another name is another algorithm; the same
        // name in other letters is the right one badly written.
        match (rule.form.prefix.strip_suffix(':'), text.split_once(':')) {
            (Some(ours), Some((theirs, _))) if !theirs.is_empty() && !theirs.eq_ignore_ascii_case(ours) => {
                Err(finding(Code::SignatureAlgorithm).expected(ours).found(cut(theirs)).into())
            }
            _ => Err(malformed().into()),
        }
    }

    /// Under which key and in which reading the signature holds, over the stated hash or, where the row
    /// has another digest than it states, over that one.
    fn one<W: Witness>(
        &mut self,
        (index, spot): (usize, Spot),
        rule: &SignatureRule,
        about: &About<'_>,
        scribe: &mut Scribe,
        witness: &mut W,
    ) -> Result<SignatureFact, No> {
        let pinned = rule.pin.as_ref().map(|pin| pinned(pin, about)).transpose().map_err(No::Known)?;
        let all: &'p Keyring = self.keys;
        if all.of(rule.key).next().is_none() {
            return Err(No::Key);
        }
        let named = |key: &Key| pinned.as_ref().is_none_or(|pinned| key.bare().as_ref() == Some(pinned));
        let keys: SmallVec<[(KeyIndex, &'p Key); 4]> =
            all.of(rule.key).filter(|(_, _, key)| named(key)).map(|(index, _, key)| (index, key)).collect();
        if keys.is_empty() {
            return Err(No::Known(pinned.map_or_else(String::new, |pinned| data_encoding::HEXLOWER.encode(&pinned))));
        }
        let settled = self.recipe.hash.unwrap_or_default();
        let recomputed: Vec<(Reading, &Digest)> = match about.digest {
            DigestFact::Fits | DigestFact::Unknown => Vec::new(),
            DigestFact::Recomputed(digest) => vec![(settled, digest)],
            DigestFact::Readings(digests) => (0..).zip(digests.iter()).collect(),
        };
        let stated = about.hash.map(|hash| (None, hash));
        let others = recomputed.into_iter().filter(|(_, digest)| Some(*digest) != about.hash);
        let digests: SmallVec<[(Option<Reading>, &Digest); 4]> =
            stated.into_iter().chain(others.map(|(over, digest)| (Some(over), digest))).collect();
        if let Some(waits) = self.let_wait((index, &keys), (about, spot), &digests, scribe) {
            return Ok(waits);
        }
        let (mut written, mut unwritten) = (false, None);
        for (over, digest) in digests {
            match self.holds((index, &keys), about, Some(digest), scribe, witness) {
                Ok(Some((key, reading))) => return Ok(SignatureFact::Holds { key, reading, over }),
                Ok(None) => written = true,
                Err(No::Message(why)) => unwritten = Some(why),
                Err(no) => return Err(no),
            }
        }
        if written {
            return Ok(SignatureFact::Fails);
        }
        // The message may not need the digest.
        match self.holds((index, &keys), about, None, scribe, witness) {
            Ok(Some((key, reading))) => Ok(SignatureFact::Holds { key, reading, over: None }),
            Ok(None) => Ok(SignatureFact::Fails),
            // With a digest it is known best what else it needs.
            Err(No::Message(why)) => Err(No::Message(unwritten.unwrap_or(why))),
            Err(no) => Err(no),
        }
    }

    /// Let the signature wait, over the first of these digests; `None` if it must be judged at once.
    fn let_wait(
        &mut self,
        (rule_index, keys): (usize, &[(KeyIndex, &'p Key)]),
        (about, spot): (&About<'_>, Spot),
        digests: &[(Option<Reading>, &Digest)],
        scribe: &mut Scribe,
    ) -> Option<SignatureFact> {
        let mut waiting = self.waiting.take()?;
        let mark = waiting.mark();
        let (over, digest) = digests.first().map_or((None, None), |(over, digest)| (*over, Some(*digest)));
        let tried = self.add_tries(&mut waiting, (rule_index, keys), about, digest, scribe);
        let whole = tried == Some(true) && digests.len() <= 1;
        let fact = tried.and_then(|_| waiting.close(mark, (about.place, spot), over, whole));
        if fact.is_none() {
            waiting.back_to(mark);
        }
        self.waiting = Some(waiting);
        fact
    }

    /// The tries of [`holds`](Self::holds), in its order; whether they are all. `None` if one cannot wait.
    fn add_tries(
        &mut self,
        waiting: &mut Waiting<'p>,
        (rule_index, keys): (usize, &[(KeyIndex, &'p Key)]),
        about: &About<'_>,
        digest: Option<&Digest>,
        scribe: &mut Scribe,
    ) -> Option<bool> {
        for (reading, rule) in self.readings(rule_index) {
            if self.write(rule, about, digest, scribe).is_err() {
                return Some(false);
            }
            for (index, key) in by_likelihood(keys, self.likely) {
                match algorithm::question(&rule.scheme, key, &self.message, &self.signature) {
                    Question::Ed25519(key, message, signature) => {
                        waiting.add((*index, key), reading, &message, signature);
                    }
                    Question::Never => {}
                    Question::Other => return None,
                }
            }
        }
        Some(true)
    }

    /// The readings that the signature may be in, with this rule of each.
    fn readings(&self, rule_index: usize) -> impl Iterator<Item = (Reading, &'p SignatureRule)> + use<'p> {
        let settled = self.recipe.signature;
        let readings = (0..).zip(&self.plan.signature.readings);
        let readings = readings.filter(move |(reading, _)| settled.is_none_or(|settled| settled == *reading));
        readings.filter_map(move |(reading, rules)| Some((reading, rules.get(rule_index)?)))
    }

    /// Write what was signed.
    fn write(
        &mut self,
        rule: &SignatureRule,
        about: &About<'_>,
        digest: Option<&Digest>,
        scribe: &mut Scribe,
    ) -> Result<(), Unwritten> {
        self.message.clear();
        let hash = digest.map(|digest| Naming { text: None, digest: Some(digest) });
        scribe.write(&rule.message, &Material { hash, ..about.material }, &mut self.message)
    }

    fn holds<W: Witness>(
        &mut self,
        (rule_index, keys): (usize, &[(KeyIndex, &'p Key)]),
        about: &About<'_>,
        digest: Option<&Digest>,
        scribe: &mut Scribe,
        witness: &mut W,
    ) -> Result<Option<(KeyIndex, Reading)>, No> {
        for (reading, rule) in self.readings(rule_index) {
            self.write(rule, about, digest, scribe).map_err(No::Message)?;
            for (index, key) in by_likelihood(keys, self.likely) {
                let holds = algorithm::verify(&rule.scheme, key, &self.message, &self.signature);
                let (message, key) = (self.message.as_slice(), *index);
                witness.attempt(&AttemptSeen { rule: rule_index, reading, key, message, holds });
                if holds {
                    self.likely = *index;
                    return Ok(Some((*index, reading)));
                }
            }
        }
        Ok(None)
    }
}

/// Why a signature cannot be judged.
enum No {
    /// No key of its role was given.
    Key,
    /// It names a key that was not given: this one.
    Known(String),
    /// A part of its message is not there.
    Message(Unwritten),
}

/// The keys in the order in which they are tried: first the one that verified last, if it is among them.
fn by_likelihood<'s, 'p>(
    keys: &'s [(KeyIndex, &'p Key)],
    likely: KeyIndex,
) -> impl Iterator<Item = &'s (KeyIndex, &'p Key)> {
    let wanted = move |wanted: bool| keys.iter().filter(move |(key, _)| (*key == likely) == wanted);
    wanted(true).chain(wanted(false))
}

impl Signed {
    fn nothing() -> Self {
        Signed {
            fact: SignatureFact::Unjudged,
            also: Vec::new(),
            present: false,
            unkeyed: false,
            findings: Vec::new(),
            wrong: Vec::new(),
        }
    }

    /// Where the next signature that holds goes.
    fn spot(&self) -> Spot {
        match self.fact {
            SignatureFact::Unjudged => Spot::First,
            SignatureFact::Holds { .. } | SignatureFact::Fails => Spot::Also(self.also.len()),
        }
    }

    fn add(&mut self, fact: SignatureFact) {
        match (self.fact, fact) {
            (SignatureFact::Fails, _) | (_, SignatureFact::Unjudged) => {}
            (_, SignatureFact::Fails) => self.fact = fact,
            (SignatureFact::Holds { .. }, SignatureFact::Holds { key, .. }) => self.also.push(key),
            (SignatureFact::Unjudged, _) => self.fact = fact,
        }
    }
}

/// The bytes of the key that the row names; what it says instead where that is none.
fn pinned(pin: &PinField, about: &About<'_>) -> Result<Vec<u8>, String> {
    let found = pin.field.find(&about.material.view);
    let text = found.and_then(Found::as_str);
    let bytes = text.and_then(|text| pin.encoding.decode(text.as_bytes(), text.len()));
    let bytes = bytes.filter(|bytes| bytes.len() > pin.skip).map(|bytes| bytes[pin.skip..].to_vec());
    bytes.ok_or_else(|| found.map_or_else(|| "nothing".to_owned(), shown_found))
}
