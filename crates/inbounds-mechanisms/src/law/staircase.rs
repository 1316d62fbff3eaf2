//! The staircase law.

use inbounds_core::CoreError;

use super::{Accuracy, Noise, forward_noise, stairs::Stairs};

/// Staircase noise, which for one real answer has the least error of all epsilon-private noise.
///
/// # Law
/// Density `h e^(-k epsilon)` where `k D <= |x| < (k + gamma) D` and `h e^(-(k+1) epsilon)` where
/// `(k + gamma) D <= |x| < (k + 1) D`, for `k` = 0, 1, ..., with `h = (1 - a) / (2 D (gamma + a (1 - gamma)))` and
/// `a = e^-epsilon`. Sensitivity `D` in the unit of the statistic, step `gamma` in `(0, 1)`.
///
/// # Guarantee
/// A shift of at most `D` moves `|x|` by one level at most, so the density by a factor of at most `e^epsilon`. That is
/// the law on the real line; what runs on a grid is [`crate::noise::DiscreteStaircase`].
///
/// # Example
/// ```
/// use inbounds_mechanisms::law::{Noise, Staircase};
/// let noise = Staircase::new(1.0, 4.0, Staircase::step_of_least_variance(4.0)?)?;
/// let laplace = 2.0 / 16.0;
/// assert!((noise.variance() / laplace - 0.5198302598807777).abs() < 1e-14);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Geng and Viswanath, The optimal noise-adding mechanism in differential privacy, Theorems 3 to 5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Staircase {
    sensitivity: f64,
    epsilon: f64,
    gamma: f64,
    stairs: Stairs,
}

impl Staircase {
    /// The law of sensitivity `D`, level `epsilon` and step `gamma`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `D` is finite and positive, `1e-12 <= epsilon <= 700` and `0 < gamma < 1`.
    pub fn new(sensitivity: f64, epsilon: f64, gamma: f64) -> Result<Self, CoreError> {
        if !(sensitivity > 0.0 && sensitivity.is_finite()) {
            return Err(CoreError::parameter("sensitivity", sensitivity, "finite and positive"));
        }
        check_epsilon(epsilon)?;
        if !(gamma > 0.0 && gamma < 1.0) {
            return Err(CoreError::parameter("gamma", gamma, "between 0 and 1, both excluded"));
        }
        Ok(Self { sensitivity, epsilon, gamma, stairs: Stairs::on_line(sensitivity, epsilon, gamma * sensitivity) })
    }

    /// The `gamma` of least `E|N|`, `1 / (1 + e^(epsilon/2))`.
    ///
    /// # Errors
    /// As [`Staircase::new`].
    pub fn step_of_least_deviation(epsilon: f64) -> Result<f64, CoreError> {
        check_epsilon(epsilon)?;
        Ok(1.0 / (1.0 + libm::exp(0.5 * epsilon)))
    }

    /// The `gamma` of least variance, `(r - a) / (1 - a)` with `r^3 = a (1 + a) / 2`.
    ///
    /// The variance is `D^2` times a cubic in `gamma` over a linear function of it; its derivative vanishes where
    /// `(a + (1 - a) gamma)^3 = a (1 + a) / 2`. The form computed, `a (1 + 2a) / (2 (r^2 + r a + a^2))`, does not
    /// cancel.
    ///
    /// # Errors
    /// As [`Staircase::new`].
    pub fn step_of_least_variance(epsilon: f64) -> Result<f64, CoreError> {
        check_epsilon(epsilon)?;
        let a = libm::exp(-epsilon);
        let r = libm::cbrt(0.5 * a * (1.0 + a));
        Ok(0.5 * a * (1.0 + 2.0 * a) / (r * r + r * a + a * a))
    }

    /// The sensitivity `D`.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// The level `epsilon`.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The step `gamma`.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }
}

fn check_epsilon(epsilon: f64) -> Result<(), CoreError> {
    if (1e-12..=700.0).contains(&epsilon) {
        Ok(())
    } else {
        Err(CoreError::parameter("epsilon", epsilon, "between 1e-12 and 700"))
    }
}

forward_noise!([] Staircase => |law| law.stairs);

#[cfg(test)]
mod tests {
    use super::*;

    /// Both steps of least error are minima, found by no formula.
    #[test]
    fn least_steps_are_least() {
        for epsilon in [1e-3, 0.1, 1.0, 4.0, 15.0] {
            let variance = |gamma| Staircase::new(3.0, epsilon, gamma).expect("admissible").variance();
            let deviation =
                |gamma| Staircase::new(3.0, epsilon, gamma).expect("admissible").excess_between(0.0, f64::INFINITY);
            let gamma = Staircase::step_of_least_variance(epsilon).expect("admissible");
            let other = Staircase::step_of_least_deviation(epsilon).expect("admissible");
            for factor in [0.9, 0.99, 1.01, 1.1] {
                assert!(variance(gamma) < variance(gamma * factor) * (1.0 + 1e-14), "{epsilon} {factor}");
                assert!(deviation(other) < deviation(other * factor) * (1.0 + 1e-14), "{epsilon} {factor}");
            }
        }
    }
}
