//! Names for people: labels and units of the plan, with the plan's own names where it has none.

use std::collections::HashMap;

use inbounds_bundle::{ColumnEntry, PureNumbers, QuantityEntry, ReleaseManifest, StatisticEntry, UnitEntry};

use crate::spread::Style;

/// Words for columns and their values.
pub(crate) struct Names<'a> {
    columns: HashMap<&'a str, &'a ColumnEntry>,
    manifest: &'a ReleaseManifest,
}

impl<'a> Names<'a> {
    pub(crate) fn new(manifest: &'a ReleaseManifest) -> Self {
        Self { columns: manifest.columns.iter().map(|column| (column.name.as_str(), column)).collect(), manifest }
    }

    /// Rule for the cells of a statistic's columns that hold no number.
    pub(crate) fn about_missing(&self, statistic: &StatisticEntry) -> String {
        self.manifest.about_missing(statistic)
    }

    /// Largest part of each privacy unit in the numbers of a statistic, if that may be less than all.
    pub(crate) fn most_of_each_unit(&self, statistic: &StatisticEntry) -> Option<String> {
        self.manifest.most_of_each_unit(statistic)
    }

    /// A column.
    pub(crate) fn column<'n>(&self, name: &'n str) -> &'n str
    where
        'a: 'n,
    {
        self.columns.get(name).map_or(name, |column| column.called())
    }

    /// Several columns.
    pub(crate) fn list<'n>(&self, names: &'n [String]) -> Vec<&'n str>
    where
        'a: 'n,
    {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// A value of a column as a table writes it.
    pub(crate) fn value(&self, column: &str, written: &str) -> String {
        self.columns.get(column).map_or(written, |column| column.value_called(written)).to_owned()
    }

    /// An output of a cell.
    pub(crate) fn quantity(&self, quantity: &QuantityEntry) -> String {
        quantity.in_words(|column| self.column(column).to_owned())
    }

    /// Noun for the rows, in the plural.
    pub(crate) fn things(&self) -> &str {
        self.manifest.things()
    }

    /// A unit beside a number; empty for numbers that have none, or whose unit is not known.
    pub(crate) fn unit(&self, unit: &UnitEntry) -> String {
        let own = |name: &String| self.columns.get(name.as_str()).and_then(|column| column.unit.clone());
        match unit {
            UnitEntry::Rows => self.things().to_owned(),
            UnitEntry::Units => "units".to_owned(),
            UnitEntry::PureNumber | UnitEntry::Other(_) => String::new(),
            UnitEntry::Column(name) => own(name).unwrap_or_default(),
            UnitEntry::Squared(name) => own(name).map(|unit| squared(&unit)).unwrap_or_default(),
        }
    }

    /// The same, short: the numbers of a column are in its own unit, so its name stands for it.
    pub(crate) fn short_unit(&self, unit: &UnitEntry) -> String {
        match unit {
            UnitEntry::Column(column) => column.clone(),
            UnitEntry::Squared(column) => format!("{column}, squared"),
            UnitEntry::PureNumber | UnitEntry::Rows | UnitEntry::Units | UnitEntry::Other(_) => {
                self.manifest.unit_called(unit)
            }
        }
    }

    /// A unit in that of a figure: its name, or its words.
    pub(crate) fn beside_figure(&self, unit: &UnitEntry) -> String {
        match self.unit(unit) {
            own if own.is_empty() => unit.to_string(),
            own => own,
        }
    }

    /// Title of an axis of numbers of this unit.
    pub(crate) fn axis(&self, pure: PureNumbers, unit: &UnitEntry) -> String {
        match unit {
            UnitEntry::Rows => self.things().to_owned(),
            UnitEntry::Units => "units".to_owned(),
            UnitEntry::PureNumber => match pure {
                PureNumbers::Shares => format!("share of the {}", self.things()),
                PureNumbers::Correlations => "correlation".to_owned(),
            },
            UnitEntry::Column(name) => self.of_column(name, unit),
            UnitEntry::Squared(name) if self.unit(unit).is_empty() => format!("{}, squared", self.column(name)),
            UnitEntry::Squared(name) => self.of_column(name, unit),
            UnitEntry::Other(words) => words.clone(),
        }
    }

    /// A column, with the unit if it has a name.
    fn of_column(&self, column: &str, unit: &UnitEntry) -> String {
        match self.unit(unit) {
            own if own.is_empty() => self.column(column).to_owned(),
            own => format!("{}, {own}", self.column(column)),
        }
    }

    /// The values of a column, with their unit.
    pub(crate) fn across(&self, column: &str) -> String {
        self.of_column(column, &UnitEntry::Column(column.to_owned()))
    }

    /// A statistic.
    pub(crate) fn statistic<'s>(&self, statistic: &'s StatisticEntry) -> &'s str {
        statistic.label.as_deref().unwrap_or(&statistic.name)
    }
}

/// Number format of a statistic: shares as percent, and numbers of rows as integers.
pub(crate) fn style(statistic: &StatisticEntry, unit: &UnitEntry) -> Style {
    match (statistic.traits().pure_numbers, unit) {
        (_, UnitEntry::Rows | UnitEntry::Units) => Style::Whole,
        (PureNumbers::Shares, UnitEntry::PureNumber) => Style::Percent,
        (PureNumbers::Shares | PureNumbers::Correlations, _) => Style::Plain,
    }
}

/// The square of a unit, in brackets where it is made of several.
fn squared(unit: &str) -> String {
    let simple = unit.chars().all(|character| character.is_alphabetic() || matches!(character, '%' | '€' | '$'));
    if simple { format!("{unit}²") } else { format!("({unit})²") }
}

#[cfg(test)]
mod tests {
    use super::squared;

    #[test]
    fn squares_of_quotients_have_brackets() {
        assert_eq!(["years", "kg/m2", "mm Hg", "m²"].map(squared), ["years²", "(kg/m2)²", "(mm Hg)²", "(m²)²"]);
    }
}
