//! The engine for any processor: R' = s·B − k·A, one signature after the other, in the field of fiat-crypto.

use sha2::{Digest as _, Sha512};

use super::claim::{BLOCK, Claim};
use super::field::invert_all;
use super::fixed_key::FixedKey;
use super::lanes::prefetch;
use super::point::Point;
use super::scalar::{Below, WINDOWS, is_small_order};
use super::table::{Entry, base};

/// How many additions ahead an entry is asked for: a table is larger than the near caches.
const AHEAD: usize = 5;

/// Judge each claim under the key; the verdicts are appended in the same order.
pub(super) fn judge(key: &FixedKey, claims: &[Claim<'_>], verdicts: &mut Vec<bool>) {
    let mut points = Vec::with_capacity(BLOCK);
    let (mut inverses, mut products) = (Vec::with_capacity(BLOCK), Vec::with_capacity(BLOCK));
    for block in claims.chunks(BLOCK) {
        points.clear();
        points.extend(block.iter().map(|claim| point(key, claim)));
        inverses.clear();
        inverses.extend(points.iter().map(|point| point.unwrap_or(Point::NEUTRAL).z));
        invert_all(&mut inverses, &mut products);
        verdicts.extend(block.iter().zip(&points).zip(&inverses).map(|((claim, point), inverse)| {
            let same = |point: &Point| point.encode(*inverse) == *claim.r();
            point.as_ref().is_some_and(same) && !is_small_order(claim.r()) && !key.is_weak()
        }));
    }
}

/// R' = s·B + k·(−A); `None` if s is not below the group order.
fn point(key: &FixedKey, claim: &Claim<'_>) -> Option<Point> {
    let s = Below::new(claim.s())?;
    let hash = Sha512::new().chain_update(claim.r()).chain_update(key.bytes()).chain_update(claim.message);
    let k = Below::of_hash(&hash.finalize().into());
    let mut steps: [(&Entry, bool); 2 * WINDOWS] = [(&base().windows()[0][0], false); 2 * WINDOWS];
    let windows = base().windows().iter().zip(s.digits()).chain(key.windows().iter().zip(k.digits()));
    for (step, (window, digit)) in steps.iter_mut().zip(windows) {
        // No digit is above 1024, and a window has 1025 entries.
        *step = (&window[usize::from(digit.unsigned_abs())], digit < 0);
    }
    steps.iter().take(AHEAD).for_each(|(entry, _)| prefetch(entry));
    let mut sum = Point::NEUTRAL;
    for (at, (entry, negative)) in steps.iter().enumerate() {
        if let Some((later, _)) = steps.get(at + AHEAD) {
            prefetch(later);
        }
        sum = sum.plus(&entry.addend(), *negative);
    }
    Some(sum)
}
