//! The report: one model, from which every output is made.
//!
//! It has two parts that never mix. What follows from the export, the keys, the anchors and the
//! profile alone is the same on every machine, and its digest is the report id. Where, when and
//! with what it was run is the environment.

pub mod bundle;
pub mod certificate;
pub mod checks;
pub mod compare;
mod declared;
pub mod described;
mod details;
pub mod escape;
pub mod explain;
pub mod explained;
pub mod figures;
pub mod fit;
mod folders;
pub mod form;
pub mod formats;
pub mod happened;
pub mod html;
pub mod identity;
pub mod intoto;
pub mod json;
pub mod junit;
pub mod limits;
pub mod message;
pub mod pin;
pub mod read;
pub mod receipt;
pub mod sarif;
pub mod shell;
pub mod since;
pub mod story;
pub mod summary;
pub mod text;
mod uri;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use crate::fact::{AnchorFacts, AnchorKind, AnchorVerdict, DeclaredFacts, ExpectationFacts};
use crate::finding::{Code, Counted, Policy};
use crate::incident::Told;
use crate::stop::Stop;
use crate::verdict::{Check, Verdict};

/// What a run ends with.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A verdict on the ledger.
    Report(Box<Report>),
    /// No verdict: the run could not be carried out.
    Stop(Stop),
}

impl Outcome {
    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Outcome::Report(report) => report.verdict.exit_code(),
            Outcome::Stop(_) => 2,
        }
    }
}

/// Everything that is said about one ledger.
#[derive(Clone, Debug)]
pub struct Report {
    /// The word.
    pub verdict: Verdict,
    /// The files that were examined, in order.
    pub subjects: Vec<Subject>,
    /// The format they were read as.
    pub profile: ProfileFacts,
    /// The keys that were given.
    pub keys: Vec<KeyFacts>,
    /// The anchors that were compared.
    pub anchors: Vec<AnchorFacts>,
    /// What the user expects, and whether it is met. No part of the report id: what is shown stands
    /// elsewhere in the report, and an expectation that failed is a finding.
    pub expectations: Vec<ExpectationFacts>,
    /// The earlier report that vouches for the beginning of the export, where one was given.
    pub since: Option<since::SinceFacts>,
    /// The breaks that the ledger declares, in file order; `None` for a format that has no such rows.
    pub declared: Option<Vec<DeclaredFacts>>,
    /// What was covered.
    pub coverage: Coverage,
    /// The chains found in the export, in the order of their first rows.
    pub chains: Vec<ChainFacts>,
    /// What was looked at and how it came out.
    pub checks: Vec<Check>,
    /// The findings that are listed, in file order.
    pub findings: Vec<Counted>,
    /// How many findings there are of each code, listed or not.
    pub finding_counts: BTreeMap<Code, u64>,
    /// SHA-256 (hex) over the facts of every fault and bound in order, listed or not.
    pub findings_digest: String,
    /// What most likely happened: faults grouped by cause, in file order.
    pub told: Told,
    /// How the user wants bounds to be taken.
    pub policy: Policy,
    /// Where and why reading ended early, if it did (a fault was already found then).
    pub unfinished: Option<String>,
    /// What this verdict does not show, in plain sentences; never empty.
    pub limits: Vec<String>,
    /// Where and with what it was run; not part of the report id.
    pub environment: Environment,
}

/// One examined file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name as given (environment: not part of the report id).
    pub name: String,
    /// Its length in bytes when it was opened.
    pub bytes: u64,
    /// SHA-256 of those bytes, hex; empty where it was not computed.
    pub sha256: String,
    /// Rows in it, readable or not.
    pub rows: u64,
    /// The file whose lines stand beside its own, in a format that has such.
    pub sidecar: Option<Sidecar>,
}

/// A file that was examined together with another one, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// Its name (environment: not part of the report id).
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// SHA-256 of those bytes, hex; empty where it was not computed.
    pub sha256: String,
}

/// The format an export was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFacts {
    /// The profile's name.
    pub name: String,
    /// `builtin`, `file` or `detected`.
    pub source: &'static str,
    /// SHA-256 of the profile's text, hex.
    pub sha256: String,
    /// Whether the rows stand inside a document that holds other members as well.
    pub in_document: bool,
    /// The readings that the rows are in, as `prev=raw, signed=raw`; empty for a format with one reading.
    pub recipe: String,
    /// Whether these are the readings that the profile names first.
    pub default_recipe: bool,
    /// What the profile itself leaves open.
    pub format: FormatFacts,
}

/// What follows from a profile alone, whatever the rows are. No part of the report id, which covers the
/// profile's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatFacts {
    /// It is the home format.
    pub home: bool,
    /// SHA-1 vouches for something.
    pub sha1: bool,
    /// Rows state links and not their own digests.
    pub links_only: bool,
    /// Only some rows need a signature.
    pub partly_signed: bool,
    /// Numbers are printed anew before they are hashed.
    pub reprints: bool,
}

/// How a format was come by that was not named, where there is no row.
pub const ASSUMED: &str = "assumed: there is no row to detect it from";

impl Report {
    /// Whether the format is neither named nor shown by a row: there is none.
    pub fn assumes_format(&self) -> bool {
        self.profile.source == "detected" && self.coverage.rows == 0
    }
}

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFacts {
    /// The chain or key id it is bound to.
    pub id: Option<String>,
    /// `ed25519`.
    pub algorithm: &'static str,
    /// SHA-256 fingerprint as ssh prints it.
    pub fingerprint: String,
    /// Rows whose signatures it verified.
    pub rows: u64,
}

/// What was covered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Rows, readable or not.
    pub rows: u64,
    /// Rows that are links of a chain.
    pub chained: u64,
    /// Rows before a chain starts.
    pub prechain: u64,
    /// Breaks that the ledger declares.
    pub declared: u64,
    /// Digests recomputed and compared.
    pub digests: u64,
    /// Signatures judged.
    pub signatures: u64,
    /// Sequence of the first row.
    pub first_sequence: Option<u64>,
    /// Sequence of the last row.
    pub last_sequence: Option<u64>,
    /// Time stamp of the first row (RFC 3339, UTC).
    pub first_time: Option<String>,
    /// Time stamp of the last row.
    pub last_time: Option<String>,
    /// Members of rows that no preimage covers, sorted, all of them, listed as notes or not.
    pub uncovered: Vec<Arc<str>>,
}

/// One chain of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFacts {
    /// Its name; `None` where no row names one.
    pub id: Option<Arc<str>>,
    /// Its readable rows.
    pub rows: u64,
    /// Sequence of its first row.
    pub first_sequence: Option<u64>,
    /// Sequence of its last row.
    pub last_sequence: Option<u64>,
    /// Digest of its last row as recomputed, as text.
    pub head: Option<String>,
    /// Time stamp of its last row that has one (RFC 3339, UTC).
    pub last_time: Option<String>,
    /// The pin of its head, where the format writes pins in a form of its own.
    pub pin: Option<String>,
}

/// A folder that was given as an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its name as given.
    pub name: String,
    /// The files that were examined, in order; at least one.
    pub taken: Vec<Taken>,
    /// What else is in it.
    pub left: Vec<Left>,
}

/// A file of a folder that is a part of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its name in the folder.
    pub name: String,
    /// Index of the part, from 0.
    pub part: u64,
    /// Whether the name is a symbolic link, which was followed.
    pub link: bool,
    /// Whether no sequence can be read at its start, so that its name alone gave it its place.
    pub by_name: bool,
}

/// What is in a folder and was not examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its name in the folder.
    pub name: String,
    /// What it is, or why it was left.
    pub why: String,
}

/// Where, when and with what the run was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// Name and version of this program.
    pub tool: String,
    /// SHA-256 of the running binary, hex, where it can be read.
    pub tool_sha256: Option<String>,
    /// The command line.
    pub arguments: Vec<String>,
    /// Operating system and processor family.
    pub platform: String,
    /// Threads that were used.
    pub threads: usize,
    /// Which engine judged Ed25519 signatures.
    pub signature_engine: String,
    /// How many it judged faster than one by one with `verify_strict`.
    pub signatures_fast: u64,
    /// How many of these `verify_strict` judged too, with the same verdict.
    pub signatures_cross_checked: u64,
    /// The folders that were given, and which of their files were examined.
    pub folders: Vec<Folder>,
    /// Who ran it, as they say themselves.
    pub operator: Option<String>,
    /// What the run belongs to, as the operator says.
    pub case_id: Option<String>,
    /// Start, RFC 3339 UTC.
    pub started: String,
    /// End, RFC 3339 UTC.
    pub finished: String,
}
