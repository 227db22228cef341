use proptest::prelude::*;

use super::*;

const LEFT: f64 = 10.0;
const RIGHT: f64 = 974.0;

/// Extents of any size: of one row, of a billion, up to the last number that there is.
fn extent() -> impl Strategy<Value = Span> {
    let first = prop_oneof![0..10_u64, Just(1), any::<u64>()];
    let length = prop_oneof![Just(0_u64), 0..100_u64, 0..2_000_000_000_u64, any::<u64>()];
    (first, length).prop_map(|(first, length)| (first, first.saturating_add(length)))
}

/// Stretches, some of them outside, turned round or over each other.
fn spans((first, last): Span) -> impl Strategy<Value = Vec<Span>> {
    let inside = (first..=last, 0..1_000_000_u64).prop_map(|(start, length)| (start, start.saturating_add(length)));
    prop::collection::vec(prop_oneof![4 => inside, 1 => any::<Span>()], 0..40)
}

fn world() -> impl Strategy<Value = (Span, Vec<Span>, Vec<u64>)> {
    extent().prop_flat_map(|extent| {
        let position = prop_oneof![4 => extent.0..=extent.1, 1 => any::<u64>()];
        (Just(extent), spans(extent), prop::collection::vec(position, 0..300))
    })
}

proptest! {
    #[test]
    fn a_scale_stays_in_its_box_and_never_turns((extent, gaps, mut positions) in world()) {
        let scale = Scale::new(extent, &gaps, LEFT, RIGHT);
        positions.extend([extent.0, extent.1]);
        positions.sort_unstable();
        let mut before = LEFT;
        for position in positions {
            let (left, middle, right) = (scale.left_of(position), scale.middle_of(position), scale.right_of(position));
            prop_assert!(before - 1e-6 <= left && left <= middle && middle <= right && right <= RIGHT);
            before = left;
        }
        prop_assert_eq!(scale.left_of(extent.0), LEFT);
        prop_assert!((scale.right_of(extent.1) - RIGHT).abs() < 1e-6);
    }

    #[test]
    fn pieces_cover_the_extent_without_overlap((extent, gaps, _) in world()) {
        let pieces: Vec<_> = Scale::new(extent, &gaps, LEFT, RIGHT).pieces().collect();
        prop_assert_eq!(pieces.first().map(|piece| piece.0.0), Some(extent.0));
        for pair in pieces.windows(2) {
            prop_assert_eq!(pair[0].0.1 + 1, pair[1].0.0);
            prop_assert!((pair[0].2 - pair[1].1).abs() < 1e-6);
        }
        // The last number of all has none behind it, so that its piece may be one short.
        prop_assert!(pieces.last().is_some_and(|piece| extent.1 - piece.0.1 <= 1));
    }

    #[test]
    fn bins_add_up((extent, gaps, positions) in world(), width in 5.0..60.0) {
        let scale = Scale::new(extent, &gaps, LEFT, RIGHT);
        let bins = bins(&positions, &scale, LEFT, RIGHT, width);
        prop_assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), positions.len() as u64);
        for bin in &bins {
            prop_assert!(LEFT <= bin.middle && bin.middle <= RIGHT);
            let (first, last) = bin.span;
            prop_assert!(positions.contains(&first) && positions.contains(&last) && first <= last);
            prop_assert!((first..=last).contains(&positions[bin.first]));
        }
        for pair in bins.windows(2) {
            prop_assert!(pair[1].middle - pair[0].middle > width / 2.0);
        }
    }

    #[test]
    fn labels_stay_apart(wished in prop::collection::vec((-50.0..1100.0, "[0-9,]{1,26}"), 0..80)) {
        let first = wished.first().cloned();
        let placed = labels(wished, LEFT, RIGHT, 7.0);
        for (index, label) in placed.iter().enumerate() {
            prop_assert!(label.left >= LEFT && label.left + label.width <= RIGHT + 1e-6);
            for other in &placed[index + 1..] {
                let apart = label.left + label.width < other.left || other.left + other.width < label.left;
                prop_assert!(apart, "{label:?} {other:?}");
            }
        }
        prop_assert_eq!(placed.first().map(|label| label.text.clone()), first.map(|(_, text)| text));
    }

    #[test]
    fn paint_covers_what_it_is_given_and_the_greatest_wins(
        (extent, gaps, positions) in world(),
        states in prop::collection::vec(1_u8..5, 40),
    ) {
        let scale = Scale::new(extent, &[], LEFT, RIGHT);
        let over: Vec<(Span, u8)> = gaps.into_iter().filter(|(a, b)| a <= b).zip(states).collect();
        let inside = |at: &u64| (extent.0..=extent.1).contains(at);
        let mut bad = over.clone();
        bad.extend(positions.iter().filter(|at| inside(at)).map(|&at| ((at, at), 9)));
        let runs = paint(&partition(extent, 0, &bad), &scale, LEFT, RIGHT, 2.0);
        for pair in runs.windows(2) {
            prop_assert!(pair[0].right <= pair[1].left + 1e-6);
        }
        for run in &runs {
            prop_assert!(run.left >= LEFT && run.right <= RIGHT && run.right > run.left && run.stretches > 0);
        }
        // One bad row is drawn, however many good ones there are.
        for at in positions.into_iter().filter(inside) {
            let x = scale.middle_of(at);
            let under = runs.iter().find(|run| run.left - 0.01 <= x && x <= run.right + 0.01 && run.state == 9);
            prop_assert!(under.is_some(), "{at}");
        }
    }

    #[test]
    fn a_partition_has_the_greatest_state_of_each_position(
        over in prop::collection::vec(((0_u64..60, 0_u64..60), 1_u8..5), 0..12),
        base in (0_u64..30, 30_u64..60),
    ) {
        let parts = partition(base, 0, &over);
        for at in 0..70 {
            let covers = |span: &Span| span.0 <= at && at <= span.1;
            let greatest = over.iter().filter(|(span, _)| covers(span)).map(|(_, state)| *state).max();
            let wanted = greatest.or(covers(&base).then_some(0));
            let found: Vec<u8> = parts.iter().filter(|(span, _)| covers(span)).map(|(_, state)| *state).collect();
            prop_assert_eq!(found, wanted.into_iter().collect::<Vec<_>>(), "at {}", at);
        }
        for pair in parts.windows(2) {
            prop_assert!(pair[0].0.1 < pair[1].0.0);
            prop_assert!(pair[0].1 != pair[1].1 || pair[0].0.1 + 1 < pair[1].0.0);
        }
    }

    #[test]
    fn round_numbers_lie_between((first, last) in extent(), wished in 0_u64..12) {
        let numbers = round_numbers((first, last), wished);
        prop_assert!(numbers.iter().all(|&number| first < number && number < last));
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(numbers.len() as u64 <= wished.max(1) + 1);
    }
}

#[test]
fn a_huge_gap_leaves_room_for_the_rows() {
    let gap = (101, 9_000_000_000_000);
    let scale = Scale::new((1, 9_000_000_000_100), &[gap], 0.0, 1000.0);
    assert!(scale.right_of(100) > 400.0 && scale.left_of(9_000_000_000_001) < 600.0);
    assert_eq!(scale.pieces().filter(|(.., cut)| *cut).map(|(span, ..)| span).collect::<Vec<_>>(), [gap]);
}

#[test]
fn small_gaps_keep_their_length() {
    let scale = Scale::new((1, 10), &[(5, 6)], 0.0, 100.0);
    assert_eq!((scale.left_of(5), scale.right_of(6), scale.right_of(10)), (40.0, 60.0, 100.0));
    assert!(scale.pieces().all(|(.., cut)| !cut));
}

#[test]
fn numbers_are_round() {
    assert_eq!(round_numbers((1, 10), 10), (2..10).collect::<Vec<_>>());
    assert_eq!(round_numbers((1, 1_000_000_000), 5), [200, 400, 600, 800].map(|m| m * 1_000_000));
    assert!(round_numbers((7, 7), 5).is_empty());
}

#[test]
fn compact_numbers_are_short() {
    let all = [0, 999, 1000, 12_345, 999_999, 3_000_000, u64::MAX];
    assert_eq!(all.map(compact), ["0", "999", "1k", "12k", "999k", "3M", "18E"]);
}
