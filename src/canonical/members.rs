//! The members of an object as they are written: selected, renamed, replaced, added, in order.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::order::{self, ADDED};
use super::paths::NOWHERE;
use super::select::{Absent, Fate, Place, Select};
use super::{Form, Keys, Unicode};
use crate::row::wtf8::{self, Piece, pieces};
use crate::row::{Node, Row};

/// The members of all open objects that are still written, each object's in order.
#[derive(Debug, Default)]
pub(super) struct Members {
    list: Vec<Member>,
    special: Vec<Special>,
    /// The names that are not the row's.
    names: Vec<u8>,
}

/// A member that is still to be written.
#[derive(Clone, Copy, Debug)]
struct Member {
    /// The first bytes of its name, or its position, as they sort; most members differ within them.
    key: u64,
    /// The index of its name on the tape; its value follows.
    index: u32,
    /// What is special about it, or [`NOWHERE`].
    special: u32,
}

/// What is special about a member.
#[derive(Clone, Copy, Debug)]
struct Special {
    /// Its name, if it is not the row's.
    name: Option<(u32, u32)>,
    value: What,
    place: Place,
}

/// The value of a member or element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// That at this index of the tape.
    Own(u32),
    Null,
    /// An object of which only absent members are asked for.
    Empty,
    /// The replacement of this number.
    Replaced(u32),
}

/// How far the lists reach before an object's own entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    list: usize,
    special: usize,
    names: usize,
}

/// What is written of an object, and in which order. With `JCS` the order and what is done to names
/// are those of RFC 8785, known when this is compiled.
pub(super) struct Object<'a, const JCS: bool> {
    pub select: &'a Select,
    pub holds: &'a [bool],
    pub row: &'a Row,
    /// The object's index on the tape; `None` for one that is not there.
    pub index: Option<u32>,
    pub place: Place,
    /// Whether every member is written.
    pub whole: bool,
    pub keys: Keys,
    pub unicode: Unicode,
}

impl<const JCS: bool> Object<'_, JCS> {
    #[inline]
    fn keys(&self) -> Keys {
        if JCS { Form::JCS.keys } else { self.keys }
    }

    #[inline]
    fn unicode(&self) -> Unicode {
        if JCS { Form::JCS.unicode } else { self.unicode }
    }
}

impl Members {
    pub fn clear(&mut self) {
        self.list.clear();
        self.special.clear();
        self.names.clear();
    }

    fn mark(&self) -> Mark {
        Mark { list: self.list.len(), special: self.special.len(), names: self.names.len() }
    }

    /// Forgets an object whose members are written.
    pub fn forget(&mut self, mark: Mark) {
        self.list.truncate(mark.list);
        self.special.truncate(mark.special);
        self.names.truncate(mark.names);
    }

    /// The member of this number of an object: its name, whether it is the row's, its value, and where
    /// it is if anything is said of it.
    #[inline]
    pub fn get<'a>(&'a self, mark: Mark, number: usize, row: &'a Row) -> Option<(&'a [u8], bool, What, Option<Place>)> {
        let member = self.list.get(mark.list + number)?;
        let own = What::Own(member.index.saturating_add(1));
        Some(match self.special.get(member.special as usize) {
            None => (row.name(member.index), true, own, None),
            Some(Special { name: None, value, place }) => (row.name(member.index), true, *value, Some(*place)),
            Some(Special { name: Some(_), value, place }) => (self.name(member, row), false, *value, Some(*place)),
        })
    }

    /// Collects the members of an object. The error is the path of an included one that is absent.
    #[inline]
    pub fn collect<const JCS: bool>(&mut self, object: &Object<'_, JCS>) -> Result<Mark, String> {
        let mark = self.mark();
        if object.whole {
            self.take_all(object);
        } else {
            self.select(object, mark)?;
        }
        let Members { list, special, names } = self;
        let row = object.row;
        if let Some(members) = list.get_mut(mark.list..) {
            let whole = |a: &Member, b: &Member| {
                let name = |member| name_of(member, row, special, names);
                order::compare(object.keys(), name(a), name(b)).then((a.index, a.special).cmp(&(b.index, b.special)))
            };
            members.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| whole(a, b)));
        }
        Ok(mark)
    }

    #[inline]
    fn take_all<const JCS: bool>(&mut self, object: &Object<'_, JCS>) {
        let Object { row, place, .. } = *object;
        let (keys, unicode) = (object.keys(), object.unicode());
        for (position, index) in (0..).zip(names_of(object)) {
            let name = row.name(index);
            if unicode == Unicode::Nfc && !is_normalized(name) {
                self.push_named(object, position, index, name, What::Own(index.saturating_add(1)), place);
            } else {
                self.list.push(Member { key: order::key(keys, name, position), index, special: NOWHERE });
            }
        }
    }

    fn select<const JCS: bool>(&mut self, object: &Object<'_, JCS>, mark: Mark) -> Result<(), String> {
        let Object { select, holds, row, place, .. } = *object;
        let mut likely = 0;
        // Most members of most profiles: nothing is said of them.
        let plain = object.unicode() == Unicode::None && select.only_rules(place);
        let rules = select.rules.entries(place.rules);
        for (position, index) in (0..).zip(names_of(object)) {
            let name = row.name(index);
            if plain && !rules.iter().any(|entry| entry.name.as_bytes() == name) {
                self.list.push(Member { key: order::key(object.keys(), name, position), index, special: NOWHERE });
                continue;
            }
            let value = index.saturating_add(1);
            let fate = select.fate(holds, place, name, row.node(value), &mut likely);
            self.push_fate(object, fate, position, index, name, What::Own(value));
        }
        if place.include != NOWHERE && select.missing != Absent::Omit {
            self.add_missing(object)?;
        }
        if place.rules != NOWHERE {
            self.add_kept_nulls(object);
        }
        if place.set != NOWHERE {
            self.add_set(object, mark);
        }
        Ok(())
    }

    /// Adds what is asked for and absent.
    fn add_missing<const JCS: bool>(&mut self, object: &Object<'_, JCS>) -> Result<(), String> {
        let Object { select, holds, row, place, .. } = *object;
        for (position, wanted) in (0..).zip(select.include.wanted(place.include)) {
            let Some(needed) = select.include.needed(wanted, holds) else { continue };
            let Some(extent) = select.include.extent(wanted, holds) else { continue };
            let name = wanted.name.as_bytes();
            let there = names_of(object).find(|index| row.name(*index) == name);
            let (node, include, value) = match extent {
                super::include::Extent::Whole => (Node::Null, NOWHERE, What::Null),
                super::include::Extent::Part(level) => (Node::Object { count: 0, end: 0 }, level, What::Empty),
            };
            let is_object = |index: u32| matches!(row.node(index.saturating_add(1)), Node::Object { .. });
            if there.is_some_and(|index| include == NOWHERE || is_object(index)) {
                continue;
            }
            if select.missing == Absent::Error {
                return Err(needed.path.clone());
            }
            let fate = select.fate_of_included(place, name, node, include, Some(position));
            self.push_fate(object, fate, position, NOWHERE, name, value);
        }
        Ok(())
    }

    /// Adds the members that are null where they would not be written.
    fn add_kept_nulls<const JCS: bool>(&mut self, object: &Object<'_, JCS>) {
        let Object { select, holds, row, place, .. } = *object;
        let kept = select.rules.entries(place.rules).iter().filter(|entry| entry.rule.keep_null);
        for (position, entry) in (ADDED..).zip(kept) {
            let name = entry.name.as_bytes();
            let there = names_of(object).find(|index| row.name(*index) == name);
            // What is there keeps its null, unless it is left out for another reason.
            let is_written = there.is_some_and(|index| {
                let node = row.node(index.saturating_add(1));
                matches!(select.fate(holds, place, name, node, &mut 0), Fate::In { .. })
            });
            let is_missing = || {
                let wanted = select.include.wanted(place.include).iter().find(|wanted| wanted.name == entry.name);
                let added = select.missing == Absent::Null
                    && wanted.is_some_and(|wanted| select.include.needed(wanted, holds).is_some());
                added && matches!(select.fate_of_included(place, name, Node::Null, NOWHERE, None), Fate::In { .. })
            };
            if !is_written && !is_missing() {
                let unnamed = Place::unnamed(place.in_array);
                let fate = Fate::In { position: Some(position), place: unnamed, entry: Some(entry) };
                self.push_fate(object, fate, position, NOWHERE, name, What::Null);
            }
        }
    }

    /// Adds the members that are replaced and not there.
    fn add_set<const JCS: bool>(&mut self, object: &Object<'_, JCS>, mark: Mark) {
        let Object { select, row, place, .. } = *object;
        for (position, entry) in (ADDED + ADDED / 2..).zip(select.set.entries(place.set)) {
            let Some(number) = entry.rule.set else { continue };
            let name = entry.name.as_bytes();
            let members = self.list.get(mark.list..).unwrap_or_default();
            if !members.iter().any(|member| self.name(member, row) == name) {
                let unnamed = Place::unnamed(place.in_array);
                self.push_named(object, position, NOWHERE, name, What::Replaced(number), unnamed);
            }
        }
    }

    /// Adds a member if it is written. `index` is that of its name on the tape, if it is there.
    #[inline]
    fn push_fate<const JCS: bool>(
        &mut self,
        object: &Object<'_, JCS>,
        fate: Fate<'_>,
        position: u32,
        index: u32,
        name: &[u8],
        mut value: What,
    ) {
        let Fate::In { position: included, mut place, entry } = fate else { return };
        let position = included.unwrap_or(position);
        let new_name = entry.and_then(|entry| entry.rule.rename.as_deref());
        let written_name = new_name.map_or(name, str::as_bytes);
        if object.place.set != NOWHERE
            && let Some(set) = object.select.set.entry(object.place.set, written_name)
        {
            place.set = set.below;
            if let Some(number) = set.rule.set {
                (value, place) = (What::Replaced(number), Place::unnamed(place.in_array));
            }
        }
        let own_name = new_name.is_none() && index != NOWHERE;
        if !own_name || (object.unicode() == Unicode::Nfc && !is_normalized(name)) {
            return self.push_named(object, position, index, written_name, value, place);
        }
        let special = if place.is_unnamed() && matches!(value, What::Own(_)) {
            NOWHERE
        } else {
            self.special.push(Special { name: None, value, place });
            (self.special.len() - 1) as u32
        };
        self.list.push(Member { key: order::key(object.keys(), name, position), index, special });
    }

    /// Adds a member whose name is not as it stands in the row.
    fn push_named<const JCS: bool>(
        &mut self,
        object: &Object<'_, JCS>,
        position: u32,
        index: u32,
        name: &[u8],
        value: What,
        place: Place,
    ) {
        let start = self.names.len();
        match object.unicode() {
            Unicode::None => self.names.extend_from_slice(name),
            Unicode::Nfc => normalize(name, &mut self.names),
        }
        let name = self.names.get(start..).unwrap_or_default();
        let member =
            Member { key: order::key(object.keys(), name, position), index, special: self.special.len() as u32 };
        self.special.push(Special { name: Some((start as u32, self.names.len() as u32)), value, place });
        self.list.push(member);
    }

    fn name<'a>(&'a self, member: &Member, row: &'a Row) -> &'a [u8] {
        name_of(member, row, &self.special, &self.names)
    }
}

fn name_of<'a>(member: &Member, row: &'a Row, special: &[Special], names: &'a [u8]) -> &'a [u8] {
    match special.get(member.special as usize) {
        Some(Special { name: Some((start, end)), .. }) => names.get(*start as usize..*end as usize).unwrap_or_default(),
        _ => row.name(member.index),
    }
}

/// The names of an object's members, as indices on the tape.
#[inline]
fn names_of<'a, const JCS: bool>(object: &Object<'a, JCS>) -> impl Iterator<Item = u32> + use<'a, JCS> {
    let row = object.row;
    let (mut index, count) = match object.index {
        Some(index) => match row.node(index) {
            Node::Object { count, .. } => (index.saturating_add(1), count),
            _ => (0, 0),
        },
        None => (0, 0),
    };
    (0..count).map(move |_| {
        let name = index;
        index = row.after(index.saturating_add(1));
        name
    })
}

/// Whether the text is in Normalization Form C for certain.
pub(super) fn is_normalized(text: &[u8]) -> bool {
    let quick = |text: &str| is_nfc_quick(text.chars()) == IsNormalized::Yes;
    text.is_ascii() || std::str::from_utf8(text).is_ok_and(quick)
}

/// Appends the text in Normalization Form C.
pub(super) fn normalize(text: &[u8], out: &mut Vec<u8>) {
    for piece in pieces(text) {
        match piece {
            // No lone surrogate composes with anything.
            Piece::Text(text) => {
                text.nfc().for_each(|char| out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()))
            }
            Piece::Half(half) => wtf8::push_half(half, out),
        }
    }
}
