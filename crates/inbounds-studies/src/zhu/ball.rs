//! Probability that noise stays in an `l1` ball.

use inbounds_mechanisms::{law::Laplace, noise::DiscreteLaplace, sampler::fill_discrete_laplace};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, simulate},
    picture::{even, panel},
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-ball",
    paper: Paper::Zhu,
    place: "Lemma 8",
    claim: "The `l1` norm of `n` Laplace noises of scale `lambda` is at most `r` with probability \
            `1 - e^(-r/lambda) sum_(i<n) (r/lambda)^i / i!`; for geometric noise with parameter `a` the probability is a sum \
            over lattice points of the ball.",
    statements: &[&said::LEMMA_8, &said::LEMMA_8_GEOMETRIC],
    replicates: 100_000,
    compute,
};

/// Numbers of cells in the picture: those of Arizona, New Mexico and Texas, and one and five.
const CELLS: [u32; 5] = [1, 5, 15, 33, 254];

/// `P(|eta_1| + ... + |eta_n| > r)` for Laplace noise, `r` in scales: an Erlang tail, as a sum of positive terms.
pub(super) fn laplace_outside(cells: u32, r: f64) -> f64 {
    if r == 0.0 {
        return 1.0;
    }
    // In logarithms, as the first term underflows long before the sum does.
    let mut ln_term = -r;
    let mut sum = libm::exp(ln_term);
    for i in 1..cells {
        ln_term += libm::log(r / f64::from(i));
        sum += libm::exp(ln_term);
    }
    sum.min(1.0)
}

/// The same for discrete Laplace noise with `P(k)` in proportion to `a^|k|`, and whole `r`.
///
/// Of `n` cells, `j` are not zero with a binomial probability; the sum of `j` geometric sizes of at least 1 passes
/// `r` if fewer than `j` of `r` trials succeed. All terms are positive.
pub(super) fn geometric_outside(cells: u32, r: u32, a: f64) -> f64 {
    let nonzero = binomial(cells, 2.0 * a / (1.0 + a));
    let successes = binomial(r, 1.0 - a);
    let mut fewer = 0.0;
    let mut outside = 0.0;
    for (j, probability) in nonzero.iter().enumerate() {
        outside += probability * fewer;
        fewer += successes.get(j).copied().unwrap_or(0.0);
    }
    outside
}

/// The paper's form, as printed: `P(inside) = 1 - 2 a^(r + 1) / (1 + a) sum_(i < n) h_i(r) ((1 - a) / (1 + a))^i`
/// with `h_0 = 1` and `h_(i + 1)(r) = sum_(v = -r)^r h_i(r - |v|)`.
fn geometric_inside_published(cells: u32, r: u32, a: f64) -> f64 {
    let (radius, ratio) = (r as usize, (1.0 - a) / (1.0 + a));
    // One entry a radius.
    let mut h = vec![1.0; radius + 1];
    let (mut sum, mut power) = (0.0, 1.0);
    for _ in 0..cells {
        sum += h[radius] * power;
        power *= ratio;
        // h_(i + 1)(s) = h_i(s) + 2 (h_i(0) + ... + h_i(s - 1))
        let mut below = 0.0;
        for entry in &mut h {
            let own = *entry;
            *entry += 2.0 * below;
            below += own;
        }
    }
    1.0 - 2.0 * libm::pow(a, f64::from(r) + 1.0) / (1.0 + a) * sum
}

/// All probabilities of a binomial law.
fn binomial(trials: u32, p: f64) -> Vec<f64> {
    let mut ln_choose = 0.0;
    (0..=trials)
        .map(|k| {
            if k > 0 {
                ln_choose += libm::log(f64::from(trials - k + 1) / f64::from(k));
            }
            libm::exp(ln_choose + f64::from(k) * libm::log(p) + f64::from(trials - k) * libm::log1p(-p))
        })
        .collect()
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("inside", ["noise", "cells", "radius_in_scales", "probability", "simulated", "error"]);
    let mut checks = Vec::new();
    let mut row = |noise: &str, cells: u32, r: f64, exact: f64, computed: Mean| {
        let quantity = format!("{noise} noise, n = {cells}, r = {r} scales: probability inside");
        let statement = if noise == "Laplace" { &said::LEMMA_8 } else { &said::LEMMA_8_GEOMETRIC };
        checks.push(Check::reproduced(statement, quantity, Claim::exactly(exact), computed.value(), computed.error()));
        let numbers = [f64::from(cells), r, exact, computed.value(), computed.error()].map(Into::into);
        table.push(std::iter::once(noise.into()).chain(numbers).collect::<Vec<_>>());
    };
    for (cells, r) in [(1, 0.5), (2, 3.0), (5, 5.0), (15, 15.0), (33, 20.0), (33, 40.0), (254, 250.0)] {
        row("Laplace", cells, r, 1.0 - laplace_outside(cells, r), laplace(context, cells, r)?);
    }
    for (cells, r, tau) in [(3, 4, "0.5"), (6, 9, "0.5"), (15, 75, "0.2"), (33, 165, "0.2"), (254, 1270, "0.2")] {
        let law = DiscreteLaplace::with_inverse_scale(tau.parse()?)?;
        let exact = 1.0 - geometric_outside(cells, r, libm::exp(-law.tau()));
        row("geometric", cells, f64::from(r) * law.tau(), exact, geometric(context, &law, cells, r));
    }
    checks.extend(closed_forms());
    let curve = |cells: u32| {
        let points = even(0.0, 3.0, 120).map(|x| (x, 1.0 - laplace_outside(cells, x * f64::from(cells))));
        Series::line(format!("n = {cells}"), points.collect())
    };
    let radius = Axis::linear("radius r (scales of the noise, over the number of cells)");
    let curves = CELLS.into_iter().map(curve).collect();
    let panel = panel("Laplace noise", radius, Axis::linear("probability of the l1 ball"), curves);
    let figure =
        Figure { panel_size: (640.0, 400.0), ..Figure::row("How often all noise lies in the l1 ball", vec![panel]) };
    let prose = "Both forms are right, with the parameter `a = e^(-epsilon / Delta)`; the paper's settings write \
                 `Geom(Delta / epsilon)`, which cannot be that parameter. Laplace noise is drawn in doubles, geometric noise \
                 by the exact sampler."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// The paper's geometric form against ours, where its lattice points can be counted in doubles.
fn closed_forms() -> Vec<Check> {
    let cases = [(1, 4, 0.5), (3, 9, 0.9), (6, 9, 0.5), (33, 300, 0.9)];
    let check = |(cells, r, a): (u32, u32, f64)| {
        let claimed = Claim::exactly(geometric_inside_published(cells, r, a));
        let quantity = format!("geometric noise, n = {cells}, r = {r}, a = {a}: printed form against binomial mixture");
        Check::reproduced(&said::LEMMA_8_GEOMETRIC, quantity, claimed, 1.0 - geometric_outside(cells, r, a), 0.0)
    };
    cases.into_iter().map(check).collect()
}

/// The share of continuous noise inside.
fn laplace(context: &Context<'_>, cells: u32, r: f64) -> Result<Mean, StudyError> {
    let noise = Laplace::with_scale(1.0)?;
    Ok(simulate(context, &format!("Laplace {cells} {r}"), Mean::default, |draws, inside| {
        let norm: f64 = (0..cells).map(|_| draws.laplace(&noise).abs()).sum();
        inside.add(f64::from(u8::from(norm <= r)));
    }))
}

/// The share of exactly sampled geometric noise inside.
fn geometric(context: &Context<'_>, law: &DiscreteLaplace, cells: u32, r: u32) -> Mean {
    simulate(context, &format!("geometric {cells} {r}"), Mean::default, |draws, inside| {
        let mut noise = vec![0; cells as usize];
        fill_discrete_laplace(law, draws.entropy(), &mut noise);
        let norm: u128 = noise.iter().map(|noise| noise.unsigned_abs()).sum();
        inside.add(f64::from(u8::from(norm <= u128::from(r))));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `refs/tables/s6_projection.json`, from exact rationals.
    #[test]
    fn tails_are_those_of_the_table() {
        let close =
            |computed: f64, expected: f64| assert!((computed / expected - 1.0).abs() < 1e-12, "{computed} {expected}");
        close(laplace_outside(33, 69.6), 3.757_783_669_447_439_6e-7);
        close(laplace_outside(5, 69.6), 6.146_729_686_932_805e-25);
        close(1.0 - geometric_outside(6, 9, 0.9), 6.960_022_748_508_735e-4);
        close(1.0 - geometric_outside(3, 0, 0.5), 1.0 / 27.0);
        close(geometric_outside(33, 348, libm::exp(-0.2)), 3.253_625_187_393_532_7e-7);
    }

    #[test]
    fn far_out_there_is_nothing_and_at_zero_everything() {
        assert_eq!((laplace_outside(15, 0.0), laplace_outside(3, 1e6)), (1.0, 0.0));
        assert!((geometric_inside_published(4, 0, 0.5) - (1.0f64 / 3.0).powi(4)).abs() < 1e-15);
    }
}
