//! A ledger: the privacy budget of a data set, and an append-only history of what was spent of it.
//!
//! A ledger is a file that belongs to one data set and one privacy unit ([`Terms`]). A release *reserves* its price
//! before the first noise is drawn, and enters that it is *published* when its bundle stands. A reservation counts as
//! spent from the moment it stands, whatever becomes of its run, until a person *voids* it and says why.
//!
//! **Accounting.** [`Charge`]s are exact. Pure ledgers add epsilons, `(epsilon, delta)` ledgers both, zero-concentrated
//! ledgers rhos ([`price`](mod@price)); what a mechanism costs is fixed when it is reserved and may depend on
//! everything published before, which is fully adaptive composition. The ledger refuses what would exceed its grant, so
//! it is a privacy filter: of Rogers, Roth, Ullman and Vadhan (2016) where epsilons and deltas add, of Whitehouse,
//! Ramdas, Rogers and Wu (2023) where rhos add. Charges on rows that public conditions keep apart compose in parallel
//! (McSherry 2009), by proof and never by guess ([`Balance`]). Claims: `ledger-filter`, `ledger-parallel`,
//! `ledger-history`.
//!
//! **Invariant.** Everything is one transaction on one SQLite file with its rollback journal, synchronised before it
//! counts. Each entry holds the hash of the one before ([`Entry`]), and the whole history is read and verified before
//! anything is added to it. The program never changes or removes an entry.

mod admission;
mod balance;
mod composition;
mod data_set;
mod entry;
mod error;
mod findings;
mod history;
mod ledger;
mod leftover;
mod locks;
mod mismatch;
pub mod price;
mod price_record;
mod reading;
mod record;
mod reservation;
mod statement;
mod store;
mod terms;
mod unit_record;

pub use balance::{Balance, Charge, fits};
pub use composition::Composition;
pub use data_set::{DataSet, LedgerUnit};
pub use entry::{Bundle, Deed, Entry, EntryId, Request, Work};
pub use error::{Damage, Dispute, Fits, LedgerError};
pub use findings::{Findings, Settled};
pub use history::{History, Paid, Standing};
pub use ledger::{Ledger, current_user};
pub use leftover::{Leftover, is_partial};
pub use mismatch::Mismatch;
pub use reading::{Aspect, Difference, UnitReading};
pub use reservation::{Publication, Reservation};
pub use statement::Line;
pub use store::SCHEMA;
pub use terms::{Permanence, Subject, Terms};
