//! What a ledger is about: whose rows, who is protected, and how much may be spent.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use inbounds_core::{Guarantee, Neighbours, Partition, Region};
use inbounds_mechanisms::account::Cost;

use crate::{Balance, Charge, Mismatch};

/// What is fixed when a ledger is created, and never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The rows.
    pub data: DataSet,
    /// Who is protected.
    pub unit: LedgerUnit,
    /// Which data sets count as one unit apart.
    pub neighbours: Neighbours,
    /// Whether the rows change while the ledger lasts.
    pub permanence: Permanence,
    /// All that may ever be spent, and the accounting in which it is.
    pub granted: Guarantee,
}

/// Whether the rows of a data set stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permanence {
    /// Rows may come, go and change: a row may be on one side of a condition in one release and on the other side in
    /// the next.
    MayChange,
    /// A person promises that they never do, as those of a survey that is closed.
    Fixed,
}

/// A data set, as a ledger and a plan both name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataSet {
    /// A file, folder or glob, with symbolic links followed, or an `s3://` URL as it is written.
    Path(PathBuf),
    /// A name, for rows that move or have no file.
    Name(String),
}

impl DataSet {
    /// The data set at a path, with symbolic links followed as far as there are files: two paths to one file are one
    /// data set.
    pub fn at(path: &Path) -> Self {
        if inbounds_input::is_stored(path) {
            return Self::Path(path.to_owned());
        }
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut rest = Vec::new();
        let mut stands = absolute.as_path();
        // What is not there, such as the stars of a glob, is kept as it is written.
        loop {
            if let Ok(found) = stands.canonicalize() {
                return Self::Path(rest.iter().rev().fold(found, |path: PathBuf, part| path.join(part)));
            }
            match (stands.parent(), stands.file_name()) {
                (Some(parent), Some(name)) => {
                    rest.push(name.to_owned());
                    stands = parent;
                }
                _ => return Self::Path(absolute),
            }
        }
    }
}

impl fmt::Display for DataSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(formatter),
            Self::Name(name) => name.fmt(formatter),
        }
    }
}

/// The privacy unit of a ledger: who is protected by all releases together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerUnit {
    /// One row.
    Row,
    /// All rows with one value of a column. How many of them a release uses is its own affair.
    Column(String),
    /// Any so many rows, where no column says whose they are.
    Rows(u64),
}

impl fmt::Display for LedgerUnit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row => formatter.write_str("one row"),
            Self::Column(column) => write!(formatter, "all rows with the same `{column}`"),
            Self::Rows(1) => formatter.write_str("any one row"),
            Self::Rows(rows) => write!(formatter, "any {rows} rows"),
        }
    }
}

/// How charges on disjoint rows compose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Composition {
    /// The largest counts.
    Parallel,
    /// The largest counts within a release; releases add.
    ParallelWithin,
    /// They add, like all others.
    Sequential,
}

impl Composition {
    /// How what one release loses on disjoint rows composes, with or without a ledger: in parallel where a unit is one
    /// row, and neighbours have it or do not. A unit of several rows can be on both sides, and a row that is replaced
    /// can leave one side and enter the other. One release reads its rows once, so all that it measures is of the same
    /// rows.
    ///
    /// # References
    /// McSherry (2009), parallel composition. Claim: `ledger-parallel`.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Neighbours;
    /// use inbounds_ledger::{Composition, LedgerUnit};
    /// let within = Composition::within_release;
    /// assert_eq!(within(&LedgerUnit::Row, Neighbours::AddRemove), Composition::Parallel);
    /// assert_eq!(within(&LedgerUnit::Row, Neighbours::Substitute), Composition::Sequential);
    /// assert_eq!(within(&LedgerUnit::Column("patient".into()), Neighbours::AddRemove), Composition::Sequential);
    /// ```
    pub fn within_release(unit: &LedgerUnit, neighbours: Neighbours) -> Self {
        match (unit, neighbours) {
            (LedgerUnit::Row, Neighbours::AddRemove) => Self::Parallel,
            (LedgerUnit::Column(_) | LedgerUnit::Rows(_), _) | (_, Neighbours::Substitute) => Self::Sequential,
        }
    }

    /// Ways to put regions into classes such that all regions that a unit can be among are in one: all together and,
    /// where they compose in parallel, by each column that limits one.
    pub fn ways_within(self, regions: &[&Region]) -> Vec<Partition> {
        match self {
            Self::Parallel => Region::partitions(regions),
            Self::ParallelWithin | Self::Sequential => vec![Partition::together(regions.len())],
        }
    }
}

/// What a plan is about, to be held against the terms of a ledger.
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
    /// Whether a plan is about the same as the ledger.
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn admit(&self, subject: &Subject) -> Result<(), Mismatch> {
        self.admit_data(subject)?;
        self.admit_unit(subject)
    }

    /// Whether a plan is about the rows of the ledger.
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

    /// Whether a plan protects the unit of the ledger, by its name alone, under its relation.
    pub(crate) fn admit_unit(&self, subject: &Subject) -> Result<(), Mismatch> {
        if self.unit != subject.unit {
            return Err(Mismatch::Unit { ledger: self.unit.clone(), plan: subject.unit.clone() });
        }
        if self.neighbours != subject.neighbours {
            return Err(Mismatch::Neighbours { ledger: self.neighbours, plan: subject.neighbours });
        }
        Ok(())
    }

    /// What the charges of one release cost together, with nothing else spent.
    pub fn price_of(&self, charges: &[Charge]) -> Cost {
        Balance::of(&self.granted, &[charges], self.composition()).spent
    }

    /// How charges on rows that conditions keep apart compose: within one release by [`Composition::within_release`],
    /// between releases in parallel only if the rows are fixed.
    pub fn composition(&self) -> Composition {
        match (Composition::within_release(&self.unit, self.neighbours), self.permanence) {
            (Composition::Parallel, Permanence::MayChange) => Composition::ParallelWithin,
            (within, Permanence::Fixed | Permanence::MayChange) => within,
        }
    }
}
