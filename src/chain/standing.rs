//! What stands before a row in its chain: for an explanation of that row alone.

use std::sync::Arc;

use super::Walk;
use super::judge::Subject;
use crate::fact::{Before, Digest, Facts, Place};

/// What the walk knows of a row's chain before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The name of the chain, where rows name one.
    pub chain: Option<Arc<str>>,
    /// The row is the first of it in the export.
    pub first: bool,
    /// Where the row before it stands, where there is one.
    pub place: Option<Place>,
    /// The digests by which the row may name that one; the first is the one that findings expect.
    pub names: Vec<Digest>,
    /// What that row left, in a format where anything depends on it.
    pub before: Before,
    /// Lines before this row could not be read and may be rows of the chain, so that the link is not judged.
    pub unreadable: bool,
}

impl Walk<'_> {
    /// What stands before this row if it comes next; `None` if it starts one chain more than are kept apart.
    ///
    /// Costs a copy of all that is remembered of chains, and changes nothing.
    pub fn standing(&self, facts: &Facts) -> Option<Standing> {
        let mut directory = self.directory.clone();
        let belongs = directory.place(facts, self.totals.unreadable, self.rules)?;
        let chain = directory.chains.get_mut(belongs.chain)?;
        let unreadable = chain.pass(self.totals.unreadable, self.rules.sequence_step) > 0;
        Some(Standing {
            chain: chain.name.clone(),
            first: belongs.first,
            place: (!belongs.first).then_some(chain.place),
            names: if belongs.first { Vec::new() } else { chain.tip.names().collect() },
            before: Subject { facts, chain, rules: self.rules }.before(),
            unreadable,
        })
    }
}
