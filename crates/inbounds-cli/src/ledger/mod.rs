//! `inbounds ledger`: the budget of a data set over all releases.

mod arguments;

use inbounds_core::{CoreError, Delta, Epsilon, Guarantee, Rho};
use inbounds_ledger::{DataSet, Ledger, LedgerError, Permanence, Terms, price::price_of};
use inbounds_release::{
    accounts::{manifest, paid, protected},
    read_plan,
};
use inbounds_report::{HeldBundles, ledger_csv, ledger_page};

pub(crate) use arguments::LedgerCommand;
use arguments::{
    Amount, CheckArguments, CreateArguments, ExportArguments, NameArguments, RecordArguments, SameUnitArguments,
    ShowArguments, VoidArguments,
};

use crate::{
    answered,
    failure::Failure,
    render::{self, Screen},
    write_new,
};

pub(crate) fn run(command: &LedgerCommand) -> Result<String, Failure> {
    match command {
        LedgerCommand::Create(arguments) => create(arguments),
        LedgerCommand::Show(arguments) => show(arguments),
        LedgerCommand::Check(arguments) => check(arguments),
        LedgerCommand::Void(arguments) => void(arguments),
        LedgerCommand::Record(arguments) => record(arguments),
        LedgerCommand::Name(arguments) => name(arguments),
        LedgerCommand::SameUnit(arguments) => same_unit(arguments),
        LedgerCommand::Export(arguments) => export(arguments),
    }
}

fn create(arguments: &CreateArguments) -> Result<String, Failure> {
    let CreateArguments { ledger, data, unit, neighbours, fixed_rows, amount, who } = arguments;
    let permanence = if *fixed_rows { Permanence::Fixed } else { Permanence::MayChange };
    let granted = amount.guarantee()?;
    let terms = Terms { data: data.clone(), unit: unit.clone(), neighbours: *neighbours, permanence, granted };
    let made = Ledger::create(ledger, terms, &who.name())?;
    let history = made.history()?;
    let plans = match data {
        DataSet::Path(_) => String::new(),
        DataSet::Name(name) => format!(", and name = \"{name}\" to [data]"),
    };
    let next = format!(
        "{} Add ledger = \"{}\" to [privacy] of the plans that release these rows{plans}. If something was released before, enter \
         it with `inbounds ledger record`.",
        history.statement()[0].what,
        ledger.file_name().unwrap_or_default().display()
    );
    Ok(format!("Ledger: {}\n{}", made.path().display(), Screen::output().prose(&next)))
}

fn show(arguments: &ShowArguments) -> Result<String, Failure> {
    let ledger = Ledger::open(&arguments.ledger)?;
    let history = ledger.history()?;
    Ok(match arguments.json {
        true => render::ledger_json(&history),
        false => render::ledger(&history, Screen::output()),
    })
}

fn check(arguments: &CheckArguments) -> Result<String, Failure> {
    let mut ledger = Ledger::open(&arguments.ledger)?;
    if let Some(bundle) = arguments.bundles.iter().find(|bundle| manifest(bundle).is_none()) {
        return Err(Failure::no_data(&format!("{} holds no bundle of a release", bundle.display())));
    }
    let findings = ledger.check(&arguments.bundles, &paid, &arguments.who.name())?;
    let held = HeldBundles::read(&arguments.bundles)?;
    let words = || render::ledger_checked(ledger.path(), &findings, &held, Screen::output());
    let failure = (held.wrong() > 0).then_some(|json| Failure::wrong_bundles(&held, json));
    answered(arguments.json, words, || render::ledger_checked_json(&findings, &held), failure)
}

fn void(arguments: &VoidArguments) -> Result<String, Failure> {
    let mut ledger = Ledger::open(&arguments.ledger)?;
    ledger.void(arguments.entry, &arguments.reason, &paid, &arguments.who.name())?;
    last(&ledger)
}

fn record(arguments: &RecordArguments) -> Result<String, Failure> {
    let mut ledger = Ledger::open(&arguments.ledger)?;
    let granted = ledger.history()?.terms().granted.clone();
    let cost = price_of(&arguments.reason, arguments.amount.guarantee()?, &granted).map_err(LedgerError::from)?;
    ledger.record(cost, &arguments.reason, &arguments.who.name())?;
    last(&ledger)
}

fn name(arguments: &NameArguments) -> Result<String, Failure> {
    let mut ledger = Ledger::open(&arguments.ledger)?;
    ledger.name(&arguments.name, &arguments.reason, &arguments.who.name())?;
    last(&ledger)
}

fn same_unit(arguments: &SameUnitArguments) -> Result<String, Failure> {
    let mut ledger = Ledger::open(&arguments.ledger)?;
    let (subject, unit) = protected(&read_plan(&arguments.plan)?)?;
    ledger.same_unit(&subject, unit, &arguments.reason, &arguments.who.name())?;
    last(&ledger)
}

/// Sentence on the entry just made.
fn last(ledger: &Ledger) -> Result<String, Failure> {
    let history = ledger.history()?;
    let statement = history.statement();
    let line = statement
        .last()
        .map(|line| format!("Entry {}: {} Left: {}.", line.entry.number, line.what, line.left.rounded_down()));
    Ok(Screen::output().prose(&line.unwrap_or_default()))
}

fn export(arguments: &ExportArguments) -> Result<String, Failure> {
    let history = Ledger::open(&arguments.ledger)?.history()?;
    let out = &arguments.out;
    let bytes = match out.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => ledger_csv(&history).map_err(|error| Failure::unwritten(out, &error.into()))?,
        Some("html") => ledger_page(&history).into_bytes(),
        _ => {
            return Err(Failure::wrong(
                "the name of the file says what to write: end it with .csv or .html".to_owned(),
            ));
        }
    };
    write_new(out, &bytes).map_err(|error| Failure::unwritten(out, &error))?;
    Ok(format!("Written: {}", out.display()))
}

impl Amount {
    fn guarantee(&self) -> Result<Guarantee, CoreError> {
        match (&self.epsilon, &self.delta, &self.rho) {
            (_, _, Some(rho)) => Ok(Guarantee::ZeroConcentrated { rho: Rho::new(rho.clone())? }),
            (epsilon, delta, None) => {
                let epsilon = Epsilon::new(epsilon.clone().expect("clap asks for epsilon or rho"))?;
                match delta {
                    Some(delta) => Ok(Guarantee::Approximate { epsilon, delta: Delta::new(delta.clone())? }),
                    None => Ok(Guarantee::Pure { epsilon }),
                }
            }
        }
    }
}
