//! Key rotation: under several keys, the rows of each form one contiguous run.

use crate::fact::KeyIndex;

/// Which key a chain is signed with now, and which were before.
#[derive(Clone, Debug, Default)]
pub(super) struct Rotation {
    current: Option<KeyIndex>,
    retired: Vec<KeyIndex>,
}

impl Rotation {
    /// These keys have signed rows so far, of which not all were looked at. Where several have and none of these
    /// rows was, each may be the one that was taken over from.
    pub fn go_on(&mut self, signers: &[KeyIndex]) {
        if let (None, [only]) = (self.current, signers) {
            self.current = Some(*only);
        }
        let (current, retired) = (self.current, &mut self.retired);
        let missing = signers.iter().filter(|key| Some(**key) != current);
        for key in missing {
            if !retired.contains(key) {
                retired.push(*key);
            }
        }
    }

    /// Take the key of the next row; says whether it comes back after another one took over.
    pub fn comes_back(&mut self, key: KeyIndex) -> bool {
        match self.current.replace(key) {
            Some(before) if before != key => {
                if !self.retired.contains(&before) {
                    self.retired.push(before);
                }
                self.retired.contains(&key)
            }
            Some(_) => false,
            None => self.retired.contains(&key),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_a_rotation_and_a_return_is_not() {
        let mut rotation = Rotation::default();
        let back: Vec<bool> = [0, 0, 1, 1, 0, 0, 1, 2].iter().map(|&key| rotation.comes_back(KeyIndex(key))).collect();
        assert_eq!(back, [false, false, false, false, true, false, true, false]);
    }

    #[test]
    fn rows_that_were_not_looked_at_count() {
        let back = |seen: &[u16], signers: &[u16], then: u16| {
            let mut rotation = Rotation::default();
            for &key in seen {
                rotation.comes_back(KeyIndex(key));
            }
            rotation.go_on(&signers.iter().map(|&key| KeyIndex(key)).collect::<Vec<_>>());
            rotation.comes_back(KeyIndex(then))
        };
        // The only one goes on, or another one takes over; of several the last one must have been seen.
        assert_eq!([back(&[], &[0], 0), back(&[], &[0], 1), back(&[], &[], 0)], [false, false, false]);
        assert_eq!([back(&[1], &[0, 1], 1), back(&[1], &[0, 1], 0), back(&[1], &[0, 1], 2)], [false, true, false]);
        assert_eq!([back(&[], &[0, 1], 1), back(&[], &[0, 1], 2)], [true, false]);
    }
}
