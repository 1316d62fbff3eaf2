//! Student's t law, for intervals from a handful of releases.

use inbounds_core::{root, special::incomplete_beta};

/// Degrees of freedom from which the law is normal to the rounding of what is computed here.
const NORMAL: f64 = 1e8;

/// The `t` with `P(|T| > t) = miss` for `0 < miss < 1` and `freedom > 0` degrees of freedom, infinite ones included.
pub(super) fn two_sided(freedom: f64, miss: f64) -> f64 {
    let tail = |t: f64| {
        if freedom >= NORMAL {
            libm::erfc(t / std::f64::consts::SQRT_2)
        } else {
            // By halves, so that 1 - x is not subtracted.
            incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t), t * t / (freedom + t * t))
        }
    };
    let mut high = 1.0;
    while tail(high) > miss && high < 1e150 {
        high *= 2.0;
    }
    root::bisect(0.0, high, |t| tail(t) > miss).1
}

#[cfg(test)]
mod tests {
    use super::two_sided;

    #[test]
    fn quantiles_of_the_tables() {
        for (freedom, quantile) in [
            (1.0, 12.706_204_736_432_095),
            (2.0, 4.302_652_729_911_275),
            (4.0, 2.776_445_105_198_165_5),
            (30.0, 2.042_272_456_301_238),
            (1e5, 1.959_987_708_215_137),
            (f64::INFINITY, 1.959_963_984_540_054),
        ] {
            let computed = two_sided(freedom, 0.05);
            assert!((computed / quantile - 1.0).abs() < 1e-9, "{freedom}: {computed}");
        }
    }
}
