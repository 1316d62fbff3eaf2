//! The variance of the residuals, for Arizona and Texas.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Interval, Marks, Panel, Series};
use inbounds_project::total::TotalError;

use super::release::Release;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
    places::State,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-variance",
    paper: Paper::Zhu,
    place: "Theorem 12, Arizona and Texas",
    claim: "After the projection onto a known total a residual has variance `2 lambda^2 (1 - 1/n)`: with noise of scale 10, \
            186.67 for the 15 counties of Arizona and 199.21 for the 254 of Texas.",
    replicates: 20_000,
    compute,
};

const SCALE: f64 = 10.0;
const STATES: [(&str, usize, &str); 2] = [("AZ", 15, "186.67"), ("TX", 254, "199.21")];

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
    for (code, counties, printed) in STATES {
        let state = State::read(context, code, counties)?;
        let exact = TotalError::new(counties as u32, SCALE)?.variance();
        let found = squares(context, &state)?;
        checks.push(Check::reproduced(format!("{code}: closed form"), Claim::printed(printed), exact, 0.0));
        let mut simulated = |what: &str, mean: Mean| {
            let what = format!("{code}: simulated, {what}");
            checks.push(Check::reproduced(what, Claim::exactly(exact), mean.value(), mean.error()));
        };
        simulated("total alone, mean over counties", found.plain);
        simulated("with nonnegativity, mean over counties", found.nonnegative);
        simulated("with nonnegativity, smallest county", found.counties[state.smallest()]);
        for index in state.order() {
            let (people, mean) = (state.people[index], found.counties[index]);
            let numbers = [people, mean.value(), mean.error(), exact].map(Cell::from);
            table
                .push([code.into(), state.names[index].as_str().into()].into_iter().chain(numbers).collect::<Vec<_>>());
        }
        panels.push(picture(&state, &found, exact));
        substitute = substitute.or(state.substitute);
    }
    checks.push(sketch()?);
    let figure = Figure::row("Variance of the residuals, by size of the county", panels);
    let prose =
        "The closed form is right, and the variance is the same for every county: the loss of `1/n` is shared, and \
                 nonnegativity touches no county as large as these. Simulated in continuous noise, projected with and \
                 without nonnegativity."
            .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute })
}

/// The density that the proof sketches, at zero and for two cells, against the right one.
fn sketch() -> Result<Check, StudyError> {
    let found = TotalError::new(2, 1.0)?.pdf(0.0);
    let claimed = Claim::exactly(found * libm::sqrt(0.5));
    let why = "the sketch lacks the Jacobian `sqrt(n / (n - 1))`";
    Ok(Check::differs("density at zero, two cells, unit scale", claimed, found, 0.0, why, Some(31)))
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

fn picture(state: &State, found: &Squares, exact: f64) -> Panel {
    let order = state.order();
    let bar = |&index: &usize| {
        let (value, error) = (found.counties[index].value(), found.counties[index].error());
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
