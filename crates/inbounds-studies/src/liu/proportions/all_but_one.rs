//! The first share is what the others leave.

use inbounds_statistics::proportion::Negative;

use super::{
    super::{
        estimate::{Against, PAPERS, agrees, differs},
        mechanism::Mechanism,
    },
    compare::{At, Measure, findings, hard},
    procedure::Procedure,
    results::{FIRST, LAST, Results, SINGLES},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, statement::liu as said};

pub(in crate::liu) const STUDY: Study = Study {
    id: "liu-all-but-one",
    paper: Paper::Liu,
    place: "Section 4.2, all-but-one, Figure 4",
    claim: "Only `p2`, `p3` and `p4` are sanitised, and `p1` is calculated from them. Against re-scaling, bias and error are \
            similar at epsilon 0.5 and 1; at 0.1 the bias is smaller at small `n` and the error noticeably larger; coverage is \
            similar but for `p1`, where it is much worse.",
    statements: &[&said::FIGURE_4_SIMILAR, &said::FIGURE_4_BIAS, &said::FIGURE_4_RMSE, &said::FIGURE_4_COVERAGE],
    replicates: 40_000,
    compute,
};

const KEPT: Procedure = Procedure::AllButOne(Negative::Kept);
const ZEROED: Procedure = Procedure::AllButOne(Negative::Zeroed);
const RESCALED: Procedure = Procedure::Rescaling;
/// Tolerances for "similar": biases within a percentage point, errors within a tenth, coverages within a twentieth.
const BIASES: f64 = 0.01;
const ERRORS: f64 = 1.1;
const COVERAGES: f64 = 0.05;

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let results = Results::new(context, &[KEPT, ZEROED, RESCALED])?;
    let mut checks = similar(&results);
    checks.extend(small(&results));
    let curves = [
        ("re-scaling, clamped", RESCALED, Mechanism::Clamped),
        ("negative kept, clamped", KEPT, Mechanism::Clamped),
        ("negative zeroed, clamped", ZEROED, Mechanism::Clamped),
        ("negative kept, exact scale", KEPT, Mechanism::Exact),
        ("negative zeroed, exact scale", ZEROED, Mechanism::Exact),
    ];
    let prose = "The calculated share takes the noise of all others, and can come out negative, on which the paper is silent: it is \
                 either kept, as in the verdicts, or made zero and the others divided by their sum. Its error is nowhere similar \
                 to that by re-scaling, and at 50 rows and epsilon 0.1 the biases are larger for most shares, not smaller.";
    Ok(findings(&results, "All but one", &curves, checks, prose))
}

/// Epsilon 0.5 and 1.
fn similar(results: &Results) -> Vec<Check> {
    let own = Against("the calculated share takes the noise of the three others", 41);
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        for epsilon in [0.5, 1.0] {
            let at = |target| At { rows: 50, epsilon, mechanism, target };
            for target in [FIRST, LAST] {
                let quantity = format!("absolute bias: all-but-one less re-scaling, {}", at(target).words());
                let computed = at(target).excess(results, Measure::Bias, KEPT, RESCALED);
                checks.push(agrees(&said::FIGURE_4_SIMILAR, quantity, Claim::AtMost(BIASES), computed));
            }
            let quantity = |target| format!("error over that by re-scaling: {}", at(target).words());
            let ratio = |target| at(target).ratio(results, KEPT, RESCALED);
            let near = Claim::AtMost(ERRORS);
            checks.push(differs(&said::FIGURE_4_SIMILAR, quantity(FIRST), near, ratio(FIRST), own));
            checks.push(agrees(&said::FIGURE_4_SIMILAR, quantity(LAST), near, ratio(LAST)));
        }
    }
    checks
}

/// Epsilon 0.1.
fn small(results: &Results) -> Vec<Check> {
    let larger = Against("clamping the others pushes them up and the calculated share down", 42);
    let fewer = Against("truncation at the published scale biases the sanitised shares more than re-scaling does", 54);
    let mut checks = Vec::new();
    let smaller = Claim::Below(0.0);
    for mechanism in PAPERS {
        for target in SINGLES {
            let at = hard(mechanism, target);
            let quantity = |measure: &str| format!("{measure}: all-but-one less re-scaling, {}", at.words());
            let bias = at.excess(results, Measure::Bias, KEPT, RESCALED);
            let words = quantity("absolute bias");
            if target == LAST {
                checks.push(agrees(&said::FIGURE_4_BIAS, words, smaller, bias));
            } else if (mechanism, target) != (Mechanism::Clamped, 2) {
                checks.push(differs(&said::FIGURE_4_BIAS, words, smaller, bias, larger));
            }
            let rmse = at.excess(results, Measure::Rmse, KEPT, RESCALED);
            checks.push(agrees(&said::FIGURE_4_RMSE, quantity("RMSE"), Claim::Above(0.0), rmse));
            let misses = at.excess(results, Measure::Misses, KEPT, RESCALED);
            let words = quantity("missed coverage");
            checks.push(match (mechanism, target) {
                (_, FIRST) => agrees(&said::FIGURE_4_COVERAGE, words, Claim::AtLeast(0.1), misses),
                (Mechanism::Published, 1 | 2) => {
                    differs(&said::FIGURE_4_COVERAGE, words, Claim::AtMost(COVERAGES), misses, fewer)
                }
                _ => agrees(&said::FIGURE_4_COVERAGE, words, Claim::AtMost(COVERAGES), misses),
            });
        }
    }
    checks
}
