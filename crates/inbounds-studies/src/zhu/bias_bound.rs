//! The bound on the bias that nonnegativity adds, for New Mexico.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{At, Axis, Figure, Interval, Marks, Panel, Reference, Series};
use inbounds_project::total::TotalError;

use super::{ball, release::Release};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, simulate},
    pages::number,
    places::State,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-bias-bound",
    paper: Paper::Zhu,
    place: "Theorem 11, New Mexico",
    claim: "The bias that nonnegativity adds is at most `C' P(|eta_1| + ... + |eta_n| > r_m)`. For the 33 counties of New \
            Mexico, a smallest count of 348, a total of 7,289,112 and noise of scale 5 the bound is 0.29, and the empirical \
            bias of 100 runs is 0.06.",
    statements: &[&said::NEW_MEXICO_BOUND, &said::NEW_MEXICO_BIAS, &said::POPULATIONS],
    replicates: 20_000,
    compute,
};

const SCALE: f64 = 5.0;
const CELLS: u32 = 33;
/// As printed.
const SMALLEST: u32 = 348;
const TOTAL: f64 = 7_289_112.0;
const RUNS: f64 = 100.0;
/// Curves end where they fall below this.
const LEAST_DRAWN: f64 = 1e-9;

/// Theorem 11 with Laplace and with geometric noise.
fn bounds(total: f64, smallest: u32) -> [f64; 2] {
    let farthest = total - f64::from(smallest);
    let geometric = ball::geometric_outside(CELLS, smallest, libm::exp(-1.0 / SCALE));
    [farthest * ball::laplace_outside(CELLS, f64::from(smallest) / SCALE), farthest * geometric]
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let state = State::read(context, "NM", CELLS as usize)?;
    let law = TotalError::new(CELLS, SCALE)?;
    let mut cells = vec![f64::from(SMALLEST); CELLS as usize];
    cells[0] = TOTAL - f64::from(CELLS - 1) * f64::from(SMALLEST);
    let improved = law.nonnegative_bias_bound(&cells)?;
    let mut table = Table::new("bounds", ["counts", "total", "smallest", "bound_laplace", "bound_geometric"]);
    let mut row = |counts: &str, total: f64, smallest: u32| {
        let computed = bounds(total, smallest);
        let numbers = [total, f64::from(smallest), computed[0], computed[1]].map(Cell::from);
        table.push(std::iter::once(counts.into()).chain(numbers).collect::<Vec<_>>());
        computed
    };
    let printed = row("as printed", TOTAL, SMALLEST);
    let households = state.households.as_ref().map(|counts| {
        let smallest = counts.iter().copied().fold(f64::INFINITY, f64::min);
        let total = counts.iter().sum();
        row("households of 2010", total, smallest as u32);
        (total, smallest, row("households of 2010, smallest as printed", total, SMALLEST))
    });
    let one_run = law.variance().sqrt();
    let bound = |quantity: &str, computed: f64| {
        Check::differs(&said::NEW_MEXICO_BOUND, quantity, Claim::printed("0.29"), computed, 0.0, NOT_THE_TOTAL, 29)
    };
    let mut checks = vec![
        bound("bound, Laplace noise", printed[0]),
        bound("bound, geometric noise", printed[1]),
        Check::ours("bound cell by cell", Claim::AtMost(0.29), improved, 0.0),
        Check::differs(
            &said::NEW_MEXICO_BIAS,
            "bias (at most this)",
            Claim::printed("0.06"),
            improved,
            0.0,
            format!(
                "it is Monte Carlo noise: one county's mean of 100 runs has s.e. {}",
                number(one_run / RUNS.sqrt(), 2)
            ),
            30,
        ),
    ];
    checks.extend(populations(&state, TOTAL));
    let biases = biases(context, &state)?;
    checks.push(worst(&biases));
    let mut table_biases = Table::new("biases", ["county", "people", "bias", "error"]);
    for index in state.order() {
        let numbers = [state.people[index], biases[index].value(), biases[index].error()].map(Cell::from);
        table_biases.push(std::iter::once(state.names[index].as_str().into()).chain(numbers).collect::<Vec<_>>());
    }
    let figure = figure(&law, &state, &biases, &cells)?;
    let mut prose = format!(
        "With the printed data the bound is {}, or {} for geometric noise, not 0.29. Cell by cell it is {}: where no county \
         errs by more than its count both projections agree, and that event is symmetric. The empirical 0.06 says nothing of \
         the bias: 100 runs know one county's mean to {}.",
        number(printed[0], 4),
        number(printed[1], 4),
        number(improved, 2),
        number(one_run / RUNS.sqrt(), 2),
    );
    if let Some((total, smallest, computed)) = households {
        prose.push_str(&format!(
            " The printed total is that of no count of New Mexico, but its smallest county has {smallest} households (2010), \
             and with the state's {total} households the printed smallest count gives {}: the example seems to be one of \
             households.",
            number(computed[0], 3),
        ));
    }
    Ok(Findings {
        tables: vec![table, table_biases],
        figure: Some(figure),
        checks,
        prose,
        substitute: state.substitute,
    })
}

const NOT_THE_TOTAL: &str = "the printed counts do not give it; a total of about 770,000 (Laplace) or 890,000 would";

/// A printed population against that of 2010; nothing where the census is not there.
pub(super) fn populations(state: &State, printed: f64) -> Vec<Check> {
    const WHY: &str = "no count of people in 2010; those of households are near, for New Mexico's smallest county too";
    let Some(households) = &state.households else { return Vec::new() };
    let (people, claimed) = (state.people.iter().sum(), Claim::exactly(printed));
    let households: f64 = households.iter().sum();
    let quantity = |quantity: &str| format!("{quantity} of {} in 2010", state.code);
    vec![
        Check::differs(&said::POPULATIONS, quantity("people"), claimed, people, 0.0, WHY, 34),
        Check::differs(&said::POPULATIONS, quantity("households"), claimed, households, 0.0, WHY, 34),
    ]
}

/// Mean residual of every county under the total and nonnegativity.
fn biases(context: &Context<'_>, state: &State) -> Result<Vec<Mean>, StudyError> {
    let release = Release::new(&state.people, Laplace::with_scale(SCALE)?);
    Ok(simulate(
        context,
        "biases",
        || vec![Mean::default(); CELLS as usize],
        |draws, means| {
            let errors = release.draw(draws);
            means.iter_mut().zip(errors.nonnegative).for_each(|(mean, error)| mean.add(error));
        },
    ))
}

/// The county whose mean is the most standard errors away from zero.
fn worst(biases: &[Mean]) -> Check {
    let off = |mean: &&Mean| mean.value().abs() / mean.error();
    let worst = biases.iter().max_by(|a, b| off(a).total_cmp(&off(b))).expect("there are counties");
    Check::ours("simulated bias of the county that is furthest off", Claim::exactly(0.0), worst.value(), worst.error())
}

fn figure(law: &TotalError, state: &State, biases: &[Mean], cells: &[f64]) -> Result<Figure, StudyError> {
    let (mut published, mut ours) = (Vec::new(), Vec::new());
    for smallest in (0..=520).step_by(8) {
        let mut people = cells.to_vec();
        people[1..].fill(f64::from(smallest));
        let numbers = [bounds(TOTAL, smallest)[0], law.nonnegative_bias_bound(&people)?];
        for (curve, number) in [&mut published, &mut ours].into_iter().zip(numbers) {
            if number >= LEAST_DRAWN {
                curve.push((f64::from(smallest), number));
            }
        }
    }
    let bars = state.order().into_iter().map(|index| {
        let (value, error) = (biases[index].value(), biases[index].error());
        let (lower, upper) = (value - 4.0 * error, value + 4.0 * error);
        Interval { x: state.people[index] / 1000.0, y: value, lower, upper }
    });
    let simulated = Series { name: "simulated, 4 s.e.".to_owned(), marks: Marks::YIntervals(bars.collect()) };
    let reference = |at, label: &str| Reference { at, label: label.to_owned() };
    let of_bounds = Panel {
        title: "Bounds, printed total".to_owned(),
        x: Axis::linear("smallest count"),
        y: Axis::log("bound on the bias (people)"),
        series: vec![Series::line("Theorem 11", published), Series::line("cell by cell", ours)],
        references: vec![reference(At::Y(0.29), "printed 0.29"), reference(At::X(348.0), "348")],
    };
    let of_biases = Panel {
        title: format!("Bias of the counties of {}", state.code),
        x: Axis::log("people in the county (thousands)"),
        y: Axis::linear("bias (people)"),
        series: vec![simulated],
        references: vec![reference(At::Y(0.06), "printed 0.06"), reference(At::Y(0.0), "")],
    };
    Ok(Figure::row("How much bias nonnegativity can add", vec![of_bounds, of_biases]))
}
