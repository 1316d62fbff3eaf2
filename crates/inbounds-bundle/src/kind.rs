//! Kinds of statistics, with the properties that a page or table of their numbers needs.

use inbounds_core::ids;

ids! {
    /// A kind of statistic, by its word in plans and manifests.
    KindWord {
        /// Numbers of rows.
        Count = "count",
        /// Numbers of distinct privacy units.
        Units = "units",
        /// Sums of a clipped column.
        Sum = "sum",
        /// Means of a clipped column.
        Mean = "mean",
        /// Variances of a clipped column.
        Variance = "variance",
        /// Roots of variances.
        StandardDeviation = "standard-deviation",
        /// Covariance matrices.
        Covariance = "covariance",
        /// Correlation matrices with the variances on the diagonal.
        Correlation = "correlation",
        /// Shares of the rows.
        Proportion = "proportion",
        /// Numbers of rows between edges.
        Histogram = "histogram",
        /// Quantiles of a column.
        Quantile = "quantile",
        /// Weighted sums of sums or means.
        Combination = "combination",
        /// Gaussian naive Bayes models.
        NaiveBayes = "naive-bayes",
    }
}

/// Words for a kind of statistic, and the display of its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindTraits {
    /// Noun for one of them, as the beginning of a title.
    pub title: &'static str,
    /// Continuation of the title.
    pub end: TitleEnd,
    /// Form in which its numbers are drawn.
    pub drawing: Drawing,
    /// Meaning of its numbers without a unit.
    pub pure_numbers: PureNumbers,
    /// Quantities that add up where it is measured at several levels.
    pub level_sums: LevelSums,
}

/// Continuation of the title of a statistic, before its groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleEnd {
    /// Nothing: its rows are all there is to it.
    Rows,
    /// Its columns.
    Columns,
    /// Its columns, and then these words.
    ColumnsAnd(&'static str),
}

/// Form in which the numbers of a statistic are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// As points, one axis for each of the outputs of a cell.
    Points,
    /// As bars from zero.
    Bars,
    /// As bars between the edges of a column.
    Bins,
    /// As points that share the axis of a column.
    SharedAxis,
    /// As a matrix.
    Matrix(MatrixEntries),
    /// As the densities that they describe; no number is of interest by itself.
    Densities,
}

/// Entries of a matrix off its diagonal. Variances are on the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixEntries {
    /// Covariances.
    Covariances,
    /// Correlations.
    Correlations,
}

/// Meaning of numbers without a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PureNumbers {
    /// Parts of a whole.
    Shares,
    /// Correlations.
    Correlations,
}

/// Quantities that are made to add up over levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelSums {
    /// The numbers themselves.
    Numbers,
    /// The counts and sums that they are made of.
    CountsAndSums,
}

impl Drawing {
    /// `true` if bars show its numbers.
    pub fn has_bars(self) -> bool {
        match self {
            Self::Bars | Self::Bins => true,
            Self::Points | Self::SharedAxis | Self::Matrix(_) | Self::Densities => false,
        }
    }

    /// `true` if all outputs of a cell are places on one axis.
    pub fn shares_axis(self) -> bool {
        match self {
            Self::Bins | Self::SharedAxis => true,
            Self::Points | Self::Bars | Self::Matrix(_) | Self::Densities => false,
        }
    }

    /// Entries of its matrix, if it is one.
    pub fn matrix(self) -> Option<MatrixEntries> {
        match self {
            Self::Matrix(entries) => Some(entries),
            Self::Points | Self::Bars | Self::Bins | Self::SharedAxis | Self::Densities => None,
        }
    }
}

impl KindTraits {
    /// Numbers of columns that are drawn as points, as most kinds are and as a kind is shown that this version does not
    /// know.
    pub fn plain(title: &'static str) -> Self {
        Self {
            title,
            end: TitleEnd::Columns,
            drawing: Drawing::Points,
            pure_numbers: PureNumbers::Correlations,
            level_sums: LevelSums::Numbers,
        }
    }
}

impl KindWord {
    /// Words for the kind, and the display of its numbers.
    pub fn traits(self) -> KindTraits {
        use MatrixEntries::{Correlations, Covariances};
        let plain = KindTraits::plain;
        match self {
            Self::Count => KindTraits { end: TitleEnd::Rows, drawing: Drawing::Bars, ..plain("Number of rows") },
            Self::Units => {
                KindTraits { end: TitleEnd::Rows, drawing: Drawing::Bars, ..plain("Number of distinct units") }
            }
            Self::Sum => plain("Sum"),
            Self::Mean => KindTraits { level_sums: LevelSums::CountsAndSums, ..plain("Mean") },
            Self::Variance => plain("Variance"),
            Self::StandardDeviation => plain("Standard deviation"),
            Self::Covariance => KindTraits { drawing: Drawing::Matrix(Covariances), ..plain("Covariance matrix") },
            Self::Correlation => KindTraits {
                end: TitleEnd::ColumnsAnd(", with the variances on the diagonal"),
                drawing: Drawing::Matrix(Correlations),
                ..plain("Correlation matrix")
            },
            Self::Proportion => KindTraits {
                end: TitleEnd::Rows,
                drawing: Drawing::Bars,
                pure_numbers: PureNumbers::Shares,
                ..plain("Share of the rows")
            },
            Self::Histogram => KindTraits { drawing: Drawing::Bins, ..plain("Numbers of rows between edges") },
            Self::Quantile => KindTraits { drawing: Drawing::SharedAxis, ..plain("Quantiles") },
            Self::Combination => plain("Weighted sum"),
            Self::NaiveBayes => KindTraits { drawing: Drawing::Densities, ..plain("Naive Bayes model") },
        }
    }
}
