//! What two exports have in common from their first byte on, compared without reading a row.
//!
//! Equal bytes need no parsing: memory is compared, a batch at a time, while the next windows are read. Rows are
//! only counted. From the first batch that differs on it is the rows' turn.

use super::reading::{Kept, Reading, Sums, is_row};
use crate::pipeline::{Observer, Progress, at_once};
use crate::read::{Batch, Layout};

/// What was equal.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Rows in it.
    pub rows: u64,
    /// The bytes are equal to the end of both.
    pub whole: bool,
    /// The last batch of it.
    pub last: Option<Batch>,
    /// The last row of it.
    pub last_row: Option<Kept>,
    /// The user had it stopped here.
    pub interrupted: Option<Progress>,
}

/// Compare from the start, up to the first batch that differs or the end.
pub(super) fn common(a: &mut Reading<'_>, b: &mut Reading<'_>, observer: &dyn Observer) -> Common {
    let mut common = Common::default();
    let mut sums = Sums::default();
    let text = matches!(a.export.shape().layout, Layout::Text { .. });
    let total = total(a, b);
    loop {
        let (of_a, of_b) = (a.take_ahead(), b.take_ahead());
        let look = || {
            let equal = of_a.iter().zip(&of_b).take_while(|(a, b)| a == b).count();
            for batch in of_a.iter().take(equal) {
                sums.add(batch);
                let rows = batch.lines().filter(|line| is_row(line, text));
                let mut last = None;
                for line in rows {
                    sums.row(batch.part);
                    last = Some(line);
                }
                if let Some(line) = last {
                    common.last_row = Some(Kept::of(&line));
                }
            }
            equal
        };
        let (_, equal) = at_once(|| at_once(|| a.read_ahead(), || b.read_ahead()), look);
        common.rows = sums.rows();
        let ends = of_a.is_empty() && of_b.is_empty();
        if ends || equal < of_a.len() || equal < of_b.len() {
            common.whole = ends && a.failed.is_none() && b.failed.is_none();
            let mut of_a = of_a.into_iter();
            if let Some(last) = of_a.by_ref().take(equal).last() {
                common.last = Some(last);
            }
            a.go_on(sums.clone(), of_a);
            b.go_on(sums, of_b.into_iter().skip(equal));
            return common;
        }
        let mut of_a = of_a;
        let last = of_a.pop();
        of_a.into_iter().chain(std::mem::replace(&mut common.last, last)).for_each(|batch| a.reuse(batch));
        of_b.into_iter().for_each(|batch| b.reuse(batch));
        let progress = Progress { bytes: 2 * sums.bytes(), total, rows: sums.rows() };
        if !observer.advanced(progress) {
            common.interrupted = Some(progress);
            return common;
        }
    }
}

/// Bytes of both, where that is known.
pub(super) fn total(a: &Reading<'_>, b: &Reading<'_>) -> Option<u64> {
    let of = |reading: &Reading<'_>| {
        let known = (0..reading.export.parts()).all(|part| !reading.export.is_stream(part));
        known.then(|| reading.export.bytes())
    };
    of(a)?.checked_add(of(b)?)
}
