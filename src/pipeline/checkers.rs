//! Checkers that are used again, one batch after the other.
//!
//! What a checker has learnt of how rows are built, and the room that it has made, are worth keeping. Which
//! checker a batch gets depends on the threads; what it finds does not.

use std::sync::{Mutex, PoisonError};

use super::Job;
use crate::check::Checker;
use crate::check::ed25519::{Engine, Judge};
use crate::fact::Recipe;
use crate::profile::Plan;
use crate::trust::keyring::Keyring;

/// Checkers of one plan that no thread has at the moment.
#[derive(Debug)]
pub(super) struct Checkers<'p> {
    plan: &'p Plan,
    keys: &'p Keyring,
    judge: &'p Judge,
    free: Mutex<Vec<Checker<'p>>>,
}

impl<'p> Checkers<'p> {
    /// None yet.
    pub fn new(job: &Job<'p>) -> Self {
        Checkers { plan: job.plan, keys: job.keys, judge: job.judge, free: Mutex::default() }
    }

    /// Work with a checker for rows in this recipe, which starts anew.
    pub fn with<T>(&self, recipe: Recipe, work: impl FnOnce(&mut Checker<'p>) -> T) -> T {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut checker = free.unwrap_or_else(|| Checker::new(self.plan, self.keys, recipe));
        checker.start(recipe);
        // The reference judges every row alone, so that it shares nothing with what it is compared with.
        if !matches!(self.judge.engine(), Engine::Reference) {
            checker.wait(self.judge);
        }
        let done = work(&mut checker);
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(checker);
        done
    }
}
