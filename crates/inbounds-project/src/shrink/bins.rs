//! Measurements in bins, so that a prior is fitted in a time that does not depend on how many there are.
//!
//! Noise comes in classes of its variance, `2^(1/4)` apart, each with the mean variance of its members for a unit. In
//! units of the noise, a measurement `t` has the place `BINS * ln(1 + |t|)`, with the sign of `t`: bins are narrow
//! where the posterior bends, near zero, and grow with the number.

/// Bins in the first unit of noise.
const BINS: f64 = 16.0;
/// Classes for each doubling of the variance.
const CLASSES: f64 = 4.0;

/// Measurements whose noise has about one variance.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    /// Standard deviation of the noise.
    pub(super) unit: f64,
    /// Number of the bin before the first that holds a measurement.
    first: i64,
    /// Of each bin: how many measurements, and their sum in units.
    pub(super) bins: Vec<(f64, f64)>,
}

impl Class {
    /// Where measurements lie: the number of a bin counted from the first, and how far on the way to the next.
    pub(super) fn place(&self, value: f64) -> (usize, f64) {
        let place = place(value / self.unit) - self.first as f64;
        let below = place.floor().max(0.0);
        (below as usize, place - below)
    }

    /// The measurement, in units, at which a bin stands.
    pub(super) fn middle(&self, bin: usize) -> f64 {
        let place = (self.first + bin as i64) as f64;
        libm::expm1(place.abs() / BINS).copysign(place)
    }
}

fn place(t: f64) -> f64 {
    (BINS * libm::log1p(t.abs())).copysign(t)
}

/// Classes of the noise, and the class of each measurement. Variances are positive and finite.
pub(super) fn classes(values: &[f64], variances: &[f64]) -> (Vec<Class>, Vec<u32>) {
    let key = |variance: f64| libm::round(CLASSES * libm::log2(variance)) as i64;
    // Neighbours mostly have one variance.
    let mut last = (f64::NAN, 0);
    let mut keys: Vec<i64> = Vec::with_capacity(values.len());
    for &variance in variances {
        if variance != last.0 {
            last = (variance, key(variance));
        }
        keys.push(last.1);
    }
    let mut known = keys.clone();
    known.sort_unstable();
    known.dedup();
    let mut last = (None, 0_u32);
    let mut class_of: Vec<u32> = Vec::with_capacity(values.len());
    for key in keys {
        if last.0 != Some(key) {
            last = (Some(key), known.partition_point(|other| *other < key) as u32);
        }
        class_of.push(last.1);
    }
    (filled(values, variances, &class_of, known.len()), class_of)
}

/// The classes with their bins.
fn filled(values: &[f64], variances: &[f64], class_of: &[u32], count: usize) -> Vec<Class> {
    let mut sums = vec![(0.0, 0.0); count];
    for (&class, variance) in class_of.iter().zip(variances) {
        let sum = &mut sums[class as usize];
        *sum = (sum.0 + 1.0, sum.1 + variance);
    }
    let units: Vec<f64> = sums.into_iter().map(|(count, sum)| libm::sqrt(sum / count)).collect();
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); count];
    for (&class, value) in class_of.iter().zip(values) {
        let end = &mut ends[class as usize];
        *end = (end.0.min(*value), end.1.max(*value));
    }
    let empty = units.iter().zip(ends).map(|(&unit, (low, high))| {
        let first = libm::floor(place(low / unit)) as i64 - 1;
        let last = libm::ceil(place(high / unit)) as i64 + 1;
        Class { unit, first, bins: vec![(0.0, 0.0); (last - first + 1) as usize] }
    });
    let mut classes: Vec<Class> = empty.collect();
    for (&class, value) in class_of.iter().zip(values) {
        let class = &mut classes[class as usize];
        let (below, way) = class.place(*value);
        let bin = &mut class.bins[below + usize::from(way >= 0.5)];
        *bin = (bin.0 + 1.0, bin.1 + value / class.unit);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measurement_is_in_the_bin_next_to_it() {
        let values: Vec<f64> = (-200..900).map(|k| f64::from(k) * f64::from(k).abs()).collect();
        let variances: Vec<f64> = (0..values.len()).map(|k| if k % 3 == 0 { 4.0 } else { 5.0 }).collect();
        let (classes, class_of) = classes(&values, &variances);
        assert_eq!(classes.len(), 2);
        assert!((classes[0].unit - 2.0).abs() < 1e-12 && (classes[1].unit - 5.0_f64.sqrt()).abs() < 1e-12);
        let counted: f64 = classes.iter().flat_map(|class| &class.bins).map(|bin| bin.0).sum();
        assert_eq!(counted, values.len() as f64);
        for (value, &class) in values.iter().zip(&class_of) {
            let class = &classes[class as usize];
            let (below, way) = class.place(*value);
            let (low, high) = (class.middle(below), class.middle(below + 1));
            assert!(below + 1 < class.bins.len() && (0.0..=1.0).contains(&way));
            let t = value / class.unit;
            assert!(low <= t + 1e-9 * t.abs() && t <= high + 1e-9 * t.abs(), "{low} {t} {high}");
        }
    }
}
