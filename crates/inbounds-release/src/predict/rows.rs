//! Rows to be classified, and the file with their classes.

use std::{fs, io, path::Path};

use inbounds_data::NumberCell;
use inbounds_input::nearest;
use serde::Serialize;

use super::{PredictError, ReleasedModel, unreadable};

/// Numbers of rows by their result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Predicted {
    /// Rows with a class.
    pub rows: u64,
    /// Those of them with a feature that has no number, which counts as what the plan has for it.
    pub filled: u64,
    /// Rows without a class, because a feature has no number, or an infinite one.
    pub without: u64,
    /// Rows with a cell that cannot be read as a number of its column's type.
    pub unreadable: u64,
    /// The features with such cells.
    pub columns: Vec<UnreadableCells>,
}

/// Cells of a feature that cannot be read as numbers of its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadableCells {
    /// The feature.
    pub column: String,
    /// Number of cells.
    pub cells: u64,
}

/// Writes the rows of a CSV file with the most probable class and the probability of each.
///
/// Cells are read as the plan of the release says: by its types, `missing_values`, `thousands` and `decimal`. A cell
/// without a number counts as the number that `missing` names; with `missing = "drop"` its row has no class.
///
/// # Errors
/// [`PredictError`]; nothing was written if rows cannot be read.
pub fn predict(released: &ReleasedModel, rows: &Path, out: &Path) -> Result<Predicted, PredictError> {
    let model = &released.model;
    let mut reader = csv::Reader::from_path(rows).map_err(|error| unreadable(rows, &error))?;
    let header = header(&mut reader).map_err(|error| unreadable(rows, &error))?;
    let places = model.features.iter().map(|feature| place(rows, &header, feature)).collect::<Result<Vec<_>, _>>()?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let unwritten = |source: io::Error| PredictError::Unwritten { file: out.to_owned(), source };
    let probabilities = model.classes.iter().map(|class| format!("probability_{}", class.name));
    let added: Vec<String> = std::iter::once("predicted".to_owned()).chain(probabilities).collect();
    if let Some(column) = added.iter().find(|added| header.iter().any(|name| name == added.as_str())) {
        return Err(PredictError::TakenColumn { file: rows.to_owned(), column: column.clone() });
    }
    let mut line = |record: &csv::StringRecord, added: &[String]| {
        writer.write_record(record.iter().chain(added.iter().map(String::as_str))).map_err(io::Error::other)
    };
    line(&header, &added).map_err(unwritten)?;
    let mut tally = Tally::new(model.features.len());
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(rows, &error))?;
        let features = tally.read(released, places.iter().map(|place| record.get(*place).unwrap_or_default()));
        let answer = features.and_then(|row| Some((model.predict(&row).ok()?, model.log_posteriors(&row).ok()?)));
        let added = match answer {
            Some((class, posteriors)) => {
                let shown = posteriors.iter().map(|value| format!("{:?}", libm::exp(*value)));
                std::iter::once(class.to_owned()).chain(shown).collect()
            }
            None => vec![String::new(); added.len()],
        };
        tally.close(!added[0].is_empty());
        line(&record, &added).map_err(unwritten)?;
    }
    let bytes = writer.into_inner().map_err(|error| unwritten(error.into_error()))?;
    let mut file = fs::File::create_new(out).map_err(unwritten)?;
    io::Write::write_all(&mut file, &bytes).map_err(unwritten)?;
    Ok(tally.predicted(&model.features))
}

/// The names of the columns, without the mark that some programs write before the first.
fn header(reader: &mut csv::Reader<fs::File>) -> Result<csv::StringRecord, csv::Error> {
    let names = reader.headers()?;
    Ok(names
        .iter()
        .enumerate()
        .map(|(i, name)| if i == 0 { name.trim_start_matches('\u{feff}') } else { name })
        .collect())
}

fn place(file: &Path, header: &csv::StringRecord, feature: &str) -> Result<usize, PredictError> {
    header.iter().position(|name| name == feature).ok_or_else(|| {
        let near = nearest(feature, header.iter());
        let help = near.map_or_else(|| "add it".to_owned(), |near| format!("did you mean `{near}`?"));
        PredictError::NoColumn { file: file.to_owned(), column: feature.to_owned(), help }
    })
}

/// Numbers of rows by their result so far, and the row that is being read.
struct Tally {
    predicted: Predicted,
    /// Unreadable cells of each feature.
    cells: Vec<u64>,
    row_filled: bool,
    row_unreadable: bool,
}

impl Tally {
    fn new(features: usize) -> Self {
        let predicted = Predicted { rows: 0, filled: 0, without: 0, unreadable: 0, columns: Vec::new() };
        Self { predicted, cells: vec![0; features], row_filled: false, row_unreadable: false }
    }

    /// The numbers of a row, if all features have one.
    fn read<'c>(&mut self, released: &ReleasedModel, cells: impl Iterator<Item = &'c str>) -> Option<Vec<f64>> {
        (self.row_filled, self.row_unreadable) = (false, false);
        let mut numbers = Vec::with_capacity(released.features.len());
        for ((feature, cell), unreadable) in released.features.iter().zip(cells).zip(&mut self.cells) {
            let read = feature.reader.read(cell);
            if read == NumberCell::Unreadable {
                *unreadable += 1;
                self.row_unreadable = true;
            }
            numbers.push(match read {
                NumberCell::Number(number) => Some(number),
                NumberCell::Missing | NumberCell::Unreadable => {
                    self.row_filled |= feature.filled.is_some();
                    feature.filled
                }
            });
        }
        numbers.into_iter().collect()
    }

    /// Counts the row that was read.
    fn close(&mut self, classified: bool) {
        self.predicted.rows += u64::from(classified);
        self.predicted.without += u64::from(!classified);
        self.predicted.filled += u64::from(classified && self.row_filled);
        self.predicted.unreadable += u64::from(self.row_unreadable);
    }

    fn predicted(self, features: &[String]) -> Predicted {
        let unreadable = features.iter().zip(self.cells).filter(|(_, cells)| *cells > 0);
        let columns = unreadable.map(|(column, cells)| UnreadableCells { column: column.clone(), cells }).collect();
        Predicted { columns, ..self.predicted }
    }
}
