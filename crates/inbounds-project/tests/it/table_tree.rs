//! Tables at the nodes of a tree, against dense least squares, and what must hold of every solution.

use inbounds_project::{
    certificate::Status,
    constraint::tree::Tree,
    table::{
        Axes, MeasuredMargin, TableNumbers,
        tree::{TableTree, TableTreeFit, TableTreeRefusal, check, linear, shrunk, top_down},
    },
};

use crate::{draws::Draws, table};

/// A tree of tables with their true cells, and what is measured of them.
struct Case {
    sizes: Vec<usize>,
    parents: Vec<Option<u32>>,
    truth: Vec<Vec<f64>>,
    measured: Vec<Vec<MeasuredMargin>>,
}

fn cells_of(sizes: &[usize], axes: Axes) -> usize {
    axes.iter().map(|axis| sizes[axis]).product()
}

/// The cell of a margin that each cell of the table is part of.
fn parts(sizes: &[usize], inner: Axes) -> Vec<usize> {
    table::parts(sizes, Axes::new(0..sizes.len()), inner)
}

fn sums(sizes: &[usize], cells: &[f64], inner: Axes) -> Vec<f64> {
    let mut sums = vec![0.0; cells_of(sizes, inner)];
    parts(sizes, inner).into_iter().zip(cells).for_each(|(part, cell)| sums[part] += cell);
    sums
}

impl Case {
    /// A random tree whose leaves have counts, mostly small and often zero.
    fn new(draws: &mut Draws, most_nodes: usize) -> Self {
        let attributes = draws.between(1, 4);
        let sizes: Vec<usize> = (0..attributes).map(|_| draws.between(1, 4)).collect();
        let nodes = draws.between(2, most_nodes);
        let parents: Vec<Option<u32>> =
            (0..nodes).map(|node| (node > 0).then(|| draws.between(0, node.min(5)) as u32)).collect();
        let table: usize = sizes.iter().product();
        let is_leaf = |node: usize| !parents.contains(&Some(node as u32));
        let mut truth = vec![vec![0.0; table]; nodes];
        for node in (0..nodes).rev() {
            if is_leaf(node) {
                truth[node] =
                    (0..table).map(|_| if draws.chance(0.5) { 0.0 } else { draws.between(0, 12) as f64 }).collect();
            }
            if let Some(parent) = parents[node] {
                let own = truth[node].clone();
                truth[parent as usize].iter_mut().zip(own).for_each(|(sum, cell)| *sum += cell);
            }
        }
        Self { sizes, parents, truth, measured: vec![Vec::new(); nodes] }
    }

    fn measure(&mut self, draws: &mut Draws, node: usize, axes: Axes, variance: f64) {
        let noisy = |sum: f64| sum + draws.laplace() * (variance / 2.0).sqrt();
        let values = sums(&self.sizes, &self.truth[node], axes).into_iter().map(noisy).collect();
        self.measured[node].push(MeasuredMargin { axes, values, variance });
    }

    /// Measures some margins of each node, the table of each leaf among them.
    fn measure_some(&mut self, draws: &mut Draws) {
        let all = Axes::new(0..self.sizes.len());
        for node in 0..self.truth.len() {
            let is_leaf = !self.parents.contains(&Some(node as u32));
            for axes in all.subsets() {
                if is_leaf && axes == all || draws.chance(0.5) {
                    let variance = [0.5, 2.0, 8.0, 32.0][draws.between(0, 4)];
                    self.measure(draws, node, axes, variance);
                }
            }
        }
    }

    /// Makes a margin of some attributes, of none or of all known in all nodes of a family.
    fn publish(&mut self, draws: &mut Draws) {
        let parent = draws.between(0, self.truth.len()) as u32;
        let family: Vec<usize> = (0..self.truth.len()).filter(|&node| self.parents[node] == Some(parent)).collect();
        let attributes: Vec<usize> = (0..self.sizes.len()).filter(|_| draws.chance(0.4)).collect();
        let axes = Axes::new(attributes);
        for node in family {
            self.measured[node].retain(|margin| margin.axes != axes);
            self.measure(draws, node, axes, 0.0);
        }
    }

    fn system(&self) -> TableTree {
        let tree = Tree::from_parents(&self.parents).expect("a tree");
        TableTree::new(self.sizes.clone(), tree, self.measured.clone()).expect("well-formed")
    }

    fn leaves(&self) -> Vec<usize> {
        (0..self.truth.len()).filter(|&node| !self.parents.contains(&Some(node as u32))).collect()
    }

    /// Which leaves a node is the sum of, as places among the leaves.
    fn leaves_of(&self, node: usize) -> Vec<usize> {
        let is_below = |mut leaf: usize| loop {
            if leaf == node {
                return true;
            }
            match self.parents[leaf] {
                Some(parent) => leaf = parent as usize,
                None => return false,
            }
        };
        let leaves = self.leaves();
        (0..leaves.len()).filter(|&place| is_below(leaves[place])).collect()
    }

    /// The row of a cell of a margin of a node over all cells of all leaves.
    fn row(&self, node: usize, axes: Axes, cell: usize) -> Vec<f64> {
        let table: usize = self.sizes.iter().product();
        let parts = parts(&self.sizes, axes);
        let mut row = vec![0.0; self.leaves().len() * table];
        for leaf in self.leaves_of(node) {
            for (place, &part) in parts.iter().enumerate() {
                if part == cell {
                    row[leaf * table + place] = 1.0;
                }
            }
        }
        row
    }

    /// The dense solution: normal equations bordered with those of exact measurements, which may repeat one another.
    fn dense(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        let unknowns = self.leaves().len() * self.sizes.iter().product::<usize>();
        let mut normal = vec![vec![0.0; unknowns]; unknowns];
        let mut right = vec![0.0; unknowns];
        let mut exact: Vec<(Vec<f64>, f64)> = Vec::new();
        for (node, margins) in self.measured.iter().enumerate() {
            for margin in margins {
                for (cell, value) in margin.values.iter().enumerate() {
                    let row = self.row(node, margin.axes, cell);
                    if margin.variance == 0.0 {
                        exact.push((row, *value));
                        continue;
                    }
                    for (i, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                        right[i] += x * value / margin.variance;
                        row.iter().enumerate().for_each(|(j, y)| normal[i][j] += x * y / margin.variance);
                    }
                }
            }
        }
        // Without redundant ones, so that the bordered matrix has an inverse.
        let mut basis: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
        for (row, value) in exact {
            let mut left = row.clone();
            for (direction, _, _) in &basis {
                let along: f64 = left.iter().zip(direction).map(|(x, y)| x * y).sum();
                left.iter_mut().zip(direction).for_each(|(x, y)| *x -= along * y);
            }
            let norm = left.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > 1e-9 {
                left.iter_mut().for_each(|x| *x /= norm);
                basis.push((left, row, value));
            }
        }
        let size = unknowns + basis.len();
        let mut bordered = vec![vec![0.0; size]; size];
        for i in 0..unknowns {
            bordered[i][..unknowns].copy_from_slice(&normal[i]);
        }
        for (k, (_, row, value)) in basis.iter().enumerate() {
            for i in 0..unknowns {
                bordered[i][unknowns + k] = row[i];
                bordered[unknowns + k][i] = row[i];
            }
            right.push(*value);
        }
        let inverse = inverse(bordered);
        let solution: Vec<f64> = inverse.iter().map(|row| row.iter().zip(&right).map(|(x, y)| x * y).sum()).collect();
        (solution[..unknowns].to_vec(), inverse[..unknowns].iter().map(|row| row[..unknowns].to_vec()).collect())
    }
}

/// The inverse of a matrix, by elimination with the largest pivot of each column.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&i, &j| matrix[i][column].abs().total_cmp(&matrix[j][column].abs())).expect("a row");
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        assert!(scale.abs() > 1e-9, "every cell is determined");
        matrix[column].iter_mut().for_each(|x| *x /= scale);
        let line = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            if i != column && row[column] != 0.0 {
                let factor = row[column];
                row.iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    matrix.into_iter().map(|row| row[size..].to_vec()).collect()
}

/// The largest difference of estimates and of variances from the dense ones, over all margins of all nodes.
fn differences(case: &Case, fit: &TableTreeFit) -> (f64, f64) {
    let (solution, covariance) = case.dense();
    let (mut values, mut variances) = (0.0_f64, 0.0_f64);
    for node in 0..case.truth.len() {
        for axes in Axes::new(0..case.sizes.len()).subsets() {
            let margin = fit.margin(node, axes).expect("cells of all leaves are measured");
            for (cell, value) in margin.values.iter().enumerate() {
                let row = case.row(node, axes, cell);
                let dense: f64 = row.iter().zip(&solution).map(|(x, y)| x * y).sum();
                let product = |i: usize| covariance[i].iter().zip(&row).map(|(x, y)| x * y).sum::<f64>();
                let variance: f64 =
                    row.iter().enumerate().filter(|(_, x)| **x != 0.0).map(|(i, x)| x * product(i)).sum();
                values = values.max((value - dense).abs());
                variances = variances.max((margin.variance - variance).abs());
            }
        }
    }
    (values, variances)
}

#[test]
fn linear_fits_of_five_hundred_random_trees_of_tables_are_the_dense_ones() {
    let mut draws = Draws::seeded(43);
    let (mut published, mut left_out) = (0, 0);
    for _ in 0..500 {
        let mut case = Case::new(&mut draws, 8);
        case.measure_some(&mut draws);
        if draws.chance(0.5) {
            case.publish(&mut draws);
        }
        published += usize::from(case.measured.iter().flatten().any(|margin| margin.variance == 0.0));
        left_out += usize::from(case.measured.iter().any(|margins| margins.len() < 1 << case.sizes.len()));
        let fit = linear(&case.system()).expect("exact margins agree");
        let (values, variances) = differences(&case, &fit);
        assert!(values < 1e-9 && variances < 1e-9, "{values:e} {variances:e}: {:?} {:?}", case.sizes, case.parents);
    }
    assert!(published > 100 && left_out > 400, "{published} {left_out}");
}

#[test]
fn a_child_without_a_component_leaves_its_sisters_their_own() {
    let tree = Tree::from_parents(&[None, Some(0), Some(0)]).expect("a tree");
    let margin = |axes, values: &[f64]| MeasuredMargin { axes, values: values.to_vec(), variance: 1.0 };
    let cells = Axes::new([0]);
    let measured =
        vec![vec![margin(cells, &[9.0, 3.0])], vec![margin(cells, &[4.0, 1.0])], vec![margin(Axes::NONE, &[6.0])]];
    let fit = linear(&TableTree::new(vec![2], tree, measured).expect("a tree of tables")).expect("nothing is exact");
    assert_eq!(fit.margin(2, cells), None);
    // The totals are a tree of numbers with the variances 2, 2 and 1: 12 for the parent beside 5 + 6.
    let total = |node: usize| fit.margin(node, Axes::NONE).expect("totals are told").values[0];
    assert!((total(0) - (12.0 / 2.0 + 11.0 / 3.0) / (1.0 / 2.0 + 1.0 / 3.0)).abs() < 1e-12);
    let computed = fit.margin(1, cells).expect("it was measured");
    assert!((computed.values[0] - computed.values[1] - 3.0).abs() < 1e-12, "{:?}", computed.values);
    assert_eq!(check(&fit, TableNumbers::Real), Err(TableTreeRefusal::Untold(2)));
}

#[test]
fn contradictions_of_what_is_exact_are_named() {
    let tree = || Tree::from_parents(&[None, Some(0), Some(0)]).expect("a tree");
    let margin = |values: &[f64], variance| {
        let axes = if values.len() == 1 { Axes::NONE } else { Axes::new([0]) };
        MeasuredMargin { axes, values: values.to_vec(), variance }
    };
    let noisy = || margin(&[1.0, 2.0], 1.0);
    let fit = |measured: Vec<Vec<MeasuredMargin>>| {
        linear(&TableTree::new(vec![2], tree(), measured).expect("a tree of tables"))
    };
    let computed =
        fit(vec![vec![margin(&[7.0], 0.0)], vec![margin(&[3.0], 0.0), noisy()], vec![margin(&[5.0], 0.0), noisy()]]);
    let conflict = computed.expect_err("3 and 5 are not 7");
    assert_eq!((conflict.node, conflict.axes), (0, Axes::NONE));
    let computed = fit(vec![vec![], vec![margin(&[3.0], 0.0), margin(&[1.0, 1.0], 0.0)], vec![noisy()]]);
    let conflict = computed.expect_err("1 and 1 are not 3");
    assert_eq!((conflict.node, conflict.axes), (1, Axes::NONE));
    assert!(
        fit(vec![vec![margin(&[8.0], 0.0)], vec![margin(&[3.0], 0.0), noisy()], vec![margin(&[5.0], 0.0), noisy()]])
            .is_ok()
    );
}

/// Whole tables add up to the last unit, keep what is public and have an optimal certificate; real ones do up to
/// rounding.
#[test]
fn tables_from_the_roots_down_add_up_and_keep_what_is_public() {
    let mut draws = Draws::seeded(44);
    let mut solved = 0;
    for _ in 0..300 {
        let mut case = Case::new(&mut draws, 14);
        case.measure_some(&mut draws);
        let publishes = draws.chance(0.6);
        if publishes {
            case.publish(&mut draws);
        }
        let fit = linear(&case.system()).expect("exact margins agree");
        if check(&fit, TableNumbers::Whole).is_err() {
            continue;
        }
        solved += usize::from(publishes);
        let table: usize = case.sizes.iter().product();
        for (numbers, near) in [(TableNumbers::Whole, 0.0), (TableNumbers::Real, 1e-9)] {
            for solve in [top_down, shrunk] {
                let solution = solve(&fit, numbers).expect("it was checked");
                assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
                let cells_at = |node: usize| &solution.cells[node * table..(node + 1) * table];
                assert!(solution.cells.iter().all(|cell| *cell >= 0.0 && (near > 0.0 || cell.fract() == 0.0)));
                for node in 0..case.truth.len() {
                    let mut left = cells_at(node).to_vec();
                    let children = (0..case.truth.len()).filter(|&child| case.parents[child] == Some(node as u32));
                    let mut is_leaf = true;
                    for child in children {
                        is_leaf = false;
                        left.iter_mut().zip(cells_at(child)).for_each(|(left, cell)| *left -= cell);
                    }
                    assert!(is_leaf || left.iter().all(|left| left.abs() <= near), "{left:?}");
                    for margin in case.measured[node].iter().filter(|margin| margin.variance == 0.0) {
                        let sums = sums(&case.sizes, cells_at(node), margin.axes);
                        let off = sums.iter().zip(&margin.values).map(|(sum, value)| (sum - value).abs());
                        assert!(off.fold(0.0, f64::max) <= near, "{sums:?} for {:?}", margin.values);
                    }
                }
            }
        }
    }
    assert!(solved > 100, "{solved}");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let tree = Tree::from_parents(&[None, Some(0), Some(0)]).expect("a tree");
    let margin = |axes: &[usize], values: &[f64], variance| MeasuredMargin {
        axes: Axes::new(axes.iter().copied()),
        values: values.to_vec(),
        variance,
    };
    let cells = || margin(&[0, 1], &[1.0, 2.0, 3.0, 4.0], 1.0);
    let refusal = |of_child: Vec<MeasuredMargin>, of_other: Vec<MeasuredMargin>| {
        let own = vec![vec![cells()], [vec![cells()], of_child].concat(), [vec![cells()], of_other].concat()];
        let system = TableTree::new(vec![2, 2], tree.clone(), own).expect("a tree of tables");
        check(&linear(&system).expect("no contradiction"), TableNumbers::Whole).expect_err("it is refused")
    };
    let exact = |axes: &[usize]| margin(axes, &[5.0, 2.0], 0.0);
    assert_eq!(refusal(vec![exact(&[0])], vec![]), TableTreeRefusal::Partly(2, Axes::NONE));
    let other = || margin(&[1], &[4.0, 3.0], 0.0);
    assert_eq!(refusal(vec![exact(&[0]), other()], vec![exact(&[0]), other()]), TableTreeRefusal::Exact(0));
    let computed = refusal(vec![margin(&[], &[4.5], 0.0)], vec![margin(&[], &[4.0], 0.0)]);
    assert!(matches!(computed, TableTreeRefusal::Table(0, _)), "{computed}");
}

/// Half widths of two standard deviations from the stated variances hold Laplace errors as often as they do in one
/// dimension or more often: sums of several are nearer to a normal law. The false-alarm rate is that of four standard
/// errors, below one in ten thousand.
#[test]
fn stated_variances_are_those_of_the_errors() {
    let mut draws = Draws::seeded(45);
    let mut case = Case::new(&mut draws, 8);
    while case.sizes.len() < 2 || case.truth.len() < 6 {
        case = Case::new(&mut draws, 8);
    }
    let runs = 4000;
    let (mut squares, mut fourth, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let mut choose = Draws::seeded(46);
    case.measure_some(&mut choose);
    let laws = case.measured.clone();
    for run in 0..runs {
        case.measured = vec![Vec::new(); case.truth.len()];
        for (node, margins) in laws.iter().enumerate() {
            margins.iter().for_each(|margin| case.measure(&mut draws, node, margin.axes, margin.variance));
        }
        let fit = linear(&case.system()).expect("nothing is exact");
        let mut place = 0;
        for node in 0..case.truth.len() {
            for axes in Axes::new(0..case.sizes.len()).subsets() {
                let computed = fit.margin(node, axes).expect("it is told");
                for (value, truth) in computed.values.iter().zip(sums(&case.sizes, &case.truth[node], axes)) {
                    if run == 0 {
                        squares.push(0.0);
                        fourth.push(0.0);
                        expected.push(computed.variance);
                    }
                    let square = (value - truth) * (value - truth);
                    squares[place] += square / f64::from(runs);
                    fourth[place] += square * square / f64::from(runs);
                    place += 1;
                }
            }
        }
    }
    let far = |factor: f64| {
        let off = squares.iter().zip(&fourth).zip(&expected).map(|((square, fourth), expected)| {
            let error = ((fourth - square * square) / f64::from(runs)).sqrt();
            (square - factor * expected).abs() / error
        });
        off.fold(0.0, f64::max)
    };
    assert!(far(1.0) < 4.0 + (expected.len() as f64).ln() / 4.0, "{} of {}", far(1.0), expected.len());
    assert!(far(1.2) > 4.0 + (expected.len() as f64).ln() / 4.0, "a wrong variance is found");
}
