//! Which nodes of a linear system stand side by side: a total, its margins, the cells.
//!
//! An equality says that a node is a sum where that node alone has its sign, among three or more, and the side is zero.
//! A node that is a sum is as far down as the longest way to it from a sum that is part of none; all that are no sums,
//! cells and nodes without equalities, come after every sum. Sums of each other, round and round, count as no sums.

use crate::projection::row::{Row, Sense};

/// Group of each node, coarsest sums first, numbered without gaps.
pub(super) fn groups(nodes: usize, rows: &[Row]) -> Vec<u32> {
    let sums: Vec<(usize, Vec<usize>)> = rows.iter().filter_map(sum).collect();
    let mut sums_of: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut waiting = vec![0_usize; nodes];
    for (index, (_, terms)) in sums.iter().enumerate() {
        sums_of[sums[index].0].push(index);
        terms.iter().for_each(|&term| waiting[term] += 1);
    }
    // Sums first, each before its terms: what is on a circle is never reached.
    let mut ready: Vec<usize> = (0..nodes).filter(|&node| waiting[node] == 0 && !sums_of[node].is_empty()).collect();
    let mut depth: Vec<Option<u32>> = vec![None; nodes];
    let mut way = vec![0_u32; nodes];
    while let Some(node) = ready.pop() {
        depth[node] = Some(way[node]);
        for &term in sums_of[node].iter().flat_map(|&index| &sums[index].1) {
            way[term] = way[term].max(way[node] + 1);
            waiting[term] -= 1;
            if waiting[term] == 0 && !sums_of[term].is_empty() {
                ready.push(term);
            }
        }
    }
    let last = depth.iter().flatten().max().map_or(0, |deepest| deepest + 1);
    depth.into_iter().map(|depth| depth.unwrap_or(last)).collect()
}

/// The node that a row says is a sum, with what it is the sum of.
fn sum(row: &Row) -> Option<(usize, Vec<usize>)> {
    if row.sense != Sense::Equal || row.side != 0.0 || row.terms.len() < 3 {
        return None;
    }
    let positive = |&&(_, coefficient): &&(u32, f64)| coefficient > 0.0;
    let alone = match row.terms.iter().filter(positive).count() {
        1 => true,
        count if count + 1 == row.terms.len() => false,
        _ => return None,
    };
    let is_sum = |(_, coefficient): &(u32, f64)| (*coefficient > 0.0) == alone;
    let (sum, terms): (Vec<_>, Vec<_>) = row.terms.iter().copied().partition(is_sum);
    Some((sum[0].0 as usize, terms.into_iter().map(|(node, _)| node as usize).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(sum: u32, terms: &[u32], sign: f64) -> Row {
        let terms = terms.iter().map(|&term| (term, -sign)).chain([(sum, sign)]).collect();
        Row::stated(String::new(), terms, Sense::Equal, 0.0)
    }

    #[test]
    fn a_table_has_its_total_its_margins_and_its_cells() {
        // Total 0, rows 1 and 2, columns 3 and 4, cells 5 to 8; 9 is in no equality.
        let rows = [
            row(0, &[1, 2], 1.0),
            row(0, &[3, 4], -1.0),
            row(1, &[5, 6], 1.0),
            row(2, &[7, 8], 1.0),
            row(3, &[5, 7], 2.0),
            row(4, &[6, 8], 1.0),
        ];
        assert_eq!(groups(10, &rows), [0, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn what_states_no_sum_is_one_group() {
        let stated = |sense, side| Row::stated(String::new(), vec![(0, 1.0), (1, -1.0), (2, -1.0)], sense, side);
        assert_eq!(groups(3, &[stated(Sense::AtMost, 0.0), stated(Sense::Equal, 3.0)]), [0, 0, 0]);
        // Two sums of each other are on a circle.
        assert_eq!(groups(4, &[row(0, &[1, 2], 1.0), row(1, &[0, 3], 1.0)]), [0, 0, 0, 0]);
    }
}
