//! Key rotation: under several keys, the rows of each form one contiguous run.

use crate::fact::KeyIndex;

/// Which key a chain is signed with now, and which were before.
#[derive(Clone, Debug, Default)]
pub(super) struct Rotation {
    current: Option<KeyIndex>,
    retired: Vec<KeyIndex>,
}

impl Rotation {
    /// Take the key of the next row; says whether it comes back after another one took over.
    pub fn comes_back(&mut self, key: KeyIndex) -> bool {
        match self.current.replace(key) {
            Some(before) if before != key => {
                if !self.retired.contains(&before) {
                    self.retired.push(before);
                }
                self.retired.contains(&key)
            }
            _ => false,
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
}
