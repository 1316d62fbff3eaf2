//! A history as a statement of account: one line an entry, in words.

use std::collections::BTreeMap;

use inbounds_mechanisms::account::Cost;

use crate::{
    Balance, Charge, Composition, Deed, Entry, History, Permanence, Request, Standing, Terms, history::charges,
    price::combine,
};

/// An entry as people read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'h> {
    /// The entry.
    pub entry: &'h Entry,
    /// The deed, as a sentence.
    pub what: String,
    /// The price that counts from here on, if there is one.
    pub price: Option<Cost>,
    /// Amount that the price added to the spent amount: less than the price where public conditions keep rows apart
    /// from those of other releases. `None` where there is no price.
    pub added: Option<Cost>,
    /// Remainder after it.
    pub left: Cost,
}

impl History {
    /// The whole history, line by line.
    pub fn statement(&self) -> Vec<Line<'_>> {
        let mut account = Account { terms: self.terms(), counting: BTreeMap::new(), spent: zero(self.terms()) };
        let line = |entry| {
            let before = account.spent.clone();
            account.enter(entry);
            let price = price(self, entry);
            let more = || combine(&account.spent, &before, &self.terms().granted, |after, before| after - before);
            let added = price.is_some().then(more);
            let saved = price.as_ref().zip(added.as_ref()).map(|(price, added)| Saved { price, added });
            Line { entry, what: sentence(self, entry, saved), price, added, left: account.left() }
        };
        self.entries().iter().map(line).collect()
    }
}

/// A price, and what it added to what was spent.
struct Saved<'a> {
    price: &'a Cost,
    added: &'a Cost,
}

/// Charges that count after each entry in turn.
struct Account<'h> {
    terms: &'h Terms,
    /// Charges by their entry.
    counting: BTreeMap<u64, Vec<Charge>>,
    spent: Cost,
}

fn zero(terms: &Terms) -> Cost {
    terms.price_of(&[])
}

impl Account<'_> {
    fn enter(&mut self, entry: &Entry) {
        let mut gone = None;
        if let Deed::Voided { reservation, .. } = &entry.deed {
            gone = self.counting.remove(reservation);
        }
        let new = charges(entry);
        self.spent = match self.terms.composition() {
            // Any charge may be beside any other.
            Composition::Parallel => {
                self.counting.extend(new.map(|charges| (entry.number, charges)));
                let releases: Vec<&[Charge]> = self.counting.values().map(Vec::as_slice).collect();
                Balance::after(&self.terms.granted, &releases, Composition::Parallel).spent
            }
            // Releases add, each at its own price.
            Composition::ParallelWithin | Composition::Sequential => {
                let price = |charges: &Vec<Charge>| self.terms.price_of(charges);
                let more = new.as_ref().map_or_else(|| zero(self.terms), price);
                let less = gone.as_ref().map_or_else(|| zero(self.terms), price);
                self.counting.extend(new.map(|charges| (entry.number, charges)));
                combine(
                    &combine(&self.spent, &more, &self.terms.granted, |a, b| a + b),
                    &less,
                    &self.terms.granted,
                    |a, b| a - b,
                )
            }
        };
    }

    fn left(&self) -> Cost {
        Balance { granted: self.terms.granted.clone(), spent: self.spent.clone() }.left()
    }
}

fn price(history: &History, entry: &Entry) -> Option<Cost> {
    match &entry.deed {
        Deed::Reserved { request, .. } => Some(history.terms().price_of(&request.charges)),
        Deed::Recorded { cost, .. } => Some(cost.clone()),
        Deed::Opened(_) | Deed::Published { .. } | Deed::Voided { .. } | Deed::Named { .. } | Deed::SameUnit { .. } => {
            None
        }
    }
}

fn sentence(history: &History, entry: &Entry, saved: Option<Saved>) -> String {
    match &entry.deed {
        Deed::Opened(terms) => {
            let rows = match terms.permanence {
                Permanence::MayChange => "",
                Permanence::Fixed => " Its rows never change.",
            };
            format!(
                "Opened for {}, with {} in all. It protects {}, with neighbours = \"{}\".{rows}",
                terms.data,
                Cost::from(&terms.granted),
                terms.unit,
                terms.neighbours
            )
        }
        Deed::Reserved { request, apart } => {
            let standing = match history.standing(entry.number) {
                Some(Standing::Published(by)) => format!("Published, by entry {by}."),
                Some(Standing::Voided(by)) => format!("Voided, by entry {by}."),
                Some(Standing::Open) | None => "Not published: it counts as spent until a person voids it.".to_owned(),
            };
            let (within, apart) = (within(history, request), parallel(apart, saved));
            let approved = request.approval.as_ref().map_or_else(String::new, |given| format!(" {}", given.sentence()));
            format!("Reserved for {}.{approved} {standing}{within}{apart}", called(request))
        }
        Deed::Published { reservation, manifest_sha256: Some(_) } => {
            format!("Entry {reservation} was published.")
        }
        Deed::Published { reservation, manifest_sha256: None } => format!("The work of entry {reservation} is done."),
        Deed::Voided { reservation, reason, removed } => {
            let removed = removed.as_ref().map_or_else(String::new, |folder| {
                format!(" (its unfinished bundle {} was removed first)", folder.display())
            });
            format!("Nothing of entry {reservation} was published, so its price counts no more: {reason}{removed}")
        }
        Deed::Recorded { reason, .. } => format!("Spent elsewhere: {reason}"),
        Deed::Named { name, reason } => {
            format!("Its rows are also those of plans with name = \"{name}\" in [data]: {reason}")
        }
        Deed::SameUnit { reason, .. } => {
            format!("Another way to make or read the unit names the same units: {reason}")
        }
    }
}

fn called(request: &Request) -> String {
    let digest = request.plan_sha256().map(|sha256| sha256.get(..12).unwrap_or_default());
    match (&request.title, digest) {
        (Some(title), Some(digest)) => format!("“{title}” (plan {digest})"),
        (None, Some(digest)) => format!("the plan {digest}"),
        (Some(title), None) => format!("“{title}”, by a program without a plan"),
        (None, None) => "a program without a plan".to_owned(),
    }
}

/// Why a price is less than the sum over the statistics, if it is.
fn within(history: &History, request: &Request) -> String {
    let terms = history.terms();
    let together = Balance::after(&terms.granted, &[request.charges.as_slice()], Composition::Sequential).spent;
    if together == terms.price_of(&request.charges) {
        return String::new();
    }
    " Conditions keep the rows of some of its statistics apart, so their prices do not add up (parallel composition, McSherry 2009)."
        .to_owned()
}

/// The theorem by which a price does not add to those of others, and why it applies.
///
/// The balance goes by the one column for all releases that keeps what is spent least. So an entry that is apart from
/// others by another column adds its whole price, and this says so.
fn parallel(apart: &[(u64, String)], saved: Option<Saved>) -> String {
    let Some(Saved { price, added }) = saved.filter(|_| !apart.is_empty()) else { return String::new() };
    let because = |(entry, column): &(u64, String)| format!("{entry} by `{column}`");
    let effect = if added == price {
        " All the same its whole price was added to what is spent: the balance goes by one column for all releases together."
            .to_owned()
    } else {
        format!(" So {added} was added to what is spent, and not {price} (parallel composition, McSherry 2009).")
    };
    let others = apart.iter().map(because).collect::<Vec<_>>().join(", ");
    format!(" No row can be both in it and in entry {others}: the conditions exclude it.{effect}")
}
