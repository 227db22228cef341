//! Anchors: what stands outside the export is compared with where the walk ended.
//!
//! A chain alone cannot show that its last rows were cut off. A manifest or a pinned head can, and
//! each chain needs one of its own. What the anchor says is compared with what the rows prove: the
//! recomputed digest, never the stated text. What could not be read is not judged a second time here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::manifest::Entry;
use super::witness::Witness;
use crate::chain::{ChainEnd, CountSeen, PinSeen, WalkEnd};
use crate::fact::{
    AnchorFacts, AnchorKind, AnchorMember, AnchorVerdict, CountPin, Digest, KeyIndex, LinkForm, Pin, Place,
};
use crate::finding::{Code, Finding};
use crate::profile::{HeadPlan, PinLine};

/// How the signature of a manifest entry came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seal {
    /// There is none, or no key to judge it with.
    None,
    /// It holds under this key, which may sign for the chain.
    Holds(KeyIndex),
    /// It holds under none of them.
    Broken,
}

/// A manifest with the seals of its entries.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Whether the user named it or it was found beside the export.
    pub kind: AnchorKind,
    /// Its entries.
    pub entries: Vec<(Entry, Seal)>,
}

impl Manifest {
    /// Whether one of its entries states the digest of the export's bytes.
    pub fn states_file(&self) -> bool {
        self.entries.iter().any(|(entry, _)| entry.file_sha256.is_some())
    }

    /// Whether this key signed one of its entries.
    pub fn is_sealed_by(&self, key: KeyIndex) -> bool {
        self.entries.iter().any(|(_, seal)| *seal == Seal::Holds(key))
    }
}

/// Everything that is compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The manifest, if there is one.
    pub manifest: Option<&'a Manifest>,
    /// Heads that were seen earlier.
    pub pins: &'a [Pin],
    /// Those that name their row by how many rows there were.
    pub counted: &'a [PinLine],
    /// The pins of a witness.
    pub witness: Option<&'a Witness>,
    /// Whether the rows have faults, so that a witness's pins cannot be held against them.
    pub broken: bool,
    /// Where the walk ended.
    pub end: &'a WalkEnd,
    /// SHA-256 (hex) of the export, where it was read to its end: of its parts one after the other.
    pub file_sha256: Option<&'a str>,
    /// How digests are written.
    pub form: &'a LinkForm,
    /// Where the members of a manifest are, for findings.
    pub head: Option<&'a HeadPlan>,
}

/// What the comparison leads to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Faults, with the last row's place, then bounds without place.
    pub findings: Vec<Finding>,
    /// Notes.
    pub notes: Vec<Finding>,
    /// The anchors and what they proved.
    pub anchors: Vec<AnchorFacts>,
}

/// Compare the anchors with the export.
pub fn compare(comparison: &Comparison<'_>) -> Outcome {
    let mut judge = Judge {
        given: comparison,
        place: comparison.end.totals.last_place,
        outcome: Outcome::default(),
        covers: 0,
        fails: false,
    };
    let manifest = comparison.manifest.filter(|manifest| judge.is_about_this_ledger(manifest));
    let by_chain = manifest.map_or_else(BTreeMap::new, |manifest| judge.manifest(manifest));
    judge.pins();
    judge.counted();
    judge.witness();
    judge.conflicts(&by_chain);
    let empty = comparison.end.totals.last_place.is_none();
    if !empty {
        judge.bounds(manifest, &by_chain);
    }
    judge.outcome
}

struct Judge<'a> {
    given: &'a Comparison<'a>,
    place: Option<Place>,
    outcome: Outcome,
    /// The largest number of rows that a pin vouches for.
    covers: u64,
    /// A pin that names its row by a number of rows fails.
    fails: bool,
}

impl<'a> Judge<'a> {
    fn chains(&self) -> &'a [ChainEnd] {
        &self.given.end.chains
    }

    /// A manifest that was only found is ignored if none of its chains is in the export.
    fn is_about_this_ledger(&mut self, manifest: &Manifest) -> bool {
        let named: Vec<&Arc<str>> = self.chains().iter().filter_map(|chain| chain.name.as_ref()).collect();
        let about = manifest.kind != AnchorKind::Sidecar
            || named.is_empty()
            || manifest
                .entries
                .iter()
                .any(|(entry, _)| entry.chain.as_ref().is_none_or(|chain| named.contains(&chain)));
        if !about {
            let found = manifest.entries.first().and_then(|(entry, _)| entry.chain.as_deref().map(str::to_owned));
            let mut note = Finding::new(Code::SidecarIgnored, None).member("chain");
            note.found = found;
            self.outcome.notes.push(note);
        }
        about
    }

    /// Compare every entry; gives which entry speaks for which chain.
    fn manifest(&mut self, manifest: &'a Manifest) -> BTreeMap<usize, &'a (Entry, Seal)> {
        let alone = manifest.entries.len() == 1 && self.chains().len() <= 1;
        let mut by_chain = BTreeMap::new();
        for sealed in &manifest.entries {
            let (entry, seal) = sealed;
            let faults = self.outcome.findings.len();
            let chain = match alone {
                true => self.chains().first().map(|_| 0),
                false => self.chains().iter().position(|chain| chain.name.is_some() && chain.name == entry.chain),
            };
            let head = match chain.and_then(|index| self.chains().get(index).map(|chain| (index, chain))) {
                Some((index, chain)) => {
                    by_chain.insert(index, sealed);
                    self.entry(entry, chain, alone)
                }
                None => {
                    self.without_rows(entry, alone);
                    None
                }
            };
            if let (Some(stated), Some(found)) = (&entry.file_sha256, self.given.file_sha256)
                && stated != found
            {
                self.mismatch(entry, AnchorMember::File, stated, found);
            }
            if *seal == Seal::Broken {
                self.mismatch(
                    entry,
                    AnchorMember::Signature,
                    "a signature by one of the keys",
                    "one that holds under none of them",
                );
            }
            let verdict = match head {
                _ if self.outcome.findings.len() > faults => AnchorVerdict::Differs,
                Some(_) => AnchorVerdict::Matches,
                None if self.place.is_none() => AnchorVerdict::Matches,
                None => AnchorVerdict::NotJudged,
            };
            self.outcome.anchors.push(AnchorFacts {
                kind: manifest.kind,
                verdict,
                signed: matches!(seal, Seal::Holds(_)),
                chain: entry.chain.clone(),
                sequence: entry.last_sequence.or(head.flatten()),
                rows: None,
                witness: None,
                head: self.given.form.encode(&entry.head),
                exported_at: entry.exported_at.clone(),
            });
        }
        by_chain
    }

    /// An entry against its chain. Gives the sequence of the head, if the head was compared.
    fn entry(&mut self, entry: &Entry, chain: &ChainEnd, alone: bool) -> Option<Option<u64>> {
        if let (true, Some(name), Some(stated)) = (alone, &chain.name, &entry.chain)
            && name != stated
        {
            self.mismatch(entry, AnchorMember::Chain, stated, name);
        }
        // A line that could not be read is an entry, but with several chains it is not known of which.
        let unreadable = self.given.end.totals.unreadable;
        let most = chain.rows + unreadable;
        let least = if self.chains().len() > 1 { chain.rows } else { most };
        if let Some(count) = entry.count.filter(|count| !(least..=most).contains(count)) {
            self.mismatch(entry, AnchorMember::Count, &count.to_string(), &most.to_string());
        }
        if let (Some(stated), Some(found)) = (entry.first_sequence, chain.first_sequence)
            && stated != found
        {
            self.mismatch(entry, AnchorMember::First, &stated.to_string(), &found.to_string());
        }
        if chain.unreadable_after > 0 {
            return None;
        }
        if let (Some(stated), Some(found)) = (entry.last_sequence, chain.last_sequence)
            && stated != found
        {
            self.mismatch(entry, AnchorMember::Last, &stated.to_string(), &found.to_string());
        }
        let head = chain.head?;
        if head != entry.head {
            let text = |digest: &Digest| self.given.form.encode(digest);
            let finding = Finding::new(Code::HeadMismatch, self.place)
                .sequence(chain.last_sequence)
                .chain(chain.name.clone())
                .member("manifest")
                .expected(text(&entry.head))
                .found(text(&head));
            self.outcome.findings.push(finding);
        }
        Some(chain.last_sequence)
    }

    /// An entry for a chain without readable rows: it must say so.
    fn without_rows(&mut self, entry: &Entry, alone: bool) {
        let unreadable = self.given.end.totals.unreadable;
        // Lines that could not be read may be its rows; if nothing else is there, they are.
        let possible = if alone { unreadable..=unreadable } else { 0..=unreadable };
        if let Some(count) = entry.count.filter(|count| !possible.contains(count)) {
            self.mismatch(entry, AnchorMember::Count, &count.to_string(), &unreadable.to_string());
        }
    }

    fn mismatch(&mut self, entry: &Entry, member: AnchorMember, stated: &str, found: &str) {
        let finding = Finding::new(Code::ManifestMismatch, self.place)
            .chain(entry.chain.clone())
            .member(self.name_of(member))
            .expected(stated)
            .found(found);
        self.outcome.findings.push(finding);
    }

    /// What the format's manifests call this member.
    fn name_of(&self, member: AnchorMember) -> String {
        let Some(HeadPlan::Json(head)) = self.given.head else { return "the manifest".to_owned() };
        head.name_of(member).unwrap_or_default()
    }

    fn pins(&mut self) {
        for (pin, seen) in self.given.pins.iter().zip(&self.given.end.pins) {
            let (verdict, chain, sequence, found) = match *seen {
                PinSeen::Row { chain, sequence, digest } => {
                    (verdict_of(digest == pin.digest), Some(chain), sequence, Some(digest))
                }
                PinSeen::Start { chain, digest } => (verdict_of(digest == pin.digest), Some(chain), None, Some(digest)),
                PinSeen::No => (AnchorVerdict::Differs, None, None, None),
                PinSeen::BeforeStart | PinSeen::Unreadable => (AnchorVerdict::NotJudged, None, None, None),
            };
            let sequence = pin.sequence.map(|sequence| sequence.get()).or(sequence);
            let chain = chain.and_then(|index| self.chains().get(index)).and_then(|chain| chain.name.clone());
            let text = |digest: &Digest| self.given.form.encode(digest);
            if verdict == AnchorVerdict::Differs {
                let mut finding = Finding::new(Code::HeadMismatch, self.place)
                    .sequence(sequence)
                    .chain(chain.clone())
                    .member("head")
                    .expected(text(&pin.digest));
                finding.found = found.as_ref().map(text);
                self.outcome.findings.push(finding);
            }
            self.outcome.anchors.push(AnchorFacts {
                kind: AnchorKind::Head,
                verdict,
                signed: false,
                chain,
                sequence,
                rows: None,
                witness: None,
                head: text(&pin.digest),
                exported_at: None,
            });
        }
    }

    /// Heads of rows that are named by how many rows there were.
    fn counted(&mut self) {
        for line in self.given.counted {
            let seen = line.pin.map(|pin| (pin, self.given.end.counted.of(&pin)));
            let verdict = match seen {
                // A pin over no row constrains nothing.
                None => AnchorVerdict::NotJudged,
                // Its row had no digest then, and has none: that there are so many rows is all that it says.
                Some((CountPin { digest: None, .. }, CountSeen::Unchained)) => AnchorVerdict::NotJudged,
                Some((pin, CountSeen::Holds)) => {
                    self.covers = self.covers.max(pin.rows);
                    AnchorVerdict::Matches
                }
                Some((pin, seen)) => {
                    let found = match seen {
                        CountSeen::Beyond => format!("{} rows", self.given.end.totals.rows),
                        CountSeen::Unchained => format!("row {} without a digest", pin.rows),
                        _ => {
                            let found = self.given.end.counted.instead_of(&pin);
                            let found =
                                found.map_or("another digest".to_owned(), |found| self.given.form.encode(&found));
                            format!("{found} at row {}", pin.rows)
                        }
                    };
                    let expected = format!("{} at row {}", line.head, pin.rows);
                    let finding = Finding::new(Code::HeadMismatch, self.place).member("pin");
                    self.outcome.findings.push(finding.expected(expected).found(found));
                    self.fails = true;
                    AnchorVerdict::Differs
                }
            };
            self.outcome.anchors.push(AnchorFacts {
                kind: AnchorKind::Head,
                verdict,
                signed: false,
                chain: None,
                sequence: None,
                rows: Some(line.rows),
                head: line.head.clone(),
                exported_at: line.time.clone(),
                witness: None,
            });
        }
    }

    fn witness(&mut self) {
        let Some(witness) = self.given.witness else { return };
        let testimony = witness.testify(self.given.end, self.given.broken, self.given.form);
        self.fails |= testimony.finding.as_ref().is_some_and(|finding| finding.code == Code::HeadMismatch);
        self.covers = self.covers.max(testimony.covers.unwrap_or(0));
        self.outcome.anchors.push(testimony.facts);
        self.outcome.findings.extend(testimony.finding);
    }

    /// Anchors that state different digests for one sequence. With several chains a pin does not say
    /// which one it is about, so only one chain can show a conflict.
    fn conflicts(&mut self, by_chain: &BTreeMap<usize, &(Entry, Seal)>) {
        if self.chains().len() > 1 {
            return;
        }
        let stated = by_chain.values().filter_map(|(entry, _)| Some((entry.last_sequence?, entry.head)));
        let pinned = self.given.pins.iter().filter_map(|pin| Some((pin.sequence?.get(), pin.digest)));
        let mut by_sequence: BTreeMap<u64, BTreeSet<Digest>> = BTreeMap::new();
        for (sequence, digest) in stated.chain(pinned) {
            by_sequence.entry(sequence).or_default().insert(digest);
        }
        for (sequence, digests) in by_sequence {
            let mut texts = digests.iter().map(|digest| self.given.form.encode(digest));
            if let (Some(one), Some(other)) = (texts.next(), texts.next()) {
                let finding = Finding::new(Code::AnchorConflict, self.place).sequence(Some(sequence));
                self.outcome.findings.push(finding.expected(one).found(other));
            }
        }
    }

    /// What is left open at the end of each chain.
    fn bounds(&mut self, manifest: Option<&Manifest>, by_chain: &BTreeMap<usize, &(Entry, Seal)>) {
        let found = manifest.is_some_and(|manifest| manifest.kind == AnchorKind::Sidecar);
        for (index, chain) in self.chains().iter().enumerate() {
            let code = match by_chain.get(&index) {
                Some((_, seal)) if !found || *seal != Seal::None => None,
                Some(_) if self.pinned(index, chain) == Reach::End => None,
                Some(_) => Some(Code::ManifestUnsigned),
                None => match self.pinned(index, chain) {
                    Reach::End => None,
                    Reach::Earlier => Some(Code::AfterAnchor),
                    Reach::Nothing => Some(Code::NoAnchor),
                },
            };
            let finding = code.map(|code| Finding::new(code, None).chain(chain.name.clone()));
            self.outcome.findings.extend(finding);
        }
        if self.chains().is_empty() {
            // No row could be read, so that no pin was compared and no chain is there to ask for.
            let open = |seal: &Seal| found && *seal == Seal::None;
            let code = match manifest {
                None => Some(Code::NoAnchor),
                Some(manifest) if manifest.entries.iter().any(|(_, seal)| open(seal)) => Some(Code::ManifestUnsigned),
                Some(_) => None,
            };
            self.outcome.findings.extend(code.map(|code| Finding::new(code, None)));
        }
    }

    /// How far the pins reach into a chain.
    fn pinned(&self, index: usize, chain: &ChainEnd) -> Reach {
        let alone = self.chains().len() == 1;
        let reaches = self.given.pins.iter().zip(&self.given.end.pins).map(|(pin, seen)| match *seen {
            PinSeen::Row { chain: of, digest, .. } if of == index && digest == pin.digest => {
                match chain.head == Some(pin.digest) && chain.unreadable_after == 0 {
                    true => Reach::End,
                    false => Reach::Earlier,
                }
            }
            PinSeen::Start { chain: of, digest } if of == index && digest == pin.digest => Reach::Earlier,
            // A pin that fails is a fault: the question of the end is not left open in silence.
            PinSeen::No | PinSeen::Row { .. } | PinSeen::Start { .. } if alone => Reach::End,
            _ => Reach::Nothing,
        });
        reaches.max().unwrap_or(Reach::Nothing).max(if alone { self.counted_reach() } else { Reach::Nothing })
    }

    /// How far the pins reach that name their row by how many rows there were.
    fn counted_reach(&self) -> Reach {
        match self.covers {
            _ if self.fails => Reach::End,
            0 => Reach::Nothing,
            rows if rows == self.given.end.totals.rows && self.given.end.totals.unreadable == 0 => Reach::End,
            _ => Reach::Earlier,
        }
    }
}

/// How far pins reach into a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Nothing,
    Earlier,
    End,
}

fn verdict_of(matches: bool) -> AnchorVerdict {
    if matches { AnchorVerdict::Matches } else { AnchorVerdict::Differs }
}
