//! The members that a preimage leaves out.
//!
//! Decides which members are not written, by paths that a profile gives once and every row is
//! matched against.

/// A set of dotted member paths, compiled: `hash` is a member of the row, `proof.value` one of its
/// member `proof`. A numeric piece also steps into an array; items themselves are never left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclude {
    /// What is named below one path; the row itself is the first.
    levels: Vec<Vec<Entry>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    step: Step,
}

/// What a set says of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is left out.
    Out,
    /// Something below it may be.
    Below(usize),
    /// It is written whole.
    Whole,
}

impl Exclude {
    /// The set of these paths. An empty path names nothing.
    pub fn new<P: AsRef<str>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut exclude = Exclude::default();
        for path in paths {
            exclude.add(path.as_ref());
        }
        exclude
    }

    fn add(&mut self, path: &str) {
        if path.is_empty() {
            return;
        }
        if self.levels.is_empty() {
            self.levels.push(Vec::new());
        }
        let (above, last) = path.rsplit_once('.').map_or((None, path), |(above, last)| (Some(above), last));
        let mut level = 0;
        for name in above.into_iter().flat_map(|above| above.split('.')) {
            level = match self.step(Some(level), name.as_bytes()) {
                // All of it is left out already.
                Step::Out => return,
                Step::Below(below) => below,
                Step::Whole => {
                    let below = self.levels.len();
                    self.levels.push(Vec::new());
                    self.put(level, name, Step::Below(below));
                    below
                }
            };
        }
        self.put(level, last, Step::Out);
    }

    fn put(&mut self, level: usize, name: &str, step: Step) {
        let Some(entries) = self.levels.get_mut(level) else { return };
        match entries.iter_mut().find(|entry| entry.name == name) {
            Some(entry) => entry.step = step,
            None => entries.push(Entry { name: name.to_owned(), step }),
        }
    }

    /// The level of the row itself; `None` if the set is empty.
    pub(super) fn root(&self) -> Option<usize> {
        (!self.levels.is_empty()).then_some(0)
    }

    /// What is said of the member of this name.
    pub(super) fn step(&self, level: Option<usize>, name: &[u8]) -> Step {
        let Some(entries) = level.and_then(|level| self.levels.get(level)) else { return Step::Whole };
        entries.iter().find(|entry| entry.name.as_bytes() == name).map_or(Step::Whole, |entry| entry.step)
    }

    /// The level below the member of this name, if anything is said of it.
    pub(super) fn below(&self, level: Option<usize>, name: &[u8]) -> Option<usize> {
        match self.step(level, name) {
            Step::Below(below) => Some(below),
            Step::Out | Step::Whole => None,
        }
    }
}
