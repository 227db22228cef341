//! Whether a report still describes some files: what is said of that, as text and as JSON.
//!
//! It says nothing of the ledger. The verdict of the report is told as that of the report.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::checks::Mark;
use super::escape::escape_cut;
use super::figures::size;
use super::identity::{optional, text as shown};
use super::shell::{self, UNWRITABLE};
use crate::verdict::Verdict;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.report-check/v1";

/// Characters of a name.
const MAX_NAME: usize = 256;

/// Arguments of a command that is shown: a part of one would be another command.
const MAX_ARGUMENTS: usize = 64;

/// A report, and the files that were held against it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The report's name as given.
    pub name: String,
    /// The id that it has.
    pub id: String,
    /// The id that it states, where that is another one: nothing was compared then.
    pub altered: Option<String>,
    /// The id that was cited elsewhere.
    pub cited: Option<String>,
    /// Its verdict.
    pub verdict: Option<Verdict>,
    /// What wrote it.
    pub tool: String,
    /// When its run ended.
    pub made: String,
    /// The command line of that run.
    pub arguments: Vec<String>,
    /// The files that it describes.
    pub stated: Vec<Part>,
    /// Those that were given, in the same order.
    pub seen: Vec<Part>,
}

/// A file, and the one that stands beside it in a format that has such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub file: Seen,
    /// Those of the one beside it.
    pub sidecar: Option<Seen>,
}

/// Bytes, by their number and digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How many.
    pub bytes: u64,
    /// Their SHA-256, hex.
    pub sha256: String,
}

/// One thing that was compared.
struct Line {
    mark: Mark,
    text: String,
}

impl Described {
    /// A report that was changed after it was written.
    pub fn altered(name: String, stated: String, found: String) -> Self {
        Described {
            name,
            id: found,
            altered: Some(stated),
            cited: None,
            verdict: None,
            tool: String::new(),
            made: String::new(),
            arguments: Vec::new(),
            stated: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Whether its id is right and it is about exactly these bytes.
    pub fn holds(&self) -> bool {
        let same = |(stated, seen): (&Part, &Part)| stated.file == seen.file && stated.sidecar == seen.sidecar;
        self.id_is_right()
            && !self.stated.is_empty()
            && self.stated.len() == self.seen.len()
            && self.stated.iter().zip(&self.seen).all(same)
    }

    fn id_is_right(&self) -> bool {
        self.altered.is_none() && self.cited.as_ref().is_none_or(|cited| *cited == self.id)
    }

    /// The exit code: 0 if it describes them, 1 if not.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.holds())
    }

    fn lines(&self) -> Vec<Line> {
        let line = |mark, text: String| Line { mark, text };
        if let Some(stated) = &self.altered {
            let text = format!("the report was changed after it was written: it states {}", escape_cut(stated, 80));
            return vec![line(Mark::Bad, text), line(Mark::Not, "files not compared with a changed report".to_owned())];
        }
        let mut out = vec![match &self.cited {
            None => line(Mark::Good, "its id is that of its members".to_owned()),
            Some(cited) if *cited == self.id => line(Mark::Good, "its id is the one that was cited".to_owned()),
            Some(cited) => line(Mark::Bad, format!("the id that was cited is {}", escape_cut(cited, 80))),
        }];
        for (index, stated) in self.stated.iter().enumerate() {
            out.push(match self.seen.get(index) {
                None => line(Mark::Bad, format!("{}: not given", name(&stated.name))),
                Some(seen) => self.compared(stated, seen),
            });
        }
        let more = self.seen.iter().skip(self.stated.len());
        out.extend(more.map(|seen| line(Mark::Bad, format!("{}: the report has no such part", name(&seen.name)))));
        out
    }

    fn compared(&self, stated: &Part, seen: &Part) -> Line {
        let (mine, theirs) = (&seen.file, &stated.file);
        let name = name(&seen.name);
        let line = |mark, text| Line { mark, text };
        if mine == theirs && stated.sidecar == seen.sidecar {
            return line(Mark::Good, format!("{name}  {}  sha256:{}", size(mine.bytes), mine.sha256));
        }
        if mine == theirs {
            return line(Mark::Bad, format!("{name}: what stands beside it is not what the report is of"));
        }
        if let Some(other) = self.stated.iter().position(|part| part.file == *mine) {
            return line(
                Mark::Bad,
                format!("{name}: this is part {} of the report, given in another place", other + 1),
            );
        }
        let text = format!(
            "{name}: {} bytes, sha256:{}, where the report says {} bytes, sha256:{}",
            mine.bytes,
            mine.sha256,
            theirs.bytes,
            escape_cut(&theirs.sha256, 64)
        );
        line(Mark::Bad, text)
    }

    /// Write the text form.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}  report {}", name(&self.name), self.id)?;
        self.lines().iter().try_for_each(|line| writeln!(out, "  {} {}", line.mark.sign(), line.text))?;
        if let Some(verdict) = self.verdict {
            let (made, tool) = (escape_cut(&self.made, 40), escape_cut(&self.tool, 80));
            writeln!(out, "  – not verified again: the report says {}, by {tool} on {made}", verdict.word())?;
            writeln!(out, "    to verify it: {}", self.command())?;
        }
        let word = if self.holds() { "describes these files" } else { "does not describe these files" };
        writeln!(out, "the report {word}")
    }

    /// The command line that the report is of, to be pasted: it writes no file, so that nothing that was filed is
    /// written over, and it shows its report.
    fn command(&self) -> String {
        let wanted = verifying(self.arguments.get(1..).unwrap_or_default());
        if self.arguments.is_empty() {
            return "the report has no command line".to_owned();
        }
        if wanted.len() > MAX_ARGUMENTS {
            return format!("the command line has {} words: see environment.arguments of the report", wanted.len());
        }
        shell::command(wanted).unwrap_or_else(|| UNWRITABLE.to_owned())
    }

    /// The JSON form, with a line end.
    pub fn json(&self) -> String {
        let part = |part: &Part| {
            let sidecar =
                part.sidecar.as_ref().map(|seen| json!({ "bytes": seen.bytes, "sha256": shown(&seen.sha256) }));
            json!({
                "name": shown(&part.name),
                "bytes": part.file.bytes,
                "sha256": shown(&part.file.sha256),
                "sidecar": sidecar,
            })
        };
        let value = json!({
            "schema": SCHEMA,
            "describes": self.holds(),
            "exit_code": self.exit_code(),
            "report": {
                "name": shown(&self.name),
                "report_id": self.id,
                "stated_id": shown(self.altered.as_ref().unwrap_or(&self.id)),
                "cited_id": optional(self.cited.as_deref()),
                "verdict": self.verdict.map(Verdict::word),
                "tool": shown(&self.tool),
                "finished": shown(&self.made),
                "arguments": self.arguments.iter().map(|word| shown(word)).collect::<Vec<_>>(),
            },
            "stated": self.stated.iter().map(part).collect::<Vec<Value>>(),
            "found": self.seen.iter().map(part).collect::<Vec<Value>>(),
        });
        format!("{value:#}\n")
    }
}

/// The arguments without the options that say where and how that one report was to be shown.
fn verifying(arguments: &[String]) -> Vec<&str> {
    let mut wanted = Vec::new();
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--report" => _ = words.next(),
            "--json" | "--quiet" => {}
            _ if word.starts_with("--report=") => {}
            // What stands behind it are names of files.
            "--" => {
                wanted.push(word);
                wanted.extend(words.by_ref());
            }
            _ => wanted.push(word),
        }
    }
    wanted
}

fn name(name: &str) -> String {
    escape_cut(name, MAX_NAME).into_owned()
}
