//! Theorems 11 to 14 for two-sided geometric noise, as it is drawn.

use inbounds_mechanisms::{law::Noise, noise::DiscreteLaplace};
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::{
    constraint::Bounds,
    simplex,
    total::{DiscreteTotalError, TotalError},
};

use super::ball;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    picture::panel,
    places::State,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-geometric",
    paper: Paper::Zhu,
    place: "Theorems 11 to 14 for geometric noise",
    claim: "The results are presented for Laplace noise and carry over to two-sided geometric noise: the bound on the bias that \
            nonnegativity adds, the variance `(1 - 1/n)` times that of the noise, and the convergence to it.",
    statements: &[&said::OTHER_LAWS],
    replicates: 20_000,
    compute,
};

/// Inverse scale: epsilon 0.5 and one level.
const TAU: &str = "0.5";
const CELLS: [u32; 6] = [2, 3, 5, 15, 33, 254];
/// Smallest counts for the bound.
const SMALLEST: [u32; 4] = [0, 2, 4, 60];

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let noise = DiscreteLaplace::with_inverse_scale(TAU.parse()?)?;
    let headings = ["cells", "variance", "mean_absolute", "distance", "continuous_distance"];
    let mut table = Table::new("laws", headings);
    let mut distances = Vec::new();
    for cells in CELLS {
        let law = DiscreteTotalError::new(cells, noise.tau())?;
        let continuous = TotalError::new(cells, noise.scale())?.wasserstein_to_noise() / noise.scale();
        let distance = law.wasserstein_to_noise() / noise.scale();
        table.push([f64::from(cells), law.variance(), law.mean_absolute(), distance, continuous].map(Cell::from));
        distances.push((f64::from(cells), distance, continuous));
    }
    let state = State::read(context, "AZ", 15)?;
    let mut checks = variances(context, &state, &noise)?;
    checks.extend(convergence(&distances));
    checks.extend(bias(context, &state, &noise)?);
    let points = |index: usize| -> Vec<(f64, f64)> {
        distances.iter().map(|&(n, discrete, continuous)| (n, [discrete, continuous][index])).collect()
    };
    let series = vec![Series::line("geometric noise", points(0)), Series::line("Laplace noise", points(1))];
    let axes = (Axis::log("counties n"), Axis::log("Wasserstein distance (scales)"));
    let panel = panel("The residuals approach the noise", axes.0, axes.1, series);
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("Geometric noise of epsilon 0.5", vec![panel]) };
    let prose = "They carry over. The law of a residual is known exactly here too: `n` times it is a whole number. The distance from the \
                 noise vanishes more slowly than for Laplace noise, since residuals are multiples of `1/n` and the noise is whole: \
                 there is a part of it that only smooths the steps. The bound holds with lattice points in place of volumes."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: state.substitute })
}

/// Errors of a state's counties with geometric noise under their total, and under nonnegativity too.
fn errors(people: &[f64], noise: &DiscreteLaplace, bounds: &Bounds, draws: &mut Draws) -> Vec<f64> {
    let added = draws.geometric(noise, people.len());
    let noisy: Vec<f64> = people.iter().zip(added).map(|(x, noise)| x + noise).collect();
    let weights = vec![1.0; people.len()];
    let solution = simplex::project(&noisy, &weights, people.iter().sum(), bounds);
    let estimates = solution.expect("finite counts with a total that they can reach").estimates;
    estimates.iter().zip(people).map(|(estimate, truth)| estimate - truth).collect()
}

/// Theorem 12: the simulated variance, mean absolute error and share of large errors of the counties.
fn variances(context: &Context<'_>, state: &State, noise: &DiscreteLaplace) -> Result<Vec<Check>, StudyError> {
    let n = state.people.len() as f64;
    let law = DiscreteTotalError::new(n as u32, noise.tau())?;
    let far = 2.0 * noise.scale();
    let computed = simulate(
        context,
        "variance",
        || [Mean::default(); 3],
        |draws, means: &mut [Mean; 3]| {
            let errors = errors(&state.people, noise, &Bounds::None, draws);
            let over = |function: &dyn Fn(f64) -> f64| errors.iter().map(|&error| function(error)).sum::<f64>() / n;
            means[0].add(over(&|x| x * x));
            means[1].add(over(&f64::abs));
            // Residuals are multiples of 1/n, of which the rounding of doubles must not decide.
            means[2].add(over(&|x| f64::from(u8::from((n * x).round() > n * far))));
        },
    );
    let claimed = Claim::exactly(noise.variance() * (1.0 - 1.0 / n));
    let [square, absolute, share] = computed;
    let quantity = "AZ: simulated variance of the residuals";
    let mut checks = vec![
        Check::reproduced(&said::OTHER_LAWS, quantity, claimed, square.value(), square.error()),
        Check::ours(
            "AZ: mean absolute residual",
            Claim::exactly(law.mean_absolute()),
            absolute.value(),
            absolute.error(),
        ),
        Check::ours(
            "AZ: share of residuals above two scales",
            Claim::exactly(law.sf(far)),
            share.value(),
            share.error(),
        ),
    ];
    let limit = DiscreteTotalError::new(1_000, noise.tau())?.variance() / noise.variance();
    let near = Claim::Is { value: 1.0, within: 0.0011 };
    checks.push(Check::reproduced(
        &said::OTHER_LAWS,
        "variance over that of the noise, 1000 counties",
        near,
        limit,
        0.0,
    ));
    Ok(checks)
}

/// Theorem 14: the distance to the noise falls.
fn convergence(distances: &[(f64, f64, f64)]) -> Vec<Check> {
    let slowest = distances.windows(2).map(|pair| pair[1].1 / pair[0].1).fold(0.0, f64::max);
    let last = distances[distances.len() - 1];
    let quantity = "largest ratio of a distance to that of fewer counties";
    vec![
        Check::reproduced(&said::OTHER_LAWS, quantity, Claim::Below(1.0), slowest, 0.0),
        Check::ours("distance over that for Laplace noise, 254 counties", Claim::AtLeast(1.0), last.1 / last.2, 0.0),
    ]
}

/// Theorem 11: the bias of a small county against the bound with lattice points, and cell by cell.
fn bias(context: &Context<'_>, state: &State, noise: &DiscreteLaplace) -> Result<Vec<Check>, StudyError> {
    let cells = state.people.len() as u32;
    let law = DiscreteTotalError::new(cells, noise.tau())?;
    let mut checks = Vec::new();
    for smallest in SMALLEST {
        let mut people = state.people.clone();
        people[state.smallest()] = f64::from(smallest);
        let farthest = people.iter().sum::<f64>() - f64::from(smallest);
        let printed = farthest * ball::geometric_outside(cells, smallest, libm::exp(-noise.tau()));
        let computed = simulate(context, &format!("smallest {smallest}"), Mean::default, |draws, mean| {
            mean.add(errors(&people, noise, &Bounds::nonnegative(), draws)[state.smallest()]);
        });
        let quantity = |quantity: &str| format!("bias at r_m = {smallest} against {quantity}");
        let at_most = Claim::AtMost(printed);
        checks.push(Check::reproduced(
            &said::OTHER_LAWS,
            quantity("the bound"),
            at_most,
            computed.value(),
            computed.error(),
        ));
        let ours = Claim::AtMost(law.nonnegative_bias_bound(&people)?);
        checks.push(Check::ours(quantity("the bound cell by cell"), ours, computed.value(), computed.error()));
    }
    Ok(checks)
}
