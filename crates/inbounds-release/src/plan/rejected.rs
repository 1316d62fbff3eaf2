//! A plan that is refused, and the part of it that can be compared with the data all the same.

use super::{DocumentErrors, Mistake, Plan, read::Leftover};

/// A plan that was refused, and why.
pub(crate) enum Rejected {
    /// The file is no plan, or cannot be read.
    Unread(DocumentErrors),
    /// Something is wrong with it.
    Mistaken {
        name: String,
        text: String,
        mistakes: Vec<Mistake>,
        /// Sound parts, in which later phases can look for mistakes, if the place of the data is known.
        sound: Option<Box<Sound>>,
    },
}

/// A plan that was refused, as far as it can be compared with the data.
pub(crate) struct Sound {
    /// The plan without its wrong parts; no statistic need be left of it.
    pub(crate) plan: Plan,
    pub(crate) left: Leftover,
}

impl Rejected {
    pub(crate) fn into_errors(self) -> DocumentErrors {
        match self {
            Self::Unread(errors) => errors,
            Self::Mistaken { name, text, mistakes, .. } => DocumentErrors::new(&name, &text, mistakes),
        }
    }
}
