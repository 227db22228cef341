//! How well a plan fits rows: what each proves by itself and of the row before it.
//!
//! Nothing is judged here. Detection counts what a format reproduces of the first rows, and
//! `profiles check` what a profile reproduces of all of them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, DigestFact, Facts, Place, Recipe, SignatureFact};
use crate::finding::{Code, Finding};
use crate::profile::Plan;
use crate::read::Line;
use crate::trust::keyring::Keyring;

/// Holds rows of a file, in order, against a plan.
#[derive(Debug)]
pub(super) struct Fitting<'p> {
    plan: &'p Plan,
    checker: Checker<'p>,
    /// By chain, what the next row may name its last row by.
    tips: HashMap<Option<Arc<str>>, Vec<Digest>>,
    /// The chain of the last row.
    last: Option<Arc<str>>,
}

/// How a row came out; `None` of anything that there is not, or that cannot be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RowFit {
    /// The row, if the line is one.
    pub facts: Option<Box<Facts>>,
    /// Why the line is no row.
    pub unreadable: Option<Finding>,
    /// Whether its digest is the one that it states.
    pub digest: Option<bool>,
    /// Whether it names the row before it in its chain, or begins one as the format says.
    pub link: Option<bool>,
    /// Whether its signatures hold.
    pub signature: Option<bool>,
    /// The link holds, and it is that of a row which has one before it.
    pub follows: bool,
    /// What the row before it in its chain is named by.
    pub predecessor: Option<Digest>,
    /// The digest is a MAC, and its secret was not given.
    pub keyless: bool,
}

impl RowFit {
    /// Of a line that is too long to be read.
    pub fn too_long(place: Place) -> Self {
        let unreadable = Some(Finding::new(Code::RowTooLong, Some(place)));
        RowFit { unreadable, ..RowFit::default() }
    }

    /// Whether the row proves that it is of this format: its bytes make what it or the next row states.
    pub fn proves(&self, plan: &Plan) -> bool {
        let linked = plan.fields.hash.is_none() && self.follows;
        self.digest == Some(true) || self.signature == Some(true) || linked
    }

    /// Whether anything of it does not fit.
    pub fn fails(&self) -> bool {
        self.unreadable.is_some() || [self.digest, self.link, self.signature].contains(&Some(false))
    }
}

impl<'p> Fitting<'p> {
    /// Under these keys, in these readings as far as they are settled.
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Fitting { plan, checker: Checker::new(plan, keys, recipe), tips: HashMap::new(), last: None }
    }

    /// The next line; `None` if it is blank.
    pub fn row(&mut self, line: &Line<'_>) -> Option<RowFit> {
        let mut checked = self.checker.check(line, None)?;
        if let Checked::Row(facts) = &checked
            && self.plan.carries()
            && !self.tips.contains_key(&facts.group)
        {
            checked = self.checker.check(line, Some(&Before::First))?;
        }
        Some(match checked {
            Checked::Unreadable(_, finding) => RowFit { unreadable: Some(finding), ..RowFit::default() },
            Checked::Unchained(..) => RowFit::default(),
            Checked::Row(facts) => self.of(facts),
        })
    }

    /// The bytes that the last row's digest was computed of.
    pub fn preimage(&self) -> &[u8] {
        self.checker.preimage()
    }

    /// The bytes that the last signature was judged over.
    pub fn message(&self) -> &[u8] {
        self.checker.message()
    }

    /// The chain of a row: one that names none is of the chain that it links to, else of the one before.
    fn chain(&self, facts: &Facts) -> Option<Arc<str>> {
        if facts.group.is_some() || self.plan.fields.group.is_none() {
            return facts.group.clone().filter(|_| !self.plan.chain.single_group);
        }
        let Some(prev) = &facts.prev else { return self.last.clone() };
        let is_named = |names: &Vec<Digest>| names.contains(prev);
        match self.tips.get(&self.last).is_some_and(is_named) {
            true => self.last.clone(),
            false => {
                let named = self.tips.iter().find(|(_, names)| is_named(names));
                named.map_or_else(|| self.last.clone(), |(chain, _)| chain.clone())
            }
        }
    }

    fn of(&mut self, facts: Box<Facts>) -> RowFit {
        // A signature may be what wants the key, and a member that is not there what the digest wants.
        let macs = self.plan.hash.first().is_some_and(|rules| rules.iter().any(|rule| rule.key.is_some()));
        let wrong = |finding: &Finding| matches!(finding.code, Code::FieldMissing | Code::FieldMalformed);
        let keyless = macs && facts.unkeyed && facts.digest == DigestFact::Unknown && !facts.findings.iter().any(wrong);
        let digest = match &facts.digest {
            _ if self.plan.fields.hash.is_none() => None,
            DigestFact::Fits => Some(true),
            DigestFact::Recomputed(_) => Some(false),
            DigestFact::Readings(digests) => Some(facts.hash.is_some_and(|hash| digests.contains(&hash))),
            DigestFact::Unknown => (!keyless).then_some(false),
        };
        let chain = self.chain(&facts);
        let tip = self.tips.get(&chain);
        let link = match (facts.prev, tip) {
            _ if self.plan.late => None,
            (None, _) => Some(false),
            (Some(Digest::GENESIS), tip) => Some(tip.is_none()),
            // What stood before the first row was not seen.
            (Some(_), None) => None,
            (Some(prev), Some(names)) => Some(names.contains(&prev)),
        };
        let link = if facts.unequal.is_empty() { link } else { Some(false) };
        let signature = match facts.signature {
            _ if !facts.signed => None,
            SignatureFact::Holds { .. } => Some(true),
            SignatureFact::Fails => Some(false),
            SignatureFact::Unjudged => (!facts.unkeyed).then_some(false),
        };
        let predecessor = tip.and_then(|names| names.first().copied());
        let follows = link == Some(true) && tip.is_some();
        self.tips.insert(chain.clone(), names(&facts));
        self.last = chain;
        RowFit { unreadable: None, digest, link, signature, follows, predecessor, keyless, facts: Some(facts) }
    }
}

/// What the next row may name this one by.
fn names(facts: &Facts) -> Vec<Digest> {
    if let Some(name) = facts.name {
        return vec![name];
    }
    let recomputed: &[Digest] = match &facts.digest {
        DigestFact::Recomputed(digest) => std::slice::from_ref(digest),
        DigestFact::Readings(digests) => digests,
        DigestFact::Fits | DigestFact::Unknown => &[],
    };
    facts.hash.into_iter().chain(recomputed.iter().copied()).collect()
}
