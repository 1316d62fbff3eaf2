//! Figure 4 in the paper's own setting: all county counts shifted.

use inbounds_mechanisms::law::Noise;
use inbounds_plot::{Axis, Figure, Series};

use super::{
    nation::{Experiment, Run},
    residuals::SHOWN,
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, simulate},
    picture::panel,
    places::Nation,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-shifted-counties",
    paper: Paper::Zhu,
    place: "Figure 4",
    claim: "The residuals of Figure 1, with the counts of all counties increased by a shift: as the smallest count `r_m` grows the \
            bias progressively disappears.",
    statements: &[&said::FIGURE_4],
    replicates: 300,
    compute,
};

/// Smallest counts after the shift, in people; the sixth is the smallest there is.
const SMALLEST: [f64; 7] = [0.0, 4.0, 8.0, 16.0, 32.0, 82.0, 164.0];
const THERE: f64 = 82.0;

/// The nation with all counties shifted, so that the smallest has some number of people.
struct Shifted {
    smallest: f64,
    shift: f64,
    experiment: Experiment,
}

impl Shifted {
    fn new(context: &Context<'_>, smallest: f64) -> Result<Self, StudyError> {
        let mut nation = Nation::read(context)?;
        let shift = smallest - nation.people[nation.extremes()[0]];
        let counties = nation.people[nation.first_county()..].iter().map(|people| people + shift).collect();
        nation.set_counties(counties);
        Ok(Self { smallest, shift, experiment: Experiment::new(nation)? })
    }

    /// Addition of nonnegativity to the smallest county's count in one run.
    ///
    /// (P) has no bias (Theorem 7), so the mean of this is the bias of (P+), and most of the noise cancels.
    fn added(&self, noise: &[f64]) -> f64 {
        let place = self.experiment.nation.extremes()[0];
        let Run { plain, nonnegative, .. } = self.experiment.run(noise.to_vec());
        nonnegative[place] - plain[place]
    }
}

/// Bias of each shift, and how much less it is than that of the shift before, with the same noise.
fn biases(context: &Context<'_>, shifts: &[Shifted]) -> Vec<[Mean; 2]> {
    simulate(
        context,
        "shifts",
        || vec![[Mean::default(); 2]; shifts.len()],
        |draws, means| {
            let noise = shifts[0].experiment.draw(draws);
            let mut before = f64::NAN;
            for (shifted, [bias, fall]) in shifts.iter().zip(means) {
                let added = shifted.added(&noise);
                bias.add(added);
                fall.add(before - added);
                before = added;
            }
        },
    )
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let shifts = SMALLEST.into_iter().map(|smallest| Shifted::new(context, smallest));
    let shifts = shifts.collect::<Result<Vec<_>, _>>()?;
    let biases = biases(context, &shifts);
    let mut table = Table::new("biases", ["smallest", "shift", "bias", "error", "alone", "bound"]);
    let [mut simulated, mut bounds, mut alone] = [const { Vec::new() }; 3];
    for (Shifted { smallest, shift, experiment }, [bias, _]) in shifts.iter().zip(&biases) {
        let (bound, lone) = (experiment.bias_bound(), experiment.noise.excess_between(*smallest, f64::INFINITY));
        table.push([*smallest, *shift, bias.value(), bias.error(), lone, bound].map(Cell::from));
        simulated.push((*smallest, bias.value()));
        bounds.push((*smallest, bound));
        alone.push((*smallest, lone));
    }
    let deviation = libm::sqrt(shifts[0].experiment.noise.variance());
    let checks = checks(&biases, &bounds, deviation);
    let drawn = |points: Vec<(f64, f64)>| points.into_iter().filter(|(_, y)| *y > 1e-8).collect::<Vec<_>>();
    let series = vec![
        Series::points("simulated", drawn(simulated)),
        Series::line("were it alone near zero", drawn(alone)),
        Series::line("bound on the bias of every county", drawn(bounds)),
    ];
    let axes = (Axis::linear("smallest count r_m (people)"), Axis::log("bias of the smallest county (people)"));
    let panel = panel("", axes.0, axes.1, series);
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("All counties shifted", vec![panel]) };
    let prose = "Shifted upwards from what they are, the counts have no bias to lose. Shifted downwards until the smallest is zero \
                 there is some, and from there on it disappears as the paper says, by a factor of `e` with each scale of the \
                 noise, which is 6: from a dozen people on it is too small for 100 runs to show."
        .to_owned();
    let substitute = shifts[0].experiment.nation.substitute.clone();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute })
}

fn checks(biases: &[[Mean; 2]], bounds: &[(f64, f64)], deviation: f64) -> Vec<Check> {
    let mut checks = Vec::new();
    let why = "the smallest count there is has no bias to lose";
    for &(smallest, bound) in bounds.iter().filter(|(smallest, _)| *smallest == THERE) {
        let quantity =
            format!("bound on the absolute bias at r_m = {smallest}, the unshifted counts, in standard deviations");
        checks.push(Check::differs(&said::FIGURE_4, quantity, Claim::AtLeast(SHOWN), bound / deviation, 0.0, why, 51));
    }
    for (pair, [_, fall]) in SMALLEST.windows(2).zip(&biases[1..]).take(3) {
        let quantity = format!("bias at r_m = {} less that at {}", pair[0], pair[1]);
        checks.push(Check::reproduced(&said::FIGURE_4, quantity, Claim::Above(0.0), fall.value(), fall.error()));
    }
    for (smallest, [bias, _]) in SMALLEST.into_iter().zip(biases).filter(|(smallest, _)| *smallest >= 32.0) {
        let quantity = format!("bias at r_m = {smallest}, in standard deviations");
        let (value, error) = (bias.value() / deviation, bias.error() / deviation);
        checks.push(Check::reproduced(&said::FIGURE_4, quantity, Claim::AtMost(SHOWN), value, error));
    }
    checks
}
