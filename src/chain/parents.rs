//! Fork parents and successors that the export cannot be searched for.
//!
//! Whether an earlier row has a successor is asked of the export's text, by the digest that both must
//! state. The text does not show it where a row was edited, so that its bytes have another digest than
//! it states; where a link cannot be read and is taken as expected; and where a digest is spelled with
//! escapes. All three are rare, most of them damage of their own, and remembered here up to a fixed
//! number: what is beyond it can turn a `fork` into a `link-broken`, never a fault into none.

use std::collections::{HashMap, HashSet};

use super::link::Tip;
use crate::fact::{Digest, Facts};

/// How many rows and how many links are remembered.
const LIMIT: usize = 1 << 14;

/// What the text does not show.
#[derive(Clone, Debug, Default)]
pub(super) struct Parents {
    /// Which rows of a chain have this digest.
    rows: HashMap<(usize, Digest), Vec<usize>>,
    /// Whether these rows have a successor.
    followed: Vec<bool>,
    /// Digests that rows of a chain state as their predecessor's.
    links: HashSet<(usize, Digest)>,
}

/// What is remembered of a digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// A row has it.
    pub parent: bool,
    /// A row follows on that one.
    pub successor: bool,
}

impl Parents {
    /// A row of this chain follows on `tip`, or says so: a link that cannot be read is `expected` to.
    pub fn link(&mut self, chain: usize, facts: &Facts, tip: &Tip, expected: bool) {
        match &facts.prev {
            Some(prev) => {
                self.follow(chain, prev);
                if facts.escaped {
                    self.state(chain, *prev);
                }
            }
            None if expected => tip.names().for_each(|name| {
                self.follow(chain, &name);
                self.state(chain, name);
            }),
            None => {}
        }
    }

    /// A row of this chain has the digests of `tip`.
    pub fn row(&mut self, chain: usize, facts: &Facts, tip: &Tip) {
        if !facts.escaped && tip.unstated().next().is_none() || self.followed.len() >= LIMIT {
            return;
        }
        let row = self.followed.len();
        self.followed.push(false);
        for name in tip.names() {
            self.rows.entry((chain, name)).or_default().push(row);
        }
    }

    /// What is remembered of this digest.
    pub fn of(&self, chain: usize, digest: &Digest) -> Known {
        let rows = self.rows.get(&(chain, *digest));
        let followed = rows.into_iter().flatten().any(|&row| self.followed.get(row) == Some(&true));
        Known { parent: rows.is_some(), successor: followed || self.links.contains(&(chain, *digest)) }
    }

    fn follow(&mut self, chain: usize, digest: &Digest) {
        // Nearly always nothing is remembered, and the digest need not be looked for.
        if self.rows.is_empty() {
            return;
        }
        for &row in self.rows.get(&(chain, *digest)).into_iter().flatten() {
            if let Some(followed) = self.followed.get_mut(row) {
                *followed = true;
            }
        }
    }

    fn state(&mut self, chain: usize, digest: Digest) {
        if self.links.len() < LIMIT {
            self.links.insert((chain, digest));
        }
    }
}
