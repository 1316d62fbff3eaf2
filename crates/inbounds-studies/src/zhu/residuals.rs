//! Figure 1 in the paper's own setting.

use inbounds_mechanisms::law::Noise;
use inbounds_plot::{Axis, Figure, Series};

use super::{
    histogram::density,
    nation::{EPSILON, Experiment, LEVELS, Run},
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Sample, Tally, simulate},
    pages::number,
    picture::panel,
    places::Nation,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-residuals",
    paper: Paper::Zhu,
    place: "Figure 1 and the settings of the experiments",
    claim: "The counts of the nation, its states and their counties get two-sided geometric noise of epsilon 0.5 and are projected \
            onto the counts that add up and are nonnegative. Over 100 runs the residuals of two counties show that \
            post-processing adds significant bias.",
    statements: &[&said::FIGURE_1, &said::SETTINGS],
    replicates: 100,
    compute,
};

/// Bias that 100 runs can show at all: a tenth of the standard deviation, which is the standard error of their mean.
pub(super) const SHOWN: f64 = 0.1;
const REACH: f64 = 40.0;
const CELLS: usize = 20;

/// Tally of the runs.
struct Tallied {
    before: [Sample; 2],
    after: [Sample; 2],
    /// Of each county, after the projection.
    counties: Vec<Mean>,
    /// Share of runs in which both projections were the same.
    same: Mean,
}

impl Tally for Tallied {
    fn absorb(&mut self, later: Self) {
        self.before.absorb(later.before);
        self.after.absorb(later.after);
        self.counties.absorb(later.counties);
        self.same.absorb(later.same);
    }
}

fn simulated(context: &Context<'_>, experiment: &Experiment, chosen: [usize; 2]) -> Tallied {
    let (first, counties) = (experiment.nation.first_county(), experiment.nation.counties);
    let empty = || Tallied {
        before: Default::default(),
        after: Default::default(),
        counties: vec![Mean::default(); counties],
        same: Mean::default(),
    };
    simulate(context, "runs", empty, |draws, tallied| {
        let Run { before, plain, nonnegative } = experiment.run(experiment.draw(draws));
        for (index, place) in chosen.into_iter().enumerate() {
            tallied.before[index].0.push(before[place]);
            tallied.after[index].0.push(nonnegative[place]);
        }
        tallied.counties.iter_mut().zip(&nonnegative[first..]).for_each(|(mean, &error)| mean.add(error));
        let apart = plain.iter().zip(&nonnegative).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        tallied.same.add(f64::from(u8::from(apart < 1e-6)));
    })
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let experiment = Experiment::new(Nation::read(context)?)?;
    let nation = &experiment.nation;
    let chosen = nation.extremes();
    let tallied = simulated(context, &experiment, chosen);
    let (bound, variances) = (experiment.bias_bound(), experiment.variances());
    let deviation = |place: usize| libm::sqrt(variances[place] * experiment.noise.variance());
    let mut checks = Vec::new();
    for (index, place) in chosen.into_iter().enumerate() {
        let quantity = |quantity: &str| format!("{}: {quantity}", nation.names[place]);
        let mut mean = Mean::default();
        tallied.after[index].0.iter().for_each(|&x| mean.add(x));
        checks.push(Check::differs(
            &said::FIGURE_1,
            quantity("bound on the absolute bias, in standard deviations"),
            Claim::AtLeast(SHOWN),
            bound / deviation(place),
            0.0,
            "the count is so many scales of the noise that nonnegativity changes nothing",
            49,
        ));
        let (computed, error) = (mean.value(), mean.error());
        checks.push(Check::ours(quantity("mean residual after the projection"), Claim::exactly(0.0), computed, error));
    }
    let runs = "share of the runs in which nonnegativity changes nothing";
    checks.push(Check::ours(runs, Claim::AtLeast(1.0), tallied.same.value(), 0.0));
    let begins = begins(&experiment);
    let quantity = "largest count of a lone small county at which the bias is a tenth of the standard deviation";
    checks.push(Check::ours(quantity, Claim::printed("7"), begins, 0.0));
    checks.extend(settings(&experiment));
    let smallest = nation.people[chosen[0]];
    let prose = format!(
        "The paper's setting: {} counties, their states and the nation, all with two-sided geometric noise of epsilon {EPSILON} for \
         {LEVELS} levels (scale {}), projected by (P+). No bias is there to be seen: the smallest count is {smallest}, \
         {:.1} scales, and no county's bias can exceed {} people. In none of the runs did nonnegativity change anything. A mean \
         of 100 runs is known to a tenth of the standard deviation; bias of that size would begin where a county has \
         {begins} people or fewer. Why the published picture shows some cannot be told from it.",
        nation.counties,
        number(experiment.noise.scale(), 3),
        smallest / experiment.noise.scale(),
        number(bound, 2),
    );
    let (table, figure) = pictures(&experiment, chosen, &tallied);
    let substitute = experiment.nation.substitute.clone();
    Ok(Findings { tables: vec![table, biases(&experiment, &tallied)], figure: Some(figure), checks, prose, substitute })
}

/// The largest count whose bias, were it alone near zero, is a tenth of the noise's standard deviation: the bias is
/// `E (eta - r)+`.
fn begins(experiment: &Experiment) -> f64 {
    let noise = &experiment.noise;
    let shown = SHOWN * libm::sqrt(noise.variance());
    let seen = |r: u32| noise.excess_between(f64::from(r), f64::INFINITY) >= shown;
    (0..1_000).take_while(|&r| seen(r)).last().map_or(f64::NAN, f64::from)
}

/// Claims about the noise that follow from the settings of the experiments.
fn settings(experiment: &Experiment) -> Vec<Check> {
    let mut checks = Vec::new();
    let misfit = "with epsilon 0.5 the scales of the examples are those of no number of levels";
    for scale in [5.0, 10.0] {
        let quantity = format!("sensitivity that scale {scale} and epsilon {EPSILON} imply, three levels");
        let implied = scale * EPSILON;
        checks.push(Check::differs(&said::SETTINGS, quantity, Claim::exactly(LEVELS), implied, 0.0, misfit, 50));
    }
    let parameter = "a geometric law's parameter is a probability: `e^(-epsilon / Delta)`";
    let quantity = "parameter `Delta / epsilon` of geometric noise";
    checks.push(Check::differs(&said::SETTINGS, quantity, Claim::Below(1.0), LEVELS / EPSILON, 0.0, parameter, 32));
    let quantity = "scale of the noise: levels over epsilon";
    checks.push(Check::ours(quantity, Claim::exactly(LEVELS / EPSILON), experiment.noise.scale(), 0.0));
    checks
}

fn pictures(experiment: &Experiment, chosen: [usize; 2], tallied: &Tallied) -> (Table, Figure) {
    let mut table = Table::new("densities", ["county", "people", "residual", "before", "after"]);
    let nation = &experiment.nation;
    let mut panels = Vec::new();
    for (index, place) in chosen.into_iter().enumerate() {
        let (name, people) = (&nation.names[place], nation.people[place]);
        let density_of = |sample: &Sample| density(sample, REACH, CELLS);
        let (before, after) = (density_of(&tallied.before[index]), density_of(&tallied.after[index]));
        for (&(x, before), &(_, after)) in before.iter().zip(&after) {
            table.push([Cell::from(name.as_str()), people.into(), x.into(), before.into(), after.into()]);
        }
        let mass = |x: f64| libm::exp(experiment.noise.ln_density(x.round()));
        let law = (-40..=40).map(|x| (f64::from(x), mass(f64::from(x)))).collect();
        let series = vec![
            Series::points("before", before),
            Series::points("after", after),
            Series::line("law of the noise", law),
        ];
        let axes = (Axis::linear("residual (people)"), Axis::linear("density"));
        panels.push(panel(format!("{name} ({people} people)"), axes.0, axes.1, series));
    }
    (table, Figure::row("Residuals before and after the projection (P+)", panels))
}

fn biases(experiment: &Experiment, tallied: &Tallied) -> Table {
    let mut table = Table::new("biases", ["county", "people", "mean_residual", "error"]);
    let nation = &experiment.nation;
    let first = nation.first_county();
    for (index, mean) in tallied.counties.iter().enumerate() {
        let place = first + index;
        let row = [nation.people[place], mean.value(), mean.error()].map(Cell::from);
        table.push(std::iter::once(nation.names[place].as_str().into()).chain(row).collect::<Vec<_>>());
    }
    table
}
