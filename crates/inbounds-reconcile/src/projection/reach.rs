//! Where the constraints alone keep each node: its range, whatever was measured.
//!
//! A node lies within its own limits, within the sum of its children's ranges, and within what its parent's range
//! leaves after its siblings': one pass up the tree and one down.

use super::model::Model;

/// A sum of bounds, some of which may be infinite.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    finite: f64,
    infinite: u32,
}

impl Sum {
    fn add(&mut self, bound: f64) {
        if bound.is_finite() {
            self.finite += bound;
        } else {
            self.infinite += 1;
        }
    }

    /// The sum, with `nothing` for an infinite one.
    fn total(self, nothing: f64) -> f64 {
        if self.infinite == 0 { self.finite } else { nothing }
    }

    /// The sum without one of its terms.
    fn without(self, bound: f64, nothing: f64) -> f64 {
        let rest = if bound.is_finite() {
            Self { finite: self.finite - bound, ..self }
        } else {
            Self { infinite: self.infinite - 1, ..self }
        };
        rest.total(nothing)
    }
}

/// Range of each node: lower ends and upper ends.
pub(super) fn ranges(model: &Model) -> (Vec<f64>, Vec<f64>) {
    let shape = &model.shape;
    let (mut low, mut high) = (vec![0.0; model.nodes()], vec![0.0; model.nodes()]);
    let mut sums = vec![(Sum::default(), Sum::default()); model.nodes()];
    for node in shape.down().rev() {
        (low[node], high[node]) = model.limits(node);
        if !shape.is_leaf(node) {
            let (lows, highs) = sums[node];
            low[node] = low[node].max(lows.total(f64::NEG_INFINITY));
            high[node] = high[node].min(highs.total(f64::INFINITY));
        }
        if !shape.is_root(node) {
            let (lows, highs) = &mut sums[shape.parent[node] as usize];
            lows.add(low[node]);
            highs.add(high[node]);
        }
    }
    for node in shape.down().filter(|&node| !shape.is_root(node)) {
        let parent = shape.parent[node] as usize;
        let (lows, highs) = sums[parent];
        let (from_below, from_above) =
            (lows.without(low[node], f64::NEG_INFINITY), highs.without(high[node], f64::INFINITY));
        let left_below = low[parent] - from_above;
        let left_above = high[parent] - from_below;
        if left_below > low[node] {
            low[node] = left_below.min(high[node]);
        }
        if left_above < high[node] {
            high[node] = left_above.max(low[node]);
        }
    }
    (low, high)
}
