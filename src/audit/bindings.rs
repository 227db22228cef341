//! Which keys concern an export, and what only the rows can show of that: whether every key says for
//! which chain it may sign, and whether what it is bound to is there.
//!
//! What is wrong here is the user's and no fault of the ledger: a stop. A fault that the rows showed
//! outranks it, but a signature that fails for want of the right key is none.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Scope;
use crate::chain::{ChainEnd, WalkEnd};
use crate::fact::KeyIndex;
use crate::finding::{Code, Tally};
use crate::pipeline::Job;
use crate::stop::{Stop, StopCode};
use crate::trust::anchor::Manifest;
use crate::trust::keyring::TrustedKey;

/// The keys that concern this export: all of them, or of those for several ledgers the ones that may
/// sign here.
///
/// # Errors
///
/// A stop where the keys do not fit the chains, unless the rows showed a fault.
pub(super) fn settle(
    job: &Job<'_>,
    scope: Scope,
    end: &WalkEnd,
    manifest: Option<&Manifest>,
    tally: &Tally,
) -> Result<Vec<KeyIndex>, Stop> {
    let known = known_names(end, manifest);
    let concerns = |key: &TrustedKey| {
        scope == Scope::ThisLedger || key.bound.is_empty() || key.bound.iter().any(|chain| known.contains(chain))
    };
    let concerned: Vec<(KeyIndex, &TrustedKey)> = job.keys.numbered().filter(|(_, key)| concerns(key)).collect();
    // A signature that holds under a key of another chain is no fault of the ledger.
    if tally.faults() == end.totals.unpermitted {
        each_is_bound(&concerned, &end.chains)?;
        if scope == Scope::ThisLedger && !end.chains.is_empty() {
            all_are_known(&job.keys.bindings(), &known)?;
        }
    }
    let no_key = concerned.is_empty() && !job.keys.is_empty() && job.plan.signs();
    if no_key && !end.chains.is_empty() && tally.faults() == tally.count(Code::SignatureInvalid) {
        return Err(without_key(&known));
    }
    Ok(concerned.into_iter().map(|(index, _)| index).collect())
}

/// Every chain that the export or its manifest names, and the key ids of rows that keys are bound to.
fn known_names(end: &WalkEnd, manifest: Option<&Manifest>) -> BTreeSet<Arc<str>> {
    let announced = manifest.into_iter().flat_map(|manifest| &manifest.entries);
    let announced = announced.filter_map(|(entry, _)| entry.chain.as_ref());
    let chains = end.chains.iter().filter_map(|chain| chain.name.as_ref());
    chains.chain(announced).chain(&end.totals.key_ids).cloned().collect()
}

/// Where there are several chains and several keys, every key must say which chain it may sign for.
fn each_is_bound(keys: &[(KeyIndex, &TrustedKey)], chains: &[ChainEnd]) -> Result<(), Stop> {
    if chains.len() < 2 || keys.len() < 2 || keys.iter().all(|(_, key)| !key.bound.is_empty()) {
        return Ok(());
    }
    let (chains, keys) = (chains.len(), keys.len());
    let message =
        format!("the export holds {chains} chains and {keys} keys were given, not all of them bound to a chain");
    Err(Stop::new(StopCode::KeyBinding, message)
        .hint("bind each key with --key ID=FILE, where ID is the chain that it signs"))
}

/// What keys are bound to must be some of these chains.
///
/// # Errors
///
/// A stop that names the first that is not.
pub(super) fn all_are_known<'a>(
    bound: impl IntoIterator<Item = &'a Arc<str>>,
    known: &BTreeSet<Arc<str>>,
) -> Result<(), Stop> {
    match bound.into_iter().find(|bound| !known.contains(*bound)) {
        None => Ok(()),
        Some(bound) => Err(Stop::new(
            StopCode::KeyBinding,
            format!("--key {bound}=…: no chain of the export or the manifest is named {bound}"),
        )
        .hint(format!("chains: {}", list(known)))),
    }
}

/// The stop for an export that none of the keys is for.
fn without_key(known: &BTreeSet<Arc<str>>) -> Stop {
    let message = match known.is_empty() {
        true => "every key is bound to a chain, and the rows of this export name none".to_owned(),
        false => format!("no key was given for its chains: {}", list(known)),
    };
    Stop::new(StopCode::KeyBinding, message).hint("give it with --key ID=FILE, where ID is the chain that it signs")
}

fn list(chains: &BTreeSet<Arc<str>>) -> String {
    chains.iter().map(|chain| &**chain).collect::<Vec<&str>>().join(", ")
}
