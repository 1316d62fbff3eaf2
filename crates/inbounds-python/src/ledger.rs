//! Ledgers, and reservations that a program makes for work of its own.

use std::{
    path::{Path, PathBuf},
    process,
    sync::{Mutex, PoisonError},
};

use inbounds_cli::text;
use inbounds_core::{Delta, Epsilon, Guarantee, Region, Rho};
use inbounds_ledger::{
    Charge, Ledger as Opened, LedgerError, LedgerUnit, Permanence, Request, Reservation as Reserved, Terms, Work,
    current_user, price::price_of,
};
use inbounds_release::accounts::{data_set, manifest, paid, protected};
use inbounds_report::HeldBundles;
use pyo3::prelude::*;

use crate::{exact, failure::Failure, plan::Plan, work};

/// An amount in one of the accountings, as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Amount {
    epsilon: Option<String>,
    delta: Option<String>,
    rho: Option<String>,
}

impl Amount {
    fn guarantee(&self) -> Result<Guarantee, Failure> {
        match (&self.epsilon, &self.delta, &self.rho) {
            (None, None, Some(rho)) => Ok(Guarantee::ZeroConcentrated { rho: Rho::new(exact::number("rho", rho)?)? }),
            (Some(epsilon), None, None) => Ok(Guarantee::Pure { epsilon: exact::epsilon(epsilon)? }),
            (Some(epsilon), Some(delta), None) => Ok(Guarantee::Approximate {
                epsilon: Epsilon::new(exact::number("epsilon", epsilon)?)?,
                delta: Delta::new(exact::number("delta", delta)?)?,
            }),
            _ => Err(Failure::Parameter("an amount is epsilon, epsilon and delta, or rho".to_owned())),
        }
    }
}

/// Subject of a ledger, as text.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Subject {
    data: String,
    unit: Option<String>,
    unit_rows: Option<u64>,
    neighbours: String,
    fixed_rows: bool,
}

/// A ledger at its path. Every call opens it anew, so that what it says is what stands there.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Ledger {
    path: PathBuf,
}

#[pymethods]
impl Ledger {
    /// Makes a new ledger.
    #[staticmethod]
    #[pyo3(signature = (path, subject, amount, by=None))]
    fn create(py: Python<'_>, path: PathBuf, subject: Subject, amount: Amount, by: Option<String>) -> PyResult<Self> {
        let made = work::apart(py, || {
            let terms = Terms {
                data: data_set(&subject.data).map_err(|problem| Failure::Parameter(format!("data: {problem}")))?,
                unit: match (subject.unit, subject.unit_rows) {
                    (Some(column), _) => LedgerUnit::Column(column),
                    (None, Some(rows)) => LedgerUnit::Rows(rows),
                    (None, None) => LedgerUnit::Row,
                },
                neighbours: exact::neighbours(&subject.neighbours)?,
                permanence: if subject.fixed_rows { Permanence::Fixed } else { Permanence::MayChange },
                granted: amount.guarantee()?,
            };
            Ok(Opened::create(&path, terms, &who(by))?.path().to_owned())
        });
        Ok(Self { path: made? })
    }

    /// Opens a ledger, and verifies its history.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = work::apart(py, || {
            let ledger = Opened::open(&path)?;
            ledger.history()?;
            Ok(ledger.path().to_owned())
        });
        Ok(Self { path: opened? })
    }

    /// Its file.
    #[getter]
    fn path(&self) -> &Path {
        &self.path
    }

    /// The account with all entries: as JSON, and as the command prints it.
    fn account(&self, py: Python<'_>, columns: usize) -> PyResult<(String, String)> {
        let read = || -> Result<_, Failure> {
            let history = Opened::open(&self.path)?.history()?;
            Ok((text::ledger_json(&history), text::ledger(&history, columns)))
        };
        work::apart(py, read)
    }

    /// Verifies the file and bundles, enters bundles that stand, and removes what dead runs left: as JSON and in words.
    #[pyo3(signature = (bundles, columns, by=None))]
    fn check(
        &self,
        py: Python<'_>,
        bundles: Vec<PathBuf>,
        columns: usize,
        by: Option<String>,
    ) -> PyResult<(String, String)> {
        let check = || -> Result<_, Failure> {
            if let Some(bundle) = bundles.iter().find(|bundle| manifest(bundle).is_none()) {
                return Err(Failure::Data(format!("{} holds no bundle of a release", bundle.display())));
            }
            let findings = Opened::open(&self.path)?.check(&bundles, &paid, &who(by))?;
            let held = HeldBundles::read(&bundles)?;
            let json = text::ledger_checked_json(&findings, &held);
            Ok((json, text::ledger_checked(&self.path, &findings, &held, columns)))
        };
        work::apart(py, check)
    }

    /// Enters that nothing of a reservation was published, and why that is known.
    #[pyo3(signature = (entry, reason, by=None))]
    fn void(&self, py: Python<'_>, entry: u64, reason: &str, by: Option<String>) -> PyResult<u64> {
        let void =
            || -> Result<u64, Failure> { Ok(Opened::open(&self.path)?.void(entry, reason, &paid, &who(by))?.number) };
        work::apart(py, void)
    }

    /// Enters what was spent elsewhere.
    #[pyo3(signature = (amount, reason, by=None))]
    fn record(&self, py: Python<'_>, amount: Amount, reason: &str, by: Option<String>) -> PyResult<u64> {
        let record = || -> Result<u64, Failure> {
            let mut ledger = Opened::open(&self.path)?;
            let granted = ledger.history()?.terms().granted.clone();
            let cost = price_of(reason, amount.guarantee()?, &granted).map_err(LedgerError::from)?;
            Ok(ledger.record(cost, reason, &who(by))?.number)
        };
        work::apart(py, record)
    }

    /// Enters a name of the data set.
    #[pyo3(signature = (name, reason, by=None))]
    fn name(&self, py: Python<'_>, name: &str, reason: &str, by: Option<String>) -> PyResult<u64> {
        let enter = || -> Result<u64, Failure> { Ok(Opened::open(&self.path)?.name(name, reason, &who(by))?.number) };
        work::apart(py, enter)
    }

    /// Enters that a plan, which makes or reads the unit in another way, names the same units.
    #[pyo3(signature = (plan, reason, by=None))]
    fn same_unit(&self, py: Python<'_>, plan: Bound<'_, Plan>, reason: &str, by: Option<String>) -> PyResult<u64> {
        let plan = plan.get();
        let enter = || -> Result<u64, Failure> {
            let (subject, unit) = protected(&plan.plan)?;
            Ok(Opened::open(&self.path)?.same_unit(&subject, unit, reason, &who(by))?.number)
        };
        work::apart(py, enter)
    }

    /// Reserves an amount for work of this program. From then on it is spent.
    #[pyo3(signature = (what, amount, by=None))]
    fn reserve(&self, py: Python<'_>, what: &str, amount: Amount, by: Option<String>) -> PyResult<Reservation> {
        let reserve = || -> Result<Reservation, Failure> {
            let (ledger, by) = (Opened::open(&self.path)?, who(by));
            let granted = ledger.history()?.terms().granted.clone();
            let cost = price_of(what, amount.guarantee()?, &granted).map_err(LedgerError::from)?;
            let charges = vec![Charge { rows: Region::default(), cost }];
            let request = Request { title: Some(what.to_owned()), work: Work::Program, charges, approval: None };
            let reserved = ledger.reserve(request, None, &by)?;
            let (entry, left) = (reserved.entry().number, reserved.after().left().to_string());
            Ok(Reservation { held: Mutex::new(Some(reserved)), process: process::id(), entry, left, by })
        };
        work::apart(py, reserve)
    }
}

/// An amount that counts as spent, for work that may still run.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Reservation {
    /// None once the work is over.
    held: Mutex<Option<Reserved>>,
    /// The process that made it. Storage and locks belong to that one, so a fork may neither use nor close them.
    process: u32,
    entry: u64,
    left: String,
    by: String,
}

#[pymethods]
impl Reservation {
    /// Its number in the ledger.
    #[getter]
    fn entry(&self) -> u64 {
        self.entry
    }

    /// Amount that was left with it spent, in words.
    #[getter]
    fn left(&self) -> &str {
        &self.left
    }

    /// Ends it: with the entry that its work is done, or without, so that a person has to say what became of it. The
    /// amount is spent either way.
    fn end(&self, py: Python<'_>, done: bool) -> PyResult<()> {
        if process::id() != self.process {
            let message = "a reservation can only be ended by the process that made it; it counts as spent";
            return Err(Failure::Ledger(message.to_owned()).raise(py));
        }
        let end = || -> Result<(), Failure> {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
            match (held, done) {
                (Some(mut reserved), true) => Ok(reserved.confirm()?.publish(None, &self.by)?),
                (Some(_), false) | (None, _) => Ok(()),
            }
        };
        work::apart(py, end)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if process::id() != self.process {
            let held = self.held.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            // Its storage and its lock are still in use where they were made.
            std::mem::forget(held);
        }
    }
}

fn who(by: Option<String>) -> String {
    by.filter(|name| !name.trim().is_empty()).unwrap_or_else(current_user)
}
