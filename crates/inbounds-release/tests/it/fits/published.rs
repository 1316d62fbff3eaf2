//! Fits that others have published, for one count a node, written for comparison.

use super::hierarchies::Hierarchy;

/// Each family in turn, from the measurements as they are: the nearest numbers at zero or above that add up to their
/// parent. What TopDown does within a family (Abowd et al., 2022).
pub(super) fn sequential(hierarchy: &Hierarchy, value: &[f64]) -> Vec<f64> {
    by_family(hierarchy, value, value[0].max(0.0), nearest)
}

/// Each family in turn, in whole numbers: the largest change of a child is made least, as InfTDA does.
pub(super) fn chebyshev(hierarchy: &Hierarchy, value: &[f64]) -> Vec<f64> {
    by_family(hierarchy, value, value[0].round().max(0.0), least_change)
}

fn by_family(hierarchy: &Hierarchy, value: &[f64], root: f64, divide: impl Fn(&[f64], f64) -> Vec<f64>) -> Vec<f64> {
    let mut estimates = vec![root];
    let mut begin = 1;
    for parent in 0..hierarchy.begins[hierarchy.levels() - 1] {
        let family = hierarchy.parents[begin..].iter().take_while(|own| **own == Some(parent as u32)).count();
        estimates.extend(divide(&value[begin..begin + family], estimates[parent]));
        begin += family;
    }
    estimates
}

/// The projection onto the simplex of a total, by sorting.
fn nearest(value: &[f64], total: f64) -> Vec<f64> {
    let mut sorted = value.to_vec();
    sorted.sort_unstable_by(|one, other| other.total_cmp(one));
    let (mut sum, mut price) = (0.0, f64::INFINITY);
    for (place, value) in sorted.iter().enumerate() {
        sum += value;
        let next = (sum - total) / (place + 1) as f64;
        if *value <= next {
            break;
        }
        price = next;
    }
    value.iter().map(|value| if total > 0.0 { (value - price).max(0.0) } else { 0.0 }).collect()
}

/// Whole numbers at zero or above with a total, no further from whole values than the least distance that allows it;
/// what is too much is taken from the smallest first.
fn least_change(value: &[f64], total: f64) -> Vec<f64> {
    if total <= 0.0 {
        return vec![0.0; value.len()];
    }
    let missing = total - value.iter().sum::<f64>();
    let level = (missing / value.len() as f64).ceil();
    let mut change: Vec<f64> = value.iter().map(|value| level.max(-value)).collect();
    let lowest = |most: f64| value.iter().map(|value| (-value).max(-most)).sum::<f64>();
    let mut most = change.iter().fold(0.0_f64, |most, change| most.max(change.abs()));
    if lowest(most) > missing {
        let (mut below, mut above) = (most, most + 1.0);
        while lowest(above) > missing {
            above = 2.0 * above + 1.0;
        }
        while above - below > 1.0 {
            let middle = ((below + above) / 2.0).floor();
            if lowest(middle) <= missing { above = middle } else { below = middle }
        }
        most = above;
    }
    let mut excess = change.iter().sum::<f64>() - missing;
    let mut order: Vec<usize> = (0..value.len()).collect();
    order.sort_by(|&one, &other| value[one].total_cmp(&value[other]));
    for child in order {
        let cut = (change[child] - (-value[child]).max(-most)).min(excess).max(0.0);
        change[child] -= cut;
        excess -= cut;
    }
    value.iter().zip(change).map(|(value, change)| value + change).collect()
}

#[test]
fn families_are_divided_as_by_hand() {
    assert_eq!(nearest(&[3.0, -2.0, 1.0], 2.0), [2.0, 0.0, 0.0]);
    assert_eq!(nearest(&[3.0, 1.0], 6.0), [4.0, 2.0]);
    assert_eq!(nearest(&[3.0, 1.0], 0.0), [0.0, 0.0]);
    // Three too much in all: one of each, and not below zero.
    assert_eq!(least_change(&[5.0, 4.0, 3.0], 9.0), [4.0, 3.0, 2.0]);
    assert_eq!(least_change(&[5.0, -1.0, 0.0], 3.0).iter().sum::<f64>(), 3.0);
    assert_eq!(least_change(&[2.0, 2.0], 5.0).iter().sum::<f64>(), 5.0);
}
