//! Quantity of a number, with its columns.

use std::fmt;

/// Quantity of a measured or published number: as data, and by its [`Display`](fmt::Display) in the words of tables and
/// manifests.
///
/// ```
/// use inbounds_core::Quantity;
///
/// let covariance = Quantity::Covariance { row: "height".into(), column: "weight".into() };
/// assert_eq!(covariance.to_string(), "covariance of height and weight");
/// assert_eq!(covariance.in_words(|column| column.to_uppercase()), "covariance of HEIGHT and WEIGHT");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "id", rename_all = "kebab-case"))]
pub enum Quantity {
    /// The quantity of the statistic's kind, where each cell has one number.
    Statistic,
    /// The estimated number of rows beside other numbers of a cell.
    Rows,
    /// A number of rows of each cell.
    Count {
        /// Where numbers of rows are measured at several resolutions, which of them, from 0.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        layer: Option<usize>,
        /// Where the same is measured several times, which time, from 1.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        release: Option<u32>,
    },
    /// The residual of numbers of rows, or of sums, by several columns, once the mean along each column is taken away.
    Residual,
    /// A sum of the statistic's column.
    Sum,
    /// A mean.
    Mean {
        /// The column; the statistic's own if none.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        column: Option<String>,
    },
    /// A share of the rows.
    Proportion,
    /// The sums of the distances of values from both bounds of their column.
    Distances,
    /// The sums of their squares and products.
    SquaredDistances {
        /// The column.
        column: String,
    },
    /// A weighted sum of sums or means of several columns.
    Combination,
    /// A quantile of the statistic's column.
    Quantile {
        /// Its probability.
        probability: f64,
    },
    /// The place of the bin chosen for a quantile, from 0.
    ChosenBin,
    /// A variance.
    Variance {
        /// The column.
        column: String,
    },
    /// The root of a variance.
    StandardDeviation {
        /// The column.
        column: String,
    },
    /// A covariance of two columns.
    Covariance {
        /// One column.
        row: String,
        /// The other.
        column: String,
    },
    /// A correlation of two columns.
    Correlation {
        /// One column.
        row: String,
        /// The other.
        column: String,
    },
    /// All entries of a covariance matrix, each over the widths of the bounds of its two columns.
    NormalisedCovariances,
    /// A sum of values from which a public centre was subtracted.
    CentredSum {
        /// The column.
        column: String,
    },
    /// A sum of the squares of such values.
    CentredSquares {
        /// The column.
        column: String,
    },
    /// A sum of the products of such values of two columns.
    CentredProducts {
        /// One column.
        row: String,
        /// The other.
        column: String,
    },
}

impl Quantity {
    /// Numbers of rows, measured once.
    pub const COUNT: Self = Self::Count { layer: None, release: None };
    /// A mean of the statistic's own column.
    pub const MEAN: Self = Self::Mean { column: None };

    /// The variance of a column, or the covariance of two.
    pub fn second_moment(row: &str, column: &str) -> Self {
        let (row, column) = (row.to_owned(), column.to_owned());
        if row == column { Self::Variance { column } } else { Self::Covariance { row, column } }
    }

    /// The row and the column of an entry of a covariance or correlation matrix, or of the sum that it is made of.
    pub fn entry(&self) -> Option<(&str, &str)> {
        match self {
            Self::Variance { column } | Self::CentredSquares { column } => Some((column, column)),
            Self::Covariance { row, column }
            | Self::Correlation { row, column }
            | Self::CentredProducts { row, column } => Some((row, column)),
            _ => None,
        }
    }

    /// The probability of a quantile.
    pub fn probability(&self) -> Option<f64> {
        match self {
            Self::Quantile { probability } => Some(*probability),
            _ => None,
        }
    }

    /// The quantity in words, with `called` giving the names of columns; empty for the statistic itself.
    pub fn in_words(&self, called: impl Fn(&str) -> String) -> String {
        match self {
            Self::Statistic => String::new(),
            Self::Rows => "rows".to_owned(),
            Self::Count { layer, release } => {
                let layer =
                    layer.filter(|layer| *layer > 0).map_or_else(String::new, |layer| format!(" in layer {layer}"));
                let release = release.map_or_else(String::new, |release| format!(", release {release}"));
                format!("count{layer}{release}")
            }
            Self::Residual => "residual".to_owned(),
            Self::ChosenBin => "chosen bin".to_owned(),
            Self::Sum => "sum".to_owned(),
            Self::Mean { column: None } => "mean".to_owned(),
            Self::Mean { column: Some(column) } => format!("mean of {}", called(column)),
            Self::Proportion => "proportion".to_owned(),
            Self::Distances => "distances to the bounds".to_owned(),
            Self::SquaredDistances { column } => format!("squared distances to the bounds of {}", called(column)),
            Self::Combination => "linear combination".to_owned(),
            Self::Quantile { probability } => format!("quantile {probability}"),
            Self::Variance { column } => format!("variance of {}", called(column)),
            Self::StandardDeviation { column } => format!("standard deviation of {}", called(column)),
            Self::Covariance { row, column } => format!("covariance of {} and {}", called(row), called(column)),
            Self::Correlation { row, column } => format!("correlation of {} and {}", called(row), called(column)),
            Self::NormalisedCovariances => "normalised covariances".to_owned(),
            Self::CentredSum { column } => format!("centred sum of {}", called(column)),
            Self::CentredSquares { column } => format!("centred sum of squares of {}", called(column)),
            Self::CentredProducts { row, column } => {
                format!("centred sum of products of {} and {}", called(row), called(column))
            }
        }
    }
}

impl fmt::Display for Quantity {
    /// The quantity in words, with the columns' own names.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.in_words(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::Quantity;

    #[test]
    fn names_of_columns_are_left_alone() {
        let column = || "income_variance of covariance".to_owned();
        let said = Quantity::StandardDeviation { column: column() }.to_string();
        assert_eq!(said, "standard deviation of income_variance of covariance");
        let said = Quantity::Correlation { row: "covariance".into(), column: column() }.to_string();
        assert_eq!(said, "correlation of covariance and income_variance of covariance");
    }

    #[test]
    fn counts_say_their_layer_and_release() {
        let count = |layer, release| Quantity::Count { layer, release }.to_string();
        assert_eq!(count(None, None), "count");
        assert_eq!(count(Some(0), None), "count");
        assert_eq!(count(Some(2), None), "count in layer 2");
        assert_eq!(count(Some(1), Some(2)), "count in layer 1, release 2");
    }

    #[test]
    fn a_second_moment_of_one_column_is_its_variance() {
        assert_eq!(Quantity::second_moment("a", "a"), Quantity::Variance { column: "a".into() });
        assert_eq!(Quantity::second_moment("a", "b").entry(), Some(("a", "b")));
        assert_eq!(Quantity::COUNT.entry(), None);
    }
}
