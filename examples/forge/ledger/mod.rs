//! The forge: home-format ledgers of any size, honest or with a chosen fault, from a seed.
//!
//! The same job gives the same bytes on every machine: content comes from [`random`] alone, one
//! stream a row. It knows nothing of the library it tests: hashing goes through serde_json's `Value`
//! and the serde_json_canonicalizer crate, signing through ed25519-dalek, so that it agrees with the
//! verifier because the format says so and not because both share a mistake.
//!
//! Memory does not grow with the rows: they are made, signed and written some thousands at a time.
//!
//! This folder is a module that the example, tests and benches include by path.

#![allow(dead_code, reason = "each program that includes the forge uses another part of it")]

pub mod body;
pub mod fault;
pub mod files;
pub mod fixtures;
pub mod incidents;
pub mod random;
pub mod text;

use std::collections::VecDeque;
use std::io::{self, Write};

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use rayon::prelude::*;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use fault::{Draft, Hook, Planned};
use random::Random;

/// In which form a digest is appended to the row, or signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The 32 bytes.
    #[default]
    Raw,
    /// `0x` and 64 hex digits, as it stands in the row.
    Text,
    /// The 64 hex digits.
    Hex,
}

impl Form {
    /// The bytes of this digest in this form.
    pub fn bytes(self, digest: &[u8; 32]) -> Vec<u8> {
        match self {
            Form::Raw => digest.to_vec(),
            Form::Text => digest_text(digest).into_bytes(),
            Form::Hex => HEXLOWER.encode(digest).into_bytes(),
        }
    }
}

/// The two readings of a ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// How `prev_hash` is appended to the canonical row.
    pub prev: Form,
    /// How the hash is signed.
    pub signed: Form,
}

/// What stands beside the export to say where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manifest {
    /// A manifest signed by the ledger's key.
    Signed,
    /// A manifest that anyone could have written.
    Unsigned,
    /// None.
    None,
}

/// Everything that decides about the bytes of a ledger.
#[derive(Clone, Debug)]
pub struct Job {
    /// Content and keys follow from it.
    pub seed: u64,
    /// How many rows.
    pub rows: u64,
    /// The workspace of the chain.
    pub workspace: String,
    /// The readings of hash and signature.
    pub recipe: Recipe,
    /// The first sequence number; above 1 it is a slice of a longer ledger.
    pub start: u64,
    /// How many rows in a hundred are compensations.
    pub compensations: u64,
    /// The size of a row, about and on average.
    pub row_bytes: usize,
    /// Sign the rows: without, they have no `signature` member.
    pub sign: bool,
    /// Write the public key beside the export.
    pub write_key: bool,
    /// What to write beside the export.
    pub manifest: Manifest,
    /// The manifest's file name.
    pub manifest_name: String,
    /// What goes wrong, and where.
    pub faults: Vec<Planned>,
    /// So many of the last rows fork: each follows on one of the first rows, which has a successor already.
    pub late_forks: u64,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            seed: 1,
            rows: 1_000,
            workspace: "acme".into(),
            recipe: Recipe::default(),
            start: 1,
            compensations: 2,
            row_bytes: 830,
            sign: true,
            write_key: true,
            manifest: Manifest::Signed,
            manifest_name: "export.manifest.json".into(),
            faults: Vec::new(),
            late_forks: 0,
        }
    }
}

/// What the ledger's owner knows of a ledger: the manifest says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows written by the owner.
    pub rows: u64,
    /// The first row's number.
    pub first_sequence: u64,
    /// The last row's number.
    pub last_sequence: u64,
    /// The last row's digest.
    pub head: [u8; 32],
}

/// The throw-away key of this seed and number: 0 owns the ledger, 1 is its second key, 2 a stranger's.
pub fn signing_key(seed: u64, number: u8) -> SigningKey {
    let secret = Sha256::new().chain_update(b"ledger-verify forge key").chain_update(seed.to_le_bytes());
    SigningKey::from_bytes(&secret.chain_update([number]).finalize().into())
}

/// The key that verifies a ledger of this seed.
pub fn verifying_key(seed: u64) -> VerifyingKey {
    signing_key(seed, 0).verifying_key()
}

/// A digest as rows and manifests state it.
pub fn digest_text(digest: &[u8; 32]) -> String {
    format!("0x{}", HEXLOWER.encode(digest))
}

/// RFC 8785 of a value.
pub fn canonical(value: &Map<String, Value>) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("a Value holds only finite numbers")
}

/// A row that is hashed and waits for its signature and its text.
struct Pending {
    row: Map<String, Value>,
    digest: [u8; 32],
    key: usize,
    random: Random,
    hooks: Vec<Hook>,
}

/// Write the rows of this job.
pub fn write_export(job: &Job, out: &mut impl Write) -> io::Result<Summary> {
    const BATCH: u64 = 4096;
    let mut chain = Chain::new(job);
    let keys: Vec<SigningKey> = (0..3).map(|number| signing_key(job.seed, number)).collect();
    let mut index = 0;
    while index < job.rows {
        let batch: Vec<Pending> = (index..job.rows.min(index + BATCH)).map(|index| chain.next_row(index)).collect();
        // Only the hashes depend on each other: signatures and texts are made on all cores.
        let lines: Vec<Vec<u8>> = batch.into_par_iter().map(|row| finish(job, &keys, row)).collect();
        for line in lines {
            out.write_all(&line)?;
        }
        index += BATCH;
    }
    Ok(chain.summary)
}

/// The part of making a ledger that is sequential: numbers, links and reversals.
struct Chain<'a> {
    job: &'a Job,
    next_sequence: u64,
    prev: [u8; 32],
    before_prev: [u8; 32],
    /// Recent entries that no compensation reversed yet.
    open: VecDeque<u64>,
    /// The highest number so far.
    highest: Option<u64>,
    /// Digests of the first rows, which late rows follow on.
    first: Vec<[u8; 32]>,
    summary: Summary,
}

impl<'a> Chain<'a> {
    fn new(job: &'a Job) -> Self {
        // A slice starts behind a row that is not in it: any digest will do.
        let prev = if job.start > 1 { Random::new(job.seed, u64::MAX).digest() } else { [0; 32] };
        let summary = Summary { head: prev, first_sequence: job.start, ..Summary::default() };
        Chain {
            job,
            next_sequence: job.start,
            prev,
            before_prev: [0; 32],
            open: VecDeque::new(),
            highest: None,
            first: Vec::new(),
            summary,
        }
    }

    fn next_row(&mut self, index: u64) -> Pending {
        let mut random = Random::new(self.job.seed, index);
        let sequence = self.next_sequence;
        let undo = random.below(100) < self.job.compensations && !self.open.is_empty();
        let target = self.open.get(random.below(self.open.len() as u64) as usize).copied();
        let body = match target {
            Some(target) if undo => body::compensation(sequence, target, &mut random),
            _ => body::entry(sequence, index, &self.job.workspace, self.job.row_bytes, &mut random),
        };
        let mut draft = Draft {
            sequence,
            prev: self.prev,
            before_prev: self.before_prev,
            target: target.unwrap_or(sequence.saturating_sub(1)),
            first_sequence: self.job.start,
            body,
            key: 0,
            random,
        };
        let late = index.checked_sub(self.job.rows.saturating_sub(self.job.late_forks));
        if let Some(parent) = late.and_then(|late| self.first.get(late as usize)) {
            draft.prev = *parent;
        }
        let hooks: Vec<Hook> = self.job.faults.iter().flat_map(|planned| planned.hooks_at(index + 1)).collect();
        for hook in &hooks {
            if let Hook::Draft(change) = hook {
                change(&mut draft);
            }
        }
        self.take(draft, hooks)
    }

    /// Hash the drafted row and go on from what it says.
    fn take(&mut self, draft: Draft, hooks: Vec<Hook>) -> Pending {
        let mut row = draft.body;
        if row.get("sequence").is_some_and(Value::is_u64) {
            row.insert("sequence".into(), draft.sequence.into());
        }
        row.insert("prev_hash".into(), digest_text(&draft.prev).into());
        let mut preimage = canonical(&row);
        preimage.extend(self.job.recipe.prev.bytes(&draft.prev));
        let digest: [u8; 32] = Sha256::digest(&preimage).into();
        row.insert("hash".into(), digest_text(&digest).into());
        if let Some(target) = row.get("reverses").and_then(Value::as_u64) {
            self.open.retain(|&open| open != target);
        } else if self.highest.is_none_or(|highest| draft.sequence > highest) {
            self.open.push_back(draft.sequence);
        }
        if self.highest.is_some_and(|highest| draft.sequence <= highest) {
            // A number given twice names two rows: nothing may reverse it any more.
            self.open.retain(|&open| open != draft.sequence);
        }
        self.highest = self.highest.max(Some(draft.sequence));
        if self.open.len() > 64 {
            self.open.pop_front();
        }
        if (self.first.len() as u64) < self.job.late_forks {
            self.first.push(digest);
        }
        self.before_prev = self.prev;
        self.prev = digest;
        self.next_sequence = draft.sequence + 1;
        if self.summary.rows == 0 {
            self.summary.first_sequence = draft.sequence;
        }
        self.summary.rows += 1;
        self.summary.last_sequence = draft.sequence;
        self.summary.head = digest;
        Pending { row, digest, key: draft.key, random: draft.random, hooks }
    }
}

/// Sign a row, spell it, and do to it what others would do to an export.
fn finish(job: &Job, keys: &[SigningKey], pending: Pending) -> Vec<u8> {
    let Pending { mut row, digest, key, mut random, hooks } = pending;
    if job.sign {
        let signature = keys[key].sign(&job.recipe.signed.bytes(&digest));
        row.insert("signature".into(), format!("ed25519:{}", HEXLOWER.encode(&signature.to_bytes())).into());
    }
    for hook in &hooks {
        if let Hook::Row(change) = hook {
            change(&mut row);
        }
    }
    let mut line = Vec::with_capacity(job.row_bytes + 256);
    text::write_row(&row, &mut random, &mut line);
    for hook in &hooks {
        if let Hook::Line(change) = hook {
            change(&mut line);
        }
    }
    line
}
