//! Incidents: what happens to a finished export, one deed for each kind of story.
//!
//! Each deed makes a small fixture, named for the incident that must be told of it.

use std::fs;
use std::io;
use std::path::Path;

use data_encoding::HEXLOWER;
use ed25519_dalek::Signer as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::files::public_pem;
use super::{Job, canonical, digest_text, files, signing_key, write_export};

/// Rows of a fixture.
const ROWS: u64 = 10;

/// An export with its key and manifest, as deeds change them.
pub struct Made {
    /// Content and keys follow from it.
    pub seed: u64,
    /// The rows, each with its LF.
    pub lines: Vec<Vec<u8>>,
    /// After how many of them a new part starts.
    pub cuts: Vec<usize>,
    /// The order in which the parts are given; as they are where it is empty.
    pub order: Vec<usize>,
    /// What the manifest says.
    pub manifest: Vec<Map<String, Value>>,
    /// What is said after it was signed.
    pub afterwards: Map<String, Value>,
    /// Which key the auditor has: see `signing_key`.
    pub key: u8,
}

/// A deed: the incident, the findings it leads to, what is done, and in words.
pub struct Deed {
    /// The kind of incident.
    pub kind: &'static str,
    /// The findings.
    pub codes: &'static [&'static str],
    /// In words.
    pub why: &'static str,
    /// What is done.
    pub act: fn(&mut Made),
}

impl Made {
    /// A good export.
    pub fn honest(seed: u64, rows: u64) -> Self {
        let job = Job { seed, rows, compensations: 0, row_bytes: 400, ..Job::default() };
        let mut export = Vec::new();
        let summary = write_export(&job, &mut export).expect("a Vec takes every byte");
        let text = files::manifest_text(&job, &summary);
        let mut manifest: Map<String, Value> = serde_json::from_str(&text).expect("a manifest is JSON");
        manifest.shift_remove("signature");
        Made {
            seed,
            lines: export.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect(),
            cuts: Vec::new(),
            order: Vec::new(),
            manifest: vec![manifest],
            afterwards: Map::new(),
            key: 0,
        }
    }

    /// The row at this place, from 0.
    pub fn row(&self, at: usize) -> Map<String, Value> {
        serde_json::from_slice(&self.lines[at]).expect("a row is JSON")
    }

    /// Put a row there.
    pub fn set(&mut self, at: usize, row: &Map<String, Value>) {
        self.lines[at] = text(row);
    }

    /// Change a member of a row and nothing else.
    pub fn edit(&mut self, at: usize, member: &str, value: Value) {
        let mut row = self.row(at);
        row.insert(member.to_owned(), value);
        self.set(at, &row);
    }

    /// Hash and link the rows of a range anew, and sign them with this key, if any.
    pub fn remake(&mut self, rows: std::ops::Range<usize>, key: Option<u8>) {
        for at in rows {
            let mut row = self.row(at);
            if let Some(before) = at.checked_sub(1) {
                row.insert("prev_hash".to_owned(), self.row(before)["hash"].clone());
            }
            self.seal(&mut row, key, true);
            self.set(at, &row);
        }
    }

    /// Hash a row as it stands, and sign it with this key, if any.
    pub fn seal(&self, row: &mut Map<String, Value>, key: Option<u8>, with_prev: bool) {
        let mut bare = row.clone();
        bare.shift_remove("hash");
        bare.shift_remove("signature");
        let mut preimage = canonical(&bare);
        let prev = row["prev_hash"].as_str().unwrap_or_default().trim_start_matches("0x");
        if with_prev {
            preimage.extend(HEXLOWER.decode(prev.as_bytes()).expect("a digest is hex"));
        }
        let digest: [u8; 32] = Sha256::digest(&preimage).into();
        row.insert("hash".to_owned(), digest_text(&digest).into());
        if let Some(key) = key {
            row.insert("signature".to_owned(), signature(self.seed, key, &digest).into());
        }
    }

    /// Let the manifest speak of the first rows only.
    pub fn state(&mut self, rows: usize) {
        let last = self.row(rows - 1);
        let manifest = &mut self.manifest[0];
        manifest.insert("entries".to_owned(), rows.into());
        manifest.insert("last_sequence".to_owned(), last["sequence"].clone());
        manifest.insert("head".to_owned(), last["hash"].clone());
    }

    /// The parts in the order in which they are given.
    pub fn parts(&self) -> Vec<Vec<u8>> {
        let ends = self.cuts.iter().copied().chain([self.lines.len()]);
        let starts = [0].into_iter().chain(self.cuts.iter().copied());
        let parts: Vec<Vec<u8>> = starts.zip(ends).map(|(start, end)| self.lines[start..end].concat()).collect();
        match self.order.is_empty() {
            true => parts,
            false => self.order.iter().map(|&part| parts[part].clone()).collect(),
        }
    }

    /// The manifest's text.
    pub fn manifest_text(&self) -> String {
        let sealed = self.manifest.iter().map(|entry| {
            let mut entry = entry.clone();
            let signature = signature(self.seed, 0, &canonical(&entry));
            entry.extend(self.afterwards.clone());
            entry.insert("signature".to_owned(), signature.into());
            Value::Object(entry)
        });
        let entries: Vec<Value> = sealed.collect();
        let whole = if let [entry] = entries.as_slice() { entry.clone() } else { json!(entries) };
        serde_json::to_string_pretty(&whole).expect("a manifest is plain JSON") + "\n"
    }
}

fn text(row: &Map<String, Value>) -> Vec<u8> {
    let mut line = serde_json::to_vec(row).expect("a row is plain JSON");
    line.push(b'\n');
    line
}

fn signature(seed: u64, key: u8, message: &[u8]) -> String {
    format!("ed25519:{}", HEXLOWER.encode(&signing_key(seed, key).sign(message).to_bytes()))
}

/// Write a fixture for each kind below this folder, in place of those that are there.
pub fn write_all(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    for (number, deed) in (0..).zip(DEEDS) {
        let mut made = Made::honest(300 + number, ROWS);
        (deed.act)(&mut made);
        write_fixture(deed, &made, &folder.join(deed.kind))?;
    }
    Ok(())
}

fn write_fixture(deed: &Deed, made: &Made, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let parts = made.parts();
    let names: Vec<String> = match parts.len() {
        1 => vec!["export.jsonl".to_owned()],
        count => (1..=count).map(|part| format!("part{part}.jsonl")).collect(),
    };
    for (name, part) in names.iter().zip(&parts) {
        fs::write(folder.join(name), part)?;
    }
    fs::write(folder.join("pk.pem"), public_pem(&signing_key(made.seed, made.key).verifying_key()))?;
    fs::write(folder.join("manifest.json"), made.manifest_text())?;
    let mut expect = json!({ "exit": 1, "codes": deed.codes, "why": deed.why, "incidents": [deed.kind] });
    if parts.len() > 1 {
        expect["exports"] = json!(names);
    }
    fs::write(folder.join("expect.json"), serde_json::to_string_pretty(&expect).expect("plain JSON") + "\n")
}

const fn deed(kind: &'static str, codes: &'static [&'static str], why: &'static str, act: fn(&mut Made)) -> Deed {
    Deed { kind, codes, why, act }
}

/// Every deed, in the order of the kinds (docs/incidents.md).
pub static DEEDS: &[Deed] = &[
    deed("content-edited", &["hash-mismatch"], "row 5 is of another class than the one that was hashed", |made| {
        made.edit(4, "class", "R9".into());
    }),
    deed("digest-edited", &["hash-mismatch"], "row 5 states another digest than its content has", |made| {
        made.edit(4, "hash", digest_text(&[0xab; 32]).into());
    }),
    deed("fields-damaged", &["field-missing"], "row 5 has lost its prev_hash", |made| {
        let mut row = made.row(4);
        row.shift_remove("prev_hash");
        made.set(4, &row);
    }),
    deed("written-malformed", &["field-malformed"], "signed: row 5 has its number as text", |made| {
        made.edit(4, "sequence", "5".into());
        made.remake(4..10, Some(0));
        made.state(10);
    }),
    deed(
        "rows-rehashed-without-key",
        &["signature-invalid", "head-mismatch"],
        "row 5 is edited, it and all later rows are hashed and linked anew, their signatures left as they were",
        |made| {
            made.edit(4, "class", "R9".into());
            made.remake(4..10, None);
        },
    ),
    deed("key-changed", &["signature-invalid"], "from row 6 on the ledger is signed with its second key", |made| {
        made.remake(5..10, Some(1));
        made.state(10);
    }),
    deed("wrong-key", &["signature-invalid", "manifest-mismatch"], "a stranger's key is given", |made| made.key = 2),
    deed("signatures-replaced", &["signature-invalid"], "row 5 is signed with a stranger's key", |made| {
        let mut row = made.row(4);
        made.seal(&mut row, Some(2), true);
        made.set(4, &row);
    }),
    deed("signatures-stripped", &["signature-missing"], "rows 4 to 6 have lost their signatures", |made| {
        for at in 3..6 {
            let mut row = made.row(at);
            row.shift_remove("signature");
            made.set(at, &row);
        }
    }),
    deed("signatures-altered", &["signature-malformed"], "row 5's signature is in upper case", |made| {
        let text = made.row(4)["signature"].as_str().unwrap_or_default().replace("ed25519:", "").to_uppercase();
        made.edit(4, "signature", format!("ed25519:{text}").into());
    }),
    deed(
        "other-hashing-convention",
        &["hash-mismatch", "head-mismatch"],
        "every row is hashed without the predecessor's digest behind it",
        |made| {
            for at in 0..10 {
                let mut row = made.row(at);
                if at > 0 {
                    row.insert("prev_hash".to_owned(), made.row(at - 1)["hash"].clone());
                }
                made.seal(&mut row, Some(0), false);
                made.set(at, &row);
            }
            made.state(10);
        },
    ),
    deed("rows-deleted", &["link-broken", "sequence-gap", "manifest-mismatch"], "rows 5 and 6 are deleted", |made| {
        made.lines.drain(4..6);
    }),
    deed(
        "part-missing",
        &["link-broken", "sequence-gap", "manifest-mismatch"],
        "the middle one of three parts is not given",
        |made| {
            made.cuts = vec![3, 6];
            made.order = vec![0, 2];
        },
    ),
    deed(
        "rows-inserted",
        &["link-broken", "signature-invalid", "manifest-mismatch"],
        "row 6 of another ledger stands behind row 5",
        |made| {
            let other = Made::honest(made.seed + 1000, 10).lines[5].clone();
            made.lines.insert(5, other);
        },
    ),
    deed(
        "rows-appended",
        &["head-mismatch", "manifest-mismatch", "signature-invalid"],
        "behind row 8, with which the ledger ends, stand two rows that are signed with a stranger's key",
        |made| {
            made.state(8);
            made.remake(8..10, Some(2));
        },
    ),
    deed(
        "rows-swapped",
        &["link-broken", "sequence-gap", "sequence-backwards"],
        "rows 4 and 7 have changed places",
        |made| made.lines.swap(3, 6),
    ),
    deed(
        "rows-reordered",
        &["link-broken", "sequence-gap", "sequence-backwards"],
        "rows 3 and 4 stand behind row 8",
        |made| made.lines[2..8].rotate_left(2),
    ),
    deed("parts-out-of-order", &["link-broken"], "the last one of three parts is given as the second", |made| {
        made.cuts = vec![3, 6];
        made.order = vec![0, 2, 1];
    }),
    deed("rows-copied", &["sequence-repeated", "manifest-mismatch"], "rows 4 and 5 stand behind row 7 again", |made| {
        let copies = made.lines[3..5].to_vec();
        made.lines.splice(7..7, copies);
    }),
    deed(
        "concurrent-writers",
        &["fork", "link-broken", "manifest-mismatch"],
        "signed: a second row 5 follows row 4, and row 6 follows the first one",
        |made| {
            let mut row = made.row(4);
            row.insert("class".to_owned(), "R9".into());
            made.seal(&mut row, Some(0), true);
            made.lines.insert(5, text(&row));
        },
    ),
    deed("history-rewritten", &["link-broken"], "signed: rows 3 to 5 are others than row 6 was chained to", |made| {
        made.edit(2, "class", "R9".into());
        made.remake(2..5, Some(0));
    }),
    deed(
        "concatenated-exports",
        &["second-genesis"],
        "signed: another ledger of the same name stands behind",
        |made| {
            let other = Made { seed: made.seed, ..Made::honest(made.seed + 1000, 10) };
            let mut first = other.row(0);
            made.seal(&mut first, Some(0), true);
            made.lines.extend(other.lines);
            made.set(10, &first);
            made.remake(11..20, Some(0));
        },
    ),
    deed("ledger-restarted", &["second-genesis"], "signed: row 6 claims to have no predecessor", |made| {
        let mut row = made.row(5);
        row.insert("prev_hash".to_owned(), digest_text(&[0; 32]).into());
        made.seal(&mut row, Some(0), true);
        made.set(5, &row);
        made.remake(6..10, Some(0));
        made.state(10);
    }),
    deed("rows-of-another-chain", &["chain-mixed"], "signed: rows 5 and 6 are of workspace globex", |made| {
        made.edit(4, "workspace", "globex".into());
        made.edit(5, "workspace", "globex".into());
        made.remake(4..10, Some(0));
        made.state(10);
    }),
    deed("numbers-wrong", &["sequence-gap"], "signed: from row 5 on the numbers are two higher", |made| {
        for at in 4..10 {
            made.edit(at, "sequence", (at + 3).into());
        }
        made.remake(4..10, Some(0));
        made.state(10);
    }),
    deed("lines-unreadable", &["not-json"], "rows 5 and 6 are overwritten by text", |made| {
        made.lines[4] = b"-- compacted by logrotate --\n".to_vec();
        made.lines[5] = b"-- compacted by logrotate --\n".to_vec();
    }),
    deed(
        "lines-joined",
        &["not-json", "sequence-gap", "manifest-mismatch"],
        "the line end between rows 4 and 5 is lost",
        |made| {
            made.lines[3].pop();
        },
    ),
    deed("torn-write", &["torn-row"], "the file ends in the middle of row 10", |made| made.lines[9].truncate(200)),
    deed("beginning-cut", &["manifest-mismatch"], "rows 1 to 3 are cut off", |made| {
        made.lines.drain(..3);
    }),
    deed("tail-cut", &["head-mismatch", "manifest-mismatch"], "rows 9 and 10 are cut off", |made| {
        made.lines.truncate(8);
    }),
    deed(
        "log-grown-past-manifest",
        &["head-mismatch", "manifest-mismatch"],
        "the manifest was made when the ledger ended with row 8",
        |made| made.state(8),
    ),
    deed("two-histories", &["head-mismatch"], "the manifest, signed, states another digest for row 10", |made| {
        made.manifest[0].insert("head".to_owned(), digest_text(&[0xab; 32]).into());
    }),
    deed("manifest-altered", &["manifest-mismatch"], "the manifest's date was changed after it was signed", |made| {
        made.afterwards.insert("exported_at".to_owned(), "2026-09-30T00:00:00Z".into());
    }),
    deed("wrong-ledger", &["manifest-mismatch", "head-mismatch"], "the manifest is that of another ledger", |made| {
        let mut other = Made::honest(made.seed + 1000, 25).manifest.remove(0);
        other.insert("workspace".to_owned(), "globex".into());
        made.manifest = vec![other];
    }),
    deed(
        "chain-missing",
        &["manifest-mismatch"],
        "the manifest, signed, has an entry for workspace globex too",
        |made| {
            let mut other = Made::honest(made.seed + 1000, 4).manifest.remove(0);
            other.insert("workspace".to_owned(), "globex".into());
            made.manifest.push(other);
        },
    ),
];
