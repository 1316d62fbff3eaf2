//! The ledger from which a release was paid, as the manifest says it.

use std::fmt;

use inbounds_core::Rational;
use inbounds_mechanisms::account::Cost;
use serde::{Deserialize, Serialize};

use crate::Exact;

/// Amount that a release took from a ledger, and the amount that it left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct LedgerEntry {
    /// Hash of the first entry of the ledger, which no other ledger has.
    pub id: String,
    /// Number of the reservation.
    pub entry: u64,
    /// Its hash.
    pub entry_sha256: String,
    pub price: AmountEntry,
    pub granted: AmountEntry,
    pub left_before: AmountEntry,
    pub left_after: AmountEntry,
}

/// An amount in the accounting of a ledger, exact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "see LedgerEntry")]
pub enum AmountEntry {
    /// Epsilon with delta.
    Approximate { epsilon: Exact, delta: Exact },
    /// Pure epsilon.
    Pure { epsilon: Exact },
    /// Rho of zero-concentrated privacy.
    ZeroConcentrated { rho: Exact },
}

impl From<&Cost> for AmountEntry {
    fn from(cost: &Cost) -> Self {
        match cost {
            Cost::Pure { epsilon } => Self::Pure { epsilon: epsilon.into() },
            Cost::Approximate { epsilon, delta } => Self::Approximate { epsilon: epsilon.into(), delta: delta.into() },
            Cost::ZeroConcentrated { rho } => Self::ZeroConcentrated { rho: rho.into() },
        }
    }
}

impl AmountEntry {
    fn cost(&self) -> Cost {
        let number = |exact: &Exact| -> Rational { exact.0.clone() };
        match self {
            Self::Approximate { epsilon, delta } => {
                Cost::Approximate { epsilon: number(epsilon), delta: number(delta) }
            }
            Self::Pure { epsilon } => Cost::Pure { epsilon: number(epsilon) },
            Self::ZeroConcentrated { rho } => Cost::ZeroConcentrated { rho: number(rho) },
        }
    }

    /// `true` for an amount of zero.
    pub fn is_nothing(&self) -> bool {
        let is_zero = |exact: &Exact| exact.0 == Rational::ZERO;
        match self {
            Self::Approximate { epsilon, delta } => is_zero(epsilon) && is_zero(delta),
            Self::Pure { epsilon } => is_zero(epsilon),
            Self::ZeroConcentrated { rho } => is_zero(rho),
        }
    }

    /// In words that never say more than it is, for what is granted or left; [`Display`](fmt::Display) never says less.
    pub fn rounded_down(&self) -> String {
        self.cost().rounded_down()
    }
}

impl fmt::Display for AmountEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cost().fmt(formatter)
    }
}

impl LedgerEntry {
    /// The balance before and after.
    pub fn sentence(&self) -> String {
        let Self { entry, price, granted, left_before, left_after, .. } = self;
        let [granted, before, after] = [granted, left_before, left_after].map(AmountEntry::rounded_down);
        if left_before == left_after {
            return format!(
                "This release is entry {entry} of the ledger. It cost nothing more, although its own price is {price}: its rows \
                 are kept apart from those of other entries. Of {granted} in all, {after} is left."
            );
        }
        format!(
            "Entry {entry} of the ledger paid {price} for this release. Of {granted} in all, {before} was left before, and \
             {after} is left."
        )
    }
}

/// Accounting of a release together with others from the same rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OtherReleases<'a> {
    /// No ledger adds them up.
    Untold,
    /// A ledger does.
    Ledger(&'a LedgerEntry),
}

impl OtherReleases<'_> {
    /// Sentence on other releases, to follow the guarantee of this one.
    pub fn sentence(&self) -> String {
        match self {
            Self::Untold => {
                "The guarantee is for this release. Another release from the same rows costs epsilon again, and the two add up."
                    .to_owned()
            }
            Self::Ledger(ledger) => format!(
                "The guarantee is for this release. All releases that were charged to the same ledger, the earlier and the later \
                 ones, keep {} together. A release from the same rows that is not charged to it costs its epsilon besides.",
                ledger.granted.rounded_down()
            ),
        }
    }
}
