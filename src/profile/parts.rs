//! Byte parts: what a preimage or a signed message is put together from.

use crate::canonical::{Exclude, jcs};
use crate::encoding::TextForm;
use crate::fact::Digest;
use crate::row::Value;

/// One part of a preimage or message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// These bytes.
    Text(Vec<u8>),
    /// The predecessor's digest, as the row states it.
    Prev(Bytes),
    /// The row's own digest.
    Hash(Bytes),
    /// The row in its canonical form (RFC 8785), without some members.
    Json(Exclude),
}

/// In which form a digest enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// The bytes that its text encodes.
    Raw,
    /// Its text, without this many bytes at the front.
    Text {
        /// Bytes of the text that are left out.
        skip: usize,
    },
}

/// Writes parts, with the same scratch for every row.
#[derive(Debug, Default)]
pub struct Scribe {
    canonical: jcs::Writer,
}

impl Scribe {
    /// Append the bytes of these parts. `prev` and `hash` must be given where a part asks for them:
    /// without them the parts cannot be written, and nothing is said about `out`.
    pub fn write(
        &mut self,
        parts: &[Part],
        row: Value<'_>,
        prev: Option<&Digest>,
        hash: Option<&Digest>,
        form: &TextForm,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        for part in parts {
            match part {
                Part::Text(bytes) => out.extend_from_slice(bytes),
                Part::Prev(bytes) => digest(prev?, *bytes, form, out),
                Part::Hash(bytes) => digest(hash?, *bytes, form, out),
                Part::Json(exclude) => self.canonical.write(row, exclude, out),
            }
        }
        Some(())
    }
}

fn digest(digest: &Digest, bytes: Bytes, form: &TextForm, out: &mut Vec<u8>) {
    match bytes {
        Bytes::Raw => out.extend_from_slice(digest.bytes()),
        Bytes::Text { skip } => {
            let start = out.len();
            form.encode_into(digest.bytes(), out);
            out.drain(start..out.len().min(start + skip));
        }
    }
}
