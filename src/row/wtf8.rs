//! WTF-8: UTF-8 in which a surrogate that stands alone has the three bytes of its code point.
//!
//! Decides nothing: it is how strings are kept that no `str` can hold, and how Python encodes them with
//! `surrogatepass`. Its bytes sort as the code points do.

/// Appends a character.
pub(super) fn push(char: char, out: &mut Vec<u8>) {
    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Appends a lone surrogate, U+D800 to U+DFFF.
pub(crate) fn push_half(half: u16, out: &mut Vec<u8>) {
    let low = |shift: u32| 0x80 | (half >> shift & 0x3F) as u8;
    out.extend_from_slice(&[0xED, low(6), low(0)]);
}

/// A piece of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Characters.
    Text(&'a str),
    /// A lone surrogate.
    Half(u16),
}

/// The pieces of a string, in order. What is neither UTF-8 nor a surrogate, which no string is, is left out.
pub(crate) fn pieces(bytes: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        loop {
            if let [0xED, high @ 0xA0..=0xBF, low @ 0x80..=0xBF, after @ ..] = rest {
                rest = after;
                return Some(Piece::Half(0xD000 | u16::from(high & 0x3F) << 6 | u16::from(low & 0x3F)));
            }
            let chunk = rest.utf8_chunks().next()?;
            match chunk.valid() {
                "" => rest = rest.get(chunk.invalid().len()..).unwrap_or_default(),
                text => {
                    rest = rest.get(text.len()..).unwrap_or_default();
                    return Some(Piece::Text(text));
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_three_bytes_and_come_back() {
        for half in [0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xD83D] {
            let mut out = b"a".to_vec();
            push_half(half, &mut out);
            push('\u{1F600}', &mut out);
            push('\u{D7FF}', &mut out);
            let found: Vec<_> = pieces(&out).collect();
            assert_eq!(found, [Piece::Text("a"), Piece::Half(half), Piece::Text("\u{1F600}\u{D7FF}")]);
            assert_eq!(out.get(1..4).map(|three| three[0]), Some(0xED));
        }
    }
}
