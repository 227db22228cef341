//! Breaks that the ledger itself declares: which row excuses which line, and whether it may.
//!
//! A declaration names a line by its number and pins that line's text by its SHA-256. It proves nothing about
//! why the break is there: whoever can write rows can declare. So an excused break stays a bound for ever,
//! and what the declaration pins is that the excused text is still the one that was declared. Of several
//! declarations for one line the last one counts, right or wrong.

use std::collections::HashMap;

use crate::fact::{Declared, Digest, Place};

/// What one row declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Where it stands.
    pub place: Place,
    /// SHA-256 of its own text: what was collected must be what is walked.
    pub own_sha256: [u8; 32],
    /// The line that it excuses, as it says: from 1, counted over all parts; `None` for a number that no line
    /// can have.
    pub line: Option<u64>,
    /// The SHA-256 of that line's text, as it says.
    pub sha256: String,
    /// The reason that it gives, cut to what a report shows.
    pub why: String,
    /// What the chain goes on from after a row without link.
    pub resume: Option<Resume>,
}

/// What a chain goes on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// What the next row names.
    pub name: Digest,
    /// Its text, where that is more than the name holds.
    pub text: Option<Box<[u8]>>,
}

/// What a declaration did for the line that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excuse {
    /// The line has the text that it pins.
    pub pin_holds: bool,
    /// A fault became a bound.
    pub excuses: bool,
}

/// All declarations of an export.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    list: Vec<Declaration>,
    /// By the line that they excuse: part and line of that part. Of several the last one.
    excusing: HashMap<(u32, u64), u32>,
    /// By the line that they stand on.
    standing: HashMap<(u32, u64), u32>,
    honoured: bool,
}

impl Declarations {
    /// These, in file order. `parts` are the lines of each part; `honoured` says whether they excuse anything.
    pub fn new(list: Vec<Declaration>, parts: &[u64], honoured: bool) -> Self {
        let mut excusing = HashMap::with_capacity(list.len());
        let mut standing = HashMap::with_capacity(list.len());
        for (index, declaration) in (0..).zip(&list) {
            if let Some(line) = declaration.line.and_then(|line| in_part(line, parts)) {
                excusing.insert(line, index);
            }
            standing.insert((declaration.place.part, declaration.place.line), index);
        }
        Declarations { list, excusing, standing, honoured }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether they excuse anything: a strict walk honours none.
    pub fn honoured(&self) -> bool {
        self.honoured
    }

    /// All of them, in file order.
    pub fn list(&self) -> &[Declaration] {
        &self.list
    }

    /// Whether the line at this place is one to look at: one that is excused, or one that declares.
    pub fn concern(&self, place: Place) -> bool {
        let line = (place.part, place.line);
        !self.is_empty() && (self.excusing.contains_key(&line) || self.standing.contains_key(&line))
    }

    /// What is declared of the line at this place, whose text has this SHA-256.
    pub fn about(&self, place: Place, sha256: &[u8; 32]) -> Option<Declared> {
        let line = (place.part, place.line);
        let excused_by = self.excusing.get(&line).map(|&index| {
            let stated = self.list.get(index as usize).map_or("", |declaration| &declaration.sha256);
            (index, stated == data_encoding::HEXLOWER.encode(sha256))
        });
        let declares = self.standing.get(&line).copied().filter(|&index| {
            self.list.get(index as usize).is_some_and(|declaration| declaration.own_sha256 == *sha256)
        });
        (excused_by.is_some() || declares.is_some()).then_some(Declared { excused_by, declares })
    }

    /// The declaration that excuses a break of this row, if there is one, it pins the row's text, and it is
    /// honoured.
    pub(super) fn excuse(&self, declared: Option<Declared>) -> Option<(u32, &Declaration)> {
        let (index, _) = declared?.excused_by.filter(|(_, pinned)| *pinned && self.honoured)?;
        Some((index, self.list.get(index as usize)?))
    }
}

/// Which line of which part a line of all parts together is.
fn in_part(line: u64, parts: &[u64]) -> Option<(u32, u64)> {
    let mut left = line.checked_sub(1)?;
    for (part, &lines) in (0..).zip(parts) {
        match left.checked_sub(lines) {
            Some(behind) => left = behind,
            None => return Some((part, left + 1)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::in_part;

    #[test]
    fn lines_are_counted_over_all_parts() {
        let parts = [2, 0, 3];
        let found: Vec<_> = (0..=6).map(|line| in_part(line, &parts)).collect();
        assert_eq!(found, [None, Some((0, 1)), Some((0, 2)), Some((2, 1)), Some((2, 2)), Some((2, 3)), None]);
        assert_eq!(in_part(u64::MAX, &parts), None);
    }
}
