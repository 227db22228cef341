//! The generator's own random numbers: splitmix64 (Steele, Lea, Flood 2014; the seeder of Java and
//! of the xoshiro family).
//!
//! A generator of our own, because the same seed must give the same bytes on every machine and with
//! every later version of any crate. splitmix64 is ten lines, only wraps 64-bit integers, and needs
//! no care in seeding: two streams whose seeds differ in one bit have nothing in common. Nothing
//! here is secret, so it need not be unpredictable.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of this number under this seed: each row has its own, so that what one row draws
    /// never moves another row's content.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut outer = Random(seed);
        Random(outer.draw() ^ Random(stream).draw())
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit` (0 if that is 0). The bias of the multiplication is below 2^-40 for the
    /// small limits used here.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.draw()) * u128::from(limit)) >> 64) as u64
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of the list.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }

    /// 32 bytes, as for a digest of something that is not here.
    pub fn digest(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            chunk.copy_from_slice(&self.draw().to_le_bytes());
        }
        bytes
    }

    /// That many lower-case hex digits, 64 at most.
    pub fn hex(&mut self, digits: usize) -> String {
        let mut text = data_encoding::HEXLOWER.encode(&self.digest());
        text.truncate(digits);
        text
    }
}
