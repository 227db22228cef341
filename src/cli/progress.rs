//! How far a run is, for a user who watches, and Ctrl-C for one who has seen enough.
//!
//! Progress is drawn on standard error, on a terminal only, and only for a run that takes longer than a
//! second. Ctrl-C ends the run at the next window with a stop that says how far it got.

use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::pipeline::{Observer, Progress};
use crate::report::figures::grouped;

/// What passes before anything is drawn.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a run that was interrupted has to end by itself: one that waits for a pipe never does.
const GRACE: Duration = Duration::from_secs(5);

const OF_A_FILE: &str = "{percent:>3}% {bar:30} {bytes} of {total_bytes}, {msg}, {bytes_per_sec}, {eta} left";
const OF_A_STREAM: &str = "{spinner} {bytes}, {msg}, {bytes_per_sec}";

/// Set by Ctrl-C; a process has one.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What is shown of a run.
#[derive(Debug)]
pub(super) struct Shown {
    started: Instant,
    visible: bool,
    bar: OnceLock<ProgressBar>,
}

impl Shown {
    /// From now on, drawn if someone can see it.
    pub fn new(visible: bool) -> Self {
        // Where the handler cannot be set Ctrl-C does what it always does.
        let _ = ctrlc::set_handler(interrupt);
        Shown { started: Instant::now(), visible, bar: OnceLock::new() }
    }
}

impl Observer for Shown {
    fn advanced(&self, progress: Progress) -> bool {
        if self.visible && self.started.elapsed() >= PATIENCE {
            let bar = self.bar.get_or_init(|| bar(progress.total));
            bar.set_message(format!("{} rows", grouped(progress.rows)));
            bar.set_position(progress.bytes);
        }
        !INTERRUPTED.load(Ordering::SeqCst)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = if total.is_some() { OF_A_FILE } else { OF_A_STREAM };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Ctrl-C, on a thread of its own: the run ends by itself, and if it cannot, or at the second one, here.
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        give_up();
    }
    std::thread::spawn(|| {
        std::thread::sleep(GRACE);
        give_up();
    });
}

fn give_up() -> ! {
    // Also where nobody reads it any more.
    let _ = writeln!(std::io::stderr(), "\nno verdict: interrupted");
    std::process::exit(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_templates_are_good() {
        for template in [OF_A_FILE, OF_A_STREAM] {
            ProgressStyle::with_template(template).expect(template);
        }
    }
}
