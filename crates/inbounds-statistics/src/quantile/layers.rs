//! Which counts are measured: bins, and runs of bins.

use std::ops::Range;

use super::distribution::running_sums;
use crate::proportion::least_squares;

/// Variances of least-squares estimates with unit noise on every count: of the number `s_j` below an edge, and of
/// `s_j - (j/k) s_k`.
struct Prefix {
    variance: f64,
    bridge: f64,
}

/// The variances at all edges.
///
/// # Law
/// The pass upwards ([`least_squares`]) gives each node a value of variance `v`, and `S = sum v` over the children of a
/// node. A child's estimate is `x_c = w_c x + r_c` with `w_c = v_c / S`, the estimate `x` of its parent, and an `r`
/// that is uncorrelated with it, of covariances `v_c 1[c = d] - v_c v_d / S`. So the number of rows of the node below
/// an edge is `a x + e` with an `e` that is uncorrelated with `x`, and with `a'` and `e'` those of the child in which
/// the edge lies, and `A` the sum of `v` over the children before it,
///
/// ```text
/// a = A / S + a' w_c,      var e = A + a'^2 v_c - (A + a' v_c)^2 / S + var e'.
/// ```
///
/// The uppermost nodes are the children of all rows, whose number is known, or independent.
fn prefixes(sizes: &[usize], fan_out: usize, known: bool) -> Vec<Prefix> {
    let bins = sizes[0];
    // Whole bins.
    let mut open = vec![(1.0, 0.0); bins];
    let (mut width, mut variances) = (1, vec![1.0; bins]);
    let within = |open: &mut [(f64, f64)], width: usize, variances: &[f64]| -> f64 {
        let all: f64 = variances.iter().sum();
        let mut before = 0.0;
        for (child, own) in open.chunks_mut(width).zip(variances) {
            for (part, error) in child {
                let reached = before + *part * own;
                *error += before + *part * *part * own - reached * reached / all;
                *part = reached / all;
            }
            before += own;
        }
        all
    };
    for _ in &sizes[1..] {
        let nodes = open.chunks_mut(width * fan_out).zip(variances.chunks(fan_out));
        let spreads = nodes.map(|(open, variances)| within(open, width, variances));
        variances = spreads.map(|spread| spread / (spread + 1.0)).collect();
        width *= fan_out;
    }
    if known {
        within(&mut open, width, &variances);
        let prefix = |(_, error): (f64, f64)| Prefix { variance: error.max(0.0), bridge: error.max(0.0) };
        return open.into_iter().map(prefix).collect();
    }
    let all: f64 = variances.iter().sum();
    let mut before = 0.0;
    let mut prefixes = Vec::with_capacity(bins);
    for (node, own) in open.chunks(width).zip(&variances) {
        for (part, error) in node {
            let share = (prefixes.len() + 1) as f64 / bins as f64;
            let (lower, here, upper) = ((1.0 - share).powi(2), (part - share).powi(2), share * share);
            prefixes.push(Prefix {
                variance: before + part * part * own + error,
                bridge: lower * before + here * own + upper * (all - before - own) + error,
            });
        }
        before += own;
    }
    prefixes
}

/// Layers of counts over bins, and the variances of the numbers below the edges that they give.
///
/// # Choice
/// Counts of runs of bins spare the long sums of bins their noise, but `L` layers leave each `epsilon / L`, hence `L^2`
/// times the variance. Of all fan-outs `k`, `k^(1/2)`, `k^(1/3)`, ... (rounded up) the one is taken whose variance of
/// `s_j - (j/k) s_k`, mean over the edges, is smallest. In units of the variance of an unsplit count and with a public
/// total that is
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
    /// The best layers for this many bins, at least 1, whose total is known or not.
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
        let each = (sizes.len() * sizes.len()) as f64;
        let prefixes = prefixes(&sizes, fan_out, known);
        let inner = (bins.max(2) - 1) as f64;
        let error = prefixes.iter().map(|prefix| each * prefix.bridge / inner).sum();
        Self { fan_out, sizes, variances: prefixes.iter().map(|prefix| each * prefix.variance).collect(), error }
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
        running_sums(&least_squares(counts, &vec![1.0; counts.len()], self.fan_out, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Estimates are linear: one unit in one count after the other gives their coefficients, and the squares of these
    /// the variances.
    fn by_coefficients(layers: &Layers, known: bool) -> (Vec<f64>, f64) {
        let bins = layers.sizes[0];
        let (mut variances, mut error) = (vec![0.0; bins], 0.0);
        let mut counts: Vec<Vec<f64>> = layers.sizes.iter().map(|nodes| vec![0.0; *nodes]).collect();
        let each = (layers.sizes.len() * layers.sizes.len()) as f64;
        for layer in 0..counts.len() {
            for node in 0..counts[layer].len() {
                counts[layer][node] = 1.0;
                let below = layers.numbers(&counts, known.then_some(0.0));
                counts[layer][node] = 0.0;
                for (j, s) in below.iter().enumerate() {
                    let bridge = s - (j + 1) as f64 / bins as f64 * below[bins - 1];
                    variances[j] += each * s * s;
                    error += each * bridge * bridge / (bins.max(2) - 1) as f64;
                }
            }
        }
        (variances, error)
    }

    /// Every tree of up to 40 bins and some larger ones: with full and with incomplete runs, of one to six layers.
    #[test]
    fn variances_are_the_squares_of_the_coefficients() {
        for bins in (1..=40).chain([63, 64, 65, 100, 243, 256]) {
            for fan_out in [2, 3, 5, 8, 16, bins.max(2)] {
                for known in [false, true] {
                    let layers = Layers::with_fan_out(bins, fan_out, known);
                    let (variances, error) = by_coefficients(&layers, known);
                    let near = |one: f64, other: f64| (one - other).abs() <= 1e-11 * (1.0 + other.abs());
                    let all = layers.variances.iter().zip(&variances);
                    let free = bins - usize::from(known);
                    assert!(all.take(free).all(|(one, other)| near(*one, *other)), "{bins} {fan_out} {known}");
                    assert!(near(layers.error, error), "{bins} {fan_out} {known}: {} {error}", layers.error);
                }
            }
        }
    }
}
