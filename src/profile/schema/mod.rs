//! A profile as it stands in its TOML file: the vocabulary, word for word.
//!
//! Nothing is decided here but which words exist and of which type they are; what they mean together
//! is decided by [`super::compile`]. Unknown words and wrong types are refused with their place.

/// A word that is a text or a table. Not `untagged`: that would lose which word of the table is wrong.
macro_rules! text_or_table {
    ($word:ident, $table:ident, $expecting:literal) => {
        impl<'de> serde::Deserialize<'de> for $word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Word;
                impl<'de> serde::de::Visitor<'de> for Word {
                    type Value = $word;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expecting)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$word, E> {
                        Ok($word::Text(text.to_owned()))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$word, A::Error> {
                        let table = serde::de::value::MapAccessDeserializer::new(map);
                        <$table as serde::Deserialize>::deserialize(table).map(|table| $word::Table(Box::new(table)))
                    }
                }
                deserializer.deserialize_any(Word)
            }
        }
    };
}

mod parts;
mod tables;

use std::collections::BTreeMap;

use serde::Deserialize;

pub(super) use parts::{
    As, Charset, Digested, DropNull, DropNullIn, Form, JsonTable, Length, Missing, PartTable, PartWord, Replacement,
};
pub(super) use tables::{
    BindTable, CanonTable, ChainTable, Claims, DeclaredTable, FieldTable, FieldWord, Gaps, GenesisTable, GenesisWord,
    Grade, HashTable, HeadFormat, HeadSignatureTable, HeadTable, HkdfTable, InputFormat, InputTable, KeyFormat,
    KeyTable, LineEnds, LinkTable, LinkedBy, ReversalTable, SignatureTable, WhenTable,
};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub profile: ProfileTable,
    #[serde(default)]
    pub detect: DetectTable,
    #[serde(default)]
    pub input: InputTable,
    #[serde(default)]
    pub fields: BTreeMap<String, FieldWord>,
    #[serde(default)]
    pub canon: BTreeMap<String, CanonTable>,
    pub chain: ChainTable,
    #[serde(default)]
    pub link: Vec<LinkTable>,
    #[serde(default)]
    pub bind: Vec<BindTable>,
    #[serde(default)]
    pub hash: Vec<HashTable>,
    #[serde(default)]
    pub signature: Vec<SignatureTable>,
    #[serde(default)]
    pub variant: Vec<VariantTable>,
    pub reversal: Option<ReversalTable>,
    pub head: Option<HeadTable>,
    pub declared: Option<DeclaredTable>,
}

/// `[profile]`: what it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileTable {
    pub name: String,
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub homepage: String,
    #[serde(default)]
    pub versions: Texts,
    /// The names of the readings that the first `[[hash]]` and `[[signature]]` are, as `axis=reading`.
    #[serde(default)]
    pub recipe: String,
}

/// `[detect]`: the shape of the format's rows.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DetectTable {
    #[serde(default)]
    pub require: Vec<String>,
    #[serde(default)]
    pub forbid: Vec<String>,
}

/// `[[variant]]`: another reading of the first `[[hash]]` or `[[signature]]` tables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariantTable {
    pub name: String,
    #[serde(default)]
    pub hash: Vec<HashTable>,
    #[serde(default)]
    pub signature: Vec<SignatureTable>,
}

/// One text or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts")]
pub(super) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Texts::Many(Vec::new())
    }
}

impl From<Texts> for Vec<String> {
    fn from(texts: Texts) -> Self {
        match texts {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts,
        }
    }
}

/// A number or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a whole number from 0 on, or a list of them")]
pub(super) enum Numbers {
    One(u64),
    Many(Vec<u64>),
}

/// A scalar that a member is compared with.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a text, a number, true or false")]
pub(super) enum Scalar {
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
}
