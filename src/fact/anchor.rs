//! What stood outside the export, what it proved, and what was expected: as reports tell it.

use std::sync::Arc;

use crate::place::Place;

/// What an anchor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnchorKind {
    /// A manifest that the user named.
    Manifest,
    /// A manifest found beside the export.
    Sidecar,
    /// A head given with `--head`.
    Head,
    /// The pins of a witness.
    Witness,
}

impl AnchorKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            AnchorKind::Manifest | AnchorKind::Sidecar => "manifest",
            AnchorKind::Head => "head",
            AnchorKind::Witness => "witness",
        }
    }
}

/// What an anchor proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorVerdict {
    /// It states what the export shows.
    Matches,
    /// It does not.
    Differs,
    /// It says nothing about the rows that were read.
    NotJudged,
    /// Every pin of the witness states what the export shows.
    Consistent,
    /// The witness pins a row that the export does not have, or not in its chain.
    Truncated,
    /// The export has another digest at a row that the witness pins.
    Rewritten,
    /// The export itself has faults: nothing was compared.
    LocalBroken,
    /// The witness's own chain of pins is broken: nothing was compared.
    WitnessBroken,
    /// The witness pins no row of this ledger.
    NoRecord,
}

impl AnchorVerdict {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            AnchorVerdict::Matches => "matches",
            AnchorVerdict::Differs => "differs",
            AnchorVerdict::NotJudged => "not judged",
            AnchorVerdict::Consistent => "consistent",
            AnchorVerdict::Truncated => "truncated",
            AnchorVerdict::Rewritten => "rewritten",
            AnchorVerdict::LocalBroken => "local_broken",
            AnchorVerdict::WitnessBroken => "witness_broken",
            AnchorVerdict::NoRecord => "no_record",
        }
    }

    /// Whether it states what the export shows.
    pub fn is_good(self) -> bool {
        matches!(self, AnchorVerdict::Matches | AnchorVerdict::Consistent)
    }
}

/// A member of a manifest, whatever its format calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorMember {
    /// The chain it is about.
    Chain,
    /// How many rows there are.
    Count,
    /// The first row's number.
    First,
    /// The last row's number.
    Last,
    /// SHA-256 of the export.
    File,
    /// Its signature.
    Signature,
}

impl AnchorMember {
    /// All of them.
    pub const ALL: [AnchorMember; 6] = [
        AnchorMember::Chain,
        AnchorMember::Count,
        AnchorMember::First,
        AnchorMember::Last,
        AnchorMember::File,
        AnchorMember::Signature,
    ];
}

/// An anchor and what it proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorFacts {
    /// What it is.
    pub kind: AnchorKind,
    /// What it proved.
    pub verdict: AnchorVerdict,
    /// Whether it carries a signature that holds under one of the keys.
    pub signed: bool,
    /// The chain it is about, where it says so.
    pub chain: Option<Arc<str>>,
    /// The sequence of the row it pins, where it says so or the row was found.
    pub sequence: Option<u64>,
    /// How many rows there were, where it says so.
    pub rows: Option<u64>,
    /// The digest it states, as text.
    pub head: String,
    /// When it was made, as it says itself.
    pub exported_at: Option<String>,
    /// What else is known of a witness.
    pub witness: Option<WitnessFacts>,
}

/// What is known of a witness, whatever its pins say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessFacts {
    /// The name that the ledger has in its store.
    pub namespace: String,
    /// Whether the store's own chain holds: `verified`, `broken` or `unestablished`.
    pub self_integrity: &'static str,
    /// Pins of the namespace.
    pub pins: u64,
}

/// A declaration of the ledger, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredFacts {
    /// Where it stands.
    pub place: Place,
    /// The line that it names, counted over all parts; `None` for a number that no line can have.
    pub line: Option<u64>,
    /// The reason that it gives, cut.
    pub why: String,
    /// Whether that line has the text that it pins; `None` where there is no such row, or another declaration
    /// counts for it.
    pub pin_holds: Option<bool>,
    /// Whether it makes a bound of a fault.
    pub excuses: bool,
}

/// Something that the user expects of the export, and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationFacts {
    /// What is expected of: `rows`, `span` or `profile`.
    pub member: &'static str,
    /// What is expected, as the user wrote it.
    pub expected: String,
    /// What the export shows; `None` where it cannot show it.
    pub found: Option<String>,
    /// Whether it is met; `None` where the export was not read to its end.
    pub met: Option<bool>,
}
