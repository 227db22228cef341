//! A profile as it stands in its TOML file: the vocabulary, word for word.
//!
//! Nothing is decided here but which words exist. Unknown words and wrong types are refused with
//! their place; what the words mean together is decided by [`super::plan`].

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de};

use crate::algorithm::SignatureAlgorithm;
use crate::digest::DigestAlgorithm;
use crate::encoding::Encoding;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub profile: ProfileTable,
    pub fields: FieldsTable,
    pub chain: ChainTable,
    pub reversal: Option<ReversalTable>,
    pub hash: Vec<HashTable>,
    #[serde(default)]
    pub signature: Vec<SignatureTable>,
    pub head: Option<HeadTable>,
    #[serde(default)]
    pub variant: Vec<VariantTable>,
}

/// `[profile]`: what it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileTable {
    pub name: String,
    #[serde(default)]
    pub about: String,
    /// The names of the readings that the first `[[hash]]` and `[[signature]]` are, as `axis=reading`.
    #[serde(default)]
    pub recipe: String,
}

/// `[fields]`: where the members are that every ledger has in some form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldsTable {
    pub seq: String,
    pub prev: String,
    pub hash: String,
    pub timestamp: Option<String>,
}

/// `[chain]`: how rows hang together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChainTable {
    pub genesis: String,
    pub group_by: Option<String>,
    #[serde(default)]
    pub seq_start: SeqStart,
    #[serde(default = "one")]
    pub seq_step: u64,
}

fn one() -> u64 {
    1
}

/// `seq_start`: a number or a list of allowed ones.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum SeqStart {
    One(u64),
    Any(Vec<u64>),
}

impl Default for SeqStart {
    fn default() -> Self {
        SeqStart::One(0)
    }
}

/// `[reversal]`: rows that reverse an earlier sequence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReversalTable {
    pub field: String,
    pub when: WhenTable,
    /// A member that is `false` where the undo did not restore what it should.
    pub restored: Option<String>,
}

/// `when`: a condition on a member's text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WhenTable {
    pub field: String,
    pub equals: String,
}

/// `[[hash]]`: what is hashed and how the digest is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HashTable {
    #[serde(default)]
    pub alg: DigestAlgorithm,
    pub preimage: Vec<PartWord>,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
}

/// `[[signature]]`: what is signed and how the signature is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureTable {
    pub field: String,
    #[serde(default)]
    pub alg: SignatureAlgorithm,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    pub message: Vec<PartWord>,
    #[serde(default)]
    #[allow(dead_code, reason = "the word is part of the vocabulary; its only role needs no setting yet")]
    pub key: KeyTable,
}

/// `key`: which key; empty for the only role.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyTable {}

/// `[head]`: an anchor in a file of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadTable {
    #[allow(dead_code, reason = "the word is part of the vocabulary; JSON is its only value yet")]
    pub format: HeadFormat,
    pub group: String,
    pub count: String,
    pub first_seq: Option<String>,
    pub seq: Option<String>,
    pub hash: String,
    pub exported_at: Option<String>,
    pub file_sha256: Option<String>,
    pub signature: Option<HeadSignatureTable>,
}

/// The forms of an anchor file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum HeadFormat {
    Json,
}

/// `[head.signature]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadSignatureTable {
    pub field: String,
    #[serde(default)]
    pub encoding: Encoding,
    #[serde(default)]
    pub prefix: String,
    pub message: Vec<PartWord>,
}

/// `[[variant]]`: another reading of the first `[[hash]]` or `[[signature]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariantTable {
    pub name: String,
    #[serde(default)]
    pub hash: Vec<HashTable>,
    #[serde(default)]
    pub signature: Vec<SignatureTable>,
}

/// One part of a preimage or message: a text, or a table with exactly one kind in it.
#[derive(Debug)]
pub(super) enum PartWord {
    Text(String),
    Table(PartTable),
}

/// The table form of a part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartTable {
    pub prev: Option<Form>,
    pub hash: Option<Form>,
    pub json: Option<JsonTable>,
    /// Taken off the text of `prev` or `hash`.
    pub strip_prefix: Option<String>,
}

/// How a digest enters a preimage: as its text or as the bytes that its text encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    Utf8,
    Hex,
    Base64,
    Base64url,
}

/// `json`: the row in a canonical form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JsonTable {
    #[serde(default)]
    pub exclude: Vec<String>,
    #[allow(dead_code, reason = "the word is part of the vocabulary; RFC 8785 is its only value yet")]
    pub canon: Canon,
}

/// Canonical forms.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Canon {
    Jcs,
}

// Not `untagged`: that would lose which word of the table is wrong.
impl<'de> Deserialize<'de> for PartWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl<'de> Visitor<'de> for Word {
            type Value = PartWord;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, or a table such as { prev = \"hex\" }")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<PartWord, E> {
                Ok(PartWord::Text(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PartWord, A::Error> {
                PartTable::deserialize(MapAccessDeserializer::new(map)).map(PartWord::Table)
            }
        }
        deserializer.deserialize_any(Word)
    }
}
