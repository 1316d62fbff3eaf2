//! Records about a solver in manifests.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::Id;

ids! {
    /// Method that finds the estimates.
    Method {
        /// Least squares under sums and exact values.
        Equality = "least-squares",
        /// Least squares under bounds too.
        Bounded = "least-squares-in-bounds",
        /// Least squares over whole numbers, under all constraints.
        Integer = "least-squares-in-integers",
        /// The linear fit, then the children of each node by least squares under bounds, given the node.
        TopDown = "top-down-least-squares-in-bounds",
        /// [`Method::TopDown`] over whole numbers.
        TopDownInteger = "top-down-least-squares-in-integers",
        /// [`Method::TopDown`] of numbers that were shrunk towards zero by a prior fitted to them.
        Shrunk = "top-down-empirical-bayes-in-bounds",
        /// [`Method::Shrunk`] over whole numbers.
        ShrunkInteger = "top-down-empirical-bayes-in-integers",
        /// Least squares under linear equalities and exact values.
        Linear = "linear-least-squares",
        /// Least squares under linear inequalities and bounds too.
        LinearBounded = "linear-least-squares-in-bounds",
        /// [`Method::LinearBounded`], then the nearest whole numbers next to it that satisfy the equalities.
        Rounded = "linear-least-squares-rounded",
        /// Least squares under sums of margins of a table.
        Table = "table-least-squares",
        /// The linear fit, then each margin of a table by least squares among numbers that are not negative, given
        /// smaller ones.
        TableTopDown = "table-top-down-least-squares-in-bounds",
        /// [`Method::TableTopDown`], then the nearest whole numbers next to it that satisfy the sums.
        TableTopDownRounded = "table-top-down-least-squares-rounded",
        /// [`Method::TableTopDown`] of numbers that were shrunk towards zero by a prior fitted to them.
        TableShrunk = "table-top-down-empirical-bayes-in-bounds",
        /// [`Method::TableShrunk`], then the nearest whole numbers next to it that satisfy the sums.
        TableShrunkRounded = "table-top-down-empirical-bayes-rounded",
        /// Least squares under sums of margins of tables, and of tables along a tree.
        TableTree = "table-tree-least-squares",
        /// The linear fit, then each margin of the tables of the children of a node by least squares among numbers that
        /// are not negative, given the table of the node and smaller margins.
        TableTreeTopDown = "table-tree-top-down-least-squares-in-bounds",
        /// [`Method::TableTreeTopDown`], then the nearest whole numbers next to it that satisfy the sums.
        TableTreeTopDownRounded = "table-tree-top-down-least-squares-rounded",
        /// [`Method::TableTreeTopDown`] of numbers that were shrunk towards zero by a prior fitted to them.
        TableTreeShrunk = "table-tree-top-down-empirical-bayes-in-bounds",
        /// [`Method::TableTreeShrunk`], then the nearest whole numbers next to it that satisfy the sums.
        TableTreeShrunkRounded = "table-tree-top-down-empirical-bayes-rounded",
        /// Least squares under one known total.
        Total = "total-least-squares",
        /// Least squares under one known total and bounds.
        TotalBounded = "total-least-squares-in-bounds",
        /// Least squares over whole numbers with one known total, under bounds.
        TotalInteger = "total-least-squares-in-integers",
        /// Least squares over values in order.
        Isotonic = "isotonic-least-squares",
        /// Least squares over whole numbers in order.
        IsotonicInteger = "isotonic-least-squares-in-integers",
        /// The nearest positive semidefinite matrix.
        Semidefinite = "nearest-semidefinite",
        /// The nearest positive semidefinite matrix with ones on the diagonal.
        Correlation = "nearest-correlation",
    }
}

/// System of constraints to solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolvedSystem {
    /// Sums along a tree and bounds of nodes, all levels at once.
    Tree,
    /// The same, from the roots down.
    TopDownTree,
    /// The same, of numbers shrunk towards zero.
    ShrunkTree,
    /// Linear equalities and inequalities.
    Rows,
    /// Margins of a table, or of tables along a tree, all at once.
    Table,
    /// The same, from the total down.
    TopDownTable,
    /// The same, of numbers shrunk towards zero.
    ShrunkTable,
    /// One known total, and bounds.
    Total,
    /// Values in order.
    Order,
    /// The entries of a positive semidefinite matrix.
    Matrix,
}

impl Method {
    /// System that the method solves.
    pub fn system(self) -> SolvedSystem {
        match self {
            Self::Equality | Self::Bounded | Self::Integer => SolvedSystem::Tree,
            Self::TopDown | Self::TopDownInteger => SolvedSystem::TopDownTree,
            Self::Shrunk | Self::ShrunkInteger => SolvedSystem::ShrunkTree,
            Self::Linear | Self::LinearBounded | Self::Rounded => SolvedSystem::Rows,
            Self::Table | Self::TableTree => SolvedSystem::Table,
            Self::TableTopDown | Self::TableTopDownRounded | Self::TableTreeTopDown | Self::TableTreeTopDownRounded => {
                SolvedSystem::TopDownTable
            }
            Self::TableShrunk | Self::TableShrunkRounded | Self::TableTreeShrunk | Self::TableTreeShrunkRounded => {
                SolvedSystem::ShrunkTable
            }
            Self::Total | Self::TotalBounded | Self::TotalInteger => SolvedSystem::Total,
            Self::Isotonic | Self::IsotonicInteger => SolvedSystem::Order,
            Self::Semidefinite | Self::Correlation => SolvedSystem::Matrix,
        }
    }

    /// `true` if nothing but sums along a tree and bounds of nodes is solved for.
    pub fn is_of_tree(self) -> bool {
        matches!(self.system(), SolvedSystem::Tree | SolvedSystem::TopDownTree | SolvedSystem::ShrunkTree)
    }

    /// `true` if margins of a table are solved for.
    pub fn is_of_table(self) -> bool {
        matches!(self.system(), SolvedSystem::Table | SolvedSystem::TopDownTable | SolvedSystem::ShrunkTable)
    }

    /// True if tables along a tree are solved for, within bounds.
    pub fn is_of_table_tree(self) -> bool {
        matches!(
            self,
            Self::TableTreeTopDown
                | Self::TableTreeTopDownRounded
                | Self::TableTreeShrunk
                | Self::TableTreeShrunkRounded
        )
    }

    /// `true` if estimates are whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Integer
                | Self::TopDownInteger
                | Self::ShrunkInteger
                | Self::Rounded
                | Self::TableTopDownRounded
                | Self::TableShrunkRounded
                | Self::TableTreeTopDownRounded
                | Self::TableTreeShrunkRounded
                | Self::TotalInteger
                | Self::IsotonicInteger
        )
    }

    /// `true` if estimates are linear in the values, and so unbiased with exact variances.
    pub fn is_linear(self) -> bool {
        matches!(self, Self::Equality | Self::Linear | Self::Table | Self::TableTree | Self::Total)
    }
}

ids! {
    /// Outcome of a solver.
    SolverStatus {
        /// Its certificate holds.
        Optimal = "optimal",
        /// It stopped before.
        IterationLimit = "iteration-limit",
    }
}

/// Solver and its certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/reconcile.md describes each")]
pub struct SolverEntry {
    pub method: Id<Method>,
    pub status: Id<SolverStatus>,
    pub objective: f64,
    pub certificate: CertificateEntry,
    pub tolerance: f64,
    pub grid: f64,
}

/// The certificate of optimality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see SolverEntry")]
pub struct CertificateEntry {
    pub stationarity: f64,
    pub feasibility: f64,
    pub complementarity: f64,
}

/// Projection that made levels or margins add up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see SolverEntry")]
pub struct ProjectionEntry {
    pub solver: SolverEntry,
    pub replicates: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved: Option<usize>,
    pub seed: String,
    pub rank: usize,
}
