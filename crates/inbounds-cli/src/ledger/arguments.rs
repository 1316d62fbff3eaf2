//! Arguments after `inbounds ledger`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use inbounds_core::{Named, Neighbours, Rational};
use inbounds_ledger::{DataSet, LedgerUnit};
use inbounds_release::accounts::data_set;

use crate::exit_codes::SEE_EXIT_CODES;

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Create the ledger of a data set; do this once
    Create(CreateArguments),
    /// Show what was spent, on what, and what is left
    Show(ShowArguments),
    /// Verify the whole history, enter bundles that stand, and remove what dead runs left
    Check(CheckArguments),
    /// Take back the price of a reservation of which nothing was published
    Void(VoidArguments),
    /// Enter something that was spent elsewhere, such as releases from before the ledger
    Record(RecordArguments),
    /// Give the data set a name, for plans that release other files with rows of the same people
    Name(NameArguments),
    /// Say that a plan, which makes or reads the unit in another way, names the same units
    SameUnit(SameUnitArguments),
    /// Write the history as a table (.csv) or a page (.html)
    Export(ExportArguments),
}

impl LedgerCommand {
    /// `true` if standard output is for a machine.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Show(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json,
            Self::Create(_) | Self::Void(_) | Self::Record(_) | Self::Name(_) | Self::SameUnit(_) | Self::Export(_) => {
                false
            }
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct CreateArguments {
    /// The file to create, on a local disk; must not exist
    pub(crate) ledger: PathBuf,
    /// The rows: a file, folder or glob as in plans; or a name, which plans then state as `name` in [data]
    #[arg(long, value_name = "PATH|NAME", value_parser = data_set)]
    pub(crate) data: DataSet,
    /// Who is protected: `row`, or `column=NAME` for all rows with one value of a column
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(crate) unit: LedgerUnit,
    /// `add-remove` or `substitute`, as in the plans
    #[arg(long, value_name = "RELATION", value_parser = neighbours)]
    pub(crate) neighbours: Neighbours,
    /// The rows never change, as those of a closed survey; then releases of disjoint rows can share the budget
    #[arg(long)]
    pub(crate) fixed_rows: bool,
    #[command(flatten)]
    pub(crate) amount: Amount,
    #[command(flatten)]
    pub(crate) who: Who,
}

/// An amount in one of the accountings.
#[derive(Debug, Args)]
pub(crate) struct Amount {
    /// Epsilon, exact: 2 or 1/3
    #[arg(long, value_name = "NUMBER", required_unless_present = "rho", conflicts_with = "rho")]
    pub(crate) epsilon: Option<Rational>,
    /// Delta besides epsilon; without it epsilon is pure
    #[arg(long, value_name = "NUMBER", requires = "epsilon")]
    pub(crate) delta: Option<Rational>,
    /// Rho of zero-concentrated privacy, in the place of epsilon
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rho: Option<Rational>,
}

/// Who makes an entry.
#[derive(Debug, Args)]
pub(crate) struct Who {
    /// Who says so [default: the user that is logged in]
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

impl Who {
    /// Their name.
    pub(crate) fn name(&self) -> String {
        self.by.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(inbounds_ledger::current_user)
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ShowArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct CheckArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// Bundles that were paid from it: a history that was cut or put back does not know them
    pub(crate) bundles: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) who: Who,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct VoidArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// Number of the reservation
    pub(crate) entry: u64,
    /// Evidence that no number of it was ever seen
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) who: Who,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct RecordArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    #[command(flatten)]
    pub(crate) amount: Amount,
    /// Description of the release, and where it can be found
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) who: Who,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ExportArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// The file to create, .csv or .html; must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct NameArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// The name, which plans then state as `name` in [data]
    #[arg(value_parser = name)]
    pub(crate) name: String,
    /// Evidence that the rows are of the same people
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) who: Who,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct SameUnitArguments {
    /// The ledger
    pub(crate) ledger: PathBuf,
    /// The plan that makes or reads the unit in the other way
    pub(crate) plan: PathBuf,
    /// Evidence that rows share a unit in this plan exactly where they do in the releases before
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) who: Who,
}

fn name(text: &str) -> Result<String, String> {
    stated(text, "a name must say something")
}

fn unit(text: &str) -> Result<LedgerUnit, String> {
    let rows = text.strip_prefix("rows=").and_then(|rows| rows.parse().ok()).filter(|rows| *rows > 0);
    match (text, text.strip_prefix("column="), rows) {
        ("row", ..) => Ok(LedgerUnit::Row),
        (_, Some(column), _) if !column.is_empty() => Ok(LedgerUnit::Column(column.to_owned())),
        (.., Some(rows)) => Ok(LedgerUnit::Rows(rows)),
        _ => Err(
            "a unit is `row`; `column=NAME` with the column that names it, such as column=patient; or `rows=N` for \
                  any N rows"
                .to_owned(),
        ),
    }
}

fn neighbours(text: &str) -> Result<Neighbours, String> {
    Neighbours::named(text).ok_or_else(|| "neighbours are `add-remove` or `substitute`".to_owned())
}

fn reason(text: &str) -> Result<String, String> {
    stated(text, "a reason must say something: others will rely on it")
}

/// A text without the blanks around it, or why it may not be empty.
fn stated(text: &str, why: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err(why.to_owned()) } else { Ok(text.to_owned()) }
}
