//! `kind = "sum"`.

use inbounds_input::document::{Reported, Spanned};
use inbounds_statistics::{self as statistics, Column, Describe};

use super::at_levels::AtLevels;
use super::{
    Calibrated, Columns, KindWord, OutputRange, Planned, Read, Setting,
    reader::{COLUMN, Key, KindReader, RANGE},
};

/// Sums of the clipped values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The column.
    pub column: Spanned<String>,
}

impl Planned for Sum {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    /// A cell has measurements of its own.
    fn has_independent_cells(&self) -> bool {
        true
    }

    fn prepare(&self, range: &OutputRange, columns: &Columns, setting: &Setting) -> Calibrated {
        let sum = statistics::Sum { column: columns.only("sum")?, range: range.clone() };
        sum.calibrate(setting)
    }

    fn at_levels(&self, column: Option<Column>) -> Option<AtLevels> {
        column.map(AtLevels::Sums)
    }
}

impl Read for Sum {
    const WORD: KindWord = KindWord::Sum;
    const WITH_ARTICLE: &'static str = "a sum";
    const KEYS: &'static [Key] = &[COLUMN, RANGE];
    const ADDS_UP: bool = true;
    const SHARES_NOISE: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        Ok(Self { column: reader.column()? })
    }
}
