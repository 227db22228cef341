//! What is judged: that a signature over a message holds under a key.

/// Claims that share one inversion.
pub(super) const BLOCK: usize = 256;

/// A signature (`R || S`, RFC 8032 §5.1.6) and what it is said to be over; the key is the same for many.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The bytes that were signed, of any length.
    pub message: &'a [u8],
    /// The signature, untrusted like the message.
    pub signature: &'a [u8; 64],
}

impl<'a> Claim<'a> {
    /// The encoding of R.
    pub(super) fn r(&self) -> &'a [u8; 32] {
        self.signature.split_first_chunk().map_or(&[0; 32], |(r, _)| r)
    }

    /// S, little end first.
    pub(super) fn s(&self) -> &'a [u8; 32] {
        self.signature.split_last_chunk().map_or(&[0; 32], |(_, s)| s)
    }
}
