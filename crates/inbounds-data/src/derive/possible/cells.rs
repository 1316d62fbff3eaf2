//! Cells that stand for all cells of a stored column.

use std::collections::BTreeSet;

use crate::{DatePart, Day, KeyValue};

/// A cell, as far as rules look at it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Missing,
    Value(KeyValue),
    Number(f64),
    Day(Day),
    /// A value that no rule or list names.
    Other,
}

impl Cell {
    /// The key that a row with this cell has, if one may be listed.
    pub(super) fn key(&self) -> Option<KeyValue> {
        match self {
            Self::Missing => Some(KeyValue::Missing),
            Self::Value(value) => Some(value.clone()),
            Self::Number(_) | Self::Day(_) | Self::Other => None,
        }
    }
}

/// Distinctions that rules make in a column, with its listed values.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) values: BTreeSet<KeyValue>,
    pub(super) cuts: Vec<f64>,
    pub(super) days: Vec<Day>,
    /// Parts taken from dates, each with the place of its result.
    pub(super) parts: Vec<(DatePart, usize)>,
}

impl Told {
    /// A column of texts or of codes: each that is named, any other, and a missing one.
    pub(super) fn codes(&self) -> Vec<Cell> {
        self.named().chain([Cell::Other, Cell::Missing]).collect()
    }

    pub(super) fn truths(&self) -> Vec<Cell> {
        [false, true].map(|truth| Cell::Value(KeyValue::Boolean(truth))).into_iter().chain([Cell::Missing]).collect()
    }

    fn named(&self) -> impl Iterator<Item = Cell> {
        self.values.iter().filter(|value| **value != KeyValue::Missing).cloned().map(Cell::Value)
    }

    /// A column of numbers: one below all cuts, and from each cut on.
    pub(super) fn numbers(&self) -> Vec<Cell> {
        let mut cuts = self.cuts.clone();
        cuts.sort_by(f64::total_cmp);
        let below = cuts.first().map_or(0.0, |first| first.next_down());
        [below].into_iter().chain(cuts).map(Cell::Number).chain([Cell::Missing]).collect()
    }

    /// A column of whole numbers: those that are named, and one other between every two cuts, if there is one.
    pub(super) fn integers(&self) -> Vec<Cell> {
        if self.cuts.is_empty() {
            return self.codes();
        }
        let mut begins: Vec<i64> = self.cuts.iter().map(|cut| cut.ceil() as i64).collect();
        begins.sort_unstable();
        begins.dedup();
        let is_named = |number: i64| self.values.contains(&KeyValue::Integer(number));
        let below = (0..).map_while(|down| begins[0].checked_sub(1 + down)).find(|number| !is_named(*number));
        let others = begins.iter().enumerate().filter_map(|(place, &begin)| {
            let end = begins.get(place + 1).copied().unwrap_or(i64::MAX);
            (begin..end).find(|number| !is_named(*number))
        });
        let others = below.into_iter().chain(others).map(|number| Cell::Value(KeyValue::Integer(number)));
        self.named().chain(others).chain([Cell::Missing]).collect()
    }

    /// The whole numbers that are named, and the last and first on either side of each cut.
    pub(super) fn edges(&self) -> impl Iterator<Item = i64> {
        let named = self.values.iter().filter_map(|value| match value {
            KeyValue::Integer(value) => Some(*value),
            _ => None,
        });
        let cuts = self.cuts.iter().map(|cut| cut.ceil() as i64);
        named.chain(cuts.flat_map(|begin| [begin.saturating_sub(1), begin]))
    }

    /// A column of dates: of each year that is told from others the first day of every month, the first after each
    /// birthday, and each cut. Of years, or birthdays of an age, `edges` are the numbers that are told from those
    /// between them, so that one year stands for those.
    pub(super) fn dates(&self, edges: impl Iterator<Item = (DatePart, i64)>) -> Vec<Cell> {
        let year = |year: i64| i32::try_from(year).ok();
        let of_parts = edges.flat_map(|(part, number)| match part {
            DatePart::Year => [year(number), None],
            DatePart::AgeAt(at) => {
                let born = i64::from(at.year()).saturating_sub(number);
                [year(born), year(born.saturating_sub(1))]
            }
            _ => [None, None],
        });
        let told: BTreeSet<i32> = of_parts.flatten().chain(self.days.iter().map(|day| day.year())).collect();
        let around = told.iter().flat_map(|year| [year.saturating_sub(1), *year, year.saturating_add(1)]);
        let years: BTreeSet<i32> = around
            .chain([*Day::YEARS.start(), 2000, *Day::YEARS.end()])
            .filter(|year| Day::YEARS.contains(year))
            .collect();
        let mut days = BTreeSet::new();
        for year in years {
            days.extend((1..=12).filter_map(|month| Day::of_calendar(year, month, 1)));
            for (part, _) in &self.parts {
                if let DatePart::AgeAt(at) = part
                    && let Some(birthday) = Day::of_calendar(year, at.month(), at.day())
                {
                    days.extend(Day::from_days(birthday.days() + 1));
                }
            }
        }
        days.extend(&self.days);
        days.into_iter().map(Cell::Day).chain([Cell::Missing]).collect()
    }
}
