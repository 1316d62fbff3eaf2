//! The components of a table, side by side.
//!
//! **Idea.** Along one attribute the `n` numbers of a line become `n + 1`: their sum, and what each is off their mean.
//! Along all attributes, one after the other, a table of `prod n_j` cells becomes `prod (n_j + 1)` numbers. Those that
//! are sums along the attributes outside a set `A`, and off the mean along those inside, are the component `A` of the
//! analysis of variance: what the margin `A` has beyond its own margins. A margin `S` becomes the same numbers as far
//! as it has them, so measurements of any margins, and of tables that are sums of tables, can be compared with one
//! another number by number.

use super::super::axes::Axes;

/// The numbers of a table of some attributes.
#[derive(Debug, Clone)]
pub(super) struct Components {
    pub(super) sizes: Vec<usize>,
    /// Count of all numbers.
    pub(super) len: usize,
    /// Stride between neighbours along each attribute.
    strides: Vec<usize>,
    /// The component of each number.
    pub(super) component_of: Vec<u32>,
}

/// The numbers of a margin among those of the table.
#[derive(Debug, Clone)]
pub(super) struct Part {
    axes: Axes,
    /// The place of each number of the margin.
    pub(super) places: Vec<u32>,
}

impl Components {
    /// Of attributes with these numbers of values.
    pub(super) fn new(sizes: &[usize]) -> Self {
        let mut strides = vec![0; sizes.len()];
        let mut len = 1;
        for (stride, size) in strides.iter_mut().zip(sizes).rev() {
            *stride = len;
            len *= size + 1;
        }
        let component = |place: usize| {
            let is_off_mean = |&attribute: &usize| !(place / strides[attribute]).is_multiple_of(sizes[attribute] + 1);
            Axes::new((0..sizes.len()).filter(is_off_mean)).bits() as u32
        };
        let component_of = (0..len).map(component).collect();
        Self { sizes: sizes.to_vec(), len, strides, component_of }
    }

    /// Number of components.
    pub(super) fn count(&self) -> usize {
        1 << self.sizes.len()
    }

    /// All attributes.
    pub(super) fn all(&self) -> Axes {
        Axes::new(0..self.sizes.len())
    }

    /// Number of cells of a margin.
    pub(super) fn cells(&self, axes: Axes) -> usize {
        axes.iter().map(|axis| self.sizes[axis]).product()
    }

    /// Where the cells of a margin stand once numbers are [`unfolded`](Self::unfold).
    pub(super) fn cells_at(&self, axes: Axes) -> Vec<u32> {
        self.places(axes, 1)
    }

    /// Where the digits of some attributes are `first` and above, and the others 0.
    fn places(&self, axes: Axes, first: usize) -> Vec<u32> {
        let mut places = vec![0_u32];
        for axis in axes.iter() {
            let (size, stride) = (self.sizes[axis], self.strides[axis]);
            let along = |place: u32| (first..=size).map(move |digit| place + (digit * stride) as u32);
            places = places.into_iter().flat_map(along).collect();
        }
        places
    }

    /// Turns the numbers of a table into the cells of all of its margins, in place. The cells of the margin `S` stand
    /// where the digits of the attributes of `S` are above 0, and the others 0: these were summed over.
    pub(super) fn unfold(&self, numbers: &mut [f64]) {
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            for block in numbers.chunks_exact_mut((size + 1) * stride) {
                let (sums, lines) = block.split_at_mut(stride);
                for line in lines.chunks_exact_mut(stride) {
                    line.iter_mut().zip(&*sums).for_each(|(off, sum)| *off += sum / size as f64);
                }
            }
        }
    }

    /// Where the numbers of a margin stand.
    pub(super) fn part(&self, axes: Axes) -> Part {
        Part { axes, places: self.places(axes, 0) }
    }

    /// The numbers of a margin from its cells, in the order of its places. `room` holds intermediate results.
    pub(super) fn split(&self, part: &Part, cells: &[f64], room: &mut [Vec<f64>; 2]) {
        let [from, to] = room;
        from.clear();
        from.extend_from_slice(cells);
        // Attributes that are split already have one number more.
        let mut before = 1;
        for axis in part.axes.iter() {
            let size = self.sizes[axis];
            let after = from.len() / (before * size);
            to.clear();
            for block in from.chunks_exact(size * after) {
                let begin = to.len();
                to.resize(begin + after, 0.0);
                for line in block.chunks_exact(after) {
                    to[begin..begin + after].iter_mut().zip(line).for_each(|(sum, cell)| *sum += cell);
                }
                for line in block.chunks_exact(after) {
                    for (index, cell) in line.iter().enumerate() {
                        to.push(cell - to[begin + index] / size as f64);
                    }
                }
            }
            before *= size + 1;
            std::mem::swap(from, to);
        }
    }

    /// The cells of a margin from the numbers of the table. `room` holds intermediate results; the cells are its first
    /// list.
    pub(super) fn join(&self, part: &Part, numbers: &[f64], room: &mut [Vec<f64>; 2]) {
        let [from, to] = room;
        from.clear();
        from.extend(part.places.iter().map(|&place| numbers[place as usize]));
        let mut before = 1;
        for axis in part.axes.iter() {
            let size = self.sizes[axis];
            let after = from.len() / (before * (size + 1));
            to.clear();
            for block in from.chunks_exact((size + 1) * after) {
                let (sums, lines) = block.split_at(after);
                for line in lines.chunks_exact(after) {
                    to.extend(line.iter().zip(sums).map(|(off, sum)| off + sum / size as f64));
                }
            }
            before *= size;
            std::mem::swap(from, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_split_into_the_numbers_of_the_table_and_joined_again() {
        let components = Components::new(&[2, 3]);
        let cells = [5.0, 1.0, 0.0, 2.0, 7.0, 3.0];
        let mut room = [Vec::new(), Vec::new()];
        let full_table = components.part(Axes::new([0, 1]));
        components.split(&full_table, &cells, &mut room);
        let numbers = room[0].clone();
        assert_eq!((numbers.len(), numbers[0], numbers[1]), (12, 18.0, 7.0 - 6.0));
        for (axes, sums) in
            [(Axes::new([0]), vec![6.0, 12.0]), (Axes::new([1]), vec![7.0, 8.0, 3.0]), (Axes::NONE, vec![18.0])]
        {
            let part = components.part(axes);
            components.split(&part, &sums, &mut room);
            for (number, place) in room[0].iter().zip(&part.places) {
                assert!((number - numbers[*place as usize]).abs() < 1e-12, "{axes}");
            }
            components.join(&part, &numbers, &mut room);
            room[0].iter().zip(&sums).for_each(|(computed, sum)| assert!((computed - sum).abs() < 1e-12, "{axes}"));
        }
        components.join(&full_table, &numbers, &mut room);
        room[0].iter().zip(cells).for_each(|(computed, cell)| assert!((computed - cell).abs() < 1e-12));
        // All margins at once are each margin by itself, to the last bit.
        let mut unfolded = numbers.clone();
        components.unfold(&mut unfolded);
        for axes in components.all().subsets() {
            components.join(&components.part(axes), &numbers, &mut room);
            let at_once: Vec<f64> = components.cells_at(axes).iter().map(|&place| unfolded[place as usize]).collect();
            assert_eq!(at_once, room[0], "{axes}");
        }
    }
}
