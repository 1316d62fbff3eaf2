//! The design simulated: bias, root mean square error and coverage of every share.

use inbounds_plot::{At, Axis, Figure, Panel, Reference, Series};

use super::{
    super::mechanism::Mechanism,
    procedure::{Procedure, estimate},
};
use crate::{
    Cell, Context, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, Tally, simulate},
};

/// True shares.
pub(in crate::liu) const SHARES: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
pub(in crate::liu) const ROWS: [u32; 4] = [50, 100, 200, 500];
pub(in crate::liu) const EPSILONS: [f64; 3] = [0.1, 0.5, 1.0];

/// Targets of estimation: a share, or the sum of a pair.
pub(in crate::liu) const TARGETS: [(&str, &[usize]); 7] = [
    ("p1", &[0]),
    ("p2", &[1]),
    ("p3", &[2]),
    ("p4", &[3]),
    ("p1 + p2", &[0, 1]),
    ("p2 + p3", &[1, 2]),
    ("p2 + p4", &[1, 3]),
];
/// Places in [`TARGETS`]: the shares, and the sums of pairs.
pub(in crate::liu) const SINGLES: [usize; 4] = [0, 1, 2, 3];
pub(in crate::liu) const PAIRS: [usize; 3] = [4, 5, 6];
pub(in crate::liu) const FIRST: usize = 0;
pub(in crate::liu) const LAST: usize = 3;

/// Errors of one target.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::liu) struct Errors {
    error: Mean,
    square: Mean,
    covered: Mean,
}

impl Tally for Errors {
    fn absorb(&mut self, later: Self) {
        self.error.absorb(later.error);
        self.square.absorb(later.square);
        self.covered.absorb(later.covered);
    }
}

impl Errors {
    /// Bias and its standard error.
    pub(in crate::liu) fn bias(&self) -> (f64, f64) {
        (self.error.value(), self.error.error())
    }

    /// Root mean square error and its standard error.
    pub(in crate::liu) fn rmse(&self) -> (f64, f64) {
        self.square.root()
    }

    /// Coverage and its standard error.
    pub(in crate::liu) fn coverage(&self) -> (f64, f64) {
        (self.covered.value(), self.covered.error())
    }
}

/// A measure in pictures: its name, what it is of errors, and where a line across belongs.
type Drawn = (&'static str, fn(&Errors) -> (f64, f64), Option<f64>);

/// One cell of the design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::liu) struct Setting {
    pub(in crate::liu) rows: u32,
    pub(in crate::liu) epsilon: f64,
    pub(in crate::liu) mechanism: Mechanism,
    pub(in crate::liu) procedure: Procedure,
}

/// The simulated cells.
pub(in crate::liu) struct Results(Vec<(Setting, Vec<Errors>)>);

impl Results {
    /// Simulates procedures with every mechanism, and the original data beside them.
    pub(in crate::liu) fn new(context: &Context<'_>, procedures: &[Procedure]) -> Result<Self, StudyError> {
        let mut results = Vec::new();
        for rows in ROWS {
            for &procedure in procedures.iter().chain([&Procedure::Original]) {
                for setting in settings(rows, procedure) {
                    results.push((setting, setting.simulate(context)?));
                }
            }
        }
        Ok(Self(results))
    }

    /// The errors of a target in a cell; those of the original data are the same at every epsilon.
    ///
    /// # Panics
    /// If the cell was not simulated.
    pub(in crate::liu) fn errors(&self, setting: Setting, target: usize) -> &Errors {
        let wanted = match setting.procedure {
            Procedure::Original => setting.original(),
            _ => setting,
        };
        let cell = self.0.iter().find(|(setting, _)| *setting == wanted);
        &cell.expect("a cell of the design").1[target]
    }

    /// Everything, one row a cell and target.
    pub(in crate::liu) fn table(&self) -> Table {
        let headings = [
            "n",
            "epsilon",
            "mechanism",
            "procedure",
            "share",
            "bias",
            "bias_error",
            "rmse",
            "rmse_error",
            "coverage",
            "coverage_error",
        ];
        let mut table = Table::new("errors", headings);
        for (setting, errors) in &self.0 {
            for ((share, _), errors) in TARGETS.iter().zip(errors) {
                let words = match setting.procedure {
                    Procedure::Original => ["none".into(), "none".into()],
                    _ => [setting.epsilon.into(), Cell::from(setting.mechanism.name())],
                };
                let numbers = [errors.bias(), errors.rmse(), errors.coverage()].map(|(value, error)| [value, error]);
                let mut row = vec![Cell::from(f64::from(setting.rows))];
                row.extend(words);
                row.extend([setting.procedure.name().into(), Cell::from(*share)]);
                row.extend(numbers.into_iter().flatten().map(Cell::from));
                table.push(row);
            }
        }
        table
    }

    /// Bias, root mean square error and coverage of targets against the number of rows, a column of panels an epsilon.
    pub(in crate::liu) fn figure(
        &self,
        title: &str,
        targets: &[usize],
        curves: &[(&str, Procedure, Mechanism)],
    ) -> Figure {
        let measures: [Drawn; 3] = [
            ("bias", Errors::bias, Some(0.0)),
            ("RMSE", Errors::rmse, None),
            ("coverage", Errors::coverage, Some(0.95)),
        ];
        let mut panels = Vec::new();
        let rows = measures.into_iter().flat_map(|measure| targets.iter().map(move |&target| (measure, target)));
        for ((measure, evaluate, reference), target) in rows {
            for epsilon in EPSILONS {
                let series = curves.iter().map(|&(name, procedure, mechanism)| {
                    let point =
                        |rows: u32| evaluate(self.errors(Setting { rows, epsilon, mechanism, procedure }, target)).0;
                    Series::line(name, ROWS.into_iter().map(|rows| (f64::from(rows), point(rows))).collect())
                });
                let at = |value: f64| Reference { at: At::Y(value), label: String::new() };
                panels.push(Panel {
                    title: format!("{}, epsilon {epsilon}", TARGETS[target].0),
                    x: Axis::log("rows n"),
                    y: Axis::linear(measure),
                    series: series.collect(),
                    references: reference.into_iter().map(at).collect(),
                });
            }
        }
        Figure { columns: EPSILONS.len(), panel_size: (330.0, 220.0), ..Figure::row(title, panels) }
    }
}

/// The cells of a procedure at a number of rows.
fn settings(rows: u32, procedure: Procedure) -> Vec<Setting> {
    if procedure == Procedure::Original {
        return vec![Setting { rows, epsilon: 1.0, mechanism: Mechanism::Clamped, procedure }];
    }
    let at = |epsilon| Mechanism::ALL.map(|mechanism| Setting { rows, epsilon, mechanism, procedure });
    EPSILONS.into_iter().flat_map(at).collect()
}

impl Setting {
    /// The cell of the original data with as many rows.
    fn original(self) -> Self {
        settings(self.rows, Procedure::Original)[0]
    }

    fn simulate(&self, context: &Context<'_>) -> Result<Vec<Errors>, StudyError> {
        let rows = f64::from(self.rows);
        let mechanism = self.procedure.calibrate(self.mechanism, self.epsilon, rows)?;
        let name = format!("{} {} {} {}", self.rows, self.epsilon, self.mechanism.name(), self.procedure.name());
        let empty = || vec![Errors::default(); TARGETS.len()];
        Ok(simulate(context, &name, empty, |draws, errors| {
            let sample = sample(&SHARES, self.rows, draws);
            let released = self.procedure.release(&sample, &mechanism, draws);
            for ((_, parts), errors) in TARGETS.iter().zip(errors) {
                let sum_of_parts = |shares: &[f64]| parts.iter().map(|&part| shares[part]).sum::<f64>();
                let releases: Vec<f64> = released.iter().map(|shares| sum_of_parts(shares)).collect();
                let truth = sum_of_parts(&SHARES);
                let (computed, covered) = estimate(&releases, rows, truth);
                errors.error.add(computed - truth);
                errors.square.add((computed - truth) * (computed - truth));
                errors.covered.add(f64::from(u8::from(covered)));
            }
        }))
    }
}

/// Shares among `rows` rows drawn from a population.
pub(in crate::liu) fn sample(population: &[f64], rows: u32, draws: &mut Draws) -> Vec<f64> {
    let mut counts = vec![0u32; population.len()];
    for _ in 0..rows {
        let mut left = draws.uniform();
        let drawn = population.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        // What rounding leaves at the top end belongs to the last category.
        counts[drawn.unwrap_or(population.len() - 1)] += 1;
    }
    counts.into_iter().map(|count| f64::from(count) / f64::from(rows)).collect()
}
