//! A test for each word of the profile vocabulary: a small ledger whose digests are made here, over bytes
//! that stand in the tables as they follow from the specification, and the same ledger with a byte changed.

mod chain;
mod declared;
mod hash;
mod json;
mod parts;
mod signature;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use ledger_verify::audit::{self, Request};
use ledger_verify::check::ed25519::Choice;
use ledger_verify::finding::Class;
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, Outcome};
use sha2::{Digest, Sha256};

/// The genesis of most tables.
const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What is handed over.
#[derive(Clone, Default)]
struct Case {
    profile: String,
    export: Vec<u8>,
    /// Keys: the name that each is bound to, or `""`, and its file.
    keys: Vec<(&'static str, Vec<u8>)>,
    manifest: Option<Vec<u8>>,
}

/// How a digest's bytes become text, or a preimage the text of its digest.
type Written<'a> = &'a dyn Fn(&[u8]) -> String;

/// The codes of the faults and bounds that were found, each once; or the stop.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Codes(BTreeSet<&'static str>),
    Stop(String),
}

impl From<Outcome> for Seen {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Report(report) => {
                let codes = report.finding_counts.keys().filter(|code| code.class() != Class::Note);
                Seen::Codes(codes.map(|code| code.name()).collect())
            }
            Outcome::Stop(stop) => Seen::Stop(format!("{stop:?}")),
        }
    }
}

impl Case {
    fn of(profile: impl Into<String>, export: impl Into<Vec<u8>>) -> Self {
        Case {
            profile: format!("[profile]\nname = \"words\"\n{}", profile.into()),
            export: export.into(),
            ..Case::default()
        }
    }

    fn key(mut self, name: &'static str, file: impl Into<Vec<u8>>) -> Self {
        self.keys.push((name, file.into()));
        self
    }

    /// The same with the one place of `from` in the export replaced.
    fn edited(&self, from: &str, to: &str) -> Self {
        let text = String::from_utf8(self.export.clone()).expect("text");
        assert_eq!(text.matches(from).count(), 1, "{from} in\n{text}");
        Case { export: text.replace(from, to).into_bytes(), ..self.clone() }
    }

    fn request(&self, folder: &Path) -> Request {
        let write = |name: String, bytes: &[u8]| -> PathBuf {
            let path = folder.join(name);
            fs::write(&path, bytes).expect("a file");
            path
        };
        let keys = self.keys.iter().enumerate().map(|(number, (name, bytes))| {
            let bound = Some((*name).to_owned()).filter(|name| !name.is_empty());
            (bound, write(format!("{number}.key"), bytes))
        });
        Request {
            exports: vec![write("export.jsonl".to_owned(), &self.export)],
            keys: keys.collect(),
            manifest: self.manifest.as_ref().map(|bytes| write("head".to_owned(), bytes)),
            profile: Some(write("profile.toml".to_owned(), self.profile.as_bytes()).display().to_string()),
            max_row_bytes: 1 << 20,
            threads: 1,
            ..Request::default()
        }
    }

    fn outcome(&self) -> Outcome {
        let folder = tempfile::tempdir().expect("a temporary folder");
        audit::run(&self.request(folder.path()), Environment::default(), &())
    }

    fn judged(&self) -> Seen {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // However the work is cut: what a row takes over from the one before must not depend on that.
        let small = Sizes { batch_bytes: 300, stride_bytes: 300, window_bytes: 600, ..Sizes::default() };
        let seen = audit::run(&self.request(folder.path()), Environment::default(), &()).into();
        // Nor on whether signatures are judged together or row by row.
        let alone = Request { signatures: Choice::Reference, ..self.request(folder.path()) };
        assert_eq!(seen, Seen::from(audit::run(&alone, Environment::default(), &())), "{}", self.profile);
        let threads = Request { threads: 2, ..self.request(folder.path()) };
        assert_eq!(seen, Seen::from(audit::run_cut(&threads, Environment::default(), small)), "{}", self.profile);
        seen
    }

    /// Exactly these faults and bounds; `no-anchor` goes without saying where no head is given.
    #[track_caller]
    fn finds(&self, what: &str, codes: &[&'static str]) {
        let mut expected: BTreeSet<&str> = codes.iter().copied().collect();
        if self.manifest.is_none() {
            expected.insert("no-anchor");
        }
        let seen = self.judged();
        let export = String::from_utf8_lossy(&self.export);
        assert_eq!(seen, Seen::Codes(expected), "{what}:\n{}\n{export}", self.profile);
    }

    #[track_caller]
    fn is_good(&self, what: &str) {
        self.finds(what, &[]);
    }
}

fn sha256(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    Sha256::digest(bytes.as_ref()).to_vec()
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

/// `bytes` with each `<n>` and `<prev>` replaced.
fn filled(bytes: &[u8], number: usize, prev: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        if let Some(tail) = rest.strip_prefix(b"<n>") {
            out.extend(number.to_string().bytes());
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix(b"<prev>") {
            out.extend(prev.bytes());
            rest = tail;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    out
}

/// A word of a preimage: what it takes from the row, and which bytes these are.
struct Word {
    /// The parts, in TOML.
    parts: &'static str,
    /// More of the profile.
    more: &'static str,
    /// Members of each row, in JSON.
    members: &'static str,
    /// What is hashed, before `|` and the link; `<n>` and `<prev>` are the row's.
    bytes: Vec<u8>,
    /// Members that differ in something covered.
    changed: &'static str,
    /// Members that differ in nothing covered.
    alike: &'static str,
}

fn word(parts: &'static str, members: &'static str, bytes: impl AsRef<[u8]>, changed: &'static str) -> Word {
    Word { parts, more: "", members, bytes: bytes.as_ref().to_vec(), changed, alike: members }
}

impl Word {
    fn alike(self, alike: &'static str) -> Self {
        Word { alike, ..self }
    }

    fn more(self, more: &'static str) -> Self {
        Word { more, ..self }
    }

    /// Two rows, the second one with these members and a digest over these bytes.
    fn case(&self, second: &str, bytes: &[u8]) -> Case {
        let profile = format!(
            "[fields]\nseq = \"n\"\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"{ZEROS}\"\nseq_start = 1\n\
             [[hash]]\npreimage = [{}, \"|\", {{ prev = \"utf8\" }}]\n{}",
            self.parts, self.more
        );
        let mut prev = ZEROS.to_owned();
        let mut export = String::new();
        for (number, members, bytes) in [(1, self.members, &*self.bytes), (2, second, bytes)] {
            let hash = hex(sha256([&filled(bytes, number, &prev), "|".as_bytes(), prev.as_bytes()].concat()));
            let comma = if members.is_empty() { "" } else { "," };
            export += &format!("{{\"n\":{number},\"p\":\"{prev}\",\"h\":\"{hash}\"{comma}{members}}}\n");
            prev = hash;
        }
        Case::of(profile, export)
    }

    fn holds(&self) {
        self.case(self.members, &self.bytes).is_good("as it was written");
        self.case(self.alike, &self.bytes).is_good("what it does not cover was changed");
        if self.changed != self.members {
            self.case(self.changed, &self.bytes).finds("what it covers was changed", &["hash-mismatch"]);
        }
        let mut other = self.bytes.clone();
        other[0] ^= 1;
        self.case(self.members, &other).finds("another digest", &["hash-mismatch"]);
    }
}

/// Rows in a row: each is made of its number, from 1, and the link to the one before, and says what the next
/// one links to.
fn rows(genesis: &str, count: usize, mut row: impl FnMut(usize, &str) -> (String, String)) -> String {
    let mut prev = genesis.to_owned();
    let mut export = String::new();
    for number in 1..=count {
        let (line, link) = row(number, &prev);
        export += &line;
        export.push('\n');
        prev = link;
    }
    export
}
