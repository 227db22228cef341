//! Running audits for a command: where and with what, and who watches.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;

use super::output::{Output, own_digest};
use super::progress::Shown;
use crate::audit::Request;
use crate::pipeline::Observer;
use crate::report::{Environment, Outcome};

/// What the audits of one command have in common.
pub(super) struct Runner {
    environment: Environment,
    shows_progress: bool,
}

impl Runner {
    /// For this command line. The binary's own digest is worth its time only where it is shown.
    pub fn new(arguments: &[OsString], request: &Request, output: &Output) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let environment = Environment {
            tool: concat!("ledger-verify ", env!("CARGO_PKG_VERSION")).to_owned(),
            tool_sha256: if output.tells_all() { own_digest() } else { None },
            arguments: arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect(),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            threads: if request.threads == 0 { cores() } else { request.threads },
            signature_engine: String::new(),
            signatures_fast: 0,
            signatures_cross_checked: 0,
            folders: Vec::new(),
            operator: None,
            case_id: None,
            started: String::new(),
            finished: String::new(),
        };
        Runner { environment, shows_progress: output.shows_progress() }
    }

    /// The same, run by this person and for this case, as far as it is said.
    pub fn on_behalf(mut self, operator: Option<String>, case_id: Option<String>) -> Self {
        (self.environment.operator, self.environment.case_id) = (operator, case_id);
        self
    }

    /// The same for one of several exports, in whose report the names of the others have no place: there
    /// may be thousands.
    pub fn for_one_of(mut self, exports: &[PathBuf]) -> Self {
        let exports: HashSet<_> = exports.iter().map(|export| export.to_string_lossy()).collect();
        self.environment.arguments.retain(|argument| !exports.contains(argument.as_str()));
        self
    }

    /// Do something of which audits are a part, watched.
    pub fn watch<T>(&self, work: impl FnOnce(Environment, &dyn Observer) -> T) -> T {
        let started = jiff::Timestamp::now().to_string();
        work(Environment { started, ..self.environment.clone() }, &Shown::new(self.shows_progress))
    }

    /// Run an audit from now on, watched.
    pub fn run(&self, audit: impl FnOnce(Environment, &dyn Observer) -> Outcome) -> Outcome {
        let started = jiff::Timestamp::now().to_string();
        let shown = Shown::new(self.shows_progress);
        let mut outcome = audit(Environment { started, ..self.environment.clone() }, &shown);
        drop(shown);
        if let Outcome::Report(report) = &mut outcome {
            report.environment.finished = jiff::Timestamp::now().to_string();
        }
        outcome
    }
}
