//! The order of members.
//!
//! Decides which of two names stands first. Each name gets a number that sorts as the order does,
//! so that few names are compared byte by byte.

use std::cmp::Ordering;

use super::Keys;

/// From here on stand the members that a selection adds.
pub(super) const ADDED: u32 = 1 << 31;

/// The place of a name as a number. Where two are equal, [`compare`] decides; where `position`, the
/// place in the row or in `include`, is a part of it, none are.
#[inline]
pub(super) fn key(keys: Keys, name: &[u8], position: u32) -> u64 {
    match keys {
        Keys::Utf16 => {
            let first = first_bytes(name);
            if first.is_ascii() { u64::from_be_bytes(first) } else { u64::from_be_bytes(first.map(rank)) }
        }
        Keys::Codepoint => u64::from_be_bytes(first_bytes(name)),
        Keys::AsWritten => position.into(),
        Keys::V8 => array_index(name).map_or_else(|| (1 << 32) + u64::from(position), u64::from),
    }
}

/// Compares two names that have the same [`key`].
pub(super) fn compare(keys: Keys, a: &[u8], b: &[u8]) -> Ordering {
    match keys {
        Keys::Utf16 => a.iter().map(|byte| rank(*byte)).cmp(b.iter().map(|byte| rank(*byte))),
        Keys::Codepoint => a.cmp(b),
        // Equal only where a row's name and a renamed one are the same array index.
        Keys::AsWritten | Keys::V8 => Ordering::Equal,
    }
}

/// Where a byte of UTF-8 sorts in UTF-16 order (RFC 8785 §3.2.3). Both orders agree but for one
/// thing: the characters from U+E000 to U+FFFF (lead bytes EE and EF) come after the surrogates
/// that stand for those beyond (lead bytes F0 to F4). Only lead bytes have these values.
fn rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0..=0xF4 => byte - 2,
        _ => byte,
    }
}

/// The first eight bytes of a name. Shorter names are filled with zeros, so that equal ones decide
/// nothing.
fn first_bytes(name: &[u8]) -> [u8; 8] {
    name.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut first = [0; 8];
        first.iter_mut().zip(name).for_each(|(place, byte)| *place = *byte);
        first
    })
}

/// The array index that a name is (ECMA-262 §6.1.7): a canonical decimal up to 2^32 - 2.
fn array_index(name: &[u8]) -> Option<u32> {
    if !matches!(name, [b'0'] | [b'1'..=b'9', ..]) || name.len() > 10 {
        return None;
    }
    let index: u32 = std::str::from_utf8(name).ok()?.parse().ok()?;
    (index < u32::MAX).then_some(index)
}
