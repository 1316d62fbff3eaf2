//! Figures that were made, read again.

use std::{fs, io, path::Path};

use csv::StringRecord;
use inbounds_core::Named;

use crate::{
    FIGURES_SCHEMA, FigureCell, FigureEntry, FiguresError, FiguresMade, FiguresManifest, MadeFigure,
    table::{Table, key_of},
};

impl FiguresMade {
    /// Reads the figures of a folder; `None` if it has none.
    ///
    /// # Errors
    /// [`FiguresError::Unreadable`], and [`FiguresError::Manifest`] or [`FiguresError::Table`] if a file is not what
    /// its schema says.
    pub fn open(folder: &Path) -> Result<Option<Self>, FiguresError> {
        let path = folder.join(FiguresManifest::FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(FiguresError::Unreadable { path, source }),
        };
        let wrong = |problem: String| FiguresError::Manifest { path: path.clone(), problem };
        let manifest: FiguresManifest = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if manifest.schema != FIGURES_SCHEMA {
            return Err(wrong(format!(
                "its schema is `{}`, and this version knows `{FIGURES_SCHEMA}`",
                manifest.schema
            )));
        }
        let mut rows = Rows::read(folder)?;
        let figure = |entry: &FigureEntry| {
            let cells = (0..entry.cells).map(|_| rows.next()).collect::<Result<_, _>>()?;
            Ok(MadeFigure { entry: entry.clone(), cells })
        };
        let figures = manifest.figures.iter().map(figure).collect::<Result<_, FiguresError>>()?;
        Ok(Some(Self { folder: folder.to_owned(), manifest, figures }))
    }
}

/// Rows of `figures.csv`, each of which becomes a cell.
struct Rows {
    table: Table,
    keys: Vec<(usize, String)>,
    rows: std::vec::IntoIter<StringRecord>,
}

impl Rows {
    fn read(folder: &Path) -> Result<Self, FiguresError> {
        let mut table = Table::open(folder.join("figures.csv"))?;
        let (keys, rows) = (table.keys(), table.records()?.into_iter());
        Ok(Self { table, keys, rows })
    }

    /// The cell of the next row.
    fn next(&mut self) -> Result<FigureCell, FiguresError> {
        let row = self.rows.next().ok_or_else(|| self.missing("a row that the manifest names"))?;
        let errors = (self.number(&row, "bias_at_estimate")?, self.number(&row, "rmse_at_estimate")?);
        Ok(FigureCell {
            key: key_of(&row, &self.keys),
            output: self.text(&row, "output")?.to_owned(),
            unit: self.text(&row, "unit")?.to_owned(),
            estimate: self.number(&row, "estimate")?,
            raw: self.number(&row, "raw")?,
            lower: self.number(&row, "interval_lower")?.unwrap_or(f64::NEG_INFINITY),
            upper: self.number(&row, "interval_upper")?.unwrap_or(f64::INFINITY),
            extent: self.word(&row, "extent")?.ok_or_else(|| self.missing("`extent` of a row"))?,
            against: self.word(&row, "against")?,
            against_all: self.word(&row, "against_all")?,
            method: self.word(&row, "method")?.ok_or_else(|| self.missing("`method` of a row"))?,
            method_error: self.number(&row, "method_error")?.unwrap_or(f64::INFINITY),
            miss: self.number(&row, "interval_miss")?.ok_or_else(|| self.missing("`interval_miss` of a row"))?,
            raw_rmse: self.number(&row, "raw_rmse")?,
            errors_at_estimate: errors.0.zip(errors.1),
            quality: self.optional(&row, "quality"),
        })
    }

    /// The words of a column that tables may do without; none where they are empty.
    fn optional(&self, row: &StringRecord, name: &str) -> Option<String> {
        let words = row.get(self.table.column(name).ok()?)?;
        (!words.is_empty()).then(|| words.to_owned())
    }

    fn missing(&self, column: &str) -> FiguresError {
        self.table.wrong(format!("{column} is missing"))
    }

    fn text<'r>(&self, row: &'r StringRecord, name: &str) -> Result<&'r str, FiguresError> {
        Ok(row.get(self.table.column(name)?).unwrap_or_default())
    }

    fn number(&self, row: &StringRecord, name: &str) -> Result<Option<f64>, FiguresError> {
        let text = self.text(row, name)?;
        let number = || text.parse().map_err(|_| self.table.wrong(format!("`{text}` in `{name}` is no number")));
        (!text.is_empty()).then(number).transpose()
    }

    fn word<T: Named>(&self, row: &StringRecord, name: &str) -> Result<Option<T>, FiguresError> {
        let text = self.text(row, name)?;
        let word = || {
            T::named(text).ok_or_else(|| self.table.wrong(format!("`{text}` in `{name}` is no word of this version")))
        };
        (!text.is_empty()).then(word).transpose()
    }
}
