//! Several exports, each a ledger of its own, under the same keys and the same profile, or each under the
//! profile that its rows show.
//!
//! What concerns them all, a key that cannot be used say, stops at once; what concerns one of them is
//! its own outcome. A key that is bound to a chain need be of use in one of them only.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::keys::{self, KeyFile};
use super::{Audited, Ground, Request, Run, Scope, audit, bindings, load, outcome};
use crate::pipeline::{Observer, Sizes};
use crate::profile;
use crate::report::{Environment, Outcome, Report};
use crate::stop::Stop;

/// Ledgers that are audited one after the other.
#[derive(Debug)]
pub struct Each {
    /// What is asked of every one of them.
    request: Request,
    keys: Vec<KeyFile>,
    /// By what all of them are judged; `None` where each shows its format itself.
    shared: Option<Ground>,
    names: Names,
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
        load::judge(request.signatures)?;
        let keys = keys::files(&request.keys)?;
        let named = request.profile.as_deref();
        let shared = named.map(|profile| Ground::named(request, profile, &keys)).transpose()?;
        if let (None, Some(text)) = (named, &request.recipe) {
            is_a_recipe(text)?;
        }
        let request = Request { exports: Vec::new(), manifest: None, heads: Vec::new(), ..request.clone() };
        let mut names = Names::default();
        shared.iter().for_each(|ground| names.add(ground));
        Ok(Each { request, keys, shared, names, known: None, open: false })
    }

    /// Audit one of them.
    pub fn audit(&mut self, export: &Path, environment: Environment, observer: &dyn Observer) -> Outcome {
        let request = Request { exports: vec![export.to_owned()], ..self.request.clone() };
        let run = Run { environment, sizes: Sizes::default(), observer };
        let audited = self.one(&request, run);
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

    fn one(&mut self, request: &Request, run: Run<'_>) -> Result<Audited, Stop> {
        if let Some(ground) = &self.shared {
            return audit(request, ground, None, Scope::SeveralLedgers, run);
        }
        let (ground, opened) = Ground::detected(request, &self.keys)?;
        self.names.add(&ground);
        audit(request, &ground, opened, Scope::SeveralLedgers, run)
    }

    /// After the last one.
    ///
    /// # Errors
    ///
    /// A stop if a key is bound to a chain that none of them has. As with one export, a fault outranks
    /// it; and an export that could not be read may be the one that has the chain.
    pub fn finish(self) -> Result<(), Stop> {
        match self.known {
            // A name that is a role of one format is no chain that another one misses.
            Some(known) if !self.open => {
                bindings::all_are_known(self.names.bound.difference(&self.names.filled), &known)
            }
            _ => Ok(()),
        }
    }
}

/// Readings must be those of a format that can be detected: if of none, it is a mistake about all exports.
fn is_a_recipe(text: &str) -> Result<(), Stop> {
    let of = |name| profile::builtin(name)?.pinned(text).map(|_| ());
    match profile::names().any(|name| of(name).is_ok()) {
        true => Ok(()),
        false => of(profile::HOME),
    }
}

/// The names that keys were given with, as the formats of the exports take them.
#[derive(Debug, Default)]
struct Names {
    /// Of chains and key ids.
    bound: BTreeSet<Arc<str>>,
    /// Of roles.
    filled: BTreeSet<Arc<str>>,
}

impl Names {
    fn add(&mut self, ground: &Ground) {
        self.bound.extend(ground.keys.bindings());
        self.filled.extend(ground.keys.keys().iter().filter_map(|key| key.role.clone()));
    }
}

/// The chains that an export and its manifest name.
fn chains(report: &Report) -> impl Iterator<Item = Arc<str>> {
    let named = report.chains.iter().filter_map(|chain| chain.id.clone());
    named.chain(report.anchors.iter().filter_map(|anchor| anchor.chain.clone()))
}
