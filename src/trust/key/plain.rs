//! A key without any wrapping: raw bytes, hex digits or base64 (of 32 bytes for Ed25519).
//!
//! It decides by length and alphabet alone, for these forms carry no name and no redundancy: the
//! only protection is the check of the point. So whatever can be told apart is told apart: twice
//! the length is a private key or a signature, forms of other tools are named, and half a hex
//! text is never read as base64. It trusts nothing but those bytes.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};
use ed25519_dalek::SigningKey;

use super::refusal::{Hint, Refusal};
use super::wanted::Wanted;
use super::{Key, der, openssh};

const PREFIX: Hint = Hint::Text("write only the 64 hex digits behind the prefix into the key file");
const MINISIGN: Hint =
    Hint::Text("its key has an id in front and signs a hash; ask for the Ed25519 key that signs the ledger");

/// Texts of other tools, by how a line starts (in lower case): what it is, and what to do; private
/// keys have no advice of their own.
const FOREIGN: &[(&str, &str, Option<Hint>)] = &[
    ("age-secret-key-", "age identity", None),
    ("nsec1", "Nostr", None),
    ("putty-user-key-file-", "PuTTY's own form", None),
    ("untrusted comment: minisign encrypted secret", "minisign", None),
    ("untrusted comment: signify secret", "signify", None),
    ("untrusted comment:", "a minisign or signify key, not a bare public key", Some(MINISIGN)),
    ("age1", "an age key (X25519, for encryption), which signs nothing", Some(Hint::Forms)),
    ("npub1", "a Nostr key (secp256k1), a kind that is not read", Some(Hint::Forms)),
    ("ed25519:", "the key has the prefix `ed25519:`, the form in which a ledger writes it", Some(PREFIX)),
    ("0x", "the key has the prefix `0x`", Some(PREFIX)),
    ("did:key:", "a did:key identifier, a form that is not read", Some(Hint::Forms)),
    ("sha256:", "a fingerprint or digest, not the key itself", Some(Hint::Forms)),
    ("256 sha256:", "a fingerprint (ssh-keygen -l), not the key itself", Some(Hint::Forms)),
    ("#!", "a script, not a key", Some(Hint::Forms)),
];

/// Bytes of another number that are neither text nor DER.
pub(super) fn not_raw(bytes: &[u8], wanted: Wanted) -> Refusal {
    // Packet tags 6 (public key) and 5 (secret key) with a version 4 or 6 close behind (RFC 9580
    // §4.2, §5.5.2); it is enough to be right often, for refused it is anyway.
    let version = |rest: &[u8]| rest.iter().take(6).any(|byte| matches!(byte, 4 | 6));
    match bytes {
        [0x94 | 0x95 | 0xc5, rest @ ..] if version(rest) => Refusal::private("it looks like PGP, binary"),
        [0x98 | 0x99 | 0xc6, rest @ ..] if version(rest) => {
            Refusal::new("this looks like a PGP public key block (binary), which is not read", Hint::Forms)
        }
        _ => double(bytes, "raw bytes", wanted).unwrap_or_else(|| {
            let why = format!("wrong length: {} bytes of no known form; {}", bytes.len(), wanted.sizes());
            Refusal::new(why, Hint::Forms)
        }),
    }
}

/// 64 bytes: seed and public key as NaCl, Go and dalek store an Ed25519 private key, or its expanded form.
fn double(bytes: &[u8], form: &str, wanted: Wanted) -> Option<Refusal> {
    let bytes: &[u8; 64] = bytes.try_into().ok().filter(|_| wanted.ed25519())?;
    Some(match SigningKey::from_keypair_bytes(bytes) {
        Ok(_) => Refusal::private(format!(
            "64 bytes as {form}: seed and public key, of which the public key is the second half"
        )),
        Err(_) => Refusal::perhaps_private(format!(
            "64 bytes as {form}: an expanded private key or a signature, not a public key of 32 bytes"
        )),
    })
}

/// The key in a text of one word.
pub(super) fn text(text: &str, wanted: Wanted) -> Result<Key, Refusal> {
    let word = text.trim();
    // With inner white space it is refused, but first looked at: it may be a private key.
    let compact: String = word.split_whitespace().collect();
    let decoded = decode(&compact);
    // Before the names of other forms: a key in base64 may start with `0x` by chance.
    if let Some((_, bytes)) = &decoded
        && compact == word
        && let Some(key) = wanted.bare(bytes)
    {
        return key;
    }
    if let Some(refusal) = foreign(text) {
        return Err(refusal);
    }
    let Some((form, bytes)) = decoded else {
        let why = match is_hex(&compact) {
            true => format!("wrong length: {} hex digits, an odd number", compact.len()),
            false => "a text of no known key form".to_owned(),
        };
        return Err(Refusal::new(why, Hint::Forms));
    };
    Err(double(&bytes, form, wanted).or_else(|| wrapped(form, &bytes, wanted)).unwrap_or_else(|| {
        if compact != word && wanted.bare(&bytes).is_some() {
            Refusal::new(format!("white space stands inside the {form}"), "write the key on one line")
        } else {
            let why = format!("wrong length: {form} of {} bytes, {}", bytes.len(), wanted.sizes());
            Refusal::new(why, Hint::Forms)
        }
    }))
}

fn foreign(text: &str) -> Option<Refusal> {
    let starts = |line: &str, start: &str| line.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let (_, what, hint) =
        FOREIGN.iter().find(|(start, ..)| text.lines().any(|line| starts(line.trim_start(), start)))?;
    Some(Refusal::listed(what, hint.as_ref()))
}

/// Something known inside hex or base64 that should have come in its own wrapping.
fn wrapped(form: &str, bytes: &[u8], wanted: Wanted) -> Option<Refusal> {
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
    der::looks_like(bytes).then(|| match der::read(bytes, wanted) {
        Ok(_) => Refusal::new(
            format!("{form} of the DER of a public key, without its PEM lines"),
            "put the base64 between -----BEGIN PUBLIC KEY----- and -----END PUBLIC KEY-----, or give the DER itself",
        ),
        Err(refusal) => refusal,
    })
}

/// What a word of hex or base64 stands for; an odd number of hex digits stands for nothing.
///
/// Hex first: every hex text is base64 as well, and one that is cut to 43 or 44 digits would even
/// decode to 32 bytes. The reverse, a base64 text that happens to have hex digits only, does not
/// occur (one key in 10^19). base64url is the same to us: no text means two things in the two.
fn decode(word: &str) -> Option<(&'static str, Vec<u8>)> {
    let text = word.as_bytes();
    if is_hex(word) {
        return Some(("hex digits", HEXLOWER_PERMISSIVE.decode(text).ok()?));
    }
    [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD]
        .iter()
        .find_map(|alphabet| Some(("base64", alphabet.decode(text).ok()?)))
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
}
