//! Tests that a plan is about the subject of the ledger: its rows, its unit by name, and the way in which this unit is
//! made and read.

use inbounds_core::planted::{Defect, planted};

use crate::{Deed, History, Mismatch, Request, Subject, UnitReading, Work};

impl History {
    /// Names that a person has given the data set since the ledger was created.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries().iter().filter_map(|entry| match &entry.deed {
            Deed::Named { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Checks that a plan is about the same rows, unit and relation as the ledger. The making and reading of its unit
    /// is left to [`after`](Self::after).
    ///
    /// # Errors
    /// The first [`Mismatch`].
    pub fn admit(&self, subject: &Subject) -> Result<(), Mismatch> {
        let is_named = subject.name.as_deref().is_some_and(|name| self.names().any(|known| known == name));
        if is_named { self.terms().admit_unit(subject) } else { self.terms().admit(subject) }
    }

    /// Rules by which the units of releases that count are made and read, and rules that a person declared to name the
    /// same units, each with its entry.
    fn readings(&self) -> impl Iterator<Item = (u64, &UnitReading)> {
        self.entries().iter().filter(|entry| self.counts(entry.number)).filter_map(|entry| match &entry.deed {
            Deed::Reserved { request, .. } => Some((entry.number, request.unit()?)),
            Deed::SameUnit { unit, .. } => Some((entry.number, unit)),
            _ => None,
        })
    }

    /// Refuses a request whose unit is made or read in another way than that of the releases that count: it could be
    /// many units of theirs, or a part of one, and then prices would not add up. What equals a known reading is known;
    /// anything else must agree with all of them. The first release of a ledger decides.
    pub(crate) fn admit_unit(&self, request: &Request) -> Result<(), Mismatch> {
        let Some(plan) = request.unit() else { return Ok(()) };
        if planted(Defect::UnitReadTwice) || self.readings().any(|(_, known)| known == plan) {
            return Ok(());
        }
        for (entry, known) in self.readings() {
            let differences = known.differences(plan);
            if !differences.is_empty() {
                return Err(Mismatch::Reading { unit: self.terms().unit.clone(), entry, differences });
            }
        }
        Ok(())
    }

    /// Releases that count and whose entries do not say how their unit was made and read, because they are older than
    /// that.
    pub fn without_reading(&self) -> Vec<u64> {
        let is_plan = |request: &Request| matches!(&request.work, Work::Plan { unit: None, .. });
        let old = self.reservations().filter(|(entry, request)| self.counts(entry.number) && is_plan(request));
        old.map(|(entry, _)| entry.number).collect()
    }
}
