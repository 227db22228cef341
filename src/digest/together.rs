//! SHA-256 of many messages, of which the order in time is free.
//!
//! Messages are gathered with their padding (FIPS 180-4 §5.1.1) and hashed in pairs of about one length.

use super::pair::{self, Block, State};

/// The state before the first block (FIPS 180-4 §5.3.3).
const INITIAL: State =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// Messages that are hashed together.
#[derive(Debug, Default)]
pub struct Together {
    /// Whole blocks: the messages with their padding.
    blocks: Vec<Block>,
    /// How many blocks there are up to the end of each message.
    ends: Vec<usize>,
}

impl Together {
    /// Adds a message.
    pub fn add(&mut self, message: &[u8]) {
        let (whole, rest) = message.as_chunks::<64>();
        self.blocks.extend_from_slice(whole);
        let mut last = [0; 64];
        for (byte, of) in last.iter_mut().zip(rest.iter().chain([&0x80])) {
            *byte = *of;
        }
        // Behind the mark there must be room for the length in bits.
        if rest.len() + 9 > 64 {
            self.blocks.push(std::mem::replace(&mut last, [0; 64]));
        }
        let bits = (message.len() as u64).wrapping_mul(8);
        if let Some(length) = last.last_chunk_mut() {
            *length = bits.to_be_bytes();
        }
        self.blocks.push(last);
        self.ends.push(self.blocks.len());
    }

    /// The digests of all messages, in the order in which they were added; there are none left then.
    pub fn digests(&mut self) -> Vec<[u8; 32]> {
        let mut out = vec![[0; 32]; self.ends.len()];
        let starts = std::iter::once(&0).chain(&self.ends);
        let messages = starts.zip(&self.ends).map(|(start, end)| self.blocks.get(*start..*end).unwrap_or_default());
        let mut messages: Vec<(usize, &[Block])> = messages.enumerate().collect();
        messages.sort_unstable_by_key(|(_, blocks)| blocks.len());
        for two in messages.chunks(2) {
            let mut states = [INITIAL; 2];
            let [first, second] = &mut states;
            let blocks = [0, 1].map(|lane| two.get(lane).map_or(&[][..], |(_, blocks)| blocks));
            pair::compress([first, second], blocks);
            let both = blocks[0].len().min(blocks[1].len());
            for ((index, blocks), state) in two.iter().zip(&mut states) {
                sha2::block_api::compress256(state, blocks.get(both..).unwrap_or_default());
                if let Some(out) = out.get_mut(*index) {
                    out.as_chunks_mut::<4>()
                        .0
                        .iter_mut()
                        .zip(state)
                        .for_each(|(bytes, word)| *bytes = word.to_be_bytes());
                }
            }
        }
        self.clear();
        out
    }

    /// Forgets all messages.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    fn all_fit(messages: &[Vec<u8>], together: &mut Together) {
        messages.iter().for_each(|message| together.add(message));
        let slow: Vec<[u8; 32]> = messages.iter().map(|message| Sha256::digest(message).into()).collect();
        assert_eq!(together.digests(), slow);
    }

    #[test]
    fn messages_of_every_length_around_a_block() {
        let mut together = Together::default();
        for most in [0, 1, 2, 3, 200] {
            let messages: Vec<Vec<u8>> = (0..most).map(|length: usize| vec![length as u8; length]).collect();
            all_fit(&messages, &mut together);
        }
    }

    proptest! {
        #[test]
        fn digests_are_those_of_the_crate(messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..700), 0..9)) {
            all_fit(&messages, &mut Together::default());
        }
    }
}
