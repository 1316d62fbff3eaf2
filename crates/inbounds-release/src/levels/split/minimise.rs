//! A smooth function of few variables made small.
//!
//! The method of Broyden, Fletcher, Goldfarb and Shanno with differences for derivatives: the inverse of the second
//! derivative is learned from steps and changes of the gradient. A step is halved until the function falls, so its
//! domain may end where it is infinite, and every point that is returned is at least as good as the start.

/// Step of differences, in each variable.
const DIFFERENCE: f64 = 1e-5;
/// Steps at most.
const STEPS: usize = 200;
/// Halvings of a step at most.
const HALVINGS: usize = 40;
/// A fall so small ends the search.
const ENOUGH: f64 = 1e-10;

/// A point near a local minimum. The start must be where the function is finite; `done` ends the search early.
pub(super) fn minimise(f: impl Fn(&[f64]) -> f64, start: Vec<f64>, done: impl Fn(&[f64]) -> bool) -> Vec<f64> {
    let n = start.len();
    let (mut x, mut at) = (start, 0.0);
    let mut inverse = identity(n);
    let mut slope = Vec::new();
    for step in 0..STEPS {
        if step == 0 {
            (at, slope) = (f(&x), gradient(&f, &x));
        }
        if done(&x) {
            break;
        }
        let mut way: Vec<f64> = inverse.iter().map(|row| -dot(row, &slope)).collect();
        if dot(&way, &slope) >= 0.0 {
            inverse = identity(n);
            way = slope.iter().map(|slope| -slope).collect();
        }
        let longest = way.iter().fold(1.0_f64, |longest, part| longest.max(part.abs()));
        way.iter_mut().for_each(|part| *part /= longest);
        let Some((next, lower)) = lower(&f, (&x, at), &way, dot(&way, &slope)) else { break };
        let after = gradient(&f, &next);
        let moved: Vec<f64> = next.iter().zip(&x).map(|(to, from)| to - from).collect();
        let bent: Vec<f64> = after.iter().zip(&slope).map(|(to, from)| to - from).collect();
        learn(&mut inverse, &moved, &bent);
        let fall = at - lower;
        (x, at, slope) = (next, lower, after);
        if fall < ENOUGH {
            break;
        }
    }
    x
}

/// The first point along the way, halved again and again, at which the function has fallen as much as its slope
/// promises.
fn lower(f: &impl Fn(&[f64]) -> f64, (x, at): (&[f64], f64), way: &[f64], slope: f64) -> Option<(Vec<f64>, f64)> {
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let next: Vec<f64> = x.iter().zip(way).map(|(x, way)| x + length * way).collect();
        let next_value = f(&next);
        if next_value <= at + 1e-4 * length * slope {
            return Some((next, next_value));
        }
        length *= 0.5;
    }
    None
}

/// Central differences, one-sided where the function ends.
fn gradient(f: &impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let part = |variable: usize| {
        let shifted = |by: f64| {
            let mut x = x.to_vec();
            x[variable] += by;
            f(&x)
        };
        let (below, above) = (shifted(-DIFFERENCE), shifted(DIFFERENCE));
        match (below.is_finite(), above.is_finite()) {
            (true, true) => (above - below) / (2.0 * DIFFERENCE),
            (false, true) => (above - f(x)) / DIFFERENCE,
            (true, false) => (f(x) - below) / DIFFERENCE,
            (false, false) => 0.0,
        }
    };
    (0..x.len()).map(part).collect()
}

/// The inverse of the second derivative that takes this change of the gradient to this step, nearest to the one before.
fn learn(inverse: &mut [Vec<f64>], moved: &[f64], bent: &[f64]) {
    let along = dot(moved, bent);
    if along <= 1e-14 {
        return;
    }
    let taken: Vec<f64> = inverse.iter().map(|row| dot(row, bent)).collect();
    let scale = 1.0 + dot(&taken, bent) / along;
    for (row, entries) in inverse.iter_mut().enumerate() {
        for (column, entry) in entries.iter_mut().enumerate() {
            let mixed = taken[row] * moved[column] + moved[row] * taken[column];
            *entry += (scale * moved[row] * moved[column] - mixed) / along;
        }
    }
}

fn identity(n: usize) -> Vec<Vec<f64>> {
    (0..n).map(|row| (0..n).map(|column| f64::from(u8::from(row == column))).collect()).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_found_inside_the_domain() {
        // Rosenbrock's valley, with a minimum at (1, 1).
        let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
        let minimum = minimise(valley, vec![-1.2, 1.0], |_| false);
        assert!((minimum[0] - 1.0).abs() < 1e-3 && (minimum[1] - 1.0).abs() < 1e-3, "{minimum:?}");
        // Infinite at and below zero: the minimum of x - ln x is 1.
        let wall = |x: &[f64]| if x[0] > 0.0 { x[0] - x[0].ln() } else { f64::INFINITY };
        let minimum = minimise(wall, vec![9.0], |_| false);
        assert!((minimum[0] - 1.0).abs() < 1e-4, "{minimum:?}");
        assert!(minimise(wall, vec![9.0], |x| x[0] < 5.0)[0] > 1.1);
    }
}
