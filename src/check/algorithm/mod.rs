//! Whether one signature or MAC holds: one file for each algorithm, and [`verify`] to choose it.
//!
//! The format chooses the algorithm and the user the key; the row chooses neither. A key of another
//! kind than the algorithm's never verifies anything, so that an RSA key can not be taken for the
//! secret of a MAC (RFC 8725 §2.1).
//!
//! Every byte of message and signature is untrusted: whatever they are, the answer is yes or no.

mod es256;
mod ml_dsa_65;
mod rs256;
mod sshsig;

use std::borrow::Cow;

use ed25519_dalek::VerifyingKey;

use super::ed25519;
use crate::algorithm::Scheme;
use crate::trust::key::Key;

/// What is to be judged of a signature under a key.
pub(super) enum Question<'k, 'm> {
    /// Whether this Ed25519 signature holds over the message under the key: it may wait for others.
    Ed25519(&'k VerifyingKey, Cow<'m, [u8]>, [u8; 64]),
    /// Nothing: whatever the message is, it never holds.
    Never,
    /// Something else, which [`verify`] answers.
    Other,
}

/// What [`verify`] has to find out of the same arguments.
pub(super) fn question<'k, 'm>(scheme: &Scheme, key: &'k Key, message: &'m [u8], signature: &[u8]) -> Question<'k, 'm> {
    match (scheme, key) {
        (Scheme::Ed25519, Key::Ed25519(key)) => signature
            .try_into()
            .map_or(Question::Never, |signature| Question::Ed25519(key.verifying(), Cow::Borrowed(message), signature)),
        (Scheme::Sshsig { namespace }, key) => sshsig::question(key, namespace, message, signature),
        _ => Question::Other,
    }
}

/// Reports whether `signature` over `message` holds under `key`. Its bytes are those that the text of
/// the row encodes; of an SSH signature, the armoured text.
pub fn verify(scheme: &Scheme, key: &Key, message: &[u8], signature: &[u8]) -> bool {
    match (scheme, key) {
        (Scheme::Ed25519, Key::Ed25519(key)) => {
            signature.try_into().is_ok_and(|signature| ed25519::verify(key.verifying(), message, signature))
        }
        (Scheme::Es256 { low_s }, Key::P256(key)) => es256::verify(key, message, signature, *low_s),
        (Scheme::Rs256, Key::Rsa(key)) => rs256::verify(key, message, signature),
        (Scheme::HmacSha256, Key::Secret(secret)) => secret.verify(message, signature),
        (Scheme::Sshsig { namespace }, key) => sshsig::verify(key, namespace, message, signature),
        (Scheme::MlDsa65, Key::MlDsa65(key)) => ml_dsa_65::verify(key, message, signature),
        _ => false,
    }
}
