//! Kinds of figures.

use inbounds_core::ids;

ids! {
    /// Kind of a figure, by its word in files.
    FigureKind {
        /// One number over another.
        Ratio = "ratio",
        /// One number over another, per 100,000 or so.
        Rate = "rate",
        /// One number less another.
        Difference = "difference",
        /// Change from one number to another in percent.
        Change = "change",
        /// A cell over a base cell, which is 100.
        Index = "index",
        /// A sum of cells with public weights.
        WeightedSum = "weighted-sum",
        /// A weighted mean of the rates of classes, with public weights.
        StandardisedRate = "standardised-rate",
        /// Places among the cells, the largest number first.
        Rank = "rank",
    }
}

impl FigureKind {
    /// The value that says "no difference", where there is one.
    ///
    /// ```
    /// use inbounds_figures::FigureKind;
    /// assert_eq!((FigureKind::Index.neutral(), FigureKind::Rate.neutral()), (Some(100.0), None));
    /// ```
    pub fn neutral(self) -> Option<f64> {
        match self {
            Self::Difference | Self::Change => Some(0.0),
            Self::Index => Some(100.0),
            Self::Ratio | Self::Rate | Self::WeightedSum | Self::StandardisedRate | Self::Rank => None,
        }
    }

    /// `true` if an error relative to its size says how good it is: of a difference near 0 it does not.
    pub fn has_quality(self) -> bool {
        match self {
            Self::Ratio | Self::Rate | Self::Index | Self::WeightedSum | Self::StandardisedRate => true,
            Self::Difference | Self::Change | Self::Rank => false,
        }
    }

    /// The keys that it must have beside `name`, `kind` and `of`, and those that it may have.
    pub(crate) fn keys(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Ratio => (&["per"], &[]),
            Self::Rate => (&["per"], &["times"]),
            Self::Difference | Self::Change => (&["from"], &[]),
            Self::Index => (&["base"], &[]),
            Self::WeightedSum => (&["over", "weights"], &[]),
            Self::StandardisedRate => (&["per", "over", "weights"], &["times"]),
            Self::Rank => (&[], &[]),
        }
    }
}
