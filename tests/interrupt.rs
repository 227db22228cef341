//! A run that the user ends: exit code 2, and how far it got.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ledger_verify::audit::{Request, run};
use ledger_verify::pipeline::{Observer, Progress};
use ledger_verify::report::{Environment, Outcome};
use ledger_verify::stop::StopCode;

/// Ends a run as soon as it is told anything, and keeps how many rows that was.
#[derive(Debug, Default)]
struct Impatient(AtomicU64);

impl Observer for Impatient {
    fn advanced(&self, progress: Progress) -> bool {
        assert!(progress.rows > 0 && progress.bytes > 0 && progress.total >= Some(progress.bytes));
        self.0.fetch_add(progress.rows, Ordering::Relaxed);
        false
    }
}

fn sample() -> Request {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/acme");
    Request {
        exports: vec![folder.join("export.jsonl")],
        keys: vec![(None, folder.join("pk.pem"))],
        profile: Some("void".to_owned()),
        threads: 1,
        ..Request::default()
    }
}

#[test]
fn an_interrupted_run_says_how_far_it_got_and_nothing_of_the_ledger() {
    let impatient = Impatient::default();
    let Outcome::Stop(stop) = run(&sample(), Environment::default(), &impatient) else { panic!("it has a verdict") };
    assert_eq!(stop.code, StopCode::Interrupted);
    // The export has 2,000 rows, and is asked for nothing more after the first batch.
    let rows = impatient.0.into_inner();
    assert!((100..2_000).contains(&rows), "{rows}");
    assert!(stop.message.starts_with(&format!("interrupted after {rows} rows, ")), "{}", stop.message);
    assert!(matches!(run(&sample(), Environment::default(), &()), Outcome::Report(_)));
}

#[cfg(unix)]
#[test]
fn control_c_ends_a_run_that_waits_for_a_pipe() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"{\"sequence\":1}\n").expect("the program reads");
    std::thread::sleep(Duration::from_millis(500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    // The pipe stays open: the program waits for more, and must end all the same.
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
}

/// Also where nobody reads what it says of that.
#[cfg(unix)]
#[test]
fn control_c_ends_a_run_whose_standard_error_is_closed() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let stdin = child.stdin.take().expect("a pipe");
    drop(child.stderr.take());
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let ended = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        child.try_wait().expect("a child")
    });
    if ended.is_none() {
        child.kill().expect("a child");
    }
    drop(stdin);
    assert_eq!(ended.and_then(|status| status.code()), Some(2));
}

#[cfg(unix)]
#[test]
fn control_c_ends_the_whole_of_several_ledgers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/acme");
    let exports = vec!["export.jsonl"; 3_000];
    let child = Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .current_dir(folder)
        .args(["--each", "--key", "pk.pem"])
        .args(&exports)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.starts_with("no verdict: export.jsonl, ") && said.contains(" of 3000 exports: interrupted"), "{said}");
}
