//! Distribution of errors: densities for pictures, and the largest gap to a law for verdicts.

use crate::monte_carlo::Sample;

/// The estimated density in cells of equal width on `[-reach, reach]`, at their middles.
pub(super) fn density(sample: &Sample, reach: f64, cells: usize) -> Vec<(f64, f64)> {
    let width = 2.0 * reach / cells as f64;
    let mut counts = vec![0u32; cells];
    for &x in &sample.0 {
        let cell = ((x + reach) / width).floor();
        if (0.0..cells as f64).contains(&cell) {
            counts[cell as usize] += 1;
        }
    }
    let middle = |cell: usize| (cell as f64 + 0.5) * width - reach;
    let height = |count: u32| f64::from(count) / (sample.0.len() as f64 * width);
    counts.into_iter().enumerate().map(|(cell, count)| (middle(cell), height(count))).collect()
}

/// The share of a sample up to the ends of cells of equal width on `[-reach, reach]`.
pub(super) fn cumulated(sample: &Sample, reach: f64, cells: usize) -> Vec<(f64, f64)> {
    let mut sorted = sample.0.clone();
    sorted.sort_by(f64::total_cmp);
    curve(reach, cells / 2, |end| sorted.partition_point(|&x| x <= end) as f64 / sorted.len() as f64)
}

/// A law's function at the ends of as many cells.
pub(super) fn curve(reach: f64, cells: usize, function: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..=2 * cells).map(|i| reach * (i as f64 / cells as f64 - 1.0)).map(|x| (x, function(x))).collect()
}

/// Kolmogorov and Smirnov's distance between a sample and a law with survival function `sf`.
pub(super) fn gap(sample: &Sample, sf: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = sample.0.clone();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let off = |(i, &x): (usize, &f64)| {
        let cdf = 1.0 - sf(x);
        (cdf - i as f64 / n).max((i + 1) as f64 / n - cdf)
    };
    sorted.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// Gap that [`gap`] of a right sample of this size passes once in about 16,000 times, as a number passes four standard
/// errors: `2 e^(-2 g^2 n) = 6.3e-5`.
pub(super) fn usual_gap(size: usize) -> f64 {
    libm::sqrt(-libm::log(6.3e-5 / 2.0) / (2.0 * size as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_of_a_grid_is_half_a_step_and_a_shifted_law_is_seen() {
        let sample = Sample((0..1000).map(|i| (f64::from(i) + 0.5) / 1000.0).collect());
        assert!((gap(&sample, |x| 1.0 - x) - 0.0005).abs() < 1e-12);
        assert!((gap(&sample, |x| 1.0 - (x - 0.1).max(0.0)) - 0.1).abs() < 0.001);
        assert!((0.07..0.075).contains(&usual_gap(1000)));
    }

    #[test]
    fn densities_have_the_mass_inside() {
        let sample = Sample(vec![-0.9, -0.1, 0.1, 0.2, 5.0]);
        let computed = density(&sample, 1.0, 2);
        assert_eq!(computed, [(-0.5, 0.4), (0.5, 0.4)]);
        assert_eq!(cumulated(&sample, 1.0, 2), [(-1.0, 0.0), (0.0, 0.4), (1.0, 0.8)]);
        assert_eq!(curve(1.0, 1, |x| x), [(-1.0, -1.0), (0.0, 0.0), (1.0, 1.0)]);
    }
}
