//! Where the lines of a sidecar stand, for rows that are looked at again.
//!
//! A place in the export says nothing about the sidecar but the number of the line. One mark a batch is
//! kept, and of a long export every second, every fourth and so on, so that memory does not grow; from a
//! mark on lines are counted.

use memchr::memchr_iter;

use crate::read::{Batch, Export};

/// Marks that are kept at most.
const MOST: usize = 1 << 16;

/// Bytes of a sidecar that are looked at in one go.
const CHUNK: u64 = 64 << 10;

/// Line and offset of the first sidecar line of some batches.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Part, line, offset; in file order.
    marks: Vec<(u32, u64, u64)>,
    /// Batches seen since the last mark, and how many make a new one.
    since: u64,
    every: u64,
}

impl Marks {
    /// Keep where the lines beside this batch start, if its turn has come.
    pub fn add(&mut self, batch: &Batch) {
        let Some(beside) = batch.beside.as_ref().filter(|beside| !beside.bytes.is_empty()) else { return };
        self.since += 1;
        // The first line of a part must not be looked for in the part before.
        let first = self.marks.last().is_none_or(|(part, ..)| *part != batch.part);
        if self.since < self.every && !first {
            return;
        }
        self.since = 0;
        if self.marks.len() >= MOST {
            let mut keep = false;
            self.marks.retain(|(_, line, _)| {
                keep = !keep;
                keep || *line == 1
            });
            self.every = 2 * self.every.max(1);
        }
        self.marks.push((batch.part, batch.first_line, beside.offset));
    }

    /// Where this line of a part's sidecar starts; its end for the line behind the last one; `None` if the
    /// bytes can no longer be had or there is no such line.
    pub fn find(&self, sidecars: &Export, part: u32, line: u64) -> Option<u64> {
        let behind = self.marks.partition_point(|(of, first, _)| (*of, *first) <= (part, line));
        let (_, first, mut at) = self.marks.get(behind.checked_sub(1)?).copied().filter(|(of, ..)| *of == part)?;
        let mut left = usize::try_from(line - first).ok()?;
        let mut bytes = Vec::new();
        while left > 0 {
            let end = at.saturating_add(CHUNK).min(sidecars.length(part));
            if end == at {
                return None;
            }
            bytes.clear();
            sidecars.copy(part, at..end, &mut bytes).ok()?;
            let ends = memchr_iter(b'\n', &bytes).count();
            at = match memchr_iter(b'\n', &bytes).nth(left - 1) {
                Some(lf) => at + lf as u64 + 1,
                // A last line without LF ends where the file does.
                None if end == sidecars.length(part) && left == ends + 1 && !bytes.ends_with(b"\n") => {
                    return Some(end);
                }
                None => end,
            };
            left = left.saturating_sub(ends);
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Access, Beside, Content, Layout, LineEnds, LineForm, Shape};

    #[test]
    fn lines_are_found_however_many_marks_were_dropped() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("sums");
        let lines: Vec<String> = (1..=3 * MOST as u64).map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, lines.concat()).expect("a file");
        let shape = Shape { layout: Layout::Text { sidecar: None }, ends: LineEnds::Lf };
        let sidecars = Export::open_as(&[path], &shape, Access::Pread).expect("a readable file");
        let mut marks = Marks::default();
        let (mut offset, mut offsets) = (0, Vec::new());
        for (first_line, line) in (1..).zip(&lines) {
            let beside = Some(Beside { offset, bytes: line.clone().into_bytes() });
            let bytes = Vec::new();
            let (content, form) = (Content::Lines, LineForm::default());
            marks.add(&Batch { part: 0, first_line, offset: 0, bytes, content, max_row_bytes: 99, form, beside });
            offsets.push(offset);
            offset += line.len() as u64;
        }
        assert!(marks.marks.len() <= MOST);
        for line in [1, 2, 3, MOST, MOST + 1, 2 * MOST + 1, 3 * MOST - 1, 3 * MOST] {
            assert_eq!(marks.find(&sidecars, 0, line as u64), Some(offsets[line - 1]), "line {line}");
        }
        assert_eq!(marks.find(&sidecars, 0, lines.len() as u64 + 1), Some(offset), "its end");
        assert_eq!(marks.find(&sidecars, 0, lines.len() as u64 + 2), None);
        assert_eq!(marks.find(&sidecars, 1, 1), None);
    }
}
