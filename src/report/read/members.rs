//! The members of a JSON report as types, under the names that docs/report.schema.json gives them.
//!
//! A member that is not known is refused, wherever the report id or a form of the report depends on it: what
//! is left out would be said nowhere. The environment alone may have more members.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    #[serde(rename = "schema")]
    _schema: IgnoredAny,
    pub verdict: String,
    pub exit_code: u8,
    #[serde(rename = "report_id")]
    _report_id: IgnoredAny,
    pub subject: Vec<Subject>,
    pub profile: Profile,
    pub keys: Vec<Key>,
    pub anchors: Vec<Anchor>,
    pub coverage: Coverage,
    pub chains: Vec<Chain>,
    pub checks: Vec<Check>,
    pub since: Option<Since>,
    pub declared_breaks: Option<Vec<Declared>>,
    pub finding_counts: BTreeMap<String, u64>,
    pub findings_digest: String,
    pub accepted: Vec<String>,
    pub strict: bool,
    pub unfinished: bool,
    pub unfinished_reason: Option<String>,
    pub expectations: Vec<Expectation>,
    pub findings: Vec<Found>,
    pub incidents: Vec<Incident>,
    pub untold: Untold,
    #[serde(rename = "limits")]
    _limits: IgnoredAny,
    pub details: Details,
    pub environment: Environment,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Subject {
    pub name: String,
    pub bytes: u64,
    pub sha256: Option<String>,
    pub rows: u64,
    pub sidecar: Option<Sidecar>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sidecar {
    pub name: String,
    pub bytes: u64,
    pub sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    pub name: String,
    pub source: String,
    pub sha256: String,
    pub recipe: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    pub id: Option<String>,
    pub algorithm: String,
    pub fingerprint: String,
    pub rows: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Anchor {
    pub kind: String,
    pub verdict: String,
    pub signed: bool,
    pub named: bool,
    pub chain: Option<String>,
    pub sequence: Option<u64>,
    pub head: String,
    pub exported_at: Option<String>,
    pub rows: Option<u64>,
    pub namespace: Option<String>,
    pub self_integrity: Option<String>,
    pub pins: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Coverage {
    pub rows: u64,
    pub chained: u64,
    pub prechain: u64,
    pub declared: u64,
    pub digests: u64,
    pub signatures: u64,
    pub first_sequence: Option<u64>,
    pub last_sequence: Option<u64>,
    pub first_time: Option<String>,
    pub last_time: Option<String>,
    pub uncovered: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chain {
    pub id: Option<String>,
    pub rows: u64,
    pub first_sequence: Option<u64>,
    pub last_sequence: Option<u64>,
    pub head: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub id: String,
    pub status: String,
    pub checked: u64,
    pub vouched: Option<u64>,
    pub total: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Since {
    pub report_id: String,
    pub verdict: String,
    pub bounds: Vec<String>,
    pub subject: Vec<Before>,
    pub holds: bool,
    pub digests: u64,
    pub signatures: u64,
    pub keys: Vec<Signer>,
    pub through: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    pub bytes: u64,
    pub sha256: String,
    pub rows: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signer {
    pub id: Option<String>,
    pub fingerprint: String,
    pub rows: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declared {
    pub part: u32,
    pub line: u64,
    pub of_line: Option<u64>,
    pub why: String,
    pub pin_holds: Option<bool>,
    pub excuses: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expectation {
    pub member: String,
    pub expected: String,
    pub found: Option<String>,
    pub status: String,
}

/// A finding. Its class and message follow from the rest and are made anew.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Found {
    pub code: String,
    #[serde(rename = "class")]
    _class: IgnoredAny,
    pub part: Option<u32>,
    pub line: Option<u64>,
    pub offset: Option<u64>,
    pub length: Option<u64>,
    pub sequence: Option<u64>,
    pub chain: Option<String>,
    pub member: Option<String>,
    pub expected: Option<String>,
    pub found: Option<String>,
    pub other_sequence: Option<u64>,
    #[serde(rename = "message")]
    _message: IgnoredAny,
    #[serde(default, rename = "accepted")]
    _accepted: Option<bool>,
    pub count: Option<u64>,
}

/// An incident. What it says follows from the rest and is made anew.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Incident {
    pub kind: String,
    pub certain: bool,
    pub part: Option<u32>,
    pub first_line: Option<u64>,
    pub first_offset: Option<u64>,
    pub first_length: Option<u64>,
    pub last_part: Option<u32>,
    pub last_line: Option<u64>,
    pub last_offset: Option<u64>,
    pub last_length: Option<u64>,
    pub first_sequence: Option<u64>,
    pub last_sequence: Option<u64>,
    pub chain: Option<String>,
    pub rows: u64,
    pub faults: u64,
    pub good_before: Option<u64>,
    pub good_after: Option<u64>,
    pub detail: Option<Detail>,
    #[serde(rename = "message")]
    _message: IgnoredAny,
    #[serde(rename = "good")]
    _good: IgnoredAny,
    #[serde(rename = "next")]
    _next: IgnoredAny,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Detail {
    Signature(Option<bool>),
    Order(Vec<u32>),
    Other(u64),
    Code(String),
    Stated { stated: String, found: String },
    Head { sequence: u64, digest: String },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Untold {
    pub incidents: u64,
    pub faults: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Details {
    pub profile: Format,
    pub chains: Vec<ChainDetails>,
    pub declared_breaks: Vec<Spot>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    pub in_document: bool,
    pub default_recipe: bool,
    pub home: bool,
    pub sha1: bool,
    pub links_only: bool,
    pub partly_signed: bool,
    pub reprints: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChainDetails {
    pub last_time: Option<String>,
    pub pin: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spot {
    pub offset: u64,
    pub length: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Environment {
    pub tool: String,
    pub tool_sha256: Option<String>,
    pub arguments: Vec<String>,
    pub platform: String,
    pub threads: usize,
    pub signature_engine: String,
    pub signatures_fast: u64,
    pub signatures_cross_checked: u64,
    pub folders: Vec<Folder>,
    pub operator: Option<String>,
    pub case_id: Option<String>,
    pub started: String,
    pub finished: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Folder {
    pub name: String,
    pub taken: Vec<Taken>,
    pub left: Vec<Left>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Taken {
    pub name: String,
    pub part: u64,
    pub link: bool,
    pub by_name: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Left {
    pub name: String,
    pub why: String,
}
