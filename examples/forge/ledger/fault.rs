//! Faults: what can go wrong with a ledger, each as the smallest operation that brings it about.
//!
//! A fault is named for the finding that it causes, and there is one for each finding that one chain
//! of the home format can have. Some only its owner can make (they are hashed and signed properly, so
//! that exactly one finding results), others anyone can make in the finished file. A few come with
//! partners: see [`Fault::partners`].

use serde_json::{Map, Value};

use super::body;
use super::random::Random;
use super::{Job, Manifest};

/// A row before it is hashed: what its owner can still change.
pub struct Draft {
    /// Its number.
    pub sequence: u64,
    /// The digest it states as its predecessor's.
    pub prev: [u8; 32],
    /// The digest of the row before its predecessor.
    pub before_prev: [u8; 32],
    /// An earlier entry that may be reversed.
    pub target: u64,
    /// The number the ledger starts with.
    pub first_sequence: u64,
    /// Its members but `prev_hash`, `hash` and `signature`.
    pub body: Map<String, Value>,
    /// Which key signs it (see `signing_key`).
    pub key: usize,
    /// Its stream of random numbers.
    pub random: Random,
}

/// Where a fault sets in.
#[derive(Clone, Copy)]
pub enum Hook {
    /// In the job, before any row.
    Job(fn(&mut Job)),
    /// In a row that is not hashed yet.
    Draft(fn(&mut Draft)),
    /// In a row that is hashed and signed.
    Row(fn(&mut Map<String, Value>)),
    /// In a row's text, its LF with it.
    Line(fn(&mut Vec<u8>)),
    /// In the manifest before it is signed.
    Manifest(fn(&mut Map<String, Value>)),
}

/// Which row a fault hits unless a row is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The first one.
    First,
    /// The one in the middle.
    Middle,
    /// The last one.
    Last,
    /// No row: it is about the export as a whole.
    Whole,
}

/// A kind of fault.
pub struct Fault {
    /// The code of the finding it causes.
    pub name: &'static str,
    /// Where it strikes unless told.
    pub place: Where,
    /// What it does.
    pub hooks: &'static [Hook],
}

/// A fault at a row, counted from 1.
#[derive(Clone, Copy)]
pub struct Planned {
    /// The kind.
    pub fault: &'static Fault,
    /// The row.
    pub row: u64,
}

impl std::fmt::Debug for Planned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.fault.name, self.row)
    }
}

impl Planned {
    /// What it does at this row.
    pub fn hooks_at(&self, row: u64) -> impl Iterator<Item = Hook> + use<> {
        let hooks = if self.row == row { self.fault.hooks } else { &[] };
        hooks.iter().copied()
    }
}

impl Fault {
    /// The fault of this name.
    pub fn named(name: &str) -> Option<&'static Fault> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// The row it hits in a ledger of that many rows.
    pub fn usual_row(&self, rows: u64) -> u64 {
        match self.place {
            Where::First | Where::Whole => 1,
            Where::Middle => rows / 2 + 1,
            Where::Last => rows,
        }
    }

    /// Further findings that cannot be avoided.
    pub fn partners(&self) -> &'static [&'static str] {
        match self.name {
            // The number is right where it stood, so what is left out shows in link and count too.
            "row-deleted" => &["sequence-gap", "link-broken", "manifest-mismatch"],
            "row-copied" => &["sequence-repeated", "manifest-mismatch"],
            // Of two anchors that contradict each other one is wrong.
            "anchor-conflict" => &["head-mismatch"],
            "reversal-unchecked" => &["partial-start"],
            "sidecar-ignored" => &["no-anchor"],
            _ => &[],
        }
    }
}

/// Put text behind the opening brace of the row.
fn insert(line: &mut Vec<u8>, text: &str) {
    let brace = line.iter().position(|&byte| byte == b'{').expect("a row starts with a brace");
    line.splice(brace + 1..=brace, text.bytes());
}

/// Change the hex digits of a text member to upper case, its prefix left alone.
fn shout(row: &mut Map<String, Value>, member: &str, prefix: &str) {
    let text = row.get(member).and_then(Value::as_str).unwrap_or_default();
    let digits = text.strip_prefix(prefix).unwrap_or_default().to_uppercase();
    row.insert(member.into(), format!("{prefix}{digits}").into());
}

const fn fault(name: &'static str, place: Where, hooks: &'static [Hook]) -> Fault {
    Fault { name, place, hooks }
}

/// Every fault, in the order of findings (DESIGN §4).
#[rustfmt::skip]
pub static FAULTS: &[Fault] = &[
    // What a row is.
    fault("not-json", Where::Middle, &[Hook::Line(|line| *line = b"-- compacted by logrotate --\n".to_vec())]),
    fault("not-an-object", Where::Middle, &[Hook::Line(|line| *line = b"null\n".to_vec())]),
    fault("invalid-utf8", Where::Middle, &[Hook::Line(|line| {
        let quote = line.iter().rposition(|&byte| byte == b'"').expect("a row holds text");
        line[quote - 1] = 0xff;
    })]),
    fault("duplicate-key", Where::Middle, &[Hook::Line(|line| insert(line, r#""cl\u0061ss":"R0","#))]),
    fault("number-out-of-range", Where::Middle, &[Hook::Line(|line| insert(line, r#""limit":1e400,"#))]),
    fault("nesting-too-deep", Where::Middle, &[Hook::Line(|line| {
        insert(line, &format!(r#""deep":{}{},"#, "[".repeat(1000), "]".repeat(1000)));
    })]),
    fault("row-too-long", Where::Middle, &[Hook::Draft(|draft| {
        draft.body.insert("memo".into(), "long ".repeat(1000).into());
    })]),
    fault("torn-row", Where::Last, &[Hook::Line(|line| line.truncate(line.len() / 2))]),
    fault("field-missing", Where::Middle, &[Hook::Row(|row| { row.shift_remove("hash"); })]),
    fault("field-malformed", Where::Middle, &[Hook::Row(|row| shout(row, "hash", "0x"))]),
    fault("hash-mismatch", Where::Middle, &[Hook::Row(|row| { row.insert("class".into(), "R9".into()); })]),
    fault("signature-missing", Where::Middle, &[Hook::Row(|row| { row.shift_remove("signature"); })]),
    fault("signature-malformed", Where::Middle, &[Hook::Row(|row| shout(row, "signature", "ed25519:"))]),
    fault("signature-algorithm", Where::Middle, &[Hook::Row(|row| {
        let text = row.get("signature").and_then(Value::as_str).unwrap_or_default();
        let other = text.replace("ed25519:", "hmac-sha256:");
        row.insert("signature".into(), other.into());
    })]),
    fault("signature-invalid", Where::Middle, &[Hook::Draft(|draft| draft.key = 2)]),
    // What the chain is: all of it hashed and signed by its owner.
    fault("link-broken", Where::Middle, &[Hook::Draft(|draft| draft.prev = draft.random.digest())]),
    fault("fork", Where::Middle, &[Hook::Draft(|draft| draft.prev = draft.before_prev)]),
    fault("genesis-broken", Where::First, &[Hook::Draft(|draft| { draft.prev = [0; 32]; draft.sequence = 8; })]),
    fault("second-genesis", Where::Middle, &[Hook::Draft(|draft| draft.prev = [0; 32])]),
    fault("sequence-gap", Where::Middle, &[Hook::Draft(|draft| draft.sequence += 1)]),
    fault("sequence-repeated", Where::Middle, &[Hook::Draft(|draft| draft.sequence = draft.sequence.saturating_sub(1))]),
    fault("sequence-backwards", Where::Middle, &[Hook::Draft(|draft| draft.sequence = draft.sequence.saturating_sub(3))]),
    fault("chain-mixed", Where::Middle, &[Hook::Draft(|draft| { draft.body.insert("workspace".into(), "globex".into()); })]),
    fault("reversal-invalid", Where::Middle, &[Hook::Draft(|draft| {
        draft.body = body::compensation(draft.sequence, draft.sequence + 1, &mut draft.random);
    })]),
    fault("head-mismatch", Where::Whole, &[Hook::Manifest(|manifest| {
        manifest.insert("head".into(), format!("0x{}", "ab".repeat(32)).into());
    })]),
    fault("manifest-mismatch", Where::Whole, &[Hook::Manifest(|manifest| {
        let entries = manifest.get("entries").and_then(Value::as_u64).unwrap_or_default();
        manifest.insert("entries".into(), (entries + 1).into());
    })]),
    // Two heads for one sequence: the second one is given on the command line.
    fault("anchor-conflict", Where::Whole, &[]),
    // What limits the verdict.
    fault("no-key", Where::Whole, &[Hook::Job(|job| job.write_key = false)]),
    fault("keys-interleaved", Where::Middle, &[Hook::Draft(|draft| draft.key = 1)]),
    fault("no-anchor", Where::Whole, &[Hook::Job(|job| job.manifest = Manifest::None)]),
    fault("manifest-unsigned", Where::Whole, &[Hook::Job(|job| {
        job.manifest = Manifest::Unsigned;
        job.manifest_name = "export.manifest.json".into();
    })]),
    fault("partial-start", Where::Whole, &[Hook::Job(|job| job.start = job.start.max(8))]),
    // An earlier head and nothing else: the head is given on the command line.
    fault("after-anchor", Where::Whole, &[Hook::Job(|job| job.manifest = Manifest::None)]),
    fault("imprecise-number", Where::Middle, &[Hook::Draft(|draft| {
        draft.body.insert("balance".into(), 9_007_199_254_740_993_u64.into());
    })]),
    fault("reversal-unchecked", Where::Middle, &[Hook::Job(|job| job.start = job.start.max(8)), Hook::Draft(|draft| {
        draft.body = body::compensation(draft.sequence, draft.first_sequence - 2, &mut draft.random);
    })]),
    fault("empty", Where::Whole, &[Hook::Job(|job| { job.rows = 0; job.manifest = Manifest::None; })]),
    // What changes nothing.
    fault("bom", Where::First, &[Hook::Line(|line| { line.splice(0..0, *b"\xef\xbb\xbf"); })]),
    fault("blank-line", Where::Middle, &[Hook::Line(|line| line.insert(0, b'\n'))]),
    fault("crlf", Where::Middle, &[Hook::Line(|line| line.insert(line.len() - 1, b'\r'))]),
    fault("no-final-newline", Where::Last, &[Hook::Line(|line| { line.pop(); })]),
    fault("clock-backwards", Where::Middle, &[Hook::Draft(|draft| {
        draft.body.insert("timestamp".into(), "2025-12-31T23:59:59.999Z".into());
    })]),
    fault("sidecar-ignored", Where::Whole, &[
        Hook::Job(|job| job.manifest_name = "export.manifest.json".into()),
        Hook::Manifest(|manifest| { manifest.insert("workspace".into(), "globex".into()); }),
    ]),
    fault("restore-mismatch", Where::Middle, &[Hook::Draft(|draft| {
        draft.body = body::compensation(draft.sequence, draft.target, &mut draft.random);
        draft.body.insert("result".into(), serde_json::json!({"status": "ok", "digest_match": false}));
    })]),
    // What people do to whole rows; named for the deed, since each is more than one finding.
    fault("row-deleted", Where::Middle, &[Hook::Line(Vec::clear)]),
    fault("row-copied", Where::Middle, &[Hook::Line(|line| line.extend_from_within(..))]),
];
