//! A key without any wrapping: 32 raw bytes, 64 hex digits, or base64 of 32 bytes.
//!
//! It decides by length and alphabet alone, for these forms carry no name and no redundancy: the
//! only protection is the check of the point. So whatever can be told apart is told apart: twice
//! the length is a private key or a signature, forms of other tools are named, and half a hex
//! text is never read as base64. It trusts nothing but those 32 bytes.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use ed25519_dalek::SigningKey;

use super::public::PublicKey;
use super::refusal::{EXTRACT, FORMS, Refusal};
use super::{der, openssh, pem};

const PREFIX: &str = "write only the 64 hex digits behind the prefix into the key file";
const MINISIGN: &str = "its key has an id in front and signs a hash; ask for the Ed25519 key that signs the ledger";

/// Texts of other tools, by how a line starts (in lower case): what it is, private, what to do.
const FOREIGN: &[(&str, bool, &str, &str)] = &[
    ("age-secret-key-", true, "age identity", EXTRACT),
    ("untrusted comment: minisign encrypted secret", true, "minisign", EXTRACT),
    ("untrusted comment: signify secret", true, "signify", EXTRACT),
    ("untrusted comment:", false, "a minisign or signify key, not a bare public key", MINISIGN),
    ("age1", false, "an age key (X25519, for encryption), not an Ed25519 public key", FORMS),
    ("ed25519:", false, "the key has the prefix `ed25519:`, the form in which a ledger writes it", PREFIX),
    ("0x", false, "the key has the prefix `0x`", PREFIX),
    ("did:key:", false, "a did:key identifier, a form that is not read", FORMS),
    ("npub1", false, "a Nostr key (secp256k1), not an Ed25519 public key", FORMS),
    ("nsec1", true, "Nostr", EXTRACT),
    ("sha256:", false, "a fingerprint or digest, not the key itself", FORMS),
    ("256 sha256:", false, "a fingerprint (ssh-keygen -l), not the key itself", FORMS),
    ("#!", false, "a script, not a key", FORMS),
];

/// Exactly 32 bytes that are no text.
pub(super) fn raw(bytes: &[u8; 32]) -> Result<PublicKey, Refusal> {
    PublicKey::new(bytes)
}

/// Bytes of another number that are neither text nor DER.
pub(super) fn not_raw(bytes: &[u8]) -> Refusal {
    // Packet tags 6 (public key) and 5 (secret key) with a version 4 or 6 close behind (RFC 9580
    // §4.2, §5.5.2); it is enough to be right often, for refused it is anyway.
    let version = |rest: &[u8]| rest.iter().take(6).any(|byte| matches!(byte, 4 | 6));
    match bytes {
        [0x94 | 0x95 | 0xc5, rest @ ..] if version(rest) => Refusal::private("it looks like PGP, binary"),
        [0x98 | 0x99 | 0xc6, rest @ ..] if version(rest) => {
            Refusal::new("this looks like a PGP public key block (binary), which is not read", FORMS)
        }
        _ => double(bytes, "raw bytes").unwrap_or_else(|| {
            Refusal::new(format!("wrong length: {} bytes of no known form; a raw key has 32", bytes.len()), FORMS)
        }),
    }
}

/// 64 bytes: seed and public key as NaCl, Go and dalek store a private key, or its expanded form.
fn double(bytes: &[u8], form: &str) -> Option<Refusal> {
    let bytes: &[u8; 64] = bytes.try_into().ok()?;
    Some(match SigningKey::from_keypair_bytes(bytes) {
        Ok(_) => Refusal::private(format!(
            "64 bytes as {form}: seed and public key, of which the public key is the second half"
        )),
        Err(_) => Refusal::new(
            format!("64 bytes as {form}: an expanded private key or a signature, not a public key of 32 bytes"),
            EXTRACT,
        ),
    })
}

/// The key in a text of one word.
pub(super) fn text(text: &str) -> Result<PublicKey, Refusal> {
    if let Some(refusal) = pem::putty(text).or_else(|| foreign(text)) {
        return Err(refusal);
    }
    let word = text.trim();
    // With inner white space it is refused, but first looked at: it may be a private key.
    let compact: String = word.split_whitespace().collect();
    let Some((form, bytes)) = decode(&compact) else {
        return Err(Refusal::new("a text of no known key form", FORMS));
    };
    if let Some(refusal) = double(&bytes, form).or_else(|| wrapped(form, &bytes)) {
        return Err(refusal);
    }
    if compact != word {
        return Err(Refusal::new(format!("white space stands inside the {form}"), "write the key on one line"));
    }
    match <&[u8; 32]>::try_from(bytes.as_slice()) {
        Ok(key) => PublicKey::new(key),
        Err(_) => Err(Refusal::new(format!("wrong length: {form} of {} bytes, a key has 32", bytes.len()), FORMS)),
    }
}

fn foreign(text: &str) -> Option<Refusal> {
    let starts = |line: &str, start: &str| line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let (_, private, what, hint) =
        FOREIGN.iter().find(|(start, ..)| text.lines().any(|line| starts(line.trim_start(), start)))?;
    Some(if *private { Refusal::private(what) } else { Refusal::new(*what, *hint) })
}

/// Something known inside hex or base64 that should have come in its own wrapping.
fn wrapped(form: &str, bytes: &[u8]) -> Option<Refusal> {
    if let Some(refusal) = der::foreign(bytes) {
        return Some(refusal);
    }
    if let Some(kind) = openssh::bare_blob(bytes) {
        return Some(Refusal::new(
            format!("{form} of an OpenSSH key ({kind}) without its type in front"),
            "give the whole line of the .pub file",
        ));
    }
    if bytes.len() == 42 && bytes.starts_with(b"Ed") {
        return Some(Refusal::new("a minisign or signify key, not a bare public key", MINISIGN));
    }
    (bytes.len() != 32 && der::looks_like(bytes)).then(|| match der::read(bytes) {
        Ok(_) => Refusal::new(
            format!("{form} of the DER of a public key, without its PEM lines"),
            "put the base64 between -----BEGIN PUBLIC KEY----- and -----END PUBLIC KEY-----, or give the DER itself",
        ),
        Err(refusal) => refusal,
    })
}

/// What a word of hex or base64 stands for.
///
/// Hex first: every hex text is base64 as well, and one that is cut to 43 or 44 digits would even
/// decode to 32 bytes. The reverse, a base64 text that happens to have hex digits only, does not
/// occur (one key in 10^19). base64url is the same to us: no text means two things in the two.
fn decode(word: &str) -> Option<(&'static str, Vec<u8>)> {
    let text = word.as_bytes();
    if text.is_empty() {
        return None;
    }
    if text.iter().all(u8::is_ascii_hexdigit) {
        let even = text.get(..text.len() & !1)?;
        return Some(("hex digits", HEXLOWER_PERMISSIVE.decode(even).ok()?));
    }
    [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD]
        .iter()
        .find_map(|alphabet| Some(("base64", alphabet.decode(text).ok()?)))
}
