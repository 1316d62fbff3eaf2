//! Two pairs and four shares at half of epsilon each, made consistent.

use super::{
    super::{
        estimate::{Against, PAPERS, agrees, difference, differs, quotient},
        mechanism::Mechanism,
    },
    compare::{At, Measure, findings, hard, of_mechanisms},
    procedure::Procedure,
    results::{EPSILONS, FIRST, LAST, Results, SINGLES},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, statement::liu as said};

pub(in crate::liu) const STUDY: Study = Study {
    id: "liu-universal-histogram",
    paper: Paper::Liu,
    place: "Section 4.2, universal histogram, Figure 5",
    claim: "Sanitising the two pairs and the four shares at half of epsilon each is worse than re-scaling in bias, error and \
            coverage, for all shares at every epsilon where `n` is small, most of all at epsilon 0.1. The pairs (p1, p4) and \
            (p2, p3) are slightly worse than (p1, p2) and (p3, p4); noise that is bounded last is similar or slightly worse.",
    statements: &[&said::FIGURE_5, &said::FIGURE_5_MOST, &said::GROUPING, &said::FOOTNOTE_3],
    replicates: 60_000,
    compute,
};

const TREE: Procedure = Procedure::UniversalHistogram;
const PLAIN: Procedure = Procedure::Rescaling;
const OTHER: Procedure = Procedure::OtherGrouping;
const LAST_BOUNDED: Procedure = Procedure::BoundedLast;

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let results = Results::new(context, &[TREE, PLAIN, OTHER, LAST_BOUNDED])?;
    let mut checks = worse(&results);
    checks.extend(most(&results));
    checks.extend(variants(&results));
    let prose = "Half of epsilon for each layer doubles the noise of the shares, and the sums of pairs win only part of it back. At \
                 50 rows and epsilon 0.1, clamped, `p2` is the exception: its bias is smaller than by re-scaling, and its error \
                 no larger.";
    Ok(findings(&results, "Universal histogram", &of_mechanisms(TREE), checks, prose))
}

/// All shares at 50 rows, every epsilon.
fn worse(results: &Results) -> Vec<Check> {
    let exception = Against("consistency with the pair moves this share towards the truth", 43);
    let mut checks = Vec::new();
    let positive = Claim::Above(0.0);
    for mechanism in PAPERS {
        for epsilon in EPSILONS {
            for target in SINGLES {
                let at = At { rows: 50, epsilon, mechanism, target };
                // There the error is the same to within what can be simulated, and the coverage of p1 nearly so.
                let close = |measure| {
                    let cell = (mechanism, epsilon, target);
                    measure == Measure::Rmse && cell == (Mechanism::Clamped, 0.1, 1)
                        || measure == Measure::Misses && cell == (Mechanism::Clamped, 0.1, 0)
                };
                for measure in [Measure::Rmse, Measure::Misses] {
                    if !close(measure) {
                        let quantity = format!("{}: histogram less re-scaling, {}", measure.name(), at.words());
                        checks.push(agrees(
                            &said::FIGURE_5,
                            quantity,
                            positive,
                            at.excess(results, measure, TREE, PLAIN),
                        ));
                    }
                }
            }
        }
        for target in [FIRST, LAST] {
            let at = hard(mechanism, target);
            let quantity = format!("absolute bias: histogram less re-scaling, {}", at.words());
            checks.push(agrees(&said::FIGURE_5, quantity, positive, at.excess(results, Measure::Bias, TREE, PLAIN)));
        }
    }
    let at = hard(Mechanism::Clamped, 1);
    let quantity = format!("absolute bias: histogram less re-scaling, {}", at.words());
    let computed = at.excess(results, Measure::Bias, TREE, PLAIN);
    checks.push(differs(&said::FIGURE_5, quantity, positive, computed, exception));
    checks
}

/// The loss of precision at epsilon 0.1 against that at the others.
fn most(results: &Results) -> Vec<Check> {
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        for target in [FIRST, LAST] {
            let loss =
                |epsilon| At { rows: 100, epsilon, mechanism, target }.excess(results, Measure::Rmse, TREE, PLAIN);
            for epsilon in [0.5, 1.0] {
                let at = At { rows: 100, epsilon, mechanism, target };
                let quantity = format!("added RMSE at epsilon 0.1 less that of {}", at.words());
                let computed = difference(loss(0.1), loss(epsilon));
                checks.push(agrees(&said::FIGURE_5_MOST, quantity, Claim::Above(0.0), computed));
            }
        }
    }
    checks
}

/// The other grouping and the other order of steps.
fn variants(results: &Results) -> Vec<Check> {
    let mut checks = Vec::new();
    let total = |mechanism, epsilon, procedure| {
        let square = |target| {
            let (rmse, error) = At { rows: 100, epsilon, mechanism, target }.errors(results, procedure).rmse();
            (rmse * rmse, 2.0 * rmse * error)
        };
        let sum = |sum: (f64, f64), (square, error)| (sum.0 + square, libm::hypot(sum.1, error));
        SINGLES.map(square).into_iter().fold((0.0, 0.0), sum)
    };
    for epsilon in EPSILONS {
        let ratio =
            |mechanism, procedure| quotient(total(mechanism, epsilon, procedure), total(mechanism, epsilon, TREE));
        for mechanism in PAPERS {
            let quantity = format!(
                "MSE of all shares: other grouping over first, n = 100, epsilon {epsilon}, {}",
                mechanism.name()
            );
            let slightly = Claim::Between { low: 1.0, high: 1.2 };
            checks.push(agrees(&said::GROUPING, quantity, slightly, ratio(mechanism, OTHER)));
        }
        let quantity = format!("MSE of all shares: bounded last over clamped first, n = 100, epsilon {epsilon}");
        let similar = Claim::Between { low: 0.95, high: 1.2 };
        checks.push(agrees(&said::FOOTNOTE_3, quantity, similar, ratio(Mechanism::Clamped, LAST_BOUNDED)));
    }
    checks
}
