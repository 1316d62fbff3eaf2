//! The densities of the plain, the clamped and the conditioned mechanism.

use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    calibrate::continuous_conditioned_scale,
    law::{Laplace, Noise},
};
use inbounds_plot::{Axis, Figure, Series};

use super::{
    algorithm::mass,
    density::{density, integral},
};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-densities",
    paper: Paper::Holohan,
    place: "Figure 1, Definitions 3.1 and A.3, Lemma 3.2",
    claim: "The truncated mechanism (here: clamped) has atoms at the ends of the domain, the bounded one (here: conditioned) \
            a density that is the Laplace density renormalised on the domain.",
    statements: &[&said::FIGURE_1, &said::EXAMPLE_1_1, &said::DEFINITION_3_1, &said::LEMMA_3_2, &said::TRUNCATED],
    replicates: 0,
    compute,
};

const WIDTH: f64 = 4.0;
const ANSWERS: [f64; 3] = [0.0, 1.0, 2.0];

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let range = Range::new(0.0, WIDTH)?;
    let plain = Laplace::with_scale(1.0)?;
    let clamped = Clamped::new(plain, range);
    let conditioned = Conditioned::new(Laplace::with_scale(continuous_conditioned_scale(1.0, 1.0, WIDTH))?, range);
    let mut table = Table::new("densities", ["answer", "output", "plain", "conditioned"]);
    let (mut panels, mut checks) = (Vec::new(), Vec::new());
    for q in ANSWERS {
        let points = |low: f64, high: f64, f: &dyn Fn(f64) -> f64| even(low, high, 240).map(|x| (x, f(x))).collect();
        let noise = |x: f64| libm::exp(plain.ln_density(x - q));
        for x in even(0.0, WIDTH, 240) {
            table.push([q, x, noise(x), density(&conditioned, x, q)].map(Into::into));
        }
        let series = vec![
            Series::line("plain, scale 1", points(-2.0, WIDTH + 2.0, &noise)),
            Series::line("conditioned, scale for epsilon 1", points(0.0, WIDTH, &|x| density(&conditioned, x, q))),
            Series::points("atoms of the clamped law", vec![(0.0, clamped.atoms(q).0), (WIDTH, clamped.atoms(q).1)]),
        ];
        let title = format!("Answer {q}");
        panels.push(panel(title, Axis::linear("output"), Axis::linear("density, or mass of an atom"), series));
        checks.extend(of_answer(&clamped, &conditioned, q));
    }
    let half = Claim::exactly(0.5);
    let quantity = "probability of a negative output for the answer 0";
    checks.push(Check::reproduced(&said::EXAMPLE_1_1, quantity, half, plain.cdf(0.0), 0.0));
    let figure = Figure::row("Laplace noise on [0, 4], sensitivity 1, epsilon 1", panels);
    let prose =
        "As described. Masses, means and mean square errors found by integrating the densities agree with the closed \
                 forms. At equal epsilon the conditioned law needs the larger scale, so its density is the flatter one."
            .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

fn of_answer(clamped: &Clamped<Laplace>, conditioned: &Conditioned<Laplace>, q: f64) -> Vec<Check> {
    let quantity = |quantity: &str| format!("{quantity}, answer {q}");
    let moment = |power: i32| integral(0.0, WIDTH, &[q], |x| density(conditioned, x, q) * (x - q).powi(power));
    let plain = Laplace::with_scale(1.0).expect("a scale");
    let inside = integral(0.0, WIDTH, &[q], |x| libm::exp(plain.ln_density(x - q)));
    let peak = |law: f64| Claim::exactly(libm::exp(plain.ln_density(0.0)) / law);
    let (low, high) = clamped.atoms(q);
    let (one, at_peak) = (Claim::exactly(1.0), density(&Conditioned::new(plain, clamped.range()), q, q));
    let bias = Claim::Is { value: conditioned.bias(q), within: 1e-12 };
    vec![
        Check::reproduced(&said::DEFINITION_3_1, quantity("mass of the conditioned density"), one, moment(0), 0.0),
        Check::reproduced(&said::FIGURE_1, quantity("conditioned density at the answer"), peak(inside), at_peak, 0.0),
        Check::reproduced(&said::LEMMA_3_2, quantity("mass inside"), Claim::exactly(mass(1.0, q, WIDTH)), inside, 0.0),
        Check::reproduced(&said::TRUNCATED, quantity("mass of the clamped law"), one, low + inside + high, 0.0),
        Check::reproduced(&said::TRUNCATED, quantity("lower atom"), Claim::exactly(0.5 * libm::exp(-q)), low, 0.0),
        Check::reproduced(
            &said::TRUNCATED,
            quantity("upper atom"),
            Claim::exactly(0.5 * libm::exp(q - WIDTH)),
            high,
            0.0,
        ),
        Check::ours(quantity("bias of the conditioned law"), bias, moment(1), 0.0),
        Check::ours(quantity("its mean square error"), Claim::exactly(conditioned.mse(q)), moment(2), 0.0),
    ]
}
