//! How digests and signatures are written as text, exactly: one spelling for each value.
//!
//! A text that would decode but is spelled otherwise (upper-case hex, other padding, no prefix) is
//! refused: nothing hashes the spelling of a signature, so a second spelling would be a second
//! valid row.

mod hex;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, Encoding as Alphabet, HEXLOWER};
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
    /// Base58 in the alphabet of Bitcoin, without a checksum (multibase `base58btc` without its `z`).
    Base58btc,
}

impl Encoding {
    /// Characters of the text of so many bytes; of base58 the most that it can be (log 256 / log 58 is
    /// 1.366).
    fn characters(self, bytes: usize) -> usize {
        match self {
            Encoding::Hex => HEXLOWER.encode_len(bytes),
            Encoding::Base64 => BASE64.encode_len(bytes),
            Encoding::Base64url => BASE64URL_NOPAD.encode_len(bytes),
            Encoding::Base58btc => bytes * 138 / 100 + 1,
        }
    }

    /// Append the text of `bytes`.
    pub fn encode_into(self, bytes: &[u8], out: &mut Vec<u8>) {
        let alphabet: Alphabet = match self {
            Encoding::Hex => return hex::encode_into(bytes, out),
            Encoding::Base64 => BASE64,
            Encoding::Base64url => BASE64URL_NOPAD,
            Encoding::Base58btc => return out.extend_from_slice(bs58::encode(bytes).into_string().as_bytes()),
        };
        let start = out.len();
        out.resize(start + alphabet.encode_len(bytes.len()), 0);
        if let Some(room) = out.get_mut(start..) {
            alphabet.encode_mut(bytes, room);
        }
    }

    /// Fill `room` with the bytes that `text` is the one spelling of; `None` if it is not one of so many
    /// bytes, and nothing is said of `room` then.
    pub fn decode_into(self, text: &[u8], room: &mut [u8]) -> Option<()> {
        // A length has one number of characters, so another text is refused before it is decoded.
        match self {
            Encoding::Hex => hex::decode(text, room),
            Encoding::Base64url => exactly(&BASE64URL_NOPAD, text, room),
            // Padding ends the text, once: padded base64 would also read as several encodings one after
            // the other. So whatever stands before the last three bytes is read without any.
            Encoding::Base64 => {
                let last = text.len().saturating_sub(4);
                let (whole, rest) = room.split_at_mut_checked(last / 4 * 3)?;
                let (head, tail) = text.split_at_checked(last)?;
                exactly(&BASE64_NOPAD, head, whole)?;
                let mut three = [0; 3];
                let length = match tail.is_empty() {
                    true => 0,
                    false if tail.len() == 4 => BASE64.decode_mut(tail, &mut three).ok()?,
                    false => return None,
                };
                (length == rest.len()).then(|| rest.copy_from_slice(&three[..length]))
            }
            // The work grows with the square of the length.
            Encoding::Base58btc => {
                (text.len() <= self.characters(room.len())).then_some(())?;
                let length = bs58::decode(text).onto(&mut *room).ok()?;
                (length == room.len()).then_some(())
            }
        }
    }

    /// The bytes that `text` is the one spelling of, if they are at most `most`.
    pub fn decode(self, text: &[u8], most: usize) -> Option<Vec<u8>> {
        let padding = text.iter().rev().take(2).filter(|byte| **byte == b'=').count();
        let length = match self {
            Encoding::Hex => text.len() / 2,
            Encoding::Base64 => (text.len() / 4 * 3).checked_sub(padding)?,
            Encoding::Base64url => text.len() / 4 * 3 + (text.len() % 4).saturating_sub(1),
            Encoding::Base58btc => {
                (text.len() <= self.characters(most)).then_some(())?;
                return bs58::decode(text).into_vec().ok().filter(|bytes| bytes.len() <= most);
            }
        };
        let mut bytes = vec![0; Some(length).filter(|length| *length <= most)?];
        self.decode_into(text, &mut bytes)?;
        Some(bytes)
    }
}

/// Decode a text that fills `room` to its last byte. Trailing bits are refused by the alphabet.
fn exactly(alphabet: &Alphabet, text: &[u8], room: &mut [u8]) -> Option<()> {
    if text.len() != alphabet.encode_len(room.len()) {
        return None;
    }
    alphabet.decode_mut(text, room).ok().map(|_| ())
}

/// How the text of a member becomes bytes of a preimage (`as`), where it is not taken as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decoding {
    /// Lower-case hexadecimal digits.
    Hex,
    /// Base64 with padding, canonical only.
    Base64,
    /// Base64url without padding, canonical only.
    Base64url,
    /// A UUID in lower case with its four hyphens (RFC 9562 §4): 16 bytes.
    Uuid,
}

impl Decoding {
    /// Append the bytes that `text` is the one spelling of; `None` if it is none.
    ///
    /// One spelling only, here too: where a preimage covers the bytes and not the text, a second
    /// spelling would be a change of the row that nothing notices.
    pub fn append(self, text: &str, out: &mut Vec<u8>) -> Option<()> {
        let encoding = match self {
            Decoding::Hex => Encoding::Hex,
            Decoding::Base64 => Encoding::Base64,
            Decoding::Base64url => Encoding::Base64url,
            Decoding::Uuid => return uuid(text).map(|bytes| out.extend_from_slice(&bytes)),
        };
        out.extend_from_slice(&encoding.decode(text.as_bytes(), text.len())?);
        Some(())
    }
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let mut groups = text.split('-');
    let mut bytes = [0; 16];
    let mut room = bytes.as_mut_slice();
    for length in [4, 2, 2, 2, 6] {
        let (group, rest) = room.split_at_mut_checked(length)?;
        Encoding::Hex.decode_into(groups.next()?.as_bytes(), group)?;
        room = rest;
    }
    groups.next().is_none().then_some(bytes)
}

/// A text form: `prefix`, then the encoding of `wrap` and the bytes, perhaps cut, then `suffix`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextForm {
    /// What stands before the encoded bytes.
    pub prefix: String,
    /// What stands behind them.
    pub suffix: String,
    /// How the bytes are encoded.
    pub encoding: Encoding,
    /// Bytes that are put before the others and encoded with them (`1220` of a multihash).
    pub wrap: Vec<u8>,
    /// Only so many characters of the encoded text are written.
    pub truncate: Option<usize>,
}

impl TextForm {
    /// Fill `room` with the bytes that `text` is this form of; `None` if it is not this form of so many
    /// bytes. A form that is cut is the form of many values and decodes to none.
    pub fn decode_into(&self, text: &str, room: &mut [u8]) -> Option<()> {
        let encoded = self.encoded(text).filter(|_| self.truncate.is_none())?.as_bytes();
        if self.wrap.is_empty() {
            return self.encoding.decode_into(encoded, room);
        }
        let mut wrapped = vec![0; self.wrap.len() + room.len()];
        self.encoding.decode_into(encoded, &mut wrapped)?;
        room.copy_from_slice(wrapped.strip_prefix(self.wrap.as_slice())?);
        Some(())
    }

    /// The same for a value whose length only the text shows, if it has at most `most` bytes.
    pub fn decode_at_most(&self, text: &str, most: usize) -> Option<Vec<u8>> {
        let encoded = self.encoded(text).filter(|_| self.truncate.is_none())?.as_bytes();
        let wrapped = self.encoding.decode(encoded, self.wrap.len().checked_add(most)?)?;
        Some(wrapped.strip_prefix(self.wrap.as_slice())?.to_vec())
    }

    /// Whether `text` is what is written for `bytes`, cut or not.
    pub fn spells(&self, text: &str, bytes: &[u8]) -> bool {
        let mut written = Vec::with_capacity(text.len());
        self.encode_into(bytes, &mut written);
        written == text.as_bytes()
    }

    /// The text of these bytes.
    pub fn encode(&self, bytes: &[u8]) -> String {
        let mut text = Vec::new();
        self.encode_into(bytes, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Append the text of these bytes.
    pub fn encode_into(&self, bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.prefix.as_bytes());
        let start = out.len();
        match self.wrap.is_empty() {
            true => self.encoding.encode_into(bytes, out),
            false => self.encoding.encode_into(&[&self.wrap, bytes].concat(), out),
        }
        if let Some(kept) = self.truncate {
            out.truncate(start.saturating_add(kept));
        }
        out.extend_from_slice(self.suffix.as_bytes());
    }

    /// What stands between prefix and suffix.
    fn encoded<'t>(&self, text: &'t str) -> Option<&'t str> {
        // Affixes are of few bytes: compared here, without a call.
        let same = |text: &str, affix: &str| text.len() == affix.len() && text.bytes().eq(affix.bytes());
        let (start, rest) = text.split_at_checked(self.prefix.len())?;
        let (encoded, end) = rest.split_at_checked(rest.len().checked_sub(self.suffix.len())?)?;
        (same(start, &self.prefix) && same(end, &self.suffix)).then_some(encoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl TextForm {
        fn decode<const N: usize>(&self, text: &str) -> Option<[u8; N]> {
            let mut bytes = [0; N];
            self.decode_into(text, &mut bytes).map(|()| bytes)
        }
    }

    fn form(prefix: &str, encoding: Encoding) -> TextForm {
        TextForm { prefix: prefix.into(), encoding, ..TextForm::default() }
    }

    const ALL: [Encoding; 4] = [Encoding::Hex, Encoding::Base64, Encoding::Base64url, Encoding::Base58btc];

    #[test]
    fn one_spelling_for_each_value() {
        let hex = form("0x", Encoding::Hex);
        assert_eq!(hex.decode::<2>("0x0aff"), Some([0x0a, 0xff]));
        assert_eq!(hex.encode(&[0x0a, 0xff]), "0x0aff");
        for wrong in ["0x0aFF", "0aff", "0X0aff", "0x0af", "0x0aff0", "0x0afg", "", "0x", " 0x0aff", "0x0aff "] {
            assert_eq!(hex.decode::<2>(wrong), None, "{wrong}");
            assert_eq!(hex.decode_at_most(wrong, 2).filter(|bytes| bytes.len() == 2), None, "{wrong}");
        }
        let base64 = form("", Encoding::Base64);
        assert_eq!(base64.decode::<1>("Zg=="), Some(*b"f"));
        assert_eq!(base64.decode::<4>("Zm9vYg=="), Some(*b"foob"));
        assert_eq!(base64.decode::<3>("Zm9v"), Some(*b"foo"));
        for wrong in ["Zh==", "Zg", "Zg=", "Zg==b29i", "Zm9vYg=", "Zm9vYg===", "====", "Zm9v====", "Zm9v\n"] {
            for length in 0..7 {
                assert_eq!(Encoding::Base64.decode_into(wrong.as_bytes(), &mut vec![0; length]), None, "{wrong}");
            }
            assert_eq!(base64.decode_at_most(wrong, 9), None, "{wrong}");
        }
        let url = form("", Encoding::Base64url);
        assert_eq!(url.decode::<2>("-_8"), Some([0xfb, 0xff]));
        for wrong in ["-_9", "-_8=", "+/8", "-_"] {
            assert_eq!(url.decode::<2>(wrong), None, "{wrong}");
        }
        // The multibase draft's example, and leading zeros, each of which is a character.
        let base58 = form("z", Encoding::Base58btc);
        assert_eq!(base58.decode_at_most("z7paNL19xttacUY", 64).as_deref(), Some(b"yes mani !".as_slice()));
        assert_eq!(base58.decode::<2>("z11"), Some([0, 0]));
        assert_eq!(base58.decode::<2>("z12"), Some([0, 1]));
        for wrong in ["z1", "z111", "zO1", "z1 ", "z0"] {
            assert_eq!(base58.decode::<2>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_length_comes_back_and_no_other() {
        for encoding in ALL {
            for suffix in ["", ".sig.ed25519"] {
                for wrap in [vec![], vec![0x12, 0x20]] {
                    let form = TextForm { prefix: "p:".into(), suffix: suffix.into(), encoding, wrap, truncate: None };
                    for length in [0, 1, 2, 3, 20, 31, 32, 33, 48, 64, 65, 256, 1024] {
                        for fill in [0, 0x5a, 0xff] {
                            let (bytes, mut room) = (vec![fill; length], vec![1; length]);
                            let text = form.encode(&bytes);
                            assert_eq!(form.decode_into(&text, &mut room), Some(()), "{text}");
                            assert_eq!(room, bytes);
                            assert_eq!(form.decode_at_most(&text, length).as_deref(), Some(bytes.as_slice()));
                            assert!(form.spells(&text, &bytes));
                            assert_eq!(form.decode_into(&text, &mut vec![0; length + 1]), None, "{text}");
                            if length > 0 {
                                assert_eq!(form.decode_into(&text, &mut vec![0; length - 1]), None, "{text}");
                                assert_eq!(form.decode_at_most(&text, length - 1), None, "{text}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_wrapped_or_suffixed_must_be_so() {
        let multihash = TextForm { wrap: vec![0x12, 0x20], ..form("", Encoding::Hex) };
        assert_eq!(multihash.encode(&[0xab; 2]), "1220abab");
        assert_eq!(multihash.decode::<2>("1220abab"), Some([0xab; 2]));
        assert_eq!(multihash.decode::<2>("1320abab"), None);
        assert_eq!(multihash.decode::<2>("abab"), None);
        let ssb = TextForm { suffix: ".sha256".into(), ..form("%", Encoding::Base64) };
        assert_eq!(ssb.decode::<1>("%Zg==.sha256"), Some(*b"f"));
        assert_eq!(ssb.decode::<1>("%Zg=="), None);
        // A suffix that overlaps the prefix is not there twice.
        let overlap = TextForm { suffix: "aa".into(), ..form("aa", Encoding::Hex) };
        assert_eq!(overlap.decode::<0>("aaa"), None);
    }

    #[test]
    fn a_cut_form_is_compared_and_never_decoded() {
        let cut = TextForm { truncate: Some(6), suffix: "!".into(), ..form("x", Encoding::Hex) };
        assert_eq!(cut.encode(&[0xab; 32]), "xababab!");
        assert_eq!(cut.decode::<3>("xababab!"), None);
        assert_eq!(cut.decode_at_most("xababab!", 32), None);
        assert!(cut.spells("xababab!", &[0xab; 32]));
        assert!(!cut.spells("xababac!", &[0xab; 32]) && !cut.spells("xabab!", &[0xab; 32]));
    }

    #[test]
    fn encode_into_appends_what_encode_gives() {
        for encoding in ALL {
            let form = form("sha256:", encoding);
            let mut out = b"before ".to_vec();
            form.encode_into(&[1, 2, 3, 4], &mut out);
            assert_eq!(out, format!("before {}", form.encode(&[1, 2, 3, 4])).into_bytes());
        }
    }

    #[test]
    fn members_that_are_decoded() {
        let decoded = |decoding: Decoding, text: &str| {
            let mut out = b">".to_vec();
            decoding.append(text, &mut out).map(|()| out[1..].to_vec())
        };
        assert_eq!(decoded(Decoding::Hex, "00ff"), Some(vec![0, 0xff]));
        assert_eq!(decoded(Decoding::Hex, ""), Some(vec![]));
        assert_eq!(decoded(Decoding::Base64, "Zm9vYg=="), Some(b"foob".to_vec()));
        assert_eq!(decoded(Decoding::Base64url, "Zm9vYg"), Some(b"foob".to_vec()));
        let id = [0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0];
        assert_eq!(decoded(Decoding::Uuid, "123e4567-e89b-12d3-a456-426614174000"), Some(id.to_vec()));
        for (decoding, wrong) in [
            (Decoding::Hex, "00FF"),
            (Decoding::Hex, "00f"),
            (Decoding::Base64, "Zm9vYg"),
            (Decoding::Base64, "Zg==Zg=="),
            (Decoding::Base64url, "Zm9vYg=="),
            (Decoding::Base64url, "Zm9vY"),
            (Decoding::Uuid, "123E4567-e89b-12d3-a456-426614174000"),
            (Decoding::Uuid, "123e4567e89b12d3a456426614174000"),
            (Decoding::Uuid, "123e4567-e89b-12d3-a456-426614174000-"),
            (Decoding::Uuid, "{123e4567-e89b-12d3-a456-426614174000}"),
            (Decoding::Uuid, ""),
        ] {
            assert_eq!(decoded(decoding, wrong), None, "{wrong}");
        }
    }
}
