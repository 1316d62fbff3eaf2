//! Who bears the error: bias and variance by size of the cell and by number of siblings.
//!
//! A projection moves error from some cells to others: small cells are pushed up, what is pushed up is taken from their
//! siblings, and cells with few siblings share with few. The table shows it for the cells at hand.

use inbounds_core::monte_carlo::mean_and_error;

use crate::projection::Model;

/// Criterion by which cells are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The estimate: below 0, 0, above 0 and below 1, and then powers of ten.
    Size,
    /// Other nodes below the same parent: 0, 1, and then powers of two.
    Siblings,
}

impl By {
    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Siblings => "siblings",
        }
    }
}

/// A line of the fairness table: leaves, or inner nodes, of one class.
#[derive(Debug, Clone, PartialEq)]
pub struct FairnessRow {
    /// `leaves` or `inner nodes`.
    pub nodes: &'static str,
    /// Criterion of the class.
    pub by: By,
    /// The class in words.
    pub class: String,
    /// Nodes in it, those known exactly left out.
    pub count: usize,
    /// Mean over the nodes of the expected estimate minus truth.
    pub mean_bias: f64,
    /// Monte Carlo standard error of the mean bias.
    pub mean_bias_error: f64,
    /// Mean over the nodes of the variance of the estimate.
    pub mean_variance: f64,
    /// Mean over those of the nodes that were measured of the variance of their own measurements.
    pub mean_measured_variance: Option<f64>,
}

/// Classes with what the replicates said of each.
pub(super) struct Classes {
    /// Class of each node by size and by siblings; none if its error is not to be counted.
    class_of: Vec<Option<(u8, u8)>>,
    sizes: Vec<Class>,
    siblings: Vec<Class>,
    /// True if no node has a parent, and so none has siblings.
    flat: bool,
    replicates: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Class {
    count: usize,
    /// Sum of errors in the replicate at hand.
    now: f64,
    /// Sum and sum of squares of the class's mean errors.
    first: f64,
    second: f64,
    variance: f64,
    measured: usize,
    measured_variance: f64,
}

/// Classes of leaves come first, then those of inner nodes.
const CLASSES: usize = 64;
/// Below 0, 0, below 1.
const SMALL: u8 = 3;
/// The last class of sizes.
const LARGEST: u8 = CLASSES as u8 - 1;

impl Classes {
    /// Classes of the nodes whose error the measurements determine, and which have one.
    pub(super) fn new(
        model: &Model,
        estimates: &[f64],
        is_leaf: impl Fn(usize) -> bool,
        counts: impl Fn(usize) -> bool,
    ) -> Self {
        let class = |node: usize| {
            let inner = if is_leaf(node) { 0 } else { CLASSES as u8 };
            (inner + size_class(estimates[node]), inner + sibling_class(model.shape.siblings(node)))
        };
        let class_of: Vec<_> =
            (0..model.nodes()).map(|node| (!model.exact(node) && counts(node)).then(|| class(node))).collect();
        let empty = vec![Class::default(); 2 * CLASSES];
        let mut classes =
            Self { class_of, sizes: empty.clone(), siblings: empty, flat: model.shape.levels() == 1, replicates: 0.0 };
        classes.each(|_, class| class.count += 1);
        classes
    }

    fn each(&mut self, mut visit: impl FnMut(usize, &mut Class)) {
        for (node, class) in self.class_of.iter().enumerate() {
            let Some((size, siblings)) = *class else { continue };
            visit(node, &mut self.sizes[usize::from(size)]);
            visit(node, &mut self.siblings[usize::from(siblings)]);
        }
    }

    /// Takes in the errors of a replicate.
    pub(super) fn take_in(&mut self, errors: &[f64]) {
        self.each(|node, class| class.now += errors[node]);
        self.replicates += 1.0;
        for class in self.sizes.iter_mut().chain(&mut self.siblings).filter(|class| class.count > 0) {
            let mean = class.now / class.count as f64;
            class.first += mean;
            class.second += mean * mean;
            class.now = 0.0;
        }
    }

    /// The table, once all replicates are in. `variance` is that of each estimate, `measured` that of the node's own
    /// measurements, infinite where there is none.
    pub(super) fn table(mut self, variance: impl Fn(usize) -> f64, measured: &[f64]) -> Vec<FairnessRow> {
        self.each(|node, class| {
            class.variance += variance(node);
            if measured[node] < f64::INFINITY {
                class.measured += 1;
                class.measured_variance += measured[node];
            }
        });
        let replicates = self.replicates;
        let both = [(By::Size, &self.sizes), (By::Siblings, &self.siblings)];
        let rows = both.into_iter().take(if self.flat { 1 } else { 2 });
        let rows = rows.flat_map(|(by, classes)| {
            let filled = classes.iter().enumerate().filter(|(_, class)| class.count > 0);
            filled.map(move |(index, class)| class.row(by, index, replicates))
        });
        let mut rows: Vec<_> = rows.collect();
        // Leaves before inner nodes; within them the order is right already.
        rows.sort_by_key(|row| row.nodes != LEAVES);
        rows
    }
}

const LEAVES: &str = "leaves";

impl Class {
    fn row(&self, by: By, index: usize, replicates: f64) -> FairnessRow {
        let count = self.count as f64;
        let (mean_bias, mean_bias_error) =
            if replicates > 1.0 { mean_and_error(self.first, self.second, replicates) } else { (0.0, 0.0) };
        let class = (index % CLASSES) as u8;
        FairnessRow {
            nodes: if index < CLASSES { LEAVES } else { "inner nodes" },
            by,
            class: match by {
                By::Size => size_words(class),
                By::Siblings => sibling_words(class),
            },
            count: self.count,
            mean_bias,
            mean_bias_error,
            mean_variance: self.variance / count,
            mean_measured_variance: (self.measured > 0).then(|| self.measured_variance / self.measured as f64),
        }
    }
}

fn size_class(estimate: f64) -> u8 {
    if estimate < 0.0 {
        0
    } else if estimate == 0.0 {
        1
    } else {
        let bounds = std::iter::successors(Some(1.0), |bound| Some(bound * 10.0));
        let below = bounds.take(usize::from(LARGEST - SMALL) + 1).take_while(|&bound| bound <= estimate).count();
        SMALL - 1 + below as u8
    }
}

fn size_words(class: u8) -> String {
    match class {
        0 => "below 0".to_owned(),
        1 => "0".to_owned(),
        2 => "above 0, below 1".to_owned(),
        LARGEST => format!("1e{} or more", LARGEST - SMALL),
        _ => {
            let power = |exponent: u8| match exponent {
                0..=6 => 10_u32.pow(u32::from(exponent)).to_string(),
                _ => format!("1e{exponent}"),
            };
            format!("{} to {}", power(class - SMALL), power(class - SMALL + 1))
        }
    }
}

fn sibling_class(siblings: u32) -> u8 {
    (u32::BITS - siblings.leading_zeros()) as u8
}

fn sibling_words(class: u8) -> String {
    match class {
        0 | 1 => class.to_string(),
        _ => format!("{} to {}", 1_u64 << (class - 1), (1_u64 << class) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_words() {
        let words = |estimate| size_words(size_class(estimate));
        assert_eq!(
            [-3.0, 0.0, 0.4, 1.0, 9.5, 10.0, 1e9, 1e99].map(words),
            ["below 0", "0", "above 0, below 1", "1 to 10", "1 to 10", "10 to 100", "1e9 to 1e10", "1e60 or more"]
        );
        assert_eq!(
            [0, 1, 2, 3, 4, 7, 8].map(|n| sibling_words(sibling_class(n))),
            ["0", "1", "2 to 3", "2 to 3", "4 to 7", "4 to 7", "8 to 15"]
        );
    }
}
