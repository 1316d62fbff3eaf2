//! Conditioned Laplace densities, and what can be found out by integrating them.

use inbounds_mechanisms::{
    bounding::{Bounding, Conditioned},
    law::Laplace,
};

/// The density at `x` for an answer `q`.
pub(super) fn density(law: &Conditioned<Laplace>, x: f64, q: f64) -> f64 {
    libm::exp(law.ln_density(x, q))
}

/// `integral of g(x) density(x)` over `[low, high]` by Simpson's rule on both sides of every kink.
pub(super) fn integral(low: f64, high: f64, kinks: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    const HALVES: u32 = 2000;
    let mut corners = vec![low, high];
    corners.extend(kinks.iter().copied().filter(|kink| (low..=high).contains(kink)));
    corners.sort_by(f64::total_cmp);
    corners.windows(2).map(|ends| simpson(ends[0], ends[1], HALVES, &f)).sum()
}

fn simpson(low: f64, high: f64, halves: u32, f: impl Fn(f64) -> f64) -> f64 {
    let step = (high - low) / f64::from(2 * halves);
    let weighted = (0..=2 * halves).map(|index| {
        let weight = if index == 0 || index == 2 * halves { 1.0 } else { f64::from(2 + 2 * (index % 2)) };
        weight * f(low + step * f64::from(index))
    });
    weighted.sum::<f64>() * step / 3.0
}

/// The hockey-stick divergence of the laws at `q` and `q + change`, by integrating where the first exceeds `e^epsilon`
/// times the second: up to one point, since the log ratio falls along the outputs.
pub(super) fn hockey_stick(law: &Conditioned<Laplace>, epsilon: f64, q: f64, change: f64) -> f64 {
    let (lower, upper) = (law.range().lower(), law.range().upper());
    let excess = |x: f64| law.ln_density(x, q) - law.ln_density(x, q + change) - epsilon;
    if excess(lower) <= 0.0 {
        return 0.0;
    }
    let (end, _) = inbounds_core::root::bisect(q, q + change, |x| excess(x) > 0.0);
    let end = end.min(upper);
    integral(lower, end, &[q], |x| density(law, x, q) - libm::exp(epsilon) * density(law, x, q + change))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_of_polynomials_and_kinks_are_right() {
        assert!((integral(0.0, 2.0, &[], |x| x * x * x) - 4.0).abs() < 1e-12);
        assert!((integral(-1.0, 2.0, &[0.0, 7.0], f64::abs) - 2.5).abs() < 1e-12);
    }
}
