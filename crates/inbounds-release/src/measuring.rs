//! The step from rows to public numbers: every exact answer of a release, and the noise on it.
//!
//! A release and an audit of it go through the same two functions, so that what is attacked is what runs.

use std::sync::atomic::AtomicBool;

use inbounds_core::Answer;
use inbounds_data::{Answers, Asked, KeyValue, LearnedCells, LearnedKeys, Query, Questions, ShareQuestion, Tally};
use inbounds_mechanisms::{mechanism::Measurements, sampler::Entropy};
use inbounds_statistics::Design;

use crate::{
    OpenedPlan, ReleaseError,
    open_data::open,
    plan::Plan,
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
};

/// Every exact number that a release measures, before noise. **Private.**
pub struct ExactAnswers {
    /// One answer a component, for each statistic in plan order.
    pub statistics: Vec<Vec<Answer>>,
    /// The keys that rows have, for each statistic whose keys are learned, which has one answer: the numbers of these.
    pub keys: Vec<Option<LearnedKeys>>,
    /// Answers about the reading of the rows, where the plan has it measured.
    pub diagnostics: Option<Answer>,
    /// The rows that statistics leave out, one vector for each of [`OpenedPlan::left_out`].
    pub left_out: Vec<Answer>,
}

/// Everything that a release draws at random. Public.
pub struct Measured {
    /// One vector a component, for each statistic in plan order.
    pub statistics: Vec<Vec<Measurements>>,
    /// The keys that noise chose, for each statistic whose keys are learned; none for others.
    pub published: Vec<Vec<Vec<KeyValue>>>,
    /// Measurements of the reading of the rows.
    pub diagnostics: Option<Measurements>,
    /// The rows that statistics leave out.
    pub left_out: Vec<Measurements>,
    /// Seed of the rounding of estimates, published so that anyone can redo them from the measurements.
    pub rounding_seed: u64,
}

impl OpenedPlan {
    /// Answers everything in one pass over the rows, but for keys that are learned, which take two passes a statistic.
    ///
    /// Under substitution of rows the number of rows is public, and scales and ranges rest on it: it must be right, of
    /// the very rows that are measured.
    ///
    /// # Errors
    /// [`ReleaseError::Rows`] for another public number of rows, and [`ReleaseError::Data`]. None depends on the value
    /// of a cell.
    pub fn answer(&self, plan: &Plan, stop: Option<&AtomicBool>) -> Result<ExactAnswers, ReleaseError> {
        let Design { rows, neighbours, .. } = self.design;
        let all_rows = Query::default();
        let Answers { mut tallies, surveys } = self.engine.answer(&self.questions(&all_rows, stop))?;
        if let Some(planned) = rows {
            let counted = tallies.pop().and_then(|tally| tally.counts.public_rows(neighbours));
            if let Some(rows) = counted.filter(|&rows| rows != i128::from(planned)) {
                return Err(ReleaseError::Rows { rows_are: plan.rows_are(), planned, found: rows });
            }
        }
        let mut tallies = tallies.into_iter();
        let (mut statistics, mut keys) = (Vec::new(), Vec::new());
        for task in &self.tasks {
            let (answers, learned) = self.answer_one(task, &mut tallies, stop)?;
            statistics.push(answers);
            keys.push(learned);
        }
        let mut surveys = surveys.into_iter();
        let diagnostics = self.diagnostics.as_ref().and_then(|_| surveys.next());
        let left_out = self.left_out.iter().zip(surveys).map(|(asked, answer)| asked.answer(answer)).collect();
        Ok(ExactAnswers { statistics, keys, diagnostics, left_out })
    }

    /// All questions but those for keys that are learned. The last query is for `all_rows`, where their number is
    /// public.
    fn questions<'q>(&'q self, all_rows: &'q Query, stop: Option<&'q AtomicBool>) -> Questions<'q> {
        let listed = self.tasks.iter().filter(|task| task.learned().is_none());
        let mut queries: Vec<&Query> = listed.map(|task| &task.query).collect();
        queries.extend(self.design.rows.map(|_| all_rows));
        let surveys = self.diagnostics.iter().map(|asked| &asked.survey);
        let surveys = surveys.chain(self.left_out.iter().map(|asked| &asked.survey)).collect();
        Questions { queries, surveys, stop }
    }

    /// The plan's question to rows that are elsewhere, for one release: with a key of its own, which seals its shares.
    /// Reads no row.
    ///
    /// # Errors
    /// As [`OpenedPlan::new`]; [`ShareError`](inbounds_data::ShareError).
    pub fn question(plan: &Plan) -> Result<ShareQuestion, ReleaseError> {
        let opened = Self::new(plan)?;
        let (engine, _) = open(plan, &[]).map_err(|refused| refused.into_error(plan))?;
        let learned =
            opened.tasks.iter().filter_map(PreparedStatistic::learned).map(|learned| learned.question.clone());
        let asked = Asked::new(&opened.questions(&Query::default(), None), learned);
        Ok(ShareQuestion::new(&engine, asked)?)
    }

    /// The answers of one statistic: of the next tally, or with the keys that it learns.
    fn answer_one(
        &self,
        task: &PreparedStatistic,
        tallies: &mut impl Iterator<Item = Tally>,
        stop: Option<&AtomicBool>,
    ) -> Result<(Vec<Answer>, Option<LearnedKeys>), ReleaseError> {
        Ok(match task.learned() {
            None => (task.prepared.answers(tallies.next().expect("one tally for each question")), None),
            Some(learned) => {
                let LearnedCells { keys, counts } = self.engine.learn(&learned.question, stop)?;
                (vec![counts], Some(keys))
            }
        })
    }

    /// Measures the answers, statistic by statistic. Consumes them: nothing after this can see them.
    pub fn measure(&self, exact: ExactAnswers, entropy: &mut dyn Entropy) -> Measured {
        let ExactAnswers { statistics: mut answers, mut keys, diagnostics, left_out } = exact;
        let mut statistics = vec![Vec::new(); self.tasks.len()];
        let mut published = vec![Vec::new(); self.tasks.len()];
        for (place, task) in self.tasks.iter().enumerate() {
            match self.shared_noise(place) {
                None => {
                    let answers = std::mem::take(&mut answers[place]);
                    (statistics[place], published[place]) = measure_one(task, answers, keys[place].take(), entropy);
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
        // After all else, so that a seed gives the same numbers with and without them.
        let rounding_seed = entropy.word();
        let left_out =
            self.left_out.iter().zip(left_out).map(|(asked, answer)| asked.measure(answer, entropy)).collect();
        Measured { statistics, published, diagnostics, left_out, rounding_seed }
    }

    /// From here on the rows are those of `plan`, which differs from the plan of this opened in where they are, and in
    /// nothing else: the mechanisms stay as they are.
    ///
    /// # Errors
    /// As [`OpenedPlan::new`] for data that cannot be opened.
    pub fn read_rows_of(&mut self, plan: &Plan) -> Result<(), ReleaseError> {
        let (engine, mistakes) = open(plan, &[]).map_err(|refused| refused.into_error(plan))?;
        if !mistakes.is_empty() {
            return Err(plan.errors(mistakes).into());
        }
        self.engine = Box::new(engine);
        Ok(())
    }
}

/// The measurements of one statistic with noise of its own, and the keys that noise chose where they are learned.
fn measure_one(
    task: &PreparedStatistic,
    answers: Vec<Answer>,
    keys: Option<LearnedKeys>,
    entropy: &mut dyn Entropy,
) -> (Vec<Measurements>, Vec<Vec<KeyValue>>) {
    let (CalibratedStatistic::Learned(learned), Some(keys)) = (&task.prepared, keys) else {
        return (task.prepared.measure_answers(answers, entropy), Vec::new());
    };
    let counts = answers.into_iter().next().expect("learned keys have one answer");
    let (measured, rows) = learned.measure(keys, counts, entropy);
    (vec![measured], rows)
}
