//! Several exports, each a ledger of its own, under the same keys and the same profile.
//!
//! What concerns them all, a key that cannot be used say, stops at once; what concerns one of them is
//! its own outcome. A key that is bound to a chain need be of use in one of them only.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::{Audited, Ground, Request, Scope, audit, bindings, outcome};
use crate::pipeline::{Observer, Sizes};
use crate::report::{Environment, Outcome, Report};
use crate::stop::Stop;

/// Ledgers that are audited one after the other.
#[derive(Debug)]
pub struct Each {
    /// What is asked of every one of them.
    request: Request,
    ground: Ground,
    /// Chains that the exports and their manifests name; `None` while no export has any.
    known: Option<BTreeSet<Arc<str>>>,
    /// The rows of an export showed a fault, or could not be read.
    open: bool,
}

impl Each {
    /// Read what they share: profile and keys. Exports, manifest and heads of the request are not
    /// looked at.
    ///
    /// # Errors
    ///
    /// A stop that concerns them all.
    pub fn new(request: &Request) -> Result<Self, Stop> {
        let ground = Ground::read(request)?;
        let request = Request { exports: Vec::new(), manifest: None, heads: Vec::new(), ..request.clone() };
        Ok(Each { request, ground, known: None, open: false })
    }

    /// Audit one of them.
    pub fn audit(&mut self, export: &Path, environment: Environment, observer: &dyn Observer) -> Outcome {
        let request = Request { exports: vec![export.to_owned()], ..self.request.clone() };
        let audited = audit(&request, &self.ground, Scope::SeveralLedgers, environment, Sizes::default(), observer);
        match &audited {
            Ok(Audited { report, blameless }) => {
                self.open |= !blameless;
                if !report.chains.is_empty() {
                    self.known.get_or_insert_default().extend(chains(report));
                }
            }
            Err(_) => self.open = true,
        }
        outcome(audited.map(|audited| audited.report))
    }

    /// After the last one.
    ///
    /// # Errors
    ///
    /// A stop if a key is bound to a chain that none of them has. As with one export, a fault outranks
    /// it; and an export that could not be read may be the one that has the chain.
    pub fn finish(self) -> Result<(), Stop> {
        match self.known {
            Some(known) if !self.open => bindings::all_are_known(&self.ground.keys, &known),
            _ => Ok(()),
        }
    }
}

/// The chains that an export and its manifest name.
fn chains(report: &Report) -> impl Iterator<Item = Arc<str>> {
    let named = report.chains.iter().filter_map(|chain| chain.id.clone());
    named.chain(report.anchors.iter().filter_map(|anchor| anchor.chain.clone()))
}
