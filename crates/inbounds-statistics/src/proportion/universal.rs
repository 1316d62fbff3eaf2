//! The universal histogram: categories grouped into a tree, every layer measured, and the layers made consistent.
//!
//! Category `k` belongs to node `floor(k / f)` of the layer above, that to `floor(k / f^2)` of the next, and so on up
//! to the root; the last node of a layer may have fewer than `f` children.

use std::ops::Range;

use super::rescale;

/// The nodes of each layer, from the leaves up to the root.
///
/// # Example
/// ```
/// use inbounds_statistics::proportion::layer_sizes;
/// assert_eq!(layer_sizes(4, 2), [4, 2, 1]);
/// assert_eq!(layer_sizes(10, 3), [10, 4, 2, 1]);
/// ```
///
/// # Panics
/// If the fan-out is below 2.
pub fn layer_sizes(categories: usize, fan_out: usize) -> Vec<usize> {
    assert!(fan_out >= 2, "with fewer than two children a node nothing shrinks towards the root");
    let mut sizes = vec![categories];
    while let Some(&last) = sizes.last()
        && last > 1
    {
        sizes.push(last.div_ceil(fan_out));
    }
    sizes
}

/// Shares from the noisy counts of a tree.
///
/// # Law
/// Upwards, each node's own value and the sum of its children's are averaged by precision: with `v` the variance of the
/// value `y` and `s` the sum of the children's variances,
///
/// ```text
/// z = (s y + v sum z_children) / (s + v),        variance s v / (s + v);        z = y at a leaf
/// ```
///
/// Downwards, children share what their sum lacks to the parent in proportion to their variances,
/// `x = z + v_z / s_z (x_parent - sum z)`; then negative ones become zero and all are divided to add up to the parent.
/// With one variance and `f` children everywhere these are the least-squares weights
/// `(f^h - f^(h-1)) / (f^h - 1)` and `1/f`.
///
/// # Parameters
/// - `layers`: noisy counts, layer by layer from the leaves up, of the sizes of [`layer_sizes`]; the root is missing
///   where its count is public.
/// - `variances`: of a count of each layer, finite and positive.
/// - `root`: the public count of the root; where it was measured, the least it can be, to which its estimate is raised.
///
/// # Panics
/// If the sizes of layers do not fit, or there are not as many variances.
///
/// # Example
/// Liu's tree of four categories in two pairs, with 100 rows.
/// ```
/// use inbounds_statistics::proportion::universal_histogram;
/// let layers = [vec![10.0, 20.0, 30.0, 40.0], vec![36.0, 64.0]];
/// let shares = universal_histogram(&layers, &[1.0, 1.0], 2, 100.0);
/// // Pairs: (2/3) 36 + (1/3) 30 = 34 and (2/3) 64 + (1/3) 70 = 66, which add up to 100.
/// assert!(shares.iter().zip([0.12, 0.22, 0.28, 0.38]).all(|(x, y)| (x - y).abs() < 1e-12));
/// ```
///
/// # References
/// Hay, Rastogi, Miklau and Suciu 2010, section 4 (both passes); Liu 2019, procedure "UH" (corrections after each
/// layer).
pub fn universal_histogram(layers: &[Vec<f64>], variances: &[f64], fan_out: usize, root: f64) -> Vec<f64> {
    let sizes = layer_sizes(layers[0].len(), fan_out);
    let measured_root = layers.len() == sizes.len();
    assert!(measured_root || layers.len() + 1 == sizes.len(), "every layer but the root is measured");
    assert!(layers.len() == variances.len() && layers.iter().map(Vec::len).eq(sizes[..layers.len()].iter().copied()));
    let up = averages(layers, variances, fan_out);
    let total = if measured_root { up[layers.len() - 1].value[0].max(root) } else { root };
    let mut parents = vec![total];
    for level in up.iter().rev().skip(usize::from(measured_root)) {
        parents = level.below(&parents, fan_out, corrected);
    }
    rescale(&parents)
}

/// The least-squares leaves of a tree without corrections, whose uppermost measured nodes add up to `total` where it is
/// known.
pub(crate) fn least_squares(layers: &[Vec<f64>], variances: &[f64], fan_out: usize, total: Option<f64>) -> Vec<f64> {
    let up = averages(layers, variances, fan_out);
    let top = &up[up.len() - 1];
    let plain = |moved: Vec<f64>, _: f64| moved;
    let top = total.map_or_else(|| top.value.clone(), |total| top.below(&[total], top.value.len(), plain));
    up.iter().rev().skip(1).fold(top, |parents, level| level.below(&parents, fan_out, plain))
}

/// Children without negative ones that add up to their parent.
fn corrected(moved: Vec<f64>, parent: f64) -> Vec<f64> {
    rescale(&moved).into_iter().map(|share| share * parent).collect()
}

/// One layer of averages and their variances.
struct Level {
    value: Vec<f64>,
    variance: Vec<f64>,
}

/// The children of a node, in a level of `all` nodes.
fn children(node: usize, fan_out: usize, all: usize) -> Range<usize> {
    node * fan_out..((node + 1) * fan_out).min(all)
}

/// The pass upwards.
fn averages(layers: &[Vec<f64>], variances: &[f64], fan_out: usize) -> Vec<Level> {
    let mut up = vec![Level { value: layers[0].clone(), variance: vec![variances[0]; layers[0].len()] }];
    for (layer, &own) in layers.iter().zip(variances).skip(1) {
        let below = &up[up.len() - 1];
        let average = |(node, y): (usize, &f64)| {
            let places = children(node, fan_out, below.value.len());
            let (sum, spread): (f64, f64) =
                (below.value[places.clone()].iter().sum(), below.variance[places].iter().sum());
            ((spread * y + own * sum) / (spread + own), spread * own / (spread + own))
        };
        let (value, variance) = layer.iter().enumerate().map(average).unzip();
        up.push(Level { value, variance });
    }
    up
}

impl Level {
    /// The pass downwards to this layer; `correct` has the last word on the children of each parent.
    fn below(&self, parents: &[f64], fan_out: usize, correct: fn(Vec<f64>, f64) -> Vec<f64>) -> Vec<f64> {
        let family = |(node, &parent): (usize, &f64)| {
            let places = children(node, fan_out, self.value.len());
            let (z, v) = (&self.value[places.clone()], &self.variance[places]);
            let lack = (parent - z.iter().sum::<f64>()) / v.iter().sum::<f64>();
            correct(z.iter().zip(v).map(|(z, v)| z + v * lack).collect(), parent)
        };
        parents.iter().enumerate().flat_map(family).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the whole plane both passes are the weighted projection: leaves from which noise-free layers are computed
    /// come back, and a shift of one leaf's value spreads as the normal equations say (checked against them directly).
    #[test]
    fn uneven_trees_solve_the_weighted_normal_equations() {
        let (categories, fan_out) = (7, 3);
        let sizes = layer_sizes(categories, fan_out);
        assert_eq!(sizes, [7, 3, 1]);
        let layers = [vec![15.0, 9.0, 22.0, 14.0, 8.0, 17.0, 12.0], vec![50.0, 38.0, 15.0]];
        let (variances, total) = ([2.0, 5.0], 100.0);
        let x: Vec<f64> = universal_histogram(&layers, &variances, fan_out, total).iter().map(|s| s * total).collect();
        // Stationary: the gradient of the weighted squares is the same for every leaf, as only the total is fixed.
        let gradient: Vec<f64> = (0..categories)
            .map(|leaf| {
                let node = leaf / fan_out;
                let pair: f64 = children(node, fan_out, categories).map(|i| x[i]).sum();
                (x[leaf] - layers[0][leaf]) / variances[0] + (pair - layers[1][node]) / variances[1]
            })
            .collect();
        assert!((x.iter().sum::<f64>() - total).abs() < 1e-12);
        assert!(gradient.iter().all(|g| (g - gradient[0]).abs() < 1e-12), "{gradient:?}");
    }

    #[test]
    fn a_measured_root_is_a_layer_of_its_own() {
        let leaves = vec![30.0, 10.0];
        let shares = universal_histogram(&[leaves, vec![44.0]], &[1.0, 1.0], 2, 1.0);
        // Root: (2 * 44 + 1 * 40) / 3; the children share the lack equally.
        let root = 128.0 / 3.0;
        assert!((shares[0] - (30.0 + (root - 40.0) / 2.0) / root).abs() < 1e-14);
    }

    #[test]
    fn nothing_is_negative_and_layers_add_up() {
        let layers = [vec![-5.0, -9.0, 3.0, 140.0, 2.0], vec![-20.0, 90.0, 1.0], vec![80.0, 4.0]];
        let shares = universal_histogram(&layers, &[1.0, 1.0, 1.0], 2, 60.0);
        assert!(shares.iter().all(|share| *share >= 0.0));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
}
