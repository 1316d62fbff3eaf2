//! Proofs that a polynomial is nowhere negative on the unit interval.

use inbounds_core::Enclosure;

/// Pieces after which a proof is given up: the polynomial is then negative, or closer to zero than the proof resolves.
const MOST_PIECES: usize = 4096;

/// Proves `sum_k c_k x^k >= 0` for all `x` in `[0, 1]`.
///
/// On a piece the polynomial lies in the convex hull of its Bernstein coefficients; a piece whose coefficients are not
/// all certainly nonnegative is halved (de Casteljau), until they are, or an end value shows that there is no proof.
pub(super) fn is_nonnegative(coefficients: &[Enclosure]) -> bool {
    let mut pieces = vec![bernstein(coefficients)];
    for _ in 0..MOST_PIECES {
        let Some(piece) = pieces.pop() else { return true };
        if piece.iter().all(Enclosure::is_certainly_nonnegative) {
            continue;
        }
        let ends = [&piece[0], &piece[piece.len() - 1]];
        if ends.iter().any(|end| !end.is_certainly_nonnegative()) {
            return false;
        }
        pieces.extend(halves(piece));
    }
    false
}

/// Bernstein coefficients, all times the same whole number: `b_j = sum_{i <= j} choose(j, i) / choose(n, i) c_i`.
fn bernstein(coefficients: &[Enclosure]) -> Vec<Enclosure> {
    let degree = coefficients.len() as u64 - 1;
    let common = (0..=degree).map(|i| choose(degree, i)).fold(1, least_common_multiple);
    let scaled: Vec<Enclosure> =
        coefficients.iter().zip(0..).map(|(c, i)| c.times(common / choose(degree, i))).collect();
    let coefficient = |j: u64| {
        let terms = scaled.iter().zip(0..=j).map(|(c, i)| c.times(choose(j, i)));
        terms.reduce(|sum, term| sum.add(&term)).expect("at least one coefficient")
    };
    (0..=degree).map(coefficient).collect()
}

/// The coefficients on the two halves of a piece.
fn halves(mut row: Vec<Enclosure>) -> [Vec<Enclosure>; 2] {
    let (mut left, mut right) = (Vec::with_capacity(row.len()), Vec::with_capacity(row.len()));
    while let (Some(first), Some(last)) = (row.first(), row.last()) {
        left.push(first.clone());
        right.push(last.clone());
        row = row.windows(2).map(|pair| pair[0].add(&pair[1]).half()).collect();
    }
    right.reverse();
    [left, right]
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use inbounds_core::Rational;

    use super::*;

    fn polynomial(coefficients: &[&str]) -> Vec<Enclosure> {
        coefficients.iter().map(|c| Enclosure::from_rational(&c.parse::<Rational>().expect(c), 256)).collect()
    }

    #[test]
    fn near_double_roots_are_told_apart() {
        // (x - 1/3)^2 plus or minus 1e-12.
        let (above, below) = ("0.111111111112112", "0.111111111110111");
        assert!(is_nonnegative(&polynomial(&[above, "-2/3", "1"])));
        assert!(!is_nonnegative(&polynomial(&[below, "-2/3", "1"])));
    }

    #[test]
    fn high_degrees_and_ends() {
        // 1 - x^8 is zero at one; x - x^9 / 2 is positive inside.
        assert!(is_nonnegative(&polynomial(&["1", "0", "0", "0", "0", "0", "0", "0", "-1"])));
        assert!(!is_nonnegative(&polynomial(&["1", "0", "0", "0", "0", "0", "0", "0", "-1.0001"])));
        assert!(is_nonnegative(&polynomial(&["0", "1", "0", "0", "0", "0", "0", "0", "0", "-0.5"])));
    }
}
