//! The zone of stored times.

use chrono::{DateTime, FixedOffset, Offset, SecondsFormat, TimeZone};
use chrono_tz::Tz;

/// A zone whose calendar says on which day a time lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Zone {
    /// So far from UTC, always.
    Fixed(FixedOffset),
    /// By the rules of a place, which change over the years.
    Named(Tz),
}

impl Zone {
    /// The zone that a schema names: `+02:00`, or a name of the IANA database, such as `Europe/Berlin`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = if name == "Z" { "UTC" } else { name };
        let fixed = name.parse().ok().map(Self::Fixed);
        fixed.or_else(|| name.parse().ok().map(Self::Named))
    }

    /// Seconds by which its clocks are before UTC at a time, in seconds since 1970; none for times that no calendar
    /// has.
    pub(crate) fn offset(&self, seconds: i64) -> Option<i64> {
        let offset = match self {
            Self::Fixed(offset) => *offset,
            Self::Named(zone) => {
                let time = DateTime::from_timestamp(seconds, 0)?.naive_utc();
                zone.offset_from_utc_datetime(&time).fix()
            }
        };
        Some(offset.local_minus_utc().into())
    }

    /// A time by its number of units since 1970, on the clock of the zone, as ISO 8601 writes it.
    pub(crate) fn text(&self, time: i64, units_in_a_second: i64) -> Option<String> {
        let seconds = time.div_euclid(units_in_a_second);
        let nanoseconds = time.rem_euclid(units_in_a_second) * (1_000_000_000 / units_in_a_second);
        let utc = DateTime::from_timestamp(seconds, u32::try_from(nanoseconds).ok()?)?;
        let offset = FixedOffset::east_opt(i32::try_from(self.offset(seconds)?).ok()?)?;
        Some(utc.with_timezone(&offset).to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}
