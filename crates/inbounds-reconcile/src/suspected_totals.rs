//! Values of an attribute that equal the sum of the others in every slice, and are not labelled as totals. They are
//! reported, because nothing but their caller knows what they are.

use inbounds_bundle::Notice;
use inbounds_project::table::Axes;

use super::cells::Cells;
use crate::projection::{Lattice, Model};

/// Probability of the notice on a value that has nothing to do with the others, over all attributes.
const FALSE_ALARM: f64 = 0.01;
/// Standard deviations above zero from which the sum of the others tells anything.
const TELLING: f64 = 3.0;

/// One notice for each attribute of which a value equals the sum of the others.
///
/// For a slice with `D`, the value less the sum `T` of the others, and `V`, the variance of `D`, the evidence is the
/// normal density of `D` over `1 / (2 T)`, the density of a value spread evenly between 0 and `2 T`. Were a value so
/// spread in each slice by itself, the product over slices would pass `1 / p` with probability at most `p`, by Markov's
/// inequality. With `p` the false-alarm rate over the number of values, the rate holds over all of them. A slice whose
/// other values are lost in noise counts only against a total.
pub(super) fn suspects(cells: &Cells, lattice: &Lattice, model: &Model) -> Vec<Notice> {
    let attributes = lattice.sizes.iter().enumerate().filter(|(_, size)| **size > 2);
    let slices: Vec<Slices> =
        attributes.filter_map(|(attribute, _)| Slices::largest(attribute, lattice, model)).collect();
    let values: usize = slices.iter().map(|slices| slices.size).sum();
    let enough = libm::log(values as f64 / FALSE_ALARM);
    let suspects = slices.iter().filter_map(|slices| {
        let evidence = (0..slices.size).map(|value| (slices.evidence(value), value));
        let (evidence, value) = evidence.max_by(|one, other| one.0.total_cmp(&other.0))?;
        (evidence >= enough && !slices.is_part(value)).then(|| Notice::EqualsSum {
            attribute: cells.attributes[slices.attribute].clone(),
            value: cells.value_name(slices.attribute, value).to_owned(),
            slices: slices.slices.len(),
            false_alarm: FALSE_ALARM,
        })
    });
    suspects.collect()
}

/// The measured cells of a margin, slice by slice along one attribute.
struct Slices {
    attribute: usize,
    size: usize,
    /// Of each slice the value and variance of each of its cells, and its measured sum, if there is one.
    slices: Vec<Slice>,
}

/// The value and variance of each cell of a slice, and its measured sum.
type Slice = (Vec<(f64, f64)>, Option<f64>);

impl Slices {
    /// Those of the margin with most slices that were measured throughout.
    fn largest(attribute: usize, lattice: &Lattice, model: &Model) -> Option<Self> {
        let margins = lattice.margins.iter().filter(|(axes, _)| axes.iter().any(|axis| axis == attribute));
        let slices = margins.map(|margin| Self::of_margin(attribute, lattice, model, margin));
        slices.filter(|slices| !slices.slices.is_empty()).max_by_key(|slices| slices.slices.len())
    }

    fn of_margin(attribute: usize, lattice: &Lattice, model: &Model, (axes, nodes): &(Axes, Vec<u32>)) -> Self {
        let size = lattice.sizes[attribute];
        let after = axes.iter().filter(|axis| *axis > attribute);
        let stride: usize = after.map(|axis| lattice.sizes[axis]).product();
        let rest = Axes::new(axes.iter().filter(|axis| *axis != attribute));
        let sums = lattice.margins.iter().find(|(axes, _)| *axes == rest).map(|(_, nodes)| nodes);
        let measured = |node: u32| {
            let node = node as usize;
            (model.variance[node] < f64::INFINITY).then(|| (model.value[node], model.variance[node]))
        };
        let slice = |index: usize| {
            let first = index / stride * size * stride + index % stride;
            let cells: Option<Vec<_>> = (0..size).map(|value| measured(nodes[first + value * stride])).collect();
            let sum = sums.and_then(|sums| Some(measured(*sums.get(index)?)?.0));
            cells.map(|cells| (cells, sum))
        };
        Self { attribute, size, slices: (0..nodes.len() / size).filter_map(slice).collect() }
    }

    /// The logarithm of the evidence that a value is the sum of the others.
    fn evidence(&self, value: usize) -> f64 {
        let of_slice = |(cells, _): &(Vec<(f64, f64)>, Option<f64>)| {
            let own = cells[value].0;
            let others = cells.iter().map(|cell| cell.0).sum::<f64>() - own;
            let stated = cells.iter().map(|cell| cell.1).sum::<f64>();
            let variance = stated.max((1e-9 * (own.abs() + others.abs())).powi(2)).max(f64::MIN_POSITIVE);
            let off = (own - others) * (own - others) / (2.0 * variance);
            if others > TELLING * libm::sqrt(variance) {
                libm::log(2.0 * others / libm::sqrt(2.0 * std::f64::consts::PI * variance)) - off
            } else {
                -off
            }
        };
        self.slices.iter().map(of_slice).sum()
    }

    /// `true` if measured sums over the attribute fit a value better as one part of them.
    fn is_part(&self, value: usize) -> bool {
        let differences = self.slices.iter().filter_map(|(cells, sum)| {
            let all: f64 = cells.iter().map(|cell| cell.0).sum();
            sum.map(|sum| ((sum - all).powi(2), (sum - cells[value].0).powi(2)))
        });
        let (as_part, as_total) = differences.fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        as_part < as_total
    }
}
