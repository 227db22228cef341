//! The explanation of one row: the export is audited up to it, and then that row is looked at closely.

use std::path::Path;

use super::{Ground, Request, declared, folder, heads, load, rules, unfinished};
use crate::chain::Rules;
use crate::explain;
use crate::fact::Place;
use crate::finding::Tally;
use crate::pipeline::{self, Digests, Job, Observer, Sizes, Target};
use crate::read::{Export, Kind};
use crate::report::explained::Explained;
use crate::stop::{Stop, StopCode};

/// Which row is to be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one in this line, as findings name it.
    Line {
        /// The file, where the export has several: its path as given, or its name.
        file: Option<String>,
        /// The line, from 1.
        line: u64,
    },
    /// The one with this sequence number.
    Sequence {
        /// The number.
        number: u64,
        /// The chain that it names.
        chain: Option<String>,
    },
}

/// Explain a row.
///
/// # Errors
///
/// A stop as in an audit, and one of the kind `row` if there is no such row or more than one.
pub fn explain(request: &Request, wanted: &Wanted, observer: &dyn Observer) -> Result<Explained, Stop> {
    let judge = load::judge(request.signatures)?;
    let (ground, opened) = Ground::for_request(request)?;
    let Ground { plan, recipe, keys } = &ground;
    let witness = heads::witness(request.witness.as_ref(), plan)?;
    let heads = heads::heads(&request.heads, plan)?;
    let parts = folder::expand(&request.exports, plan)?;
    let mut tally = Tally::new(request.policy.clone(), 0);
    let manifest = load::manifest(request, &parts.paths, plan, keys, &mut tally)?;
    let export = ground.open(opened, &parts.paths)?;
    let target = target(wanted, &export)?;
    let declared = declared::collect(&export, &parts.paths, plan, request.max_row_bytes, true, observer)?;
    let rules =
        Rules { declared, ..rules(plan, keys, manifest.as_ref(), (&heads, witness.as_ref()), request.max_chains) };
    let job = Job {
        export: &export,
        plan,
        keys,
        judge: &judge,
        rules: &rules,
        recipe: *recipe,
        max_row_bytes: request.max_row_bytes,
        threads: request.threads,
        sizes: Sizes::default(),
        digests: Digests::Nothing,
        artefacts: request.artefacts.as_deref(),
        observer,
    };
    let reached = match pipeline::reach(job, &target)? {
        Ok(reached) => reached.ok_or_else(|| nowhere(wanted))?,
        Err(why) => return Err(unfinished(&export, &why, rules.max_chains, 0)),
    };
    let name = export.path(reached.place.part).display().to_string();
    if reached.kind == Kind::Blank {
        let why = format!("{name}: line {} is empty: there is no row in it", reached.place.line);
        return Err(Stop::new(StopCode::Row, why).hint("--line N is the line that a finding names"));
    }
    if !reached.others.is_empty() {
        return Err(several(wanted, reached.place, &reached.others, &export));
    }
    Ok(explain::explain(plan, keys, &reached, name))
}

fn target(wanted: &Wanted, export: &Export) -> Result<Target, Stop> {
    match wanted {
        Wanted::Sequence { number, chain } => Ok(Target::Sequence { number: *number, chain: chain.clone() }),
        Wanted::Line { file: None, line } if export.parts() == 1 => Ok(Target::Line { part: 0, line: *line }),
        Wanted::Line { file: None, line } => {
            Err(Stop::new(StopCode::Row, format!("--line {line}: the export is in several files"))
                .hint(format!("say in which one: --line FILE:{line}")))
        }
        Wanted::Line { file: Some(file), line } => {
            let is_it = |part: &u32| {
                let path = export.path(*part);
                path == Path::new(file) || path.file_name().is_some_and(|name| name == file.as_str())
            };
            let mut parts = (0..export.parts()).filter(is_it);
            match (parts.next(), parts.next()) {
                (Some(part), None) => Ok(Target::Line { part, line: *line }),
                (Some(_), Some(_)) => Err(Stop::new(StopCode::Row, format!("{file}: several files have this name"))
                    .hint("give its path as it was given")),
                (None, _) => Err(Stop::new(StopCode::Row, format!("{file}: it is no file of the export"))
                    .hint("--line FILE:N names one of the files that were given, or of the folder")),
            }
        }
    }
}

fn nowhere(wanted: &Wanted) -> Stop {
    match wanted {
        Wanted::Line { line, .. } => {
            Stop::new(StopCode::Row, format!("there is no line {line}")).hint("lines count from 1, empty ones too")
        }
        Wanted::Sequence { number, chain } => {
            let of = chain.as_ref().map_or_else(String::new, |chain| format!(" of the chain {chain}"));
            Stop::new(StopCode::Row, format!("no row{of} that can be read has the sequence {number}"))
                .hint("--line N takes the line that a finding names")
        }
    }
}

fn several(wanted: &Wanted, first: Place, others: &[Place], export: &Export) -> Stop {
    let shown = |place: &Place| match export.parts() {
        1 => place.line.to_string(),
        _ => format!("{}:{}", export.path(place.part).display(), place.line),
    };
    let lines: Vec<String> = std::iter::once(&first).chain(others).map(shown).collect();
    let number = match wanted {
        Wanted::Sequence { number, .. } => number.to_string(),
        Wanted::Line { line, .. } => line.to_string(),
    };
    Stop::new(StopCode::Row, format!("several rows have the sequence {number}: lines {}", lines.join(", ")))
        .hint("say which one with --chain NAME or --line N")
}
