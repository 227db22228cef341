//! The command line as a process: one case for each thing that the help and the README say. Every `console`
//! block of tests/cmd/*.trycmd and of the documents is run, and what stands there is what must come.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("README.md").case("docs/*.md");
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What stands in the fenced blocks of this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    text.split(&start).skip(1).filter_map(|rest| rest.split("\n```").next()).map(|block| format!("{block}\n")).collect()
}

fn read(path: &str) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).replace("\r\n", "\n")
}

/// The help says nothing that no case tries.
#[test]
fn every_option_of_the_help_is_tried() {
    let cases = fs::read_dir(root().join("tests/cmd")).expect("the cases");
    let texts = cases.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let tried: String = texts.map(|path| fs::read_to_string(path).expect("a case")).collect();
    let tried: Vec<&str> = tried.lines().filter(|line| line.starts_with("$ ")).collect();
    let help = blocks(&read("tests/cmd/help.trycmd"), "console").swap_remove(0);
    let options: Vec<&str> = help
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.len() > 2 && word.starts_with("--"))
        .collect();
    assert!(options.len() > 15, "{options:?}");
    for option in options {
        assert!(tried.iter().any(|line| line.split(' ').any(|word| word == option)), "{option} is tried nowhere");
    }
}

/// The set-up command of the README prints what stands below it.
#[test]
fn the_first_command_of_the_readme() {
    let readme = read("README.md");
    let setup = blocks(&readme, "sh").swap_remove(0);
    assert_eq!(setup.lines().count(), 2, "two commands and no more: {setup}");
    let arguments = setup.lines().next().and_then(|line| line.strip_prefix("cargo run --release -- ")).expect("a run");
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let done = program.current_dir(root()).args(arguments.split(' ')).output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&done.stdout), blocks(&readme, "text").swap_remove(0));
    assert_eq!(done.status.code(), Some(0));
}

/// What the README would have people put into a script runs, and so do its commands on `export.jsonl`.
#[cfg(unix)]
#[test]
fn the_scripts_of_the_readme() {
    let readme = read("README.md");
    let folder = tempfile::tempdir().expect("a folder");
    let link =
        |from: &str, to: &str| std::os::unix::fs::symlink(root().join(from), folder.path().join(to)).expect("a link");
    link("testdata", "testdata");
    for file in ["export.jsonl", "export.manifest.json", "pk.pem", "part-1.jsonl", "part-2.jsonl"] {
        link(&format!("tests/cmd/files/{file}"), file);
    }
    let program = Path::new(env!("CARGO_BIN_EXE_ledger-verify")).parent().expect("its folder");
    let path = std::env::join_paths(
        std::iter::once(program.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.expect("a PATH");
    let shell = |script: &str| {
        let mut shell = Command::new("sh");
        let done = shell.current_dir(folder.path()).env("PATH", &path).args(["-c", script]).output().expect("a shell");
        assert!(done.status.success(), "{script}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).expect("text")
    };
    assert_eq!(shell(&blocks(&readme, "sh").swap_remove(1)), "whole\n");
    assert!(folder.path().join("report.json").exists());
    let lines: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("    ledger-verify ")).collect();
    assert!(lines.len() >= 2, "{lines:?}");
    for line in lines {
        let out = shell(&format!("ledger-verify {line}"));
        if line.starts_with("head ") {
            let head = shell(&format!("ledger-verify export.jsonl --key pk.pem --head {}", out.trim()));
            assert!(head.ends_with("verified\n") && head.contains("matches --head"), "{head}");
        }
    }
}

/// Links between the documents lead somewhere.
#[test]
fn links_of_the_documents_lead_somewhere() {
    let docs = fs::read_dir(root().join("docs")).expect("docs").map(|entry| entry.expect("one").path());
    let top = ["README.md", "SECURITY.md", "CHANGELOG.md"].map(|file| root().join(file));
    let documents: Vec<_> = docs.chain(top).filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    let mut links = 0;
    for document in documents {
        let text = fs::read_to_string(&document).expect("a document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !target.contains("://") && !target.starts_with('#') {
                let file = target.split('#').next().unwrap_or_default();
                assert!(document.with_file_name("").join(file).exists(), "{}: {target}", document.display());
                links += 1;
            }
        }
    }
    assert!(links > 10, "only {links} links");
}

/// docs/profiles.md has every word of the vocabulary.
#[test]
fn the_vocabulary_is_documented() {
    let text = read("docs/profiles.md");
    let mut words = Vec::new();
    for file in ["mod", "tables", "parts"] {
        let schema = read(&format!("src/profile/schema/{file}.rs"));
        let mut renamed = None;
        for line in schema.lines() {
            // The fields of the tables that a profile's author writes, by the name that they have there.
            if let Some((_, name)) = line.trim().strip_prefix("#[serde(rename = \"").map(|rest| ("", rest)) {
                renamed = name.split('"').next().map(str::to_owned);
            } else if let Some((word, _)) = line.strip_prefix("    pub ").and_then(|line| line.split_once(": ")) {
                words.push(renamed.take().unwrap_or_else(|| word.to_owned()));
            }
        }
    }
    words.retain(|word| !word.contains(' '));
    assert!(words.len() > 70, "{words:?}");
    for word in words {
        let told = [
            format!("\"{word}\""),
            format!("`{word}`"),
            format!("[{word}]"),
            format!("{word} ="),
            format!(".{word}]"),
            format!(" {word} "),
        ];
        assert!(told.iter().any(|form| text.contains(form.as_str())), "docs/profiles.md does not tell of {word}");
    }
}

/// The profile that docs/profiles.md teaches is one, and is put together from what is shown.
#[test]
fn the_taught_profile_compiles() {
    let blocks = blocks(&read("docs/profiles.md"), "toml");
    let taught: String = blocks.iter().take(3).map(String::as_str).collect();
    let plan = ledger_verify::profile::from_toml(&taught, "docs/profiles.md").expect("a good profile");
    assert_eq!((plan.name.as_str(), plan.chain.sequence_starts.as_slice()), ("events", [1].as_slice()));
}
