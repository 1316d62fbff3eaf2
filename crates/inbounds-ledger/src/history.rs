//! The history of a ledger, read and verified.

use std::{collections::BTreeMap, path::Path};

use inbounds_core::{Rational, Region};
use inbounds_mechanisms::account::Cost;

use crate::{
    Balance, Bundle, Charge, Composition, Damage, Deed, Dispute, Entry, EntryId, Fits, LedgerError, Request, Terms,
    Work, fits, record,
};

/// Statement in the manifest of a bundle about the ledger from which it was paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// The hash of the first entry of the ledger.
    pub ledger: String,
    /// The reservation.
    pub reservation: EntryId,
    /// SHA-256 of the manifest.
    pub manifest_sha256: String,
}

/// All entries of a ledger, in order, each of which follows from the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    terms: Terms,
    entries: Vec<Entry>,
    /// Which entry ended a reservation, and how.
    ended: BTreeMap<u64, Standing>,
}

/// Outcome of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Neither published nor voided: its release runs, or died. It counts as spent.
    Open,
    /// Its bundle stands, by this entry. It counts as spent.
    Published(u64),
    /// Voided by this entry: it does not count.
    Voided(u64),
}

/// An entry as it is stored.
pub(crate) struct Stored {
    pub(crate) number: u64,
    pub(crate) ends: Option<u64>,
    pub(crate) text: String,
    pub(crate) hash: String,
}

impl History {
    /// Verifies a stored history: every hash, every link, every rule.
    pub(crate) fn verified(stored: &[Stored], last: &EntryId) -> Result<Self, Damage> {
        let mut entries: Vec<Entry> = Vec::with_capacity(stored.len());
        let mut ended = BTreeMap::new();
        let mut previous = String::new();
        for (row, number) in stored.iter().zip(0..) {
            if row.number != number {
                return Err(Damage::Broken { number: row.number });
            }
            if record::hash(&row.text) != row.hash {
                return Err(Damage::Changed { number });
            }
            let (entry, follows) = record::entry(&row.text).ok_or(Damage::Unreadable { number })?;
            if follows != previous || entry.number != number {
                return Err(Damage::Broken { number });
            }
            if entry.deed.ends() != row.ends {
                return Err(Damage::Contradiction {
                    number,
                    problem: "it is stored as the end of another reservation",
                });
            }
            agrees(&entries, &ended, &entry).map_err(|problem| Damage::Contradiction { number, problem })?;
            previous.clone_from(&entry.hash);
            ended.extend(end(&entry));
            entries.push(entry);
        }
        if entries.last().is_none_or(|entry| entry.id() != *last) {
            return Err(Damage::Cut { found: entries.len() as u64, last: last.number });
        }
        let Some(Entry { deed: Deed::Opened(terms), .. }) = entries.first() else {
            return Err(Damage::Cut { found: 0, last: last.number });
        };
        Ok(Self { terms: terms.clone(), entries, ended })
    }

    /// Terms of the ledger.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// All entries, from number 0.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The hash of the first entry, which no other ledger has.
    pub fn id(&self) -> &str {
        self.entries.first().map_or("", |entry| &entry.hash)
    }

    /// Outcome of a reservation; `None` for other entries.
    pub fn standing(&self, number: u64) -> Option<Standing> {
        standing(&self.entries, &self.ended, number)
    }

    /// Reservations that are neither published nor voided.
    pub fn open(&self) -> Vec<(&Entry, &Request)> {
        let open = self.reservations().filter(|(entry, _)| self.standing(entry.number) == Some(Standing::Open));
        open.collect()
    }

    /// All reservations.
    pub fn reservations(&self) -> impl Iterator<Item = (&Entry, &Request)> {
        self.entries.iter().filter_map(|entry| match &entry.deed {
            Deed::Reserved { request, .. } => Some((entry, request)),
            _ => None,
        })
    }

    /// `true` if the bundle of a reservation stands at its intended place.
    pub(crate) fn stands(&self, number: u64, paid: &dyn Fn(&Path) -> Option<Paid>) -> bool {
        let is_of = |entry: &Entry, request: &Request| {
            request
                .bundle()
                .and_then(|bundle| paid(&bundle.folder))
                .is_some_and(|payment| payment.reservation == entry.id())
        };
        self.reservations().any(|(entry, request)| entry.number == number && is_of(entry, request))
    }

    /// In what a bundle and the history do not agree, if its entry is there.
    pub(crate) fn dispute(&self, paid: &Paid) -> Option<Dispute> {
        let entry = paid.reservation.number;
        match self.standing(entry) {
            _ if paid.ledger != self.id() => Some(Dispute::Elsewhere),
            Some(Standing::Voided(_)) => Some(Dispute::Voided { entry }),
            Some(Standing::Published(by)) => {
                let place = usize::try_from(by).ok()?;
                let Deed::Published { manifest_sha256, .. } = &self.entries.get(place)?.deed else { return None };
                (manifest_sha256.as_ref() != Some(&paid.manifest_sha256)).then_some(Dispute::Changed { entry })
            }
            Some(Standing::Open) | None => None,
        }
    }

    /// `true` for an entry that counts: every one but those voided.
    pub(crate) fn counts(&self, number: u64) -> bool {
        !matches!(self.standing(number), Some(Standing::Voided(_)))
    }

    /// Charges that count as spent, release by release.
    fn counting(&self) -> Vec<Vec<Charge>> {
        self.entries.iter().filter(|entry| self.counts(entry.number)).filter_map(charges).collect()
    }

    /// Balance of the charges that count.
    pub fn balance(&self) -> Balance {
        let counting = self.counting();
        let releases: Vec<&[Charge]> = counting.iter().map(Vec::as_slice).collect();
        Balance::after(&self.terms.granted, &releases, self.terms.composition())
    }

    /// The balance after a request, if it can be afforded. `epsilon` is that of its plan, from which an error says how
    /// much would fit.
    ///
    /// # Errors
    /// [`LedgerError::Over`], [`LedgerError::Mismatch`] where the unit is made or read in another way than that of
    /// earlier releases, or [`LedgerError::NotText`] where the history could not name the bundle.
    pub fn after(&self, request: &Request, epsilon: Option<&Rational>) -> Result<Balance, LedgerError> {
        self.admit_unit(request)?;
        let paths = request.bundle().into_iter().flat_map(|Bundle { folder, partial }| [folder, partial]);
        if let Some(path) = paths.into_iter().find(|path| path.to_str().is_none()) {
            return Err(LedgerError::NotText { path: path.clone() });
        }
        let (terms, counting) = (&self.terms, self.counting());
        let history: Vec<&[Charge]> = counting.iter().map(Vec::as_slice).collect();
        let all: Vec<&[Charge]> = history.iter().copied().chain([request.charges.as_slice()]).collect();
        let after = Balance::after(&terms.granted, &all, terms.composition());
        if after.is_within() {
            return Ok(after);
        }
        let noun = match &request.work {
            Work::Plan { .. } => "the release",
            Work::Program => "the work",
        };
        let title = request.title.as_ref();
        Err(LedgerError::Over {
            title: title.map_or_else(|| noun.to_owned(), |title| format!("{noun} “{title}”")),
            asked: Box::new(terms.price_of(&request.charges)),
            left: Box::new(self.balance().left()),
            fits: match (&request.work, epsilon) {
                (Work::Plan { .. }, Some(epsilon)) => {
                    Fits::Plan(fits(&history, &request.charges, &terms.granted, terms.composition(), epsilon))
                }
                (Work::Plan { .. }, None) => Fits::Plan(None),
                (Work::Program, _) => Fits::Program,
            },
        })
    }

    /// Earlier reservations that count and of whose rows none can be among those of a request, each with the column
    /// that says so.
    pub fn apart_from(&self, request: &Request) -> Vec<(u64, String)> {
        match self.terms.composition() {
            Composition::Parallel => {}
            Composition::ParallelWithin | Composition::Sequential => return Vec::new(),
        }
        let apart = |(entry, earlier): (&Entry, &Request)| {
            let mut column = None;
            for (one, other) in
                earlier.charges.iter().flat_map(|one| request.charges.iter().map(move |other| (one, other)))
            {
                column = Some(one.rows.apart_in(&other.rows)?);
            }
            Some((entry.number, column?.to_owned()))
        };
        self.reservations().filter(|(entry, _)| self.counts(entry.number)).filter_map(apart).collect()
    }

    /// Entries that a clock put before the one that they follow.
    pub fn clock_went_back(&self) -> Vec<u64> {
        self.entries.windows(2).filter(|pair| pair[1].at < pair[0].at).map(|pair| pair[1].number).collect()
    }
}

/// Charges of an entry; `None` for an entry without a price.
pub(crate) fn charges(entry: &Entry) -> Option<Vec<Charge>> {
    match &entry.deed {
        Deed::Reserved { request, .. } => Some(request.charges.clone()),
        Deed::Recorded { cost, .. } => Some(vec![Charge { rows: Region::default(), cost: cost.clone() }]),
        Deed::Opened(_) | Deed::Published { .. } | Deed::Voided { .. } | Deed::Named { .. } | Deed::SameUnit { .. } => {
            None
        }
    }
}

/// Reservation that an entry ends, with its outcome, if it ends one.
fn end(entry: &Entry) -> Option<(u64, Standing)> {
    let by = entry.number;
    match &entry.deed {
        Deed::Published { reservation, .. } => Some((*reservation, Standing::Published(by))),
        Deed::Voided { reservation, .. } => Some((*reservation, Standing::Voided(by))),
        Deed::Opened(_)
        | Deed::Reserved { .. }
        | Deed::Recorded { .. }
        | Deed::Named { .. }
        | Deed::SameUnit { .. } => None,
    }
}

fn standing(entries: &[Entry], ended: &BTreeMap<u64, Standing>, number: u64) -> Option<Standing> {
    // Entry n stands at place n.
    let entry = usize::try_from(number).ok().and_then(|place| entries.get(place))?;
    let is_reservation = matches!(entry.deed, Deed::Reserved { .. });
    is_reservation.then(|| ended.get(&number).copied().unwrap_or(Standing::Open))
}

/// Checks that an entry can follow others.
fn agrees(before: &[Entry], ended: &BTreeMap<u64, Standing>, entry: &Entry) -> Result<(), &'static str> {
    match (&entry.deed, before.first().map(|first| &first.deed)) {
        (Deed::Opened(_), None) => Ok(()),
        (Deed::Opened(_), Some(_)) => Err("the ledger was opened before"),
        (_, Some(Deed::Opened(terms))) => {
            let in_terms =
                |cost: &Cost| std::mem::discriminant(cost) == std::mem::discriminant(&Cost::from(&terms.granted));
            match &entry.deed {
                Deed::Reserved { request, .. } if !request.charges.iter().all(|charge| in_terms(&charge.cost)) => {
                    Err("its price is in another accounting than the ledger's")
                }
                Deed::Recorded { cost, .. } if !in_terms(cost) => {
                    Err("its price is in another accounting than the ledger's")
                }
                deed => match deed.ends().map(|number| standing(before, ended, number)) {
                    None | Some(Some(Standing::Open)) => Ok(()),
                    Some(None) => Err("it ends a reservation that was never made"),
                    Some(Some(_)) => Err("it ends a reservation that was ended before"),
                },
            }
        }
        _ => Err("the ledger was never opened"),
    }
}
