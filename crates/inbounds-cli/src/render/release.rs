//! The answer of `inbounds release`.

use inbounds_bundle::{
    ApartEntry, ChosenMechanism, DiagnosticsEntry, JointEntry, ReleaseManifest, RoundingEntry, SharedNoiseEntry,
    StatedErrors, StatisticEntry, WantsEntry,
};
use inbounds_figures::FiguresMade;
use inbounds_release::{Estimate, Interval, KeyValue, Label, LearnedTable, Release, Released, plan::Plan};
use serde_json::{Map, Value, json};

use super::{Screen, Shown, columns::Table, figure::figures_of_plan, figures::figure, interval, none, note};

/// Estimates on the terminal, with what they cost and where the rest is.
pub(crate) fn release(
    plan: &Plan,
    (release, figures): (&Release, Option<&FiguresMade>),
    shown: Shown,
    screen: Screen,
) -> String {
    let mut parts: Vec<String> = plan.title.iter().map(|title| screen.prose(title)).collect();
    parts.extend(statistics(plan, release, shown, screen));
    parts.extend(plan.quality.as_ref().map(|quality| screen.prose(&quality.sentence())));
    parts.extend(figures.map(|made| figures_of_plan((made, &release.manifest), shown, screen)));
    parts.extend(release.manifest.diagnostics.as_ref().map(|entry| screen.prose(&diagnostics(entry))));
    let promise = &release.manifest.guarantee;
    let mut words = vec![promise.words.clone()];
    words.extend(promise.wants.iter().map(WantsEntry::sentence));
    words.extend(promise.apart.iter().map(ApartEntry::sentence));
    words.extend(promise.joint.iter().map(JointEntry::sentence));
    words.extend(promise.together.iter().map(SharedNoiseEntry::sentence));
    words.extend(promise.chosen.iter().map(ChosenMechanism::sentence));
    words.extend(promise.notices.iter().map(note));
    parts.push(screen.prose(&words.join("\n")));
    parts.extend(release.entered.sentence().map(|sentence| screen.prose(&sentence)));
    parts.push(format!("Bundle: {}", release.folder.display()));
    parts.join("\n\n")
}

/// Measurements of the rows themselves.
fn diagnostics(entry: &DiagnosticsEntry) -> String {
    format!("The rows, epsilon {}\n{}", entry.epsilon, entry.sentences().join("\n"))
}

/// The statistics in the order of the plan. Those of a single number each stand in one table, if their heads are the
/// same and the user did not ask for everything.
fn statistics(plan: &Plan, release: &Release, shown: Shown, screen: Screen) -> Vec<String> {
    let all: Vec<Stated<'_>> = release
        .statistics
        .iter()
        .zip(&release.manifest.statistics)
        .map(|(released, entry)| Stated { released, entry })
        .collect();
    let is_together = |one: &Stated<'_>, next: &Stated<'_>| {
        shown == Shown::First && one.is_single() && next.is_single() && one.heads() == next.heads()
    };
    let parts = all.chunk_by(is_together).map(|together| match together {
        [one] => statistic(plan, one, &release.manifest, (shown, screen)),
        several => singles(plan, several, &release.manifest, (shown, screen)),
    });
    parts.collect()
}

/// A released statistic and what the manifest says of it.
struct Stated<'a> {
    released: &'a Released,
    entry: &'a StatisticEntry,
}

/// Heads of the columns of interval, half width, bias and RMSE.
type Heads = ([String; 2], [&'static str; 2]);

impl Stated<'_> {
    /// `true` for one number without a key.
    fn is_single(&self) -> bool {
        self.released.estimates.len() == 1 && self.released.task.key_columns().is_empty()
    }

    /// Its kind, with the columns that it reads.
    fn description(&self, plan: &Plan) -> String {
        let described = &plan.statistics[self.released.task.index];
        let columns: Vec<String> =
            described.columns().into_iter().map(|column| plan.with_unit(&column.value)).collect();
        match columns[..] {
            [] => described.kind.name().to_owned(),
            _ => format!("{} of {}", described.kind.name(), columns.join(", ")),
        }
    }

    fn level(&self) -> String {
        figure(100.0 * self.entry.interval.level)
    }

    fn heads(&self) -> Heads {
        let holds = if self.entry.interval.joint { ", all at once" } else { "" };
        // Simulated errors are those at the estimate, formulas the largest over the interval.
        let bounded = self.released.estimates.iter().all(|estimate| estimate.bias_over_interval.is_some());
        (
            [format!("{} % interval{holds}", self.level()), format!("± {} %", self.level())],
            self.entry.error_names(bounded),
        )
    }

    fn rows(&self, shown: Shown) -> Vec<Row<'_>> {
        let numbers = self.released.estimates.iter().zip(self.released.tells_nothing());
        let row = |(index, (label, (estimate, tells_nothing)))| {
            let population = self.released.population.get(index).copied().flatten();
            let rounded = self.released.rounded.as_ref().map(|rounded| rounded.values[index]);
            Row { label, estimate, tells_nothing, population, rounded }
        };
        self.released.task.labels().iter().zip(numbers).take(shown.limit()).enumerate().map(row).collect()
    }

    /// Notes below its numbers.
    fn notes(&self, manifest: &ReleaseManifest) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        notes.extend(Some(manifest.about_missing(self.entry)).filter(|missing| !missing.is_empty()));
        notes.extend(self.entry.about_learned_keys(&manifest.unit_called(&self.entry.unit)));
        notes.extend(self.released.notices.iter().map(note));
        notes.extend(self.entry.rounding.as_ref().map(RoundingEntry::sentence));
        notes
    }
}

fn statistic(plan: &Plan, stated: &Stated<'_>, manifest: &ReleaseManifest, (shown, screen): (Shown, Screen)) -> String {
    let Stated { released, entry } = stated;
    let described = &plan.statistics[released.task.index];
    let description = stated.description(plan);
    let shared = if released.task.shares_noise() { " with others" } else { "" };
    let within: Vec<&str> = described.within().iter().map(|column| plan.called(&column.value)).collect();
    let within = if within.is_empty() { String::new() } else { format!(" within each {}", within.join(" and ")) };
    let of_unit = manifest.most_of_each_unit(entry).map_or_else(String::new, |most| format!(", {most}"));
    let headline = format!(
        "{}: {description}{within}{of_unit}, epsilon {}{shared}",
        described.called(),
        released.task.prepared.epsilon()
    );
    let rows = stated.rows(shown);
    let population = format!("{} % for the population", stated.level());
    let table_of = |detail| {
        let table = numbers(keys(plan, stated, &rows), plan, (&rows, &stated.heads()), detail);
        table.and_if(!released.population.is_empty(), |table| {
            table.figures(&population, &rows, |row| {
                row.population.map_or_else(none, |bounds| interval(bounds.lower, bounds.upper))
            })
        })
    };
    let (table, left_out) = Detail::fitting(table_of, shown, screen);
    let mut notes = about_table(&rows, left_out);
    notes.extend(shown.more(released.estimates.len()));
    notes.extend(stated.notes(manifest));
    format!("{}\n{}", screen.prose(&headline), screen.table_with_notes(&table, &notes.join("\n")))
}

/// Statistics of one number each, a line a statistic.
fn singles(
    plan: &Plan,
    several: &[Stated<'_>],
    manifest: &ReleaseManifest,
    (shown, screen): (Shown, Screen),
) -> String {
    let called = |stated: &Stated<'_>| plan.statistics[stated.released.task.index].called().to_owned();
    let rows: Vec<Row<'_>> = several.iter().flat_map(|stated| stated.rows(shown)).collect();
    let table_of = |detail| {
        let names = Table::default()
            .words("statistic", several, called)
            .words("what", several, |stated| stated.description(plan));
        numbers(names, plan, (&rows, &several[0].heads()), detail)
    };
    let (table, left_out) = Detail::fitting(table_of, shown, screen);
    let mut notes = about_table(&rows, left_out);
    let most = |stated: &Stated<'_>| Some((called(stated), manifest.most_of_each_unit(stated.entry)?));
    let capped: Vec<(String, String)> = several.iter().filter_map(most).collect();
    for one in capped.chunk_by(|one, other| one.1 == other.1) {
        let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
        notes.push(format!("{}: {}.", names.join(", "), one[0].1));
    }
    notes.extend(
        several
            .iter()
            .flat_map(|stated| stated.notes(manifest).into_iter().map(|note| format!("{}: {note}", called(stated)))),
    );
    screen.table_with_notes(&table, &notes.join("\n"))
}

/// The first notes below a table of these rows: its marks, and the columns that it leaves out.
fn about_table(rows: &[Row<'_>], left_out: Option<String>) -> Vec<String> {
    let marked = rows.iter().any(|row| outside(row.estimate)).then(|| OUTSIDE.to_owned());
    marked.into_iter().chain(left_out).collect()
}

/// A published number: what it is of, and what is said about it.
struct Row<'a> {
    label: Label<'a>,
    estimate: &'a Estimate,
    tells_nothing: bool,
    population: Option<Interval>,
    /// The multiple that is shown.
    rounded: Option<f64>,
}

impl Row<'_> {
    /// Bias and RMSE: the largest over the interval where they are known, else those at the estimate.
    fn errors(&self) -> [String; 2] {
        let estimate = self.estimate;
        let over_interval = estimate.bias_over_interval.zip(estimate.rmse_over_interval);
        let bias = Some((estimate.bias_at_estimate, estimate.bias_error));
        let rmse = Some((estimate.rmse_at_estimate, estimate.rmse_error));
        StatedErrors::choose(over_interval, (bias, rmse), self.tells_nothing).shown()
    }
}

/// The columns that say which number a row has.
fn keys(plan: &Plan, Stated { released, .. }: &Stated<'_>, rows: &[Row<'_>]) -> Table {
    // Every cell has the same numbers.
    let outputs = released.task.prepared.outputs().len();
    let named = rows.iter().take(outputs).any(|row| !row.label.name.is_empty());
    // The key of a coarser level or margin has fewer values. Where it has none, the level or margin stands in its
    // place.
    let called = |row: &Row<'_>, index: usize, name: &str| match row.label.key.get(index) {
        Some(value) => plan.value_called(name, value),
        None if index == 0 && row.label.key.values().next().is_none() => row
            .label
            .granularity
            .map_or_else(String::new, |all| all.level().map_or_else(|| all.to_string(), str::to_owned)),
        None => String::new(),
    };
    let columns = released.task.key_columns().iter().enumerate();
    columns
        .fold(Table::default(), |table, (index, name)| {
            table.words(plan.called(name), rows, |row| called(row, index, name))
        })
        .and_if(named, |table| table.words("output", rows, |row| row.label.name.clone()))
}

/// The level of detail of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Estimate, interval and RMSE, where a terminal has no room for more.
    Least,
    /// Bias and raw measurement too.
    Usual,
    /// All that is known.
    All,
}

impl Detail {
    /// The table with the most detail that is asked for and fits, and what is said of the rest.
    fn fitting(table: impl Fn(Self) -> Table, shown: Shown, screen: Screen) -> (Table, Option<String>) {
        if shown == Shown::All {
            return (table(Self::All), None);
        }
        let usual = table(Self::Usual);
        if usual.fits_whole(screen.columns()) {
            return (usual, None);
        }
        (table(Self::Least), Some("`--all` shows bias and raw measurements here; they are in the bundle.".to_owned()))
    }
}

/// The numbers of each row beside what `table` says of it.
fn numbers(
    table: Table,
    plan: &Plan,
    (rows, ([level, half_width], [bias, rmse])): (&[Row<'_>], &Heads),
    detail: Detail,
) -> Table {
    table
        .figures("estimate", rows, |row| marked(row.estimate.value, outside(row.estimate)))
        .figures(level, rows, |row| interval(row.estimate.lower, row.estimate.upper))
        .and_if(detail != Detail::Least, |table| table.figures(bias, rows, |row| row.errors()[0].clone()))
        .and_if(detail == Detail::All, |table| {
            table.figures("worst bias", rows, |row| row.estimate.worst_bias.map_or_else(none, figure))
        })
        .figures(rmse, rows, |row| row.errors()[1].clone())
        .and_if(detail == Detail::All, |table| {
            table.figures(half_width, rows, |row| figure(0.5 * (row.estimate.upper - row.estimate.lower)))
        })
        .and_if(rows.iter().any(|row| row.rounded.is_some()), |table| {
            table.figures("rounded", rows, |row| row.rounded.map_or_else(none, figure))
        })
        .and_if(plan.quality.is_some(), |table| {
            table.words("quality", rows, |row| plan.class_of(row.estimate).unwrap_or_default().to_owned())
        })
        .and_if(detail != Detail::Least, |table| {
            table.figures("raw measurement", rows, |row| row.estimate.measurement.map_or_else(none, figure))
        })
}

/// Below a table with a marked estimate.
pub(super) const OUTSIDE: &str = "* outside its own interval";

fn outside(estimate: &Estimate) -> bool {
    estimate.value < estimate.lower || estimate.value > estimate.upper
}

/// An estimate, with a mark if it is outside its own interval.
pub(super) fn marked(estimate: f64, outside: bool) -> String {
    format!("{}{}", figure(estimate), if outside { " *" } else { "" })
}

/// The estimates of a statistic with everything that is said of each; keys are what they are.
fn estimates_json(plan: &Plan, released: &Released) -> Vec<Value> {
    let labels = released.task.labels();
    let key = |label: &Label| -> Map<String, Value> {
        let columns = released.task.key_columns().iter();
        let value = |key: &KeyValue| match key {
            KeyValue::Integer(key) => json!(key),
            KeyValue::Text(key) => json!(key),
            KeyValue::Boolean(key) => json!(key),
            KeyValue::Missing => json!(KeyValue::MISSING),
        };
        let keyed = columns.enumerate().filter_map(|(place, column)| Some((column, label.key.get(place)?)));
        keyed.map(|(column, key)| (column.clone(), value(key))).collect()
    };
    let one = |(index, ((estimate, tells_nothing), label)): (usize, ((&Estimate, bool), Label))| {
        let population = released.population.get(index).copied().flatten();
        json!({
            "by": key(&label),
            "output": (!label.name.is_empty()).then_some(&label.name),
            "estimate": estimate.value,
            "interval_lower": estimate.lower,
            "interval_upper": estimate.upper,
            "bias_at_estimate": estimate.bias_at_estimate,
            "bias_error": estimate.bias_error,
            "rmse_at_estimate": estimate.rmse_at_estimate,
            "rmse_error": estimate.rmse_error,
            "worst_bias": estimate.worst_bias,
            "bias_over_interval": estimate.bias_over_interval,
            "rmse_over_interval": estimate.rmse_over_interval,
            "tells_nothing": tells_nothing,
            "quality": plan.class_of(estimate),
            "rounded": released.rounded.as_ref().map(|rounded| rounded.values[index]),
            "measurement": estimate.measurement,
            "population_lower": population.map(|bounds| bounds.lower),
            "population_upper": population.map(|bounds| bounds.upper),
        })
    };
    released.estimates.iter().zip(released.tells_nothing()).zip(labels.iter()).enumerate().map(one).collect()
}

/// Where the bundle is, what it cost, and what was released.
pub(crate) fn release_json(plan: &Plan, release: &Release, figures: Option<&FiguresMade>) -> String {
    let statistics: Vec<_> = release
        .statistics
        .iter()
        .map(|released| {
            json!({
                "name": plan.statistics[released.task.index].name.value,
                "cells": released.task.prepared.cells(),
                "learned": released.task.learned().map(LearnedTable::entry),
                "epsilon": released.task.prepared.epsilon().to_string(),
                "rounding": released.rounded.as_ref().map(|rounded| &rounded.entry),
                "estimates": estimates_json(plan, released),
            })
        })
        .collect();
    super::json(&json!({
        "bundle": release.folder,
        "private": release.manifest.private,
        "epsilon_spent": release.manifest.guarantee.epsilon_spent,
        "delta_spent": release.manifest.guarantee.delta_spent,
        "guarantee": release.manifest.guarantee.words,
        "apart": release.manifest.guarantee.apart,
        "joint": release.manifest.guarantee.joint,
        "wants": release.manifest.guarantee.wants,
        "together": release.manifest.guarantee.together,
        "chosen": release.manifest.guarantee.chosen,
        "ledger": release.manifest.guarantee.ledger,
        "ledger_note": release.entered.sentence(),
        "statistics": statistics,
        "figures": figures.map(|made| &made.manifest.figures),
        "figures_refused": figures.map(|made| &made.manifest.refused),
    }))
}
