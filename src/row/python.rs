//! What is white space to Python's `str.strip`, in the bytes of a line.
//!
//! Decides where the text of a line starts and ends in Python's dialect. Bytes that are not UTF-8 are no
//! white space; no byte of them can belong to a character of white space, so that cutting before decoding
//! and after it are the same.

/// Bytes of the white space that the text starts with, 0 for none: a character of [`char::is_whitespace`] or
/// U+001C to U+001F.
fn leading(bytes: &[u8]) -> usize {
    match bytes {
        [0x09..=0x0D | 0x1C..=0x20, ..] => 1,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// Bytes of the white space that the text ends with, 0 for none.
fn trailing(bytes: &[u8]) -> usize {
    let is_space = |length: usize| {
        let last = bytes.len().checked_sub(length).and_then(|start| bytes.get(start..));
        last.is_some_and(|last| leading(last) == length)
    };
    (1..=3).find(|length| is_space(*length)).unwrap_or(0)
}

/// The text without the white space around it.
pub fn trim(bytes: &[u8]) -> &[u8] {
    let mut text = trim_start(bytes);
    loop {
        match trailing(text) {
            0 => return text,
            length => text = text.get(..text.len() - length).unwrap_or_default(),
        }
    }
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    let mut text = bytes;
    loop {
        match leading(text) {
            0 => return text,
            length => text = text.get(length..).unwrap_or_default(),
        }
    }
}

/// Whether a text that comes in pieces is nothing but white space so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blank {
    /// The bytes so far of a character that may become white space.
    open: Vec<u8>,
    no: bool,
}

impl Blank {
    /// Takes the next piece.
    pub fn push(&mut self, mut piece: &[u8]) {
        while !self.no && !self.open.is_empty() {
            let [first, rest @ ..] = piece else { return };
            self.open.push(*first);
            piece = rest;
            if leading(&self.open) > 0 {
                self.open.clear();
            } else if self.open.len() == 3 {
                self.no = true;
            }
        }
        match trim_start(piece) {
            _ if self.no => {}
            [] => {}
            rest @ ([0xC2 | 0xE1..=0xE3] | [0xE1..=0xE3, _]) => self.open.extend_from_slice(rest),
            _ => self.no = true,
        }
    }

    /// Whether the whole text was white space, if this is its end.
    pub fn is_blank(&self) -> bool {
        !self.no && self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python's definition, character by character.
    fn is_space(char: char) -> bool {
        char.is_whitespace() || matches!(char, '\u{1C}'..='\u{1F}')
    }

    #[test]
    fn every_character_is_judged_as_python_does() {
        for char in (0..=0x10_FFFF).filter_map(char::from_u32) {
            let text = char.to_string();
            assert_eq!(trim(text.as_bytes()).is_empty(), is_space(char), "{char:?}");
            let mut blank = Blank::default();
            text.as_bytes().iter().for_each(|byte| blank.push(&[*byte]));
            assert_eq!(blank.is_blank(), is_space(char), "{char:?}");
        }
    }

    #[test]
    fn trimming_before_decoding_and_after_it_are_the_same() {
        let alphabet: [&[u8]; 14] = [
            b" ",
            b"\x1f",
            b"a",
            b"\xc2",
            b"\x85",
            b"\xa0",
            b"\xe2",
            b"\x80",
            b"\xa8",
            b"\xe3",
            b"\xf0",
            b"\xed",
            b"\x9f",
            b"\xef\xbb\xbf",
        ];
        let mut seed = 1u64;
        for _ in 0..200_000 {
            let mut text = Vec::new();
            for _ in 0..seed % 9 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.extend_from_slice(alphabet[(seed >> 33) as usize % alphabet.len()]);
            }
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let decoded = String::from_utf8_lossy(&text).into_owned();
            let after = decoded.trim_matches(is_space);
            assert_eq!(String::from_utf8_lossy(trim(&text)), after, "{text:x?}");
            for cut in 0..=text.len() {
                let mut blank = Blank::default();
                blank.push(&text[..cut]);
                blank.push(&text[cut..]);
                assert_eq!(blank.is_blank(), after.is_empty(), "{text:x?} cut at {cut}");
            }
        }
    }
}
