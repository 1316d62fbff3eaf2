//! The answers of `inbounds ledger`.

use std::path::Path;

use inbounds_core::{Guarantee, Named, Rational};
use inbounds_ledger::{Deed, Findings, History, Leftover, Line, Standing, UnitReading, price::theorem};
use inbounds_mechanisms::account::Cost;
use inbounds_report::HeldBundles;
use serde_json::{Value, json};

use super::{Screen, columns::Table};

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
        .figures(header(&terms.granted), &lines, |line| {
            line.price.as_ref().map(|price| bare(price, Toward::More)).unwrap_or_default()
        })
        .figures("left", &lines, |line| bare(&line.left, Toward::Less));
    [screen.prose(&head), screen.table(&table), screen.prose(&account(history))].join("\n\n")
}

/// Heading above a column of amounts.
fn header(granted: &Guarantee) -> &'static str {
    match granted {
        Guarantee::Pure { .. } => "epsilon",
        Guarantee::Approximate { .. } => "epsilon and delta",
        Guarantee::ZeroConcentrated { .. } => "rho",
    }
}

/// Which way a number is rounded that is too long for a column: a price never down, and what is left never up.
#[derive(Clone, Copy)]
enum Toward {
    Less,
    More,
}

/// An amount without its name.
fn bare(cost: &Cost, toward: Toward) -> String {
    let short = |value| short(value, toward);
    match cost {
        Cost::Pure { epsilon } => short(epsilon),
        Cost::Approximate { epsilon, delta } => format!("{} and {}", short(epsilon), short(delta)),
        Cost::ZeroConcentrated { rho } => short(rho),
    }
}

/// Shares of an epsilon and rhos of Gaussian noise can be long fractions; JSON has them exactly.
fn short(value: &Rational, toward: Toward) -> String {
    let exact = value.to_string();
    if exact.len() <= 12 { exact } else { rounded(value, toward).unwrap_or(exact) }
}

/// Four significant digits.
fn rounded(value: &Rational, toward: Toward) -> Option<String> {
    let exponent = value.to_f64().abs().log10().floor() - 3.0;
    let step: Rational = format!("1e{exponent}").parse().ok()?;
    let below = (value / &step).floor()?;
    let digits = match toward {
        Toward::More if &Rational::from(below) * &step < *value => below + 1,
        Toward::Less | Toward::More => below,
    };
    let rounded = &Rational::from(digits) * &step;
    Some(if exponent < -12.0 { format!("{digits}e{exponent}") } else { rounded.to_string() })
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
    let [granted, left] = [granted, balance.left()].map(|amount| amount.rounded_down());
    format!("Granted {granted}. Spent {}. Left {left}.\n{}{open}", balance.spent, theorem(&balance.granted))
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

/// Rules by which the unit of a release is made and read.
fn unit_reading(deed: &Deed) -> Option<Value> {
    let unit = match deed {
        Deed::Reserved { request, .. } => request.unit()?,
        Deed::SameUnit { unit, .. } => unit,
        Deed::Opened(_) | Deed::Published { .. } | Deed::Voided { .. } | Deed::Recorded { .. } | Deed::Named { .. } => {
            return None;
        }
    };
    let aspects = |unit: &UnitReading| -> Vec<Value> {
        unit.aspects().map(|(aspect, value)| json!({ "aspect": aspect.to_string(), "value": value })).collect()
    };
    Some(json!(aspects(unit)))
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
            "added": line.added.as_ref().map(amount),
            "left": amount(&line.left),
            "standing": standing(history, line.entry.number),
            "unit_reading": unit_reading(&line.entry.deed),
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

/// Findings of a check, its actions, and the remainder.
pub(crate) fn ledger_checked(path: &Path, findings: &Findings, held: &HeldBundles, screen: Screen) -> String {
    let mut lines = vec![format!(
        "The ledger is in order: {} entries, each of which agrees with the one before.",
        findings.history.entries().len()
    )];
    lines.extend(of_bundles(held));
    lines.extend(findings.running.iter().map(|entry| format!("Entry {entry}: its release is running.")));
    lines.extend(findings.settled.iter().map(|settled| {
        format!(
            "Entry {}: its bundle was found at {}, and is now entered as published.",
            settled.reservation,
            settled.bundle.display()
        )
    }));
    lines.extend(findings.dead.iter().map(|entry| {
        format!(
            "Entry {entry}: its release ended without a bundle, so it counts as spent. If nobody saw a number of it: \
             inbounds ledger void {} {entry} --reason \"...\"",
            path.display()
        )
    }));
    lines.extend(findings.removed.iter().map(|left| format!("Removed: {}", leftover(left, &findings.history))));
    lines.extend(without_reading(&findings.history));
    lines.extend(findings.clock_went_back.iter().map(|entry| {
        format!("Entry {entry} has an earlier time than the one before: a clock went back. Nothing depends on it.")
    }));
    lines.push(account(&findings.history));
    screen.prose(&lines.join("\n"))
}

/// Number of examined bundles, and those that are not as they should be.
fn of_bundles(held: &HeldBundles) -> Vec<String> {
    let mut lines = vec![match (held.count(), held.paid.len()) {
        (0, _) => "No bundle was named, so none was held against it.".to_owned(),
        (1, 1) => {
            "1 bundle was looked at. It was paid from this ledger, and its files are those of its manifest.".to_owned()
        }
        (1, _) => "1 bundle was looked at.".to_owned(),
        (all, 0) => format!("{all} bundles were looked at."),
        (all, 1) => format!(
            "{all} bundles were looked at. 1 of them was paid from this ledger, and its files are those of its manifest."
        ),
        (all, paid) => format!(
            "{all} bundles were looked at. {paid} of them were paid from this ledger, and their files are those of their manifests."
        ),
    }];
    lines.extend(
        held.changed.iter().map(|changed| format!("CHANGED: {}. {}", changed.bundle.display(), changed.warning)),
    );
    lines.extend(held.not_charged.iter().map(|bundle| {
        format!(
            "NOT CHARGED: {}. If its rows are those of this ledger, enter its epsilon with `inbounds ledger record`.",
            bundle.display()
        )
    }));
    lines.extend(
        held.seeded.iter().map(|bundle| {
            format!("Not charged: {}. Its noise is from a seed, so it protects nobody.", bundle.display())
        }),
    );
    lines
}

/// Facts about the unit that an older version of the program did not record.
fn without_reading(history: &History) -> Option<String> {
    let old: Vec<String> = history.without_reading().iter().map(u64::to_string).collect();
    (!old.is_empty()).then(|| {
        format!(
            "Not said by {} {}, which an older version made: how the unit was made and read. Compare the column of \
             the unit in the plans of these bundles, and enter what another unit cost with `inbounds ledger record`.",
            if old.len() == 1 { "entry" } else { "entries" },
            old.join(", ")
        )
    })
}

fn leftover(left: &Leftover, history: &History) -> String {
    match left {
        Leftover::Partial { reservation, path } => {
            let readable = match history.standing(*reservation) {
                Some(Standing::Voided(_)) => {
                    ", which is voided: if somebody may have read it, enter its price with `inbounds ledger record`"
                }
                Some(Standing::Open | Standing::Published(_)) | None => "",
            };
            format!("{}, the unfinished bundle of entry {reservation}{readable}", path.display())
        }
        Leftover::Empty { path } => format!("{}, which a run that has ended needed no more", path.display()),
    }
}

/// The same as JSON.
pub(crate) fn ledger_checked_json(findings: &Findings, held: &HeldBundles) -> String {
    let removed = |left: &Leftover| match left {
        Leftover::Partial { path, .. } | Leftover::Empty { path } => json!(path),
    };
    super::json(&json!({
        "bundles": held,
        "running": findings.running,
        "settled": findings.settled.iter().map(|settled| settled.reservation).collect::<Vec<_>>(),
        "dead": findings.dead,
        "removed": findings.removed.iter().map(removed).collect::<Vec<_>>(),
        "without_reading": findings.history.without_reading(),
        "clock_went_back": findings.clock_went_back,
        "ledger": account_json(&findings.history),
    }))
}
