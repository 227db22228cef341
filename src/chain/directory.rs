//! Which chain a row belongs to.
//!
//! A row that names a chain belongs to it, if that name is one: if its first row is a genesis, if the
//! manifest announces it, or if it is the first of the export. Any other name is mixed into the chain
//! it stands in. A row without a name belongs to the chain whose last row it links to, else to the
//! chain of the row before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Rules;
use super::link::Tip;
use super::parents::Parents;
use super::state::Chain;
use crate::fact::{Digest, Facts};

/// Names that are handed out as settled; rows of further chains are walked one by one.
const SETTLED_NAMES: usize = 1024;

/// The chains of an export.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub chains: Vec<Chain>,
    names: HashMap<Arc<str>, usize>,
    settled: Arc<HashSet<Arc<str>>>,
    /// Which chain a digest is the last one of; kept only while there are several chains.
    heads: HashMap<Digest, usize>,
    /// The chain of the row before.
    current: usize,
    /// Fork parents that the export cannot be searched for.
    pub parents: Parents,
}

/// Where a row belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Belongs {
    /// The chain, by its place in the list.
    pub chain: usize,
    /// It names another one.
    pub mixed: bool,
    /// It is the chain's first row.
    pub first: bool,
}

impl Directory {
    pub fn new(rules: &Rules) -> Self {
        Directory {
            chains: Vec::new(),
            names: HashMap::new(),
            settled: Arc::new(rules.announced.iter().take(SETTLED_NAMES).cloned().collect()),
            heads: HashMap::new(),
            current: 0,
            parents: Parents::default(),
        }
    }

    /// Names that are known to be chains of their own.
    pub fn settled_names(&self) -> Arc<HashSet<Arc<str>>> {
        Arc::clone(&self.settled)
    }

    /// Where this row belongs; opens the chain if it is its first one. `unreadable` lines stand before.
    /// `None` if that were one chain too many.
    pub fn place(&mut self, facts: &Facts, unreadable: u64, rules: &Rules) -> Option<Belongs> {
        let belongs = self.find(facts, rules);
        if belongs.first {
            if self.chains.len() >= rules.max_chains {
                return None;
            }
            // Lines that could not be read before the first chain may be rows of it.
            let before = if belongs.chain == 0 { 0 } else { unreadable };
            self.open(facts, before);
        }
        self.current = belongs.chain;
        Some(belongs)
    }

    /// The last row of a chain is now another one.
    pub fn advance(&mut self, index: usize, tip: Tip) {
        let Some(chain) = self.chains.get_mut(index) else { return };
        let before = chain.advance(tip);
        if self.heads.is_empty() {
            return;
        }
        for digest in before.names() {
            self.heads.remove(&digest);
        }
        self.heads.extend(chain.tip.names().map(|digest| (digest, index)));
    }

    /// The chain of the row before goes on from a row that is named so; without a name from nothing, where rows
    /// state no link, else from where it is. `None` if there is no chain yet.
    pub fn go_on_from(&mut self, name: Option<Digest>, late: bool) -> Option<&mut Chain> {
        if let Some(name) = name.or(late.then_some(Digest::GENESIS)) {
            self.advance(self.current, Tip::named(name));
        }
        self.chains.get_mut(self.current)
    }

    fn find(&mut self, facts: &Facts, rules: &Rules) -> Belongs {
        let member = |chain| Belongs { chain, mixed: false, first: false };
        let opens = Belongs { chain: self.chains.len(), mixed: false, first: true };
        if self.chains.is_empty() {
            return opens;
        }
        let stands_in = facts.prev.and_then(|prev| self.heads.get(&prev).copied()).unwrap_or(self.current);
        let Some(group) = &facts.group else { return member(stands_in) };
        if rules.single_group {
            let known = self.chains.first().is_some_and(|chain| chain.name.is_some());
            if !known {
                self.name(group, 0);
            }
            return Belongs { mixed: known && !self.names.contains_key(group), ..member(0) };
        }
        if let Some(&chain) = self.names.get(group) {
            return member(chain);
        }
        // The first name of all is that of the rows before it, unless another chain is known to come.
        let only = self.names.is_empty() && rules.announced.iter().all(|announced| announced == group);
        if starts(facts, rules) && !only {
            return opens;
        }
        if let Some(chain) = self.unnamed_before(facts) {
            self.name(group, chain);
            return member(chain);
        }
        if rules.announced.contains(group) {
            return opens;
        }
        Belongs { mixed: true, ..member(stands_in) }
    }

    /// The chain of rows without a name at the very start, if this row shows whose rows they are: it
    /// links to them, or there is no other chain.
    fn unnamed_before(&self, facts: &Facts) -> Option<usize> {
        let index = self.chains.iter().position(|chain| chain.name.is_none())?;
        let tip = &self.chains.get(index)?.tip;
        let links = facts.prev.is_none_or(|prev| tip.is_named_by(&prev) != Some(false));
        (links || self.names.is_empty()).then_some(index)
    }

    /// Whether a row that names this chain, or none, may be of the chain with the name `chain`. A name that
    /// is no chain's may be mixed into any.
    pub fn may_be_of(&self, name: Option<&str>, chain: Option<&str>) -> bool {
        name.is_none_or(|name| Some(name) == chain || !self.names.contains_key(name))
    }

    fn open(&mut self, first: &Facts, unreadable: u64) {
        let index = self.chains.len();
        self.chains.push(Chain::new(first, unreadable));
        if let Some(group) = &first.group {
            self.name(group, index);
        }
        if index == 1 {
            let chains = self.chains.iter().enumerate();
            self.heads = chains.flat_map(|(index, chain)| chain.tip.names().map(move |name| (name, index))).collect();
        }
    }

    fn name(&mut self, name: &Arc<str>, index: usize) {
        if let Some(chain) = self.chains.get_mut(index) {
            chain.name = Some(Arc::clone(name));
        }
        self.names.insert(Arc::clone(name), index);
        if self.settled.len() < SETTLED_NAMES {
            Arc::make_mut(&mut self.settled).insert(Arc::clone(name));
        }
    }
}

/// Whether a row may be a chain's first. Where rows state no link that is judged by the number, if there is
/// one: the digest that is then computed with the genesis shows whether it was.
fn starts(facts: &Facts, rules: &Rules) -> bool {
    match rules.late {
        true => facts.sequence.map_or(!rules.numbered, |number| rules.may_start(number.get())),
        false => facts.prev == Some(Digest::GENESIS),
    }
}
