//! What preimages and messages cover of a row: the members that they leave out, anyone can change.
//!
//! Decided from the words of the profile, and for a format that lists what it hashes, or drops names at
//! every depth, from the members that a row has. A member is covered if one of the parts that a row must
//! have, hashed, signed or bound, has it whole.

use super::parts::{Member, Part};
use super::schema::JsonTable;
use crate::row::Value;

/// What a `json` part keeps, as dotted paths from the row; `[]` is every item of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    of: String,
    include: Option<Vec<String>>,
    exclude: Vec<String>,
    recursive: Vec<String>,
    /// Members whose own value does not enter.
    replaced: Vec<String>,
}

/// How much of a member is covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Covered {
    Whole,
    /// Something of it, or below it.
    Partly,
    Nothing,
}

/// What the rows of one rule cover.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    kept: Vec<Kept>,
    /// Members that enter by themselves, or are judged by themselves.
    members: Vec<String>,
}

impl Kept {
    pub(super) fn new(table: &JsonTable) -> Self {
        let include = table.include.as_ref().map(|always| {
            let sometimes = table.include_when.iter().flat_map(|include| &include.fields);
            always.iter().chain(&table.include_if_present).chain(sometimes).cloned().collect()
        });
        Kept {
            of: table.of.clone().unwrap_or_default(),
            include,
            exclude: table.exclude.clone(),
            recursive: table.exclude_recursive.clone(),
            replaced: table.set.keys().cloned().collect(),
        }
    }

    /// Of the member at this path.
    fn covers(&self, path: &str) -> Covered {
        let inside = match (self.of.is_empty(), below(path, &self.of)) {
            (true, _) => path,
            (false, Some(inside)) => inside,
            (false, None) if below(&self.of, path).is_some() => return Covered::Partly,
            (false, None) => return Covered::Nothing,
        };
        if inside.is_empty() {
            return if self.is_selective() { Covered::Partly } else { Covered::Whole };
        }
        if inside.split(['.', '[']).any(|piece| self.recursive.iter().any(|name| name == piece)) {
            return Covered::Nothing;
        }
        let out = self.exclude.iter().chain(&self.replaced);
        if out.clone().any(|out| below(inside, out).is_some()) {
            return Covered::Nothing;
        }
        let included = match &self.include {
            None => Covered::Whole,
            Some(list) if list.iter().any(|path| below(inside, path).is_some()) => Covered::Whole,
            Some(list) if list.iter().any(|path| below(path, inside).is_some()) => Covered::Partly,
            Some(_) => Covered::Nothing,
        };
        let holes = !self.recursive.is_empty() || out.clone().any(|out| below(out, inside).is_some());
        match included {
            Covered::Whole if holes => Covered::Partly,
            included => included,
        }
    }

    fn is_selective(&self) -> bool {
        self.include.is_some() || !(self.exclude.is_empty() && self.recursive.is_empty() && self.replaced.is_empty())
    }
}

/// The rest of `path` below `above`: empty for the same path. An index in `path` is one of `[]`.
fn below<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(above)?;
    match rest.as_bytes().first() {
        None => Some(rest),
        Some(b'.') => rest.get(1..),
        Some(b'[') => Some(rest),
        Some(_) => None,
    }
}

impl Coverage {
    /// Of these parts, besides members that are judged by themselves.
    pub(super) fn new<'p>(parts: impl Iterator<Item = &'p [Part]>, judged: impl Iterator<Item = String>) -> Self {
        let mut coverage = Coverage { kept: Vec::new(), members: judged.collect() };
        parts.for_each(|parts| coverage.add(parts));
        coverage
    }

    fn add(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Json(json) => self.kept.push(json.kept.clone()),
                Part::Member(member) => self.members.push(member.whole_member()),
                // The line is everything.
                Part::Line => self.kept.push(Kept::default()),
                Part::Digest { of, .. } | Part::Framed { of, .. } => self.add(of),
                Part::Bytes(_) | Part::Prev(_) | Part::Hash(_) => {}
            }
        }
    }

    fn covers(&self, path: &str) -> Covered {
        let mut covered = Covered::Nothing;
        for member in &self.members {
            if below(path, member).is_some() {
                return Covered::Whole;
            }
            if below(member, path).is_some() {
                covered = Covered::Partly;
            }
        }
        for kept in &self.kept {
            match kept.covers(path) {
                Covered::Whole => return Covered::Whole,
                Covered::Partly => covered = Covered::Partly,
                Covered::Nothing => {}
            }
        }
        covered
    }

    /// Whether every member of every row is covered.
    pub(super) fn is_whole(&self) -> bool {
        self.kept.iter().any(|kept| {
            let out = kept.exclude.iter().chain(&kept.replaced);
            kept.of.is_empty()
                && kept.include.is_none()
                && kept.recursive.is_empty()
                && out.into_iter().all(|path| self.members.iter().any(|member| below(path, member).is_some()))
        })
    }

    /// The members of this row that are not covered: the outermost ones of which nothing is.
    pub fn uncovered(&self, row: Value<'_>) -> Vec<String> {
        let mut out = Vec::new();
        let mut open: Vec<(String, Value<'_>)> =
            row.members().map(|(name, value)| (name.to_owned(), value)).collect();
        while let Some((path, value)) = open.pop() {
            match self.covers(&path) {
                Covered::Whole => {}
                Covered::Partly if value.is_object() && value.count() > 0 => {
                    open.extend(value.members().map(|(name, value)| (format!("{path}.{name}"), value)));
                }
                Covered::Partly if value.is_array() && self.looks_into(&path) => {
                    open.extend(value.items().map(|item| (format!("{path}[]"), item)));
                }
                // A member without members of its own, of which a part could be left out only by name.
                Covered::Partly => {}
                Covered::Nothing => out.push(path),
            }
        }
        out.sort();
        out.dedup();
        out
    }

    /// Whether items of the array at this path are told apart.
    fn looks_into(&self, path: &str) -> bool {
        let items = format!("{path}[]");
        self.kept.iter().flat_map(|kept| &kept.exclude).any(|out| below(out, &items).is_some())
    }
}

impl Member {
    /// The member that it needs whole, to be covered by it.
    fn whole_member(&self) -> String {
        // Of a text that an expression takes apart the rest is open; what reads inside JSON text covers
        // nothing of the text's spelling.
        match self.field.is_whole() {
            true => self.field.name().to_owned(),
            false => String::from("\u{0}"),
        }
    }
}

/// Whether these parts cover the member at this path.
pub(super) fn covers(parts: &[Part], path: &str) -> bool {
    Coverage::new(std::iter::once(parts), std::iter::empty()).covers(path) == Covered::Whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_itself_and_what_it_starts_with() {
        assert_eq!(below("a.b.c", "a.b"), Some("c"));
        assert_eq!(below("a.b", "a.b"), Some(""));
        assert_eq!(below("a.bc", "a.b"), None);
        assert_eq!(below("a[].b", "a"), Some("[].b"));
    }
}
