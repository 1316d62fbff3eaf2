//! Distance between the biases of empty and of large cells under the fits of this project, in real tables.

use inbounds_mechanisms::law::{Laplace, Noise};
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::{
    constraint::{
        Bounds,
        tree::{Tree, TreeSystem},
    },
    simplex,
    tree::{project, shrunk, top_down},
};

use super::{
    bounds,
    crosstabs::{self, CrossTab},
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
    statement::fairness as said,
};

pub(super) const STUDY: Study = Study {
    id: "fairness-fits",
    paper: Paper::Fairness,
    place: "Fits of real tables",
    claim: "(Abstract.) Post-processing has disparate impacts on groups. (The paper's post-processing is the projection on the known \
            total and nonnegativity; that the other fits leave biases less far apart is this project's claim.)",
    statements: &[&said::DISPARATE],
    replicates: 5_000,
    compute,
};

/// Classes of cells by their true count: from these counts on.
const CLASSES: [f64; 5] = [0.0, 1.0, 10.0, 100.0, 1000.0];

/// Fit that turns noisy cells into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableFit {
    Projection,
    Joint,
    TopDown,
    Shrunk,
}

impl TableFit {
    const ALL: [Self; 4] = [Self::Projection, Self::Joint, Self::TopDown, Self::Shrunk];

    fn name(self) -> &'static str {
        match self {
            Self::Projection => "cells alone, projected",
            Self::Joint => "joint",
            Self::TopDown => "top-down",
            Self::Shrunk => "shrunk",
        }
    }
}

/// A table whose total is public; epsilon is 1, for the cells alone or halved between rows and cells.
struct Measured {
    rows: usize,
    cells: Vec<f64>,
    tree: Tree,
    /// Truth of the total, the rows and the cells.
    nodes: Vec<f64>,
    full_budget: Laplace,
    halved: Laplace,
}

impl Measured {
    fn new(table: &CrossTab) -> Result<Self, StudyError> {
        let cells = table.rows.concat();
        let rows: Vec<f64> = table.rows.iter().map(|row| row.iter().sum()).collect();
        let of_cells = table.rows.iter().enumerate().flat_map(|(k, row)| row.iter().map(move |_| Some(k as u32 + 1)));
        let parents: Vec<Option<u32>> =
            std::iter::once(None).chain(rows.iter().map(|_| Some(0))).chain(of_cells).collect();
        let nodes = [vec![rows.iter().sum()], rows.clone(), cells.clone()].concat();
        let (full_budget, halved) = (Laplace::with_scale(1.0)?, Laplace::with_scale(2.0)?);
        Ok(Self { rows: rows.len(), cells, tree: Tree::from_parents(&parents)?, nodes, full_budget, halved })
    }

    /// Errors of the cells by each fit.
    fn errors(&self, draws: &mut Draws) -> [Vec<f64>; 4] {
        let noisy: Vec<f64> = self.cells.iter().map(|x| x + draws.laplace(&self.full_budget)).collect();
        let alone = simplex::project(&noisy, &vec![1.0; noisy.len()], self.nodes[0], &Bounds::nonnegative());
        let alone = alone.expect("finite counts with a total that they can reach").estimates;
        let values =
            self.nodes.iter().enumerate().map(|(k, x)| if k == 0 { *x } else { x + draws.laplace(&self.halved) });
        let variance = |k: usize| if k == 0 { 0.0 } else { self.halved.variance() };
        let variances = (0..self.nodes.len()).map(variance).collect();
        let system =
            TreeSystem::new(self.tree.clone(), values.collect(), variances).expect("finite counts").nonnegative();
        let off = |estimates: &[f64]| estimates.iter().zip(&self.cells).map(|(estimate, x)| estimate - x).collect();
        TableFit::ALL.map(|fit| match fit {
            TableFit::Projection => off(&alone),
            TableFit::Joint => off(&project(&system).estimates[1 + self.rows..]),
            TableFit::TopDown => off(&top_down(&system).estimates[1 + self.rows..]),
            TableFit::Shrunk => off(&shrunk(&system).estimates[1 + self.rows..]),
        })
    }

    fn largest(&self) -> usize {
        (0..self.cells.len()).max_by(|&a, &b| self.cells[a].total_cmp(&self.cells[b])).unwrap_or(0)
    }
}

fn class(count: f64) -> usize {
    CLASSES.iter().filter(|&&least| least <= count).count() - 1
}

/// Results of replicates for a fit.
#[derive(Clone)]
struct Fitted {
    /// Mean error of the cells of each class.
    classes: Vec<Mean>,
    /// Mean error of empty cells less the error of the largest one.
    spread: Mean,
    /// Mean absolute error of the cells.
    absolute: Mean,
}

impl Fitted {
    fn new() -> Self {
        Self { classes: vec![Mean::default(); CLASSES.len()], spread: Mean::default(), absolute: Mean::default() }
    }

    fn add(&mut self, measured: &Measured, errors: &[f64]) {
        let mut sums = [(0.0, 0.0); CLASSES.len()];
        for (&x, error) in measured.cells.iter().zip(errors) {
            let sum = &mut sums[class(x)];
            *sum = (sum.0 + error, sum.1 + 1.0);
        }
        for (mean, (sum, cells)) in self.classes.iter_mut().zip(sums) {
            if cells > 0.0 {
                mean.add(sum / cells);
            }
        }
        self.spread.add(sums[0].0 / sums[0].1 - errors[measured.largest()]);
        self.absolute.add(errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len() as f64);
    }
}

impl Tally for Fitted {
    fn absorb(&mut self, later: Self) {
        self.classes.absorb(later.classes);
        self.spread.absorb(later.spread);
        self.absolute.absorb(later.absolute);
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (crosstabs, substitute) = crosstabs::all(context)?;
    let headings = ["table", "fit", "spread", "spread_error", "mean_absolute_error", "mean_absolute_error_error"];
    let mut table = Table::new("spread", headings);
    let headings = ["table", "fit", "counts_from", "cells", "bias", "error"];
    let mut by_class = Table::new("bias", headings);
    let (mut checks, mut fitted) = (Vec::new(), Vec::new());
    for crosstab in &crosstabs {
        let measured = Measured::new(crosstab)?;
        let empty = || TableFit::ALL.map(|_| Fitted::new());
        let fits = simulate(context, &crosstab.name, empty, |draws, fits| {
            fits.iter_mut().zip(measured.errors(draws)).for_each(|(fit, errors)| fit.add(&measured, &errors));
        });
        for (fit, fitted) in TableFit::ALL.into_iter().zip(&fits) {
            let numbers =
                [fitted.spread.value(), fitted.spread.error(), fitted.absolute.value(), fitted.absolute.error()];
            table.push(names(crosstab, fit).into_iter().chain(numbers.map(Cell::from)).collect::<Vec<_>>());
            for (k, mean) in fitted.classes.iter().enumerate() {
                let cells = measured.cells.iter().filter(|&&x| class(x) == k).count();
                if cells > 0 {
                    let numbers = [CLASSES[k], cells as f64, mean.value(), mean.error()].map(Cell::from);
                    by_class.push(names(crosstab, fit).into_iter().chain(numbers).collect::<Vec<_>>());
                }
            }
        }
        checks.extend(of_table(&crosstab.name, &measured, &fits)?);
        fitted.push((crosstab.name.clone(), fits));
    }
    let figure = figure(&fitted);
    Ok(Findings { tables: vec![table, by_class], figure: Some(figure), checks, prose: PROSE.to_owned(), substitute })
}

const PROSE: &str = "Continuous noise, the total public, epsilon 1: all of it for the cells, which the projection takes alone, or half for the \
    rows and half for the cells, which the other fits take together, in noise of twice the scale. The projection raises empty cells \
    and takes it from the others, in every table. From the top down biases are less far apart than that in every table, in seven of \
    eight by more than half, although there is more noise; all at once (`joint`) they are often farthest apart. Shrinking takes from \
    small cells instead, so that in one table (MD) the largest cell gains against the empty ones.";

fn names(crosstab: &CrossTab, fit: TableFit) -> [Cell; 2] {
    [crosstab.name.as_str().into(), fit.name().into()]
}

/// Of one table: the paper's claim of the projection and our bound, then the other fits.
fn of_table(name: &str, measured: &Measured, fits: &[Fitted; 4]) -> Result<Vec<Check>, StudyError> {
    let spread = |fit: TableFit| fits[fit as usize].spread;
    let quantity = |fit: TableFit| format!("{name}, {}: bias of empty cells less that of the largest", fit.name());
    let alone = spread(TableFit::Projection);
    let bound = Claim::AtMost(bounds::spread(&measured.cells, measured.full_budget.scale())?);
    let mut checks = vec![
        Check::reproduced(
            &said::DISPARATE,
            quantity(TableFit::Projection),
            Claim::Above(0.0),
            alone.value(),
            alone.error(),
        ),
        Check::ours(quantity(TableFit::Projection), bound, alone.value(), alone.error()),
    ];
    let joint = spread(TableFit::Joint);
    for (fit, other) in [(TableFit::TopDown, joint), (TableFit::Shrunk, joint), (TableFit::TopDown, alone)] {
        let computed = spread(fit);
        let error = libm::hypot(computed.error(), other.error());
        checks.push(Check::ours(quantity(fit), Claim::Below(other.value()), computed.value(), error));
    }
    Ok(checks)
}

fn figure(fitted: &[(String, [Fitted; 4])]) -> Figure {
    let (name, first) = &fitted[0];
    // Of a class without cells nothing was counted.
    let filled: Vec<usize> = (0..CLASSES.len()).filter(|&k| first[0].classes[k].error().is_finite()).collect();
    let biases = |fit: TableFit| {
        let points =
            filled.iter().enumerate().map(|(place, &k)| (place as f64, first[fit as usize].classes[k].value()));
        Series::line(fit.name(), points.collect())
    };
    let spreads = |fit: TableFit| {
        let points = fitted.iter().enumerate().map(|(k, (_, fits))| (k as f64, fits[fit as usize].spread.value()));
        Series::points(fit.name(), points.collect())
    };
    let words = ["0", "1 to 9", "10 to 99", "100 to 999", "1,000 on"];
    let classes = filled.iter().map(|&k| words[k].to_owned()).collect();
    let tables = fitted.iter().map(|(name, _)| name.clone()).collect();
    let all = |series: &dyn Fn(TableFit) -> Series| TableFit::ALL.into_iter().map(series).collect::<Vec<_>>();
    Figure::row(
        "Bias of cells by their size, epsilon 1",
        vec![
            panel(
                format!("Table {name}"),
                Axis::names("people in the cell", classes),
                Axis::linear("mean bias (people)"),
                all(&biases),
            ),
            panel(
                "Empty cells less the largest one",
                Axis::names("table", tables),
                Axis::linear("spread of biases (people)"),
                all(&spreads),
            ),
        ],
    )
}
