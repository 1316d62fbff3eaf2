//! Other ways to the same tables.

use inbounds_project::{
    certificate::Status,
    constraint::{
        Bounds, Rows, System,
        tree::{Tree, TreeSystem},
    },
    linear, simplex,
    table::{Axes, MeasuredMargin, parts},
    tree,
};

use super::{
    Margins,
    data::{Draws, Geography},
};

/// A chain of levels whose last one has the cells of the leaves.
pub(crate) fn chain(geography: &Geography, epsilon: f64, draws: &mut Draws) -> Vec<f64> {
    let (nodes, table) = (geography.parents.len(), geography.table());
    let scale = (geography.levels().len() + 1) as f64 / epsilon;
    let mut parents = geography.parents.clone();
    let mut value: Vec<f64> = (0..nodes).map(|node| geography.margin(node, Axes::NONE, &geography.truth)[0]).collect();
    let leaves: Vec<usize> = (0..nodes).filter(|&node| geography.children(node).is_empty()).collect();
    for &leaf in &leaves {
        parents.extend(vec![Some(leaf as u32); table]);
        value.extend(&geography.truth[leaf * table..(leaf + 1) * table]);
    }
    value.iter_mut().for_each(|value| *value += draws.laplace(scale));
    let variance = vec![2.0 * scale * scale; value.len()];
    let system = TreeSystem::new(Tree::from_parents(&parents).expect("a tree"), value, variance).expect("numbers");
    let computed = tree::top_down(&system.nonnegative()).estimates;
    let mut cells = vec![0.0; nodes * table];
    for (place, &leaf) in leaves.iter().enumerate() {
        let own = &computed[nodes + place * table..nodes + (place + 1) * table];
        let mut node = Some(leaf as u32);
        while let Some(above) = node {
            let sums = &mut cells[above as usize * table..(above as usize + 1) * table];
            sums.iter_mut().zip(own).for_each(|(sum, cell)| *sum += cell);
            node = geography.parents[above as usize];
        }
    }
    cells
}

/// From the root down: each family by nonnegative least squares on estimates of its children, given the cells of
/// their parent.
pub(crate) fn down(geography: &Geography, said: impl Fn(usize) -> Margins) -> Vec<f64> {
    let table = geography.table();
    let mut cells = vec![0.0; geography.truth.len()];
    let root = least_squares(geography, &[said(0)], None);
    cells[..table].copy_from_slice(&root);
    for node in 0..geography.parents.len() {
        let children = geography.children(node);
        if children.is_empty() {
            continue;
        }
        let parent = cells[node * table..(node + 1) * table].to_vec();
        let said: Vec<Margins> = children.iter().map(|&child| said(child)).collect();
        let computed = least_squares(geography, &said, Some(&parent));
        for (child, computed) in children.iter().zip(computed.chunks_exact(table)) {
            cells[child * table..(child + 1) * table].copy_from_slice(computed);
        }
    }
    cells
}

/// Tables that are not negative, nearest to measured margins, and add up to a table if there is one.
fn least_squares(geography: &Geography, said: &[Margins], parent: Option<&[f64]>) -> Vec<f64> {
    let table = geography.table();
    let all = Axes::new(0..geography.sizes.len());
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    for margins in said {
        let own = margins.iter().find(|margin| margin.axes == all).expect("cells were measured");
        values.extend(&own.values);
        weights.extend(vec![own.variance.recip(); table]);
    }
    let (mut triplets, mut right, mut size) = (Vec::new(), Vec::new(), values.len());
    if let Some(parent) = parent {
        for child in 0..said.len() {
            triplets.extend((0..table).map(|cell| (cell, child * table + cell, 1.0)));
        }
        right.extend(parent);
    }
    for (child, margins) in said.iter().enumerate() {
        for margin in margins.iter().filter(|margin| margin.axes != all) {
            let parts = parts(&geography.sizes, all, margin.axes);
            triplets
                .extend(parts.iter().enumerate().map(|(cell, part)| (right.len() + part, child * table + cell, 1.0)));
            triplets.extend((0..margin.values.len()).map(|part| (right.len() + part, size + part, -1.0)));
            right.extend(vec![0.0; margin.values.len()]);
            size += margin.values.len();
            values.extend(&margin.values);
            weights.extend(vec![margin.variance.recip(); margin.values.len()]);
        }
    }
    let equalities = Rows::from_triplets(size, &triplets, right).expect("well-formed");
    let system = System { equalities, inequalities: Rows::none(size), bounds: Bounds::nonnegative() };
    // Weights of the size of one.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter_mut().for_each(|weight| *weight /= largest);
    let solution = linear::project(&values, &weights, &system).expect("well-formed");
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.certificate);
    solution.estimates[..said.len() * table].iter().map(|cell| cell.max(0.0)).collect()
}

/// The estimate of a node's table from its subtree, as margins: the linear fit from below, with variances that give
/// each component the weight it has.
pub(crate) fn blue_down(geography: &Geography, measured: &[Margins]) -> Vec<f64> {
    use inbounds_project::table::tree::{TableTree, linear};
    let below = |root: usize| {
        // The subtree of a node by itself: its own linear fit is what it says.
        let nodes: Vec<usize> = (0..geography.parents.len()).filter(|&node| is_below(geography, node, root)).collect();
        let place = |node: u32| nodes.iter().position(|&other| other == node as usize).map(|place| place as u32);
        let parents: Vec<Option<u32>> = nodes.iter().map(|&node| geography.parents[node].and_then(place)).collect();
        let own = nodes.iter().map(|&node| measured[node].clone()).collect();
        let tree = Tree::from_parents(&parents).expect("a subtree");
        let fit = linear(&TableTree::new(geography.sizes.clone(), tree, own).expect("a tree of tables"));
        let fit = fit.expect("nothing is exact");
        let subsets = Axes::new(0..geography.sizes.len()).subsets();
        let margins: Vec<_> = subsets.iter().map(|&axes| fit.margin(0, axes).expect("it is told")).collect();
        as_margins(
            &geography.sizes,
            &subsets,
            margins.into_iter().map(|margin| (margin.values, margin.variance)).collect(),
        )
    };
    down(geography, below)
}

fn is_below(geography: &Geography, node: usize, root: usize) -> bool {
    let mut at = Some(node as u32);
    while let Some(node) = at {
        if node as usize == root {
            return true;
        }
        at = geography.parents[node as usize];
    }
    false
}

/// Margins with variances whose squares add up to those of the components of a fit, as nearly as variances can that are
/// not negative.
fn as_margins(sizes: &[usize], subsets: &[Axes], fit: Vec<(Vec<f64>, f64)>) -> Margins {
    let cells = |axes: Axes| axes.iter().map(|axis| sizes[axis] as f64).product::<f64>();
    let off_mean = |axes: Axes| axes.iter().map(|axis| 1.0 - (sizes[axis] as f64).recip()).product::<f64>();
    // Of each component, smaller ones first: what is left of the variance of a cell once those before are taken away.
    let mut component = vec![0.0; subsets.len()];
    for (index, &axes) in subsets.iter().enumerate() {
        let part = |(other, variance): (&Axes, &f64)| {
            let even = cells(*other) / cells(axes);
            off_mean(*other) * even * even * variance
        };
        let before: f64 =
            subsets[..index].iter().zip(&component).filter(|(other, _)| axes.includes(**other)).map(part).sum();
        component[index] = (fit[index].1 - before) / off_mean(axes);
    }
    // Larger margins first: what they say of a component is not said by a smaller one.
    let mut weights = vec![0.0; subsets.len()];
    for index in (0..subsets.len()).rev() {
        let said = |other: usize| weights[other] * cells(subsets[index]) / cells(subsets[other]);
        let by_larger: f64 =
            (index + 1..subsets.len()).filter(|&other| subsets[other].includes(subsets[index])).map(said).sum();
        weights[index] = (component[index].recip() - by_larger).max(0.0);
    }
    let margins = subsets.iter().zip(fit).zip(weights).filter(|(_, weight)| *weight > 0.0);
    margins
        .map(|((axes, (values, _)), weight)| MeasuredMargin { axes: *axes, values, variance: weight.recip() })
        .collect()
}

/// The linear fit, of which each cell of a parent is divided among its children by itself.
pub(crate) fn by_cells(geography: &Geography, fit: &[f64]) -> Vec<f64> {
    let table = geography.table();
    let mut cells = fit.to_vec();
    cells[..table].iter_mut().for_each(|cell| *cell = cell.max(0.0));
    for node in 0..geography.parents.len() {
        let children = geography.children(node);
        for cell in 0..if children.is_empty() { 0 } else { table } {
            let values: Vec<f64> = children.iter().map(|child| fit[child * table + cell]).collect();
            let total = cells[node * table + cell];
            let computed = simplex::project(&values, &vec![1.0; values.len()], total, &Bounds::nonnegative());
            let computed = computed.expect("finite numbers").estimates;
            children.iter().zip(computed).for_each(|(child, computed)| cells[child * table + cell] = computed);
        }
    }
    cells
}
