//! Small ledgers with something wrong: the forge makes them, random changes spoil them.
//!
//! A [`Case`] is plain data, so that proptest can shrink it; [`Case::make`] turns it into the files
//! that an auditor is handed. Changes are made to bytes, to rows, to members and to the manifest, and a
//! changed row may be hashed and signed again, so that damage reaches the walk and not only the row.

#![allow(dead_code, unused_imports, reason = "each test that includes this uses another part of it")]

#[path = "../../examples/forge/ledger/mod.rs"]
pub mod ledger;

pub mod lines;
mod members;

use ed25519_dalek::{SigningKey, VerifyingKey};
use ledger::fault::{FAULTS, Planned};
use ledger::{Form, Job, Manifest, Recipe};
use proptest::prelude::*;

pub use lines::LineChange;
pub use members::{Deed, MemberChange, Seal};

/// The number that a byte or two mean among `count`: so that shrinking them means earlier.
pub fn pick(number: u16, count: usize) -> usize {
    usize::from(number) % count.max(1)
}

/// A ledger and what is done to it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Content and keys follow from it.
    pub seed: u64,
    /// How many rows.
    pub rows: u64,
    /// The first number.
    pub start: u64,
    /// Readings of hash and signature.
    pub forms: (u8, u8),
    /// How many rows in a hundred are compensations.
    pub compensations: u64,
    /// Faults of the forge, and at which row.
    pub faults: Vec<(u8, u8)>,
    /// What is done to the finished export.
    pub changes: Vec<Change>,
    /// Which manifest there is, and what is done to it.
    pub manifest: ManifestKind,
    /// Changes of the manifest.
    pub manifest_changes: Vec<MemberChange>,
    /// Which keys are given: bits for the owner's, its second one, a stranger's.
    pub keys: u8,
    /// Heads that are given.
    pub heads: Vec<Head>,
    /// Bytes of the longest row, where it is limited.
    pub max_row_bytes: Option<usize>,
}

/// Which manifest there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestKind {
    /// None.
    None,
    /// One that the user names; signed or not.
    Named(bool),
    /// One that is only found; signed or not.
    Found(bool),
}

/// Something that is done to an export.
#[derive(Clone, Debug)]
pub enum Change {
    /// To its bytes.
    Bytes(ByteChange),
    /// To its lines.
    Lines(LineChange),
    /// To a member of a row.
    Member(MemberChange),
}

/// Something that is done to bytes; places are parts of 65,536.
#[derive(Clone, Debug)]
pub enum ByteChange {
    /// Flip a bit.
    Flip(u16, u8),
    /// Put a byte in.
    Insert(u16, u8),
    /// Take bytes out.
    Delete(u16, u8),
    /// Let bytes stand twice.
    Repeat(u16, u8),
    /// Cut the end off.
    Truncate(u16),
}

/// A head that is given: of this row, said in this way.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The row.
    pub row: u16,
    /// Whether its number is given, and how far that is off.
    pub number: Option<i8>,
    /// Whether it is the digest of the row, of its predecessor or of nothing.
    pub digest: u8,
}

/// The files and arguments of a case.
pub struct Made {
    /// The export.
    pub export: Vec<u8>,
    /// The manifest's text.
    pub manifest: Vec<u8>,
    /// The keys.
    pub keys: Vec<VerifyingKey>,
    /// The heads as on the command line.
    pub heads: Vec<String>,
}

/// The forms of digests.
pub const FORMS: [Form; 3] = [Form::Raw, Form::Text, Form::Hex];

/// Names of workspaces that rows may be changed to; none of them is in a manifest.
pub const STRANGER: &str = "globex";

impl Case {
    /// The recipe of the ledger.
    pub fn recipe(&self) -> Recipe {
        let form = |number: u8| FORMS[pick(u16::from(number), 3)];
        Recipe { prev: form(self.forms.0), signed: form(self.forms.1) }
    }

    /// The key of this number: 0 the owner's, 1 its second one, 2 a stranger's.
    pub fn signing_key(&self, number: u8) -> SigningKey {
        ledger::signing_key(self.seed, number % 3)
    }

    /// Make the files.
    pub fn make(&self) -> Made {
        let faults: Vec<Planned> = self
            .faults
            .iter()
            .map(|&(fault, row)| Planned {
                fault: &FAULTS[pick(u16::from(fault), FAULTS.len())],
                row: 1 + pick(u16::from(row), self.rows as usize) as u64,
            })
            // What changes which files there are is this module's business.
            .filter(|planned| planned.fault.name != "empty")
            .fold(Vec::new(), |mut planned: Vec<Planned>, next| {
                // Two faults of one row would have to know of each other.
                if planned.iter().all(|other| other.row != next.row) {
                    planned.push(next);
                }
                planned
            });
        let signed = matches!(self.manifest, ManifestKind::Named(true) | ManifestKind::Found(true));
        let job = Job {
            seed: self.seed,
            rows: self.rows,
            start: self.start,
            recipe: self.recipe(),
            compensations: self.compensations,
            row_bytes: 300,
            faults,
            ..Job::default()
        };
        let mut job = ledger::files::prepare(&job);
        job.manifest = if signed { Manifest::Signed } else { Manifest::Unsigned };
        let mut export = Vec::new();
        let summary = ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
        let mut manifest = ledger::files::manifest_text(&job, &summary).into_bytes();
        for change in &self.changes {
            match change {
                Change::Bytes(change) => change.apply(&mut export),
                Change::Lines(change) => change.apply(self, &mut export),
                Change::Member(change) => change.apply_to_row(self, &mut export),
            }
        }
        for change in &self.manifest_changes {
            change.apply_to_manifest(self, &mut manifest);
        }
        let keys = (0..3).filter(|bit| self.keys >> bit & 1 == 1).map(|number| self.signing_key(number));
        Made {
            manifest,
            keys: keys.map(|key| key.verifying_key()).collect(),
            heads: self.heads.iter().filter_map(|head| head.text(&export)).collect(),
            export,
        }
    }
}

impl ByteChange {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let place = |at: u16| (usize::from(at) * length) >> 16;
        let range = |at: u16, count: u8| place(at)..(place(at) + 1 + usize::from(count)).min(length);
        if bytes.is_empty() {
            return;
        }
        match *self {
            ByteChange::Flip(at, bit) => bytes[place(at)] ^= 1 << (bit & 7),
            ByteChange::Insert(at, byte) => bytes.insert(place(at), byte),
            ByteChange::Delete(at, count) => drop(bytes.drain(range(at, count))),
            ByteChange::Repeat(at, count) => {
                let copy = bytes[range(at, count)].to_vec();
                bytes.splice(place(at)..place(at), copy);
            }
            ByteChange::Truncate(at) => bytes.truncate(place(at)),
        }
    }
}

impl Head {
    fn text(self, export: &[u8]) -> Option<String> {
        let lines: Vec<&[u8]> = export.split(|&byte| byte == b'\n').collect();
        let row = members::parse(lines.get(pick(self.row, lines.len()))?)?;
        let member = if self.digest == 1 { "prev_hash" } else { "hash" };
        let digest = match self.digest {
            0 | 1 => row.get(member)?.as_str()?.to_owned(),
            _ => format!("0x{}", "cd".repeat(32)),
        };
        let Some(step) = self.number else { return Some(digest) };
        let number = row.get("sequence")?.as_u64()?.checked_add_signed(i64::from(step))?;
        Some(format!("{digest}@{number}"))
    }
}

fn byte_change() -> impl Strategy<Value = ByteChange> {
    let at = any::<u16>;
    let byte = proptest::sample::select(b"\n\r \t\"\\{}[],:0159-.eEu\x00\x1f\x7f\xc3\xa9\xed\xff\xefnt".to_vec());
    prop_oneof![
        (at(), 0u8..8).prop_map(|(at, bit)| ByteChange::Flip(at, bit)),
        (at(), byte).prop_map(|(at, byte)| ByteChange::Insert(at, byte)),
        (at(), prop_oneof![Just(0u8), any::<u8>()]).prop_map(|(at, count)| ByteChange::Delete(at, count)),
        (at(), any::<u8>()).prop_map(|(at, count)| ByteChange::Repeat(at, count)),
        at().prop_map(ByteChange::Truncate),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => byte_change().prop_map(Change::Bytes),
        3 => lines::strategy().prop_map(Change::Lines),
        5 => members::strategy(members::ROW_MEMBERS.len()).prop_map(Change::Member),
    ]
}

fn head() -> impl Strategy<Value = Head> {
    let number = prop_oneof![Just(None), Just(Some(0)), (-2i8..=2).prop_map(Some)];
    let digest = prop_oneof![6 => Just(0u8), 2 => Just(1), 1 => Just(2)];
    (any::<u16>(), number, digest).prop_map(|(row, number, digest)| Head { row, number, digest })
}

/// Ledgers with a few changes.
pub fn case() -> impl Strategy<Value = Case> {
    let manifest = prop_oneof![
        Just(ManifestKind::None),
        any::<bool>().prop_map(ManifestKind::Named),
        any::<bool>().prop_map(ManifestKind::Found),
    ];
    let keys = prop_oneof![5 => Just(1u8), 1 => Just(0), 2 => Just(3), 1 => Just(4), 1 => Just(5), 1 => Just(7)];
    let start = prop_oneof![4 => Just(1u64), 1 => Just(0), 2 => 2u64..30];
    let forms = prop_oneof![2 => Just((0u8, 0u8)), 1 => (0u8..3, 0u8..3)];
    let basis = (0u64..40, 0u64..14, start, forms, prop_oneof![Just(0u64), Just(30), Just(50)]);
    let few = |range| proptest::collection::vec((any::<u8>(), any::<u8>()), range);
    let spoilt = (
        prop_oneof![2 => few(0..1), 1 => few(1..3)],
        proptest::collection::vec(change(), 0..5),
        manifest,
        prop_oneof![
            3 => Just(Vec::new()),
            1 => proptest::collection::vec(members::strategy(members::MANIFEST_MEMBERS.len()), 1..3)
        ],
    );
    let heads = prop_oneof![3 => Just(Vec::new()), 1 => proptest::collection::vec(head(), 1..3)];
    let longest = prop_oneof![12 => Just(None), 1 => (200usize..700).prop_map(Some)];
    (basis, spoilt, keys, heads, longest).prop_map(|(basis, spoilt, keys, heads, max_row_bytes)| {
        let (seed, rows, start, forms, compensations) = basis;
        let (faults, changes, manifest, manifest_changes) = spoilt;
        let rows = rows.max(1);
        Case {
            seed,
            rows,
            start,
            forms,
            compensations,
            faults,
            changes,
            manifest,
            manifest_changes,
            keys,
            heads,
            max_row_bytes,
        }
    })
}

/// An honest ledger of that many rows under the owner's key, without anchor.
pub fn honest(seed: u64, rows: u64) -> Case {
    Case {
        seed,
        rows,
        start: 1,
        forms: (0, 0),
        compensations: 0,
        faults: Vec::new(),
        changes: Vec::new(),
        manifest: ManifestKind::None,
        manifest_changes: Vec::new(),
        keys: 1,
        heads: Vec::new(),
        max_row_bytes: None,
    }
}

/// A change of this member of a row, counted from 0.
pub fn change_of(row: u16, member: &str, deed: Deed, seal: Seal) -> Change {
    let member = members::ROW_MEMBERS.iter().position(|name| *name == member).expect("a member of rows");
    Change::Member(MemberChange { row, member: member as u8, deed, seal })
}

/// The odd value with this text.
pub fn odd(value: &str) -> Deed {
    Deed::Set(members::ODD.iter().position(|odd| *odd == value).expect("an odd value") as u8)
}

/// A fault of the forge at this row, counted from 1.
pub fn fault_at(name: &str, row: u8) -> (u8, u8) {
    (FAULTS.iter().position(|fault| fault.name == name).expect("a fault") as u8, row - 1)
}
