//! Why a ledger says no.

use std::{io, path::PathBuf};

use inbounds_core::Rational;
use inbounds_mechanisms::account::Cost;
use thiserror::Error;

use crate::{Mismatch, price::Unpriced};

/// Requests that would fit into the remainder of a ledger.
#[derive(Debug, Clone, PartialEq)]
pub enum Fits {
    /// The largest epsilon of the same plan; `None` where none does, or none is known.
    Plan(Option<Rational>),
    /// Whatever costs no more than what is left.
    Program,
}

/// A ledger that was not written, or could not be read. What was reserved before stays reserved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file is not there.
    #[error("there is no ledger at `{}`; create it with `inbounds ledger create`, once for a data set", .path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something stands where a new ledger should be.
    #[error("`{}` exists; a ledger is never replaced, because its history would be lost", .path.display())]
    Exists {
        /// Where it should be.
        path: PathBuf,
    },
    /// An empty file: its creation was interrupted.
    #[error(
        "`{}` is empty: the creation of the ledger was interrupted, and nothing was entered; remove the file and create the \
         ledger again", .path.display()
    )]
    Empty {
        /// Of the ledger.
        path: PathBuf,
    },
    /// Another kind of file.
    #[error("`{}` is no ledger of inbounds", .path.display())]
    NotALedger {
        /// Of the file.
        path: PathBuf,
    },
    /// A later version of the program made it.
    #[error(
        "the ledger `{}` has schema {found}, and this version of inbounds knows schema {known}; use the newer version, for an \
         older one could miss what the newer one entered", .path.display()
    )]
    Newer {
        /// Of the ledger.
        path: PathBuf,
        /// Of the file.
        found: i64,
        /// Of this program.
        known: i64,
    },
    /// Several names of one file.
    #[error(
        "the ledger `{}` has {links} names (hard links); two programs that use different names would not see what the other is \
         doing: remove all names but one, and use symbolic links instead", .path.display()
    )]
    Names {
        /// The name that was used.
        path: PathBuf,
        /// Number of names.
        links: u64,
    },
    /// Locks do nothing.
    #[error(
        "the file system of `{}` has no locks: {problem}; two releases at once could spend the same budget, so keep the ledger on \
         a file system with locks, such as a local disk", .path.display()
    )]
    NoLocks {
        /// Of the ledger.
        path: PathBuf,
        /// Outcome of a second lock.
        problem: String,
    },
    /// The history was changed.
    #[error("the ledger `{}` is damaged: {damage}; nothing is spent from it any more. Restore it from a copy, and enter what \
             was released since with `inbounds ledger record`", .path.display())]
    Damaged {
        /// Of the ledger.
        path: PathBuf,
        /// The damage.
        damage: Damage,
    },
    /// The budget does not suffice.
    #[error("{}", over(.title, .asked, .left, .fits))]
    Over {
        /// Title of the request.
        title: String,
        /// Its cost.
        asked: Box<Cost>,
        /// The remainder.
        left: Box<Cost>,
        /// Requests that would fit.
        fits: Fits,
    },
    /// The ledger is about something else than the plan.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The accounting of the ledger cannot express a cost.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
    /// There is no such reservation that could be ended.
    #[error("entry {entry} {problem}")]
    NotOpen {
        /// Number of the entry.
        entry: u64,
        /// State of the entry instead.
        problem: &'static str,
    },
    /// A bundle and the history do not agree.
    #[error("the bundle `{}` {dispute}", .bundle.display())]
    Disputed {
        /// Folder of the bundle.
        bundle: PathBuf,
        /// In what.
        dispute: Dispute,
    },
    /// A path that the history could not hold letter by letter.
    #[error("`{}` is not valid UTF-8, and a ledger could not name it exactly; choose another name", .path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// A budget that no output could state.
    #[error("a budget beyond the range of floating-point numbers protects nobody; grant less")]
    Boundless,
    /// Others hold the ledger.
    #[error("the ledger `{}` was busy for {seconds} seconds; try again when the other programs that use it are done", .path.display())]
    Busy {
        /// Of the ledger.
        path: PathBuf,
        /// Seconds of waiting.
        seconds: u64,
    },
    /// It cannot be written.
    #[error(
        "the ledger `{}` cannot be written: {problem}; a release needs to write it and the folder in which it is, for its journal", .path.display()
    )]
    Unwritable {
        /// Of the ledger.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// It cannot be read or written.
    #[error("the ledger `{}` cannot be used: {problem}", .path.display())]
    Storage {
        /// Of the ledger.
        path: PathBuf,
        /// The storage's message.
        problem: String,
    },
    /// A file or folder beside it, or an unfinished bundle.
    #[error("`{}`: {source}", .path.display())]
    File {
        /// Of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Damage of a history.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Damage {
    /// The storage itself.
    #[error("its file is not as SQLite wrote it ({problem})")]
    File {
        /// SQLite's message.
        problem: String,
    },
    /// An entry that is none.
    #[error("entry {number} cannot be read")]
    Unreadable {
        /// Its number.
        number: u64,
    },
    /// An entry was changed.
    #[error("entry {number} does not have the hash that was entered with it: it was changed")]
    Changed {
        /// Its number.
        number: u64,
    },
    /// An entry before this one was changed or taken out.
    #[error("entry {number} does not follow the one before it: the history was changed or cut")]
    Broken {
        /// Its number.
        number: u64,
    },
    /// The last entries are missing.
    #[error("it has {found} entries, and the last one entered was number {last}: the history was cut")]
    Cut {
        /// Number of entries.
        found: u64,
        /// The number of the last one.
        last: u64,
    },
    /// An entry that contradicts another.
    #[error("entry {number} cannot stand where it does: {problem}")]
    Contradiction {
        /// Its number.
        number: u64,
        /// Why.
        problem: &'static str,
    },
    /// A bundle that the history does not know.
    #[error("the bundle `{}` was released from entry {entry}, and the history has no such entry with its hash: the history was \
             cut, or replaced by an older copy", .bundle.display())]
    Forgotten {
        /// Folder of the bundle.
        bundle: PathBuf,
        /// The entry that it names.
        entry: u64,
    },
}

/// In what a bundle and a history do not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Dispute {
    /// It names another ledger.
    #[error("was paid from another ledger; check it with that one")]
    Elsewhere,
    /// Its price was taken back.
    #[error(
        "stands, but entry {entry}, which paid for it, was voided, so its price no longer counts; enter what it cost with \
         `inbounds ledger record`"
    )]
    Voided {
        /// The reservation.
        entry: u64,
    },
    /// Its manifest is another one.
    #[error("has another manifest than the one that was published for entry {entry}: its release.json was changed")]
    Changed {
        /// The reservation.
        entry: u64,
    },
}

fn over(title: &str, asked: &Cost, left: &Cost, fits: &Fits) -> String {
    let remedy = match fits {
        Fits::Plan(Some(epsilon)) => format!("the largest epsilon with which this plan would fit is {epsilon}"),
        Fits::Plan(None) => "no epsilon of this plan would fit".to_owned(),
        Fits::Program => "ask for no more than that".to_owned(),
    };
    let left = left.rounded_down();
    format!("{title} costs {asked}, and the ledger has {left} left; {remedy}. Nothing was spent")
}
