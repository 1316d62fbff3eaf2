//! Residuals of two counties before and after the projection.

use inbounds_mechanisms::law::{Laplace, Noise};
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::total::TotalError;

use super::{
    histogram::{curve, density, gap, usual_gap},
    release::Release,
};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Sample, Tally, simulate},
    picture::panel,
    places::State,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-residuals",
    paper: Paper::Zhu,
    place: "Figure 1",
    claim: "The counts of a state's counties get Laplace noise and are projected onto the known total of the state and \
            nonnegativity. The residuals of a small and of a large county are centred before and after, and the projection \
            hardly changes their law.",
    replicates: 20_000,
    compute,
};

const SCALE: f64 = 10.0;
/// The pictures show errors up to this, in cells of a fifth of the scale.
const REACH: f64 = 50.0;
const CELLS: usize = 50;

/// Residuals of one county.
#[derive(Default)]
struct County {
    before: Sample,
    after: Sample,
}

impl Tally for County {
    fn absorb(&mut self, later: Self) {
        self.before.absorb(later.before);
        self.after.absorb(later.after);
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let state = State::read(context, "TX", 254)?;
    let noise = Laplace::with_scale(SCALE)?;
    let release = Release::new(&state.people, noise);
    let chosen = [state.smallest(), state.largest()];
    let residuals = simulate(
        context,
        "residuals",
        || vec![County::default(), County::default()],
        |draws, counties| {
            let errors = release.draw(draws);
            for (county, &index) in counties.iter_mut().zip(&chosen) {
                county.before.0.push(errors.before[index]);
                county.after.0.push(errors.nonnegative[index]);
            }
        },
    );
    let law = TotalError::new(state.people.len() as u32, SCALE)?;
    let mut table = Table::new("densities", ["county", "people", "residual", "before", "after", "noise", "exact_law"]);
    let (mut checks, mut panels) = (Vec::new(), Vec::new());
    for (county, &index) in residuals.iter().zip(&chosen) {
        let (name, people) = (&state.names[index], state.people[index]);
        checks.extend(verdicts(name, county, &noise, &law));
        let (before, after) = (density(&county.before, REACH, CELLS), density(&county.after, REACH, CELLS));
        for (&(x, before), &(_, after)) in before.iter().zip(&after) {
            let laws = [libm::exp(noise.ln_density(x)), law.pdf(x)].map(Into::into);
            let [plain, exact] = laws;
            table.push([name.as_str().into(), people.into(), x.into(), before.into(), after.into(), plain, exact]);
        }
        let series = vec![
            Series::points("before, simulated", before),
            Series::points("after, simulated", after),
            Series::line("Laplace noise", curve(REACH, CELLS, |x| libm::exp(noise.ln_density(x)))),
            Series::line("exact law after", curve(REACH, CELLS, |x| law.pdf(x))),
        ];
        let title = format!("{name}, {} ({people} people)", state.code);
        panels.push(panel(title, Axis::linear("residual (people)"), Axis::linear("density"), series));
    }
    let prose = format!(
        "Simulated in continuous noise of scale {SCALE} on the {} counties of {}. Both residuals are centred, the small \
         county's too: its count is {:.1} scales, so noise reaches zero with probability {:.1e}. After the projection \
         their law is the exact one of a cell under a known total, which differs from the noise's own by a rounding of its \
         peak.",
        state.people.len(),
        state.code,
        state.people[chosen[0]] / SCALE,
        noise.sf(state.people[chosen[0]]),
    );
    let figure = Figure::row("Residuals before and after the projection", panels);
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: state.substitute })
}

fn verdicts(name: &str, county: &County, noise: &Laplace, law: &TotalError) -> Vec<Check> {
    let moment = |sample: &Sample, of: fn(f64) -> f64| {
        let mut mean = Mean::default();
        sample.0.iter().for_each(|&x| mean.add(of(x)));
        mean
    };
    let check = |what: &str, claimed: f64, found: Mean| {
        Check::reproduced(format!("{name}: {what}"), Claim::exactly(claimed), found.value(), found.error())
    };
    let closeness = |what: &str, found: f64| {
        let usual = Claim::AtMost(usual_gap(county.after.0.len()));
        Check::ours(format!("{name}: largest gap of {what}"), usual, found, 0.0)
    };
    vec![
        check("mean residual before", 0.0, moment(&county.before, |x| x)),
        check("mean residual after", 0.0, moment(&county.after, |x| x)),
        check("variance before", noise.variance(), moment(&county.before, |x| x * x)),
        check("variance after", law.variance(), moment(&county.after, |x| x * x)),
        closeness("the residuals before from Laplace noise", gap(&county.before, |v| noise.sf(v))),
        closeness("the residuals after from the exact law", gap(&county.after, |v| law.sf(v))),
    ]
}
