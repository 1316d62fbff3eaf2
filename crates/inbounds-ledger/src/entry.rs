//! The entries of a ledger.

use std::path::PathBuf;

use inbounds_core::Approval;
use inbounds_mechanisms::account::Cost;

use crate::{Charge, Terms, UnitReading};

/// One entry: who did what, and when they said it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// From 0, without a gap. Entries are in this order, whatever a clock said.
    pub number: u64,
    /// SHA-256 of its text, in lower-case hexadecimal. The text holds the hash of the entry before.
    pub hash: String,
    /// By the clock of the machine, in UTC, such as `2026-11-20T09:30:00Z`.
    pub at: String,
    /// Who says so.
    pub by: String,
    /// Name and version of the program.
    pub program: String,
    /// The deed.
    pub deed: Deed,
}

/// An entry, named so that nothing else can be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryId {
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: String,
}

impl Entry {
    /// Its number and hash.
    pub fn id(&self) -> EntryId {
        EntryId { number: self.number, hash: self.hash.clone() }
    }
}

/// Content of an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// The ledger begins. The first entry, and no other.
    Opened(Terms),
    /// A release may draw its noise: its price counts from here on.
    Reserved {
        /// The request.
        request: Request,
        /// Earlier reservations of which it is provably apart, and the column by which; they compose in parallel
        /// (McSherry 2009).
        apart: Vec<(u64, String)>,
    },
    /// The bundle of a reservation stands, or the program that made it says that its work is done.
    Published {
        /// Number of the reservation.
        reservation: u64,
        /// SHA-256 of the manifest of the bundle, which names all its other files by theirs; `None` for
        /// [`Work::Program`].
        manifest_sha256: Option<String>,
    },
    /// A person says that nothing of a reservation was published, and its price counts no more.
    Voided {
        /// Number of the reservation.
        reservation: u64,
        /// Why that is so.
        reason: String,
        /// The folder with its unfinished bundle, which was removed before.
        removed: Option<PathBuf>,
    },
    /// A person says that something was spent elsewhere.
    Recorded {
        /// On all rows.
        cost: Cost,
        /// Description of it.
        reason: String,
    },
    /// A person says that the rows of the ledger are also those of plans that give them this name.
    Named {
        /// The name.
        name: String,
        /// Why that is so.
        reason: String,
    },
    /// A person says that another way to make and read the unit names the same units.
    SameUnit {
        /// That way.
        unit: UnitReading,
        /// Why that is so.
        reason: String,
    },
}

impl Deed {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Opened(_) => "opened",
            Self::Reserved { .. } => "reserved",
            Self::Published { .. } => "published",
            Self::Voided { .. } => "voided",
            Self::Recorded { .. } => "recorded",
            Self::Named { .. } => "named",
            Self::SameUnit { .. } => "same-unit",
        }
    }

    /// The reservation that the deed ends.
    pub fn ends(&self) -> Option<u64> {
        match self {
            Self::Published { reservation, .. } | Self::Voided { reservation, .. } => Some(*reservation),
            Self::Opened(_)
            | Self::Reserved { .. }
            | Self::Recorded { .. }
            | Self::Named { .. }
            | Self::SameUnit { .. } => None,
        }
    }
}

/// Request of a release to a ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Title of the plan, or what the program says that it does.
    pub title: Option<String>,
    /// Work to pay for.
    pub work: Work,
    /// Charges for it.
    pub charges: Vec<Charge>,
    /// Approval under which it is made, if it needed one.
    pub approval: Option<Approval>,
}

impl Request {
    /// Where its bundle will be, if it is for one.
    pub fn bundle(&self) -> Option<&Bundle> {
        match &self.work {
            Work::Plan { bundle, .. } => Some(bundle),
            Work::Program => None,
        }
    }

    /// Rules by which its unit is made and read; `None` for the work of a program, and in entries from before ledgers
    /// held them.
    pub fn unit(&self) -> Option<&UnitReading> {
        match &self.work {
            Work::Plan { unit, .. } => unit.as_ref(),
            Work::Program => None,
        }
    }

    /// SHA-256 of its plan, if it is for one.
    pub fn plan_sha256(&self) -> Option<&str> {
        match &self.work {
            Work::Plan { sha256, .. } => Some(sha256),
            Work::Program => None,
        }
    }
}

/// Work that a reservation pays for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// The release of a plan, which leaves a bundle.
    Plan {
        /// SHA-256 of the plan.
        sha256: String,
        /// Where the bundle will be.
        bundle: Bundle,
        /// Rules by which the unit is made and read; `None` only in entries from before ledgers held them.
        unit: Option<UnitReading>,
    },
    /// The work of a program by itself, such as a session that publishes single numbers. It leaves no file that could
    /// be found.
    Program,
}

/// Where a bundle will be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// The hidden folder in which it grows.
    pub partial: PathBuf,
}
