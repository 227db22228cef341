//! Which members of a value are written.
//!
//! Decides what becomes of each member of an object, from plain data that is compiled once. Only
//! members of objects are selected: the elements of an array are all written.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use super::condition::Test;
use super::include::{Extent, Include, Why};
use super::paths::{Entry, NOWHERE, Paths, Rule, names, pieces};
use crate::row::{Node, Value};

/// What a profile's `json` table says of members. Paths are dotted and relative to `of`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectSpec {
    /// The member that is written instead of the row.
    pub of: Option<String>,
    /// Only these members, in this order in a form with keys as written. With all three lists of
    /// included members empty, every member.
    pub include: Vec<String>,
    /// These too; each may be absent.
    pub include_if_present: Vec<String>,
    /// These too, where a condition holds.
    pub include_when: Vec<When>,
    /// What is done where an included member is absent.
    pub missing: Absent,
    /// Members that are left out; `a[].b` in each element of `a`, `a.0.b` in the first.
    pub exclude: Vec<String>,
    /// Names of members that are left out of objects at every depth, but not of those in arrays.
    pub exclude_recursive: Vec<String>,
    /// Which members are left out if null.
    pub drop_null: DropNull,
    /// Members that are null where they would not be written, in an object that is.
    pub keep_null: Vec<String>,
    /// New names of members: the path by the old names, and the name.
    pub rename: Vec<(String, String)>,
    /// Members that are replaced by a value from elsewhere, or added, in an object that is written;
    /// the path by the new names. The number of a path is that of its replacement.
    pub set: Vec<String>,
}

/// Members that are included where a test of another one holds.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    /// The member that is tested.
    pub field: String,
    /// What it must be.
    pub test: Test,
    /// What is included then.
    pub fields: Vec<String>,
}

/// What is done where an included member is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// The row cannot be written.
    #[default]
    Error,
    /// It is written as null; at the end of a dotted path in the objects that lead there.
    Null,
    /// It is passed over.
    Omit,
}

/// Which members are left out if null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DropNull {
    /// None.
    #[default]
    Off,
    /// Those of every object.
    Everywhere,
    /// Those of objects that are in no array.
    Objects,
}

/// A compiled selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    of: Vec<String>,
    pub(super) include: Include,
    conditions: Vec<(Vec<String>, Test)>,
    pub(super) missing: Absent,
    /// `exclude`, `keep_null` and `rename`, by the names of the row.
    pub(super) rules: Paths,
    exclude_recursive: Vec<String>,
    drop_null: DropNull,
    /// By the new names.
    pub(super) set: Paths,
    identity: Identity,
}

/// A number that no other compiled selection has but copies of it; 0 is the one that keeps everything.
#[derive(Clone, Copy, Default)]
struct Identity(u64);

/// Two selections are equal if they select the same.
impl PartialEq for Identity {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// And are shown alike.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

/// Identities that were given.
static SELECTIONS: AtomicU64 = AtomicU64::new(1);

/// Where in the selection a value is: the levels of its paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub include: u32,
    pub rules: u32,
    pub set: u32,
    pub in_array: bool,
}

impl Place {
    /// Where no path says anything.
    pub fn unnamed(in_array: bool) -> Self {
        Place { include: NOWHERE, rules: NOWHERE, set: NOWHERE, in_array }
    }

    pub fn is_unnamed(self) -> bool {
        self.include == NOWHERE && self.rules == NOWHERE && self.set == NOWHERE
    }
}

/// What becomes of a member, up to `set`.
pub(super) enum Fate<'s> {
    /// It is left out, whatever its value.
    Out,
    /// It is left out because it is null.
    NullOut,
    /// It is written at this place of the order, as what the entry says.
    In { position: Option<u32>, place: Place, entry: Option<&'s Entry> },
}

impl Select {
    /// Compiles a selection; says of which path it cannot.
    pub fn new(spec: &SelectSpec) -> Result<Self, String> {
        let mut include = Include::default();
        for path in &spec.include {
            include.add(path, Why::Always)?;
        }
        for path in &spec.include_if_present {
            include.add(path, Why::IfPresent)?;
        }
        let mut conditions = Vec::new();
        for (number, when) in spec.include_when.iter().enumerate() {
            conditions.push((names(&when.field)?, when.test.clone()));
            for path in &when.fields {
                include.add(path, Why::Condition(number))?;
            }
        }
        if spec.missing != Absent::Omit
            && let Some((outer, inner)) = include.contradiction()
        {
            return Err(format!(
                "{inner:?} must be there, but {outer:?} need not (include_if_present): name one of them"
            ));
        }
        let mut rules = Vec::new();
        for path in &spec.keep_null {
            rules.push((pieces(path)?, Rule { keep_null: true, ..Rule::default() }));
        }
        for path in &spec.exclude {
            rules.push((pieces(path)?, Rule { exclude: true, ..Rule::default() }));
        }
        for (path, name) in &spec.rename {
            rules.push((pieces(path)?, Rule { rename: Some(name.clone()), ..Rule::default() }));
        }
        let mut set = Vec::new();
        for (number, path) in (0..).zip(&spec.set) {
            set.push((pieces(path)?, Rule { set: Some(number), ..Rule::default() }));
        }
        Ok(Select {
            of: spec.of.as_deref().map(names).transpose()?.unwrap_or_default(),
            include,
            conditions,
            missing: spec.missing,
            rules: Paths::new(&rules),
            exclude_recursive: spec.exclude_recursive.clone(),
            drop_null: spec.drop_null,
            set: Paths::new(&set),
            identity: Identity(SELECTIONS.fetch_add(1, Ordering::Relaxed)),
        })
    }

    /// The paths of what must be there for a row to be written.
    pub fn needed(&self) -> Vec<String> {
        if self.missing != Absent::Error {
            return Vec::new();
        }
        let outer = self.include.wanted(self.include.root());
        let names = outer.iter().filter_map(|wanted| self.include.needed(wanted, &[]));
        names.map(|wanted| self.of.iter().chain([&wanted.path]).cloned().collect::<Vec<String>>().join(".")).collect()
    }

    /// A number that no other selection has but copies of it.
    pub(super) fn identity(&self) -> u64 {
        self.identity.0
    }

    /// Whether what is written of a row depends on its values, and not on its names and nesting alone.
    pub(super) fn looks_at_values(&self) -> bool {
        !self.conditions.is_empty() || self.drop_null != DropNull::Off
    }

    /// The names that lead to the value that is written.
    pub(super) fn of(&self) -> &[String] {
        &self.of
    }

    /// Where the value that is written is.
    pub(super) fn root(&self) -> Place {
        Place { include: self.include.root(), rules: self.rules.root(), set: self.set.root(), in_array: false }
    }

    /// Which conditions hold in the value that is written.
    pub(super) fn conditions(&self, value: Value<'_>, holds: &mut Vec<bool>) {
        holds.clear();
        holds.extend(self.conditions.iter().map(|(field, test)| test.holds(value.path(field))));
    }

    /// Whether everything there is written as it is.
    #[inline]
    pub(super) fn keeps_all(&self, place: Place) -> bool {
        place.is_unnamed() && !self.drops_null(place) && (place.in_array || self.exclude_recursive.is_empty())
    }

    /// Whether every member there that no rule names is written as it is.
    pub(super) fn only_rules(&self, place: Place) -> bool {
        self.keeps_all(Place { rules: NOWHERE, ..place })
    }

    /// Whether nothing there or below is left out but nulls.
    pub(super) fn leaves_none_out_below(&self, place: Place) -> bool {
        place.is_unnamed() && (place.in_array || self.exclude_recursive.is_empty())
    }

    fn drops_null(&self, place: Place) -> bool {
        match self.drop_null {
            DropNull::Off => false,
            DropNull::Everywhere => true,
            DropNull::Objects => !place.in_array,
        }
    }

    /// Where an element of an array is.
    pub(super) fn item(&self, place: Place, index: u32) -> Place {
        let below = |paths: &Paths, level| if level == NOWHERE { NOWHERE } else { paths.item(level, index) };
        Place {
            include: NOWHERE,
            rules: below(&self.rules, place.rules),
            set: below(&self.set, place.set),
            in_array: true,
        }
    }

    /// What becomes of a member of the row. `holds` are the conditions; `likely` is the scratch of
    /// [`Include::find`], 0 at the start of an object.
    #[inline]
    pub(super) fn fate(&self, holds: &[bool], place: Place, name: &[u8], node: Node, likely: &mut usize) -> Fate<'_> {
        if place.include == NOWHERE {
            return self.fate_of_included(place, name, node, NOWHERE, None);
        }
        match self.include.find(place.include, name, holds, likely) {
            Some((at, Extent::Whole)) => self.fate_of_included(place, name, node, NOWHERE, Some(at)),
            Some((at, Extent::Part(level))) if matches!(node, Node::Object { .. }) => {
                self.fate_of_included(place, name, node, level, Some(at))
            }
            // A value without members has no part that was asked for.
            Some((_, Extent::Part(_))) | None => Fate::Out,
        }
    }

    /// The same from `exclude` on: `include` is the level of what is included below.
    #[inline]
    pub(super) fn fate_of_included(
        &self,
        place: Place,
        name: &[u8],
        node: Node,
        include: u32,
        position: Option<u32>,
    ) -> Fate<'_> {
        let entry = self.rules.entry(place.rules, name);
        let recursively = || self.exclude_recursive.iter().any(|left_out| left_out.as_bytes() == name);
        if entry.is_some_and(|entry| entry.rule.exclude) || (!place.in_array && recursively()) {
            return Fate::Out;
        }
        if node == Node::Null && self.drops_null(place) && !entry.is_some_and(|entry| entry.rule.keep_null) {
            return Fate::NullOut;
        }
        let rules = entry.map_or(NOWHERE, |entry| entry.below);
        Fate::In { position, place: Place { include, rules, set: NOWHERE, in_array: place.in_array }, entry }
    }
}
