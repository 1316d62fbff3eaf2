//! Shares of categories: those of the paper, and real ones; and counts of rows sampled from them.

use std::collections::BTreeMap;

use crate::{Context, StudyError};

/// A population whose rows fall into categories.
pub(super) struct Population {
    pub(super) name: String,
    /// Shares of the categories, in the order of their names.
    pub(super) shares: Vec<f64>,
    /// Numbers of rows that are sampled.
    pub(super) sizes: &'static [u32],
}

/// Name of the paper's population.
pub(super) const PAPER: &str = "the paper's";

/// Files and the columns that are taken from them.
const COLUMNS: [(&str, &str, &str); 6] = [
    ("adult", "people/adult.csv.gz", "race"),
    ("adult", "people/adult.csv.gz", "marital_status"),
    ("adult", "people/adult.csv.gz", "education"),
    ("nhanes", "people/nhanes_2009_2012.csv.gz", "Race1"),
    ("nhanes", "people/nhanes_2009_2012.csv.gz", "Education"),
    ("nhanes", "people/nhanes_2009_2012.csv.gz", "MaritalStatus"),
];

impl Population {
    /// The paper's, and those of the files that are there; what is missing without them.
    pub(super) fn all(context: &Context<'_>) -> Result<(Vec<Self>, Option<String>), StudyError> {
        let shares = vec![0.1, 0.2, 0.3, 0.4];
        let mut all = vec![Self { name: PAPER.to_owned(), shares, sizes: &[50, 100, 200, 500] }];
        for (short, file, column) in COLUMNS {
            match context.read(file) {
                Ok(text) => all.push(Self {
                    name: format!("{short} {column}"),
                    shares: shares_of(&text, file, column)?,
                    sizes: &[200, 2_000],
                }),
                Err(StudyError::NoData { .. }) => {
                    let without = "The files with real shares are not all there; they are left out.";
                    return Ok((all, Some(without.to_owned())));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((all, None))
    }
}

/// Probability that `count` of `rows` sampled rows are in a category of some share.
pub(super) fn binomial_mass(rows: u32, share: f64, count: u32) -> f64 {
    let (n, k) = (f64::from(rows), f64::from(count));
    let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(ln_choose + k * libm::log(share) + (n - k) * libm::log1p(-share))
}

/// Shares of the values of a column; rows without one are left out.
fn shares_of(text: &str, file: &str, column: &str) -> Result<Vec<f64>, StudyError> {
    let malformed = |reason: String| StudyError::Malformed { file: file.to_owned(), reason };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().map_err(|error| malformed(error.to_string()))?;
    let place = headings.iter().position(|heading| heading == column);
    let place = place.ok_or_else(|| malformed(format!("it has no column {column}")))?;
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for row in reader.records() {
        let row = row.map_err(|error| malformed(error.to_string()))?;
        let value = row.get(place).unwrap_or_default();
        if !["", "?", "NA"].contains(&value) {
            *counts.entry(value.to_owned()).or_default() += 1;
        }
    }
    let total: u32 = counts.values().sum();
    Ok(counts.values().map(|&count| f64::from(count) / f64::from(total)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_values_count_for_nothing() {
        let text = "id,colour\n1,red\n2,\n3,blue\n4,?\n5,red\n6,NA\n7,red\n";
        assert_eq!(shares_of(text, "f", "colour").expect("shares"), [0.25, 0.75]);
        assert!(shares_of(text, "f", "size").is_err());
    }
}
