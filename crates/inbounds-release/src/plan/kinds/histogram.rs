//! `kind = "histogram"`.

use inbounds_core::Rational;
use inbounds_input::document::{Reported, Spanned};
use inbounds_statistics::{self as statistics, Describe};

use super::{
    Calibrated, Columns, KindWord, OutputRange, Planned, Read, Setting,
    reader::{COLUMN, EDGES, Key, KindReader, edges},
};

/// Numbers of rows between edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// The column.
    pub column: Spanned<String>,
    /// Increasing edges of the bins.
    pub edges: Spanned<Vec<Rational>>,
}

impl Planned for Histogram {
    fn columns(&self) -> Vec<&Spanned<String>> {
        vec![&self.column]
    }

    fn edges(&self) -> Option<&Spanned<Vec<Rational>>> {
        Some(&self.edges)
    }

    /// A cell has measurements of its own.
    fn has_independent_cells(&self) -> bool {
        true
    }

    fn prepare(&self, _range: &OutputRange, _columns: &Columns, setting: &Setting) -> Calibrated {
        statistics::Histogram { edges: self.edges.value.clone() }.calibrate(setting)
    }
}

impl Read for Histogram {
    const WORD: KindWord = KindWord::Histogram;
    const WITH_ARTICLE: &'static str = "a histogram";
    const KEYS: &'static [Key] = &[COLUMN, EDGES];
    const HAS_EDGES: bool = true;

    fn read(reader: &mut KindReader) -> Result<Self, Reported> {
        let (column, edges) = (reader.column(), reader.required(&EDGES, edges));
        Ok(Self { column: column?, edges: edges? })
    }
}
