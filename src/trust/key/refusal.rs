//! Why a key file was refused, before it becomes a [`Stop`].
//!
//! It decides how a refusal reads: `key refused: FILE, block 2: why`, and what to do about it.
//! It trusts nothing of the file: the only words that reach a message are labels and names of
//! algorithms, and those pass through [`word`]. The commands in hints say `FILE`, never the real
//! name: a hostile name pasted into a shell would run.

use std::fmt;

use crate::stop::{Stop, StopCode};

/// What a key file may hold, for hints.
pub(super) const FORMS: &str = "give an Ed25519 public key as SPKI PEM (BEGIN PUBLIC KEY), SPKI DER, OpenSSH line, \
     JWK, 32 raw bytes, 64 hex digits or base64 of 32 bytes";

/// What to do with a private key.
pub(super) const EXTRACT: &str = "nothing of it was shown or kept; give only the public half: openssl pkey -in FILE -pubout \
     -out public.pem (OpenSSH: ssh-keygen -y -f FILE). If this file was not meant to be here, treat the key as exposed";

/// What to do with an X.509 certificate.
pub(super) const CERTIFICATE: &str =
    "check whose certificate it is, then extract its key: openssl x509 -in FILE -pubkey -noout > public.pem";

/// What to do with a certificate request.
pub(super) const REQUEST: &str = "extract its key: openssl req -in FILE -pubkey -noout > public.pem";

/// What to do with a key of another kind.
pub(super) const OTHER_KIND: &str =
    "ask for the Ed25519 key that signs the ledger (openssl pkey -pubin -in FILE -noout -text shows the kind)";

/// One reason, with the place in the file if it has several keys.
#[derive(Debug)]
pub(super) struct Refusal {
    place: Option<String>,
    why: String,
    hint: String,
}

impl Refusal {
    /// A refusal of the whole file.
    pub(super) fn new(why: impl Into<String>, hint: impl Into<String>) -> Self {
        Refusal { place: None, why: why.into(), hint: hint.into() }
    }

    /// A private key of this form: the one thing that must be said loudly.
    pub(super) fn private(form: impl fmt::Display) -> Self {
        Refusal::new(
            format!("PRIVATE KEY handed over ({form}): verification needs no private key, only the public one"),
            EXTRACT,
        )
    }

    /// A key that is none of Ed25519.
    pub(super) fn other_kind(kind: impl fmt::Display) -> Self {
        Refusal::new(format!("{kind}, not an Ed25519 public key"), OTHER_KIND)
    }

    /// The same refusal of one of several keys of a file.
    pub(super) fn at(mut self, place: impl Into<String>) -> Self {
        self.place.get_or_insert(place.into());
        self
    }

    /// The stop that a user reads; `source` stands in it as it is.
    pub(super) fn stop(self, source: &str) -> Stop {
        let place = self.place.map(|place| format!(", {place}")).unwrap_or_default();
        Stop::new(StopCode::Key, format!("key refused: {source}{place}: {}", self.why)).hint(self.hint)
    }
}

/// `text` as it may stand in a message: printable ASCII only and 40 characters at most.
///
/// Every run of text that is long and unbroken enough to be key material is left out, so that a
/// private key in the place of a label is not echoed either.
pub(super) fn word(text: &[u8]) -> String {
    const LONGEST_LABEL: usize = 40;
    const LONGEST_WORD: usize = 20;
    if text.split(|byte| *byte == b' ').any(|word| word.len() > LONGEST_WORD) {
        return "(too long to be a name)".to_owned();
    }
    let mut name: String = text
        .iter()
        .take(LONGEST_LABEL)
        .map(|byte| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '?' })
        .collect();
    if text.len() > LONGEST_LABEL {
        name.push_str("...");
    }
    name
}
