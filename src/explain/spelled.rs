//! The bytes that a stated digest may stand for, also where it is written in another form than the profile's.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};

use crate::digest::DigestAlgorithm;
use crate::encoding::{Encoding, TextForm};
use crate::fact::Digest;

/// A stated digest, as it may be read.
#[derive(Debug)]
pub(super) struct Spelled<'a> {
    text: &'a str,
    form: &'a TextForm,
    /// The bytes of each other reading, and what differs from the form.
    others: Vec<(Vec<u8>, String)>,
}

impl<'a> Spelled<'a> {
    /// The readings of this text, which should be in this form.
    pub fn new(text: &'a str, form: &'a TextForm) -> Self {
        let mut others: Vec<(Vec<u8>, String)> = Vec::new();
        for (start, end) in affixes(text, form) {
            let Some(body) = text.get(start..end) else { continue };
            for (bytes, name, encoding) in decoded(body) {
                let bytes = bytes.strip_prefix(form.wrap.as_slice()).unwrap_or(&bytes).to_vec();
                if others.iter().any(|(known, _)| *known == bytes) {
                    continue;
                }
                let mut differs = Vec::new();
                if encoding != Some(form.encoding) {
                    differs.push(name.to_owned());
                }
                let (prefix, suffix) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
                if prefix != form.prefix {
                    differs.push(format!("prefix = {prefix:?}"));
                }
                if suffix != form.suffix {
                    differs.push(format!("suffix = {suffix:?}"));
                }
                others.push((bytes, differs.join(", ")));
            }
        }
        Spelled { text, form, others }
    }

    /// The first of its readings that is as long as a digest.
    pub fn digest(&self) -> Option<Digest> {
        let long = |bytes: &&Vec<u8>| DigestAlgorithm::ALL.iter().any(|algorithm| algorithm.length() == bytes.len());
        self.others.iter().map(|(bytes, _)| bytes).find(long).and_then(|bytes| Digest::new(bytes))
    }

    /// Whether this digest is what the text states; with what differs from the form, where something does.
    pub fn is(&self, digest: &Digest) -> Option<Option<&str>> {
        if self.form.spells(self.text, digest.bytes()) {
            return Some(None);
        }
        let other = self.others.iter().find(|(bytes, _)| bytes == digest.bytes())?;
        Some(Some(other.1.as_str()).filter(|differs| !differs.is_empty()))
    }
}

/// Where the digits may start and end.
fn affixes(text: &str, form: &TextForm) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    if text.starts_with(&form.prefix) && text.ends_with(&form.suffix) {
        out.push((form.prefix.len(), text.len().saturating_sub(form.suffix.len())));
    }
    out.push((0, text.len()));
    if text.starts_with("0x") {
        out.push((2, text.len()));
    }
    out.extend(text.rfind(':').map(|colon| (colon + 1, text.len())));
    // A suffix such as `.sha256`, behind a prefix that is right.
    let dot = text.rfind('.').filter(|_| text.starts_with(&form.prefix));
    out.extend(dot.map(|dot| (form.prefix.len(), dot)));
    out.retain(|(start, end)| start < end);
    out
}

/// The bytes of a text in each encoding that it is one of: the strictest first.
fn decoded(body: &str) -> Vec<(Vec<u8>, &'static str, Option<Encoding>)> {
    let text = body.as_bytes();
    let with = |bytes: Result<Vec<u8>, data_encoding::DecodeError>, name, encoding| Some((bytes.ok()?, name, encoding));
    let base58 = if text.len() <= 100 { bs58::decode(text).into_vec().ok() } else { None };
    [
        with(HEXLOWER.decode(text), "encoding = \"hex\"", Some(Encoding::Hex)),
        with(HEXUPPER.decode(text), "the digest is written in upper-case hex digits", None),
        with(BASE64.decode(text), "encoding = \"base64\"", Some(Encoding::Base64)),
        with(BASE64_NOPAD.decode(text), "the digest is written in base64 without padding", None),
        with(BASE64URL_NOPAD.decode(text), "encoding = \"base64url\"", Some(Encoding::Base64url)),
        base58.map(|bytes| (bytes, "encoding = \"base58btc\"", Some(Encoding::Base58btc))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
