//! Shared secrets: exactly the bytes that the profile says, for every string of bytes is a key.
//!
//! Nothing is guessed: a line end that is left in or taken off is another secret, and every row would
//! fail. So the form is the profile's, and the file's bytes as they are where it says none. Two things are
//! still refused, because they can only be a mistake: nothing at all, and a PEM block or an OpenSSH line
//! of a public or private key. A public key as secret would let everybody forge.
//!
//! Nothing of a secret reaches a message, not even a digest: a short one could be found from it.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER_PERMISSIVE};

use super::refusal::{Hint, Refusal};
use super::{json_member, openssh, pem};
use crate::algorithm::KeyFormat;
use crate::digest::{Hkdf, Secret};
use crate::encoding::Encoding;

const AS_SAID: &str = "give the secret in the form that key.format of the profile says, or correct the profile";

/// The secret in the `bytes` of a file.
pub(super) fn read(bytes: &[u8], format: Option<&KeyFormat>, hkdf: Option<&Hkdf>) -> Result<Secret, Refusal> {
    if let Some(refusal) = pem::private(bytes) {
        return Err(refusal);
    }
    if pem::has_begin_line(bytes) || std::str::from_utf8(bytes).is_ok_and(openssh::looks_like) {
        return Err(Refusal::new(
            "this is a key pair's public half or a certificate, not a shared secret: whoever knows it could forge",
            "give the secret that the ledger's MACs were made with",
        ));
    }
    let decoded = match format {
        None | Some(KeyFormat::Raw) => bytes.to_vec(),
        Some(KeyFormat::Text) => match std::str::from_utf8(bytes) {
            Ok(text) => text.trim().as_bytes().to_vec(),
            Err(_) => bytes.trim_ascii().to_vec(),
        },
        Some(KeyFormat::Hex) => decode(bytes.trim_ascii(), Encoding::Hex)?,
        Some(KeyFormat::Base64) => decode(bytes.trim_ascii(), Encoding::Base64)?,
        Some(KeyFormat::Base64url) => decode(bytes.trim_ascii(), Encoding::Base64url)?,
        Some(KeyFormat::Json { path, encoding }) => match json_member(bytes, path) {
            Some(text) => decode(text.as_bytes(), *encoding)?,
            None => {
                return Err(Refusal::new("it is not JSON with a text at the path of key.path", AS_SAID));
            }
        },
        Some(KeyFormat::SpkiPem | KeyFormat::Pkcs1Pem | KeyFormat::Openssh) => {
            return Err(Refusal::new("key.format is one of public keys, and the key is a shared secret", AS_SAID));
        }
    };
    let secret = Secret::new(&decoded)
        .ok_or_else(|| Refusal::new("the secret is empty: anyone could make its MACs", "was the wrong file given?"))?;
    match hkdf {
        None => Ok(secret),
        Some(hkdf) => hkdf.derive(&secret).ok_or_else(|| Refusal::new("no secret can be derived from it", Hint::Forms)),
    }
}

/// The bytes of this text, padded or not: the spelling of a secret is no evidence.
pub(super) fn decode(text: &[u8], encoding: Encoding) -> Result<Vec<u8>, Refusal> {
    let alphabets = match encoding {
        Encoding::Hex => [HEXLOWER_PERMISSIVE, HEXLOWER_PERMISSIVE],
        Encoding::Base64 => [BASE64, BASE64_NOPAD],
        Encoding::Base64url => [BASE64URL_NOPAD, BASE64URL],
        Encoding::Base58btc => {
            let bytes = encoding.decode(text, super::LARGEST.min(4096));
            return bytes.ok_or_else(|| Refusal::new("it is not base58", AS_SAID));
        }
    };
    let name = match encoding {
        Encoding::Hex => "hexadecimal digits",
        Encoding::Base64 => "base64",
        Encoding::Base64url | Encoding::Base58btc => "base64url",
    };
    let decoded = alphabets.iter().find_map(|alphabet| alphabet.decode(text).ok());
    decoded.ok_or_else(|| Refusal::new(format!("it is not {name}"), AS_SAID))
}
