//! A study, its input and its findings.

use std::{
    io,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use inbounds_core::CoreError;
use inbounds_plot::Figure;
use thiserror::Error;

use crate::{Check, Paper, Statement, Table};

/// Fewest replicates from which a standard error is worth the name.
const LEAST_REPLICATES: u64 = 100;

/// One figure, table or statement of a paper, computed again.
#[derive(Debug)]
pub struct Study {
    /// Its name: the key of the paper, a dash, a few words.
    pub id: &'static str,
    /// The paper.
    pub paper: Paper,
    /// Where in the paper, such as `Figure 1`.
    pub place: &'static str,
    /// The paper's claim there.
    pub claim: &'static str,
    /// The statements of the paper that its checks are of, all of them; none for a study of this project's own claims.
    pub statements: &'static [&'static Statement],
    /// Replicates of its simulations by default; 0 where nothing is drawn.
    pub replicates: u64,
    /// The computation.
    pub compute: fn(&Context<'_>) -> Result<Findings, StudyError>,
}

impl Study {
    /// Computes the study: the same findings for the same settings, with any number of threads.
    ///
    /// # Errors
    /// [`StudyError`]; a check that fails is no error but stands in the findings.
    pub fn run(&self, settings: &Settings, progress: &dyn Progress) -> Result<Findings, StudyError> {
        let replicates = settings.replicates.unwrap_or(self.replicates);
        if self.replicates > 0 && replicates < LEAST_REPLICATES {
            return Err(StudyError::Replicates { replicates, least: LEAST_REPLICATES });
        }
        progress.begin(self.id);
        let data = settings.data.as_deref();
        (self.compute)(&Context { study: self.id, replicates, seed: settings.seed, data, progress })
    }
}

/// Choices of the person who runs studies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Replicates of every simulation; each study's own number if `None`.
    pub replicates: Option<u64>,
    /// Every draw follows from it.
    pub seed: u64,
    /// A folder with the public files `people/iris.csv` and `geo/...`, for the studies on real data.
    pub data: Option<PathBuf>,
}

impl Settings {
    /// The settings behind the pages in `docs/studies`.
    pub fn documented(data: Option<PathBuf>) -> Self {
        Self { replicates: None, seed: 20_261_121, data }
    }
}

/// Input of a study.
pub struct Context<'a> {
    /// Id of the study that runs.
    pub study: &'static str,
    /// Replicates of each simulation.
    pub replicates: u64,
    /// Every draw follows from it.
    pub seed: u64,
    /// The folder of [`Settings::data`].
    pub data: Option<&'a Path>,
    /// Told where the simulations stand.
    pub progress: &'a dyn Progress,
}

impl Context<'_> {
    /// The contents of a file of the data folder, unpacked if its name ends in `.gz`.
    ///
    /// # Errors
    /// [`StudyError::NoData`] if there is no folder or no such file, [`StudyError::Read`] if it cannot be read.
    pub fn read(&self, name: &str) -> Result<String, StudyError> {
        let path = self.data.map(|folder| folder.join(name)).filter(|path| path.is_file());
        let path = path.ok_or_else(|| StudyError::NoData { study: self.study, file: name.to_owned() })?;
        let unpacked = || {
            let file = std::fs::File::open(&path)?;
            if name.ends_with(".gz") { io::read_to_string(GzDecoder::new(file)) } else { io::read_to_string(file) }
        };
        unpacked().map_err(|source| StudyError::Read { path: path.clone(), source })
    }
}

/// A watcher of studies.
pub trait Progress: Sync {
    /// A study begins.
    fn begin(&self, study: &str);

    /// Called from several threads: a study has done `done` of `total` replicates of one of its simulations.
    fn at(&self, study: &str, simulation: &str, done: u64, total: u64);
}

/// Watches nothing.
#[derive(Debug)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str) {}

    fn at(&self, _: &str, _: &str, _: u64, _: u64) {}
}

/// Findings of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// All numbers, for CSV files.
    pub tables: Vec<Table>,
    /// The picture.
    pub figure: Option<Figure>,
    /// The paper's statements beside what was found.
    pub checks: Vec<Check>,
    /// Findings in sentences, as Markdown.
    pub prose: String,
    /// Which data was used in place of data that is not there; the pages are written without a substitute.
    pub substitute: Option<String>,
}

impl Findings {
    /// `true` if every verdict is borne out by its numbers.
    pub fn hold(&self) -> bool {
        self.checks.iter().all(Check::holds)
    }
}

/// Why a study has no findings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// Data that is not part of the project is missing.
    #[error("{study} needs the public file {file}, which is not there: name a folder that holds it with --data")]
    NoData {
        /// The study.
        study: &'static str,
        /// The file within the data folder.
        file: String,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A public file does not have the form that is expected.
    #[error("{file} is not as expected: {reason}")]
    Malformed {
        /// The file within the data folder.
        file: String,
        /// The mistake.
        reason: String,
    },
    /// Too few replicates for a standard error.
    #[error("replicates must be at least {least}, got {replicates}")]
    Replicates {
        /// Asked for.
        replicates: u64,
        /// Fewest allowed.
        least: u64,
    },
    /// A parameter outside its admissible set.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// No such calibration.
    #[error(transparent)]
    Calibration(#[from] inbounds_mechanisms::calibrate::CalibrationError),
    /// A malformed system of constraints.
    #[error(transparent)]
    Project(#[from] inbounds_project::ProjectError),
    /// A statistic that cannot be prepared.
    #[error(transparent)]
    Statistic(#[from] inbounds_statistics::StatisticError),
    /// A rule that could not be designed.
    #[error(transparent)]
    Design(#[from] inbounds_mechanisms::designer::DesignError),
}
