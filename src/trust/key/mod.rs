//! Key files: the bytes an auditor was handed become Ed25519 public keys, or a stop that says
//! what they are instead.
//!
//! It decides which form a file has, each form in a file of its own:
//!
//! | file | form |
//! |---|---|
//! | `pem` | `BEGIN PUBLIC KEY`, one or several blocks (RFC 7468) |
//! | `der` | SubjectPublicKeyInfo (RFC 8410) |
//! | `openssh` | `ssh-ed25519 AAAA…` lines (RFC 8709) |
//! | `jwk` | a JSON Web Key or a set (RFC 7517, RFC 8037) |
//! | `plain` | 32 raw bytes, 64 hex digits, base64 of 32 bytes |
//! | `public` | which 32 bytes are a key at all (RFC 8032) |
//!
//! `kind` names other kinds of key, and `refusal` is the reason that a user reads.
//!
//! It trusts the file to say which key to trust, and not a byte more: forms are strict, a file is
//! taken whole or refused, and a private key is refused without any of it being shown.

mod der;
mod jwk;
mod kind;
mod openssh;
mod pem;
mod plain;
mod public;
mod refusal;

use crate::stop::Stop;
pub use public::PublicKey;
use refusal::{FORMS, Refusal};

/// A key file is never larger: the whole of it is looked at several times.
pub const LARGEST: usize = 1 << 20;

/// The keys in the `bytes` of a key file, in their order and at least one; the same key twice is
/// given twice. `source` is the name of the file, for the message only.
///
/// # Errors
///
/// A [`Stop`] of the kind `key`, which says what was handed over instead, and what to do.
pub fn read(bytes: &[u8], source: &str) -> Result<Vec<PublicKey>, Stop> {
    read_any(bytes).map_err(|refusal| refusal.stop(source))
}

fn read_any(bytes: &[u8]) -> Result<Vec<PublicKey>, Refusal> {
    if bytes.len() > LARGEST {
        return Err(Refusal::new(format!("too large for a key file: {} bytes, at most 1 MiB", bytes.len()), FORMS));
    }
    // Raw bytes are told from text by this: exactly 32 bytes that are not all text. No text form
    // is that short (hex has 64 characters, base64 43), and a key that looks like text by chance
    // is one in 10^13, refused with a message that says so.
    if let (Ok(raw), false, false) = (bytes.try_into(), is_text(bytes), is_utf16(bytes)) {
        return Ok(vec![plain::raw(raw)?]);
    }
    if is_utf16(bytes) {
        let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        if let Some(refusal) = pem::private(&narrow) {
            return Err(refusal);
        }
        return Err(Refusal::new(
            "the file is UTF-16 text (Windows), a key file is ASCII",
            "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > key.pem",
        ));
    }
    let whole = bytes;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(Refusal::new("the file is empty", FORMS));
    }
    if !is_text(bytes) && der::looks_like(bytes) {
        return Ok(vec![der::read(bytes)?]);
    }
    // Anywhere, also inside a JSON string (key files of cloud services).
    if let Some(refusal) = pem::private(bytes) {
        return Err(refusal);
    }
    let json = bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[");
    if pem::has_begin_line(bytes) || (!json && pem::looks_like(bytes)) {
        return pem::read(bytes);
    }
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| is_text(bytes)) else {
        return Err(plain::not_raw(whole));
    };
    if json {
        return jwk::read(text);
    }
    if openssh::looks_like(text) {
        return openssh::read(text);
    }
    if bytes.len() == 32 {
        return Err(Refusal::new("32 characters of text: neither 32 raw bytes nor 64 hex digits", FORMS));
    }
    Ok(vec![plain::text(text)?])
}

/// Without the control characters that every binary form has (`06`, `03`, `00` in any SPKI).
/// Bytes from `80` on are left to the readers: a PEM file may have a comment in Latin-1.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
        && (bytes.len() != 32 || bytes.is_ascii())
}

/// ASCII in two bytes a character, of either order, with or without a byte order mark; with the
/// mark also other text, except in 32 bytes, which may be a key that starts like one.
fn is_utf16(bytes: &[u8]) -> bool {
    let marked = bytes.strip_prefix(b"\xff\xfe").or_else(|| bytes.strip_prefix(b"\xfe\xff"));
    if marked.is_some() && bytes.len().is_multiple_of(2) && !matches!(bytes.len(), 32 | 64) {
        return true;
    }
    let text = marked.unwrap_or(bytes);
    let (pairs, rest) = text.as_chunks::<2>();
    let ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    rest.is_empty()
        && !pairs.is_empty()
        && (pairs.iter().all(|[low, high]| *high == 0 && ascii(*low))
            || pairs.iter().all(|[high, low]| *high == 0 && ascii(*low)))
}
