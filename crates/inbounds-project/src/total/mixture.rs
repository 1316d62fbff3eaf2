//! Sums over the laws of `j` unit Laplace noises, the stable part of the exact law.
//!
//! # Derivation
//! In units of `b / n` and with `k = n - 1`, the error is `k` times a unit Laplace noise plus `k` more of them, with
//! characteristic function `1 / ((1 + k^2 t^2) (1 + t^2)^k)`. Partial fractions with `q = 1 / (k^2 - 1)` give, for
//! `n >= 3`,
//!
//! ```text
//! (1 + q)^k / (1 + k^2 t^2)  -  q sum_{j=1}^k (1 + q)^(k-j) / (1 + t^2)^j
//! ```
//!
//! so density, survival function and its integral are each one exponential less `q` times a sum over `j`. Let `g_j`,
//! `G_j` and `H_j` be those three for the sum of `j` unit Laplace noises at `x >= 0`. Then
//!
//! ```text
//! g_1 = e^-x / 2,   g_2 = (1 + x) e^-x / 4,   g_{j+1} = x^2 g_{j-1} / (4 j (j - 1)) + (2 j - 1) / (2 j) g_j
//! G_1 = g_1,        G_j = G_{j-1} + x g_{j-1} / (2 (j - 1)),              H_j = g_1 + ... + g_j
//! ```
//!
//! in which every term is positive. The factor `e^-x` underflows long before the sums are negligible, so it is carried
//! apart, which makes the recurrences good for every `n`.

/// Above this the running terms are scaled down by its reciprocal.
const LARGE: f64 = f64::from_bits(0x4FF0_0000_0000_0000); // 2^256
const LN_LARGE: f64 = 256.0 * std::f64::consts::LN_2;

/// Density, survival function and integrated survival function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triple {
    pub(super) density: f64,
    pub(super) survival: f64,
    pub(super) integral: f64,
}

/// The three functions of the sum of `terms` unit Laplace noises, and their sums over `j` with weights
/// `(1 + q)^(terms - j)`.
pub(super) struct Mixture {
    pub(super) last: Triple,
    pub(super) weighted: Triple,
}

/// Beyond this no sum of fewer than 2^32 noises has any mass worth a double.
const NOTHING_BEYOND: f64 = 1e100;

/// Runs the recurrences at `x >= 0`.
pub(super) fn at(x: f64, terms: u32, q: f64) -> Mixture {
    if x > NOTHING_BEYOND {
        let nothing = Triple { density: 0.0, survival: 0.0, integral: 0.0 };
        return Mixture { last: nothing, weighted: nothing };
    }
    // All but the exponential factor; `scalings` counts how often they were divided by LARGE.
    let (mut before, mut g, mut survival, mut integral) = (0.0, 0.5, 0.5, 0.5);
    let mut sums = [g, survival, integral];
    let mut scalings = 0.0;
    for j in 1..terms {
        let j = f64::from(j);
        let next = if j == 1.0 {
            (1.0 + x) / 4.0
        } else {
            x * x * before / (4.0 * j * (j - 1.0)) + (2.0 * j - 1.0) / (2.0 * j) * g
        };
        // The survival function and its integral of one term more, and the sums of all terms weighted by powers of `q`.
        survival += x * g / (2.0 * j);
        integral += next;
        (before, g) = (g, next);
        for (sum, term) in sums.iter_mut().zip([g, survival, integral]) {
            *sum += *sum * q + term;
        }
        // Divide by LARGE before anything overflows; the factor comes back at the end.
        if sums[2].max(sums[1]) > LARGE {
            for value in [&mut before, &mut g, &mut survival, &mut integral].into_iter().chain(&mut sums) {
                *value /= LARGE;
            }
            scalings += 1.0;
        }
    }
    let factor = libm::exp(scalings * LN_LARGE - x);
    let triple = |[density, survival, integral]: [f64; 3]| Triple {
        density: density * factor,
        survival: survival * factor,
        integral: integral * factor,
    };
    Mixture { last: triple([g, survival, integral]), weighted: triple(sums) }
}
