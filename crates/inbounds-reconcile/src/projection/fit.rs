//! Influence of measurements of one level, or of one margin, on the estimates of another.

/// Which least-squares problem the estimates of a tree or of a table solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// The exact linear least-squares fit of all measurements first; then, from the roots down, the children of each
    /// node divide its estimate among them by least squares within bounds. Bounds of lower levels never move upper
    /// ones. In a table, margins of few attributes are the upper levels.
    #[default]
    TopDown,
    /// One least-squares problem within bounds for all levels at once. What bounds cut off from many small nodes adds
    /// up and moves the levels above.
    Joint,
    /// [`Fit::TopDown`] of numbers that were shrunk towards zero: empirical Bayes. Each level, or margin, is taken for
    /// numbers from one prior, fitted to their measurements alone. Where a number may be negative this is
    /// [`Fit::TopDown`].
    Shrunk,
}

impl Fit {
    /// All, with the words of plans, options and manifests.
    pub const ALL: [(&'static str, Self); 3] =
        [("top-down", Self::TopDown), ("joint", Self::Joint), ("shrunk", Self::Shrunk)];

    /// The fit of a word; otherwise which there are.
    ///
    /// # Errors
    /// The fit of this name.
    pub fn named(word: &str) -> Result<Self, &'static str> {
        let named = Self::ALL.into_iter().find(|(name, _)| *name == word);
        named.map(|(_, fit)| fit).ok_or("a fit is top-down, joint or shrunk")
    }

    /// The word of plans, options and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::TopDown => "top-down",
            Self::Joint => "joint",
            Self::Shrunk => "shrunk",
        }
    }
}
