//! The main job, which has no word of its own: is this ledger whole?

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use super::{each, hint_at_command};
use crate::audit;
use crate::cli::help::HELP;
use crate::cli::options::{Audit, SubjectDigest};
use crate::cli::output::Output;
use crate::cli::reports::Reports;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse, usage};
use crate::finding::Code;
use crate::report::Outcome;
use crate::report::explain::explain;
use crate::stop::Stop;

#[derive(Debug, Parser)]
#[command(name = "ledger-verify", version, override_help = HELP, arg_required_else_help = false)]
struct Verify {
    #[command(flatten)]
    audit: Audit,
    #[arg(long)]
    each: bool,
    #[arg(long)]
    report: Vec<OsString>,
    #[arg(long, value_enum, default_value_t = SubjectDigest::Sha256)]
    subject_digest: SubjectDigest,
    #[arg(long)]
    operator: Option<String>,
    #[arg(long)]
    case_id: Option<String>,
    #[arg(long)]
    explain: Option<String>,
}

pub(in crate::cli) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let verify = match parse::<Verify>(arguments)? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(verify) => verify,
    };
    if let Some(word) = &verify.explain {
        let code = Code::named(word).ok_or_else(|| {
            usage(format!("--explain {word}: there is no such finding")).hint("docs/findings.md lists them all")
        })?;
        return Ok(Output::plain(false).text(&explain(code)));
    }
    let (mut request, output) = verify.audit.wanted()?;
    request.without_digest = verify.subject_digest == SubjectDigest::None;
    let reports = Reports::parse(&verify.report, output.is_json())?;
    reports.spare(&request)?;
    if request.without_digest {
        reports.need_no_digest()?;
    }
    if verify.each {
        reports.are_of_several()?;
    }
    let output = output.with(reports);
    let runner = Runner::new(arguments, &request, &output).on_behalf(verify.operator, verify.case_id);
    if verify.each {
        let runner = runner.for_one_of(&request.exports);
        let stopped = |stop| output.outcome(&Outcome::Stop(stop));
        return Ok(each::run(&request, &output, &runner).unwrap_or_else(stopped));
    }
    let outcome = match runner.run(|environment, observer| audit::run(&request, environment, observer)) {
        Outcome::Stop(stop) => Outcome::Stop(hint_at_command(stop, &request.exports)),
        report => report,
    };
    Ok(output.outcome(&outcome))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Verify>(HELP);
    }
}
