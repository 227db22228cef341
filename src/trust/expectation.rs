//! Expectations: what the user knows of the ledger from elsewhere, without knowing a head.
//!
//! Decides whether an export that may well be whole is the one that was asked for: enough rows, the
//! right span of time, the right format. Time stamps are what the writer says, and compared as such.

use std::fmt;
use std::num::NonZeroU64;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::fact::ExpectationFacts;
use crate::profile;

/// What the user expects; `None` is not asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    /// Exactly this many rows.
    pub rows: Option<NonZeroU64>,
    /// Rows from the one end to the other.
    pub span: Option<Span>,
    /// This format.
    pub profile: Option<String>,
}

/// A span of time that the rows must reach over, both ends among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    from: Moment,
    to: Moment,
}

/// A day, which a row of any hour of it reaches, or a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Day(Date),
    Point(Timestamp),
}

/// What the export shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Rows, readable or not.
    pub rows: u64,
    /// The earliest and the latest time stamp at the ends of the chains, where there are any.
    pub times: Option<(Timestamp, Timestamp)>,
    /// The name of the profile it was read as.
    pub profile: &'a str,
    /// SHA-256 (hex) of that profile's text.
    pub profile_sha256: &'a str,
    /// Whether it was read to its end.
    pub finished: bool,
}

impl Expectations {
    /// Hold what the export shows against what is expected.
    pub fn compare(&self, shown: &Shown<'_>) -> Vec<ExpectationFacts> {
        let fact = |member, expected, found, met: bool| ExpectationFacts {
            member,
            expected,
            found,
            met: shown.finished.then_some(met),
        };
        let rows = self
            .rows
            .map(|rows| fact("rows", rows.to_string(), Some(shown.rows.to_string()), shown.rows == rows.get()));
        let span = self.span.map(|span| {
            let found = shown.times.map(|(first, last)| format!("{first}..{last}"));
            let met = shown.times.is_some_and(|(first, last)| span.is_covered(first, last));
            fact("span", span.to_string(), found, met)
        });
        let profile = self.profile.as_ref().map(|name| {
            // A file that calls itself by the name of a built-in profile need not judge by its rules.
            let genuine = profile::builtin(name).map_or(true, |builtin| builtin.sha256 == shown.profile_sha256);
            let found = match shown.profile == name && !genuine {
                true => format!("{} of other text, sha256:{}", shown.profile, shown.profile_sha256),
                false => shown.profile.to_owned(),
            };
            fact("profile", name.clone(), Some(found), shown.profile == name && genuine)
        });
        [rows, span, profile].into_iter().flatten().collect()
    }
}

impl Span {
    /// `FROM..TO`, each a date (RFC 3339 `full-date`) or a time (RFC 3339 `date-time`).
    ///
    /// # Errors
    ///
    /// Why it is no span, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once("..").ok_or("FROM..TO is wanted, as 2026-01-01..2026-03-31")?;
        let span = Span { from: Moment::parse(from)?, to: Moment::parse(to)? };
        if span.from.start() > span.to.end() {
            return Err("FROM is later than TO".to_owned());
        }
        Ok(span)
    }

    /// Whether rows from `first` to `last` reach over it. A day is compared with the day of the time
    /// stamp in UTC, a point in time exactly.
    fn is_covered(&self, first: Timestamp, last: Timestamp) -> bool {
        first <= self.from.end() && last >= self.to.start()
    }
}

impl Moment {
    fn parse(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is neither a date, as 2026-03-31, nor an RFC 3339 time, as 2026-03-31T23:59:59Z");
        match text.len() {
            10 => text.parse().map(Moment::Day).map_err(|_| wrong()),
            _ => text.parse().map(Moment::Point).map_err(|_| wrong()),
        }
    }

    /// The first instant of it.
    fn start(self) -> Timestamp {
        match self {
            Moment::Day(day) => TimeZone::UTC.to_timestamp(day.at(0, 0, 0, 0)).unwrap_or(Timestamp::MIN),
            Moment::Point(time) => time,
        }
    }

    /// The last instant of it.
    fn end(self) -> Timestamp {
        match self {
            Moment::Day(day) => TimeZone::UTC.to_timestamp(day.at(23, 59, 59, 999_999_999)).unwrap_or(Timestamp::MAX),
            Moment::Point(time) => time,
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.from, self.to)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Day(day) => day.fmt(f),
            Moment::Point(time) => time.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(span: &str, first: &str, last: &str) -> bool {
        let time = |text: &str| text.parse().expect("a time");
        Span::parse(span).expect("a span").is_covered(time(first), time(last))
    }

    #[test]
    fn days_are_reached_at_any_hour_and_points_exactly() {
        assert!(covered("2026-01-01..2026-03-31", "2026-01-01T09:00:00Z", "2026-03-31T00:00:00Z"));
        assert!(covered("2026-01-01..2026-03-31", "2026-01-01T23:59:59.999999999Z", "2026-04-01T00:00:00Z"));
        assert!(!covered("2026-01-01..2026-03-31", "2026-01-02T00:00:00Z", "2026-04-01T00:00:00Z"));
        assert!(!covered("2026-01-01..2026-03-31", "2026-01-01T00:00:00Z", "2026-03-30T23:59:59.999999999Z"));
        let points = "2026-01-01T09:00:00Z..2026-03-31T17:00:00+02:00";
        assert!(covered(points, "2026-01-01T09:00:00Z", "2026-03-31T15:00:00Z"));
        assert!(!covered(points, "2026-01-01T09:00:00.000000001Z", "2026-03-31T15:00:00Z"));
        assert!(!covered(points, "2026-01-01T09:00:00Z", "2026-03-31T14:59:59.999999999Z"));
        // The day is that of UTC, whatever offset the row was written with.
        assert!(covered("2026-01-01..2026-01-01", "2026-01-02T00:30:00+02:00", "2026-01-02T00:30:00+02:00"));
        assert!(covered("2026-01-01..2026-01-01T12:00:00Z", "2026-01-01T11:00:00Z", "2026-01-01T12:00:00Z"));
    }

    #[test]
    fn what_is_no_span_is_refused() {
        let good = ["0001-01-01..9999-12-31", "2026-01-01..2026-01-01", "2026-01-01T00:00:00Z..2026-01-01T00:00:00Z"];
        for text in good {
            assert_eq!(Span::parse(text).expect(text).to_string(), text);
        }
        let bad = [
            "",
            "..",
            "2026-01-01",
            "2026-01-01..",
            "..2026-01-01",
            "2026-01-02..2026-01-01",
            "2026-02-30..2026-03-01",
            "20260101..20260102",
            "2026-01-01 ..2026-01-02",
            "2026-01-01T00:00:00..2026-01-02",
            "today..tomorrow",
            "2026-01-01T00:00:01Z..2026-01-01T00:00:00Z",
            "2026-01-01...2026-01-02",
            "26-01-01xx..2026-01-02",
        ];
        for text in bad {
            assert!(Span::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn each_expectation_is_held_against_what_is_shown() {
        let void = profile::builtin(profile::HOME).expect("the home format");
        let times = ("2026-01-01T00:00:00Z".parse().expect("a time"), "2026-01-31T00:00:00Z".parse().expect("a time"));
        let shown =
            Shown { rows: 8, times: Some(times), profile: "void", profile_sha256: &void.sha256, finished: true };
        let ask = |rows, span: &str, profile: &str| Expectations {
            rows: NonZeroU64::new(rows),
            span: Some(Span::parse(span).expect("a span")),
            profile: Some(profile.to_owned()),
        };
        let met = |expectations: &Expectations, shown: &Shown<'_>| {
            expectations.compare(shown).into_iter().map(|fact| fact.met).collect::<Vec<_>>()
        };
        let (yes, no) = (Some(true), Some(false));
        let right = ask(8, "2026-01-01..2026-01-31", "void");
        assert_eq!(met(&right, &shown), [yes, yes, yes]);
        assert_eq!(met(&ask(9, "2026-01-01..2026-02-01", "other"), &shown), [no, no, no]);
        assert_eq!(met(&right, &Shown { times: None, ..shown }), [yes, no, yes]);
        // A file that is called like a built-in profile, and one whose name is its own.
        assert_eq!(met(&right, &Shown { profile_sha256: "00", ..shown }), [yes, yes, no]);
        let own = Shown { profile: "own", profile_sha256: "00", ..shown };
        assert_eq!(met(&ask(8, "2026-01-01..2026-01-31", "own"), &own), [yes, yes, yes]);
        assert_eq!(met(&right, &Shown { finished: false, ..shown }), [None; 3]);
        assert_eq!(met(&Expectations::default(), &shown), []);
    }
}
