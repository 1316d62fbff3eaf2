//! Inference from sanitised shares to the population as the number of rows grows, exactly.

use inbounds_mechanisms::bounding::Range;
use inbounds_plot::{Axis, Figure, Series};

use super::{mechanism::Mechanism, populations::binomial_mass};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table, picture::panel, statement::liu as said,
};

pub(super) const STUDY: Study = Study {
    id: "liu-consistency",
    paper: Paper::Liu,
    place: "Proposition 3",
    claim: "A sanitised statistic is asymptotically unbiased for the parameter if the statistic is, and if it is for the statistic; \
            and consistent if both are consistent.",
    statements: &[&said::PROPOSITION_3_A, &said::PROPOSITION_3_B, &said::APPENDIX_C],
    replicates: 0,
    compute,
};

/// The share in the population, and epsilon.
const SHARE: f64 = 0.02;
const EPSILON: f64 = 0.1;
const ROWS: [u32; 5] = [100, 300, 1_000, 10_000, 100_000];
/// An estimate further from the parameter than this is far.
const FAR: f64 = 0.01;

/// Probabilities of the counts of `rows` rows, as far as they matter.
fn counts(rows: u32) -> Vec<(f64, f64)> {
    let n = f64::from(rows);
    let middle = n * SHARE;
    let reach = 12.0 * libm::sqrt(middle) + 12.0;
    let (low, high) = ((middle - reach).max(0.0) as u32, (middle + reach).min(n) as u32);
    (low..=high).map(|k| (f64::from(k) / n, binomial_mass(rows, SHARE, k))).collect()
}

/// Bias for the parameter, and the probability of being far from it.
fn errors(mechanism: Mechanism, rows: u32) -> Result<[f64; 2], StudyError> {
    let (range, sensitivity) = (Range::new(0.0, 1.0)?, 1.0 / f64::from(rows));
    let law = mechanism.calibrate(EPSILON, sensitivity, range)?;
    let far = |s: f64| law.outside(SHARE - FAR, SHARE + FAR, s);
    let bias = |s: f64| s + law.bias(s) - SHARE;
    let over = |function: &dyn Fn(f64) -> f64| {
        counts(rows).iter().map(|&(s, probability)| probability * function(s)).sum::<f64>()
    };
    Ok([over(&bias), over(&far)])
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("errors", ["mechanism", "n", "bias", "probability_far"]);
    let (mut biases, mut probabilities, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    for mechanism in [Mechanism::Clamped, Mechanism::Published] {
        let by_rows = ROWS.into_iter().map(|rows| Ok((rows, errors(mechanism, rows)?)));
        let by_rows = by_rows.collect::<Result<Vec<_>, StudyError>>()?;
        for &(rows, [bias, far]) in &by_rows {
            table.push([Cell::from(mechanism.name()), f64::from(rows).into(), bias.into(), far.into()]);
        }
        let curve = |index: usize| by_rows.iter().map(move |&(rows, errors)| (f64::from(rows), errors[index].abs()));
        let drawn = |index| Series::line(mechanism.name(), curve(index).filter(|(_, y)| *y > 1e-12).collect());
        biases.push(drawn(0));
        probabilities.push(drawn(1));
        let (first, last) = (by_rows[0].1, by_rows[ROWS.len() - 1].1);
        let quantity = |quantity: &str| format!("{quantity}, share {SHARE}, epsilon {EPSILON}, {}", mechanism.name());
        let (bias, far) = (
            quantity("absolute bias at n = 100000 over that at 100"),
            quantity("probability at n = 100000 of an error above 0.01"),
        );
        let small = Claim::AtMost(1e-6);
        checks.push(Check::reproduced(&said::PROPOSITION_3_A, bias, small, (last[0] / first[0]).abs(), 0.0));
        checks.push(Check::reproduced(&said::PROPOSITION_3_B, far, small, last[1], 0.0));
    }
    checks.push(rare_and_far());
    let (x, y) = (|| Axis::log("rows n"), |quantity: &str| Axis::log(quantity));
    let figure = Figure::row(
        "A share of 0.02, epsilon 0.1",
        vec![
            panel("Bias for the population", x(), y("absolute bias"), biases),
            panel("Far from it", x(), y("probability of an error above 0.01"), probabilities),
        ],
    );
    let prose = "Both parts hold, by summing over all counts that a sample can have. The proof of the second says more than is true: \
                 convergence in probability does not make variance and bias vanish, for which an error that is rare and far \
                 suffices. What both mechanisms have is convergence in mean square (Proposition 2), which does."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// `s` with probability `1 - 1/n`, else `s + n`: converges in probability, with variance `n - 1`.
fn rare_and_far() -> Check {
    let n = 1_000.0;
    let (rare, far) = (1.0 / n, n);
    let (mean, square) = (rare * far, rare * far * far);
    let quantity = "variance of an estimate that is wrong with probability 1/n, by n; n = 1000";
    let why = "convergence in probability says nothing of moments without uniform integrability";
    Check::differs(&said::APPENDIX_C, quantity, Claim::AtMost(0.001), square - mean * mean, 0.0, why, 45)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_all_the_mass() {
        for rows in ROWS {
            let mass: f64 = counts(rows).iter().map(|(_, probability)| probability).sum();
            assert!((mass - 1.0).abs() < 1e-8, "{rows}: {mass}");
        }
    }
}
