//! Fisher's irises, split as in the study of naive Bayes.

use super::model::Split;
use crate::{Context, StudyError};

const FILE: &str = "people/iris.csv";

/// Rows held out: the first split of four to one by scikit-learn (`random_state` 5) whose baseline is the paper's 90 %.
const HELD_OUT: [usize; 30] = [
    82, 134, 114, 42, 109, 57, 1, 70, 25, 84, 66, 133, 102, 107, 26, 23, 123, 130, 21, 12, 71, 128, 48, 72, 88, 148,
    74, 96, 63, 132,
];

/// Smallest and largest value of each measurement in the data, taken as public bounds.
const BOUNDS: [(f64, f64); 4] = [(4.3, 7.9), (2.0, 4.4), (1.0, 6.9), (0.1, 2.5)];

/// Reads and splits the data, in centimetres.
pub(super) fn read(context: &Context<'_>) -> Result<Split, StudyError> {
    let text = context.read(FILE)?;
    let malformed = |reason: String| StudyError::Malformed { file: FILE.to_owned(), reason };
    let mut split = Split { train: [const { Vec::new() }; 3], test: Vec::new(), bounds: BOUNDS };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for (index, row) in reader.records().enumerate() {
        let row = row.map_err(|error| malformed(error.to_string()))?;
        let number = |column: usize| row.get(column).and_then(|cell| cell.parse::<f64>().ok());
        let (Some(a), Some(b), Some(c), Some(d)) = (number(0), number(1), number(2), number(3)) else {
            return Err(malformed(format!("row {} lacks four numbers", index + 1)));
        };
        let species = ["setosa", "versicolor", "virginica"].iter().position(|name| Some(*name) == row.get(4));
        let species = species.ok_or_else(|| malformed(format!("row {} names no known species", index + 1)))?;
        if HELD_OUT.contains(&index) {
            split.test.push(([a, b, c, d], species));
        } else {
            split.train[species].push([a, b, c, d]);
        }
    }
    if split.test.len() == HELD_OUT.len() && split.train.iter().all(|flowers| flowers.len() > 1) {
        Ok(split)
    } else {
        Err(malformed("it does not hold the 150 flowers".to_owned()))
    }
}
