//! The explanation as text, for a court and for the author of a profile.

use std::io::{self, Write};

use anstyle::AnsiColor;
use data_encoding::HEXLOWER;

use super::{Explained, Message, Near, Part, Status};
use crate::finding::Class;
use crate::report::escape::{escape, escape_cut, quote};
use crate::report::figures::counted;
use crate::report::message::message;
use crate::report::text::Style;

/// Characters of a text that are shown, and bytes of a hex line, unless all are asked for.
const SHOWN: usize = 160;

/// Characters of a name.
const MAX_NAME: usize = 64;

/// Characters of what a member says.
const MAX_VALUE: usize = 200;

/// Writes one explanation.
struct Page<'o, W> {
    out: &'o mut W,
    style: Style,
    full: bool,
}

/// Write the explanation; `full` shows every byte.
///
/// # Errors
///
/// Those of `out`.
pub fn write(told: &Explained, full: bool, style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut page = Page { out, style, full };
    page.head(told)?;
    page.members(told)?;
    page.digest(told)?;
    page.link(told)?;
    page.signatures(told)?;
    page.rest(told)?;
    page.verdict(told)
}

impl<W: Write> Page<'_, W> {
    fn head(&mut self, told: &Explained) -> io::Result<()> {
        let mut parts = vec![format!("{} line {}", escape_cut(&told.subject, 256), told.place.line)];
        parts.extend(told.sequence.map(|sequence| format!("sequence {sequence}")));
        parts.extend(told.chain.as_deref().map(|chain| format!("chain {}", quote(chain, MAX_NAME))));
        let recipe = match told.profile.recipe.as_str() {
            "" => String::new(),
            recipe => format!(", {}", escape_cut(recipe, 256)),
        };
        let profile = escape_cut(&told.profile.name, MAX_NAME);
        writeln!(self.out, "{}  {profile}{recipe}", parts.join(", "))?;
        writeln!(self.out, "  {} from byte {} on", counted(told.place.length, "byte", "bytes"), told.place.offset)
    }

    fn members(&mut self, told: &Explained) -> io::Result<()> {
        if told.members.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "\nmembers")?;
        for member in &told.members {
            let most = if self.full { usize::MAX } else { MAX_VALUE };
            let says = member.says.as_deref().map_or("(absent)".into(), |says| quote(says, most));
            // A text may look like any other value.
            let kind =
                member.kind.filter(|kind| *kind != "string").map_or_else(String::new, |kind| format!("  ({kind})"));
            writeln!(self.out, "  {:<11}  {} = {says}{kind}", member.role, quote(&member.member, MAX_NAME))?;
            if let Some(wrong) = &member.wrong {
                writeln!(self.out, "  {:<11}  wrong: {}", "", escape_cut(wrong, 256))?;
            }
        }
        Ok(())
    }

    fn digest(&mut self, told: &Explained) -> io::Result<()> {
        let Some(digest) = &told.digest else { return Ok(()) };
        self.title("digest", digest.status, ["fits", "does not fit", "not checked"], digest.why.as_deref())?;
        if let Some(preimage) = &digest.preimage {
            self.message("preimage", preimage)?;
        }
        if let (Some(algorithm), Some(computed)) = (digest.algorithm, &digest.computed) {
            let key = digest.key.as_ref().map_or_else(String::new, |key| format!(" under {}", escape(key)));
            writeln!(self.out, "  computed  {}  {algorithm}{key}", escape(computed))?;
        }
        if let (Some(stated), Some(by)) = (&digest.stated, &digest.stated_by) {
            let most = if self.full { usize::MAX } else { MAX_VALUE };
            writeln!(self.out, "  stated    {}  by {}", quote(stated, most), escape_cut(by, MAX_NAME))?;
        }
        self.near(digest.near.as_ref(), "fits if", "fits with none of the changes that were tried")
    }

    fn link(&mut self, told: &Explained) -> io::Result<()> {
        let Some(link) = &told.link else { return Ok(()) };
        self.title("link", link.status, ["fits", "does not fit", "not checked"], Some(&link.why))?;
        if let Some(stated) = &link.stated {
            writeln!(self.out, "  stated    {}", quote(stated, MAX_VALUE))?;
        }
        let at = link.before.map_or_else(String::new, |place| format!("  the row before, line {}", place.line));
        for expected in &link.expected {
            writeln!(self.out, "  expected  {}{at}", quote(expected, MAX_VALUE))?;
        }
        Ok(())
    }

    fn signatures(&mut self, told: &Explained) -> io::Result<()> {
        for signature in &told.signatures {
            let title = format!("signature {}", quote(&signature.member, MAX_NAME));
            let words = ["holds", "does not hold", "not checked"];
            self.title(&title, signature.status, words, Some(&signature.why))?;
            if let Some(message) = &signature.message {
                self.message("message", message)?;
            }
            writeln!(self.out, "  algorithm  {}", signature.algorithm)?;
            for attempt in &signature.attempts {
                let holds = if attempt.holds { "holds" } else { "does not hold" };
                let reading = attempt.reading.as_ref().map_or_else(String::new, |name| format!("  {}", escape(name)));
                let digest = attempt.message_sha256.get(..8).unwrap_or_default();
                let key = escape(&attempt.fingerprint);
                writeln!(self.out, "  under {key}  {holds}{reading}  (message sha256:{digest}…)")?;
            }
            self.near(
                signature.near.as_ref(),
                "holds",
                "holds over nothing that was tried, under no key that was given",
            )?;
        }
        Ok(())
    }

    fn rest(&mut self, told: &Explained) -> io::Result<()> {
        for bind in &told.binds {
            let title = format!("{} of {}", bind.algorithm, quote(&bind.member, MAX_NAME));
            self.title(&title, bind.status, ["fits", "does not fit", "not checked"], None)?;
            if let Some(message) = &bind.message {
                self.message("bytes", message)?;
            }
            if let Some(computed) = &bind.computed {
                writeln!(self.out, "  computed  {}", escape(computed))?;
            }
        }
        for equality in &told.equalities {
            let (member, previous) = (quote(&equality.member, MAX_NAME), quote(&equality.previous, MAX_NAME));
            let title = format!("{member} against {previous} of the row before");
            self.title(&title, equality.status, ["equal", "not equal", "not checked"], None)?;
        }
        if !told.uncovered.is_empty() {
            let names: Vec<_> = told.uncovered.iter().map(|name| quote(name, MAX_NAME)).collect();
            writeln!(self.out, "\nnot covered by any preimage: {}", names.join(", "))?;
        }
        Ok(())
    }

    fn verdict(&mut self, told: &Explained) -> io::Result<()> {
        if !told.findings.is_empty() {
            writeln!(self.out, "\nfindings")?;
        }
        for finding in &told.findings {
            let class = finding.code.class().name();
            writeln!(self.out, "  {class} {}: {}", finding.code.name(), message(finding))?;
        }
        if !told.open.is_empty() {
            writeln!(self.out, "\nnot checked")?;
        }
        for open in &told.open {
            writeln!(self.out, "  {}", escape_cut(open, 256))?;
        }
        let faults = told.findings.iter().filter(|finding| finding.code.class() == Class::Fault).count() as u64;
        let (colour, text) = match told.exit_code() {
            0 => (AnsiColor::Green, "the row holds".to_owned()),
            1 => (AnsiColor::Red, format!("the row has {}", counted(faults, "fault", "faults"))),
            _ => (AnsiColor::Yellow, "the row has no fault, but not all of it could be vouched for".to_owned()),
        };
        writeln!(self.out, "\n{}", self.style.paint(colour.on_default().bold(), &text))
    }

    /// `digest: fits`, with an empty line before.
    fn title(&mut self, what: &str, status: Status, words: [&str; 3], why: Option<&str>) -> io::Result<()> {
        let (colour, word) = match status {
            Status::Holds => (AnsiColor::Green, words[0]),
            Status::Fails => (AnsiColor::Red, words[1]),
            Status::Open => (AnsiColor::Yellow, words[2]),
        };
        let why = why.map_or_else(String::new, |why| format!(": {}", escape_cut(why, 256)));
        writeln!(self.out, "\n{what}: {}{why}", self.style.paint(colour.on_default(), word))
    }

    fn message(&mut self, name: &str, message: &Message) -> io::Result<()> {
        writeln!(self.out, "  {name}, {}", counted(message.bytes.len() as u64, "byte", "bytes"))?;
        message.parts.iter().try_for_each(|part| self.part(part, 4))
    }

    /// A part with its place and its bytes; of one that is put together, what is inside.
    fn part(&mut self, part: &Part, indent: usize) -> io::Result<()> {
        let (pad, length) = (" ".repeat(indent), part.bytes.len());
        writeln!(self.out, "{pad}{}+{length}  {}", part.offset, escape_cut(&part.what, 512))?;
        if part.inside.is_empty() {
            self.bytes(&part.bytes, indent + 4)?;
        } else if part.what.contains(" of parts") {
            writeln!(self.out, "{pad}    hex   {}", HEXLOWER.encode(&part.bytes))?;
        }
        part.inside.iter().try_for_each(|inside| self.part(inside, indent + 4))
    }

    /// Bytes as text, where they are text, and in hex.
    fn bytes(&mut self, bytes: &[u8], indent: usize) -> io::Result<()> {
        let pad = " ".repeat(indent);
        if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| is_text(text)) {
            match self.full {
                true => writeln!(self.out, "{pad}text  {}", escape(text))?,
                false => writeln!(self.out, "{pad}text  {}", escape_cut(text, SHOWN))?,
            }
        }
        let shown = if self.full { bytes.len() } else { bytes.len().min(SHOWN / 4) };
        let cut = if shown < bytes.len() { "…" } else { "" };
        match bytes.get(..shown).filter(|shown| !shown.is_empty()) {
            Some(shown) => writeln!(self.out, "{pad}hex   {}{cut}", HEXLOWER.encode(shown)),
            None => Ok(()),
        }
    }

    fn near(&mut self, near: Option<&Near>, verb: &str, none: &str) -> io::Result<()> {
        let Some(near) = near else { return Ok(()) };
        for changes in &near.fits {
            let changes: Vec<_> = changes.iter().map(|change| escape_cut(change, 256)).collect();
            writeln!(self.out, "  {verb} {}", changes.join(", and "))?;
        }
        if near.fits.is_empty() {
            writeln!(self.out, "  {none} ({})", counted(near.tries, "try", "tries"))?;
        }
        Ok(())
    }
}

/// Whether it is worth showing as text: fixed bytes may be UTF-8 by chance.
fn is_text(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t'))
}
