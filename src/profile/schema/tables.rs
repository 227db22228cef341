//! The tables of a profile but for its parts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Numbers, PartWord, Scalar};
use crate::encoding::Encoding;
use crate::row::Dialect;

/// A member: a dotted path, or a table that also takes its text apart.
#[derive(Debug)]
pub(in crate::profile) enum FieldWord {
    Text(String),
    Table(Box<FieldTable>),
}

text_or_table!(
    FieldWord,
    FieldTable,
    "a dotted path, or a table such as { path = \"raw\", regex = \"^parent (.*)$\" }"
);

/// The table form of a member.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct FieldTable {
    pub path: String,
    pub regex: Option<String>,
    pub strip_prefix: Option<String>,
    pub strip_suffix: Option<String>,
}

/// `[input]`: what a file of rows looks like.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct InputTable {
    #[serde(default)]
    pub dialect: Dialect,
    #[serde(default)]
    pub line_ends: LineEnds,
    #[serde(default)]
    pub format: InputFormat,
    pub regex: Option<String>,
    pub sidecar: Option<String>,
    pub array: Option<String>,
    #[serde(default)]
    pub parse_json: Vec<String>,
    pub line_is: Option<String>,
}

/// `line_ends`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum LineEnds {
    #[default]
    Lf,
    Any,
}

/// `format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum InputFormat {
    #[default]
    Jsonl,
    Lines,
}

/// `[canon.NAME]`: a canonical form of one's own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct CanonTable {
    pub keys: Option<String>,
    pub top_keys: Option<String>,
    pub separators: Option<String>,
    pub escape: Option<String>,
    pub numbers: Option<String>,
    pub unicode: Option<String>,
}

/// `[chain]`: how rows hang together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct ChainTable {
    pub genesis: GenesisWord,
    pub group_by: Option<String>,
    #[serde(default)]
    pub single_group: bool,
    pub seq_start: Option<Numbers>,
    pub seq_step: Option<u64>,
    #[serde(default)]
    pub gaps: Gaps,
    #[serde(default)]
    pub link: LinkedBy,
    pub link_field: Option<String>,
    #[serde(default)]
    pub prechain: Grade,
    #[serde(default)]
    pub reset: Grade,
    #[serde(default)]
    pub claims: Claims,
}

/// `genesis`: the link of a first row.
#[derive(Debug)]
pub(in crate::profile) enum GenesisWord {
    Text(String),
    Table(Box<GenesisTable>),
}

text_or_table!(
    GenesisWord,
    GenesisTable,
    "a text, or one of { null = true }, { field = … }, { digest = …, of = […] }, { param = true }"
);

/// The table form of a genesis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct GenesisTable {
    pub null: Option<bool>,
    pub param: Option<bool>,
    pub field: Option<String>,
    pub digest: Option<String>,
    pub of: Option<Vec<PartWord>>,
    #[serde(default)]
    pub prefix: String,
    #[serde(default)]
    pub suffix: String,
    #[serde(default)]
    pub encoding: Encoding,
}

/// `gaps`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Gaps {
    #[default]
    Forbid,
    Allow,
}

/// `link`: what a row states of the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum LinkedBy {
    #[default]
    Hash,
    Signature,
}

/// What becomes of something that some formats allow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Grade {
    #[default]
    Fault,
    Bound,
}

/// `claims`: what a row is named by where its digest is not one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Claims {
    #[default]
    Digest,
    Text,
}

/// `[declared]`: rows that declare a break.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct DeclaredTable {
    pub when: WhenTable,
    pub line: String,
    pub sha256: String,
    pub why: String,
    pub resume: Option<String>,
}

/// `[[link]]`: a member that must equal one of the row before.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct LinkTable {
    pub field: String,
    pub previous: String,
}

/// `[[bind]]`: a member that is the digest of something else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct BindTable {
    pub field: String,
    pub alg: Option<String>,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    #[serde(default)]
    pub suffix: String,
    pub preimage: Option<Vec<PartWord>>,
    pub file: Option<String>,
    pub when: Option<WhenTable>,
}

/// `when`: a condition on a member.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct WhenTable {
    pub field: String,
    pub equals: Option<Scalar>,
    #[serde(rename = "in")]
    pub one_of: Option<Vec<Scalar>>,
    pub at_least: Option<f64>,
    pub present: Option<bool>,
}

/// `[[hash]]`: what is hashed and how the digest is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct HashTable {
    pub when: Option<WhenTable>,
    pub alg: Option<String>,
    pub alg_field: Option<String>,
    #[serde(default)]
    pub alg_map: BTreeMap<String, String>,
    pub key: Option<KeyTable>,
    pub preimage: Vec<PartWord>,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    #[serde(default)]
    pub suffix: String,
    pub wrap_hex: Option<String>,
    pub truncate: Option<usize>,
}

/// `[[signature]]`: what is signed and how the signature is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct SignatureTable {
    pub when: Option<WhenTable>,
    pub field: String,
    #[serde(default = "yes")]
    pub required: bool,
    pub alg: Option<String>,
    #[serde(default)]
    pub low_s: bool,
    pub namespace: Option<String>,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    #[serde(default)]
    pub suffix: String,
    pub message: Vec<PartWord>,
    #[serde(default)]
    pub key: KeyTable,
    pub pin_field: Option<PinFieldTable>,
}

fn yes() -> bool {
    true
}

/// `key`: which of the user's keys, and how its file is read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct KeyTable {
    pub role: Option<String>,
    pub format: Option<KeyFormat>,
    pub path: Option<String>,
    pub encoding: Option<Encoding>,
    pub hkdf: Option<HkdfTable>,
}

/// `key.format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::profile) enum KeyFormat {
    Hex,
    Base64,
    Base64url,
    Raw,
    Text,
    SpkiPem,
    Pkcs1Pem,
    Openssh,
    Json,
}

/// `hkdf`: the key that is used is derived from the one in the file (RFC 5869).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct HkdfTable {
    pub hash: String,
    #[serde(default)]
    pub info: String,
    pub length: usize,
}

/// `pin_field`: a key that the row names, which must be the trusted one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct PinFieldTable {
    pub field: String,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub skip: usize,
}

/// `[reversal]`: rows that reverse an earlier sequence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct ReversalTable {
    pub field: String,
    pub when: WhenTable,
    /// A member that is `false` where the undo did not restore what it should.
    pub restored: Option<String>,
}

/// `[head]`: an anchor in a file of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct HeadTable {
    #[serde(default)]
    pub format: HeadFormat,
    pub group: Option<String>,
    pub count: Option<String>,
    pub first_seq: Option<String>,
    pub seq: Option<String>,
    pub hash: Option<String>,
    pub exported_at: Option<String>,
    pub file_sha256: Option<String>,
    pub signature: Option<HeadSignatureTable>,
}

/// The forms of an anchor file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum HeadFormat {
    #[default]
    Json,
    Text,
}

/// `[head.signature]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct HeadSignatureTable {
    pub field: String,
    pub alg: Option<String>,
    #[serde(default)]
    pub low_s: bool,
    pub namespace: Option<String>,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    #[serde(default)]
    pub suffix: String,
    pub message: Vec<PartWord>,
    #[serde(default)]
    pub key: KeyTable,
}
