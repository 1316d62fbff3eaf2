//! The words after `kind`.

/// A kind of statistic, by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindWord {
    Count,
    Sum,
    Mean,
    Variance,
    StandardDeviation,
    Covariance,
    Correlation,
    Proportion,
    Histogram,
    Quantile,
    Combination,
    NaiveBayes,
}

impl KindWord {
    pub(super) const ALL: [Self; 12] = [
        Self::Count,
        Self::Sum,
        Self::Mean,
        Self::Variance,
        Self::StandardDeviation,
        Self::Covariance,
        Self::Correlation,
        Self::Proportion,
        Self::Histogram,
        Self::Quantile,
        Self::Combination,
        Self::NaiveBayes,
    ];

    /// The word in plans and manifests.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Variance => "variance",
            Self::StandardDeviation => "standard-deviation",
            Self::Covariance => "covariance",
            Self::Correlation => "correlation",
            Self::Proportion => "proportion",
            Self::Histogram => "histogram",
            Self::Quantile => "quantile",
            Self::Combination => "combination",
            Self::NaiveBayes => "naive-bayes",
        }
    }

    /// What messages call one of them.
    pub(super) fn with_article(self) -> &'static str {
        match self {
            Self::Count => "a count",
            Self::Sum => "a sum",
            Self::Mean => "a mean",
            Self::Variance => "a variance",
            Self::StandardDeviation => "a standard deviation",
            Self::Covariance => "a covariance matrix",
            Self::Correlation => "a correlation matrix",
            Self::Proportion => "a proportion",
            Self::Histogram => "a histogram",
            Self::Quantile => "a quantile",
            Self::Combination => "a combination",
            Self::NaiveBayes => "a naive Bayes model",
        }
    }

    /// The key that names what it reads.
    pub(super) fn column_key(self) -> &'static str {
        match self {
            Self::Covariance | Self::Correlation | Self::NaiveBayes => "columns",
            Self::Combination => "weights",
            _ => "column",
        }
    }

    /// Whether edges stand for the bounds of its column.
    pub(super) fn has_edges(self) -> bool {
        matches!(self, Self::Histogram | Self::Quantile)
    }
}
