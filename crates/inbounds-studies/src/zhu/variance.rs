//! The variance of the residuals, for Arizona and Texas.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Interval, Marks, Panel, Series};
use inbounds_project::total::TotalError;

use super::{bias_bound::populations, release::Release};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
    places::State,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-variance",
    paper: Paper::Zhu,
    place: "Theorems 12 and 13, Arizona and Texas",
    claim: "After the projection onto a known total a residual has variance `2 lambda^2 (1 - 1/n)`: with noise of scale 10, \
            186.67 for the 15 counties of Arizona and 199.21 for the 254 of Texas, roughly 6 % apart; 80,000 runs gave 186.88 and \
            199.32. It increases with `n` and tends to that of the noise.",
    statements: &[
        &said::THEOREM_12,
        &said::THEOREM_12_SKETCH,
        &said::THEOREM_13,
        &said::VARIANCES,
        &said::EMPIRICAL_VARIANCES,
        &said::SIX_PER_CENT,
        &said::POPULATIONS,
    ],
    replicates: 20_000,
    compute,
};

const SCALE: f64 = 10.0;
/// A state, its counties, its printed variances, closed and empirical, and its printed population.
const STATES: [(&str, usize, &str, &str, f64); 2] =
    [("AZ", 15, "186.67", "186.88", 2_371_715.0), ("TX", 254, "199.21", "199.32", 8_887_839.0)];
/// Runs behind the empirical variances.
const RUNS: f64 = 80_000.0;

/// Squared residuals.
struct Squares {
    /// Averaged over the counties, under the total alone.
    plain: Mean,
    /// The same with nonnegativity.
    nonnegative: Mean,
    /// Of each county, with nonnegativity.
    counties: Vec<Mean>,
}

impl Tally for Squares {
    fn absorb(&mut self, later: Self) {
        self.plain.absorb(later.plain);
        self.nonnegative.absorb(later.nonnegative);
        self.counties.absorb(later.counties);
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("variances", ["state", "county", "people", "variance", "error", "exact"]);
    let (mut checks, mut panels, mut substitute) = (Vec::new(), Vec::new(), None);
    for (code, counties, printed, empirical, population) in STATES {
        let state = State::read(context, code, counties)?;
        let exact = TotalError::new(counties as u32, SCALE)?.variance();
        let squares = squares(context, &state)?;
        let quantity = format!("{code}: closed form");
        checks.push(Check::reproduced(&said::VARIANCES, quantity, Claim::printed(printed), exact, 0.0));
        let (quantity, error) = (format!("{code}: variance of {RUNS} runs"), empirical_error(counties as f64));
        checks.push(Check::reproduced(&said::EMPIRICAL_VARIANCES, quantity, Claim::printed(empirical), exact, error));
        checks.extend(populations(&state, population));
        let mut simulated = |quantity: &str, mean: Mean| {
            let quantity = format!("{code}: simulated, {quantity}");
            let claimed = Claim::exactly(exact);
            checks.push(Check::reproduced(&said::THEOREM_12, quantity, claimed, mean.value(), mean.error()));
        };
        simulated("total alone, mean over counties", squares.plain);
        simulated("with nonnegativity, mean over counties", squares.nonnegative);
        simulated("with nonnegativity, smallest county", squares.counties[state.smallest()]);
        for index in state.order() {
            let (people, mean) = (state.people[index], squares.counties[index]);
            let numbers = [people, mean.value(), mean.error(), exact].map(Cell::from);
            table
                .push([code.into(), state.names[index].as_str().into()].into_iter().chain(numbers).collect::<Vec<_>>());
        }
        panels.push(picture(&state, &squares, exact));
        substitute = substitute.or(state.substitute);
    }
    checks.push(sketch()?);
    checks.extend(apart());
    checks.extend(increase()?);
    let figure = Figure::row("Variance of the residuals, by size of the county", panels);
    let prose =
        "The closed form is right, and the variance is the same for every county: the loss of `1/n` is shared, and \
                 nonnegativity touches no county as large as these. The printed empirical variances are within a standard error of \
                 it. The printed populations are those of no state. Simulated in continuous noise, projected with and \
                 without nonnegativity."
            .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute })
}

/// The density that the proof sketches, at zero and for two cells, against the right one.
fn sketch() -> Result<Check, StudyError> {
    let computed = TotalError::new(2, 1.0)?.pdf(0.0);
    let claimed = Claim::exactly(computed * libm::sqrt(0.5));
    let why = "the sketch lacks the Jacobian `sqrt(n / (n - 1))`";
    let quantity = "density at zero, two cells, unit scale";
    Ok(Check::differs(&said::THEOREM_12_SKETCH, quantity, claimed, computed, 0.0, why, 31))
}

/// Standard error of a mean of squared residuals over [`RUNS`] runs.
///
/// A residual is a sum of `w_i eta_i`, so its fourth cumulant is that of the noise, `12 lambda^4`, times the sum of
/// `w_i^4`.
fn empirical_error(counties: f64) -> f64 {
    let (own, other) = (1.0 - 1.0 / counties, 1.0 / counties);
    let variance = 2.0 * SCALE * SCALE * own;
    let fourth = 12.0 * SCALE.powi(4) * (own.powi(4) + (counties - 1.0) * other.powi(4)) + 3.0 * variance * variance;
    libm::sqrt((fourth - variance * variance) / RUNS)
}

/// Distance between the two states, in closed form and as printed of experiments.
fn apart() -> Vec<Check> {
    let roughly = Claim::Is { value: 0.06, within: 0.0075 };
    let relative_difference = |arizona: f64, texas: f64| (texas - arizona) / arizona;
    let [exact_arizona, exact_texas] = [15.0, 254.0].map(|n: f64| 2.0 * SCALE * SCALE * (1.0 - 1.0 / n));
    let printed = |digits: &str| Claim::printed(digits).value();
    let empirical = relative_difference(printed(STATES[0].3), printed(STATES[1].3));
    vec![
        Check::reproduced(
            &said::SIX_PER_CENT,
            "difference in theory, of Arizona's",
            roughly,
            relative_difference(exact_arizona, exact_texas),
            0.0,
        ),
        Check::reproduced(&said::SIX_PER_CENT, "difference of the printed experiments", roughly, empirical, 0.0),
    ]
}

/// Theorem 13 at numbers of counties up to a million.
fn increase() -> Result<Vec<Check>, StudyError> {
    let variances = [2, 3, 5, 10, 100, 1_000, 1_000_000].map(|n| Ok(TotalError::new(n, 1.0)?.variance()));
    let variances = variances.into_iter().collect::<Result<Vec<f64>, StudyError>>()?;
    let least = variances.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let limit = Claim::Is { value: 2.0, within: 1e-5 };
    let last = variances[variances.len() - 1];
    Ok(vec![
        Check::reproduced(
            &said::THEOREM_13,
            "least increase, unit scale, 2 to 1000000 counties",
            Claim::Above(0.0),
            least,
            0.0,
        ),
        Check::reproduced(&said::THEOREM_13, "variance, unit scale, 1000000 counties", limit, last, 0.0),
    ])
}

fn squares(context: &Context<'_>, state: &State) -> Result<Squares, StudyError> {
    let release = Release::new(&state.people, Laplace::with_scale(SCALE)?);
    let counties = state.people.len();
    let empty =
        || Squares { plain: Mean::default(), nonnegative: Mean::default(), counties: vec![Mean::default(); counties] };
    let average = |errors: &[f64]| errors.iter().map(|error| error * error).sum::<f64>() / counties as f64;
    Ok(simulate(context, state.code, empty, |draws, squares| {
        let errors = release.draw(draws);
        squares.plain.add(average(&errors.plain));
        squares.nonnegative.add(average(&errors.nonnegative));
        squares.counties.iter_mut().zip(&errors.nonnegative).for_each(|(mean, error)| mean.add(error * error));
    }))
}

fn picture(state: &State, squares: &Squares, exact: f64) -> Panel {
    let order = state.order();
    let bar = |&index: &usize| {
        let (value, error) = (squares.counties[index].value(), squares.counties[index].error());
        let (lower, upper) = (value - 4.0 * error, value + 4.0 * error);
        Interval { x: state.people[index] / 1000.0, y: value, lower, upper }
    };
    let bars = Marks::YIntervals(order.iter().map(bar).collect());
    let across = |y: f64| order.iter().map(|&index| (state.people[index] / 1000.0, y)).collect();
    let series = vec![
        Series { name: "simulated, with nonnegativity, 4 s.e.".to_owned(), marks: bars },
        Series::line("2 lambda^2 (1 - 1/n)", across(exact)),
        Series::line("noise: 2 lambda^2", across(2.0 * SCALE * SCALE)),
    ];
    let title = format!("{}, {} counties", state.code, state.people.len());
    panel(title, Axis::log("people in the county (thousands)"), Axis::linear("variance of the residual"), series)
}
