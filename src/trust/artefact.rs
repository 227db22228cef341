//! Digests that describe themselves: `sha256:json-c14n:v1:` and 64 hex digits, in a row or in a receipt.
//!
//! Decided here: whether such a text is one that could be checked, in the order in which the format's own
//! verifier asks. That it is says nothing of the bytes; only a copy of the artefact shows those.

use crate::row::Value;

/// Hex digits of SHA-256.
const DIGITS: usize = 64;

/// How an artefact becomes the bytes that are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// `raw-bytes:v1`: as they are.
    RawBytes,
    /// `json-c14n:v1`: the canonical text of the JSON value.
    JsonCanonical,
}

/// Why a digest cannot be checked, or contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has not the form of one.
    MalformedDigest,
    /// It names an algorithm that is not known.
    UnknownAlgorithm,
    /// It names a recipe that is not known.
    UnknownRecipe,
    /// It names a version of a known recipe that is not known.
    UnknownRecipeVersion,
    /// The subject states another digest.
    SubjectDigestMismatch,
}

impl Reason {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::MalformedDigest => "malformed_digest",
            Reason::UnknownAlgorithm => "unknown_algorithm",
            Reason::UnknownRecipe => "unknown_recipe",
            Reason::UnknownRecipeVersion => "unknown_recipe_version",
            Reason::SubjectDigestMismatch => "subject_digest_mismatch",
        }
    }
}

/// A digest that could be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// What is hashed.
    pub recipe: Recipe,
    /// The 64 hex digits, in lower case.
    pub sha256: String,
    /// What the artefact is called.
    pub name: Option<String>,
}

/// Judge an artefact object by itself.
///
/// # Errors
///
/// Why its digest cannot be checked: the first reason in the order of the format.
pub fn judge(artefact: Value<'_>) -> Result<Described, Reason> {
    let digest = artefact.get("digest").and_then(Value::as_str).ok_or(Reason::MalformedDigest)?;
    let (recipe, sha256) = read(digest)?;
    let there = |value: Option<Value<'_>>| match value.filter(|value| !value.is_null()) {
        Some(value) if !value.is_object() => Err(Reason::MalformedDigest),
        Some(_) | None => Ok(()),
    };
    let subject = artefact.get("subject");
    there(subject)?;
    let digests = subject.and_then(|subject| subject.get("digest"));
    there(digests)?;
    let stated = digests.and_then(|digests| digests.get("sha256")).filter(|stated| !stated.is_null());
    if let Some(stated) = stated {
        let text = match stated.as_bytes() {
            Some(_) => stated.as_str().unwrap_or_default(),
            None => return Err(Reason::MalformedDigest),
        };
        if !text.eq_ignore_ascii_case(&sha256) {
            return Err(Reason::SubjectDigestMismatch);
        }
    }
    let name = subject.and_then(|subject| subject.get("name")).and_then(Value::as_str).map(str::to_owned);
    Ok(Described { recipe, sha256, name })
}

/// The recipe and the hex digits, in lower case, of a digest.
///
/// # Errors
///
/// Why it cannot be checked.
pub fn read(digest: &str) -> Result<(Recipe, String), Reason> {
    let parts: Vec<&str> = digest.split(':').collect();
    let &[algorithm, recipe, version, hex] = parts.as_slice() else { return Err(Reason::MalformedDigest) };
    if algorithm != "sha256" {
        return Err(Reason::UnknownAlgorithm);
    }
    let recipe = match recipe {
        "raw-bytes" => Recipe::RawBytes,
        "json-c14n" => Recipe::JsonCanonical,
        _ => return Err(Reason::UnknownRecipe),
    };
    if version != "v1" {
        return Err(Reason::UnknownRecipeVersion);
    }
    match hex.len() == DIGITS && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok((recipe, hex.to_ascii_lowercase())),
        false => Err(Reason::MalformedDigest),
    }
}
