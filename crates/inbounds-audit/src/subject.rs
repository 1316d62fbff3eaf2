//! Target of an audit: a plan with its mechanisms, over any rows that it is given.

use std::path::PathBuf;

use inbounds_core::{Answer, Rational, Rho, root};
use inbounds_data::{Kind, Query, Questions};
use inbounds_mechanisms::{
    calibrate::gaussian::concentrated_delta, mechanism::Measurements, partition::KeySelection, sampler::Entropy,
};
use inbounds_release::{ExactAnswers, Measured, OpenedPlan, PreparedStatistic, ReleaseError, plan::Plan};
use tempfile::TempDir;

use crate::{
    AuditError,
    cells::{self, Candidates},
    learned::{self, Keyed},
    table::{Form, Pair, Row, Side},
    vector::{DrawnWith, Exact, Vector, VectorForm, steps},
};

/// Outcome of reading a table.
pub(crate) enum Outcome {
    /// The exact numbers.
    Exact(Exact),
    /// The table was refused, in these words.
    Refused(String),
}

/// A plan, its mechanisms, and a place for tables.
pub(crate) struct Subject {
    pub(crate) plan: Plan,
    pub(crate) outline: OpenedPlan,
    pub(crate) columns: Vec<Candidates>,
    pub(crate) vectors: Vec<Vector>,
    pub(crate) form: Form,
    folder: TempDir,
}

impl Subject {
    /// Opens a plan; reads the header or schema of its data, if they are there, and no row.
    ///
    /// # Errors
    /// [`AuditError::Release`] as a release would refuse the plan, and [`AuditError::Unwritten`].
    pub(crate) fn open(plan: &Plan) -> Result<Self, AuditError> {
        // A seeded run asks no ledger, and its bundle says so; without one there is nothing to say.
        let mut plan = plan.clone();
        plan.privacy.ledger = None;
        let (outline, _) = OpenedPlan::with_or_without_data(&plan)?;
        let form = Form::for_plan(&plan);
        let stored = plan.stored_columns().map_err(ReleaseError::from)?;
        let mut columns = cells::candidates(&plan, &outline, &stored);
        for column in &mut columns {
            column.usual.retain(|cell| cell.as_deref().is_none_or(|cell| form.holds(cell)));
            column.near.retain(|cell| cell.as_deref().is_none_or(|cell| form.holds(cell)));
            column.odd.retain(|cell| cell.as_deref().is_none_or(|cell| form.holds(cell)));
            if column.usual.is_empty() {
                column.usual.push(None);
            }
        }
        let folder =
            tempfile::tempdir().map_err(|source| AuditError::Unwritten { path: std::env::temp_dir(), source })?;
        let vectors = vectors(&outline);
        Ok(Self { plan, outline, columns, vectors, form, folder })
    }

    /// The epsilon that a statistic has, or that the whole release states, which may be less than the plan grants.
    ///
    /// A statistic whose Gaussian noise is accounted for together with that of others keeps its part of epsilon only
    /// with them: by itself it has the least epsilon to which its rho converts at its part of delta.
    pub(crate) fn granted(&self, statistic: Option<usize>) -> f64 {
        let Some(place) = statistic else { return self.outline.cost.epsilon.to_f64() };
        let own = self.outline.tasks[place].prepared.epsilon().value().to_f64();
        let rhos = self.vectors.iter().filter(|vector| vector.statistic == statistic);
        let rho = rhos.filter_map(|vector| vector.mechanism.guarantee().rho()).map(Rho::value);
        let rho = rho.fold(Rational::ZERO, |sum, rho| &sum + rho);
        let Ok(rho) = Rho::new(rho) else { return own };
        let delta = self.outline.grants.delta(place);
        let holds = |epsilon: f64| {
            let epsilon = Rational::from_f64(epsilon);
            epsilon.is_some_and(|epsilon| concentrated_delta(&rho, &epsilon) <= *delta.value())
        };
        let enough = std::iter::successors(Some(own), |epsilon| Some(2.0 * epsilon)).find(|epsilon| holds(*epsilon));
        enough.map_or(f64::INFINITY, |enough| root::bisect(0.0, enough, |epsilon| !holds(epsilon)).1)
    }

    /// The name of a statistic, or what stands for diagnostics.
    pub(crate) fn name_of(&self, statistic: Option<usize>) -> String {
        statistic.map_or_else(|| "diagnostics".to_owned(), |index| self.plan.statistics[index].name.value.clone())
    }

    /// The place of the column that names the unit, if one does.
    pub(crate) fn unit(&self) -> Option<usize> {
        let name = self.plan.privacy.unit.column()?;
        self.columns.iter().position(|column| column.name == name.value)
    }

    /// The place of the column that says how many rows each row stands for.
    pub(crate) fn frequency(&self) -> Option<usize> {
        let name = self.plan.data.frequency.as_ref()?;
        self.columns.iter().position(|column| column.name == name.value)
    }

    /// `true` if names of units are read without the blanks around them.
    pub(crate) fn trims_units(&self) -> bool {
        let unit = self.plan.privacy.unit.column();
        unit.is_some_and(|name| self.plan.cell_rules(&name.value).trim)
            && self.unit().is_some_and(|place| self.columns[place].kind == Kind::Text)
    }

    fn file(&self) -> PathBuf {
        let extension = match self.form {
            Form::Text { .. } => self.plan.data.format.word(),
            Form::Json => "jsonl",
            Form::Memory => "none",
        };
        self.folder.path().join(format!("rows.{extension}"))
    }

    /// The plan, of a table of a pair.
    pub(crate) fn plan_of(&self, rows: &[&Row]) -> Result<Plan, AuditError> {
        self.form.plan_of(&self.plan, &self.columns, rows, &self.file())
    }

    /// A folder for bundles.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads a table, by the engine that releases read with.
    fn answer(&mut self, rows: &[&Row]) -> Result<Result<Keyed, String>, AuditError> {
        let plan = self.plan_of(rows)?;
        let answered = self.outline.read_rows_of(&plan).and_then(|()| self.outline.answer(&plan, None));
        Ok(answered.map(learned::public).map_err(|error| error.to_string()))
    }

    /// Both tables of a pair. Keys that are learned are those of both, so that their numbers stand beside each other.
    pub(crate) fn answers(&mut self, pair: &Pair) -> Result<[Outcome; 2], AuditError> {
        let mut left = self.answer(&pair.table(Side::Left))?;
        let mut right = self.answer(&pair.table(Side::Right))?;
        if let (Ok(left), Ok(right)) = (&mut left, &mut right) {
            learned::align(left, right);
        }
        let outcome = |read: Result<Keyed, String>| match read {
            Ok(keyed) => Outcome::Exact(keyed.exact()),
            Err(reason) => Outcome::Refused(reason),
        };
        Ok([outcome(left), outcome(right)])
    }

    /// The counts of a query over the table that was read last.
    pub(crate) fn counts(&self, query: &Query) -> Result<Vec<i128>, ReleaseError> {
        let answers = self.outline.engine.answer(&Questions { queries: vec![query], ..Questions::default() })?;
        Ok(answers.tallies.iter().flat_map(|tally| steps(&tally.counts)).collect())
    }

    /// Measures exact numbers as a release does.
    pub(crate) fn measure(&self, exact: &Exact, entropy: &mut dyn Entropy) -> Measured {
        self.outline.measure(self.private(exact), entropy)
    }

    /// The same without the counts of rows that are left out, whose noise is drawn last.
    pub(crate) fn measure_statistics(&self, exact: &Exact, entropy: &mut dyn Entropy) -> Measured {
        let exact = ExactAnswers { left_out: Vec::new(), ..self.private(exact) };
        self.outline.measure(exact, entropy)
    }

    /// The vectors of one statistic, measured as a release does.
    pub(crate) fn measure_one(&self, statistic: usize, exact: &Exact, entropy: &mut dyn Entropy) -> Exact {
        if self.outline.tasks[statistic].learned().is_some() {
            let all = noisy(self, &self.measure(exact, entropy), exact);
            let own = self.vectors.iter().map(|vector| vector.statistic == Some(statistic));
            return all.into_iter().zip(own).filter(|(_, own)| *own).map(|(vector, _)| vector).collect();
        }
        if self.outline.shared_noise(statistic).is_some() {
            // Its noise is drawn with that of others.
            let measured = self.measure(exact, entropy).statistics.swap_remove(statistic);
            return measured.iter().map(|vector| vector.steps().to_vec()).collect();
        }
        let answers = self.private(exact).statistics.swap_remove(statistic);
        let measured = self.outline.tasks[statistic].prepared.measure_answers(answers, entropy);
        let own = self.vectors.iter().zip(exact).filter(|(vector, _)| vector.statistic == Some(statistic));
        let lined_up =
            |(vector, (known, exact)): (&Measurements, (&Vector, &Vec<i128>))| known.form.lined_up(vector, exact.len());
        measured.iter().zip(own).map(lined_up).collect()
    }

    fn private(&self, exact: &Exact) -> ExactAnswers {
        let mut vectors = exact.iter();
        let mut next = |count: usize| vectors.by_ref().take(count).cloned().collect::<Vec<_>>();
        let (mut statistics, mut keys) = (Vec::new(), Vec::new());
        for task in &self.outline.tasks {
            let own = next(task.prepared.components().len());
            let (of_task, own) = match task.learned() {
                None => (None, own),
                Some(table) => {
                    let (keys, numbers) = learned::told(table, own.into_iter().next().unwrap_or_default());
                    (Some(keys), vec![numbers])
                }
            };
            keys.push(of_task);
            statistics.push(own.into_iter().map(Answer::new).collect());
        }
        let diagnostics = self.outline.diagnostics.as_ref().and_then(|_| next(1).pop()).map(Answer::new);
        let left_out = next(self.outline.left_out.len()).into_iter().map(Answer::new).collect();
        ExactAnswers { statistics, keys, diagnostics, left_out }
    }
}

/// Noisy vectors in the order of [`Subject::vectors`]. Where keys are learned, what is not published stands one below
/// the threshold.
pub(crate) fn noisy(subject: &Subject, measured: &Measured, exact: &Exact) -> Exact {
    let steps = |vector: &Measurements| vector.steps().to_vec();
    let diagnostics = measured.diagnostics.as_ref();
    let measured_left_out = &measured.left_out;
    let measured = measured.statistics.iter().zip(&measured.published).zip(&subject.outline.tasks);
    let mut all = Exact::new();
    for ((vectors, keys), task) in measured {
        for vector in vectors {
            let cells = exact[all.len()].len();
            let all_cells = task.learned().map(|table| learned::all_cells(table, vector.steps(), keys, cells));
            all.push(all_cells.unwrap_or_else(|| subject.vectors[all.len()].form.lined_up(vector, cells)));
        }
    }
    all.extend(diagnostics.map(steps));
    all.extend(measured_left_out.iter().map(steps));
    all
}

fn vectors(outline: &OpenedPlan) -> Vec<Vector> {
    let of_task = |(index, task): (usize, &PreparedStatistic)| {
        let forms = VectorForm::of_components(&task.prepared.components());
        let components = task.prepared.components().into_iter().zip(task.prepared.measured_levels());
        let vectors = components.enumerate().map(|(place, (component, level))| {
            let role = component.role.to_string();
            let role = level.map_or(role.clone(), |(own, _)| format!("{role} {own}").trim().to_owned());
            let (drawn, is_repeat) = drawn(outline, (index, place));
            let selection = task.learned().map(|learned| learned.count().selection());
            let (threshold, least) = (selection.map(KeySelection::threshold), selection.map_or(1, KeySelection::least));
            let mechanism = component.mechanism.clone();
            let (form, selection) = (forms[place], selection.cloned());
            Vector { statistic: Some(index), role, mechanism, drawn, is_repeat, least, form, threshold, selection }
        });
        vectors.collect::<Vec<_>>()
    };
    let diagnostics = outline.diagnostics.iter().map(|asked| Vector {
        statistic: None,
        role: "rows as they are read".to_owned(),
        mechanism: asked.mechanism().clone(),
        drawn: DrawnWith::Diagnostics,
        is_repeat: false,
        form: VectorForm::Numbers,
        least: 1,
        threshold: None,
        selection: None,
    });
    let left_out = outline.left_out.iter().map(|asked| Vector {
        // Of the whole release: what it costs stands beside the statistics, and adds nothing to their sum.
        statistic: None,
        role: "rows that are left out".to_owned(),
        mechanism: asked.mechanism().clone(),
        drawn: DrawnWith::LeftOut(asked.statistics[0]),
        is_repeat: false,
        form: VectorForm::Numbers,
        least: 1,
        threshold: None,
        selection: None,
    });
    outline.tasks.iter().enumerate().flat_map(of_task).chain(diagnostics).chain(left_out).collect()
}

/// With what a component of a statistic is drawn, and whether it is the same number as one before it.
fn drawn(outline: &OpenedPlan, component: (usize, usize)) -> (DrawnWith, bool) {
    for (group, shared) in outline.together.iter().enumerate() {
        if let Some(members) = shared.numbers.iter().find(|members| members.contains(&component)) {
            return (DrawnWith::Group(group), members[0] != component);
        }
    }
    (DrawnWith::Statistic(component.0), false)
}
