//! The papers whose results are computed again.

/// A paper whose results are computed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    /// Liu.
    Liu,
    /// Holohan, Antonatos, Braghin and Mac Aonghusa.
    Holohan,
    /// McGlinchey and Mason.
    McGlinchey,
    /// Zhu, Van Hentenryck and Fioretto.
    Zhu,
    /// Zhu, Fioretto and Van Hentenryck, on fairness.
    Fairness,
}

impl Paper {
    /// All papers.
    pub const ALL: [Self; 5] = [Self::Liu, Self::Holohan, Self::McGlinchey, Self::Zhu, Self::Fairness];

    /// Its name in file names and in the ids of its studies.
    pub fn key(self) -> &'static str {
        match self {
            Self::Liu => "liu",
            Self::Holohan => "holohan",
            Self::McGlinchey => "mcglinchey",
            Self::Zhu => "zhu",
            Self::Fairness => "fairness",
        }
    }

    /// Authors, short.
    pub fn authors(self) -> &'static str {
        match self {
            Self::Liu => "Liu",
            Self::Holohan => "Holohan et al.",
            Self::McGlinchey => "McGlinchey and Mason",
            Self::Zhu => "Zhu et al.",
            Self::Fairness => "Zhu, Fioretto and Van Hentenryck",
        }
    }

    /// Authors and title.
    pub fn citation(self) -> &'static str {
        match self {
            Self::Liu => {
                "Fang Liu, *Statistical properties of sanitized results from differentially private Laplace mechanism with \
                 univariate bounding constraints*"
            }
            Self::Holohan => {
                "Naoise Holohan, Spiros Antonatos, Stefano Braghin and Pól Mac Aonghusa, *The bounded Laplace mechanism in \
                 differential privacy*"
            }
            Self::McGlinchey => {
                "Aisling McGlinchey and Oliver Mason, *Observations on the bias of nonnegative mechanisms for differential \
                 privacy*"
            }
            Self::Zhu => {
                "Keyu Zhu, Pascal Van Hentenryck and Ferdinando Fioretto, *Bias and variance of post-processing in \
                 differential privacy*"
            }
            Self::Fairness => {
                "Keyu Zhu, Ferdinando Fioretto and Pascal Van Hentenryck, *Post-processing of differentially private data: a \
                 fairness perspective*"
            }
        }
    }
}
