//! Terms of a ledger: its rows, the protected unit, and the amount that may be spent.

use std::path::PathBuf;

use inbounds_core::{Guarantee, Neighbours};
use inbounds_mechanisms::account::Cost;

use crate::{Balance, Charge, Composition, DataSet, LedgerUnit, Mismatch};

/// Terms that are fixed when a ledger is created, and never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The rows.
    pub data: DataSet,
    /// Who is protected.
    pub unit: LedgerUnit,
    /// Which data sets count as one unit apart.
    pub neighbours: Neighbours,
    /// Permanence of the rows while the ledger lasts.
    pub permanence: Permanence,
    /// All that may ever be spent, and the accounting in which it is.
    pub granted: Guarantee,
}

/// Permanence of the rows of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permanence {
    /// Rows may come, go and change: a row may be on one side of a condition in one release and on the other side in
    /// the next.
    MayChange,
    /// A person promises that they never do, as those of a survey that is closed.
    Fixed,
}

/// Terms of a plan to compare with those of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The name that the plan gives its data set.
    pub name: Option<String>,
    /// Where the rows are; `None` for rows in memory.
    pub path: Option<PathBuf>,
    /// Who is protected.
    pub unit: LedgerUnit,
    /// Which data sets count as one unit apart.
    pub neighbours: Neighbours,
}

impl Terms {
    /// Checks that a plan is about the same subject as the ledger.
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn admit(&self, subject: &Subject) -> Result<(), Mismatch> {
        self.admit_data(subject)?;
        self.admit_unit(subject)
    }

    /// Checks that a plan is about the rows of the ledger.
    fn admit_data(&self, subject: &Subject) -> Result<(), Mismatch> {
        match (&self.data, &subject.name) {
            (DataSet::Name(ledger), None) => return Err(Mismatch::Unnamed { ledger: ledger.clone() }),
            (DataSet::Name(ledger), Some(name)) if ledger == name => {}
            (DataSet::Name(_), Some(name)) => {
                return Err(Mismatch::Data { ledger: self.data.clone(), plan: DataSet::Name(name.clone()) });
            }
            (DataSet::Path(_), _) => {
                let Some(path) = &subject.path else {
                    return Err(Mismatch::Unlocated { ledger: self.data.clone() });
                };
                let plan = DataSet::at(path);
                if plan != self.data {
                    return Err(Mismatch::Data { ledger: self.data.clone(), plan });
                }
            }
        }
        Ok(())
    }

    /// Checks that a plan protects the unit of the ledger, by its name alone, under its relation.
    pub(crate) fn admit_unit(&self, subject: &Subject) -> Result<(), Mismatch> {
        if self.unit != subject.unit {
            return Err(Mismatch::Unit { ledger: self.unit.clone(), plan: subject.unit.clone() });
        }
        if self.neighbours != subject.neighbours {
            return Err(Mismatch::Neighbours { ledger: self.neighbours, plan: subject.neighbours });
        }
        Ok(())
    }

    /// Cost of the charges of one release together, with nothing else spent.
    pub fn price_of(&self, charges: &[Charge]) -> Cost {
        Balance::after(&self.granted, &[charges], self.composition()).spent
    }

    /// Composition of charges on rows that conditions keep apart: within one release by
    /// [`Composition::within_release`], between releases in parallel only if the rows are fixed.
    pub fn composition(&self) -> Composition {
        match (Composition::within_release(&self.unit, self.neighbours), self.permanence) {
            (Composition::Parallel, Permanence::MayChange) => Composition::ParallelWithin,
            (within, Permanence::Fixed | Permanence::MayChange) => within,
        }
    }
}
