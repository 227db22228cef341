//! The members that a selection asks for.
//!
//! Decides which members of an object are written at all, in which order, and which of them may be
//! absent. A dotted path projects the objects that it leads through.

use super::paths::{NOWHERE, names};

/// The compiled paths of `include`, `include_if_present` and `include_when`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Include {
    /// The row itself is the first.
    levels: Vec<Vec<Wanted>>,
}

/// A member that is written, or of which something is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub name: String,
    /// The whole path, for errors.
    pub path: String,
    /// When all of it is written.
    whole: When,
    /// What is written of it otherwise.
    below: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct When {
    always: bool,
    if_present: bool,
    conditions: Vec<usize>,
}

/// Why a path is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    Always,
    IfPresent,
    /// Where the condition of this number holds.
    Condition(usize),
}

/// How much of a member is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extent {
    Whole,
    /// What this level asks for.
    Part(u32),
}

impl Include {
    pub fn add(&mut self, path: &str, why: Why) -> Result<(), String> {
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let names = names(path)?;
        let (mut level, mut so_far) = (0, String::new());
        for (number, name) in names.iter().enumerate() {
            if number > 0 {
                so_far.push('.');
            }
            so_far.push_str(name);
            let next = self.levels.len() as u32;
            let Some(wanted) = self.levels.get_mut(level as usize) else { break };
            let place = wanted.iter().position(|wanted| wanted.name == *name).unwrap_or_else(|| {
                wanted.push(Wanted {
                    name: name.clone(),
                    path: so_far.clone(),
                    whole: When::default(),
                    below: NOWHERE,
                });
                wanted.len() - 1
            });
            let Some(wanted) = wanted.get_mut(place) else { break };
            if number + 1 == names.len() {
                match why {
                    Why::Always => wanted.whole.always = true,
                    Why::IfPresent => wanted.whole.if_present = true,
                    Why::Condition(number) => wanted.whole.conditions.push(number),
                }
            } else {
                if wanted.below == NOWHERE {
                    wanted.below = next;
                    level = next;
                    self.levels.push(Vec::new());
                } else {
                    level = wanted.below;
                }
            }
        }
        Ok(())
    }

    /// A member that need not be there, with one inside it that must: `a` in `include_if_present` and
    /// `a.b` in `include` do not say what holds for a row without `a`.
    pub fn contradiction(&self) -> Option<(&str, &str)> {
        let optional = self.levels.iter().flatten().filter(|wanted| wanted.whole.if_present && !wanted.whole.always);
        optional.filter_map(|outer| Some((outer.path.as_str(), self.required(outer.below)?))).next()
    }

    /// A path that is asked for at this level or below it, always or on a condition.
    fn required(&self, level: u32) -> Option<&str> {
        self.wanted(level).iter().find_map(|wanted| {
            let here = wanted.whole.always || !wanted.whole.conditions.is_empty();
            if here { Some(wanted.path.as_str()) } else { self.required(wanted.below) }
        })
    }

    /// The level of the value itself.
    pub fn root(&self) -> u32 {
        if self.levels.is_empty() { NOWHERE } else { 0 }
    }

    /// What is asked for at a level, in order.
    pub fn wanted(&self, level: u32) -> &[Wanted] {
        self.levels.get(level as usize).map_or(&[], Vec::as_slice)
    }

    /// How much is written of the member of this name and where in the order, if anything. `likely`
    /// is where to look first and becomes where to look next: rows keep an order.
    #[inline]
    pub fn find(&self, level: u32, name: &[u8], holds: &[bool], likely: &mut usize) -> Option<(u32, Extent)> {
        let all = self.wanted(level);
        let is_it = |wanted: &Wanted| wanted.name.as_bytes() == name;
        let place = match all.get(*likely) {
            Some(wanted) if is_it(wanted) => *likely,
            _ => all.iter().position(is_it)?,
        };
        *likely = place + 1;
        Some((place as u32, self.extent(all.get(place)?, holds)?))
    }

    /// How much is written of a member that is there.
    pub fn extent(&self, wanted: &Wanted, holds: &[bool]) -> Option<Extent> {
        if wanted.whole.if_present || wanted.whole.needed(holds) {
            return Some(Extent::Whole);
        }
        let below = self.wanted(wanted.below).iter().any(|wanted| self.extent(wanted, holds).is_some());
        below.then_some(Extent::Part(wanted.below))
    }

    /// The first path that must be there, of this one and those below it.
    pub fn needed<'a>(&'a self, wanted: &'a Wanted, holds: &[bool]) -> Option<&'a Wanted> {
        if wanted.whole.needed(holds) {
            return Some(wanted);
        }
        self.wanted(wanted.below).iter().find_map(|wanted| self.needed(wanted, holds))
    }
}

impl When {
    fn needed(&self, holds: &[bool]) -> bool {
        self.always || self.conditions.iter().any(|number| holds.get(*number) == Some(&true))
    }
}
