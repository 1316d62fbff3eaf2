//! A history as a statement of account: one line an entry, in words.

use inbounds_mechanisms::account::Cost;

use crate::{Balance, Composition, Deed, Entry, History, Permanence, Request, Standing};

/// An entry as people read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'h> {
    /// The entry.
    pub entry: &'h Entry,
    /// What was done, as a sentence.
    pub what: String,
    /// The price that counts from here on, if there is one.
    pub price: Option<Cost>,
    /// What was left after it.
    pub left: Cost,
}

impl History {
    /// The whole history, line by line.
    pub fn statement(&self) -> Vec<Line<'_>> {
        let line = |(index, entry): (usize, &'_ Entry)| -> (String, Option<Cost>, Cost) {
            let until = self.until(index + 1);
            (what(self, entry), price(self, entry), until.balance().left())
        };
        let lines = self.entries().iter().enumerate();
        lines
            .map(|(index, entry)| {
                let (what, price, left) = line((index, entry));
                Line { entry, what, price, left }
            })
            .collect()
    }
}

fn price(history: &History, entry: &Entry) -> Option<Cost> {
    match &entry.deed {
        Deed::Reserved { request, .. } => Some(history.terms().price_of(&request.charges)),
        Deed::Recorded { cost, .. } => Some(cost.clone()),
        Deed::Opened(_) | Deed::Published { .. } | Deed::Voided { .. } => None,
    }
}

fn what(history: &History, entry: &Entry) -> String {
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
            let (within, apart) = (within(history, request), parallel(apart));
            format!("Reserved for {}. {standing}{within}{apart}", called(request))
        }
        Deed::Published { reservation, .. } => format!("The bundle of entry {reservation} stands."),
        Deed::Voided { reservation, reason } => {
            format!("Nothing of entry {reservation} was published, so its price counts no more: {reason}")
        }
        Deed::Recorded { reason, .. } => format!("Spent elsewhere: {reason}"),
    }
}

fn called(request: &Request) -> String {
    let digest = request.plan_sha256.get(..12).unwrap_or_default();
    match &request.title {
        Some(title) => format!("“{title}” (plan {digest})"),
        None => format!("the plan {digest}"),
    }
}

/// Why a price is less than the sum over the statistics, if it is.
fn within(history: &History, request: &Request) -> String {
    let terms = history.terms();
    let together = Balance::of(&terms.granted, &[request.charges.as_slice()], Composition::Sequential).spent;
    if together == terms.price_of(&request.charges) {
        return String::new();
    }
    " Conditions keep the rows of some of its statistics apart, so their prices do not add up (parallel composition, McSherry 2009)."
        .to_owned()
}

/// The theorem by which a price does not add to those of others, and why it applies.
fn parallel(apart: &[(u64, String)]) -> String {
    if apart.is_empty() {
        return String::new();
    }
    let because = |(entry, column): &(u64, String)| format!("{entry} by `{column}`");
    format!(
        " No row can be both in it and in entry {}: the conditions exclude it, so these prices do not add up (parallel composition, \
         McSherry 2009).",
        apart.iter().map(because).collect::<Vec<_>>().join(", ")
    )
}
