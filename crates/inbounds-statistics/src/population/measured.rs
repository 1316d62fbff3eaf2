//! A measurement, and how likely it is.

use inbounds_mechanisms::law::Noise;

use crate::Component;

/// A raw measurement of one component, in its steps.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// The measured component, with its mechanism.
    pub component: &'a Component,
    /// The raw noisy value.
    pub steps: i128,
}

impl Measured<'_> {
    /// `P(Y <= y)` for this measurement `y`, were the answer `value`.
    pub(super) fn below(&self, value: f64) -> f64 {
        self.tail(value, false)
    }

    /// `P(Y >= y)` for this measurement `y`, were the answer `value`.
    pub(super) fn above(&self, value: f64) -> f64 {
        self.tail(value, true)
    }

    /// One of the two, by the noise around the grid point nearest to `value`.
    fn tail(&self, value: f64, above: bool) -> f64 {
        let mechanism = &self.component.mechanism;
        if let Some(tails) = mechanism.tails(self.steps, libm::round(value / self.component.step()) as i128) {
            return if above { tails.1 } else { tails.0 };
        }
        let (noise, range) = (mechanism.noise(), mechanism.range());
        let answer = libm::round(value / self.component.step());
        if mechanism.processing().is_some() || range.is_unbounded() {
            let distance = self.steps as f64 - answer;
            return if above { noise.sf(distance - 1.0) } else { noise.cdf(distance) };
        }
        // Conditioned: what of the noise falls between the measurement and the nearer end, over all that falls inside.
        let answer = range.clamp(answer as i128);
        let reach = |end: Option<i128>| end.map_or(f64::INFINITY, |end| answer.abs_diff(end) as f64);
        let (below, beyond) = (noise.half_mass(reach(range.lower())), noise.half_mass(reach(range.upper())));
        let (near, far) = if above { (beyond, below) } else { (below, beyond) };
        let outward = if above { self.steps - answer } else { answer - self.steps } as f64;
        let mass = if outward > 0.0 { near - noise.half_mass(outward - 1.0) } else { near + noise.half_mass(-outward) };
        (mass / (near + far)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Epsilon, Grid, Guarantee, Sensitivity, StepRange};
    use inbounds_mechanisms::{mechanism::StepValue, registry};

    use super::*;

    /// Tails against sums of the mechanism's own likelihood, over a range small enough to list.
    #[test]
    fn tails_are_sums_of_the_likelihood() {
        let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "test", squares: None };
        let guarantee = Guarantee::Pure { epsilon: Epsilon::new("0.7".parse().expect("number")).expect("positive") };
        let range = StepRange::new(Some(0), Some(6)).expect("ordered");
        for (name, listed) in [("conditioned", 0..=6i128), ("clamped", -200..=200)] {
            let entry = registry::find(name).expect("registered");
            let mechanism = entry.calibrate(&guarantee, &one, range).expect("calibrates");
            let component =
                Component { role: inbounds_core::Quantity::COUNT, mechanism, grid: Grid::INTEGERS, divisor: 1 };
            for answer in 0..=6 {
                let mass = |y: i128| libm::exp(component.mechanism.ln_likelihood(y, StepValue::whole(answer)));
                let total: f64 = listed.clone().map(mass).sum();
                for y in 0..=6 {
                    let measured = Measured { component: &component, steps: y };
                    let share = |condition: &dyn Fn(i128) -> bool| {
                        listed.clone().filter(|y| condition(*y)).map(mass).sum::<f64>() / total
                    };
                    let (below, above) = (measured.below(answer as f64), measured.above(answer as f64));
                    assert!((below - share(&|other| other <= y)).abs() < 1e-12, "{name} {answer} {y}: {below}");
                    assert!((above - share(&|other| other >= y)).abs() < 1e-12, "{name} {answer} {y}: {above}");
                }
            }
        }
    }
}
