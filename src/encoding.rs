//! How digests and signatures are written as text, exactly: one spelling for each value.
//!
//! A text that would decode but is spelled otherwise (upper-case hex, other padding, no prefix) is
//! refused: nothing hashes the spelling of a signature, so a second spelling would be a second
//! valid row.

use data_encoding::{BASE64, BASE64URL_NOPAD, Encoding as Alphabet, HEXLOWER};
use serde::Deserialize;

/// The encodings of bytes as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Lower-case hexadecimal digits.
    #[default]
    Hex,
    /// Base64 with padding (RFC 4648 §4), canonical only.
    Base64,
    /// Base64url without padding (RFC 4648 §5), canonical only.
    Base64url,
}

impl Encoding {
    fn alphabet(self) -> Alphabet {
        match self {
            Encoding::Hex => HEXLOWER,
            Encoding::Base64 => BASE64,
            Encoding::Base64url => BASE64URL_NOPAD,
        }
    }
}

/// A text form: a fixed prefix, then encoded bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextForm {
    /// What stands before the encoded bytes.
    pub prefix: String,
    /// How the bytes are encoded.
    pub encoding: Encoding,
}

impl TextForm {
    /// Decode `text` into exactly `N` bytes; `None` if it is not this form of `N` bytes.
    pub fn decode<const N: usize>(&self, text: &str) -> Option<[u8; N]> {
        let encoded = text.strip_prefix(&self.prefix)?.as_bytes();
        let alphabet = self.encoding.alphabet();
        // The length of N bytes in this alphabet is fixed, so a text of another length is refused
        // before anything is decoded.
        if encoded.len() != alphabet.encode_len(N) {
            return None;
        }
        let mut bytes = [0u8; 66];
        let room = bytes.get_mut(..alphabet.decode_len(encoded.len()).ok()?)?;
        let written = alphabet.decode_mut(encoded, room).ok()?;
        let decoded: [u8; N] = room.get(..written)?.try_into().ok()?;
        // Padded base64 also reads as several encodings one after the other, each with its padding.
        let spelled_so = self.encoding != Encoding::Base64 || alphabet.encode(&decoded).as_bytes() == encoded;
        spelled_so.then_some(decoded)
    }

    /// The text of these bytes.
    pub fn encode(&self, bytes: &[u8]) -> String {
        let mut text = self.prefix.clone();
        self.encoding.alphabet().encode_append(bytes, &mut text);
        text
    }

    /// Append the text of these bytes.
    pub fn encode_into(&self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefix.as_bytes());
        let alphabet = self.encoding.alphabet();
        let start = out.len();
        out.resize(start + alphabet.encode_len(bytes.len()), 0);
        if let Some(room) = out.get_mut(start..) {
            alphabet.encode_mut(bytes, room);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_for_each_value() {
        let form = TextForm { prefix: "0x".into(), encoding: Encoding::Hex };
        assert_eq!(form.decode::<2>("0x0aff"), Some([0x0a, 0xff]));
        assert_eq!(form.encode(&[0x0a, 0xff]), "0x0aff");
        for wrong in ["0x0aFF", "0aff", "0X0aff", "0x0af", "0x0aff0", "0x0afg", "", "0x", " 0x0aff", "0x0aff "] {
            assert_eq!(form.decode::<2>(wrong), None, "{wrong}");
        }
        let form = TextForm { prefix: String::new(), encoding: Encoding::Base64 };
        assert_eq!(form.decode::<1>("Zg=="), Some(*b"f"));
        assert_eq!(form.decode::<1>("Zh=="), None, "trailing bits");
        assert_eq!(form.decode::<1>("Zg"), None, "padding");
        assert_eq!(form.decode::<4>("Zm9vYg=="), Some(*b"foob"));
        assert_eq!(form.decode::<4>("Zg==b29i"), None, "two encodings, one behind the other");
    }

    #[test]
    fn encode_into_appends_what_encode_gives() {
        let form = TextForm { prefix: "sha256:".into(), encoding: Encoding::Base64url };
        let mut out = b"before ".to_vec();
        form.encode_into(&[1, 2, 3, 4], &mut out);
        assert_eq!(out, format!("before {}", form.encode(&[1, 2, 3, 4])).into_bytes());
    }
}
