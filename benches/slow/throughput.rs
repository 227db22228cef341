//! The straightforward parallel verifier: the baseline of the speed benches.
//!
//! What a good engineer writes in an afternoon: lines over N threads, each row parsed by serde_json,
//! canonicalised by a JCS crate, hashed by sha2 and verified by `verify_strict`, then one pass over
//! the links. Nothing clever, nothing wasteful on purpose, and it checks less than [`super::verify`]
//! (no duplicate members, no recipe, no manifest).

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::row::{Digest, digest, hex};

/// What the straightforward verifier found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Rows read.
    pub rows: u64,
    /// Rows with a wrong digest, signature, link or number, or that cannot be read.
    pub bad: u64,
}

/// Verify an export under one key with that many threads; without a key no signature is looked at.
pub fn throughput(export: &[u8], key: Option<&VerifyingKey>, threads: usize) -> Count {
    let parts = split(export, threads.max(1));
    let checked: Vec<Vec<Option<Checked>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || check_lines(part, key))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    let mut count = Count::default();
    let mut last: Option<Checked> = None;
    for row in checked.into_iter().flatten() {
        count.rows += 1;
        let good = row.is_some_and(|row| {
            row.good && last.is_none_or(|last| row.prev == last.hash && row.sequence == last.sequence + 1)
        });
        count.bad += u64::from(!good);
        last = row.or(last);
    }
    count
}

/// What the link pass needs of a row.
#[derive(Clone, Copy)]
struct Checked {
    sequence: u64,
    prev: Digest,
    hash: Digest,
    good: bool,
}

/// Cut the export at line ends into about equal parts.
fn split(export: &[u8], parts: usize) -> Vec<&[u8]> {
    let mut rest = export;
    let size = export.len() / parts;
    let mut cut = Vec::new();
    for _ in 1..parts {
        let end = memchr::memchr(b'\n', &rest[size.min(rest.len())..]).map_or(rest.len(), |at| size + at + 1);
        let (part, behind) = rest.split_at(end);
        cut.push(part);
        rest = behind;
    }
    cut.push(rest);
    cut
}

fn check_lines(part: &[u8], key: Option<&VerifyingKey>) -> Vec<Option<Checked>> {
    let lines = part.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| check(line, key)).collect()
}

fn check(line: &[u8], key: Option<&VerifyingKey>) -> Option<Checked> {
    let mut row: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let sequence = super::row::sequence(row.get("sequence")?)?;
    let prev = digest(row.get("prev_hash")?)?;
    let hash = digest(&row.remove("hash")?)?;
    let signature = row.remove("signature");
    let canonical = serde_json_canonicalizer::to_vec(&row).ok()?;
    let found: Digest = Sha256::new().chain_update(&canonical).chain_update(prev).finalize().into();
    let signed = key.is_none_or(|key| {
        let text = signature.as_ref().and_then(Value::as_str);
        let bytes = text.and_then(|text| text.strip_prefix("ed25519:")).and_then(hex::<64>);
        bytes.is_some_and(|bytes| key.verify_strict(&hash, &Signature::from_bytes(&bytes)).is_ok())
    });
    Some(Checked { sequence, prev, hash, good: found == hash && signed })
}
