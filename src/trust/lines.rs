//! The lines of a file beside the export, as Python reads text: cut at LF, CR LF and CR alone, and each held in bounded memory.

use std::io::{self, BufRead};

/// Bytes of the longest line that is looked at.
const LONGEST: usize = 64 << 20;

/// Cuts a stream into lines.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The line before ended in CR: an LF belongs to it.
    after_cr: bool,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of this stream.
    pub fn new(input: R) -> Self {
        Lines { input, line: Vec::new(), after_cr: false, ended: false }
    }

    /// The next line without its end; `Err` inside for one that is too long. What stands behind the last line end
    /// is a line too.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    #[allow(clippy::should_implement_trait)] // The line is lent, which no iterator can do.
    pub fn next(&mut self) -> io::Result<Option<Result<&[u8], ()>>> {
        if self.ended {
            return Ok(None);
        }
        self.line.clear();
        let mut whole = true;
        loop {
            let bytes = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                bytes => bytes?,
            };
            if bytes.is_empty() {
                self.ended = true;
                break;
            }
            if std::mem::take(&mut self.after_cr) && bytes.first() == Some(&b'\n') {
                self.input.consume(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', bytes);
            let (part, used) = match end {
                Some(end) => (bytes.get(..end).unwrap_or_default(), end + 1),
                None => (bytes, bytes.len()),
            };
            whole &= self.line.len() + part.len() <= LONGEST;
            if whole {
                self.line.extend_from_slice(part);
            }
            self.after_cr = end.is_some_and(|end| bytes.get(end) == Some(&b'\r'));
            self.input.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(Some(if whole { Ok(&self.line) } else { Err(()) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn every_line_end_is_one() {
        let text = "a\r\nb\rc\n\r\r\n\u{85}\u{2028}d\n";
        let wanted = ["a", "b", "c", "", "", "\u{85}\u{2028}d", ""];
        for size in 1..8 {
            let mut lines = Lines::new(BufReader::with_capacity(size, text.as_bytes()));
            let mut seen = Vec::new();
            while let Some(line) = lines.next().expect("readable") {
                seen.push(String::from_utf8(line.expect("short").to_vec()).expect("UTF-8"));
            }
            assert_eq!(seen, wanted, "{size} bytes at a time");
        }
    }
}
