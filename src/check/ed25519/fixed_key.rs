//! A key with its windows: what is worked out once for all its signatures.

use ed25519_dalek::VerifyingKey;

use super::point::Point;
use super::table::{Entry, ROW, Table};

/// A key that many signatures are judged under.
pub struct FixedKey {
    key: VerifyingKey,
    /// Whether A is of small order.
    weak: bool,
    /// The windows of −A.
    table: Table,
}

impl FixedKey {
    /// The key with its windows: milliseconds of work and 2.9 MiB. `None` if its point, decoded here, is not the one
    /// that curve25519-dalek has: nothing may be judged with it then.
    pub fn new(key: VerifyingKey) -> Option<Self> {
        let point = Point::decode(key.as_bytes())?;
        let same = point.encode(point.z.invert()) == key.to_edwards().compress().to_bytes();
        same.then(|| FixedKey { key, weak: key.is_weak(), table: Table::of(&point.negated()) })
    }

    /// The key, as `verify_strict` takes it.
    pub fn verifying(&self) -> &VerifyingKey {
        &self.key
    }

    /// Bytes of its windows.
    pub const BYTES: usize = Table::BYTES;

    /// The bytes that are hashed: as they were given, also where they are no canonical encoding.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Of small order: `verify_strict` refuses everything under it.
    #[inline(always)]
    pub(super) fn is_weak(&self) -> bool {
        self.weak
    }

    #[inline(always)]
    pub(super) fn windows(&self) -> &[[Entry; ROW]] {
        self.table.windows()
    }
}

impl std::fmt::Debug for FixedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FixedKey").field("key", &self.key).finish_non_exhaustive()
    }
}
