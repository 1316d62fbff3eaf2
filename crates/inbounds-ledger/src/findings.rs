//! A look at a ledger and at what dead runs left beside it.

use std::path::{Path, PathBuf};

use crate::{
    Bundle, Damage, Deed, Dispute, History, Ledger, LedgerError, Leftover, Paid, Standing,
    leftover::{is_partial, may_run, remove},
};

/// Findings of a check, its actions, and the remainder.
#[derive(Debug)]
pub struct Findings {
    /// The verified history, with what the check entered.
    pub history: History,
    /// Reservations whose release still runs.
    pub running: Vec<u64>,
    /// Reservations whose bundle stands and had not been entered; now it is.
    pub settled: Vec<Settled>,
    /// Reservations whose run died, with no bundle at their place. They count as spent.
    pub dead: Vec<u64>,
    /// Leftovers of dead runs, now removed.
    pub removed: Vec<Leftover>,
    /// Entries that a clock put before the one that they follow. Nothing depends on the time.
    pub clock_went_back: Vec<u64>,
}

/// A reservation whose bundle was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Number of the reservation.
    pub reservation: u64,
    /// Where its bundle stands.
    pub bundle: PathBuf,
}

impl Ledger {
    /// Verifies the file and the whole history, holds `bundles` and the bundles of open reservations against it, enters
    /// those that stand, and removes what dead runs left. `paid` reads a bundle; `None` for one that was not paid from
    /// a ledger.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`], also where a bundle was paid from an entry that the history does not have;
    /// [`LedgerError::Disputed`] where it was paid from another ledger or by a voided entry, or its manifest was
    /// changed; or another one, if something cannot be read, written or removed.
    pub fn check(
        &mut self,
        bundles: &[PathBuf],
        paid: &dyn Fn(&Path) -> Option<Paid>,
        by: &str,
    ) -> Result<Findings, LedgerError> {
        self.check_file()?;
        let before = self.history()?;
        for bundle in bundles {
            if let Some(payment) = paid(bundle) {
                self.agrees(&before, bundle, &payment)?;
            }
        }
        let (mut running, mut settled, mut dead, mut removed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (entry, request) in before.open() {
            if may_run(self.path(), entry.number, request) {
                running.push(entry.number);
                continue;
            }
            let places = request.bundle().map(|bundle| &bundle.folder).into_iter().chain(bundles);
            let stands = places
                .filter_map(|place| Some((place, paid(place)?)))
                .find(|(_, payment)| payment.reservation == entry.id());
            match stands {
                Some((bundle, payment)) => {
                    self.settle(entry.number, &payment, by)?;
                    settled.push(Settled { reservation: entry.number, bundle: bundle.clone() });
                }
                None => dead.push(entry.number),
            }
        }
        let held = |path: &PathBuf| {
            before.open().iter().any(|(entry, other)| {
                running.contains(&entry.number) && other.bundle().is_some_and(|bundle| bundle.partial == *path)
            })
        };
        for (entry, request) in before.reservations() {
            let Some(Bundle { partial: path, .. }) = request.bundle() else { continue };
            let is_over = match before.standing(entry.number) {
                Some(Standing::Open) => !running.contains(&entry.number),
                Some(Standing::Voided(_)) => true,
                Some(Standing::Published(_)) | None => false,
            };
            // Another run may use the same name again.
            if is_over && is_partial(path) && !held(path) {
                remove(path)?;
                removed.push(Leftover::Partial { reservation: entry.number, path: path.clone() });
            }
        }
        removed.extend(self.sweep()?.into_iter().map(|path| Leftover::Empty { path }));
        let history = self.history()?;
        Ok(Findings { clock_went_back: history.clock_went_back(), history, running, settled, dead, removed })
    }

    /// Checks that a bundle agrees with the history.
    fn agrees(&self, history: &History, bundle: &Path, payment: &Paid) -> Result<(), LedgerError> {
        let dispute = history.dispute(payment);
        let is_known = history.entries().iter().any(|entry| entry.id() == payment.reservation);
        if !is_known && dispute != Some(Dispute::Elsewhere) {
            let damage = Damage::Forgotten { bundle: bundle.to_owned(), entry: payment.reservation.number };
            return Err(LedgerError::Damaged { path: self.path().to_owned(), damage });
        }
        dispute.map_or(Ok(()), |dispute| Err(LedgerError::Disputed { bundle: bundle.to_owned(), dispute }))
    }

    fn settle(&mut self, reservation: u64, payment: &Paid, by: &str) -> Result<(), LedgerError> {
        let added = self.add(by, |_, history| match history.standing(reservation) {
            Some(Standing::Open) => {
                Ok(Deed::Published { reservation, manifest_sha256: Some(payment.manifest_sha256.clone()) })
            }
            _ => Err(LedgerError::NotOpen { entry: reservation, problem: "was ended by another program" }),
        });
        match added {
            // What another check entered at the same time is entered.
            Ok(_) | Err(LedgerError::NotOpen { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
