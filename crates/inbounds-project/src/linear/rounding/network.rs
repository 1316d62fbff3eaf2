//! Systems that are networks in disguise.
//!
//! **Idea.** If every column of `A` has one entry 1 and one entry -1, then `A x = b` says that the cells are arcs that
//! carry `x` from one node (row) to another, and `b` is what stays at each node. Whole `b` then allow whole flows
//! between the whole bounds of the arcs. Three structures can be brought to this form by adding and subtracting rows:
//! columns with two entries, by changing signs of rows; nested rows, by subtracting from a row the rows inside it;
//! consecutive entries, by subtracting from each row the one before it. An entry that stands alone leads to one more
//! node, the outside.
//!
//! **Invariant.** Each node's balance is a signed sum of stated rows, `members`, so that a cut in the network can be
//! named in the rows that the caller knows.

use std::collections::{BTreeSet, VecDeque};

use crate::{ProjectError, constraint::Rows};

/// Cells are arcs between nodes; a node's inflow less its outflow must be its demand.
pub(super) struct Network {
    /// The nodes between which each cell flows; `None` for a cell in no row.
    pub(super) arcs: Vec<Option<(usize, usize)>>,
    pub(super) demands: Vec<f64>,
    /// For each node the rows whose signed sum is its balance.
    members: Vec<Vec<usize>>,
}

impl Network {
    /// The rows from which the balance of several nodes together is made; a row that enters twice cancels.
    pub(super) fn rows_of(&self, nodes: &[usize]) -> Vec<usize> {
        let mut rows = BTreeSet::new();
        for &row in nodes.iter().flat_map(|&node| &self.members[node]) {
            if !rows.remove(&row) {
                rows.insert(row);
            }
        }
        rows.into_iter().collect()
    }

    /// Cells at these rows and columns, each between its column and its row, with sums of the rows and of the columns.
    pub(super) fn of_sheet(places: &[[u32; 2]], [rows, columns]: [&[f64]; 2]) -> Self {
        let arc = |&[row, column]: &[u32; 2]| Some((rows.len() + column as usize, row as usize));
        let demands: Vec<f64> = rows.iter().copied().chain(columns.iter().map(|sum| -sum)).collect();
        Self {
            arcs: places.iter().map(arc).collect(),
            members: (0..demands.len()).map(|node| vec![node]).collect(),
            demands,
        }
    }

    /// The network with one more node, the outside, which balances the others.
    fn closed(arcs: Vec<Option<(usize, usize)>>, mut demands: Vec<f64>, mut members: Vec<Vec<usize>>) -> Self {
        demands.push(-demands.iter().sum::<f64>());
        let open = Self { arcs, demands, members: members.clone() };
        members.push(open.rows_of(&(0..members.len()).collect::<Vec<_>>()));
        Self { members, ..open }
    }
}

/// Finds the network that a system is.
///
/// # Errors
/// [`ProjectError::NotUnimodular`], saying why each of the three structures is ruled out.
pub(super) fn recognise(rows: &Rows) -> Result<Network, ProjectError> {
    let mut columns = vec![Vec::new(); rows.columns()];
    for i in 0..rows.len() {
        for &(column, a) in rows.row(i) {
            if a.abs() != 1.0 {
                let reason = format!("the coefficient in row {i}, column {column} is {a}, not 1 or -1");
                return Err(ProjectError::NotUnimodular { reason });
            }
            columns[column].push((i, a));
        }
    }
    let refuse = |[two, nested, consecutive]: [String; 3]| ProjectError::NotUnimodular {
        reason: format!("{two}; {nested}; {consecutive}"),
    };
    two_entries(rows, &columns).or_else(|two| {
        nested(rows).or_else(|nested| {
            self::consecutive(rows, &columns).map_err(|consecutive| refuse([two, nested, consecutive]))
        })
    })
}

/// Every column has at most two entries, which differ after changing the signs of some rows.
fn two_entries(rows: &Rows, columns: &[Vec<(usize, f64)>]) -> Result<Network, String> {
    if let Some(column) = columns.iter().position(|column| column.len() > 2) {
        return Err(format!("column {column} has more than two entries"));
    }
    let signs = row_signs(rows, columns)?;
    let outside = rows.len();
    let arc = |column: &Vec<(usize, f64)>| {
        let end = |sign: f64| column.iter().find(|&&(row, a)| a * signs[row] == sign).map_or(outside, |&(row, _)| row);
        (!column.is_empty()).then(|| (end(-1.0), end(1.0)))
    };
    let demands = rows.right().iter().zip(&signs).map(|(b, sign)| b * sign).collect();
    let members = (0..rows.len()).map(|row| vec![row]).collect();
    Ok(Network::closed(columns.iter().map(arc).collect(), demands, members))
}

/// Signs of the rows after which no column has two equal entries.
fn row_signs(rows: &Rows, columns: &[Vec<(usize, f64)>]) -> Result<Vec<f64>, String> {
    let mut signs = vec![0.0; rows.len()];
    for start in 0..rows.len() {
        if signs[start] != 0.0 {
            continue;
        }
        signs[start] = 1.0;
        let mut queue = VecDeque::from([start]);
        while let Some(row) = queue.pop_front() {
            for &(column, a) in rows.row(row) {
                for &(other, b) in columns[column].iter().filter(|&&(other, _)| other != row) {
                    let wanted = -signs[row] * a * b;
                    if signs[other] == 0.0 {
                        signs[other] = wanted;
                        queue.push_back(other);
                    } else if signs[other] != wanted {
                        return Err(format!("no signs of the rows make the two entries of column {column} differ"));
                    }
                }
            }
        }
    }
    Ok(signs)
}

/// Rows of one sign, any two disjoint or one inside the other: a row less the rows inside it meets cells of its own.
fn nested(rows: &Rows) -> Result<Network, String> {
    let mut by_size: Vec<usize> = (0..rows.len()).collect();
    by_size.sort_by_key(|&i| std::cmp::Reverse(rows.row(i).len()));
    let mut innermost: Vec<Option<usize>> = vec![None; rows.columns()];
    let mut demands = vec![0.0; rows.len()];
    let mut members: Vec<Vec<usize>> = (0..rows.len()).map(|row| vec![row]).collect();
    for row in by_size {
        let Some(&(first, sign)) = rows.row(row).first() else {
            demands[row] = rows.right()[row];
            continue;
        };
        if rows.row(row).iter().any(|&(_, a)| a != sign) {
            return Err(format!("row {row} has entries of both signs"));
        }
        let around = innermost[first];
        if rows.row(row).iter().any(|&(cell, _)| innermost[cell] != around) {
            return Err(format!("row {row} overlaps another row without being inside it"));
        }
        demands[row] += sign * rows.right()[row];
        if let Some(around) = around {
            demands[around] -= sign * rows.right()[row];
            members[around].push(row);
        }
        rows.row(row).iter().for_each(|&(cell, _)| innermost[cell] = Some(row));
    }
    let outside = rows.len();
    let arcs = innermost.iter().map(|row| row.map(|row| (outside, row))).collect();
    Ok(Network::closed(arcs, demands, members))
}

/// Columns of one sign with entries in consecutive rows: each row less the one before it.
fn consecutive(rows: &Rows, columns: &[Vec<(usize, f64)>]) -> Result<Network, String> {
    let mut arcs = Vec::with_capacity(columns.len());
    for (cell, column) in columns.iter().enumerate() {
        let (Some(&(first, sign)), Some(&(last, _))) = (column.first(), column.last()) else {
            arcs.push(None);
            continue;
        };
        if last - first + 1 != column.len() || column.iter().any(|&(_, a)| a != sign) {
            return Err(format!("the entries of column {cell} are not consecutive with one sign"));
        }
        arcs.push(Some(if sign > 0.0 { (last + 1, first) } else { (first, last + 1) }));
    }
    let right = |i: usize| rows.right().get(i).copied().unwrap_or(0.0);
    let demands = (0..=rows.len()).map(|i| right(i) - if i > 0 { right(i - 1) } else { 0.0 }).collect();
    let members = (0..=rows.len()).map(|i| (i.saturating_sub(1)..rows.len().min(i + 1)).collect()).collect();
    Ok(Network { arcs, demands, members })
}
