//! `kind = "variance"` and `kind = "standard-deviation"`.

use inbounds_input::document::{Reported, Spanned};
use inbounds_statistics::{self as statistics, Describe, population::Population};

use super::{
    Calibrated, Columns, KindWord, OutputRange, Planned, Read, Setting, Setup,
    reader::{COLUMN, Key, KindReader, POPULATION},
};

/// Sample variances of the clipped values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variance {
    /// The column.
    pub column: Spanned<String>,
}

/// Roots of the sample variances of the clipped values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardDeviation {
    /// The column.
    pub column: Spanned<String>,
}

impl Planned for Variance {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::Variance { column: columns.only("variance")? }.calibrate(setting)
    }

    fn populations(&self, setup: &Setup) -> Vec<(String, Population)> {
        let bounds = setup.columns.ends(0);
        let population = |part: f64| Population::Variance { variance: (part * (bounds.1 - bounds.0)).powi(2), bounds };
        vec![
            ("normal, deviation of a sixth of the bounds' width".to_owned(), population(1.0 / 6.0)),
            ("normal, deviation of a thirtieth".to_owned(), population(1.0 / 30.0)),
        ]
    }
}

impl Read for Variance {
    const WORD: KindWord = KindWord::Variance;
    const WITH_ARTICLE: &'static str = "a variance";
    const KEYS: &'static [Key] = &[COLUMN, POPULATION];
    const SHARES_NOISE: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self { column: reader.column()? })
    }
}

impl Planned for StandardDeviation {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    fn prepare(&self, _range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::StandardDeviation { column: columns.only("standard deviation")? }.calibrate(setting)
    }
}

impl Read for StandardDeviation {
    const WORD: KindWord = KindWord::StandardDeviation;
    const WITH_ARTICLE: &'static str = "a standard deviation";
    const KEYS: &'static [Key] = &[COLUMN, POPULATION];
    const SHARES_NOISE: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self { column: reader.column()? })
    }
}
