//! The time stamps of rows.
//!
//! Rows that follow each other share all of it but the seconds, most often: what stands before them is not read
//! again. Decides nothing anew: a time that is read so is the one that the whole text denotes (RFC 3339).

use jiff::{SignedDuration, Timestamp};

/// Characters up to the seconds: `2026-01-01T00:00:`.
const MINUTE: usize = 17;

/// Reads time stamps one after the other.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// What the last text that was read as a whole starts with, and when that minute starts.
    minute: Option<([u8; MINUTE], Timestamp)>,
}

impl Clock {
    /// The time that the text denotes, if it is one.
    pub fn read(&mut self, text: &str) -> Option<Timestamp> {
        if let (Some((minute, start)), Some((before, rest))) = (&self.minute, text.as_bytes().split_first_chunk())
            && minute == before
            && let Some(seconds) = seconds(rest)
        {
            return start.checked_add(seconds).ok();
        }
        let time = text.parse().ok()?;
        self.minute = text.as_bytes().split_first_chunk().and_then(|(minute, rest)| {
            // In no other form of a time do seconds come next.
            let [_, _, _, _, b'-', _, _, b'-', _, _, _, _, _, b':', _, _, b':'] = minute else { return None };
            Some((*minute, Timestamp::checked_sub(time, seconds(rest)?).ok()?))
        });
        Some(time)
    }
}

/// The seconds of a text such as `59.123456789Z`, if it is one in plain digits and UTC.
fn seconds(text: &[u8]) -> Option<SignedDuration> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let [tens @ b'0'..=b'5', ones, rest @ .., b'Z'] = text else { return None };
    let whole = 10 * digit(tens)? + digit(ones)?;
    let fraction = match rest {
        [] => &[],
        [b'.', fraction @ ..] if (1..=9).contains(&fraction.len()) => fraction,
        _ => return None,
    };
    let mut nanoseconds = 0;
    for place in 0..9 {
        nanoseconds = 10 * nanoseconds + fraction.get(place).map_or(Some(0), digit)?;
    }
    Some(SignedDuration::new(whole.into(), nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_are_those_of_the_crate(
            texts in prop::collection::vec(
                "2026-0[13]-(01|31|32)[Tt ](00:00|23:59|24:00|00:60):([0-6][0-9]|[0-9])([.,][0-9]{0,10})?(Z|z|[+]01:00|)?", 1..30
            )
        ) {
            let mut clock = Clock::default();
            for text in texts {
                prop_assert_eq!(clock.read(&text), text.parse().ok(), "{}", text);
            }
        }
    }

    #[test]
    fn the_second_time_of_a_minute_is_read_by_its_seconds() {
        let mut clock = Clock::default();
        for text in ["2026-01-01T00:00:00Z", "2026-01-01T00:00:59.999999999Z", "2026-01-01T00:00:07.5Z"] {
            assert_eq!(clock.read(text), text.parse().ok(), "{text}");
            assert!(clock.minute.is_some(), "{text}");
        }
        assert_eq!(clock.read("9999-12-31T23:59:60Z"), "9999-12-31T23:59:60Z".parse().ok());
        for text in ["20260101T000000.115Z", "20260101T000000.145Z", "no time at all, however long"] {
            assert_eq!(clock.read(text), text.parse().ok(), "{text}");
        }
    }
}
