//! The witness of a row's check: keeps what it sees, in the words of an explanation.

use sha2::{Digest as _, Sha256};

use super::spelled::Spelled;
use super::{near, signed};
use crate::check::{AttemptSeen, BindSeen, DigestSeen, RowSeen, SignatureSeen, Witness};
use crate::digest::DigestAlgorithm;
use crate::fact::{Before, Digest, DigestFact, KeyIndex};
use crate::finding::{Code, Finding};
use crate::pipeline::Reached;
use crate::profile::{
    Bind, Bound, Field, Found, Material, Naming, Part, Piece, Plan, Scribe, SignatureRule, Unwritten, View,
};
use crate::report::explained::{self, Attempt, BindTold, DigestTold, Equality, Member, Message, SignatureTold, Status};
use crate::trust::keyring::Keyring;

/// What was seen of a row.
pub(super) struct Look<'a> {
    plan: &'a Plan,
    keys: &'a Keyring,
    reached: &'a Reached,
    scribe: Scribe,
    computed: Vec<Computed>,
    attempts: Vec<(usize, Attempt)>,
    judged: Vec<Judged>,
    compared: Vec<(usize, String, bool)>,
    pub members: Vec<Member>,
    pub digest: Option<DigestTold>,
    pub signatures: Vec<SignatureTold>,
    pub binds: Vec<BindTold>,
    pub equalities: Vec<Equality>,
    /// What could not be checked.
    pub open: Vec<String>,
}

/// A digest that the check computed.
struct Computed {
    algorithm: DigestAlgorithm,
    key: Option<KeyIndex>,
    preimage: Vec<u8>,
    digest: Digest,
}

/// A signature that could be read.
struct Judged {
    rule: usize,
    bytes: Vec<u8>,
    judged: bool,
}

impl Witness for Look<'_> {
    fn digest(&mut self, seen: &DigestSeen<'_>) {
        let DigestSeen { algorithm, key, preimage, digest, .. } = *seen;
        self.computed.push(Computed { algorithm, key, preimage: preimage.to_vec(), digest: *digest });
    }

    fn attempt(&mut self, seen: &AttemptSeen<'_>) {
        let key = self.keys.keys().get(usize::from(seen.key.0)).and_then(|trusted| trusted.key());
        let reading = self.plan.signature.names.get(usize::from(seen.reading));
        let attempt = Attempt {
            fingerprint: key.map_or_else(String::new, |key| key.fingerprint()),
            reading: reading.filter(|_| self.plan.signature.readings.len() > 1).cloned(),
            message_sha256: data_encoding::HEXLOWER.encode(&Sha256::digest(seen.message)),
            holds: seen.holds,
        };
        // Over the stated digest and over the computed one, which may not be in the message at all.
        if !self.attempts.iter().any(|(rule, known)| *rule == seen.rule && *known == attempt) {
            self.attempts.push((seen.rule, attempt));
        }
    }

    fn signature(&mut self, seen: &SignatureSeen<'_>) {
        self.judged.push(Judged { rule: seen.rule, bytes: seen.bytes.to_vec(), judged: seen.judged });
    }

    fn bind(&mut self, seen: &BindSeen<'_>) {
        self.compared.push((seen.bind, seen.computed.to_owned(), seen.holds));
    }

    fn row(&mut self, seen: &RowSeen<'_>) {
        self.members = self.members(&seen.material.view);
        self.digest = self.digest_told(seen);
        self.signatures = self.signatures_told(seen);
        self.binds = self.binds_told(&seen.material);
        self.equalities = self.equalities_told();
    }
}

impl<'a> Look<'a> {
    pub fn new(plan: &'a Plan, keys: &'a Keyring, reached: &'a Reached) -> Self {
        Look {
            plan,
            keys,
            reached,
            scribe: Scribe::default(),
            computed: Vec::new(),
            attempts: Vec::new(),
            judged: Vec::new(),
            compared: Vec::new(),
            members: Vec::new(),
            digest: None,
            signatures: Vec::new(),
            binds: Vec::new(),
            equalities: Vec::new(),
            open: Vec::new(),
        }
    }

    fn findings(&self) -> &'a [Finding] {
        &self.reached.findings
    }

    /// The finding of an audit about this member.
    fn finding_about(&self, member: &str, codes: &[Code]) -> Option<&'a Finding> {
        let about = |finding: &&Finding| finding.member.as_deref() == Some(member) && codes.contains(&finding.code);
        self.findings().iter().find(about)
    }

    fn is_first(&self) -> bool {
        self.reached.standing.as_ref().is_some_and(|standing| standing.first)
    }

    fn members(&self, view: &View<'_>) -> Vec<Member> {
        let fields = &self.plan.fields;
        let roles: [(&'static str, &Option<Field>); 6] = [
            ("sequence", &fields.sequence),
            ("predecessor", &fields.prev),
            ("digest", &fields.hash),
            ("time stamp", &fields.timestamp),
            ("key id", &fields.key_id),
            ("chain", &fields.group),
        ];
        let roles = roles.into_iter().filter_map(|(role, field)| Some((role, field.as_ref()?)));
        let rules = self.plan.signature.first().into_iter().flatten().filter(|rule| applies(rule, view));
        let signatures = rules.map(|rule| ("signature", &rule.field));
        let told = roles.chain(signatures).map(|(role, field)| Member {
            role,
            member: field.name().to_owned(),
            says: field.find(view).map(says),
            kind: field.find(view).map(|found| found.value().map_or("string", |value| value.kind())),
            wrong: self.finding_about(field.name(), MEMBER).map(wrong),
        });
        told.collect()
    }

    fn digest_told(&mut self, seen: &RowSeen<'_>) -> Option<DigestTold> {
        let plan = self.plan;
        if plan.hash.first().is_none_or(Vec::is_empty) {
            return None;
        }
        let view = seen.material.view;
        let mut told = DigestTold {
            status: Status::Open,
            algorithm: None,
            key: None,
            preimage: None,
            computed: None,
            stated: None,
            stated_by: None,
            why: None,
            near: None,
        };
        match (&plan.fields.hash, &self.reached.next) {
            (Some(field), _) => {
                told.stated = field.find(&view).map(says);
                told.stated_by = Some(format!("member {}", field.name()));
            }
            (None, Some((place, Some(prev)))) if plan.chain.linked_by.is_none() => {
                told.stated = Some(plan.form.encode(prev));
                told.stated_by = Some(format!("the row after it, line {}", place.line));
            }
            (None, _) => {}
        }
        let Some((reading, rule)) = seen.rule else {
            told.why = Some("none of the format's [[hash]] tables is for this row".to_owned());
            self.open.push("the digest: none of the format's [[hash]] tables is for this row".to_owned());
            return Some(told);
        };
        let mut bytes = Vec::new();
        match self.scribe.outline(&rule.preimage, &seen.material, &mut bytes) {
            Ok(pieces) => told.preimage = Some(message(bytes, pieces)),
            Err(why) => told.why = Some(unwritten(why)),
        }
        // Under several secrets the one that fits comes last; else the first is the one that is compared.
        let fits = |computed: &&Computed| told.stated.as_deref() == Some(&rule.form.encode(computed.digest.bytes()));
        let computed = self.computed.iter().find(fits).or(self.computed.first());
        if let Some(computed) = computed {
            debug_assert_eq!(told.preimage.as_ref().map(|told| &told.bytes), Some(&computed.preimage));
            told.algorithm = Some(computed.algorithm.name());
            told.key =
                computed.key.and_then(|key| Some(self.keys.keys().get(usize::from(key.0))?.key()?.fingerprint()));
            told.computed = Some(rule.form.encode(computed.digest.bytes()));
        }
        told.status = match (&told.computed, &told.stated, &plan.fields.hash) {
            (None, ..) => Status::Open,
            (Some(_), _, Some(_)) if *seen.digest == DigestFact::Fits => Status::Holds,
            (Some(_), _, Some(_)) => Status::Fails,
            (Some(_), None, None) => Status::Open,
            (Some(computed), Some(stated), None) if computed == stated => Status::Holds,
            (Some(_), Some(_), None) => Status::Fails,
        };
        let no_key = told.computed.is_none() && told.why.is_none();
        if no_key {
            told.why = Some("no key was given for this MAC".to_owned());
        }
        if told.stated.is_none() && plan.fields.hash.is_none() && told.why.is_none() {
            told.why = Some(match self.reached.next {
                Some((place, _)) => format!("no member states it; it enters the digest of line {}", place.line),
                None => "no member states it, and no row of its chain comes after it".to_owned(),
            });
        }
        if let (Status::Open, Some(why)) = (told.status, &told.why) {
            self.open.push(format!("the digest: {why}"));
        }
        if told.status == Status::Fails && plan.fields.hash.is_none() {
            self.open.push("the digest: the row after it states another one".to_owned());
        }
        if let (true, Some(stated)) = (told.status != Status::Holds && !no_key, told.stated.as_deref()) {
            // A predecessor in a form that the profile does not have is a deviation too.
            let text = plan.fields.prev.as_ref().and_then(|field| field.find(&view)?.as_str());
            let read = text.and_then(|text| Spelled::new(text, &rule.form).digest());
            let prev =
                seen.material.prev.or(text.map(|text| Naming { text: Some(text.as_bytes()), digest: read.as_ref() }));
            let material = Material { prev, ..seen.material };
            let stated = Spelled::new(stated, &rule.form);
            let first = self.is_first();
            let search = near::Search::new((plan, self.keys), material, stated, first, &mut self.scribe);
            told.near = Some(search.run(reading, rule));
        }
        Some(told)
    }

    fn signatures_told(&mut self, seen: &RowSeen<'_>) -> Vec<SignatureTold> {
        let (plan, view) = (self.plan, seen.material.view);
        let rules = plan.signature.get(self.reached.recipe.signature.unwrap_or_default()).or(plan.signature.first());
        let rules: Vec<(usize, &SignatureRule)> =
            rules.into_iter().flatten().enumerate().filter(|(_, rule)| applies(rule, &view)).collect();
        rules.into_iter().map(|(index, rule)| self.signature_told(index, rule, seen)).collect()
    }

    fn signature_told(&mut self, index: usize, rule: &SignatureRule, seen: &RowSeen<'_>) -> SignatureTold {
        let member = rule.field.name().to_owned();
        let mut bytes = Vec::new();
        let written = self.scribe.outline(&rule.message, &seen.material, &mut bytes);
        let own = |(of, attempt): &(usize, Attempt)| (*of == index).then(|| attempt.clone());
        let attempts: Vec<Attempt> = self.attempts.iter().filter_map(own).collect();
        let judged = self.judged.iter().position(|judged| judged.rule == index);
        let (status, why, tries) = match judged.and_then(|judged| self.judged.get(judged)) {
            None => match self.finding_about(&member, SIGNATURE) {
                Some(finding) => (Status::Fails, finding.code.name().to_owned(), false),
                None => (Status::Holds, "there is none, and the format asks for none here".to_owned(), false),
            },
            Some(judged) if judged.judged && attempts.iter().any(|attempt| attempt.holds) => match self.finding(KEY) {
                Some(finding) => (Status::Fails, said(finding), false),
                None => (Status::Holds, "under a key that was given".to_owned(), false),
            },
            Some(judged) if judged.judged => {
                (Status::Fails, "under none of the keys that were given for it".to_owned(), true)
            }
            Some(_) => match self.finding(&[Code::UnknownKey]) {
                Some(finding) => (Status::Fails, said(finding), false),
                None if attempts.is_empty() && written.is_ok() => {
                    (Status::Open, "no key was given for it".to_owned(), false)
                }
                None => (Status::Open, "its message cannot be written".to_owned(), false),
            },
        };
        if status == Status::Open {
            self.open.push(format!("the signature {member}: {why}"));
        }
        let computed = match seen.digest {
            DigestFact::Recomputed(digest) => Some(digest),
            _ => None,
        };
        let near = judged.filter(|_| tries).and_then(|judged| {
            let signature = &self.judged.get(judged)?.bytes;
            let (plan, keys, first) = (self.plan, self.keys, self.is_first());
            let mut search =
                signed::Search { plan, keys, material: seen.material, signature, scribe: &mut self.scribe, first };
            Some(search.run(rule, seen.rule.map(|(_, rule)| rule), computed))
        });
        SignatureTold {
            status,
            member,
            algorithm: rule.scheme.algorithm().name(),
            message: written.ok().map(|pieces| message(bytes, pieces)),
            attempts,
            why,
            near,
        }
    }

    fn finding(&self, codes: &[Code]) -> Option<&'a Finding> {
        self.findings().iter().find(|finding| codes.contains(&finding.code))
    }

    fn binds_told(&mut self, material: &Material<'_>) -> Vec<BindTold> {
        let mut out = Vec::new();
        let binds = self.plan.binds.iter().enumerate();
        let applies = |bind: &Bind| bind.when.as_ref().is_none_or(|when| when.holds(&material.view));
        for (index, bind) in binds.filter(|(_, bind)| applies(bind)) {
            let member = bind.field.name().to_owned();
            let seen = self.compared.iter().find(|(seen, ..)| *seen == index);
            let mut bytes = Vec::new();
            let parts: &[Part] = if let Bound::Parts(parts) = &bind.bound { parts } else { &[] };
            let pieces = self.scribe.outline(parts, material, &mut bytes);
            let status = match seen {
                Some((.., true)) => Status::Holds,
                Some((.., false)) => Status::Fails,
                None if self.finding_about(&member, BIND).is_some() => Status::Fails,
                None => Status::Open,
            };
            if status == Status::Open {
                self.open.push(format!("the digest in {member}: what it is of cannot be had"));
            }
            out.push(BindTold {
                status,
                member,
                algorithm: bind.algorithm.name(),
                message: pieces.ok().filter(|_| !parts.is_empty()).map(|pieces| message(bytes, pieces)),
                computed: seen.map(|(_, computed, _)| computed.clone()),
            });
        }
        out
    }

    fn equalities_told(&mut self) -> Vec<Equality> {
        let known = self.reached.standing.as_ref().is_some_and(|standing| standing.before != Before::Unknown);
        let mut out = Vec::new();
        for (field, carried) in &self.plan.chain.equalities {
            let member = field.name().to_owned();
            let status = match self.finding_about(&member, &[Code::LinkBroken]) {
                Some(_) => Status::Fails,
                None if known => Status::Holds,
                None => Status::Open,
            };
            if status == Status::Open {
                self.open.push(format!("{member}: the row before is not known"));
            }
            let previous = self.plan.carried.get(*carried).map_or_else(String::new, |field| field.name().to_owned());
            out.push(Equality { status, member, previous });
        }
        out
    }
}

/// What an audit finds of a member's form.
const MEMBER: &[Code] = &[
    Code::FieldMissing,
    Code::FieldMalformed,
    Code::SignatureMissing,
    Code::SignatureMalformed,
    Code::SignatureAlgorithm,
];

/// Of a signature that cannot be judged.
const SIGNATURE: &[Code] = &[Code::SignatureMissing, Code::SignatureMalformed, Code::SignatureAlgorithm];

/// Of one that holds under a key that may not sign.
const KEY: &[Code] = &[Code::SignatureInvalid, Code::UnknownKey];

/// Of a bound member.
const BIND: &[Code] = &[Code::BindMismatch, Code::FieldMissing, Code::FieldMalformed];

fn applies(rule: &SignatureRule, view: &View<'_>) -> bool {
    rule.when.as_ref().is_none_or(|when| when.holds(view))
}

/// What a member says: the content of a text, any other value as it stands.
fn says(found: Found<'_>) -> String {
    let value = match (found.as_str(), found) {
        (Some(text), _) => return text.to_owned(),
        (None, Found::Value(value)) => value,
        (None, Found::Text(text)) => return text.to_owned(),
    };
    value.written().map_or_else(|| value.kind().to_owned(), str::to_owned)
}

fn wrong(finding: &Finding) -> String {
    match (&finding.expected, finding.code) {
        (Some(expected), _) => format!("{}: the format asks for {expected}", finding.code.name()),
        (None, code) => code.name().to_owned(),
    }
}

fn said(finding: &Finding) -> String {
    finding
        .found
        .clone()
        .map_or_else(|| finding.code.name().to_owned(), |found| format!("{}: {found}", finding.code.name()))
}

fn unwritten(why: Unwritten) -> String {
    match why {
        Unwritten::Unknown => "what it needs of the row before is not known".to_owned(),
        Unwritten::Missing(member) => format!("the member {member} is absent"),
        Unwritten::Malformed(member) => format!("{member} is not in the form that the preimage asks for"),
    }
}

/// The bytes with their parts.
fn message(bytes: Vec<u8>, pieces: Vec<Piece>) -> Message {
    let parts = pieces.into_iter().map(|piece| part(piece, &bytes)).collect();
    Message { bytes, parts }
}

fn part(piece: Piece, whole: &[u8]) -> explained::Part {
    let bytes = whole.get(piece.range.clone()).unwrap_or_default().to_vec();
    let of: &[u8] = piece.over.as_deref().unwrap_or(whole);
    let inside = piece.inside.into_iter().map(|inside| part(inside, of)).collect();
    explained::Part { what: piece.what, offset: piece.range.start, bytes, inside }
}
