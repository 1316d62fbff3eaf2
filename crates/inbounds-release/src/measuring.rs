//! What stands between rows and public numbers: every exact answer of a release, and the noise on it.
//!
//! A release and an audit of it go through the same two functions, so that what is attacked is what runs.

use std::sync::atomic::AtomicBool;

use inbounds_core::Answer;
use inbounds_data::{Answers, Query, Questions};
use inbounds_mechanisms::{mechanism::Measurements, sampler::Entropy};
use inbounds_statistics::Design;

use crate::{Outline, ReleaseError, opening::open, plan::Plan};

/// Every exact number that a release measures, before noise. **Private.**
pub struct ExactAnswers {
    /// One answer a component, for each statistic in plan order.
    pub statistics: Vec<Vec<Answer>>,
    /// How the rows were read, where the plan has it measured.
    pub diagnostics: Option<Answer>,
}

/// Everything that a release draws at random. Public.
pub struct Measured {
    /// One vector a component, for each statistic in plan order.
    pub statistics: Vec<Vec<Measurements>>,
    /// How the rows were read.
    pub diagnostics: Option<Measurements>,
    /// Seed of the rounding of estimates, published so that anyone can redo them from the measurements.
    pub rounding_seed: u64,
}

impl Outline {
    /// Answers everything in one pass over the rows.
    ///
    /// Under substitution of rows the number of rows is public, and scales and ranges rest on it: it must be right, of the very
    /// rows that are measured.
    ///
    /// # Errors
    /// [`ReleaseError::Rows`] for another public number of rows, and [`ReleaseError::Data`]. None depends on the value of a cell.
    pub fn answer(&self, plan: &Plan, stop: Option<&AtomicBool>) -> Result<ExactAnswers, ReleaseError> {
        let Design { rows, neighbours, .. } = self.design;
        let all_rows = Query::default();
        let mut queries: Vec<&Query> = self.tasks.iter().map(|task| &task.query).collect();
        queries.extend(rows.map(|_| &all_rows));
        let surveys = self.diagnostics.iter().map(|asked| &asked.survey).collect();
        let Answers { mut tallies, surveys } = self.engine.answer(&Questions { queries, surveys, stop })?;
        if let Some(planned) = rows {
            let counted = tallies.pop().and_then(|tally| tally.counts.public_rows(neighbours));
            if let Some(found) = counted.filter(|&found| found != i128::from(planned)) {
                return Err(ReleaseError::Rows { rows_are: plan.rows_are(), planned, found });
            }
        }
        let statistics = self.tasks.iter().zip(tallies).map(|(task, tally)| task.prepared.answers(tally)).collect();
        Ok(ExactAnswers { statistics, diagnostics: surveys.into_iter().next() })
    }

    /// Measures the answers, statistic by statistic. Consumes them: nothing after this can see them.
    pub fn measure(&self, exact: ExactAnswers, entropy: &mut dyn Entropy) -> Measured {
        let ExactAnswers { statistics: mut answers, diagnostics } = exact;
        let mut statistics = vec![Vec::new(); self.tasks.len()];
        for (place, task) in self.tasks.iter().enumerate() {
            match self.shared_noise(place) {
                None => {
                    let answers = std::mem::take(&mut answers[place]);
                    statistics[place] = task.prepared.measure_answers(answers, &mut *entropy);
                }
                Some(shared) if shared.begins_with(place) => {
                    let measured = shared.measure(&self.tasks, &mut answers, &mut *entropy);
                    shared.statistics.iter().zip(measured).for_each(|(place, measured)| statistics[*place] = measured);
                }
                // Measured with the first of its group.
                Some(_) => {}
            }
        }
        let diagnostics = self.diagnostics.as_ref().zip(diagnostics);
        let diagnostics = diagnostics.map(|(asked, answer)| asked.measure(answer, entropy));
        Measured { statistics, diagnostics, rounding_seed: entropy.word() }
    }

    /// From here on the rows are those of `plan`, which differs from the plan of this outline in where they are, and in nothing
    /// else: the mechanisms stay as they are.
    ///
    /// # Errors
    /// As [`Outline::new`] for data that cannot be opened.
    pub fn read_rows_of(&mut self, plan: &Plan) -> Result<(), ReleaseError> {
        let (engine, mistakes) = open(plan, &[]).map_err(|refused| refused.placed(plan))?;
        if !mistakes.is_empty() {
            return Err(plan.errors(mistakes).into());
        }
        self.engine = Box::new(engine);
        Ok(())
    }
}
