//! A digest of something outside that a row carries and that describes itself.
//!
//! Decided here: whether it is one that could be checked. The format's own verifier does not look at it, so
//! that one which cannot be is a note; what a copy of the artefact shows is for who can read files.

use crate::fact::Place;
use crate::finding::{Code, Finding};
use crate::profile::{Found, Plan, View};
use crate::trust::artefact::{Described, judge};

/// An artefact that a row names, and what the row states of it.
#[derive(Clone, Debug)]
pub struct ArtefactClaim {
    /// The row.
    pub place: Place,
    /// The member that names it.
    pub member: String,
    /// What is stated.
    pub described: Described,
}

impl ArtefactClaim {
    /// The fault where the copy has another digest.
    pub fn differs(&self, found: &str) -> Finding {
        let finding = Finding::new(Code::BindMismatch, Some(self.place)).member(self.member.as_str());
        finding.expected(found).found(self.described.sha256.as_str())
    }

    /// The note where there is no copy to hash, for this reason.
    pub fn unchecked(&self, why: &str) -> Finding {
        Finding::new(Code::ArtefactUnchecked, Some(self.place)).member(self.member.as_str()).found(why)
    }
}

/// What the row states of an artefact; as a note what is wrong with that.
pub(super) fn look(view: &View<'_>, plan: &Plan, place: Place) -> Option<Result<ArtefactClaim, Finding>> {
    let field = plan.fields.artefact.as_ref()?;
    let value = field.find(view).and_then(Found::value)?;
    let member = field.name().to_owned();
    Some(match judge(value) {
        Ok(described) => Ok(ArtefactClaim { place, member, described }),
        Err(reason) => {
            let note = Finding::new(Code::ArtefactInconsistent, Some(place)).member(member);
            Err(note.found(reason.name()))
        }
    })
}
