//! The choice among formats, from what each of them makes of the first rows.
//!
//! Bytes that reproduce a digest, a link or a signature are of the format, whatever damage stands beside
//! them. Only where no digest can be computed for want of a key does the shape of the rows decide. Where
//! rows look like the home format's it is that, also where nothing fits: a damaged ledger must be told as
//! one.

use crate::profile::{Likeness, Plan};

/// What a format makes of the first rows.
#[derive(Debug)]
pub(super) struct Tried {
    pub plan: Plan,
    /// Rows that prove to be of the format.
    pub fits: usize,
    /// Rows whose digest needs a secret that was not given.
    pub keyless: usize,
    /// The shape of each row.
    pub shapes: Vec<Likeness>,
}

/// Which format it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The one of this number.
    One(usize),
    /// One of these.
    Several(Vec<usize>),
    /// None that is known.
    None,
}

/// Whether most rows look like the format's: more of their members than not are there in its own form.
pub(super) fn looks_alike(shapes: &[Likeness]) -> bool {
    let alike = shapes.iter().filter(|shape| 2 * shape.in_form > shape.wanted).count();
    alike > 0 && 2 * alike >= shapes.len()
}

/// Whether rows may be damaged ones of the format: one that looks like it, half of it in most, or a chain and
/// all of its members in one, however they are written.
fn may_be_damaged(shapes: &[Likeness]) -> bool {
    let halves = shapes.iter().filter(|shape| shape.in_form > 0 && 2 * shape.in_form >= shape.wanted).count();
    let alike = shapes.iter().any(|shape| 2 * shape.in_form > shape.wanted);
    let named = shapes.iter().any(|shape| shape.grouped && shape.present == shape.wanted);
    alike || named || (halves > 0 && 2 * halves >= shapes.len())
}

/// Choose; the home format stands first.
pub(super) fn choose(tried: &[Tried]) -> Choice {
    let best = tried.iter().map(|tried| (tried.fits, wanted(tried))).max().unwrap_or_default();
    if best.0 > 0 {
        // Of two that fit the same rows the one that asks for more of them says more.
        return one_of(tried, |tried| (tried.fits, wanted(tried)) == best);
    }
    let whole = |tried: &Tried| 2 * tried.shapes.iter().filter(|shape| shape.is_whole()).count() >= tried.shapes.len();
    match one_of(tried, |tried| tried.keyless > 0 && whole(tried)) {
        Choice::None if tried.first().is_some_and(|home| may_be_damaged(&home.shapes)) => Choice::One(0),
        choice => choice,
    }
}

fn wanted(tried: &Tried) -> usize {
    tried.shapes.first().map_or(0, |shape| shape.wanted)
}

fn one_of(tried: &[Tried], is_it: impl Fn(&Tried) -> bool) -> Choice {
    let those: Vec<usize> = (0..).zip(tried).filter(|(_, tried)| is_it(tried)).map(|(index, _)| index).collect();
    match those.as_slice() {
        [] => Choice::None,
        [one] => Choice::One(*one),
        _ => Choice::Several(those),
    }
}

/// The formats from the nearest to the furthest, each with how near it is.
pub(super) fn misses(tried: &[Tried]) -> Vec<String> {
    let mut all: Vec<(Likeness, &Tried)> = tried.iter().map(|tried| (best(tried), tried)).collect();
    // Compared as fractions, without dividing by a shape of no members.
    let share = |of: usize, shape: &Likeness| (of * 1000).checked_div(shape.wanted).unwrap_or(0);
    all.sort_by_key(|(shape, _)| {
        std::cmp::Reverse((!shape.excluded, share(shape.in_form, shape), share(shape.present, shape), shape.wanted))
    });
    all.into_iter().filter(|(shape, _)| shape.present > 0).map(|(shape, tried)| miss(&shape, tried)).collect()
}

/// The row that is most like the format's.
fn best(tried: &Tried) -> Likeness {
    let shapes = tried.shapes.iter().copied();
    shapes.max_by_key(|shape| (!shape.excluded, shape.in_form, shape.present)).unwrap_or_default()
}

/// `noirebox: 3 of 5 members; digest does not fit`.
fn miss(shape: &Likeness, tried: &Tried) -> String {
    let Likeness { in_form, present, wanted, excluded, .. } = *shape;
    let form = match in_form < present {
        true => format!(", {in_form} in its form"),
        false => String::new(),
    };
    let why = match (tried.plan.fields.hash.is_some(), tried.keyless > 0) {
        _ if excluded => "its profile rules these rows out",
        (_, true) => "its digests need a key",
        (true, _) => "digest does not fit",
        (false, _) => "no link fits",
    };
    format!("{}: {present} of {wanted} members{form}; {why}", tried.plan.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    fn tried(name: &str, fits: usize, keyless: usize, shapes: &[(usize, usize)]) -> Tried {
        let plan = profile::builtin(name).expect("a built-in profile");
        let shape = |&(in_form, wanted)| Likeness { in_form, present: in_form, wanted, ..Likeness::default() };
        Tried { plan, fits, keyless, shapes: shapes.iter().map(shape).collect() }
    }

    #[test]
    fn what_fits_outranks_what_looks_alike() {
        let formats = [tried("void", 0, 0, &[(3, 4), (0, 4)]), tried("vaara", 1, 0, &[(0, 11), (11, 11)])];
        assert_eq!(choose(&formats), Choice::One(1));
        let formats = [tried("void", 2, 0, &[(4, 4)]), tried("vaara", 1, 0, &[(11, 11)])];
        assert_eq!(choose(&formats), Choice::One(0));
    }

    #[test]
    fn of_two_that_fit_alike_the_one_that_asks_for_more() {
        let formats = [tried("void", 0, 0, &[(0, 4)]), tried("vaara", 2, 0, &[(3, 3)]), tried("ssb", 2, 0, &[(5, 5)])];
        assert_eq!(choose(&formats), Choice::One(2));
        let formats = [tried("void", 0, 0, &[(0, 4)]), tried("vaara", 2, 0, &[(3, 3)]), tried("ssb", 2, 0, &[(3, 3)])];
        assert_eq!(choose(&formats), Choice::Several(vec![1, 2]));
    }

    #[test]
    fn without_its_key_a_mac_is_told_by_its_shape_alone() {
        let home = || tried("void", 0, 0, &[(0, 4), (0, 4)]);
        assert_eq!(choose(&[home(), tried("bernstein", 0, 2, &[(2, 2), (1, 2)])]), Choice::One(1));
        assert_eq!(choose(&[home(), tried("bernstein", 0, 2, &[(1, 2), (1, 2)])]), Choice::None);
        let two = [home(), tried("bernstein", 0, 2, &[(2, 2)]), tried("auditchain", 0, 2, &[(5, 5)])];
        assert_eq!(choose(&two), Choice::Several(vec![1, 2]));
    }

    #[test]
    fn a_damaged_home_ledger_is_one() {
        for shapes in [&[(3, 4), (0, 4), (0, 4), (0, 4)][..], &[(2, 4), (2, 4), (0, 4)], &[(2, 4)]] {
            assert_eq!(choose(&[tried("void", 0, 0, shapes)]), Choice::One(0), "{shapes:?}");
        }
        let mut named = tried("void", 0, 0, &[(0, 4)]);
        named.shapes.iter_mut().for_each(|shape| (shape.present, shape.grouped) = (4, true));
        assert_eq!(choose(&[named]), Choice::One(0), "all names of its members, none as it writes them");
        for shapes in [&[(1, 4), (1, 4)][..], &[(2, 4), (0, 4), (0, 4)], &[]] {
            assert_eq!(choose(&[tried("void", 0, 0, shapes)]), Choice::None, "{shapes:?}");
        }
    }

    #[test]
    fn misses_are_told_from_the_nearest_on() {
        let formats = [
            tried("void", 0, 0, &[(1, 4)]),
            tried("noirebox", 0, 0, &[(3, 5), (2, 5)]),
            tried("vaara", 0, 0, &[(0, 11)]),
            tried("aat-mcp", 0, 0, &[(1, 2)]),
            tried("bernstein", 0, 1, &[(2, 2)]),
        ];
        let told = [
            "bernstein: 2 of 2 members; its digests need a key",
            "noirebox: 3 of 5 members; digest does not fit",
            "aat-mcp: 1 of 2 members; no link fits",
            "void: 1 of 4 members; digest does not fit",
        ];
        assert_eq!(misses(&formats), told);
    }
}
