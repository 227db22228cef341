//! A selection that only leaves members out.

use super::{Select, SelectSpec};

/// A set of dotted member paths, compiled: `hash` is a member of the row, `proof.value` one of its
/// member `proof`. A path that can name nothing is passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exclude(Select);

// Its selection holds no tests, and so no doubles.
impl Eq for Exclude {}

impl Exclude {
    /// The set of these paths. An empty path names nothing.
    pub fn new<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut spec = SelectSpec::default();
        for path in paths {
            let alone = SelectSpec { exclude: vec![path.as_ref().to_owned()], ..SelectSpec::default() };
            if Select::new(&alone).is_ok() {
                spec.exclude.extend(alone.exclude);
            }
        }
        Exclude(Select::new(&spec).unwrap_or_default())
    }

    pub(super) fn select(&self) -> &Select {
        &self.0
    }
}
