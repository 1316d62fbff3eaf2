//! Several studies in a row, and everything they found in one folder.

use std::{fs, io, path::Path};

use crate::{Check, Findings, Paper, Progress, Settings, Standing, Study, StudyError, files, pages};

/// What became of a study.
#[derive(Debug)]
pub enum Outcome {
    /// It ran.
    Found(Box<Findings>),
    /// Data that is not part of the project is missing, in words.
    Skipped(String),
}

/// Studies with their outcomes.
#[derive(Debug)]
pub struct Suite {
    /// The outcomes in the order in which they ran.
    pub outcomes: Vec<(&'static Study, Outcome)>,
}

impl Suite {
    /// Runs studies one after the other; each uses all processors.
    ///
    /// # Errors
    /// [`StudyError`], but for missing data.
    pub fn run(
        studies: impl Iterator<Item = &'static Study>,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self, StudyError> {
        let mut outcomes = Vec::new();
        for study in studies {
            let outcome = match study.run(settings, progress) {
                Ok(findings) => Outcome::Found(Box::new(findings)),
                Err(error @ StudyError::NoData { .. }) => Outcome::Skipped(error.to_string()),
                Err(error) => return Err(error),
            };
            outcomes.push((study, outcome));
        }
        Ok(Self { outcomes })
    }

    /// Checks whose verdict their numbers contradict.
    pub fn failed(&self) -> impl Iterator<Item = (&'static Study, &Check)> {
        self.standing(Standing::Fails)
    }

    /// Checks whose numbers stand to their verdict like this.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = (&'static Study, &Check)> {
        self.outcomes.iter().flat_map(move |(study, outcome)| {
            let checks = if let Outcome::Found(findings) = outcome { findings.checks.as_slice() } else { &[] };
            checks.iter().filter(move |check| check.standing() == standing).map(|check| (*study, check))
        })
    }

    /// Creates a folder and writes into it all tables and pictures, a page per paper and the list of errata.
    ///
    /// # Errors
    /// Any error of the file system; [`io::ErrorKind::AlreadyExists`] if something is at the place of the folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        for paper in Paper::ALL {
            let mut page = String::new();
            for (study, outcome) in self.outcomes.iter().filter(|(study, _)| study.paper == paper) {
                match outcome {
                    Outcome::Found(findings) => {
                        files::write(study, findings, folder)?;
                        page.push_str(&pages::section(study, findings));
                    }
                    Outcome::Skipped(reason) => page.push_str(&pages::skipped(study, reason)),
                }
            }
            if !page.is_empty() {
                fs::write(folder.join(pages::name(paper)), pages::head(paper) + &page)?;
            }
        }
        fs::write(folder.join("errata.md"), pages::ERRATA)
    }
}
