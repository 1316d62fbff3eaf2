//! Each share divided by their sum.

use super::{
    super::{
        estimate::{Against, Estimate, PAPERS, agrees, difference, differs, quotient},
        mechanism::Mechanism,
    },
    compare::{At, Measure, findings, hard, of_mechanisms},
    procedure::Procedure,
    results::{EPSILONS, FIRST, LAST, ROWS, Results, SINGLES},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, statement::liu as said};

pub(in crate::liu) const STUDY: Study = Study {
    id: "liu-rescaling",
    paper: Paper::Liu,
    place: "Section 4.2, re-scaling, Figure 2",
    claim: "Shares 0.1, 0.2, 0.3 and 0.4 of a sample are sanitised one by one and divided by their sum. The bias is minimal at \
            epsilon 0.5 and 1; at 0.1 and few rows clamping is the less biased, and conditioning has the smaller error and the \
            better coverage. At epsilon 1 the error is basically that of the original data. Coverage is about 95 % at epsilon \
            1, 85 to 92 % at 0.5 for `n` up to 300, and 50 to 80 % at 0.1.",
    statements: &[
        &said::FIGURE_2_BIAS,
        &said::FIGURE_2_SIGNS,
        &said::FIGURE_2_ORDER,
        &said::FIGURE_2_RMSE,
        &said::FIGURE_2_SAME,
        &said::FIGURE_2_RMSE_ORDER,
        &said::COVERAGE_1,
        &said::COVERAGE_05,
        &said::COVERAGE_01,
        &said::COVERAGE_ORDER,
        &said::COVERAGE_SIMILAR,
        &said::LARGE_N,
    ],
    replicates: 40_000,
    compute,
};

const PROCEDURE: Procedure = Procedure::Rescaling;
/// Tolerance for "minimal bias": a percentage point.
const MINIMAL: f64 = 0.01;
/// Tolerance for "basically the same error": within a tenth.
const SAME: f64 = 1.1;
/// Printed ranges of coverage are good to a percentage point.
const POINT: f64 = 0.01;
/// Tolerance for "similar coverage".
const SIMILAR: f64 = 0.02;
const WALD: Against =
    Against("Wald's interval covers less for a small share in few rows, even on the original data", 14);
const NOISE: Against = Against("Wald's interval counts the sampling, not the noise", 40);

/// Cells of shares: numbers of rows, an epsilon, mechanisms.
fn cells(rows: &[u32], epsilon: f64, mechanism: Mechanism) -> impl Iterator<Item = At> {
    rows.iter().flat_map(move |&rows| SINGLES.map(|target| At { rows, epsilon, mechanism, target }))
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let results = Results::new(context, &[PROCEDURE])?;
    let mut checks = biases(&results);
    checks.extend(errors(&results));
    checks.extend(coverages(&results));
    checks.extend(by_mechanism(&results));
    let [clamped, published, exact] =
        Mechanism::ALL.map(|mechanism| hard(mechanism, LAST).errors(&results, PROCEDURE).rmse().0);
    let left = (clamped - exact) / (clamped - published);
    let prose = format!(
        "The order of the two mechanisms is that of the paper at the published scale, which is not private. At the exact scale \
         conditioning has the larger error for `p1`, and of its advantage for `p4` {:.0} % are left (n = 50, epsilon 0.1). \
         Intervals that ignore the noise cover too little at small epsilon, whichever the mechanism, and less than the paper \
         says: for the smallest share at 50 rows a third of the time.",
        100.0 * left,
    );
    Ok(findings(&results, "Re-scaling", &of_mechanisms(PROCEDURE), checks, &prose))
}

fn biases(results: &Results) -> Vec<Check> {
    let bias = |at: At| at.errors(results, PROCEDURE).bias();
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        for epsilon in [0.5, 1.0] {
            let size = |at: At| Measure::Bias.evaluate(at.errors(results, PROCEDURE));
            let worst = cells(&ROWS, epsilon, mechanism).max_by(|a, b| size(*a).0.total_cmp(&size(*b).0));
            let worst = worst.expect("there are cells");
            let quantity = format!("largest absolute bias: {}", worst.words());
            checks.push(agrees(&said::FIGURE_2_BIAS, quantity, Claim::AtMost(MINIMAL), size(worst)));
        }
        for (target, claimed) in [(FIRST, Claim::Above(0.0)), (LAST, Claim::Below(0.0))] {
            let at = hard(mechanism, target);
            checks.push(agrees(&said::FIGURE_2_SIGNS, format!("bias: {}", at.words()), claimed, bias(at)));
        }
    }
    checks
}

fn errors(results: &Results) -> Vec<Check> {
    let inflation = |rows, epsilon, target| {
        At { rows, epsilon, mechanism: Mechanism::Clamped, target }.ratio(results, PROCEDURE, Procedure::Original)
    };
    let mut checks = Vec::new();
    for (name, target) in [("p1", FIRST), ("p4", LAST)] {
        let mut smaller = |quantity: &str, more: Estimate, less: Estimate| {
            let quantity = format!("inflation of the error of {name}, clamped: {quantity}");
            checks.push(agrees(&said::FIGURE_2_RMSE, quantity, Claim::Above(0.0), difference(more, less)));
        };
        smaller("epsilon 0.1 less 0.5, n = 50", inflation(50, 0.1, target), inflation(50, 0.5, target));
        smaller("epsilon 0.5 less 1, n = 50", inflation(50, 0.5, target), inflation(50, 1.0, target));
        smaller("n = 50 less n = 500, epsilon 0.1", inflation(50, 0.1, target), inflation(500, 0.1, target));
    }
    let noticed = Against("the noise of the smallest share is not small against its sampling error", 53);
    for mechanism in PAPERS {
        let at = |rows, target| At { rows, epsilon: 1.0, mechanism, target };
        let ratio = |at: At| at.ratio(results, PROCEDURE, Procedure::Original);
        let quantity = |at: At| format!("error over that of the original data: {}", at.words());
        let same = Claim::AtMost(SAME);
        let (few, many) = (at(50, FIRST), at(500, FIRST));
        checks.push(differs(&said::FIGURE_2_SAME, quantity(few), same, ratio(few), noticed));
        for near in [many, at(50, LAST), at(500, LAST)] {
            checks.push(agrees(&said::FIGURE_2_SAME, quantity(near), same, ratio(near)));
        }
    }
    checks
}

fn coverages(results: &Results) -> Vec<Check> {
    let coverage = |at: At| at.errors(results, PROCEDURE).coverage();
    let mut checks = Vec::new();
    let about = Claim::Is { value: 0.95, within: 0.01 };
    let at = |rows, target| At { rows, epsilon: 1.0, mechanism: Mechanism::Clamped, target };
    let (first, last) = (at(50, FIRST), at(500, LAST));
    checks.push(differs(&said::COVERAGE_1, format!("coverage: {}", first.words()), about, coverage(first), WALD));
    let original = first.errors(results, Procedure::Original).coverage();
    checks.push(differs(&said::COVERAGE_1, "coverage: p1, n = 50, original data".to_owned(), about, original, WALD));
    checks.push(agrees(&said::COVERAGE_1, format!("coverage: {}", last.words()), about, coverage(last)));
    for mechanism in PAPERS {
        let extremes = |rows: &[u32], epsilon| {
            let by = |a: &At, b: &At| coverage(*a).0.total_cmp(&coverage(*b).0);
            let least = cells(rows, epsilon, mechanism).min_by(by).expect("there are cells");
            let most = cells(rows, epsilon, mechanism).max_by(by).expect("there are cells");
            [("least", least), ("largest", most)]
                .map(|(end, at)| (format!("{end} coverage: {}", at.words()), coverage(at)))
        };
        let half = Claim::Between { low: 0.85 - POINT, high: 0.92 + POINT };
        let [(quantity, least), (quantity_most, most)] = extremes(&ROWS[..3], 0.5);
        checks.push(differs(&said::COVERAGE_05, quantity, half, least, NOISE));
        checks.push(agrees(&said::COVERAGE_05, quantity_most, half, most));
        let tenth = Claim::Between { low: 0.5 - POINT, high: 0.8 + POINT };
        let [(quantity, least), (quantity_most, most)] = extremes(&ROWS, 0.1);
        checks.push(match mechanism {
            Mechanism::Clamped => differs(&said::COVERAGE_01, quantity, tenth, least, NOISE),
            _ => agrees(&said::COVERAGE_01, quantity, tenth, least),
        });
        checks.push(agrees(&said::COVERAGE_01, quantity_most, tenth, most));
    }
    checks
}

/// BIT against truncation at its published scale, and at the exact one.
fn by_mechanism(results: &Results) -> Vec<Check> {
    let [clamped, published, exact] = Mechanism::ALL;
    let mut checks = Vec::new();
    let more = |at: At, measure: Measure, one: Mechanism, other: Mechanism| {
        let measured = |mechanism| measure.evaluate(At { mechanism, ..at }.errors(results, PROCEDURE));
        difference(measured(one), measured(other))
    };
    let quantity =
        |at: At, quantity: &str| format!("{quantity}, p{}, n = {}, epsilon {}", at.target + 1, at.rows, at.epsilon);
    let positive = Claim::Above(0.0);
    for target in SINGLES {
        let at = hard(clamped, target);
        let bias = more(at, Measure::Bias, published, clamped);
        checks.push(agrees(
            &said::FIGURE_2_ORDER,
            quantity(at, "absolute bias: published less clamped"),
            positive,
            bias,
        ));
        let rmse = more(at, Measure::Rmse, clamped, published);
        checks.push(agrees(&said::FIGURE_2_RMSE_ORDER, quantity(at, "RMSE: clamped less published"), positive, rmse));
        let misses = more(at, Measure::Misses, clamped, published);
        let words = quantity(at, "coverage: published less clamped");
        checks.push(agrees(&said::COVERAGE_ORDER, words, positive, misses));
    }
    let turned = more(hard(clamped, FIRST), Measure::Rmse, exact, clamped);
    let words = quantity(hard(clamped, FIRST), "RMSE: exact scale less clamped");
    checks.push(Check::ours(words, positive, turned.0, turned.1));
    let apart = Against("there truncation covers clearly more of the smallest share", 55);
    for epsilon in EPSILONS {
        let at = At { rows: 500, epsilon, mechanism: clamped, target: LAST };
        let ratio = quotient(
            at.errors(results, PROCEDURE).rmse(),
            At { mechanism: published, ..at }.errors(results, PROCEDURE).rmse(),
        );
        let even = Claim::Is { value: 1.0, within: 0.02 };
        checks.push(agrees(&said::LARGE_N, quantity(at, "RMSE: clamped over published"), even, ratio));
    }
    for (rows, epsilon) in [(50, 0.5), (50, 1.0), (200, 0.5), (500, 0.1)] {
        let at = At { rows, epsilon, mechanism: clamped, target: FIRST };
        let (words, similar) = (quantity(at, "coverage: published less clamped"), Claim::AtMost(SIMILAR));
        let computed = more(at, Measure::Misses, clamped, published);
        checks.push(if (rows, epsilon) == (50, 0.5) {
            differs(&said::COVERAGE_SIMILAR, words, similar, computed, apart)
        } else {
            agrees(&said::COVERAGE_SIMILAR, words, similar, computed)
        });
    }
    checks
}
