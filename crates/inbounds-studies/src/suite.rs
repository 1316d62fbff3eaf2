//! Several studies in a row, and everything they found in one folder.

use crate::{
    Check, Findings, Progress, Settings, Standing, Statement, Study, StudyError, Verdict, registry, statement,
};

/// Outcome of a study.
#[derive(Debug)]
pub enum Outcome {
    /// It ran.
    Found(Box<Findings>),
    /// Data that is not part of the project is missing, in words.
    Skipped(String),
}

/// Verdict of the studies on a statement of a paper, over all their checks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// All agree with it.
    Agrees,
    /// All contradict it.
    Differs,
    /// Some agree, some contradict.
    Partly,
    /// A study that computes it lacks its data.
    Skipped,
    /// No study can compute it, and why.
    Uncomputed(&'static str),
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

    /// Verdict of the studies of this suite on a statement of a paper; none if none of them computes it.
    ///
    /// A statement that no study computes is settled by a suite with all studies of its paper.
    pub fn settled(&self, statement: &'static Statement) -> Option<Settled> {
        if let Some(why) = statement.uncomputed {
            let ran = |study: &Study| self.outcomes.iter().any(|(other, _)| std::ptr::eq(*other, study));
            return registry::by_paper(statement.paper).all(ran).then_some(Settled::Uncomputed(why));
        }
        let mut verdict: Option<Settled> = None;
        for (_, outcome) in self.outcomes.iter().filter(|(study, _)| study.statements.contains(&statement)) {
            let Outcome::Found(findings) = outcome else { return Some(Settled::Skipped) };
            for check in findings.checks.iter().filter(|check| check.statement() == Some(statement)) {
                let differs = matches!(check.verdict, Verdict::Differs { .. });
                let one = if differs { Settled::Differs } else { Settled::Agrees };
                verdict = Some(if verdict.is_none_or(|before| before == one) { one } else { Settled::Partly });
            }
        }
        verdict
    }

    /// Numbers of statements by verdict, in a sentence.
    pub fn decided(&self) -> String {
        let settled: Vec<Settled> = statement::all().filter_map(|statement| self.settled(statement)).collect();
        let count = |is_counted: fn(&Settled) -> bool| settled.iter().filter(|&settled| is_counted(settled)).count();
        format!(
            "Of {} statements {} agree, {} differ, {} agree in part, {} are not numbers to compute, and {} were not run.",
            settled.len(),
            count(|settled| *settled == Settled::Agrees),
            count(|settled| *settled == Settled::Differs),
            count(|settled| *settled == Settled::Partly),
            count(|settled| matches!(settled, Settled::Uncomputed(_))),
            count(|settled| *settled == Settled::Skipped),
        )
    }
}
