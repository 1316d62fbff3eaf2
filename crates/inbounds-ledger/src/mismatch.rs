//! A plan that is about something else than a ledger, and what to do then. Never a second budget for the same people.

use inbounds_core::Neighbours;
use thiserror::Error;

use crate::{DataSet, Difference, LedgerUnit};

/// A plan and a ledger that are not about the same.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// Other rows.
    #[error(
        "the ledger belongs to the data set {ledger}, but the plan releases {plan}. The same people have one budget: \
         {remedy}. Rows of other people belong to the ledger of those people", remedy = same_people(ledger)
    )]
    Data {
        /// Of the ledger.
        ledger: DataSet,
        /// Of the plan.
        plan: DataSet,
    },
    /// Rows without a place, for a ledger that knows its rows by one.
    #[error(
        "the ledger belongs to the data set {ledger}, and rows in memory have no path; if they are rows of the same \
         people, give this ledger a name, inbounds ledger name LEDGER NAME --reason \"...\", and write name = \
         \"NAME\" in [data]"
    )]
    Unlocated {
        /// Of the ledger.
        ledger: DataSet,
    },
    /// The plan does not say which data set its rows are.
    #[error(
        "the ledger belongs to the data set called {ledger}, and the plan does not say that its rows are that one; if \
         they are, write name = \"{ledger}\" in [data]"
    )]
    Unnamed {
        /// Of the ledger.
        ledger: String,
    },
    /// Others are protected.
    #[error(
        "the ledger protects {ledger}, but the plan protects {plan}; epsilons of different units do not add up: give \
         the plan the unit of the ledger"
    )]
    Unit {
        /// Of the ledger.
        ledger: LedgerUnit,
        /// Of the plan.
        plan: LedgerUnit,
    },
    /// The same name of a unit, and other units.
    #[error("{}", otherwise(.unit, *.entry, .differences))]
    Reading {
        /// Of both.
        unit: LedgerUnit,
        /// The entry whose unit is made or read otherwise.
        entry: u64,
        /// In what; at least one.
        differences: Vec<Difference>,
    },
    /// Another neighbour relation.
    #[error(
        "the ledger has neighbours = \"{ledger}\", but the plan has neighbours = \"{plan}\"; their epsilons mean \
         different things and do not add up"
    )]
    Neighbours {
        /// Of the ledger.
        ledger: Neighbours,
        /// Of the plan.
        plan: Neighbours,
    },
}

/// Advice for people of a ledger that come in another data set: the way to keep one budget for them.
fn same_people(ledger: &DataSet) -> String {
    match ledger {
        DataSet::Path(_) => "if these are rows of the same people, add the file to the data set of the ledger, or \
                             give this ledger a name, inbounds ledger name LEDGER NAME --reason \"...\", and write \
                             name = \"NAME\" in [data]"
            .to_owned(),
        DataSet::Name(name) => {
            format!("if these are rows of the same people, write name = \"{name}\" in [data]")
        }
    }
}

/// In what the unit of a plan is not that of a ledger.
fn otherwise(unit: &LedgerUnit, entry: u64, differences: &[Difference]) -> String {
    let all: Vec<String> = differences.iter().map(ToString::to_string).collect();
    format!(
        "the ledger protects {unit}, and the plan makes or reads this unit in another way than entry {entry}: {}. It \
         is another unit, which can be many units of the ledger, so the epsilons would not add up. Make and read the \
         unit as that entry does; or, if you know that both name the same units, say so: inbounds ledger same-unit \
         LEDGER PLAN --reason \"...\"",
        all.join("; ")
    )
}
