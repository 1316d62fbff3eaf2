//! What a reconciliation fills into its manifest.

use inbounds_bundle::{LawEntry, NoiseLaw};

use super::{Law, Method};

/// Counts measurements by law; a variance without a law stands for Gaussian noise.
pub(super) fn laws(measured: impl Iterator<Item = (Option<Law>, f64)>) -> Vec<LawEntry> {
    let mut found: Vec<(Option<Law>, LawEntry)> = Vec::new();
    for (stated, scale) in measured {
        let index = found.iter().position(|(law, _)| *law == stated).unwrap_or_else(|| {
            let law = NoiseLaw::from(stated.unwrap_or(Law::Gaussian)).into();
            let entry = LawEntry {
                law,
                stated: stated.is_some(),
                measurements: 0,
                least_scale: f64::INFINITY,
                largest_scale: 0.0,
            };
            found.push((stated, entry));
            found.len() - 1
        });
        let entry = &mut found[index].1;
        entry.measurements += 1;
        entry.least_scale = entry.least_scale.min(scale);
        entry.largest_scale = entry.largest_scale.max(scale);
    }
    found.sort_by_key(|(law, _)| *law);
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// Rules that settle what the constraints leave open.
const POOLED: &str = "Several measurements of one node count as one, their mean by weight, with weight 1 / variance; an \
                      exact value overrides measurements.";

/// Rules of every method.
pub(super) fn rules(method: Method) -> Vec<String> {
    let own: &[&str] = match method {
        Method::Linear | Method::LinearBounded | Method::Total | Method::TotalBounded => &[ROUNDED_SUMS, DERIVED],
        Method::Rounded => &[UP_OR_DOWN, DERIVED],
        Method::TotalInteger => &[TIES],
        Method::Isotonic => &[CLAMPED],
        Method::IsotonicInteger => &[CLAMPED, HALF_UP],
        Method::Semidefinite | Method::Correlation => &[FROBENIUS],
        Method::Equality | Method::Bounded | Method::Integer | Method::TopDown | Method::TopDownInteger => &TREE,
    };
    [&[POOLED], own].concat().into_iter().map(str::to_owned).collect()
}

const ROUNDED_SUMS: &str = "Equalities hold up to the rounding of doubles, as `solver.certificate.feasibility` says; bounds \
                            that bind hold to the last bit.";
const DERIVED: &str = "A node without a measurement has the value that the equalities give it.";
const UP_OR_DOWN: &str = "The optimum over real numbers is rounded, each node up or down, so that all equalities hold and \
                          the sum of squares grows least: not always the optimum over whole numbers.";
const CLAMPED: &str = "Nodes that are pooled have the mean of their values by weight; bounds are met by clamping, which is \
                       exact for orders.";
const HALF_UP: &str = "The optimum over whole numbers is that over real numbers rounded to the nearest, halves up.";
const FROBENIUS: &str = "The matrix is the nearest in the Frobenius norm, in which entries off the diagonal count twice and \
                         variances do not count.";

const TIES: &str = "Whole numbers that are equally good: the smaller total, then the node that the file names first.";

/// Rules of trees.
const TREE: [&str; 4] = [
    "All estimates are multiples of `solver.grid`, a power of two, so that children add up to their parent to the last bit, \
     in any order, when the written numbers are read as doubles.",
    "What rounding to the grid leaves over goes to the children in the order in which the file first names them, evenly, \
     passing over those that are at a bound or known exactly.",
    TIES,
    "Where measurements do not determine nodes, what is left is divided evenly over unmeasured leaves, and no error is \
     stated.",
];
