//! Which counts are measured: bins, and runs of bins.

use std::ops::Range;

use crate::proportion::least_squares;

/// Layers of counts over bins, and the variances of the numbers below the edges that they give.
///
/// # Choice
/// Counts of runs of bins spare the long sums of bins their noise, but `L` layers leave each `epsilon / L`, hence `L^2`
/// times the variance. Of all fan-outs `k`, `k^(1/2)`, `k^(1/3)`, ... (rounded up) the one is taken whose variance of
/// `s_j - (j/k) s_k`, mean over the edges, is smallest. In units of the variance of an unsplit count and with a public total
/// that is
///
/// ```text
/// bins    one layer    dyadic tree    chosen
///   16        2.8           9.6        2.8   one layer
///   64       10.8          26.8        9.6   runs of 8
///  256       42.8          57.9       20.1   runs of 16
/// 1024      170.8         106.9       41.1   runs of 11 and 121
/// ```
///
/// so that up to some fifty bins the plain histogram errs least, and beyond it two layers do.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    fan_out: usize,
    sizes: Vec<usize>,
    variances: Vec<f64>,
    error: f64,
}

impl Layers {
    /// The best layers for so many bins, at least 1, whose total is known or not.
    ///
    /// # Example
    /// ```
    /// use inbounds_statistics::quantile::Layers;
    /// assert_eq!(Layers::choose(16, true).sizes(), [16]);
    /// assert_eq!(Layers::choose(64, true).sizes(), [64, 8]);
    /// assert!((Layers::choose(256, true).error() - 20.1).abs() < 0.05);
    /// ```
    pub fn choose(bins: usize, known: bool) -> Self {
        let mut fan_outs: Vec<usize> =
            (1..=12).map(|root| libm::pow(bins as f64, 1.0 / f64::from(root)).ceil() as usize).collect();
        fan_outs.dedup();
        let candidates =
            fan_outs.into_iter().filter(|fan_out| *fan_out >= 2).map(|f| Self::with_fan_out(bins, f, known));
        candidates.min_by(|a, b| a.error.total_cmp(&b.error)).unwrap_or_else(|| Self::with_fan_out(bins, 2, known))
    }

    fn with_fan_out(bins: usize, fan_out: usize, known: bool) -> Self {
        let mut sizes = vec![bins];
        while let Some(last) = sizes.last().filter(|last| **last > fan_out) {
            sizes.push(last.div_ceil(fan_out));
        }
        let mut layers = Self { fan_out, sizes, variances: vec![0.0; bins], error: 0.0 };
        // The estimates are linear: one unit in one count after the other gives their coefficients.
        let mut counts: Vec<Vec<f64>> = layers.sizes.iter().map(|nodes| vec![0.0; *nodes]).collect();
        let each = (layers.sizes.len() * layers.sizes.len()) as f64;
        for layer in 0..counts.len() {
            for node in 0..counts[layer].len() {
                counts[layer][node] = 1.0;
                let below = layers.numbers(&counts, known.then_some(0.0));
                counts[layer][node] = 0.0;
                let all = below[bins - 1];
                for (j, s) in below.iter().enumerate() {
                    let bridge = s - (j + 1) as f64 / bins as f64 * all;
                    layers.variances[j] += each * s * s;
                    layers.error += each * bridge * bridge / (bins.max(2) - 1) as f64;
                }
            }
        }
        layers
    }

    /// Numbers of counts in each layer, from the bins up.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Mean over the inner edges of the variance of `s_j - (j/k) s_k`, in units of the variance of an unsplit count.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Variances of the numbers below the edges, in the same unit.
    pub(super) fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The node of a layer that a bin belongs to.
    pub(super) fn node(&self, layer: usize, bin: usize) -> usize {
        (0..layer).fold(bin, |node, _| node / self.fan_out)
    }

    /// The bins that belong to a node.
    pub(super) fn bins_of(&self, layer: usize, node: usize) -> Range<usize> {
        let width = (0..layer).fold(1, |width, _| width * self.fan_out);
        node * width..((node + 1) * width).min(self.sizes[0])
    }

    /// Least-squares estimates of the numbers of rows below `e_1, ..., e_k`, from the counts of one cell.
    pub(super) fn below(&self, counts: &[&[i128]], rows: Option<f64>) -> Vec<f64> {
        let doubles = |counts: &&[i128]| counts.iter().map(|count| *count as f64).collect();
        self.numbers(&counts.iter().map(doubles).collect::<Vec<Vec<f64>>>(), rows)
    }

    fn numbers(&self, counts: &[Vec<f64>], rows: Option<f64>) -> Vec<f64> {
        let bins = least_squares(counts, &vec![1.0; counts.len()], self.fan_out, rows);
        let mut sum = 0.0;
        let add = |count: f64| {
            sum += count;
            sum
        };
        bins.into_iter().map(add).collect()
    }
}
