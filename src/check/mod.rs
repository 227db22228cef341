//! What one row proves by itself: its members, its digest, its signatures.
//!
//! A pure function of the row's bytes, the plan, the keys and what the row before left: no I/O, no clock.
//! Every byte of the row is untrusted. Which of the given keys a signature holds under is said here;
//! whether that key was allowed to sign is the chain's judgement.

pub mod algorithm;
mod artefact;
mod before;
mod bind;
mod clock;
mod digest;
pub mod ed25519;
mod fields;
mod signature;
mod uncovered;
mod waiting;
mod witness;

use std::sync::Arc;

use crate::canonical::number::imprecise_number;
use crate::fact::{Before, Checked, Digest, DigestFact, Facts, Left, Place, Recipe};
use crate::finding::{Code, Finding, Notes};
use crate::profile::{
    Field, Found, LineReader, Material, Naming, Neighbour, Opened, Plan, Refused, Scribe, Unwritten, View,
};
use crate::read::{Line, Partner};
use crate::row::{Kind, Row, Unreadable};
use crate::trust::keyring::Keyring;

pub use artefact::ArtefactClaim;
use before::{Carrying, Claim};
pub use bind::FileClaim;
use digest::Digester;
use ed25519::{Judge, Sample};
pub(crate) use fields::cut;
use fields::{FieldReader, Stated};
use signature::{About, SignatureReader};
use uncovered::Uncovered;
pub use waiting::Settled;
pub use witness::{AttemptSeen, BindSeen, DigestSeen, RowSeen, SignatureSeen, Witness};

/// Checks rows one after the other, with the same buffers.
#[derive(Debug)]
pub struct Checker<'p> {
    plan: &'p Plan,
    reader: LineReader,
    opened: Opened,
    row: RowChecker<'p>,
    carrying: Carrying,
    repeated: Option<Finding>,
}

/// The buffers and settings for what is made of a row once it is read.
#[derive(Debug)]
struct RowChecker<'p> {
    plan: &'p Plan,
    scribe: Scribe,
    fields: FieldReader,
    digests: Digester<'p>,
    signatures: SignatureReader<'p>,
    uncovered: Uncovered<'p>,
    files: Vec<FileClaim<'p>>,
    artefact: Option<ArtefactClaim>,
    believed: bool,
}

impl<'p> Checker<'p> {
    /// A checker for rows in this recipe, as far as it is settled.
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Checker {
            plan,
            reader: LineReader::default(),
            opened: Opened::default(),
            row: RowChecker {
                plan,
                scribe: Scribe::default(),
                fields: FieldReader::default(),
                digests: Digester::new(plan, keys, recipe),
                signatures: SignatureReader::new(plan, keys, recipe),
                uncovered: Uncovered::new(plan),
                files: Vec::new(),
                artefact: None,
                believed: false,
            },
            carrying: Carrying::default(),
            repeated: None,
        }
    }

    /// Starts anew, with rows that need not follow those before, in this recipe. What was learnt of how rows are
    /// built is kept: it decides what they cost, never what is said of them.
    pub fn start(&mut self, recipe: Recipe) {
        self.row.digests.start(recipe);
        self.row.signatures.start(recipe);
        self.carrying.forget();
        self.repeated = None;
    }

    /// From now on the digests of rows are computed together, and their Ed25519 signatures judged together, by this
    /// judge: what is said of them counts only after [`settle`](Self::settle).
    pub fn wait(&mut self, judge: &Judge) {
        self.row.digests.wait();
        self.row.signatures.wait(judge.likely());
    }

    /// Compute and judge what waits: what the signatures come to, to be told to the rows, whose order it has; and
    /// the rows that have another digest than they state, which must be checked again, by a checker with which
    /// nothing waits.
    pub fn settle(&mut self, judge: &Judge, sample: Sample) -> (Vec<Settled>, Vec<Place>) {
        let unfit = self.row.digests.settle();
        let settled = self.row.signatures.waiting().map_or_else(Vec::new, |waiting| waiting.settle(judge, sample));
        (settled, unfit)
    }

    /// Whether the next rows are believed to hold what they state, since something outside vouches for their bytes:
    /// digests that are stated are not recomputed, and signatures not judged.
    pub fn believe(&mut self, believed: bool) {
        self.row.believed = believed;
    }

    /// Check the row of a line; `None` for a line that holds none. `before` is what the row before it in its
    /// chain left, where that is known better than by the rows that were checked since the last batch.
    pub fn check(&mut self, line: &Line<'_>, before: Option<&Before>) -> Option<Checked> {
        self.check_before(line, before, &mut ())
    }

    /// The same, with somebody who looks on.
    pub fn check_before<W: Witness>(
        &mut self,
        line: &Line<'_>,
        before: Option<&Before>,
        witness: &mut W,
    ) -> Option<Checked> {
        let place = line.place;
        let read = self.reader.read(line, self.plan, self.plan.exact || W::WATCHES).map(|_| ());
        let repeated = self.reader.repeated();
        self.repeated = repeated.map(|why| Finding::new(code(why.kind, true), Some(place)).found(why.to_string()));
        match read {
            Ok(()) => {}
            Err(Refused::Blank) => return None,
            Err(refused) => {
                if !self.plan.chain.literal {
                    self.carrying.forget();
                }
                return Some(Checked::Unreadable(place, refusal(place, &refused, line.terminated)));
            }
        }
        let row = self.reader.last();
        let wrong = self.opened.open(&self.plan.input.opened, row.root());
        let wrong = wrong
            .into_iter()
            .map(|path| Finding::new(Code::FieldMalformed, Some(place)).member(path.text()).expected("JSON text"));
        let wrong: Vec<Finding> = wrong.collect();
        let view = View::new(row.root(), self.reader.line(line, self.plan), &self.opened);
        let checked = self.row.check(row, &view, line, wrong, (before, &mut self.carrying), witness);
        Some(checked.unwrap_or_else(|finding| {
            if !self.plan.chain.literal {
                self.carrying.forget();
            }
            Checked::Unreadable(place, *finding)
        }))
    }

    /// What the last line had twice though it could be read on, in a dialect that takes the last one: a finding
    /// beside those of the row, or beside the one for a line that is none.
    pub fn take_repeated(&mut self) -> Option<Finding> {
        self.repeated.take()
    }

    /// The files that the last row names, and what it states of them.
    pub fn take_files(&mut self) -> Vec<FileClaim<'p>> {
        std::mem::take(&mut self.row.files)
    }

    /// The artefact that the last row names, and what it states of it.
    pub fn take_artefact(&mut self) -> Option<ArtefactClaim> {
        self.row.artefact.take()
    }

    /// The bytes that the digest of the last row was computed of, in the last reading that was tried.
    pub fn preimage(&self) -> &[u8] {
        self.row.digests.preimage()
    }

    /// The bytes that the signature that was judged last was held against.
    pub fn message(&self) -> &[u8] {
        self.row.signatures.message()
    }

    /// The members of the rows so far that no preimage covers, counted.
    pub fn take_uncovered(&mut self) -> Notes {
        self.row.uncovered.take()
    }
}

impl<'p> RowChecker<'p> {
    fn check<W: Witness>(
        &mut self,
        row: &Row,
        view: &View<'_>,
        line: &Line<'_>,
        wrong: Vec<Finding>,
        (before, carrying): (Option<&Before>, &mut Carrying),
        witness: &mut W,
    ) -> Result<Checked, Box<Finding>> {
        let RowChecker { scribe, fields, digests, signatures, uncovered, files, .. } = self;
        let plan: &'p Plan = self.plan;
        let place = line.place;
        files.clear();
        self.artefact = None;
        if plan.chain.prechain && fields::is_unchained(view, plan) {
            return Ok(Checked::Unchained(place, None));
        }
        let Some(stated) = fields.read(view, plan, place, scribe) else {
            return Err(fields::no_chain_fields(plan, place).into());
        };
        let Stated { sequence, mut prev, prev_text, hash, name, group, key_id, reversal, time, mut findings } = stated;
        let mut prev_text = prev_text.map(str::as_bytes);
        findings.extend(wrong);
        if plan.reprints
            && let Some(number) = imprecise_number(row)
        {
            findings.push(Finding::new(Code::ImpreciseNumber, Some(place)).found(fields::cut(number)));
        }
        let carries = plan.carries();
        let before = match before {
            Some(before) => before.clone(),
            None if carries => carrying.before(group.as_ref()),
            None => Before::Unknown,
        };
        if plan.late {
            (prev, prev_text) = match &before {
                Before::Unknown => (None, None),
                Before::First => (Some(Digest::GENESIS), None),
                Before::Row(left) => (left.name, left.text.as_deref()),
            };
        }
        carrying.open(&before);
        let members = carrying.members(&before);
        let material = Material {
            view: *view,
            prev: prev.as_ref().map(|prev| Naming { text: prev_text, digest: Some(prev) }),
            hash: hash.as_ref().map(|hash| Naming { text: None, digest: Some(hash) }),
            before: match &before {
                Before::Unknown => Neighbour::Unknown,
                Before::First => Neighbour::None,
                Before::Row(_) => Neighbour::Members(&members),
            },
            form: &plan.form,
        };
        let digested = match self.believed && plan.states_digests() {
            true => digests.believed(view, hash.as_ref()),
            false => digests.digest((&material, place), hash.as_ref(), scribe, witness),
        };
        let mut digest = digested.fact;
        let mut hash = hash;
        if plan.fields.hash.is_none()
            && let DigestFact::Recomputed(computed) = digest
        {
            // Rows do not state it: what is computed is what the row is named by.
            hash = Some(computed);
            digest = DigestFact::Fits;
        }
        findings.extend(digested.wrong.and_then(|unwritten| told(unwritten, place, &findings)));
        if let Some(said) = digested.algorithm {
            let member = plan.fields.hash.as_ref().map_or("alg", |field| field.name());
            let finding = Finding::new(Code::FieldMalformed, Some(place)).member(member);
            findings.push(finding.expected("a digest algorithm of the format").found(said));
        }
        if digested.rule.is_none() && plan.hash.first().is_some_and(|rules| !rules.is_empty()) {
            let finding = Finding::new(Code::FieldMalformed, Some(place)).member(plan.selectors());
            findings.push(finding.expected("a value that one of the format's [[hash]] tables is for"));
        }
        let about = About { material, hash: hash.as_ref(), digest: &digest, place };
        let signed = match self.believed {
            true => signatures.present(&about),
            false => signatures.judge(&about, scribe, witness),
        };
        findings.extend(signed.findings);
        for unwritten in signed.wrong {
            findings.extend(told(unwritten, place, &findings));
        }
        findings.extend(bind::broken(plan, &material, place, scribe, (&mut *files, &mut *witness)));
        if W::WATCHES {
            let rule = digests.rule(view);
            let material =
                Material { hash: hash.as_ref().map(|hash| Naming { text: None, digest: Some(hash) }), ..material };
            witness.row(&RowSeen { material, hash: hash.as_ref(), digest: &digest, rule });
        }
        match artefact::look(view, plan, place) {
            Some(Ok(claim)) => self.artefact = Some(claim),
            Some(Err(note)) => findings.push(note),
            None => {}
        }
        uncovered.row(row, view, digested.rule, place);
        // What the row states stands in the sidecar's line where there is one.
        let holder = if let Partner::Line(partner) = line.partner { partner } else { line.bytes };
        let escaped = memchr::memchr(b'\\', holder).is_some() && is_escaped(view, holder, plan, prev, hash);
        let claim = match plan.chain.literal {
            true => before::claim(view, plan),
            false => Claim::of(name.or(hash).or(match &digest {
                DigestFact::Recomputed(digest) => Some(*digest),
                _ => None,
            })),
        };
        // A row whose claim is no name in the format's form is still named by it.
        let name = name.or(claim.name.filter(|_| plan.chain.literal && hash.is_none()));
        let left: Option<Arc<Left>> = carries.then(|| before::left(view, plan, claim));
        let mut unequal = before::unequal(view, plan, place, &before, &members);
        let number = sequence.map(|sequence| sequence.get());
        for finding in findings.iter_mut().chain(&mut unequal) {
            finding.sequence = number;
        }
        for claim in files {
            claim.sequence = number;
        }
        if let Some(left) = &left {
            carrying.leave(group.as_ref(), left);
        }
        let mut also = signed.also;
        also.extend(digested.key);
        Ok(Checked::Row(Box::new(Facts {
            place,
            group,
            sequence,
            prev,
            hash,
            name,
            escaped,
            digest,
            signature: signed.fact,
            also,
            signed: signed.present,
            sealed: signed.present || (!plan.signs() && (digested.key.is_some() || digested.unkeyed)),
            key_id,
            unkeyed: digested.unkeyed || signed.unkeyed,
            before: if carries { before } else { Before::Unknown },
            left,
            unequal,
            reversal,
            time,
            declared: None,
            findings,
        })))
    }
}

/// Whether a digest is written with escapes, so that the line does not hold it as it is written elsewhere.
fn is_escaped(view: &View<'_>, line: &[u8], plan: &Plan, prev: Option<Digest>, hash: Option<Digest>) -> bool {
    let mut stated = [(&plan.fields.prev, prev), (&plan.fields.hash, hash)].into_iter();
    stated.any(|(field, digest)| {
        let (Some(field), Some(digest)) = (field, digest) else { return false };
        digest != Digest::GENESIS
            && !(view.line == line && stands_plainly(field, view, plan))
            && memchr::memmem::find(line, plan.form.encode(&digest).as_bytes()).is_none()
    })
}

/// Whether the text of this member, which is what a row is named by, certainly stands in the line as it is.
fn stands_plainly(field: &Field, view: &View<'_>, plan: &Plan) -> bool {
    let Some(Found::Value(value)) = field.find(view).filter(|_| field.is_whole()) else { return false };
    let whole = plan.form.is_encoded() || value.as_bytes().is_some_and(Digest::holds_text);
    whole && value.written().is_some_and(|written| !written.contains('\\'))
}

/// The finding for a member that a preimage needs, if it was not told already.
fn told(unwritten: Unwritten, place: Place, findings: &[Finding]) -> Option<Finding> {
    let (code, member) = match unwritten {
        Unwritten::Unknown => return None,
        Unwritten::Missing(member) => (Code::FieldMissing, member),
        Unwritten::Malformed(member) => (Code::FieldMalformed, member),
    };
    let known = findings.iter().any(|finding| finding.member.as_deref() == Some(member.as_str()));
    (!known).then(|| Finding::new(code, Some(place)).member(member))
}

/// The finding for a line that is no row.
fn refusal(place: Place, refused: &Refused, terminated: bool) -> Finding {
    let unreadable: &Unreadable = match refused {
        Refused::Unreadable(unreadable) => unreadable,
        Refused::Unmatched(why) => return Finding::new(Code::RowUnmatched, Some(place)).found(*why),
        Refused::Blank => return Finding::new(Code::BlankLine, Some(place)),
    };
    Finding::new(code(unreadable.kind, terminated), Some(place)).found(unreadable.to_string())
}

/// The code for what is wrong with a line.
fn code(kind: Kind, terminated: bool) -> Code {
    match kind {
        Kind::TooLong => Code::RowTooLong,
        Kind::InvalidUtf8 => Code::InvalidUtf8,
        Kind::EndsEarly if !terminated => Code::TornRow,
        Kind::EndsEarly | Kind::NotJson => Code::NotJson,
        Kind::NestingTooDeep => Code::NestingTooDeep,
        Kind::NotAnObject => Code::NotAnObject,
        Kind::DuplicateKey => Code::DuplicateKey,
        Kind::NumberOutOfRange => Code::NumberOutOfRange,
    }
}
