//! A witness: somebody else who wrote down heads of the ledger as it grew.
//!
//! Its store of pins is a file of its own, with a chain of its own ([`Store`]). Decided here: what all of its pins
//! of one namespace say together about the export. Every pin counts, not the latest alone: a ledger that was cut
//! and pinned again is disproved by the pins before. The store is trusted as far as its own chain holds, which
//! is told beside the verdict; whoever holds the whole store can write it anew.

mod store;

pub use store::{Integrity, Store};

use crate::chain::{CountSeen, WalkEnd};
use crate::fact::{AnchorFacts, AnchorKind, AnchorVerdict, CountPin, LinkForm, WitnessFacts};
use crate::finding::{Code, Finding};

/// The pins of one namespace.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The name that the ledger has in the store.
    pub namespace: String,
    /// The store.
    pub store: Store,
}

/// What a witness proves.
#[derive(Clone, Debug)]
pub struct Testimony {
    /// The anchor.
    pub facts: AnchorFacts,
    /// The fault or the bound that follows from it.
    pub finding: Option<Finding>,
    /// How many rows it vouches for, if it vouches for any.
    pub covers: Option<u64>,
}

impl Witness {
    /// Its pins, to be looked for among the rows.
    pub fn pins(&self) -> impl Iterator<Item = CountPin> {
        self.store.pins.iter().copied()
    }

    /// What its pins say about the rows that were walked; `broken` where these have a fault, so that there is
    /// nothing to compare.
    pub fn testify(&self, end: &WalkEnd, broken: bool, form: &LinkForm) -> Testimony {
        let store = &self.store;
        let rows = end.totals.rows;
        let place = end.totals.last_place;
        let seen = |wanted: CountSeen| store.pins.iter().find(move |pin| end.counted.of(pin) == wanted);
        let text = |pin: &CountPin| store.text_of(pin, form);
        let mismatch = |expected: String, found: String| {
            Finding::new(Code::HeadMismatch, place).member("witness").expected(expected).found(found)
        };
        let (verdict, about, finding) = if store.is_broken() {
            let finding = Finding::new(Code::WitnessBroken, None).member("witness");
            let why = store.broken.clone().unwrap_or_default();
            (AnchorVerdict::WitnessBroken, None, Some(finding.found(why)))
        } else if broken {
            (AnchorVerdict::LocalBroken, None, None)
        } else if store.pins.is_empty() {
            let finding = Finding::new(Code::WitnessNoRecord, None).member(self.namespace.as_str());
            (AnchorVerdict::NoRecord, None, Some(finding))
        } else if let Some(pin) = store.pins.last().filter(|pin| pin.rows > rows) {
            let finding = mismatch(format!("{} at row {}", text(pin), pin.rows), format!("{rows} rows"));
            (AnchorVerdict::Truncated, Some(*pin), Some(finding))
        } else if let Some(pin) = seen(CountSeen::Unchained) {
            let found = format!("row {} without a digest", pin.rows);
            (AnchorVerdict::Truncated, Some(*pin), Some(mismatch(format!("{} at row {}", text(pin), pin.rows), found)))
        } else if let Some(pin) = store.pins.iter().find(|pin| end.counted.of(pin) != CountSeen::Holds) {
            let found = end.counted.instead_of(pin).map_or("another digest".to_owned(), |found| form.encode(&found));
            let row = pin.rows;
            let finding = mismatch(format!("{} at row {row}", text(pin)), format!("{found} at row {row}"));
            (AnchorVerdict::Rewritten, Some(*pin), Some(finding))
        } else {
            (AnchorVerdict::Consistent, None, None)
        };
        // The pin that decided; of a consistent witness the one that covers most.
        let about = about.or(store.pins.last().copied());
        let covers = about.filter(|_| verdict == AnchorVerdict::Consistent).map(|pin| pin.rows);
        let facts = AnchorFacts {
            kind: AnchorKind::Witness,
            verdict,
            signed: false,
            chain: None,
            sequence: None,
            rows: about.map(|pin| pin.rows),
            head: about.map_or_else(String::new, |pin| text(&pin)),
            exported_at: about.and_then(|pin| store.time_of(&pin)),
            witness: Some(WitnessFacts {
                namespace: self.namespace.clone(),
                self_integrity: store.integrity.name(),
                pins: store.of_namespace,
            }),
        };
        Testimony { facts, finding, covers }
    }
}
