//! The bias of the two mechanisms the paper begins with: the ramp, and restriction to nonnegative values.

use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned},
    calibrate::continuous_conditioned_scale,
    law::Laplace,
};
use inbounds_plot::{Axis, Figure};

use super::bias::{Named, curves, half_line, noise, simulated, table, unit};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError,
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-ramp",
    paper: Paper::McGlinchey,
    place: "Section 3, the ramp and restriction",
    claim: "For nonnegative answers both boundary inflated truncation (here: clamping, the ramp) and truncation (here: \
            conditioning) of Laplace noise have strictly positive bias. That of the ramp is `(b/2) e^(-q/b)`, that of \
            conditioning `(q + b) / (2 e^(q/b) - 1)`.",
    statements: &[&said::EQUATION_5, &said::COROLLARY_1, &said::DECREASING],
    replicates: 200_000,
    compute,
};

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let range = half_line()?;
    let unit = unit()?;
    let clamped = Clamped::new(unit, range);
    let conditioned = |scale| Ok::<_, StudyError>(Conditioned::new(Laplace::with_scale(scale)?, range));
    let least_scale = continuous_conditioned_scale(1.0, 1.0, f64::INFINITY);
    let (twice, least) = (conditioned(2.0)?, conditioned(least_scale)?);
    let mechanisms = [
        Named { name: "ramp", law: &clamped, estimate: &|q, uniform| (q + noise(uniform, &unit)).max(0.0) },
        Named {
            name: "conditioned, scale 2 / epsilon",
            law: &twice,
            estimate: &|q, uniform| twice.quantile(uniform, q),
        },
        Named { name: "conditioned, least scale", law: &least, estimate: &|q, uniform| least.quantile(uniform, q) },
    ];
    let mut table = table();
    let (biases, errors) = curves(&mechanisms, even(0.0, 6.0, 120), &mut table);
    let mut checks = Vec::new();
    for q in [0.0, 1.0, 10.0] {
        let printed = Claim::exactly(0.5 * libm::exp(-q));
        let quantity = format!("ramp: bias at {q}");
        checks.push(Check::reproduced(&said::EQUATION_5, quantity, printed, mechanisms[0].law.bias(q), 0.0));
        for (Named { name, law, .. }, scale) in mechanisms[1..].iter().zip([2.0, least_scale]) {
            let printed = Claim::exactly((q + scale) / (2.0 * libm::exp(q / scale) - 1.0));
            let quantity = format!("{name}: bias at {q}");
            checks.push(Check::reproduced(&said::COROLLARY_1, quantity, printed, law.bias(q), 0.0));
        }
    }
    let largest = Claim::exactly(0.5);
    checks.push(Check::reproduced(&said::EQUATION_5, "ramp: worst bias", largest, clamped.worst_bias(), 0.0));
    let positive = Claim::Above(0.0);
    checks.push(Check::reproduced(&said::DECREASING, "ramp: bias at 30", positive, clamped.bias(30.0), 0.0));
    checks.extend(simulated(context, &mechanisms, &[0.0, 0.5, 1.0, 2.0]));
    let axis = |quantity: &str| Axis::linear(format!("{quantity} (units of sensitivity / epsilon)"));
    let figure = Figure::row(
        "Nonnegative answers, epsilon 1",
        vec![
            panel("Bias", axis("answer"), axis("bias"), biases),
            panel("Error", axis("answer"), axis("root mean square error"), errors),
        ],
    );
    let prose = "All biases are positive and fall off exponentially. Conditioning has the larger one everywhere: it is as far \
                 off as its whole scale for an answer of 0, and its scale must be larger for the same epsilon. The closed \
                 forms agree with simulations of the noise."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
