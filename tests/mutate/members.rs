//! What is done to members of a row or manifest, and how the row is sealed again afterwards.
//!
//! Members are held as texts, so that a change can spell a value in any way, also in none that JSON
//! has.

use data_encoding::HEXLOWER;
use ed25519_dalek::Signer as _;
use proptest::prelude::*;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{Case, STRANGER, ledger, lines, pick};

/// A change of one member.
#[derive(Clone, Debug)]
pub struct MemberChange {
    /// The row (not for a manifest).
    pub row: u16,
    /// Which member.
    pub member: u8,
    /// What is done.
    pub deed: Deed,
    /// What is done to hash and signature afterwards.
    pub seal: Seal,
}

/// What is done to a member.
#[derive(Clone, Debug)]
pub enum Deed {
    /// It is left out.
    Remove,
    /// It has another name.
    Rename(u8),
    /// It has one of the odd values.
    Set(u8),
    /// It has the value that it has in another row.
    Borrow(u16),
    /// A digest of another row, as that row states it: the links of forks and jumps.
    Link(u16),
    /// Its number is another one by this much.
    Step(i8),
    /// It stands twice.
    Twice,
    /// It stands first.
    First,
    /// Its text is in capitals.
    Capitals,
    /// Its text is shorter or longer by a character.
    Cut(bool),
    /// Its name is spelled with an escape.
    Escape,
}

/// How a changed row is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// Not at all.
    Leave,
    /// Hashed again.
    Hash,
    /// Hashed and signed again with this key.
    Sign(u8),
    /// The same, and so are the rows that follow on it.
    Through(u8),
}

/// Members of rows that are changed; the first ones hold the chain together.
pub const ROW_MEMBERS: [&str; 12] = [
    "sequence",
    "prev_hash",
    "hash",
    "signature",
    "workspace",
    "kind",
    "reverses",
    "result",
    "timestamp",
    "class",
    "budget_entry",
    "extra",
];

/// Members of a manifest that are changed.
pub const MANIFEST_MEMBERS: [&str; 9] = [
    "workspace",
    "entries",
    "head",
    "first_sequence",
    "last_sequence",
    "exported_at",
    "file_sha256",
    "signature",
    "extra",
];

/// Values that a member may be set to, as texts.
pub const ODD: &[&str] = &[
    "null",
    "true",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-0",
    "1.0",
    "2e0",
    "30e-1",
    "2.5",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "18446744073709551616",
    "1e23",
    "1e400",
    "1e-400",
    "123456789012345678901",
    "\"\"",
    "\"x\"",
    "\"globex\"",
    "\"compensation\"",
    "\"kind\"",
    "[]",
    "{}",
    "[[{\"a\":1}]]",
    "{\"a\":1,\"\\u0061\":2}",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "{\"status\":\"ok\",\"digest_match\":false}",
    "{\"digest_match\":null}",
    "\"2019-01-01T00:00:00Z\"",
    "\"2031-01-01T00:00:00+02:00\"",
    "\"2026-13-01T00:00:00Z\"",
    "\"0x0000000000000000000000000000000000000000000000000000000000000000\"",
    "\"0x\"",
    "\"ed25519:\"",
    "\":ab\"",
    "\"none:\"",
    "\"Ed25519:00\"",
    "\"ed25519\"",
    "01",
    "1.",
    "NaN",
    "\"",
    "\"\t\"",
    "[1,]",
    "{\"a\"}",
    "tru",
    "'x'",
    "",
    "\"sha256:abababababababababababababababababababababababababababababababab\"",
    "\"ABababababababababababababababababababababababababababababababab\"",
];

/// A row as an object, if it is one.
pub fn parse(line: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)).ok()
}

type Texts = Vec<(String, String)>;

fn texts(row: &Map<String, Value>) -> Texts {
    row.iter().map(|(name, value)| (Value::from(name.as_str()).to_string(), value.to_string())).collect()
}

fn spell(members: &Texts) -> Vec<u8> {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    format!("{{{}}}\n", members.join(",")).into_bytes()
}

impl Deed {
    fn apply(&self, name: &str, members: &mut Texts, others: &[Map<String, Value>]) {
        let quoted = format!("\"{name}\"");
        let place = members.iter().position(|member| member.0 == quoted);
        let other = |row: u16| others.get(pick(row, others.len()));
        let value = match *self {
            Deed::Set(odd) => Some(ODD[pick(u16::from(odd), ODD.len())].to_owned()),
            Deed::Borrow(row) => other(row).and_then(|row| row.get(name)).map(Value::to_string),
            Deed::Link(row) => other(row).and_then(|row| row.get("hash")).map(Value::to_string),
            _ => None,
        };
        if let Some(value) = value {
            match place {
                Some(place) => members[place].1 = value,
                None => members.push((quoted, value)),
            }
            return;
        }
        let Some(place) = place else { return };
        let text = members[place].1.clone();
        match *self {
            Deed::Remove => drop(members.remove(place)),
            Deed::Rename(to) => {
                members[place].0 = format!("\"{}\"", ROW_MEMBERS[pick(u16::from(to), ROW_MEMBERS.len())])
            }
            Deed::Step(step) => {
                if let Ok(number) = text.parse::<u64>() {
                    members[place].1 = number.saturating_add_signed(i64::from(step)).to_string();
                }
            }
            Deed::Twice => members.push(members[place].clone()),
            Deed::First => members[..=place].rotate_right(1),
            Deed::Capitals => members[place].1 = text.to_uppercase().replace("0X", "0x"),
            Deed::Cut(true) if text.len() > 2 => drop(members[place].1.remove(text.len() - 2)),
            Deed::Cut(_) => members[place].1.insert(text.len().saturating_sub(1), 'a'),
            Deed::Escape => {
                if let Some(first) = name.chars().next() {
                    members[place].0 = format!("\"\\u{:04x}{}\"", u32::from(first), &name[1..]);
                }
            }
            Deed::Set(_) | Deed::Borrow(_) | Deed::Link(_) => {}
        }
    }
}

impl MemberChange {
    pub fn apply_to_row(&self, case: &Case, export: &mut Vec<u8>) {
        let mut rows = lines::split(export);
        let others: Vec<Map<String, Value>> = rows.iter().filter_map(|line| parse(line)).collect();
        let place = pick(self.row, rows.len());
        let Some(mut row) = rows.get(place).and_then(|line| parse(line)) else { return };
        let before = row.clone();
        let mut members = texts(&row);
        self.deed.apply(ROW_MEMBERS[pick(u16::from(self.member), ROW_MEMBERS.len())], &mut members, &others);
        rows[place] = spell(&members);
        let resealed = parse(&rows[place]).filter(|_| self.seal != Seal::Leave);
        if let Some(changed) = resealed {
            row = changed;
            seal(case, self.seal, &mut row);
            rows[place] = spell(&texts(&row));
            if let Seal::Through(_) = self.seal {
                follow(case, self.seal, &before, &row, &mut rows[place + 1..]);
            }
        }
        *export = rows.concat();
    }

    pub fn apply_to_manifest(&self, case: &Case, manifest: &mut Vec<u8>) {
        let Some(row) = parse(manifest) else { return };
        let mut members = texts(&row);
        self.deed.apply(MANIFEST_MEMBERS[pick(u16::from(self.member), MANIFEST_MEMBERS.len())], &mut members, &[]);
        *manifest = spell(&members);
        let (Seal::Sign(key) | Seal::Through(key), Some(mut row)) = (self.seal, parse(manifest)) else { return };
        row.shift_remove("signature");
        let signature = case.signing_key(key).sign(&ledger::canonical(&row)).to_bytes();
        row.insert("signature".into(), format!("ed25519:{}", HEXLOWER.encode(&signature)).into());
        *manifest = spell(&texts(&row));
    }
}

/// Hash a row again, and sign it if that is wanted.
fn seal(case: &Case, seal: Seal, row: &mut Map<String, Value>) {
    let (hash, signature) = (row.contains_key("hash"), row.contains_key("signature"));
    let mut bare = row.clone();
    bare.shift_remove("hash");
    bare.shift_remove("signature");
    let prev = row.get("prev_hash").and_then(Value::as_str).unwrap_or_default();
    let prev = prev.strip_prefix("0x").and_then(|hex| HEXLOWER.decode(hex.as_bytes()).ok());
    let Some(prev) = prev.and_then(|prev| <[u8; 32]>::try_from(prev).ok()) else { return };
    let digest = Sha256::digest([ledger::canonical(&bare), case.recipe().prev.bytes(&prev)].concat());
    // A member that was taken away on purpose stays away.
    if hash {
        row.insert("hash".into(), ledger::digest_text(&digest.into()).into());
    }
    if let (Seal::Sign(key) | Seal::Through(key), true) = (seal, signature) {
        let signature = case.signing_key(key).sign(&case.recipe().signed.bytes(&digest.into())).to_bytes();
        row.insert("signature".into(), format!("ed25519:{}", HEXLOWER.encode(&signature)).into());
    }
}

/// The rows that followed on the old row follow on the new one.
fn follow(case: &Case, how: Seal, before: &Map<String, Value>, after: &Map<String, Value>, rows: &mut [Vec<u8>]) {
    let (mut old, mut new) = (before.get("hash").cloned(), after.get("hash").cloned());
    for line in rows {
        let Some(mut row) = parse(line).filter(|row| row.get("prev_hash") == old.as_ref()) else { continue };
        let Some(link) = new.clone() else { return };
        old = row.get("hash").cloned();
        row.insert("prev_hash".into(), link);
        seal(case, how, &mut row);
        new = row.get("hash").cloned();
        *line = spell(&texts(&row));
    }
}

/// Any change of one of `count` members; the first half of them more often.
pub fn strategy(count: usize) -> impl Strategy<Value = MemberChange> {
    let count = count as u8;
    let deed = prop_oneof![
        2 => Just(Deed::Remove),
        1 => any::<u8>().prop_map(Deed::Rename),
        5 => any::<u8>().prop_map(Deed::Set),
        2 => any::<u16>().prop_map(Deed::Borrow),
        3 => any::<u16>().prop_map(Deed::Link),
        2 => (-3i8..=3).prop_map(Deed::Step),
        1 => Just(Deed::Twice),
        1 => Just(Deed::First),
        1 => Just(Deed::Capitals),
        1 => any::<bool>().prop_map(Deed::Cut),
        1 => Just(Deed::Escape),
    ];
    let key = || prop_oneof![4 => Just(0u8), 1 => Just(1), 1 => Just(2)];
    let seal = prop_oneof![
        2 => Just(Seal::Leave),
        1 => Just(Seal::Hash),
        2 => key().prop_map(Seal::Sign),
        3 => key().prop_map(Seal::Through),
    ];
    let member = prop_oneof![0..count / 2, 0..count];
    (any::<u16>(), member, deed, seal).prop_map(|(row, member, deed, seal)| MemberChange { row, member, deed, seal })
}

/// Whether this name is one that only changes bring in.
pub fn is_strange(name: &str) -> bool {
    name == STRANGER
}
