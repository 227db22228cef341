//! The parts of a preimage or message, as a profile writes them.

use std::collections::BTreeMap;

use super::{Scalar, WhenTable};

/// One part of a preimage or message: a text, or a table with exactly one kind in it.
#[derive(Debug)]
pub(in crate::profile) enum PartWord {
    Text(String),
    Table(Box<PartTable>),
}

/// The table form of a part: one kind, and options.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct PartTable {
    pub hex: Option<String>,
    pub field: Option<String>,
    pub prev: Option<Form>,
    pub hash: Option<Form>,
    pub line: Option<bool>,
    pub json: Option<JsonTable>,
    pub digest: Option<String>,
    pub of: Option<Vec<PartWord>>,
    /// With `digest`: how it enters.
    pub out: Option<Digested>,
    /// With `field`: its text where it is absent or null.
    pub default: Option<String>,
    /// With `field`: the bytes that its text encodes.
    #[serde(rename = "as")]
    pub form: Option<As>,
    /// With `field`: replacements in its text.
    #[serde(default)]
    pub sub: Vec<(String, String)>,
    /// With `field`: what stands for its text.
    pub map: Option<BTreeMap<String, String>>,
    /// With `json`: how its text becomes bytes.
    pub charset: Option<Charset>,
    /// With `prev` or `hash`: taken off the text.
    pub strip_prefix: Option<String>,
    /// The length of the part, put before it.
    pub len: Option<Length>,
    /// Bytes put behind it.
    pub then_hex: Option<String>,
}

/// How a digest enters a preimage: as its text or as the bytes that its text encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Form {
    Utf8,
    Hex,
    Base64,
    Base64url,
    Base58btc,
}

/// How a digest of parts enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Digested {
    Raw,
    Hex,
}

/// What a member's text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::profile) enum As {
    Utf8,
    Hex,
    Base64,
    Base64url,
    Uuid,
    JsonString,
}

/// How canonical text becomes bytes, where not as UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
pub(in crate::profile) enum Charset {
    #[serde(rename = "latin1-low-byte")]
    Latin1LowByte,
}

/// How a length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::profile) enum Length {
    U64be,
    U64le,
    U32be,
    Ascii,
    AsciiNul,
}

/// `json`: the row or a part of it in a canonical form.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct JsonTable {
    pub of: Option<String>,
    pub include: Option<Vec<String>>,
    #[serde(default)]
    pub include_if_present: Vec<String>,
    #[serde(default)]
    pub include_when: Vec<Include>,
    pub missing: Option<Missing>,
    #[serde(default)]
    pub exclude: Vec<String>,
    #[serde(default)]
    pub exclude_recursive: Vec<String>,
    pub drop_null: Option<DropNull>,
    #[serde(default)]
    pub keep_null: Vec<String>,
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    #[serde(default)]
    pub set: BTreeMap<String, Replacement>,
    pub canon: Option<String>,
}

/// `include_when`: members that are included on a condition.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct Include {
    pub field: String,
    pub equals: Option<Scalar>,
    #[serde(rename = "in")]
    pub one_of: Option<Vec<Scalar>>,
    pub at_least: Option<f64>,
    pub present: Option<bool>,
    pub fields: Vec<String>,
}

impl Include {
    /// Its condition.
    pub fn when(&self) -> WhenTable {
        WhenTable {
            field: self.field.clone(),
            equals: self.equals.clone(),
            one_of: self.one_of.clone(),
            at_least: self.at_least,
            present: self.present,
        }
    }
}

/// `missing`: what becomes of an included member that is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum Missing {
    Error,
    Null,
    Omit,
}

/// `drop_null`: `true`, or `"objects"`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged, expecting = "true, false or \"objects\"")]
pub(in crate::profile) enum DropNull {
    Everywhere(bool),
    Named(DropNullIn),
}

/// Where null members are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::profile) enum DropNullIn {
    Objects,
}

/// `set`: what stands for a member's own value.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct Replacement {
    pub field: Option<String>,
    pub prev_row: Option<String>,
    pub genesis: Option<ReplacementGenesis>,
}

/// `set … genesis`: what it is in a first row.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::profile) struct ReplacementGenesis {
    pub field: String,
}

text_or_table!(PartWord, PartTable, "a text, or a table such as { prev = \"hex\" }");
