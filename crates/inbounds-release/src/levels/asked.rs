//! Levels or margins that a plan asks for.

use std::ops::Range;

use crate::{
    plan::{self, LevelShares, MarginShares, Spanned},
    projection::Fit,
};

/// Levels and margins that a plan asks to add up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// Levels of a hierarchy.
    Levels(&'a plan::Levels),
    /// Margins of a table.
    Margins(&'a plan::Margins),
    /// Margins of a table at every level of a hierarchy.
    Both(&'a plan::Levels, &'a plan::Margins),
}

impl<'a> Asked<'a> {
    /// Levels and margins of a statistic.
    pub(crate) fn from_statistic(statistic: &'a plan::Statistic) -> Option<Self> {
        match (&statistic.levels, &statistic.margins) {
            (Some(levels), Some(margins)) => Some(Self::Both(levels, margins)),
            (Some(levels), None) => Some(Self::Levels(levels)),
            (None, Some(margins)) => Some(Self::Margins(margins)),
            (None, None) => None,
        }
    }

    /// The key of the plan that divides epsilon.
    pub(super) fn shares_key(self) -> &'static str {
        match self {
            Self::Levels(_) => "level_shares",
            Self::Margins(_) => "margin_shares",
            Self::Both(..) => "level_shares` or `margin_shares",
        }
    }

    /// Where the plan says how epsilon is divided.
    pub(crate) fn shares_place(self) -> Range<usize> {
        match self {
            Self::Levels(plan::Levels { shares: Spanned { span, .. }, .. })
            | Self::Both(plan::Levels { shares: Spanned { span, .. }, .. }, _) => span.clone(),
            Self::Margins(plan::Margins { shares: Spanned { span, .. }, .. }) => span.clone(),
        }
    }

    /// `true` if the mean square error over all cells of margins is to be least.
    pub(super) fn is_for_least_error(self) -> bool {
        matches!(self, Self::Margins(margins) if margins.shares.value == MarginShares::LeastError)
    }

    /// `true` if no shares are to be solved for.
    pub(super) fn has_plain_shares(self) -> bool {
        let of_levels = |levels: &plan::Levels| levels.shares.value != LevelShares::Balanced;
        let of_margins =
            |margins: &plan::Margins| matches!(margins.shares.value, MarginShares::Even | MarginShares::Given(_));
        match self {
            Self::Levels(levels) => of_levels(levels),
            Self::Margins(margins) => of_margins(margins),
            Self::Both(levels, margins) => of_levels(levels) && of_margins(margins),
        }
    }

    pub(super) fn fit(self) -> Fit {
        match self {
            Self::Levels(levels) | Self::Both(levels, _) => levels.fit,
            Self::Margins(margins) => margins.fit,
        }
    }
}
