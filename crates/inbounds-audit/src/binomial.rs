//! Bounds on a probability from how often an event happened: Clopper and Pearson 1934, exact at every number of runs.

use inbounds_core::{root, special::incomplete_beta};

/// The least probability that is not rejected: with confidence `1 - miss`, `p` is at least this, where an event
/// happened `hits` times in `runs`.
pub(crate) fn lower(hits: u64, runs: u64, miss: f64) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let (a, b) = (hits as f64, (runs - hits) as f64 + 1.0);
    // P(at least `hits` of `runs`) = I_p(hits, runs - hits + 1) grows with p.
    root::bisect(0.0, 1.0, |p| incomplete_beta(a, b, p, 1.0 - p) <= miss).0
}

/// The greatest probability that is not rejected, in the same way.
pub(crate) fn upper(hits: u64, runs: u64, miss: f64) -> f64 {
    1.0 - lower(runs - hits, runs, miss)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `P(at least hits)` by adding up the law.
    fn at_least(hits: u64, runs: u64, p: f64) -> f64 {
        let ln_choose =
            |k: f64| libm::lgamma(runs as f64 + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(runs as f64 - k + 1.0);
        let mass = |k: u64| {
            let k = k as f64;
            libm::exp(ln_choose(k) + k * libm::log(p) + (runs as f64 - k) * libm::log1p(-p))
        };
        (hits..=runs).map(mass).sum()
    }

    #[test]
    fn bounds_are_where_the_tail_is_what_may_be_missed() {
        for (hits, runs) in [(1, 10), (5, 10), (10, 10), (37, 200), (2500, 5000), (4999, 5000)] {
            for miss in [0.05, 1e-3, 1e-6] {
                let p = lower(hits, runs, miss);
                let tail = at_least(hits, runs, p);
                assert!((tail / miss - 1.0).abs() < 1e-6, "{hits} of {runs} at {miss}: {p} gives {tail}");
                assert!((upper(runs - hits, runs, miss) - (1.0 - p)).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn what_never_happens_may_still_happen() {
        assert_eq!(lower(0, 100, 0.05), 0.0);
        assert_eq!(upper(100, 100, 0.05), 1.0);
        // The rule of three: 1 - 0.05^(1/100).
        assert!((upper(0, 100, 0.05) - 0.029_513_05).abs() < 1e-6);
    }
}
