//! A batch of lines becomes a segment: the work of one thread.

use crate::chain::{Basis, LinkFilter, Segment};
use crate::check::Checker;
use crate::check::ed25519::Sample;
use crate::fact::{Before, Checked, Place};
use crate::finding::{Code, Finding};
use crate::profile::pinned;
use crate::read::{Batch, Kind, Line};

use super::Job;
use super::checkers::Checkers;
use super::files::Files;

/// What every batch of a window is folded with.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    pub job: &'a Job<'a>,
    pub basis: &'a Basis,
    pub filter: &'a LinkFilter,
    pub files: &'a Files<'a>,
}

/// Rows whose digests and signatures are judged together, at most; their facts are held so long.
const TOGETHER: usize = 512;

/// Bytes at the start of an export of whose signatures a closer sample is taken.
const CLOSE_BYTES: u64 = 1 << 20;

/// A row whose digest and signatures may wait.
struct Held<'b> {
    line: Line<'b>,
    checked: Checked,
    repeated: Option<Finding>,
}

/// A folded batch.
pub(super) struct Folded {
    pub segment: Segment,
    /// Lines that hold a row, readable or not.
    pub rows: u64,
}

impl Folder<'_> {
    /// Check the lines of a batch with one of these checkers and fold them.
    pub fn fold(&self, batch: &Batch, checkers: &Checkers<'_>) -> Folded {
        checkers.with(self.basis.recipe, |checker| self.fold_with(checker, batch))
    }

    fn fold_with(&self, checker: &mut Checker<'_>, batch: &Batch) -> Folded {
        let mut folded = Folded { segment: Segment::default(), rows: 0 };
        let mut held = Vec::with_capacity(TOGETHER);
        for line in batch.lines() {
            let checked = check(&line, checker, self.job, None, self.files);
            for code in notes(&line, checked.as_ref()) {
                folded.segment.note(Finding::new(code, Some(line.place)));
            }
            let Some(checked) = checked else { continue };
            held.push(Held { repeated: checker.take_repeated(), line, checked });
            if held.len() == TOGETHER {
                self.settle(checker, &mut held, &mut folded);
            }
        }
        self.settle(checker, &mut held, &mut folded);
        folded.segment.notes(checker.take_uncovered());
        folded
    }

    /// Have the digests and signatures of these rows judged, and fold the rows.
    fn settle(&self, checker: &mut Checker<'_>, held: &mut Vec<Held<'_>>, folded: &mut Folded) {
        let early = held.first().is_some_and(|row| row.line.place.part == 0 && row.line.place.offset < CLOSE_BYTES);
        let sample = if early { Sample::Close } else { Sample::Wide };
        let rows =
            held.iter().filter_map(|row| if let Checked::Row(facts) = &row.checked { Some(&**facts) } else { None });
        self.filter.insert(&rows.collect::<Vec<_>>());
        let (settled, unfit) = checker.settle(self.job.judge, sample);
        let mut settled = settled.into_iter().peekable();
        for mut row in held.drain(..) {
            let mut whole = !unfit.contains(&row.line.place);
            while let Some(settled) = settled.next_if(|settled| settled.place == row.line.place) {
                if let Checked::Row(facts) = &mut row.checked {
                    whole &= settled.tell(facts);
                }
            }
            if !whole {
                self.check_alone(&mut row);
            }
            if let Some(repeated) = row.repeated {
                folded.segment.tell(repeated);
            }
            folded.rows += 1;
            folded.segment.push(row.checked, self.basis, self.job.rules);
        }
    }

    /// Check a row again, with nothing that waits, and with what it was checked with.
    fn check_alone(&self, row: &mut Held<'_>) {
        let Checked::Row(facts) = &row.checked else { return };
        let mut checker = Checker::new(self.job.plan, self.job.keys, self.basis.recipe);
        if let Some(checked) = check(&row.line, &mut checker, self.job, Some(&facts.before), self.files) {
            row.checked = checked;
        }
    }
}

/// The row of a line, checked by itself, or with what the row before it left; `None` for a line without
/// one.
pub(super) fn check(
    line: &Line<'_>,
    checker: &mut Checker<'_>,
    job: &Job<'_>,
    before: Option<&Before>,
    files: &Files<'_>,
) -> Option<Checked> {
    match line.kind {
        Kind::Blank => None,
        Kind::Row | Kind::Absent => {
            let declared = job.rules.declared.concern(line.place);
            checker.believe(job.rules.vouched.believes(line.place) && !declared);
            let mut checked = checker.check(line, before)?;
            if let Checked::Row(facts) = &mut checked {
                facts.findings.extend(checker.take_files().iter().filter_map(|claim| files.judge(claim)));
                facts.findings.extend(checker.take_artefact().and_then(|claim| files.judge_artefact(&claim)));
            }
            let declarations = &job.rules.declared;
            if declared {
                let about = declarations.about(line.place, &pinned(line.bytes));
                match &mut checked {
                    Checked::Row(facts) => facts.declared = about,
                    Checked::Unchained(_, known) => *known = about,
                    Checked::Unreadable(..) => {}
                }
            }
            Some(checked)
        }
        Kind::TooLong => Some(Checked::Unreadable(line.place, too_long(line.place, job.max_row_bytes))),
    }
}

fn too_long(place: Place, max_row_bytes: usize) -> Finding {
    Finding::new(Code::RowTooLong, Some(place)).expected(max_row_bytes.to_string()).found(place.length.to_string())
}

/// What is worth noting about the line as a line.
fn notes(line: &Line<'_>, checked: Option<&Checked>) -> impl Iterator<Item = Code> {
    let whole = matches!(checked, Some(Checked::Row(_)));
    [
        line.bom.then_some(Code::Bom),
        checked.is_none().then_some(Code::BlankLine),
        // The CR of an empty line is part of its emptiness.
        (line.crlf && checked.is_some()).then_some(Code::Crlf),
        (whole && !line.terminated).then_some(Code::NoFinalNewline),
    ]
    .into_iter()
    .flatten()
}
