//! Paths of a selection, compiled so that a value is matched level by level.
//!
//! Decides what the paths of `exclude`, `keep_null`, `rename` and `set` say of a member. A piece is
//! a member's name, or the number of an element of an array; `[]` after a piece is each element.

use std::collections::HashMap;

/// No level: nothing is said of anything below.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A path has fewer pieces, so that compiling one needs no deep stack.
const MOST_PIECES: usize = 100;

/// A path by its number, from a piece on.
type Rest = (usize, usize);

/// A piece of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A member, or the element of this number.
    Name(String),
    /// Each element.
    Each,
}

/// What paths say of the member at their end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub exclude: bool,
    pub keep_null: bool,
    pub rename: Option<String>,
    /// The number of the value that replaces it.
    pub set: Option<u32>,
}

/// Compiled paths.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Paths {
    levels: Vec<Level>,
    root: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
struct Level {
    entries: Vec<Entry>,
    /// The level below the element of a number.
    items: Vec<(u32, u32)>,
    /// The level below every other element.
    each: u32,
}

/// What is said of a member.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub name: String,
    pub rule: Rule,
    /// The level of what is below it.
    pub below: u32,
}

/// The pieces of a dotted path, which ends at a member.
pub(super) fn pieces(path: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    for text in path.split('.') {
        let name = text.trim_end_matches("[]");
        let each = (text.len() - name.len()) / 2;
        // `[].a`: the value itself is an array.
        if !name.is_empty() || each == 0 {
            pieces.push(Piece::Name(name.to_owned()));
        }
        pieces.extend(std::iter::repeat_n(Piece::Each, each));
    }
    match pieces.last() {
        _ if path.is_empty() => Err("an empty path".to_owned()),
        _ if pieces.len() >= MOST_PIECES => Err(format!("{path:?} has {MOST_PIECES} pieces or more")),
        Some(Piece::Name(_)) => Ok(pieces),
        _ => Err(format!("{path:?} names each element of an array: only members of objects are selected")),
    }
}

/// The pieces of a dotted path that leads through objects, or by number through arrays.
pub(super) fn names(path: &str) -> Result<Vec<String>, String> {
    let pieces = pieces(path)?.into_iter().map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Each => None,
    });
    pieces.collect::<Option<_>>().ok_or_else(|| format!("{path:?}: `[]` has no place in this path"))
}

impl Paths {
    pub fn new(paths: &[(Vec<Piece>, Rule)]) -> Self {
        let mut compiled = Paths::default();
        let whole = (0..paths.len()).map(|path| (path, 0)).collect();
        let root = compiled.level(paths, whole, &mut HashMap::new());
        compiled.root = (root != NOWHERE).then_some(root);
        compiled
    }

    /// The level of what is left of these paths, each from a piece on.
    fn level(&mut self, paths: &[(Vec<Piece>, Rule)], rests: Vec<Rest>, known: &mut HashMap<Vec<Rest>, u32>) -> u32 {
        if rests.is_empty() {
            return NOWHERE;
        }
        if let Some(level) = known.get(&rests) {
            return *level;
        }
        let mut named: Vec<(&str, Rule, Vec<Rest>)> = Vec::new();
        let mut of_each = Vec::new();
        for &(path, at) in &rests {
            let Some((pieces, rule)) = paths.get(path) else { continue };
            match pieces.get(at) {
                None => {}
                Some(Piece::Each) => of_each.push((path, at + 1)),
                Some(Piece::Name(name)) => {
                    let place = named.iter().position(|(earlier, ..)| earlier == name).unwrap_or_else(|| {
                        named.push((name, Rule::default(), Vec::new()));
                        named.len() - 1
                    });
                    let Some((_, ended, below)) = named.get_mut(place) else { continue };
                    if at + 1 < pieces.len() {
                        below.push((path, at + 1));
                    } else {
                        ended.exclude |= rule.exclude;
                        ended.keep_null |= rule.keep_null;
                        ended.rename = rule.rename.clone().or(ended.rename.take());
                        ended.set = rule.set.or(ended.set);
                    }
                }
            }
        }
        let mut level = Level { entries: Vec::new(), items: Vec::new(), each: NOWHERE };
        for (name, rule, rests) in named {
            if !rests.is_empty()
                && let Some(index) = element(name)
            {
                let together = rests.iter().chain(&of_each).copied().collect();
                level.items.push((index, self.level(paths, together, known)));
            }
            let below = self.level(paths, rests, known);
            level.entries.push(Entry { name: name.to_owned(), rule, below });
        }
        level.each = self.level(paths, of_each, known);
        self.levels.push(level);
        let index = (self.levels.len() - 1) as u32;
        known.insert(rests, index);
        index
    }

    /// The level of the value itself.
    pub fn root(&self) -> u32 {
        self.root.unwrap_or(NOWHERE)
    }

    /// What is said of members at this level.
    #[inline]
    pub fn entries(&self, level: u32) -> &[Entry] {
        self.levels.get(level as usize).map_or(&[], |level| &level.entries)
    }

    /// What is said of the member of this name.
    #[inline]
    pub fn entry(&self, level: u32, name: &[u8]) -> Option<&Entry> {
        self.entries(level).iter().find(|entry| entry.name.as_bytes() == name)
    }

    /// The level below an element.
    pub fn item(&self, level: u32, index: u32) -> u32 {
        let Some(level) = self.levels.get(level as usize) else { return NOWHERE };
        level.items.iter().find(|(number, _)| *number == index).map_or(level.each, |(_, below)| *below)
    }
}

/// The number of an element, as a path spells it.
fn element(name: &str) -> Option<u32> {
    name.parse().ok().filter(|index: &u32| index.to_string() == name)
}
