//! Readings: what a format's description leaves open, and what the user pins of it.

use std::collections::BTreeSet;

use super::Plan;
use crate::fact::{Reading, Recipe};
use crate::stop::{Stop, StopCode};

/// Something that a format's description leaves open, with its readings, the default first.
#[derive(Clone, Debug)]
pub struct Axis<T> {
    /// What is left open; empty where nothing is.
    pub name: String,
    /// The names of the readings.
    pub names: Vec<String>,
    /// What each reading says.
    pub readings: Vec<T>,
}

impl<T> Axis<T> {
    /// What the default reading says.
    pub fn first(&self) -> Option<&T> {
        self.readings.first()
    }

    /// What this reading says.
    pub fn get(&self, reading: Reading) -> Option<&T> {
        self.readings.get(usize::from(reading))
    }

    fn settled(&self) -> Option<Reading> {
        (self.readings.len() <= 1).then_some(0)
    }

    fn reading(&self, name: &str) -> Option<Reading> {
        self.names.iter().position(|known| known == name).and_then(|index| Reading::try_from(index).ok())
    }

    fn choices(&self) -> String {
        format!("{}={}", self.name, self.names.join("|"))
    }

    fn named(&self, reading: Option<Reading>) -> Option<String> {
        let name = self.names.get(usize::from(reading.unwrap_or_default()));
        (!self.name.is_empty()).then(|| format!("{}={}", self.name, name.map_or("", String::as_str)))
    }
}

impl Plan {
    /// The readings that are settled before any row is seen.
    pub fn settled(&self) -> Recipe {
        Recipe { hash: self.hash.settled(), signature: self.signature.settled() }
    }

    /// The readings that `text` pins (`prev=raw,signed=text`, or one half).
    ///
    /// # Errors
    ///
    /// A usage stop for an axis or a reading that the profile does not have.
    pub fn pinned(&self, text: &str) -> Result<Recipe, Stop> {
        let mut recipe = self.settled();
        let mut axes = BTreeSet::new();
        for half in text.split(',').map(str::trim) {
            let (axis, name) = half.split_once('=').unwrap_or((half, ""));
            let twice = !axes.insert(axis);
            let reading = match twice || axis.is_empty() {
                true => None,
                false if axis == self.hash.name => self.hash.reading(name).map(|reading| recipe.hash = Some(reading)),
                false if axis == self.signature.name => {
                    self.signature.reading(name).map(|reading| recipe.signature = Some(reading))
                }
                false => None,
            };
            if reading.is_none() {
                let axes = [(&self.hash.name, self.hash.choices()), (&self.signature.name, self.signature.choices())];
                let choices: Vec<String> =
                    axes.into_iter().filter(|(name, _)| !name.is_empty()).map(|(_, choices)| choices).collect();
                let hint = match choices.is_empty() {
                    true => format!("the profile {} has one reading only", self.name),
                    false => format!("the profile {} has: {}", self.name, choices.join(" and ")),
                };
                return Err(
                    Stop::new(StopCode::Usage, format!("--recipe {text}: there is no reading {half}")).hint(hint)
                );
            }
        }
        Ok(recipe)
    }

    /// Whether rows with these readings pinned can be in the recipe of this text, as [`Plan::recipe_text`] wrote it:
    /// what is not pinned can be anything.
    pub fn may_be(&self, pinned: Recipe, text: &str) -> bool {
        let named = |axis: &str| text.split(", ").find_map(|half| half.strip_prefix(axis)?.strip_prefix('='));
        let same = |pinned: Option<String>, axis: &str| match (pinned, named(axis)) {
            (Some(pinned), Some(known)) => pinned == format!("{axis}={known}"),
            _ => true,
        };
        same(pinned.hash.and_then(|hash| self.hash.named(Some(hash))), &self.hash.name)
            && same(pinned.signature.and_then(|signature| self.signature.named(Some(signature))), &self.signature.name)
    }

    /// The readings by name, as `prev=raw, signed=raw`; empty for a format with one reading.
    pub fn recipe_text(&self, recipe: Recipe) -> String {
        let named = [self.hash.named(recipe.hash), self.signature.named(recipe.signature)];
        named.into_iter().flatten().collect::<Vec<String>>().join(", ")
    }
}
