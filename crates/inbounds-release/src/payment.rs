//! Payment of a release: by no ledger, or from one, which has its price before the first noise is drawn.
//!
//! The order is what protects the budget. Before any row is read it is found out whether the ledger can pay. When all
//! rows are read, and right before the first noise, the price is reserved; only the ledger decides that, so a refusal
//! says nothing of the rows. When the files of the bundle are complete the ledger is held, the bundle is renamed into
//! place, and the entry that it stands is written. A run that dies in between leaves its reservation, which counts as
//! spent.

use std::path::{Path, PathBuf};

use inbounds_bundle::{AmountEntry, Destination, LedgerEntry};
use inbounds_core::{Epsilon, Guarantee, Region};
use inbounds_ledger::{
    Balance, Bundle, Charge, Ledger, LedgerError, Publication, Request, Reservation, Subject, Work, current_user,
    price::{Unpriced, price},
};
use inbounds_mechanisms::account::{Cost, Event};
use inbounds_statistics::Component;
use serde::Serialize;

use crate::{
    OpenedPlan, Randomness, ReleaseError, charged_rows::rows_of, plan::Plan, prepared_statistic::PreparedStatistic,
    released::Entered, sharing, unit_reading::unit_reading,
};

/// Who will pay for a release, before rows are read.
pub(crate) enum Payer {
    /// The plan names no ledger.
    NoLedger,
    /// It names one, and the release protects no one, so that no budget can account for it.
    NotCharged,
    /// A ledger that could pay when it was asked.
    Ledger(Box<Due>),
}

/// The payment due.
pub(crate) struct Due {
    ledger: Ledger,
    request: Request,
    /// Epsilon of the plan.
    granted: Epsilon,
    /// State of the ledger after it, as far as is known now.
    expected: Expected,
}

/// The state of a ledger before and after a release that was not made yet.
pub(crate) struct Expected {
    pub(crate) price: Cost,
    pub(crate) before: Balance,
    pub(crate) after: Balance,
    /// Earlier entries of whose rows none can count in it.
    pub(crate) apart_from: Vec<u64>,
}

/// The ledger of a plan before and after a release that was not made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerState {
    /// All that it gives out.
    pub granted: AmountEntry,
    /// Price of the release.
    pub price: AmountEntry,
    /// Addition of that price to the spent amount: less than the price where public conditions keep rows apart; null
    /// where the ledger cannot pay.
    pub added: Option<AmountEntry>,
    /// Earlier entries of whose rows none can count in the release.
    pub apart_from: Vec<u64>,
    /// Amount left now.
    pub left_before: AmountEntry,
    /// Amount left after it; null where the ledger cannot pay.
    pub left_after: Option<AmountEntry>,
    /// Why the ledger would refuse; null where it would not.
    pub refused: Option<String>,
}

impl LedgerState {
    /// The same as a sentence.
    pub fn sentence(&self) -> String {
        let Self { granted, price, added, left_before, left_after, refused, .. } = self;
        let [granted, before] = [granted, left_before].map(AmountEntry::rounded_down);
        let after = || left_after.as_ref().map_or_else(String::new, AmountEntry::rounded_down);
        match (Effect::new(price, added.as_ref()), refused.as_deref()) {
            (_, Some(reason)) => format!("The ledger would refuse the release: {reason}."),
            (Effect::Nothing, None) => {
                format!("The release costs nothing more: {}. Of {granted} in all, {before} is left.", self.reason())
            }
            (Effect::Part(added), None) => format!(
                "The release would cost the ledger {added} more, and not {price}: {}. Of {granted} in all, {before} is left, \
                 and {} would be left after it.",
                self.reason(),
                after()
            ),
            (Effect::Whole, None) => format!(
                "The release would cost the ledger {price}. Of {granted} in all, {before} is left, and {} would be left after \
                 it.",
                after()
            ),
        }
    }

    /// Why the price does not add to what is spent as a whole.
    fn reason(&self) -> String {
        match self.apart_from.as_slice() {
            [] => "the rows that it is about have lost less than others".to_owned(),
            [entry] => format!("no row can be both here and in entry {entry}"),
            [before @ .., last] => {
                let before: Vec<String> = before.iter().map(u64::to_string).collect();
                format!("no row can be both here and in entries {} and {last}", before.join(", "))
            }
        }
    }
}

/// Part of a price that adds to the spent amount.
enum Effect<'a> {
    Nothing,
    Part(&'a AmountEntry),
    Whole,
}

impl<'a> Effect<'a> {
    fn new(price: &AmountEntry, added: Option<&'a AmountEntry>) -> Self {
        match added {
            Some(added) if added.is_nothing() => Self::Nothing,
            Some(added) if added != price => Self::Part(added),
            Some(_) | None => Self::Whole,
        }
    }
}

/// Payment of a release, once its noise may be drawn.
pub(crate) enum Payment {
    NoLedger,
    NotCharged,
    Reserved(Box<Reserved>),
}

/// A price that counts as spent.
pub(crate) struct Reserved {
    reservation: Reservation,
    entry: LedgerEntry,
}

impl Reserved {
    pub(crate) fn entry(&self) -> &LedgerEntry {
        &self.entry
    }
}

impl Payer {
    /// Asks the ledger of the plan, if it names one, whether it can pay.
    pub(crate) fn ask(
        plan: &Plan,
        opened: &OpenedPlan,
        destination: &Destination,
        randomness: Randomness,
    ) -> Result<Self, ReleaseError> {
        match (&plan.privacy.ledger, randomness) {
            (None, _) => Ok(Self::NoLedger),
            (Some(_), Randomness::Seeded(_)) => Ok(Self::NotCharged),
            (Some(path), Randomness::Secure) => {
                let ledger = Ledger::open(&plan.locate(&path.value))?;
                let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                let bundle =
                    Bundle { folder: absolute(destination.folder()), partial: absolute(&destination.partial()) };
                let (request, expected) = expect(plan, opened, &ledger, bundle)?;
                let granted = opened.grants.granted().clone();
                Ok(Self::Ledger(Box::new(Due { ledger, request, granted, expected })))
            }
        }
    }

    /// Reserves the price. From here on it is spent.
    pub(crate) fn reserve(self) -> Result<Payment, ReleaseError> {
        let due = match self {
            Self::NoLedger => return Ok(Payment::NoLedger),
            Self::NotCharged => return Ok(Payment::NotCharged),
            Self::Ledger(due) => due,
        };
        let Due { ledger, request, granted, expected } = *due;
        let reservation = ledger.reserve(request, Some(granted.value()), &current_user())?;
        let history = reservation.ledger().history().map_err(|error| ReleaseError::Reserved {
            source: Box::new(error.into()),
            entry: reservation.entry().number,
            ledger: reservation.ledger().path().to_owned(),
        })?;
        let entry = LedgerEntry {
            id: history.id().to_owned(),
            entry: reservation.entry().number,
            entry_sha256: reservation.entry().hash.clone(),
            price: (&expected.price).into(),
            granted: (&Cost::from(&history.terms().granted)).into(),
            left_before: (&reservation.before().left()).into(),
            left_after: (&reservation.after().left()).into(),
        };
        Ok(Payment::Reserved(Box::new(Reserved { reservation, entry })))
    }
}

impl Payment {
    /// The ledger's entry in the manifest.
    pub(crate) fn entry(&self) -> Option<&LedgerEntry> {
        match self {
            Self::NoLedger | Self::NotCharged => None,
            Self::Reserved(reserved) => Some(&reserved.entry),
        }
    }

    /// Holds the ledger until the bundle stands.
    pub(crate) fn confirm(&mut self) -> Result<Confirmed<'_>, ReleaseError> {
        Ok(match self {
            Self::NoLedger => Confirmed::NoLedger,
            Self::NotCharged => Confirmed::NotCharged,
            Self::Reserved(reserved) => Confirmed::Ledger(reserved.reservation.confirm()?),
        })
    }

    /// An error after the price was reserved: it counts as spent, and the error says so.
    pub(crate) fn lost(&self, error: ReleaseError) -> ReleaseError {
        match self {
            Self::NoLedger | Self::NotCharged => error,
            Self::Reserved(reserved) => ReleaseError::Reserved {
                source: Box::new(error),
                entry: reserved.reservation.entry().number,
                ledger: reserved.reservation.ledger().path().to_owned(),
            },
        }
    }
}

/// A payment at the moment in which the bundle is put in its place.
pub(crate) enum Confirmed<'p> {
    NoLedger,
    NotCharged,
    Ledger(Publication<'p>),
}

impl Confirmed<'_> {
    /// Enters that the bundle stands. It does, so nothing here is an error of the release.
    pub(crate) fn enter(self, manifest_sha256: &str) -> Entered {
        match self {
            Self::NoLedger => Entered::NoLedger,
            Self::NotCharged => Entered::NotCharged,
            Self::Ledger(publication) => match publication.publish(Some(manifest_sha256), &current_user()) {
                Ok(()) => Entered::Done,
                Err(error) => Entered::Missed(error.to_string()),
            },
        }
    }
}

/// State of a ledger before and after a release; an error where it cannot pay, or is not about the same as the plan.
pub(crate) fn expect(
    plan: &Plan,
    opened: &OpenedPlan,
    ledger: &Ledger,
    bundle: Bundle,
) -> Result<(Request, Expected), LedgerError> {
    let history = ledger.history()?;
    let terms = history.terms();
    history.admit(&subject(plan))?;
    let charges = charges(plan, opened, &terms.granted)?;
    let title = plan.title.clone();
    let unit = Some(unit_reading(plan, opened.engine.columns_of_files()));
    let (work, approval) = (Work::Plan { sha256: plan.digest.clone(), bundle, unit }, plan.approval.clone());
    let request = Request { title, work, charges, approval };
    let after = history.after(&request, Some(opened.grants.granted().value()))?;
    let apart_from = history.apart_from(&request).into_iter().map(|(entry, _)| entry).collect();
    let expected = Expected { price: terms.price_of(&request.charges), before: history.balance(), after, apart_from };
    Ok((request, expected))
}

/// State of the ledger at `path`, now and after the release.
pub(crate) fn state(plan: &Plan, opened: &OpenedPlan, path: &str) -> Result<LedgerState, ReleaseError> {
    let ledger = Ledger::open(&plan.locate(path))?;
    let history = ledger.history()?;
    let granted = &history.terms().granted;
    let granted_in_all = (&Cost::from(granted)).into();
    let nowhere = Bundle { folder: PathBuf::new(), partial: PathBuf::new() };
    match expect(plan, opened, &ledger, nowhere) {
        Ok((_, Expected { price, before, after, apart_from })) => Ok(LedgerState {
            granted: granted_in_all,
            price: (&price).into(),
            added: Some((&after.added_to(&before)).into()),
            apart_from,
            left_before: (&before.left()).into(),
            left_after: Some((&after.left()).into()),
            refused: None,
        }),
        Err(error @ LedgerError::Over { .. }) => {
            let price = history.terms().price_of(&charges(plan, opened, granted).map_err(LedgerError::from)?);
            Ok(LedgerState {
                granted: granted_in_all,
                price: (&price).into(),
                added: None,
                apart_from: Vec::new(),
                left_before: (&history.balance().left()).into(),
                left_after: None,
                refused: Some(error.to_string()),
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Subject of the plan.
pub(crate) fn subject(plan: &Plan) -> Subject {
    Subject {
        name: plan.data.name.clone(),
        path: plan.rows.is_none().then(|| plan.locate(&plan.data.path.value)),
        unit: plan.privacy.unit.protected(),
        neighbours: plan.privacy.neighbours,
    }
}

/// Cost of the measurements of a plan in the accounting of a ledger, with the rows that each of them is about.
fn charges(plan: &Plan, opened: &OpenedPlan, granted: &Guarantee) -> Result<Vec<Charge>, Unpriced> {
    let everywhere = Region::default;
    let parts: Vec<(Region, Vec<Event>)> = opened
        .tasks
        .iter()
        .map(|task| (rows_of(plan, opened, &task.query), events(plan, opened, task, granted)))
        .chain(opened.diagnostics.iter().map(|diagnostics| (everywhere(), vec![diagnostics.event()])))
        .collect();
    let has_rho = |events: &[Event]| events.iter().any(|event| event.rho().is_some());
    if matches!(granted, Guarantee::Approximate { .. }) && parts.iter().any(|(_, events)| has_rho(events)) {
        // The plan's own account, in which rhos were added up before they were converted.
        let cost = Cost::Approximate { epsilon: opened.cost.epsilon.clone(), delta: opened.cost.delta.clone() };
        // A part of it is no price of its own, so there is one for all rows that any of it is about.
        let first = parts.first().map(|(rows, _)| rows.clone());
        let rows = first.filter(|first| parts.iter().all(|(rows, _)| rows == first)).unwrap_or_default();
        return Ok(vec![Charge { rows, cost }]);
    }
    let mut merged: Vec<(Region, Vec<Event>)> = Vec::new();
    for (rows, events) in parts {
        match merged.iter_mut().find(|(known, _)| *known == rows) {
            Some((_, known)) => known.extend(events),
            None => merged.push((rows, events)),
        }
    }
    merged.into_iter().map(|(rows, events)| Ok(Charge { rows, cost: price(&events, granted)? })).collect()
}

/// The measurements of a statistic, each by the guarantee that is the sharpest in the accounting of a ledger; what
/// several statistics measure together stands with the first of them.
fn events(plan: &Plan, opened: &OpenedPlan, task: &PreparedStatistic, granted: &Guarantee) -> Vec<Event> {
    match granted {
        Guarantee::Pure { .. } | Guarantee::Approximate { .. } => {
            sharing::events(plan, &opened.together, task, Event::from_mechanism, |name| task.prepared.events(name))
        }
        Guarantee::ZeroConcentrated { .. } => sharing::events(plan, &opened.together, task, Event::of_law, |name| {
            let event =
                |component: &Component| Event::of_law(format!("{name}: {}", component.role), &*component.mechanism);
            task.prepared.priced().into_iter().map(event).collect()
        }),
    }
}
