//! Predictions of a released naive Bayes model for rows. Reads a bundle, which is public, and writes beside it.
//!
//! The model was learned from cells that were read by the rules of the plan, and the plan is in the bundle, so rows to
//! be classified are read by the same rules: this module finds the model and them, and `rows` applies both.

mod rows;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use inbounds_bundle::{KindWord, ReleaseManifest, StatisticEntry};
use inbounds_core::Quantity;
use inbounds_data::{Kind, NumberReader};
use inbounds_statistics::bayes::{Class, Model};
use thiserror::Error;

use crate::plan::{DocumentErrors, Missing, Plan};
use crate::unfinished::PLAN_FILE;

pub use rows::{Predicted, UnreadableCells, predict};

/// Why nothing was predicted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PredictError {
    /// A file that cannot be read.
    #[error("cannot read {}: {problem}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The mistake in it.
        problem: String,
    },
    /// A bundle without a model, or without the one that was named.
    #[error("{} holds no naive Bayes model{named}; its statistics are {found}", bundle.display())]
    NoModel {
        /// The bundle.
        bundle: PathBuf,
        /// " `name`" where one was asked for.
        named: String,
        /// Its content.
        found: String,
    },
    /// Several models, none named.
    #[error("{} holds several models: choose one with --statistic: {found}", bundle.display())]
    SeveralModels {
        /// The bundle.
        bundle: PathBuf,
        /// Their names.
        found: String,
    },
    /// A bundle whose plan is not the one that its model was released by.
    #[error(
        "{} is not the plan of this release, which says how cells are read; put the plan that was released there, byte for byte",
        file.display()
    )]
    AnotherPlan {
        /// Where the plan was looked for.
        file: PathBuf,
    },
    /// A plan in a bundle that cannot be read.
    #[error(transparent)]
    Plan(#[from] DocumentErrors),
    /// A model that can never choose one of its classes.
    #[error(
        "class `{class}` of {} is impossible: its released variance of `{column}` is 0; release the model anew with this version, \
         whose variances are always positive",
        bundle.display()
    )]
    ImpossibleClass {
        /// The bundle.
        bundle: PathBuf,
        /// The class.
        class: String,
        /// The feature.
        column: String,
    },
    /// Rows without a feature of the model.
    #[error("{} must have the column `{column}`, which the model reads; {help}", file.display())]
    NoColumn {
        /// The file.
        file: PathBuf,
        /// The missing column.
        column: String,
        /// The remedy.
        help: String,
    },
    /// Rows with a column that the result adds.
    #[error("{} has a column `{column}`, which the result adds: rename or remove it", file.display())]
    TakenColumn {
        /// The file.
        file: PathBuf,
        /// The column.
        column: String,
    },
    /// A result that cannot be written.
    #[error("cannot write {}: {source}; name a file that does not exist yet", file.display())]
    Unwritten {
        /// The file.
        file: PathBuf,
        /// The failure.
        source: io::Error,
    },
}

/// A released model, with the rules of its plan for the cells of its features.
#[derive(Debug, Clone)]
pub struct ReleasedModel {
    model: Model,
    /// One a feature.
    features: Vec<Feature>,
}

/// Reader of the cells of a feature, and the value of a cell without a number, if it counts.
#[derive(Debug, Clone)]
struct Feature {
    reader: NumberReader,
    filled: Option<f64>,
}

impl ReleasedModel {
    /// The model itself, for numbers that are in memory. What the plan says of cells of a file is not applied to them.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

/// The model of a bundle; the only one, or the one named.
///
/// # Errors
/// [`PredictError`].
pub fn model(bundle: &Path, statistic: Option<&str>) -> Result<ReleasedModel, PredictError> {
    let path = bundle.join(ReleaseManifest::FILE);
    let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
    let manifest: ReleaseManifest = serde_json::from_slice(&bytes).map_err(|error| unreadable(&path, &error))?;
    let entry = chosen(bundle, &manifest, statistic)?;
    let path = bundle.join("estimates.csv");
    let mut reader = csv::Reader::from_path(&path).map_err(|error| unreadable(&path, &error))?;
    let rows: Vec<HashMap<String, String>> =
        reader.deserialize().collect::<Result<_, _>>().map_err(|error| unreadable(&path, &error))?;
    let mine = rows.iter().filter(|row| row.get("statistic") == Some(&entry.name));
    let model = assemble(entry, mine).ok_or_else(|| unreadable(&path, &"it lacks numbers of the model"))?;
    let impossible = model.degenerate().first().map(|(class, column)| PredictError::ImpossibleClass {
        bundle: bundle.to_owned(),
        class: (*class).to_owned(),
        column: (*column).to_owned(),
    });
    if let Some(impossible) = impossible {
        return Err(impossible);
    }
    let plan = plan(bundle, &manifest)?;
    let features = model.features.iter().map(|name| feature(&plan, name)).collect();
    Ok(ReleasedModel { model, features })
}

/// The plan that the bundle was released by.
fn plan(bundle: &Path, manifest: &ReleaseManifest) -> Result<Plan, PredictError> {
    let file = bundle.join(PLAN_FILE);
    if !file.exists() {
        return Err(PredictError::AnotherPlan { file });
    }
    let plan = Plan::read(&file)?;
    if plan.digest == manifest.plan_sha256 { Ok(plan) } else { Err(PredictError::AnotherPlan { file }) }
}

fn feature(plan: &Plan, name: &str) -> Feature {
    let column = plan.column(name);
    let declared = column.and_then(|column| column.column_type.as_ref()).map_or(Kind::Number, |kind| kind.value);
    let filled = match column.and_then(|column| column.missing.as_ref()) {
        Some(Missing::Impute(value)) => Some(value.to_f64()),
        Some(Missing::Drop) | None => None,
    };
    Feature { reader: NumberReader::new(&plan.cell_rules(name), declared), filled }
}

fn chosen<'m>(
    bundle: &Path,
    manifest: &'m ReleaseManifest,
    name: Option<&str>,
) -> Result<&'m StatisticEntry, PredictError> {
    let models = || manifest.statistics.iter().filter(|entry| entry.kind.is(KindWord::NaiveBayes));
    let wanted: Vec<_> = models().filter(|entry| name.is_none_or(|name| entry.name == name)).collect();
    let list = |entries: Vec<String>| entries.join(", ");
    match wanted[..] {
        [one] => Ok(one),
        [] => Err(PredictError::NoModel {
            bundle: bundle.to_owned(),
            named: name.map_or_else(String::new, |name| format!(" `{name}`")),
            found: list(manifest.statistics.iter().map(|entry| format!("{} ({})", entry.name, entry.kind)).collect()),
        }),
        _ => Err(PredictError::SeveralModels {
            bundle: bundle.to_owned(),
            found: list(models().map(|entry| entry.name.clone()).collect()),
        }),
    }
}

/// A model from the rows of its estimates: those of a class follow one another.
fn assemble<'r>(entry: &StatisticEntry, rows: impl Iterator<Item = &'r HashMap<String, String>>) -> Option<Model> {
    let mut numbers: HashMap<(Vec<String>, String), f64> = HashMap::new();
    let mut keys: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let key: Vec<String> =
            entry.by.iter().map(|by| row.get(&format!("by_{by}")).cloned()).collect::<Option<_>>()?;
        if keys.last() != Some(&key) {
            keys.push(key.clone());
        }
        numbers.insert((key, row.get("output")?.clone()), row.get("estimate")?.parse().ok()?);
    }
    let estimate = |key: &Vec<String>, output: Quantity| numbers.get(&(key.clone(), output.to_string())).copied();
    // As the library reads them: a class has at least one row.
    let rows = |key: &Vec<String>| Some(estimate(key, Quantity::Rows)?.max(1.0));
    let total = keys.iter().map(rows).sum::<Option<f64>>()?;
    let class = |key: &Vec<String>| {
        let every = |quantity: fn(String) -> Quantity| -> Option<Vec<f64>> {
            entry.columns.iter().map(|column| estimate(key, quantity(column.clone()))).collect()
        };
        Some(Class {
            name: key.join(", "),
            log_prior: libm::log(rows(key)? / total),
            means: every(|column| Quantity::Mean { column: Some(column) })?,
            variances: every(|column| Quantity::Variance { column })?,
        })
    };
    Some(Model { features: entry.columns.clone(), classes: keys.iter().map(class).collect::<Option<_>>()? })
}

fn unreadable(file: &Path, problem: &impl ToString) -> PredictError {
    PredictError::Unreadable { file: file.to_owned(), problem: problem.to_string() }
}
