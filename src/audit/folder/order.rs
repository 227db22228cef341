//! The order of the files of a folder: that of their first sequence numbers.
//!
//! A file that states none, because its first rows are damaged or it is empty, stands where its name puts
//! it among its neighbours; whether names run with the numbers (`part-1`, `part-2`) or against them
//! (`log.1` is younger than `log.2`) is seen from those that state one. Where none does, because rows of the format have
//! no numbers, names decide alone: those of rotated logs as they are rotated, others as people count.

use super::{File, name};

/// Files that are in the order of their names, in the order of what they hold.
pub(super) fn by_sequence(files: Vec<File>) -> Vec<File> {
    if files.iter().all(|file| file.number.is_none())
        && let Some(order) = name::rotated(&files.iter().map(|file| file.name.as_os_str()).collect::<Vec<_>>())
    {
        return in_order(files, order);
    }
    let series: Vec<String> = files.iter().map(|file| name::series(&file.name)).collect();
    let mut order: Vec<usize> = (0..files.len()).filter(|&index| number(&files, index).is_some()).collect();
    // Ties stay in the order of their names.
    order.sort_by_key(|&index| number(&files, index));
    for index in (0..files.len()).filter(|&index| number(&files, index).is_none()) {
        let of_series = |other: &usize| series.get(*other) == series.get(index);
        let mut near: Vec<usize> = order.iter().copied().filter(of_series).collect();
        if near.is_empty() {
            near = order.clone();
        }
        near.sort_unstable();
        let forwards = runs_forwards(&files, &near);
        let before = near.iter().rev().find(|other| **other < index);
        let after = near.iter().find(|other| **other > index);
        let (neighbour, behind) = match (before, after) {
            (Some(neighbour), _) => (neighbour, forwards),
            (None, Some(neighbour)) => (neighbour, !forwards),
            (None, None) => {
                order.push(index);
                continue;
            }
        };
        let at = order.iter().position(|other| other == neighbour).unwrap_or(order.len());
        order.insert((at + usize::from(behind)).min(order.len()), index);
    }
    in_order(files, order)
}

fn in_order(files: Vec<File>, order: Vec<usize>) -> Vec<File> {
    let mut files: Vec<Option<File>> = files.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| files.get_mut(index).and_then(Option::take)).collect()
}

fn number(files: &[File], index: usize) -> Option<u64> {
    files.get(index).and_then(|file| file.number)
}

/// Whether the numbers of these files, which are in the order of their names, rise rather than fall.
fn runs_forwards(files: &[File], near: &[usize]) -> bool {
    let numbers: Vec<u64> = near.iter().filter_map(|&index| number(files, index)).collect();
    let pairs = || numbers.iter().zip(numbers.iter().skip(1));
    pairs().filter(|(a, b)| a < b).count() >= pairs().filter(|(a, b)| a > b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Identity;

    fn ordered(files: &[(&str, Option<u64>)]) -> Vec<String> {
        let here = Identity::of(&std::fs::metadata(".").unwrap());
        let file = |(name, number): &(&str, Option<u64>)| File {
            name: name.into(),
            path: name.into(),
            link: false,
            length: 1,
            identity: here,
            number: *number,
        };
        let mut files: Vec<File> = files.iter().map(file).collect();
        files.sort_by(|a, b| name::compare(&a.name, &b.name));
        by_sequence(files).into_iter().map(|file| file.name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn by_number_then_by_name() {
        let files = [("c", Some(1)), ("b", Some(9)), ("a", Some(9)), ("d", Some(2))];
        assert_eq!(ordered(&files), ["c", "d", "a", "b"]);
    }

    #[test]
    fn without_a_number_between_its_neighbours() {
        let files =
            [("p-1", Some(1)), ("p-2", None), ("p-3", None), ("p-4", Some(31)), ("p-10", Some(91)), ("p-0", None)];
        assert_eq!(ordered(&files), ["p-0", "p-1", "p-2", "p-3", "p-4", "p-10"]);
        let files = [("l", None), ("l.1", Some(81)), ("l.2", None), ("l.3", None), ("l.10", Some(1)), ("l.11", None)];
        assert_eq!(ordered(&files), ["l.11", "l.10", "l.3", "l.2", "l.1", "l"]);
    }

    #[test]
    fn rotated_logs_without_numbers() {
        let files = [("log", None), ("log.1", None), ("log.2.gz", None), ("log.10.gz", None)];
        assert_eq!(ordered(&files), ["log.10.gz", "log.2.gz", "log.1", "log"]);
        let files = [("log", None), ("log-20260102", None), ("log-20260101.gz", None)];
        assert_eq!(ordered(&files), ["log-20260101.gz", "log-20260102", "log"]);
        assert_eq!(ordered(&[("p-1", None), ("p-2", None)]), ["p-1", "p-2"]);
        assert_eq!(ordered(&[("a.jsonl", None), ("a.jsonl.b", None)]), ["a.jsonl", "a.jsonl.b"]);
    }

    #[test]
    fn its_own_series_before_others() {
        let files =
            [("a-1", Some(1)), ("a-2", None), ("a-3", Some(5)), ("b-1", Some(2)), ("b-2", Some(9)), ("b-3", None)];
        assert_eq!(ordered(&files), ["a-1", "a-2", "b-1", "a-3", "b-2", "b-3"]);
        assert_eq!(ordered(&[("b", None), ("a", None)]), ["a", "b"]);
    }
}
