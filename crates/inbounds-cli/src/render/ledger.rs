//! The answers of `inbounds ledger`.

use std::path::Path;

use inbounds_core::{Guarantee, Named, Rational};
use inbounds_ledger::{Findings, History, Leftover, Line, Standing, price::theorem};
use inbounds_mechanisms::account::Cost;
use serde_json::{Value, json};

use super::{Screen, columns::Table, figures::figure};

/// The account and its history.
pub(crate) fn ledger(history: &History, screen: Screen) -> String {
    let terms = history.terms();
    let head =
        format!("Ledger of {}. It protects {}, with neighbours = \"{}\".", terms.data, terms.unit, terms.neighbours);
    let lines = history.statement();
    let table = Table::default()
        .figures("entry", &lines, |line| line.entry.number.to_string())
        .words("what was done", &lines, |line| line.what.clone())
        .words("when and by whom", &lines, |line| format!("{}, {}", line.entry.at, line.entry.by))
        .figures(header(&terms.granted), &lines, |line| line.price.as_ref().map(bare).unwrap_or_default())
        .figures("left", &lines, |line| bare(&line.left));
    [screen.prose(&head), screen.table(&table), screen.prose(&account(history))].join("\n\n")
}

/// What amounts are called above a column of them.
fn header(granted: &Guarantee) -> &'static str {
    match granted {
        Guarantee::Pure { .. } => "epsilon",
        Guarantee::Approximate { .. } => "epsilon and delta",
        Guarantee::ZeroConcentrated { .. } => "rho",
    }
}

/// An amount without its name.
fn bare(cost: &Cost) -> String {
    match cost {
        Cost::Pure { epsilon } => epsilon.to_string(),
        Cost::Approximate { epsilon, delta } => format!("{epsilon} and {delta}"),
        Cost::ZeroConcentrated { rho } => short(rho),
    }
}

/// Rhos of Gaussian noise are long fractions; JSON has them exactly.
fn short(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= 12 { exact } else { figure(value.to_f64()) }
}

fn account(history: &History) -> String {
    let balance = history.balance();
    let granted = Cost::from(&balance.granted);
    let open = history.open().len();
    let open = match open {
        0 => String::new(),
        1 => "\nOne reservation is neither published nor voided: `inbounds ledger check` says what became of it."
            .to_owned(),
        more => format!(
            "\n{more} reservations are neither published nor voided: `inbounds ledger check` says what became of them."
        ),
    };
    format!("Granted {granted}. Spent {}. Left {}.\n{}{open}", balance.spent, balance.left(), theorem(&balance.granted))
}

fn amount(cost: &Cost) -> Value {
    match cost {
        Cost::Pure { epsilon } => json!({ "epsilon": epsilon.to_string() }),
        Cost::Approximate { epsilon, delta } => {
            json!({ "epsilon": epsilon.to_string(), "delta": delta.to_string() })
        }
        Cost::ZeroConcentrated { rho } => json!({ "rho": rho.to_string() }),
    }
}

fn standing(history: &History, number: u64) -> Option<Value> {
    Some(match history.standing(number)? {
        Standing::Open => json!({ "state": "open" }),
        Standing::Published(by) => json!({ "state": "published", "by_entry": by }),
        Standing::Voided(by) => json!({ "state": "voided", "by_entry": by }),
    })
}

fn account_json(history: &History) -> Value {
    let (terms, balance) = (history.terms(), history.balance());
    let line = |line: &Line<'_>| {
        json!({
            "entry": line.entry.number,
            "at": line.entry.at,
            "by": line.entry.by,
            "program": line.entry.program,
            "deed": line.entry.deed.name(),
            "what": line.what,
            "price": line.price.as_ref().map(amount),
            "left": amount(&line.left),
            "standing": standing(history, line.entry.number),
            "sha256": line.entry.hash,
        })
    };
    json!({
        "id": history.id(),
        "data": terms.data.to_string(),
        "unit": terms.unit.to_string(),
        "neighbours": terms.neighbours.name(),
        "granted": amount(&Cost::from(&terms.granted)),
        "spent": amount(&balance.spent),
        "left": amount(&balance.left()),
        "composition": theorem(&terms.granted),
        "entries": history.statement().iter().map(line).collect::<Vec<_>>(),
    })
}

/// The account and its history as JSON.
pub(crate) fn ledger_json(history: &History) -> String {
    super::json(&account_json(history))
}

/// What a check found, did and left.
pub(crate) fn ledger_checked(path: &Path, findings: &Findings, screen: Screen) -> String {
    let mut lines = vec![format!(
        "The ledger is in order: {} entries, each of which agrees with the one before.",
        findings.history.entries().len()
    )];
    lines.extend(findings.running.iter().map(|entry| format!("Entry {entry}: its release is running.")));
    lines.extend(findings.settled.iter().map(|found| {
        format!(
            "Entry {}: its bundle stands at {} and had not been entered; now it is.",
            found.reservation,
            found.bundle.display()
        )
    }));
    lines.extend(findings.dead.iter().map(|entry| {
        format!(
            "Entry {entry}: its release ended without a bundle, so it counts as spent. If nobody saw a number of it: inbounds ledger \
             void {} {entry} --reason \"...\"",
            path.display()
        )
    }));
    lines.extend(findings.removed.iter().map(|left| format!("Removed: {}", leftover(left))));
    lines.extend(findings.clock_went_back.iter().map(|entry| {
        format!("Entry {entry} has an earlier time than the one before: a clock went back. Nothing depends on it.")
    }));
    lines.push(account(&findings.history));
    screen.prose(&lines.join("\n"))
}

fn leftover(left: &Leftover) -> String {
    match left {
        Leftover::Partial { reservation, path } => {
            format!("{}, the unfinished bundle of entry {reservation}", path.display())
        }
        Leftover::Empty { path } => format!("{}, which a run that has ended needed no more", path.display()),
    }
}

/// The same as JSON.
pub(crate) fn ledger_checked_json(findings: &Findings) -> String {
    let removed = |left: &Leftover| match left {
        Leftover::Partial { path, .. } | Leftover::Empty { path } => json!(path),
    };
    super::json(&json!({
        "running": findings.running,
        "settled": findings.settled.iter().map(|found| found.reservation).collect::<Vec<_>>(),
        "dead": findings.dead,
        "removed": findings.removed.iter().map(removed).collect::<Vec<_>>(),
        "clock_went_back": findings.clock_went_back,
        "ledger": account_json(&findings.history),
    }))
}
