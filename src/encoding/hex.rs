//! Lower-case hexadecimal digits, all of a text at once.
//!
//! Digests and signatures are most of what is decoded and encoded, several in each row. The loops look at every
//! digit without an early end, so that it is done for many of them together.

/// Fill `room` with the bytes of these digits; `None` if they are not twice as many digits, or not all lower case.
pub(super) fn decode(text: &[u8], room: &mut [u8]) -> Option<()> {
    if text.len() != 2 * room.len() {
        return None;
    }
    let is_digit = |byte: &u8| (byte.wrapping_sub(b'0') < 10) | (byte.wrapping_sub(b'a') < 6);
    if !text.iter().fold(true, |all, byte| all & is_digit(byte)) {
        return None;
    }
    // The low half of a letter is 1 to 6, and only letters have this bit.
    let value = |digit: u8| (digit & 15) + 9 * (digit >> 6);
    for (byte, [high, low]) in room.iter_mut().zip(text.as_chunks().0) {
        *byte = value(*high) << 4 | value(*low);
    }
    Some(())
}

/// Append the digits of these bytes.
pub(super) fn encode_into(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    let start = out.len();
    out.resize(start + 2 * bytes.len(), 0);
    let room = out.get_mut(start..).unwrap_or_default();
    for (pair, byte) in room.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_encoded_and_decoded_as_by_the_crate(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let mut text = b"0x".to_vec();
            encode_into(&bytes, &mut text);
            let slow = format!("0x{}", HEXLOWER.encode(&bytes));
            prop_assert_eq!(&text, slow.as_bytes());
            let mut room = vec![0xAA; bytes.len()];
            prop_assert_eq!(decode(&text[2..], &mut room), Some(()));
            prop_assert_eq!(room, bytes);
        }

        #[test]
        fn texts_are_refused_as_by_the_crate(text in "[0-9a-f]{0,70}[/:`gAF@\u{0}\u{ff}0a]?[0-9a-f]{0,9}", room in 0usize..40) {
            let mut room = vec![0; room];
            let mut slow = room.clone();
            let decoded = HEXLOWER.decode(text.as_bytes()).ok().filter(|bytes| bytes.len() == room.len());
            prop_assert_eq!(decode(text.as_bytes(), &mut room).is_some(), decoded.is_some());
            if let Some(decoded) = decoded {
                slow.copy_from_slice(&decoded);
                prop_assert_eq!(room, slow);
            }
        }
    }

    #[test]
    fn every_byte_is_a_digit_or_none() {
        for byte in 0..=u8::MAX {
            let wanted = (byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)).then_some(());
            assert_eq!(decode(&[byte, b'0'], &mut [0]), wanted, "{byte:#x}");
            assert_eq!(decode(&[b'f', byte], &mut [0]), wanted, "{byte:#x}");
        }
    }
}
