//! Dense solutions of small systems, by other means than passes along the tree.

use super::systems::Case;

/// Solves `matrix * x = right` by elimination with complete pivoting; dependent columns get zero. None if inconsistent.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    let most = matrix.iter().flatten().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    let scale = right.iter().fold(most, |most, entry| most.max(entry.abs()));
    let mut pivots = Vec::new();
    for step in 0..size {
        let (row, column) = (step..size)
            .flat_map(|row| (0..size).map(move |column| (row, column)))
            .filter(|(_, column)| !pivots.contains(column))
            .max_by(|one, other| matrix[one.0][one.1].abs().total_cmp(&matrix[other.0][other.1].abs()))?;
        if matrix[row][column].abs() <= 1e-11 * most {
            break;
        }
        matrix.swap(step, row);
        right.swap(step, row);
        pivots.push(column);
        for other in (0..size).filter(|&other| other != step) {
            let factor = matrix[other][column] / matrix[step][column];
            if factor != 0.0 {
                let pivot = matrix[step].clone();
                matrix[other].iter_mut().zip(&pivot).for_each(|(entry, pivot)| *entry -= factor * pivot);
                right[other] -= factor * right[step];
            }
        }
    }
    if right[pivots.len()..].iter().any(|rest| rest.abs() > 1e-9 * scale) {
        return None;
    }
    let mut solution = vec![0.0; size];
    for (row, &column) in pivots.iter().enumerate() {
        solution[column] = right[row] / matrix[row][column];
    }
    Some(solution)
}

/// Least squares over the leaves with some nodes held at given sums; estimates of all nodes.
pub(crate) fn held(case: &Case, holds: &[(usize, f64)]) -> Option<Vec<f64>> {
    let leaves = case.leaves();
    let nodes = case.parents.len();
    let below = |leaf: usize, node: usize| f64::from(u8::from(case.below(leaf, node)));
    let size = leaves.len() + holds.len();
    let (mut matrix, mut right) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    let weight = |node: usize| if case.variance[node] > 0.0 { 1.0 / case.variance[node] } else { 0.0 };
    for (row, &one) in leaves.iter().enumerate() {
        for node in 0..nodes {
            right[row] += weight(node) * below(one, node) * if weight(node) > 0.0 { case.value[node] } else { 0.0 };
        }
        for (column, &other) in leaves.iter().enumerate() {
            matrix[row][column] = (0..nodes).map(|node| weight(node) * below(one, node) * below(other, node)).sum();
        }
        for (index, &(node, _)) in holds.iter().enumerate() {
            matrix[row][leaves.len() + index] = below(one, node);
            matrix[leaves.len() + index][row] = below(one, node);
        }
    }
    for (index, &(_, sum)) in holds.iter().enumerate() {
        right[leaves.len() + index] = sum;
    }
    let solution = solve(matrix, right)?;
    let sum = |node: usize| leaves.iter().zip(&solution).map(|(&leaf, part)| below(leaf, node) * part).sum();
    Some((0..nodes).map(sum).collect())
}

/// Nodes known exactly, with their values.
pub(crate) fn invariants(case: &Case) -> Vec<(usize, f64)> {
    (0..case.parents.len()).filter(|&node| case.variance[node] == 0.0).map(|node| (node, case.value[node])).collect()
}

/// The least objective over all choices of bounds attained, for a feasible case of few nodes.
pub(crate) fn least_objective(case: &Case) -> f64 {
    let bounds: Vec<(usize, f64)> = (0..case.parents.len())
        .filter(|&node| case.variance[node] > 0.0)
        .flat_map(|node| [(node, case.lower[node]), (node, case.upper[node])])
        .filter(|(node, bound)| bound.is_finite() && (case.boxes || case.leaves().contains(node)))
        .collect();
    let system = case.system();
    let (slack, mut least) = (1e-9 * (1.0 + largest(&case.value)), f64::INFINITY);
    for choice in 0..1_u32 << bounds.len() {
        let chosen = bounds.iter().enumerate().filter(|(index, _)| choice >> index & 1 == 1).map(|(_, bound)| *bound);
        let mut holds = invariants(case);
        holds.extend(chosen);
        let Some(computed) = held(case, &holds) else { continue };
        let inside =
            |node: usize| computed[node] >= case.lower[node] - slack && computed[node] <= case.upper[node] + slack;
        if (0..computed.len()).all(inside) {
            least = least.min(system.objective(&computed).expect("one for each node"));
        }
    }
    least
}

pub(crate) fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, number| most.max(number.abs()))
}
