//! Five re-scaled releases, combined.

use super::{
    super::{
        estimate::{PAPERS, agrees, difference},
        mechanism::Mechanism,
    },
    compare::{At, Measure, findings, hard, of_mechanisms},
    procedure::Procedure,
    results::{FIRST, LAST, Results},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, statement::liu as said};

pub(in crate::liu) const STUDY: Study = Study {
    id: "liu-multiple-synthesis",
    paper: Paper::Liu,
    place: "Section 4.2, multiple synthesis, Figure 3",
    claim: "The mean of five re-scaled releases at a fifth of epsilon each, with an interval that counts what lies between \
            them, covers much more often, especially with clamping, at the price of bias; at epsilon 0.1 its error does not \
            approach that of the original data.",
    statements: &[&said::FIGURE_3, &said::FIGURE_3_BIAS, &said::FIGURE_3_RMSE],
    replicates: 20_000,
    compute,
};

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (many, one) = (Procedure::MultipleSynthesis, Procedure::Rescaling);
    let results = Results::new(context, &[many, one])?;
    let mut checks = Vec::new();
    let gain = |mechanism| hard(mechanism, FIRST).excess(&results, Measure::Misses, one, many);
    let loss = |mechanism| hard(mechanism, FIRST).excess(&results, Measure::Bias, many, one);
    let positive = Claim::Above(0.0);
    for mechanism in PAPERS {
        let quantity =
            |quantity: &str| format!("{quantity}: five releases less one, {}", hard(mechanism, FIRST).words());
        checks.push(agrees(&said::FIGURE_3, quantity("coverage"), positive, gain(mechanism)));
        checks.push(agrees(&said::FIGURE_3_BIAS, quantity("absolute bias"), positive, loss(mechanism)));
        for target in [FIRST, LAST] {
            let at = At { rows: 500, epsilon: 0.1, mechanism, target };
            let quantity = format!("error over that of the original data: {}", at.words());
            let ratio = at.ratio(&results, many, Procedure::Original);
            checks.push(agrees(&said::FIGURE_3_RMSE, quantity, Claim::AtLeast(2.0), ratio));
        }
    }
    let [clamped, published] = PAPERS.map(gain);
    let quantity = "gain in coverage of p1, n = 50, epsilon 0.1: clamped less published".to_owned();
    checks.push(agrees(&said::FIGURE_3, quantity, positive, difference(clamped, published)));
    let exact = [("gain in coverage", gain(Mechanism::Exact)), ("added absolute bias", loss(Mechanism::Exact))];
    for (quantity, computed) in exact {
        let quantity = format!("{quantity}: {}", hard(Mechanism::Exact, FIRST).words());
        checks.push(Check::ours(quantity, positive, computed.0, computed.1));
    }
    let prose = "All parts of the claim hold for all mechanisms. The intervals count the noise, which Wald's do not, but not the \
                 bias that clamping and conditioning add at a fifth of epsilon, so they still miss the level where that is \
                 large.";
    Ok(findings(&results, "Multiple synthesis", &of_mechanisms(many), checks, prose))
}
