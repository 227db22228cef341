//! Why a key file was refused, before it becomes a [`Stop`].
//!
//! It decides how a refusal reads: `key refused: FILE, block 2: why`, and what to do about it.
//! It trusts nothing of the file: the only words that reach a message are labels and names of
//! algorithms, and those pass through [`word`]. The commands in hints say `FILE`, never the real
//! name: a hostile name pasted into a shell would run.

use std::fmt;

use super::wanted::Wanted;
use crate::stop::{Stop, StopCode};

/// What to do, for the user.
#[derive(Clone, Debug)]
pub(super) enum Hint {
    /// Give the wanted key in one of its forms.
    Forms,
    /// This, or give the wanted key in one of its forms.
    OrForms(&'static str),
    /// Ask for a key of the wanted kind.
    OtherKind,
    /// This.
    Text(&'static str),
}

use Hint::{Forms, OrForms, OtherKind, Text};

impl From<&'static str> for Hint {
    fn from(text: &'static str) -> Self {
        Text(text)
    }
}

/// What to do with a private key.
const EXTRACT: &str = "nothing of it was shown or kept; give only the public half: openssl pkey -in FILE -pubout \
     -out public.pem (OpenSSH: ssh-keygen -y -f FILE). If this file was not meant to be here, treat the key as exposed";

/// What to do with an X.509 certificate.
pub(super) const CERTIFICATE: Hint =
    Text("check whose certificate it is, then extract its key: openssl x509 -in FILE -pubkey -noout > public.pem");

/// What to do with a certificate request.
pub(super) const REQUEST: Hint = Text("extract its key: openssl req -in FILE -pubkey -noout > public.pem");

/// One reason, with the place in the file if it has several keys.
#[derive(Debug)]
pub(super) struct Refusal {
    place: Option<String>,
    why: String,
    /// It is a key, but not of the wanted kind.
    unwanted: bool,
    hint: Hint,
}

impl Refusal {
    /// A refusal of the whole file.
    pub(super) fn new(why: impl Into<String>, hint: impl Into<Hint>) -> Self {
        Refusal { place: None, why: why.into(), unwanted: false, hint: hint.into() }
    }

    /// A private key of this form: the one thing that must be said loudly.
    pub(super) fn private(form: impl fmt::Display) -> Self {
        Refusal::new(
            format!("PRIVATE KEY handed over ({form}): verification needs no private key, only the public one"),
            EXTRACT,
        )
    }

    /// Something that is a private key or a signature, and cannot be told apart.
    pub(super) fn perhaps_private(why: impl Into<String>) -> Self {
        Refusal::new(why, EXTRACT)
    }

    /// A key of another kind than the wanted one.
    pub(super) fn other_kind(kind: impl Into<String>) -> Self {
        Refusal { unwanted: true, ..Refusal::new(kind, OtherKind) }
    }

    /// What a table of other things says of one: without a hint it is a private key.
    pub(super) fn listed(what: &'static str, hint: Option<&Hint>) -> Self {
        match hint {
            None => Refusal::private(what),
            Some(OtherKind) => Refusal::other_kind(what),
            Some(hint) => Refusal::new(what, hint.clone()),
        }
    }

    /// The same refusal of one of several keys of a file.
    pub(super) fn at(mut self, place: impl Into<String>) -> Self {
        self.place.get_or_insert(place.into());
        self
    }

    /// The stop that a user reads; `source` stands in it as it is.
    pub(super) fn stop(self, source: &str, wanted: Wanted) -> Stop {
        let place = self.place.map(|place| format!(", {place}")).unwrap_or_default();
        let unwanted = if self.unwanted { format!(", not {}", wanted.noun()) } else { String::new() };
        let hint = match self.hint {
            Forms => wanted.forms(),
            OrForms(text) => format!("{text}, or {}", wanted.forms()),
            OtherKind => wanted.ask(),
            Text(text) => text.to_owned(),
        };
        Stop::new(StopCode::Key, format!("key refused: {source}{place}: {}{unwanted}", self.why)).hint(hint)
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
