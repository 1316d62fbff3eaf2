//! A price that counts as spent, and the bundle that it pays for.

use inbounds_core::Rational;
use rusqlite::Transaction;

use crate::{
    Balance, Deed, EntryId, Ledger, LedgerError, Request, Standing, ledger::now, locks::RunLock, record::Draft, store,
};

/// Leave to draw noise. The price counts as spent from now on, and stays so if this is dropped.
#[derive(Debug)]
pub struct Reservation {
    pub(crate) ledger: Ledger,
    pub(crate) entry: EntryId,
    pub(crate) before: Balance,
    pub(crate) after: Balance,
    /// Held while the release runs.
    pub(crate) _run: RunLock,
}

impl Ledger {
    /// Reserves the price of a release. From its return on the price counts as spent. `epsilon` is that of its plan, if
    /// it is for one.
    ///
    /// # Errors
    /// [`LedgerError::Over`] with what is left, or another one; then nothing was reserved.
    pub fn reserve(
        mut self,
        request: Request,
        epsilon: Option<&Rational>,
        by: &str,
    ) -> Result<Reservation, LedgerError> {
        let (mut kept, mut balances) = (None, None);
        let entry = self.add(by, |path, history| {
            let after = history.after(&request, epsilon)?;
            balances = Some((history.balance(), after));
            // Before the entry stands: no other program may take it for that of a dead run.
            kept = Some(RunLock::take(path, history.entries().len() as u64)?);
            let apart = history.apart_from(&request);
            Ok(Deed::Reserved { request, apart })
        })?;
        let ((before, after), run) = balances.zip(kept).expect("what was added was weighed and locked before");
        Ok(Reservation { ledger: self, entry, before, after, _run: run })
    }
}

impl Reservation {
    /// The entry of the reservation.
    pub fn entry(&self) -> &EntryId {
        &self.entry
    }

    /// Balance before it.
    pub fn before(&self) -> &Balance {
        &self.before
    }

    /// Balance with it.
    pub fn after(&self) -> &Balance {
        &self.after
    }

    /// The ledger.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Holds the ledger, in which the reservation still stands, until the bundle does too: no program can void it in
    /// between.
    ///
    /// # Errors
    /// [`LedgerError::NotOpen`] if the reservation was voided meanwhile; then nothing may be published.
    pub fn confirm(&mut self) -> Result<Publication<'_>, LedgerError> {
        let Self { ledger, entry, .. } = self;
        let Ledger { path, connection } = ledger;
        let transaction = store::begin(path, connection)?;
        let history = Ledger::verified(path, &transaction)?;
        let stands = history.entries().iter().any(|other| other.id() == *entry);
        match history.standing(entry.number) {
            Some(Standing::Open) if stands => Ok(Publication {
                path,
                transaction,
                reservation: entry.number,
                next: history.entries().len() as u64,
                previous: history.entries().last().map(|last| last.hash.clone()).unwrap_or_default(),
            }),
            _ => Err(LedgerError::NotOpen {
                entry: entry.number,
                problem: "was voided while the release ran, so nothing is published",
            }),
        }
    }
}

/// The moment in which a bundle is put in its place.
#[derive(Debug)]
pub struct Publication<'l> {
    path: &'l std::path::Path,
    transaction: Transaction<'l>,
    reservation: u64,
    next: u64,
    previous: String,
}

impl Publication<'_> {
    /// Enters that the bundle with this manifest stands, or for [`Work::Program`](crate::Work) that the work is done,
    /// and lets go of the ledger.
    ///
    /// # Errors
    /// [`LedgerError`] where it cannot be written. The bundle stands all the same and its price counts; a check of the
    /// ledger finds it and enters it.
    pub fn publish(self, manifest_sha256: Option<&str>, by: &str) -> Result<(), LedgerError> {
        let deed =
            Deed::Published { reservation: self.reservation, manifest_sha256: manifest_sha256.map(str::to_owned) };
        let draft = Draft { at: &now(), by, deed: &deed };
        store::append(self.path, &self.transaction, self.next, &self.previous, &draft)?;
        self.transaction.commit().map_err(store::storage(self.path))
    }
}
