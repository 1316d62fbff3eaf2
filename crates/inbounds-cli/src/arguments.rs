//! Arguments of the command line.

use std::{num::NonZeroU64, path::PathBuf};

use bytesize::ByteSize;
use clap::{Args, Parser, Subcommand};
use inbounds_advise::{
    Question, RankingCriterion,
    design::{Aim, DesignQuestion, NoiseKind, noise_named, noise_words},
};
use inbounds_bundle::Language;
use inbounds_core::{Approval, CoreError, Delta, Epsilon, Named, Rational};
use inbounds_reconcile::{Fit, Options, TotalLabels, WideColumns};
use inbounds_release::{AssumedRows, FirstAnswers, FirstNeighbours, FirstUnit, Sizes, UnitMemory, plan::TextEncoding};
use inbounds_studies::Settings;

use crate::{
    exit_codes::{EXIT_CODES, SEE_EXIT_CODES},
    ledger::LedgerCommand,
    topic::topics,
};

/// Differentially private statistics that stay in their known range and state what that costs in bias and error.
#[derive(Debug, Parser)]
#[command(
    name = "inbounds",
    version,
    after_help = format!("{}\n\n{EXIT_CODES}", topics()),
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Release the statistics of a plan into a new folder
    Release(ReleaseArguments),
    /// Say what a plan costs and how accurate its statistics will be, without reading a row
    Check(CheckArguments),
    /// Make, try and save a plan on a page of this machine, before anything is spent; reads no row
    Explore(ExploreArguments),
    /// Show the curator exact counts of how the rows are read; NOT PRIVATE, and never written to a file
    Peek(PeekArguments),
    /// Attack a plan: neighbours that differ too much, noise that hides too little; reads no row
    Audit(AuditArguments),
    /// Write a first plan
    #[command(subcommand)]
    Plan(PlanCommand),
    /// Compare the mechanisms that keep a statistic in a range
    Advise(AdviseArguments),
    /// Compute the best rule that keeps noisy values in a range, with its distance from the best possible
    Design(DesignArguments),
    /// Classify rows with a released naive Bayes model
    Predict(PredictArguments),
    /// Make rates, differences, change and ranks of the numbers of a bundle, with valid intervals; reads no row
    Figure(FigureArguments),
    /// Say what changed from one release to another of the same plan, and what can be told from no change; reads no row
    Compare(CompareArguments),
    /// Make noisy numbers from any source add up, keep an order, stay in range or be whole
    Reconcile(ReconcileArguments),
    /// Keep the budget of a data set over all releases
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Draw the page of a bundle again
    Report(ReportArguments),
    /// Write the files that offices take: a workbook, a described table, the methods, and each picture as SVG and PNG
    Export(ExportArguments),
    /// Recompute the figures, tables and numbers of five papers
    #[command(subcommand)]
    Study(StudyCommand),
    /// Show a document, or the help of a command
    Help(WordsArguments),
    /// Print the script with which a shell completes commands and options
    Completions(CompletionsArguments),
    /// Print the manual page of the program, or of a command, in roff
    Man(WordsArguments),
}

impl Command {
    /// `true` if standard output is for a machine.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Release(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json,
            Self::Peek(arguments) => arguments.json,
            Self::Audit(arguments) => arguments.json,
            Self::Advise(arguments) => arguments.json,
            Self::Design(arguments) => arguments.json,
            Self::Predict(arguments) => arguments.json,
            Self::Figure(arguments) => arguments.json,
            Self::Compare(arguments) => arguments.json,
            Self::Reconcile(arguments) => arguments.json,
            Self::Report(arguments) => arguments.json,
            Self::Export(arguments) => arguments.json,
            Self::Study(command) => command.json(),
            Self::Ledger(command) => command.json(),
            Self::Explore(_) | Self::Plan(_) | Self::Help(_) | Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Write a first plan from the header or schema of a file, with questions that only people can answer; reads no row
    Init(InitArguments),
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct InitArguments {
    /// The rows: a file, a folder or a glob
    pub(crate) data: PathBuf,
    /// Where to write the plan; must not exist
    #[arg(long, value_name = "FILE", default_value = "plan.toml")]
    pub(crate) out: PathBuf,
    /// The encoding of text, such as windows-1250 or shift_jis, if it is neither UTF-8 nor UTF-16 with a mark
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub(crate) encoding: Option<TextEncoding>,
    /// Lines before the header, such as a title
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) skip: u32,
    /// The first line has names of columns although some are numbers, such as years
    #[arg(long)]
    pub(crate) header: bool,
    /// The sheet of a workbook that has the rows, if it is not the first
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// Public facts about the columns: a Frictionless Table Schema, CSV on the Web metadata, DDI, a REDCap dictionary,
    /// a table, or a file of SPSS, Stata or SAS
    #[arg(long, value_name = "FILE")]
    pub(crate) codebook: Option<PathBuf>,
    /// Whose data are protected: "row" if each person has one row, or the column that names persons. Without it the
    /// plan is not released until somebody chooses
    #[arg(long, value_name = "COLUMN")]
    pub(crate) unit: Option<String>,
    /// Most rows of one person that count, if the unit is a column
    #[arg(long, value_name = "N", default_value_t = NonZeroU64::MIN, requires = "unit")]
    pub(crate) max_rows: NonZeroU64,
    /// Which difference of data is hidden: "add-remove" hides also whether somebody is in the data, "substitute" what
    /// somebody's values are
    #[arg(long, value_name = "WORD", value_parser = ["add-remove", "substitute"], default_value = "add-remove")]
    pub(crate) neighbours: String,
    /// The number of rows, which everybody knows, under `--neighbours substitute`
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<u64>,
    /// Columns by which rows are counted, such as district,sex: one statistic each
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) count_by: Vec<String>,
    /// Epsilon of the whole release
    #[arg(long, value_name = "NUMBER", value_parser = epsilon)]
    pub(crate) epsilon: Option<Epsilon>,
}

impl InitArguments {
    /// What is decided already.
    pub(crate) fn answers(&self) -> FirstAnswers {
        let first_unit = |name: &String| match name.as_str() {
            "row" => FirstUnit::Row,
            _ => FirstUnit::Column { name: name.clone(), max_rows: self.max_rows.get() },
        };
        FirstAnswers {
            unit: self.unit.as_ref().map(first_unit),
            count_by: self.count_by.clone(),
            values: Vec::new(),
            neighbours: match self.neighbours.as_str() {
                "substitute" => FirstNeighbours::Substitute { rows: self.rows },
                _ => FirstNeighbours::AddRemove,
            },
            epsilon: self.epsilon.clone(),
        }
    }
}

/// An encoding by its name.
fn encoding(name: &str) -> Result<TextEncoding, String> {
    TextEncoding::named(name).ok_or_else(|| {
        "must be a label of the WHATWG Encoding Standard, such as windows-1250; convert a file in any other encoding, \
         such as with `iconv -f CP850 -t UTF-8`"
            .to_owned()
    })
}

#[derive(Debug, Args)]
#[command(after_help = topics())]
pub(crate) struct WordsArguments {
    /// A document (only for `help`), such as `plan`, or a command, such as `study run`
    #[arg(value_name = "NAME")]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ReleaseArguments {
    /// The plan, a TOML file (format: `inbounds help plan`)
    pub(crate) plan: PathBuf,
    /// Folder to create for the bundle; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Draw the noise from a seed, for tests and demonstrations; the bundle is marked as not private
    #[arg(long, value_name = "N", requires = "not_private")]
    pub(crate) seed: Option<u64>,
    /// Confirm that a seeded release protects nobody
    #[arg(long, requires = "seed")]
    pub(crate) not_private: bool,
    #[command(flatten)]
    approval: ApprovalArguments,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// Show all rows of long tables, not the first 12, and worst biases
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ReleaseArguments {
    /// Approval under which the plan is released, if one is given.
    pub(crate) fn approval(&self) -> Result<Option<Approval>, CoreError> {
        let ApprovalArguments { approved, approver, reason } = &self.approval;
        match (approved, approver, reason) {
            (Some(approved), Some(approver), Some(reason)) => Approval::new(approved, approver, reason).map(Some),
            // Each needs the others, as the program was told.
            _ => Ok(None),
        }
    }
}

/// The approval of a plan.
#[derive(Debug, Args)]
struct ApprovalArguments {
    /// Release the plan only if this is the digest that `inbounds check --out` showed to the person who approved it
    #[arg(long, value_name = "DIGEST", requires = "approver", requires = "reason")]
    approved: Option<String>,
    /// Who approved it
    #[arg(long, value_name = "NAME", requires = "approved")]
    approver: Option<String>,
    /// Why
    #[arg(long, value_name = "WORDS", requires = "approved")]
    reason: Option<String>,
}

/// Limits on the memory of the units of the rows.
#[derive(Debug, Args)]
pub(crate) struct MemoryArguments {
    /// Most memory for what is held of each unit where a unit has several rows, such as 500MB or 4GiB
    #[arg(long, value_name = "SIZE")]
    unit_memory: Option<ByteSize>,
    /// Folder in which rows of units wait beyond that, encrypted
    #[arg(long, value_name = "DIR", requires = "unit_memory")]
    spill: Option<PathBuf>,
}

impl MemoryArguments {
    pub(crate) fn of_units(&self) -> UnitMemory {
        UnitMemory { limit: self.unit_memory.map(|size| size.as_u64()), spill: self.spill.clone() }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct CheckArguments {
    /// The plan, a TOML file (format: `inbounds help plan`)
    pub(crate) plan: PathBuf,
    /// Also show bias, error and coverage for an assumed population at these numbers of rows, such as 50,100,500
    #[arg(long, value_name = "LIST")]
    pub(crate) sample_sizes: Option<Sizes>,
    /// Also compare the expected errors for these epsilons of the whole release, such as 0.1,0.5,1
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = epsilon)]
    pub(crate) epsilon: Vec<Epsilon>,
    /// Rows to assume in all, spread evenly over the groups of each statistic
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "group_sizes")]
    rows: Option<u64>,
    /// Rows to assume in a group, such as 50,500 [default: 100,10000]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    group_sizes: Vec<u64>,
    /// Write the page on which a person approves the plan, with the errors for each `--epsilon`; must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Also show noise and sensitivity of each measurement, and the errors at all truths
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

impl CheckArguments {
    /// Assumption about the number of rows.
    pub(crate) fn assumed(&self) -> AssumedRows {
        match (self.rows, self.group_sizes.as_slice()) {
            (Some(rows), _) => AssumedRows::Rows(rows),
            (None, []) => AssumedRows::Usual,
            (None, sizes) => AssumedRows::GroupSizes(sizes.to_vec()),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ExploreArguments {
    /// The plan, a TOML file; need not exist yet
    #[arg(default_value = "plan.toml")]
    pub(crate) plan: PathBuf,
    /// The port of 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Write the page as one file, with numbers at some epsilons, and serve nothing; must not exist
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct PeekArguments {
    /// The plan, a TOML file (format: `inbounds help plan`)
    pub(crate) plan: PathBuf,
    #[command(flatten)]
    pub(crate) memory: MemoryArguments,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct AuditArguments {
    /// The plan, a TOML file (what is tried: `inbounds help auditing`)
    pub(crate) plan: PathBuf,
    /// Take the header or schema of these data, not of those that the plan names; no row of either is read
    #[arg(long, value_name = "ROWS")]
    pub(crate) data: Option<PathBuf>,
    /// Sampled releases of each of the two tables of a pair
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(crate) runs: u32,
    /// Most pairs of neighbouring tables to compare
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub(crate) pairs: u64,
    /// Seed of the tables and of the noise
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl AuditArguments {
    /// Extent of the audit.
    pub(crate) fn options(&self) -> inbounds_audit::Options {
        let usual = inbounds_audit::Options::default();
        // Who asks for more pairs has more rows read.
        let rows = usual.rows.saturating_mul((self.pairs / usual.pairs).max(1));
        inbounds_audit::Options { runs: self.runs, pairs: self.pairs, rows, seed: self.seed }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct PredictArguments {
    /// The bundle with the model
    pub(crate) bundle: PathBuf,
    /// A CSV file with a column for each feature of the model
    pub(crate) rows: PathBuf,
    /// CSV file to create: the rows, their most probable class, and the probability of each; must not exist
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Name of the model, if the bundle has several
    #[arg(long, value_name = "NAME")]
    pub(crate) statistic: Option<String>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct FigureArguments {
    /// The bundle of a release
    pub(crate) bundle: PathBuf,
    /// The figures, in TOML: see `inbounds help figures`
    pub(crate) figures: PathBuf,
    /// Folder to create, with figures.csv and figures.json; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Show all rows of long tables
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct CompareArguments {
    /// The bundle of the earlier release
    pub(crate) old: PathBuf,
    /// The bundle of the later release
    pub(crate) new: PathBuf,
    /// Folder to create, with figures.csv and figures.json; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Probability with which each interval holds
    #[arg(long, value_name = "NUMBER", default_value_t = 0.95, value_parser = level)]
    pub(crate) interval: f64,
    /// Show all rows of long tables
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// A level of intervals.
fn level(text: &str) -> Result<f64, String> {
    let level = text.parse::<f64>().ok().filter(|level| (0.5..=0.9999).contains(level));
    level.ok_or_else(|| "must be between 0.5 and 0.9999, such as 0.95 or 0.9".to_owned())
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct AdviseArguments {
    /// Epsilon of the statistic, exact: 0.5 or 1/3
    #[arg(long, value_name = "NUMBER")]
    pub(crate) epsilon: Rational,
    /// Sensitivity: the most by which one privacy unit can move the statistic
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sensitivity: Rational,
    /// Lower end of the statistic's range, if it has one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) lower: Option<Rational>,
    /// Upper end of the statistic's range, if it has one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) upper: Option<Rational>,
    /// The statistic takes whole values only, as a count does
    #[arg(long)]
    pub(crate) integer: bool,
    /// Delta of the statistic; Gaussian mechanisms are compared too if it is given
    #[arg(long, value_name = "NUMBER")]
    pub(crate) delta: Option<Rational>,
    /// State errors as parts of the answer, and compare noise that is multiplied too; the lower end must be above 0
    #[arg(long)]
    pub(crate) relative: bool,
    /// Count of numbers of the same rows that share epsilon, each moved as far; one vector of noise for all is compared
    /// too
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(Question::MOST_NUMBERS)))]
    pub(crate) numbers: u32,
    /// Criterion of the ranking
    #[arg(long, value_name = "CRITERION", default_value = "worst-rmse", value_parser = criterion)]
    pub(crate) criterion: RankingCriterion,
    /// Draw bias and RMSE against the true value into a new SVG file
    #[arg(long, value_name = "FILE.svg", value_parser = svg_file)]
    pub(crate) plot: Option<PathBuf>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct DesignArguments {
    /// Epsilon of the statistic, exact: 0.5 or 1/3
    #[arg(long, value_name = "NUMBER")]
    epsilon: Rational,
    /// Delta of the statistic, which Gaussian noise needs
    #[arg(long, value_name = "NUMBER")]
    delta: Option<Rational>,
    /// Sensitivity: the most by which one privacy unit can move the statistic
    #[arg(long, value_name = "NUMBER")]
    sensitivity: Rational,
    /// Lower end of the statistic's range
    #[arg(long, value_name = "NUMBER", default_value = "0", allow_negative_numbers = true)]
    lower: Rational,
    /// Upper end of the statistic's range, if it has one
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    upper: Option<Rational>,
    /// Distance between possible values
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    step: Rational,
    #[arg(long, value_name = "NOISE", help = noise_help(), default_value = "laplace", value_parser = noise)]
    noise: NoiseKind,
    /// Criterion to minimise: worst-bias, mean-mse or worst-mse
    #[arg(long, value_name = "CRITERION", default_value = "worst-bias", value_parser = aim)]
    criterion: Aim,
    /// Largest bias allowed, with mean-mse and worst-mse
    #[arg(long, value_name = "NUMBER")]
    worst_bias: Option<Rational>,
    /// No bias for answers far from the lower end
    #[arg(long)]
    unbiased_far: bool,
    /// Larger measurements never give smaller estimates
    #[arg(long)]
    monotone: bool,
    /// Write the rule into a new CSV file
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

impl DesignArguments {
    /// The question, with epsilon and delta checked.
    pub(crate) fn question(&self) -> Result<DesignQuestion, CoreError> {
        Ok(DesignQuestion {
            epsilon: Epsilon::new(self.epsilon.clone())?,
            delta: self.delta.clone().map_or(Ok(Delta::ZERO), Delta::new)?,
            sensitivity: self.sensitivity.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            step: self.step.clone(),
            noise: self.noise,
            aim: self.criterion,
            worst_bias: self.worst_bias.clone(),
            unbiased_far: self.unbiased_far,
            monotone: self.monotone,
        })
    }
}

fn noise_help() -> String {
    let words = noise_words();
    let (last, others) = words.split_last().expect("there is noise");
    format!("Noise: {} or {last}", others.join(", "))
}

/// A kind of noise by its word.
fn noise(word: &str) -> Result<NoiseKind, String> {
    noise_named(word).ok_or_else(|| format!("noise must be one of {}, got `{word}`", noise_words().join(", ")))
}

/// An aim of a design by its name.
fn aim(word: &str) -> Result<Aim, String> {
    let named = Aim::ALL.into_iter().find(|aim| aim.name() == word);
    named.ok_or_else(|| format!("a criterion is one of {}", Aim::ALL.map(Aim::name).join(", ")))
}

/// An attribute and the columns of its values.
fn wide(words: &str) -> Result<WideColumns, String> {
    let refused =
        || format!("write the attribute and the columns of its values, such as tenure=owned,rented, not `{words}`");
    let (attribute, values) = words.split_once('=').ok_or_else(refused)?;
    let values: Vec<String> = values.split(',').map(str::to_owned).collect();
    let is_whole = !attribute.is_empty() && values.iter().all(|value| !value.is_empty());
    let wide = WideColumns { attribute: attribute.to_owned(), values, total: None };
    is_whole.then_some(wide).ok_or_else(refused)
}

/// A fit by its name.
fn fit(word: &str) -> Result<Fit, String> {
    Fit::named(word).map_err(str::to_owned)
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ReconcileArguments {
    /// Noisy values with their variances, CSV or Parquet (format: `inbounds help constraints`)
    pub(crate) measurements: PathBuf,
    /// Constraints besides sums along a tree, a TOML file: equalities, inequalities, a total, orders, bounds, exact
    /// values, a semidefinite matrix; without the option, no number is negative
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) constraints: Option<PathBuf>,
    /// A table with one column for each value of an attribute, such as --wide tenure=owned,rented: the measurements
    /// stand in these columns, and `variance`, or `law` and `scale`, are those of every measurement of a row
    #[arg(long, value_name = "ATTRIBUTE=COLUMN,COLUMN,...", value_parser = wide)]
    pub(crate) wide: Option<WideColumns>,
    /// The column with measurements of the sum over that attribute
    #[arg(long, value_name = "COLUMN", requires = "wide")]
    pub(crate) wide_total: Option<String>,
    /// A value of an attribute that is its total, such as --total "Both sexes"; it may be given again for others.
    /// Labels of totals in use, such as `Total`, `Insgesamt` or `Ensemble`, are recognised without it
    #[arg(long, value_name = "LABEL")]
    pub(crate) total: Vec<String>,
    /// Read labels of totals as values like any other, but for those of --total
    #[arg(long)]
    pub(crate) no_totals: bool,
    /// The measurements of a table are residuals of its margins, such as those of a release that measured residuals:
    /// what is left of each margin once the mean along each of its attributes is taken away
    #[arg(long)]
    pub(crate) residuals: bool,
    /// Make all estimates whole numbers; refused where no solver can guarantee them
    #[arg(long)]
    pub(crate) integer: bool,
    /// Fit of the levels of a tree or the margins of a table: top-down (the default; bounds of lower levels never move
    /// upper ones), joint (one least-squares problem for all levels at once), or shrunk (top-down, with numbers that
    /// noise alone may have made shrunk towards zero: less error in sparse data, at the price of bias)
    #[arg(long, value_name = "FIT", value_parser = fit)]
    pub(crate) fit: Option<Fit>,
    /// Level of the intervals
    #[arg(long, value_name = "NUMBER", default_value_t = 0.95)]
    pub(crate) level: f64,
    /// Times that noise is drawn again to find bias, RMSE and intervals; 0 for none
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub(crate) replicates: u32,
    /// Seed of these draws; they protect nothing
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder to create for the bundle; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Show all rows of long tables, not the first 12
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ReconcileArguments {
    /// Options beside the contents of the files.
    pub(crate) fn options(&self) -> Options {
        let wide = self.wide.clone().map(|wide| WideColumns { total: self.wide_total.clone(), ..wide });
        Options {
            wide,
            totals: TotalLabels { named: self.total.clone(), usual: !self.no_totals },
            residuals: self.residuals,
            constraints: self.constraints.clone(),
            integer: self.integer,
            fit: self.fit,
            level: self.level,
            replicates: self.replicates as usize,
            seed: self.seed,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ReportArguments {
    /// Folder that `inbounds release` or `inbounds reconcile` made
    pub(crate) bundle: PathBuf,
    /// Write the page into this new file; without it, report.html of the bundle is replaced
    #[arg(long, value_name = "FILE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Tell the methods in this language in place of the plan's: en, de or fr
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub(crate) language: Option<Language>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct ExportArguments {
    /// Folder that `inbounds release` or `inbounds reconcile` made
    pub(crate) bundle: PathBuf,
    /// Folder for the files; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Tell the methods in this language in place of the plan's: en, de or fr
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    pub(crate) language: Option<Language>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// A language that the methods can be told in.
pub(crate) fn language(word: &str) -> Result<Language, String> {
    let known = || Language::all().iter().map(|language| language.name()).collect::<Vec<_>>().join(", ");
    Language::named(word).ok_or_else(|| format!("the methods can be told in {}", known()))
}

#[derive(Debug, Subcommand)]
pub(crate) enum StudyCommand {
    /// List the studies
    List {
        /// Print JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Run one study and compare its results with its paper
    Run(StudyRunArguments),
    /// Run all studies and write tables, pictures and a page per paper
    All(StudyAllArguments),
}

impl StudyCommand {
    fn json(&self) -> bool {
        match self {
            Self::List { json } => *json,
            Self::Run(arguments) => arguments.settings.json,
            Self::All(arguments) => arguments.settings.json,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct StudyRunArguments {
    /// Id of the study, as in `inbounds study list`
    pub(crate) id: String,
    /// Folder to create for table, picture and page; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: StudySettings,
}

#[derive(Debug, Args)]
#[command(after_help = SEE_EXIT_CODES)]
pub(crate) struct StudyAllArguments {
    /// Folder to create for tables, pictures and pages; must not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) settings: StudySettings,
}

/// Settings for one study and for all.
#[derive(Debug, Args)]
pub(crate) struct StudySettings {
    /// Replicates of every simulation, at least 100 [default: each study's own number]
    #[arg(long, value_name = "N")]
    replicates: Option<u64>,
    /// Seed of the simulations [default: that of the pages in docs/studies]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Folder with the public files people/iris.csv and geo/...; studies on real data need it
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Print JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl StudySettings {
    /// The settings, documented where nothing is said.
    pub(crate) fn settings(&self) -> Settings {
        let documented = Settings::documented(self.data.clone());
        Settings { replicates: self.replicates, seed: self.seed.unwrap_or(documented.seed), ..documented }
    }
}

/// A positive number, exact.
pub(crate) fn epsilon(text: &str) -> Result<Epsilon, String> {
    let number: Rational = text.parse().map_err(|error: CoreError| error.to_string())?;
    Epsilon::new(number).map_err(|error| error.to_string())
}

/// A criterion by its name.
fn criterion(word: &str) -> Result<RankingCriterion, String> {
    let names = RankingCriterion::ALL.map(RankingCriterion::name);
    let named = RankingCriterion::ALL.into_iter().find(|criterion| criterion.name() == word);
    named.ok_or_else(|| format!("a criterion is one of {}", names.join(", ")))
}

impl AdviseArguments {
    /// The question, with epsilon checked.
    pub(crate) fn question(&self) -> Result<Question, CoreError> {
        Ok(Question {
            epsilon: Epsilon::new(self.epsilon.clone())?,
            delta: self.delta.clone().map_or(Ok(Delta::ZERO), Delta::new)?,
            sensitivity: self.sensitivity.clone(),
            lower: self.lower.clone(),
            upper: self.upper.clone(),
            integer: self.integer,
            relative: self.relative,
            numbers: self.numbers,
        })
    }
}

/// A file whose name says that it is SVG: nothing else is drawn, and a file must be what its name says.
fn svg_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return Ok(path);
    }
    Err(format!(
        "pictures are drawn as SVG: write {} (any browser opens it, and can print or convert it)",
        path.with_extension("svg").display()
    ))
}
