//! The answer of `inbounds check`.

use std::{collections::BTreeSet, path::PathBuf};

use inbounds_bundle::{ExpectedErrorEntry, MissingEntry, RESIDUALS_MEASURED, TotalEntry};
use inbounds_core::Epsilon;
use inbounds_release::{
    CheckedDiagnostics, ErrorByEpsilon, ExpectedModelAccuracy, SampleSize,
    check::{CheckReport, CheckedColumn, CheckedNoise, CheckedStatistic},
};

use super::{
    Screen, Shown,
    columns::Table,
    figures::{bias, end, figure, simulated, whole},
    none, note,
};

/// Additional results on request.
#[derive(Default)]
pub(crate) struct More {
    /// Errors of samples, by their size.
    pub(crate) sizes: Option<Vec<SampleSize>>,
    /// Epsilons to compare, and the error to expect at each.
    pub(crate) epsilons: (Vec<Epsilon>, Vec<ErrorByEpsilon>),
    /// The page for approval, if it was written.
    pub(crate) approval: Option<ApprovalPage>,
}

/// The page on which a plan is approved.
pub(crate) struct ApprovalPage {
    /// Its file.
    pub(crate) path: PathBuf,
    /// Digest that is approved.
    pub(crate) sha256: String,
}

impl More {
    fn by_epsilon(&self, screen: Screen) -> Option<String> {
        let (epsilons, rows) = &self.epsilons;
        let table = Table::default().words_once("statistic", rows, |row| row.statistic.clone()).words(
            "where the truth is",
            rows,
            |row| row.case.clone(),
        );
        let columns = epsilons.iter().enumerate();
        let table = columns.fold(table, |table, (index, epsilon)| {
            table.figures(&format!("epsilon {epsilon}"), rows, |row| figure(row.rmse[index]))
        });
        let title = screen.prose("RMSE to expect, by epsilon of the whole release, shares as in the plan");
        (!epsilons.is_empty()).then(|| format!("{title}\n{}", screen.table(&table)))
    }
}

/// Cost, noise and expected error of every statistic.
pub(crate) fn check(report: &CheckReport, more: &More, shown: Shown, screen: Screen) -> String {
    let mut parts = vec![screen.prose(&head(report)), screen.prose(&budget(report))];
    parts.extend(derived(report).map(|text| screen.prose(&text)));
    match shown {
        Shown::First => parts.push(expected(report, screen)),
        Shown::All => parts.extend(statistics(report, screen)),
    }
    parts.extend(figures(report).map(|text| screen.prose(&text)));
    parts.extend(report.diagnostics.as_ref().map(|checked| screen.prose(&diagnostics(checked))));
    parts.extend(more.by_epsilon(screen));
    parts.extend(more.sizes.as_ref().map(|sizes| by_size(report, sizes, screen)));
    parts.extend(more.approval.as_ref().map(|ApprovalPage { path, sha256 }| {
        format!("Page for approval: {}\nDigest to approve: {sha256}", path.display())
    }));
    parts.join("\n\n")
}

/// The figures that will be made of the numbers.
fn figures(report: &CheckReport) -> Option<String> {
    let names = (!report.figures.is_empty()).then(|| report.figures.join(", "))?;
    Some(format!("Figures: {names}. They cost no epsilon, and the release states their intervals."))
}

fn head(report: &CheckReport) -> String {
    let title = report.title.as_ref().map_or_else(String::new, |title| format!("{title}\n"));
    let unseen = report.unseen.as_ref().map_or_else(String::new, |unseen| format!("\n{}", unseen.sentence()));
    format!("{title}The plan is in order. No row was read.{unseen}")
}

fn budget(report: &CheckReport) -> String {
    let delta = if report.delta == "0" {
        String::new()
    } else {
        format!(" and {}", part("delta", &report.delta, &report.delta_cost.rounded_up()))
    };
    let apart = report.apart.as_ref().map_or_else(String::new, |apart| format!("\n{}", apart.sentence()));
    let joint: String = report.joint.iter().map(|joint| format!("\n{}", joint.sentence())).collect();
    let wants = report.wants.as_ref().map_or_else(String::new, |wants| format!("\n{}", wants.sentence()));
    let together: String = report.together.iter().map(|shared| format!("\n{}", shared.sentence())).collect();
    let chosen: String = report.chosen.iter().map(|chosen| format!("\n{}", chosen.sentence())).collect();
    let would_share: String = report.would_share.iter().map(|gain| format!("\n{}", gain.sentence())).collect();
    let mechanism: String = report.other_mechanisms.iter().map(|gain| format!("\n{}", gain.sentence())).collect();
    let totals: String = report.listed_totals.iter().map(|total| format!("\n{}", total.sentence())).collect();
    let ledger = report.ledger.as_ref().map_or_else(String::new, |ledger| format!("\n{}", ledger.sentence()));
    let notes: String = report.notices.iter().map(|notice| format!("\n{}", note(notice))).collect();
    let per_unit = report.per_unit.as_ref().map_or_else(String::new, |entry| format!("\n{}", entry.sentence()));
    format!(
        "Privacy unit: {}. Neighbours: {}.\nThis release spends {}{delta}.{wants}{apart}{joint}{together}{chosen}{would_share}{mechanism}{per_unit}{totals}\n{}{ledger}{notes}",
        report.privacy_unit,
        report.neighbours,
        part("epsilon", &report.epsilon, &report.epsilon_cost.rounded_up()),
        report.meaning,
    )
}

/// Part of a granted amount that the release would spend, both as they are printed.
fn part(name: &str, granted: &str, spent: &str) -> String {
    match granted == spent {
        true => format!("all of its {name}, {granted}"),
        false => format!("{name} {spent} of the {granted} that the plan grants"),
    }
}

/// The columns that are made of others, one a line.
fn derived(report: &CheckReport) -> Option<String> {
    let line = |column: &CheckedColumn| match column.bounds {
        Some((lower, upper)) => format!("{} Its bounds are {} and {}.", column.rule, figure(lower), figure(upper)),
        None => column.rule.clone(),
    };
    let lines: Vec<String> = report.derived.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Detection limits of the diagnostics.
fn diagnostics(checked: &CheckedDiagnostics) -> String {
    let seen = |problem: &str, percent: f64| {
        let rows = whole(usize::try_from(checked.rows).unwrap_or(usize::MAX));
        if percent < 100.0 {
            format!("{problem} in more than {} % of {rows} rows will be noticed", figure(percent))
        } else {
            format!("noise hides {problem} even in all of {rows} rows")
        }
    };
    format!(
        "Diagnostics, epsilon {}, noise of scale {} rows: {}; {}.",
        checked.epsilon,
        figure(checked.scale),
        seen("a column that is missing", checked.missing_percent),
        seen("a key that is not listed", checked.unlisted_percent)
    )
}

/// Over a table of the errors of all statistics.
const TITLE: &str = "Error to expect, in the unit of each statistic";

/// The errors to expect in one table: a line a statistic, below it up to four truths, and what is to be known of all.
fn expected(report: &CheckReport, screen: Screen) -> String {
    let rest = "`--all` shows all errors, and the noise, sensitivity and range of each measurement.".to_owned();
    expected_with(report, &[rest], screen)
}

/// The same table for a plan that is being made.
pub(crate) fn expected_so_far(report: &CheckReport, screen: Screen) -> String {
    expected_with(report, &[], screen)
}

fn expected_with(report: &CheckReport, rest: &[String], screen: Screen) -> String {
    let below = |statistic| {
        let truths = ErrorRow::for_statistic(statistic).take(MOST_TRUTHS).map(ShortRow::Truth);
        let more = (statistic.expected_error.len() > MOST_TRUTHS).then_some(ShortRow::More(statistic));
        std::iter::once(ShortRow::Statistic(statistic)).chain(truths).chain(more)
    };
    let rows: Vec<ShortRow<'_>> = report.statistics.iter().flat_map(below).collect();
    let notes: Vec<String> = remarks_on_all(report).into_iter().chain(rest.iter().cloned()).collect();
    let names = Table::default().words("statistic, and where the truth is", &rows, ShortRow::name);
    let table = error_figures(names, &rows, ShortRow::shown);
    if table.fits(screen.columns()) {
        let shown = match &notes[..] {
            [] => screen.table(&table),
            notes => screen.table_with_notes(&table, &notes.join("\n")),
        };
        return format!("{TITLE}\n{shown}");
    }
    // A long name has a line of its own.
    let one = |statistic| {
        let truths: Vec<ErrorRow<'_>> = ErrorRow::for_statistic(statistic).take(MOST_TRUTHS).collect();
        let name = screen.prose(&ShortRow::Statistic(statistic).name());
        format!("{name}\n{}", screen.table(&error_table(&truths, Scope::One)))
    };
    let parts = report.statistics.iter().map(one).chain((!notes.is_empty()).then(|| screen.prose(&notes.join("\n"))));
    format!("{TITLE}\n\n{}", parts.collect::<Vec<_>>().join("\n\n"))
}

/// Truths shown of each statistic, where not everything is asked for.
const MOST_TRUTHS: usize = 4;

/// A line of the short table.
enum ShortRow<'a> {
    Statistic(&'a CheckedStatistic),
    Truth(ErrorRow<'a>),
    /// What is left of its truths, levels and margins.
    More(&'a CheckedStatistic),
}

impl<'a> ShortRow<'a> {
    fn name(&self) -> String {
        match self {
            Self::Statistic(statistic) => {
                let shared = if statistic.shares_noise { " with others" } else { "" };
                format!("{}, epsilon {}{shared}", statistic.name, statistic.epsilon)
            }
            Self::More(statistic) => {
                let more = &statistic.expected_error[MOST_TRUTHS..];
                let rmse = more.iter().map(|error| error.rmse).filter(|rmse| rmse.is_finite());
                let (least, most) = rmse.fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
                format!("\u{a0}\u{a0}and {} more, RMSE {} to {}", more.len(), figure(least), figure(most))
            }
            Self::Truth(row) => format!("\u{a0}\u{a0}{}", row.error.case),
        }
    }

    fn shown(&self) -> Option<&ErrorRow<'a>> {
        match self {
            Self::Statistic(_) | Self::More(_) => None,
            Self::Truth(row) => Some(row),
        }
    }
}

/// Two tables of all statistics if they fit, else two small ones a statistic.
fn statistics(report: &CheckReport, screen: Screen) -> Vec<String> {
    let noise =
        noise_table(&report.statistics.iter().flat_map(NoiseRow::for_statistic).collect::<Vec<_>>(), Scope::All);
    let errors =
        error_table(&report.statistics.iter().flat_map(ErrorRow::for_statistic).collect::<Vec<_>>(), Scope::All);
    if noise.fits(screen.columns()) && errors.fits(screen.columns()) {
        return vec![
            screen.table(&noise),
            format!("{TITLE}\n{}", screen.table_with_notes(&errors, &remarks_on_all(report).join("\n"))),
        ];
    }
    report.statistics.iter().map(|statistic| block(statistic, screen)).collect()
}

/// Scope of a table: all statistics or one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    All,
    One,
}

/// All that is said of one statistic.
fn block(statistic: &CheckedStatistic, screen: Screen) -> String {
    let cells = match statistic.cells {
        None => "learned cells".to_owned(),
        Some(1) => "1 cell".to_owned(),
        Some(cells) => format!("{cells} cells"),
    };
    let worst = statistic.worst_bias.map_or_else(String::new, |bias| format!(", worst bias {}", figure(bias)));
    let headline = format!(
        "{}: {}, epsilon {}, {cells}, range {}{worst}",
        statistic.name,
        statistic.kind,
        statistic.epsilon,
        range(statistic),
    );
    let noise = noise_table(&NoiseRow::for_statistic(statistic).collect::<Vec<_>>(), Scope::One);
    let errors = error_table(&ErrorRow::for_statistic(statistic).collect::<Vec<_>>(), Scope::One);
    format!(
        "{}\n{}\n{}",
        screen.prose(&headline),
        screen.table_with_notes(&noise, "Error to expect:"),
        screen.table_with_notes(&errors, &remarks(statistic).join("\n")),
    )
}

/// Remarks on a statistic: the value of missing numbers, the learning of keys, notices about the noise, the worth of a
/// model, and a better choice, if there is one.
fn remarks(statistic: &CheckedStatistic) -> Vec<String> {
    let missing = statistic.missing.iter().map(MissingEntry::sentence);
    let notices = statistic.notices.iter().map(note);
    let learned = statistic.learned.as_ref().map(|learned| {
        let unit = statistic.outputs.first().map(|output| output.unit.to_string());
        learned.sentence(&unit.unwrap_or_default())
    });
    let worth = statistic.expected_accuracy.as_ref().map(ExpectedModelAccuracy::sentence);
    let residuals = statistic.measures_residuals.then(|| RESIDUALS_MEASURED.to_owned());
    let under_total = statistic.known_total.as_ref().map(TotalEntry::sentence);
    missing
        .chain(learned)
        .chain(residuals)
        .chain(under_total)
        .chain(notices)
        .chain(worth)
        .chain(statistic.advice.clone())
        .collect()
}

/// The remarks on all statistics, each once, with the statistics that it is about.
fn remarks_on_all(report: &CheckReport) -> Vec<String> {
    let mut about: Vec<(String, Vec<&str>)> = Vec::new();
    for statistic in &report.statistics {
        for remark in remarks(statistic) {
            match about.iter_mut().find(|(text, _)| *text == remark) {
                Some((_, names)) => names.push(&statistic.name),
                None => about.push((remark, vec![&statistic.name])),
            }
        }
    }
    about.into_iter().map(|(remark, names)| format!("{}: {remark}", names.join(", "))).collect()
}

/// A measured vector of a statistic.
struct NoiseRow<'a> {
    statistic: &'a CheckedStatistic,
    noise: &'a CheckedNoise,
    first: bool,
}

impl<'a> NoiseRow<'a> {
    fn for_statistic(statistic: &'a CheckedStatistic) -> impl Iterator<Item = Self> {
        let rows = statistic.noise.iter().enumerate();
        rows.map(move |(index, noise)| Self { statistic, noise, first: index == 0 })
    }

    fn measures(&self) -> String {
        match (&self.noise.level, self.noise.margin.as_deref()) {
            (Some(level), None) => format!("{}, level {level}", self.noise.measures),
            (Some(level), Some([])) => format!("{}, level {level}, total", self.noise.measures),
            (Some(level), Some(margin)) => {
                format!("{}, level {level}, margin {}", self.noise.measures, margin.join(", "))
            }
            (None, Some([])) => format!("{}, total", self.noise.measures),
            (None, Some(margin)) => format!("{}, margin {}", self.noise.measures, margin.join(", ")),
            (None, None) => self.noise.measures.clone(),
        }
    }

    /// `true` for noise of a level or margin.
    fn is_of_some(&self) -> bool {
        self.noise.level.is_some() || self.noise.margin.is_some()
    }

    /// Cells and epsilon: each level or margin has its own; other measurements share those of the statistic.
    fn share(&self) -> (String, String) {
        match &self.noise.epsilon {
            Some(epsilon) if self.is_of_some() => (cells(self.noise.cells), epsilon.clone()),
            _ if self.first => {
                let shared = if self.statistic.shares_noise { " together" } else { "" };
                (cells(self.statistic.cells), format!("{}{shared}", self.statistic.epsilon))
            }
            _ => (String::new(), String::new()),
        }
    }
}

/// A number of cells; that of learned ones is not known before.
fn cells(cells: Option<usize>) -> String {
    cells.map_or_else(|| "learned".to_owned(), |cells| cells.to_string())
}

fn noise_table(rows: &[NoiseRow<'_>], scope: Scope) -> Table {
    let levels = rows.iter().any(NoiseRow::is_of_some);
    Table::default()
        .and_if(scope == Scope::All, |table| table.words_once("statistic", rows, |row| row.statistic.name.clone()))
        .words("measures", rows, NoiseRow::measures)
        .words("mechanism", rows, |row| row.noise.mechanism.clone())
        .and_if(scope == Scope::All || levels, |table| {
            table.figures("cells", rows, |row| row.share().0).figures("epsilon", rows, |row| row.share().1)
        })
        .figures("sensitivity", rows, |row| figure(row.noise.sensitivity))
        .figures("noise scale", rows, |row| figure(row.noise.scale))
}

/// A truth that a statistic may have, and the error to expect there.
struct ErrorRow<'a> {
    statistic: &'a CheckedStatistic,
    error: &'a ExpectedErrorEntry,
}

impl<'a> ErrorRow<'a> {
    fn for_statistic(statistic: &'a CheckedStatistic) -> impl Iterator<Item = Self> {
        statistic.expected_error.iter().map(move |error| Self { statistic, error })
    }
}

fn error_table(rows: &[ErrorRow<'_>], scope: Scope) -> Table {
    let names = Table::default()
        .and_if(scope == Scope::All, |table| table.words_once("statistic", rows, |row| row.statistic.name.clone()))
        .words("where the truth is", rows, |row| row.error.case.clone())
        .and_if(scope == Scope::All, |table| table.words_once("range", rows, |row| range(row.statistic)));
    error_figures(names, rows, Some).and_if(scope == Scope::All, |table| {
        table.figures_once("worst bias", rows, |row| row.statistic.worst_bias.map_or_else(none, figure))
    })
}

/// Bias, RMSE and half width of the rows that are about a truth, beside what `table` says of each.
fn error_figures<'a, R>(table: Table, rows: &'a [R], truth: impl Fn(&'a R) -> Option<&'a ErrorRow<'a>>) -> Table {
    let truths = || rows.iter().filter_map(&truth);
    let half_width = levels(truths().map(|row| row.statistic.interval.level));
    let named = half_width.as_ref().map_or_else(|| "half width".to_owned(), |level| format!("± {level}"));
    let is_joint = truths().any(|row| row.statistic.interval.joint);
    // Where levels differ each row says its own.
    let own = |row: &ErrorRow<'_>| {
        let all = if row.statistic.interval.joint { ", all at once" } else { "" };
        format!("{} %{all}", figure(100.0 * row.statistic.interval.level))
    };
    let of_truth = |table: Table, header: &str, shown: &dyn Fn(&ErrorRow<'_>) -> String| {
        table.figures(header, rows, |row| truth(row).map_or_else(String::new, shown))
    };
    let table = of_truth(table, "bias", &|row| bias(row.error.bias, row.error.rmse));
    let table = of_truth(table, "RMSE", &|row| figure(row.error.rmse));
    let table = of_truth(table, &named, &|row| row.error.half_width.map_or_else(none, figure));
    table.and_if(half_width.is_none() || is_joint, |table| of_truth(table, "level", &own))
}

/// The level in words, where all have one.
fn levels(mut all: impl Iterator<Item = f64>) -> Option<String> {
    let first = all.next()?;
    all.all(|level| level == first).then(|| format!("{} %", figure(100.0 * first)))
}

/// The range of a statistic's estimates.
fn range(statistic: &CheckedStatistic) -> String {
    let of_output = |(lower, upper)| format!("{} to {}", end(lower, "-inf"), end(upper, "inf"));
    let ranges = statistic.outputs.iter().map(|output| of_output((output.range.lower, output.range.upper)));
    match ranges.collect::<BTreeSet<_>>() {
        differ if differ.len() > 1 => "of each output".to_owned(),
        _ => of_output(statistic.range),
    }
}

/// Table of the approach of estimates to a population's parameter, by sample size.
fn by_size(report: &CheckReport, sizes: &[SampleSize], screen: Screen) -> String {
    if sizes.is_empty() {
        return screen.prose("No statistic of the plan has a public number of rows and a population's parameter.");
    }
    let level = levels(sizes.iter().map(|size| size.level));
    let coverage = level.map_or_else(|| "coverage".to_owned(), |level| format!("coverage of {level}"));
    let table = Table::default()
        .words_once("statistic", sizes, |size| size.statistic.clone())
        .words_once("population", sizes, |size| size.population.clone())
        .figures("rows", sizes, |size| size.rows.to_string())
        .figures("bias", sizes, |size| {
            size.errors.as_ref().map_or_else(none, |errors| simulated(errors.bias, errors.bias_error))
        })
        .figures("RMSE", sizes, |size| size.errors.as_ref().map_or_else(none, |errors| figure(errors.rmse)))
        .figures(&coverage, sizes, |size| {
            size.errors.as_ref().map_or_else(none, |errors| simulated(errors.coverage, errors.coverage_error))
        });
    let refusal =
        |size: &SampleSize| Some(format!("{} over {} rows: {}", size.statistic, size.rows, size.refused.as_ref()?));
    let refused: BTreeSet<String> = sizes.iter().filter_map(refusal).collect();
    let mut notes: Vec<String> = refused.into_iter().collect();
    let shown = |statistic: &&CheckedStatistic| sizes.iter().any(|size| size.statistic == statistic.name);
    let names = report.statistics.iter().filter(|statistic| !shown(statistic)).map(|statistic| statistic.name.as_str());
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        notes.push(format!(
            "Left out: {}. Samples are drawn for means, variances, covariances of two columns and proportions with `where`, \
             over a public number of rows.",
            names.join(", ")
        ));
    }
    format!(
        "Error as an estimate of a population's parameter, sampling included\n{}",
        screen.table_with_notes(&table, &notes.join("\n")),
    )
}

/// The report as JSON.
pub(crate) fn check_json(report: &CheckReport, more: &More) -> String {
    let mut value = serde_json::to_value(report).expect("strings, numbers and lists serialise");
    if let Some(sizes) = &more.sizes {
        value["sample_sizes"] = serde_json::to_value(sizes).expect("strings, numbers and lists serialise");
    }
    if let Some(ApprovalPage { path, sha256 }) = &more.approval {
        value["approval"] = serde_json::json!({ "page": path.display().to_string(), "sha256": sha256 });
    }
    let (epsilons, errors) = &more.epsilons;
    if !epsilons.is_empty() {
        let epsilons: Vec<String> = epsilons.iter().map(ToString::to_string).collect();
        value["by_epsilon"] = serde_json::json!({ "epsilons": epsilons, "expected_error": errors });
    }
    super::json(&value)
}
