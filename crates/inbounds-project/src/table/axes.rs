//! Sets of attributes, and tables that have one axis for each attribute of a set.

use std::{cmp::Ordering, fmt};

use crate::numeric::in_lanes;

/// A set of attributes, each by its number from 0 to 31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Axes(u32);

impl Axes {
    /// The empty set: the margin of no attribute is the total.
    pub const NONE: Self = Self(0);

    /// Most attributes.
    pub const MOST: usize = 32;

    /// The set of these attributes.
    ///
    /// # Panics
    /// If an attribute is not below [`Axes::MOST`].
    ///
    /// # Example
    /// ```
    /// use inbounds_project::table::Axes;
    /// let axes = Axes::new([0, 2]);
    /// assert_eq!((axes.count(), axes.contains(1)), (2, false));
    /// ```
    pub fn new(attributes: impl IntoIterator<Item = usize>) -> Self {
        Self(attributes.into_iter().fold(0, |set, attribute| {
            assert!(attribute < Self::MOST, "attributes have numbers below {}", Self::MOST);
            set | 1 << attribute
        }))
    }

    /// Number of attributes.
    pub fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// `true` if an attribute is in the set.
    pub fn contains(self, attribute: usize) -> bool {
        attribute < Self::MOST && self.0 >> attribute & 1 == 1
    }

    /// `true` if all of another set are in this one.
    pub fn includes(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// `true` if it is part of none of these but itself.
    pub fn is_largest(self, among: impl IntoIterator<Item = Self>) -> bool {
        among.into_iter().all(|other| other == self || !other.includes(self))
    }

    /// The attributes, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone {
        (0..Self::MOST).filter(move |&attribute| self.contains(attribute))
    }

    /// All subsets, itself and the empty one among them, smaller sets first.
    pub fn subsets(self) -> Vec<Self> {
        let mut subsets = vec![self];
        let mut next = self.0;
        while next > 0 {
            next = (next - 1) & self.0;
            subsets.push(Self(next));
        }
        subsets.sort_unstable();
        subsets
    }

    /// With one more attribute.
    ///
    /// # Panics
    /// If the attribute is not below [`Axes::MOST`].
    pub fn with(self, attribute: usize) -> Self {
        self.and(Self::new([attribute]))
    }

    /// Without one attribute.
    pub fn without(self, attribute: usize) -> Self {
        Self(self.0 & !(1 << attribute))
    }

    /// As bits, one for each attribute.
    pub(super) fn bits(self) -> usize {
        self.0 as usize
    }

    /// The set with these bits.
    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Those of both sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The attributes of this set that are not in another.
    pub(super) fn less(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Smaller sets first, then in the order of the attributes.
impl Ord for Axes {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |axes: &Self| (axes.count(), !axes.0.reverse_bits());
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Axes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.iter().map(|attribute| attribute.to_string()).collect();
        write!(formatter, "{{{}}}", numbers.join(", "))
    }
}

/// Layout of the cells of a margin in memory, and the cell of a smaller margin that each is a part of.
///
/// The last attribute moves fastest, so cells come in runs that differ in it alone; a run is part of one cell of a
/// smaller margin without that attribute, and of as many neighbouring ones of a margin with it.
pub(super) struct Layout {
    /// The runs of the larger margin: where each begins in the smaller one.
    pub(super) begins: Vec<u32>,
    /// Cells of a run.
    run: usize,
    /// True if the smaller margin has the last attribute.
    along: bool,
    /// Cells of the smaller margin.
    pub(super) cells: usize,
}

impl Layout {
    /// From `inner`, a subset, to `outer`, where attributes have these sizes.
    pub(super) fn new(sizes: &[usize], outer: Axes, inner: Axes) -> Self {
        let axes: Vec<usize> = outer.iter().collect();
        let mut strides = vec![0; axes.len()];
        let mut cells = 1;
        for (stride, &axis) in strides.iter_mut().zip(&axes).rev() {
            if inner.contains(axis) {
                *stride = cells;
                cells *= sizes[axis];
            }
        }
        let (run, along) = match axes.last() {
            Some(&last) => (sizes[last], inner.contains(last)),
            None => (1, true),
        };
        let mut begins = vec![0_u32];
        for (&axis, &stride) in axes.iter().zip(&strides).take(axes.len().saturating_sub(1)) {
            let deeper = |begin: &u32| (0..sizes[axis]).map(|code| begin + (code * stride) as u32).collect::<Vec<_>>();
            begins = begins.iter().flat_map(deeper).collect();
        }
        Self { begins, run, along, cells }
    }

    /// Adds each cell of the larger margin to its cell of the smaller one.
    pub(super) fn sum_into(&self, larger: &[f64], smaller: &mut [f64]) {
        for (cells, &begin) in larger.chunks_exact(self.run).zip(&self.begins) {
            let begin = begin as usize;
            if self.along {
                smaller[begin..begin + self.run].iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
            } else {
                smaller[begin] += in_lanes(cells, |cell| cell);
            }
        }
    }

    /// The sums of the larger margin that the smaller one is.
    pub(super) fn sums(&self, larger: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.cells];
        self.sum_into(larger, &mut sums);
        sums
    }

    /// Adds `factor` times each cell of the smaller margin to all of its cells in the larger one.
    pub(super) fn spread(&self, factor: f64, smaller: &[f64], larger: &mut [f64]) {
        for (cells, &begin) in larger.chunks_exact_mut(self.run).zip(&self.begins) {
            let begin = begin as usize;
            if self.along {
                let parts = &smaller[begin..begin + self.run];
                cells.iter_mut().zip(parts).for_each(|(cell, part)| *cell += factor * part);
            } else {
                let part = factor * smaller[begin];
                cells.iter_mut().for_each(|cell| *cell += part);
            }
        }
    }

    /// The cell of the smaller margin that a cell of the larger one is part of.
    pub(super) fn part_of(&self, cell: usize) -> usize {
        self.begins[cell / self.run] as usize + if self.along { cell % self.run } else { 0 }
    }
}

/// The cell of a margin that each cell of a larger one is part of, where attributes have these sizes and the last one
/// moves fastest.
///
/// # Example
/// ```
/// use inbounds_project::table::{Axes, parts};
/// // Columns of a table of two by three.
/// assert_eq!(parts(&[2, 3], Axes::new([0, 1]), Axes::new([1])), [0, 1, 2, 0, 1, 2]);
/// ```
pub fn parts(sizes: &[usize], outer: Axes, inner: Axes) -> Vec<usize> {
    let layout = Layout::new(sizes, outer, inner);
    let cells: usize = outer.iter().map(|axis| sizes[axis]).product();
    (0..cells).map(|cell| layout.part_of(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_smaller_first_and_in_order() {
        let sets: Vec<String> = Axes::new([0, 1, 3]).subsets().iter().map(Axes::to_string).collect();
        assert_eq!(sets, ["{}", "{0}", "{1}", "{3}", "{0, 1}", "{0, 3}", "{1, 3}", "{0, 1, 3}"]);
    }

    #[test]
    fn margins_are_sums_of_the_cells_they_part_into() {
        let sizes = [2, 9, 3, 2];
        let outer = Axes::new([0, 2, 3]);
        let cells: Vec<f64> = (0..12).map(f64::from).collect();
        let sums = |inner: &[usize]| Layout::new(&sizes, outer, Axes::new(inner.iter().copied())).sums(&cells);
        assert_eq!(sums(&[]), [66.0]);
        assert_eq!(sums(&[0]), [15.0, 51.0]);
        assert_eq!(sums(&[2]), [0.0 + 1.0 + 6.0 + 7.0, 2.0 + 3.0 + 8.0 + 9.0, 4.0 + 5.0 + 10.0 + 11.0]);
        assert_eq!(sums(&[0, 3]), [6.0, 9.0, 24.0, 27.0]);
        assert_eq!(sums(&[0, 2, 3]), cells);
        let layout = Layout::new(&sizes, outer, Axes::new([0, 3]));
        assert_eq!((0..12).map(|cell| layout.part_of(cell)).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3]);
        let mut larger = vec![1.0; 12];
        layout.spread(2.0, &[0.0, 1.0, 2.0, 3.0], &mut larger);
        assert_eq!(larger, [1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 5.0, 7.0, 5.0, 7.0, 5.0, 7.0]);
    }
}
