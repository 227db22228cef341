//! The forms that a report is given in. Each is a file of its own, and all are made from the one model, so
//! that no form can say more than another.

use super::Outcome;

/// A form of the report.
pub trait Form: Sync {
    /// Its word on the command line (`--report KIND=PATH`), as `junit`.
    fn kind(&self) -> &'static str;

    /// The outcome in this form: the same text for the same outcome.
    ///
    /// `None` where the form has no words for a run that came to no verdict. Nothing is written then.
    fn text(&self, outcome: &Outcome) -> Option<String>;
}
