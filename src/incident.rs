//! Incidents: neighbouring faults with one likely cause, told as one story.
//!
//! An incident explains faults; it never adds one and never takes one away. Only the type stands
//! here: until something tells incidents, a report lists none.

/// Faults that most likely have one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// What most likely happened, kebab-case and permanent, as `rows-deleted`.
    pub kind: &'static str,
    /// The story in one sentence; record text in it is not yet escaped.
    pub message: String,
    /// Line of the first of its faults.
    pub first_line: Option<u64>,
    /// Line of the last of its faults.
    pub last_line: Option<u64>,
}
