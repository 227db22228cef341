//! Strings in their quotes.
//!
//! Decides which characters are escaped and how. It trusts that what it is given is UTF-8, in which a lone
//! surrogate has the three bytes of its code point (WTF-8).

use super::Escape;
use crate::row::wtf8::{Piece, pieces};

/// Appends a string or name with its quotes. Where `may_need_escapes` is false no character needs
/// one of RFC 8785 §3.2.2.2.
#[inline(always)]
pub(super) fn write(string: &[u8], may_need_escapes: bool, escape: Escape, out: &mut Vec<u8>) {
    out.push(b'"');
    match escape {
        Escape::Json if may_need_escapes => write_minimal(string, out),
        Escape::Ascii if !string.iter().fold(true, |all, byte| all & is_plain_ascii(*byte)) => write_ascii(string, out),
        _ => out.extend_from_slice(string),
    }
    out.push(b'"');
}

/// Appends a text as a JSON string with its quotes, with the fewest escapes (RFC 8785 §3.2.2.2).
pub fn write_json_string(text: &str, out: &mut Vec<u8>) {
    write(text.as_bytes(), true, Escape::Json, out);
}

#[inline(never)]
fn write_minimal(string: &[u8], out: &mut Vec<u8>) {
    let mut rest = string;
    // Without an early end, so that it is done for many bytes at once.
    while rest.iter().fold(false, |any, byte| any | must_be_escaped(*byte)) {
        let plain = rest.iter().take_while(|byte| !must_be_escaped(**byte)).count();
        let Some((before, [byte, after @ ..])) = rest.split_at_checked(plain) else { break };
        out.extend_from_slice(before);
        write_escape(*byte, out);
        rest = after;
    }
    out.extend_from_slice(rest);
}

#[inline(never)]
fn write_ascii(string: &[u8], out: &mut Vec<u8>) {
    for piece in pieces(string) {
        let text = match piece {
            Piece::Text(text) => text,
            Piece::Half(half) => {
                write_unit(half, out);
                continue;
            }
        };
        for char in text.chars() {
            match u8::try_from(char) {
                Ok(byte) if is_plain_ascii(byte) => out.push(byte),
                Ok(byte) if must_be_escaped(byte) => write_escape(byte, out),
                _ => char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write_unit(*unit, out)),
            }
        }
    }
}

/// Whether Python's `ensure_ascii` leaves the byte as it is. It escapes U+007F.
fn is_plain_ascii(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !must_be_escaped(byte)
}

fn must_be_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        _ => return write_unit(byte.into(), out),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends a UTF-16 unit as `\u` and four lower-case hex digits.
fn write_unit(unit: u16, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |shift: u32| DIGITS.get(usize::from(unit >> shift & 15)).copied().unwrap_or_default();
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

/// Replaces the UTF-8 from `start` on by the low byte of each of its UTF-16 units: what the charset
/// `latin1-low-byte` of the vocabulary is, and Node's `Buffer.from(text, "latin1")`. Texts that
/// differ only in the high bytes have the same bytes then.
pub fn latin1_low_byte(out: &mut Vec<u8>, start: usize) {
    let Some(text) = out.get_mut(start..) else { return };
    if text.is_ascii() {
        return;
    }
    // In place: no character has fewer bytes than units.
    let (mut read, mut written) = (0, 0);
    while let Some(length) = text.get(read).map(|lead| length_of(*lead)) {
        let end = text.len().min(read + length);
        let mut units = [0; 2];
        let units: &[u16] = match text.get(read..end).and_then(|bytes| pieces(bytes).next()) {
            Some(Piece::Text(char)) => char.chars().next().map_or(&[], |char| char.encode_utf16(&mut units)),
            Some(Piece::Half(half)) => {
                units[0] = half;
                &units[..1]
            }
            // Never: what a writer wrote is UTF-8.
            None => &[],
        };
        for unit in units {
            if let Some(place) = text.get_mut(written) {
                *place = *unit as u8;
            }
            written += 1;
        }
        read = end;
    }
    out.truncate(start + written);
}

/// Bytes of a character that starts with this one.
fn length_of(lead: u8) -> usize {
    match lead {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
