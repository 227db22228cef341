//! Counts and checks become one of three words, and the word an exit code.
//!
//! This is the only place that says `verified`, and it cannot say it of nothing: the word carries
//! the number of rows it was earned with.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use crate::finding::{Class, Code, Policy};

/// What is said of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every row was checked and every check passed.
    Verified {
        /// How many rows that were.
        rows: NonZeroU64,
    },
    /// At least one fault.
    Broken {
        /// How many.
        faults: NonZeroU64,
    },
    /// No fault, but something limits what was vouched for.
    Bounded {
        /// Whether a limit remains that the user did not accept.
        open: bool,
    },
}

impl Verdict {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Verified { .. } => "verified",
            Verdict::Broken { .. } => "broken",
            Verdict::Bounded { .. } => "bounded",
        }
    }

    /// The process's exit code (2 is a stop and has no verdict).
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Verified { .. } | Verdict::Bounded { open: false } => 0,
            Verdict::Broken { .. } => 1,
            Verdict::Bounded { open: true } => 3,
        }
    }
}

/// One of the things that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckId {
    /// Every row states its predecessor's digest.
    Chain,
    /// Every row's content has the digest that it states.
    Digests,
    /// Every row's signature holds.
    Signatures,
    /// Sequence numbers run without gap.
    Sequence,
    /// An anchor states the head.
    Head,
}

impl CheckId {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            CheckId::Chain => "chain",
            CheckId::Digests => "digests",
            CheckId::Signatures => "signatures",
            CheckId::Sequence => "sequence",
            CheckId::Head => "head",
        }
    }
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All of it was looked at and good.
    Passed,
    /// Something is wrong.
    Failed,
    /// Not all of it was looked at, and what was is good.
    NotChecked,
}

impl Status {
    /// The words in reports.
    pub fn name(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Failed => "failed",
            Status::NotChecked => "not checked",
        }
    }
}

/// A check with its figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Which one.
    pub id: CheckId,
    /// How many were looked at.
    pub checked: u64,
    /// How many an earlier report vouches for, beside these.
    pub vouched: u64,
    /// How many there are.
    pub total: u64,
    /// Whether one of them is wrong.
    pub failed: bool,
}

impl Check {
    /// How many were looked at, now or by an earlier report.
    pub fn done(&self) -> u64 {
        self.checked.saturating_add(self.vouched)
    }

    /// How it came out. A total of zero is never a pass.
    pub fn status(&self) -> Status {
        if self.failed {
            Status::Failed
        } else if self.total > 0 && self.done() == self.total {
            Status::Passed
        } else {
            Status::NotChecked
        }
    }
}

/// The bounds that leave open where a chain ends.
pub const HEAD_BOUNDS: &[Code] = &[Code::NoAnchor, Code::AfterAnchor, Code::ManifestUnsigned];

/// The verdict on `rows` rows with these findings and checks.
///
/// Findings decide; the checks are the second lock on exit code 0: where one of them did not pass
/// although no finding says so, the verdict is bounded, whatever the user accepted.
pub fn judge(counts: &BTreeMap<Code, u64>, policy: &Policy, rows: u64, checks: &[Check]) -> Verdict {
    let count_of =
        |class| counts.iter().filter(|&(&code, _)| policy.class(code) == class).map(|(_, &count)| count).sum::<u64>();
    if let Some(faults) = NonZeroU64::new(count_of(Class::Fault)) {
        return Verdict::Broken { faults };
    }
    let bounds = || counts.keys().copied().filter(|&code| policy.class(code) == Class::Bound);
    let unexplained = unexplained(counts, policy, checks).next().is_some();
    let open = unexplained || bounds().any(|code| !policy.accepts(code));
    let all_passed = checks.iter().all(|check| check.status() == Status::Passed);
    match NonZeroU64::new(rows) {
        Some(rows) if count_of(Class::Bound) == 0 && all_passed => Verdict::Verified { rows },
        Some(_) if count_of(Class::Bound) > 0 => Verdict::Bounded { open },
        _ => Verdict::Bounded { open: true },
    }
}

/// The checks that are incomplete though no bound says why.
pub fn unexplained<'c>(
    counts: &'c BTreeMap<Code, u64>,
    policy: &'c Policy,
    checks: &'c [Check],
) -> impl Iterator<Item = &'c Check> {
    let bounds = || counts.iter().filter(|&(&code, _)| policy.class(code) == Class::Bound);
    let open = checks.iter().filter(|check| check.status() == Status::NotChecked);
    open.filter(move |check| !bounds().any(|(&code, &count)| explains(code, count, check)))
}

/// Whether so many of a bound are a reason for this check to be incomplete.
fn explains(code: Code, count: u64, check: &Check) -> bool {
    let of_content = matches!(check.id, CheckId::Digests | CheckId::Signatures);
    match code {
        Code::Empty => true,
        code if HEAD_BOUNDS.contains(&code) => check.id == CheckId::Head,
        // Some digests are MACs.
        Code::NoKey => of_content,
        // Where a row is hashed with something of the row before, the first one of each chain cannot be.
        Code::PartialStart => of_content && check.total.saturating_sub(check.done()) <= count,
        Code::UnsignedTail => check.id == CheckId::Signatures && check.total == 0,
        _ => false,
    }
}
