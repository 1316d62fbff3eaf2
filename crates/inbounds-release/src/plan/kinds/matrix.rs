//! `kind = "covariance"` and `kind = "correlation"`.

use inbounds_input::document::{Mistakes, Reported, Spanned};
use inbounds_statistics::{
    Describe,
    covariance::{self, Matrix, Measure, Route},
    population::Population,
};

use super::{
    Calibrated, Columns, Draft, KindWord, OutputRange, Planned, Read, Setting, Setup, StatisticDraft,
    reader::{COLUMNS, Key, KindReader, POPULATION},
};

const MEASURE: Key = Key { name: "measure", help: "leave `measure` out for \"entries\"" };

/// Ratio of two simulated RMSEs that chance does not make: each is known to about 2 %.
const TELLING: f64 = 1.1;

/// The columns of a matrix, and how its entries are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MatrixKeys {
    columns: Spanned<Vec<Spanned<String>>>,
    route: Spanned<Route>,
}

/// Sample covariance matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covariance(MatrixKeys);

/// Correlation matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correlation(MatrixKeys);

impl MatrixKeys {
    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let columns = reader.columns();
        let route = reader.word(&MEASURE, &[("entries", Route::Entrywise), ("matrix", Route::Whole)])?;
        Ok(Self { columns: columns?, route: route.unwrap_or_else(|| Spanned::new(Route::Entrywise, reader.span())) })
    }

    fn matrix(&self, measure: Measure, columns: &Columns) -> Matrix {
        Matrix { columns: columns.bounded.clone(), measure, route: self.route.value }
    }

    /// Over a public number of rows, whether the other route errs less.
    fn advice(&self, setup: &Setup) -> Option<String> {
        setup.complete_rows()?;
        let matrix = self.matrix(Measure::Covariance, setup.columns);
        let compared = covariance::compare(&matrix, setup.setting).ok()?;
        let (entries, matrix) = (compared.entrywise.first()?.rmse, compared.whole.first()?.rmse);
        if entries.max(matrix) < TELLING * entries.min(matrix) {
            return None;
        }
        let better = match (compared.better, self.route.value) {
            (Route::Entrywise, Route::Whole) => "entries",
            (Route::Whole, Route::Entrywise) => "matrix",
            (Route::Entrywise, Route::Entrywise) | (Route::Whole, Route::Whole) => return None,
        };
        Some(format!(
            "measure = \"{better}\" would err less: RMSE {entries:.3e} for \"entries\" and {matrix:.3e} for \"matrix\" (Frobenius norm \
             of the covariances, in products of widths of bounds, evenly spread columns)"
        ))
    }

    fn check(
        keys: Option<&Self>,
        with_article: &str,
        statistic: &StatisticDraft,
        draft: &Draft,
        mistakes: &mut Mistakes,
    ) {
        let place = &statistic.place;
        let Some(Self { columns, route }) = keys else { return };
        if columns.value.len() < 2 {
            let message =
                format!("`columns` in {place} must name at least two columns: {with_article} of one is its variance");
            mistakes.note(&columns.span, message, "add a column, or write kind = \"variance\"");
        }
        // A private number of rows leaves one way to measure.
        if route.value == Route::Whole
            && let Some(reason) = statistic.private_rows(draft)
        {
            let message = format!(
                "`measure` in {place} must not be \"matrix\" {reason}: the number of rows is private, and the matrix is made of noisy sums"
            );
            mistakes.note(&route.span, message, "remove `measure`");
        }
    }
}

impl Planned for Covariance {
    fn columns(&self) -> Vec<&Spanned<String>> {
        self.0.columns.value.iter().collect()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        self.0.matrix(Measure::Covariance, columns).calibrate(setting)
    }

    fn advice(&self, setup: &Setup) -> Option<String> {
        self.0.advice(setup)
    }

    /// For two columns, measured entry by entry.
    fn populations(&self, setup: &Setup) -> Vec<(String, Population)> {
        if setup.columns.bounded.len() != 2 || self.0.route.value != Route::Entrywise {
            return Vec::new();
        }
        let bounds = [setup.columns.ends(0), setup.columns.ends(1)];
        let variances = bounds.map(|(lower, upper)| ((upper - lower) / 6.0).powi(2));
        let population = |correlation: f64| Population::Covariance { variances, correlation, bounds };
        [0.0, 0.7]
            .map(|r| (format!("normal, deviations of a sixth of the bounds' widths, correlation {r}"), population(r)))
            .to_vec()
    }
}

impl Read for Covariance {
    const WORD: KindWord = KindWord::Covariance;
    const WITH_ARTICLE: &'static str = "a covariance matrix";
    const KEYS: &'static [Key] = &[COLUMNS, MEASURE, POPULATION];
    const SHARES_NOISE: bool = true;
    const COLUMN_KEY: &'static str = COLUMNS.name;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        MatrixKeys::read(reader).map(Self)
    }

    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        MatrixKeys::check(kind.map(|kind| &kind.0), Self::WITH_ARTICLE, statistic, draft, mistakes);
    }
}

impl Planned for Correlation {
    fn columns(&self) -> Vec<&Spanned<String>> {
        self.0.columns.value.iter().collect()
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        self.0.matrix(Measure::Correlation, columns).calibrate(setting)
    }

    fn advice(&self, setup: &Setup) -> Option<String> {
        self.0.advice(setup)
    }
}

impl Read for Correlation {
    const WORD: KindWord = KindWord::Correlation;
    const WITH_ARTICLE: &'static str = "a correlation matrix";
    const KEYS: &'static [Key] = &[COLUMNS, MEASURE];
    const SHARES_NOISE: bool = true;
    const COLUMN_KEY: &'static str = COLUMNS.name;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        MatrixKeys::read(reader).map(Self)
    }

    fn check(kind: Option<&Self>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
        MatrixKeys::check(kind.map(|kind| &kind.0), Self::WITH_ARTICLE, statistic, draft, mistakes);
    }
}
