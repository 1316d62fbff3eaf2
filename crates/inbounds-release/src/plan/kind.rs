//! The words after `kind`.

pub(super) use inbounds_bundle::KindWord;

/// What plans say of a kind.
pub(super) trait KindInPlans {
    /// What messages call one of them.
    fn with_article(self) -> &'static str;

    /// The key that names what it reads.
    fn column_key(self) -> &'static str;

    /// Whether edges stand for the bounds of its column.
    fn has_edges(self) -> bool;
}

impl KindInPlans for KindWord {
    fn with_article(self) -> &'static str {
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

    fn column_key(self) -> &'static str {
        match self {
            Self::Covariance | Self::Correlation | Self::NaiveBayes => "columns",
            Self::Combination => "weights",
            Self::Count
            | Self::Sum
            | Self::Mean
            | Self::Variance
            | Self::StandardDeviation
            | Self::Proportion
            | Self::Histogram
            | Self::Quantile => "column",
        }
    }

    fn has_edges(self) -> bool {
        matches!(self, Self::Histogram | Self::Quantile)
    }
}
