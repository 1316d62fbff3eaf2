//! Several independent releases of one vector, combined.

use super::student;

/// Combination of several releases of one share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Combined {
    /// Mean of the releases, `theta`.
    pub estimate: f64,
    /// `T`, the variance stated for it: of the noise and of the sampling of rows from a population.
    pub variance: f64,
    /// Degrees of freedom `nu`; infinite where the releases agree.
    pub freedom: f64,
}

impl Combined {
    /// `theta -+ t sqrt(T)` cut to `[0, 1]`, with `t` the two-sided quantile of Student's law at the level.
    ///
    /// It speaks of the share in the population that the rows are a sample of. Its coverage is that of the rule: near
    /// the level where the releases are unbiased, less where a constraint biases them;
    /// [`super::Proportions::population`] gives the interval that holds always.
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let radius = student::two_sided(self.freedom, 1.0 - level) * self.variance.sqrt();
        ((self.estimate - radius).clamp(0.0, 1.0), (self.estimate + radius).clamp(0.0, 1.0))
    }
}

/// Combines releases of one share among `rows` rows that are a sample of a population.
///
/// # Law
/// With `m` releases of mean `theta`, `B` their sample variance and `W` the mean of `p (1 - p) / rows` over them,
///
/// ```text
/// T = B/m + W,        nu = (m - 1)(1 + m W / B)^2
/// ```
///
/// `T` is unbiased for `Var theta = Var(sampling) + Var(noise)/m` up to the curvature of `p (1 - p)`, and `nu` is
/// Satterthwaite's number of degrees of freedom for `B/m + W`.
///
/// # Parameters
/// - `releases`: two or more independent estimates; ones outside `[0, 1]` count in `W` as the nearest end.
/// - `rows`: number of rows, positive.
///
/// # Panics
/// If there are fewer than two releases: one says nothing of its own spread.
///
/// # Example
/// ```
/// use inbounds_statistics::proportion::combine;
/// let combined = combine(&[0.2, 0.25, 0.15, 0.22, 0.18], 100.0);
/// assert!((combined.estimate - 0.2).abs() < 1e-15);
/// assert!((combined.variance - (0.00145 / 5.0 + 0.001_588_4)).abs() < 1e-15);
/// assert!((combined.freedom - 4.0 * (1.0 + 5.0 * 0.001_588_4 / 0.00145f64).powi(2)).abs() < 1e-9);
/// ```
///
/// # References
/// Liu 2019, section on multiple synthesis; Reiter 2003 for the degrees of freedom.
pub fn combine(releases: &[f64], rows: f64) -> Combined {
    assert!(releases.len() > 1, "one release says nothing of its own spread");
    let m = releases.len() as f64;
    let estimate = releases.iter().sum::<f64>() / m;
    let between = releases.iter().map(|p| (p - estimate) * (p - estimate)).sum::<f64>() / (m - 1.0);
    let variance = |p: &f64| p.clamp(0.0, 1.0) * (1.0 - p.clamp(0.0, 1.0)) / rows;
    let within = releases.iter().map(variance).sum::<f64>() / m;
    let ratio = if between > 0.0 { m * within / between } else { f64::INFINITY };
    Combined { estimate, variance: between / m + within, freedom: (m - 1.0) * (1.0 + ratio) * (1.0 + ratio) }
}
