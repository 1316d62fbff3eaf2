//! Cells as text, in lines with commas between them.

use std::fmt::Write;
use std::sync::mpsc::SyncSender;

use chrono::{DateTime, Datelike, NaiveDate};

use super::broken::Broken;

/// Bytes that are handed over at once.
const CHUNK: usize = 1 << 16;

/// Whole numbers up to here are written without a point, and every one of them is a number of 64 bits.
const WHOLE: f64 = 1e15;

/// Days from 1 January 1960, on which Stata and SAS count, to 1970.
pub(super) const DAYS_SINCE_1960: f64 = 3_653.0;
pub(super) const SECONDS_SINCE_1960: f64 = DAYS_SINCE_1960 * 86_400.0;

/// Output of a decoder: a chunk of text, or the end.
pub(super) enum DecoderOutput {
    Text(Vec<u8>),
    End(Result<(), Broken>),
}

/// A writer of rows.
pub(super) struct Cells {
    out: SyncSender<DecoderOutput>,
    line: String,
    text: Vec<u8>,
    is_first: bool,
}

impl Cells {
    pub(super) fn new(out: SyncSender<DecoderOutput>) -> Self {
        Self { out, line: String::new(), text: Vec::with_capacity(CHUNK), is_first: true }
    }

    /// The next cell, a text.
    pub(super) fn text(&mut self, cell: &str) {
        self.separate();
        if cell.contains([',', '"', '\n', '\r']) {
            self.line.push('"');
            for sign in cell.chars() {
                self.line.extend(std::iter::repeat_n(sign, if sign == '"' { 2 } else { 1 }));
            }
            self.line.push('"');
        } else {
            self.line.push_str(cell);
        }
    }

    /// The next cell, which is missing.
    pub(super) fn missing(&mut self) {
        self.separate();
    }

    /// The next cell, a number: a whole one without a point, any other with as many digits as tell it from its
    /// neighbours.
    pub(super) fn number(&mut self, number: f64) {
        self.separate();
        self.push(number_text(number));
    }

    /// The next cell, a number of 32 bits.
    pub(super) fn single(&mut self, number: f32) {
        self.separate();
        match f64::from(number) {
            integral if integral.fract() == 0.0 => self.push(number_text(integral)),
            _ => self.push(number),
        }
    }

    /// The next cell, a date by its number of days after 1 January 1970; missing where the calendar has no such day.
    pub(super) fn day(&mut self, days: f64) {
        self.separate();
        if let Some(day) = day(days) {
            self.push(day);
        }
    }

    /// The next cell, a time by its number of seconds after the beginning of 1970; written as a date if it is midnight.
    pub(super) fn moment(&mut self, seconds: f64) {
        self.separate();
        if let Some(moment) = moment_text(seconds) {
            self.line.push_str(&moment);
        }
    }

    /// The next cell, a month by its number of months after January 1970, as `2024-07`.
    pub(super) fn month(&mut self, months: i32) {
        let (year, month) = (1970 + months.div_euclid(12), months.rem_euclid(12) + 1);
        self.separate();
        self.push(format_args!("{year:04}-{month:02}"));
    }

    /// The next cell, a quarter by its number of quarters after the first one of 1970, as `2024-Q3`.
    pub(super) fn quarter(&mut self, quarters: i32) {
        let (year, quarter) = (1970 + quarters.div_euclid(4), quarters.rem_euclid(4) + 1);
        self.separate();
        self.push(format_args!("{year:04}-Q{quarter}"));
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) -> Result<(), Broken> {
        self.text.extend(self.line.as_bytes());
        self.text.push(b'\n');
        self.line.clear();
        self.is_first = true;
        if self.text.len() >= CHUNK { self.hand_over() } else { Ok(()) }
    }

    /// Hands over what is left.
    pub(super) fn finish(mut self) -> Result<(), Broken> {
        self.hand_over()
    }

    fn hand_over(&mut self) -> Result<(), Broken> {
        let text = std::mem::replace(&mut self.text, Vec::with_capacity(CHUNK));
        self.out.send(DecoderOutput::Text(text)).map_err(|_| Broken::Unread)
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.line.push(',');
        }
    }

    fn push(&mut self, cell: impl std::fmt::Display) {
        write!(self.line, "{cell}").expect("a text takes what is written to it");
    }
}

/// A number as it is written in a cell.
pub(super) fn number_text(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 10^15")]
    if number.fract() == 0.0 && number.abs() < WHOLE { (number as i64).to_string() } else { number.to_string() }
}

/// A moment as it is written in a cell.
pub(super) fn moment_text(seconds: f64) -> Option<String> {
    #[expect(clippy::cast_possible_truncation, reason = "out of range is no moment")]
    let moment = DateTime::from_timestamp_millis((seconds * 1e3).round() as i64)?.naive_utc();
    let is_midnight = moment.time() == chrono::NaiveTime::MIN;
    (0..=9999).contains(&moment.year()).then(|| match is_midnight {
        true => moment.date().to_string(),
        false => moment.format("%Y-%m-%d %H:%M:%S%.f").to_string(),
    })
}

fn day(days: f64) -> Option<NaiveDate> {
    #[expect(clippy::cast_possible_truncation, reason = "out of range is no day")]
    let day = NaiveDate::from_epoch_days(days.floor() as i32)?;
    (0..=9999).contains(&day.year()).then_some(day)
}
