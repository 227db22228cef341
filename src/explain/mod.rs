//! One row, step by step: what the checks saw, as an explanation shows it.
//!
//! Decides nothing: every verdict in it is that of the check or of the walk, which are watched and not done
//! again. Only the near misses are tried here, and they are hints.

mod look;
mod near;
mod signed;
mod spelled;

use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, Facts};
use crate::finding::{Code, Finding};
use crate::pipeline::Reached;
use crate::profile::{Layout, Plan};
use crate::report::explained::{Explained, LinkTold, Status};
use crate::report::{FormatFacts, ProfileFacts};
use crate::trust::keyring::Keyring;
use look::Look;

/// What is said of this row. `subject` is the name of its file.
pub fn explain(plan: &Plan, keys: &Keyring, reached: &Reached, subject: String) -> Explained {
    let before = reached.standing.as_ref().map(|standing| &standing.before).filter(|_| plan.carries());
    let mut checker = Checker::new(plan, keys, reached.recipe);
    let mut look = Look::new(plan, keys, reached);
    let checked = checker.check_before(&reached.line(), before, &mut look);
    let uncovered = checker.take_uncovered().members(Code::UncoveredField);
    let facts = match &checked {
        Some(Checked::Row(facts)) => Some(&**facts),
        Some(Checked::Unreadable(..) | Checked::Unchained(..)) | None => None,
    };
    let mut told = Explained {
        subject,
        place: reached.place,
        line: reached.bytes.clone(),
        profile: ProfileFacts {
            name: plan.name.clone(),
            source: plan.source.name(),
            sha256: plan.sha256.clone(),
            recipe: plan.recipe_text(reached.recipe),
            format: FormatFacts::default(),
            in_document: matches!(&plan.input.layout, Layout::Document(path) if !path.is_whole()),
            default_recipe: [reached.recipe.hash, reached.recipe.signature].into_iter().flatten().all(|read| read == 0),
        },
        sequence: facts.and_then(|facts| facts.sequence).map(|sequence| sequence.get()),
        chain: reached.standing.as_ref().and_then(|standing| standing.chain.clone()),
        members: look.members,
        digest: look.digest,
        link: None,
        signatures: look.signatures,
        binds: look.binds,
        equalities: look.equalities,
        uncovered,
        findings: reached.findings.clone(),
        open: look.open,
    };
    let stated = told.members.iter().find(|member| member.role == "predecessor").and_then(|member| member.says.clone());
    told.link = facts.map(|facts| link(plan, reached, facts, stated));
    let open = told.link.as_ref().filter(|link| link.status == Status::Open && no_bound(&told.findings));
    told.open.extend(open.map(|link| format!("the link: {}", link.why)));
    told
}

/// Whether no finding already says that something is left open.
fn no_bound(findings: &[Finding]) -> bool {
    !findings.iter().any(|finding| LINK.contains(&finding.code))
}

/// What an audit finds of links and of where chains begin.
const LINK: [Code; 8] = [
    Code::LinkBroken,
    Code::Fork,
    Code::SecondGenesis,
    Code::ChainReset,
    Code::GenesisBroken,
    Code::PartialStart,
    Code::SequenceRepeated,
    Code::FieldMissing,
];

/// How the link came out, from what the walk found; `stated` is what the row says.
fn link(plan: &Plan, reached: &Reached, facts: &Facts, stated: Option<String>) -> LinkTold {
    let text = |digest: &Digest| plan.form.encode(digest);
    let found = reached.findings.iter().find(|finding| {
        LINK.contains(&finding.code) && finding.member.as_deref().is_none_or(|member| is_link(plan, member))
    });
    let standing = reached.standing.as_ref();
    let first = standing.is_some_and(|standing| standing.first);
    let mut expected: Vec<String> = match standing {
        Some(_) if found.is_some_and(|finding| finding.code == Code::PartialStart) => Vec::new(),
        Some(standing) if first && standing.before == Before::Unknown => Vec::new(),
        // A genesis need not be one text.
        Some(_) if first && facts.prev == Some(Digest::GENESIS) => stated.iter().cloned().collect(),
        Some(_) if first => vec![text(&Digest::GENESIS)],
        Some(standing) => standing.names.iter().map(text).collect(),
        None => Vec::new(),
    };
    expected.dedup();
    let states = plan.fields.prev.is_some();
    let (status, why) = match found {
        Some(finding) if finding.code == Code::PartialStart => {
            (Status::Open, "the export starts with this row".to_owned())
        }
        Some(finding) => (Status::Fails, finding.code.name().to_owned()),
        None if standing.is_some_and(|standing| standing.unreadable) => {
            (Status::Open, "lines before it cannot be read and may be the row before".to_owned())
        }
        None if !states && first => (Status::Holds, "the first row of its chain".to_owned()),
        None if !states => (Status::Holds, "no member states it: it enters the digest".to_owned()),
        None => match (facts.prev, first) {
            (None, _) => (Status::Open, "what it states cannot be read".to_owned()),
            (Some(Digest::GENESIS), true) => {
                (Status::Holds, "the first row of its chain states the genesis".to_owned())
            }
            (Some(_), true) => (Status::Holds, "the first row of its chain".to_owned()),
            (Some(_), false) => (Status::Holds, "it names the row before".to_owned()),
        },
    };
    LinkTold { status, stated, before: standing.and_then(|standing| standing.place), expected, why }
}

/// Whether a finding about this member is one about the link.
fn is_link(plan: &Plan, member: &str) -> bool {
    member == "link" || plan.fields.prev.as_ref().is_some_and(|field| field.name() == member)
}
