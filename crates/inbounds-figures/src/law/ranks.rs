//! Places among numbers, by what pairs of them rule out.

/// The least and the largest place that each of several numbers can have, the largest number having place 1.
///
/// # Law
/// `radius(i, j)` is a deviation that the noise of `m_i - m_j` exceeds, to one side, with a chance of `a`. It is said
/// that `q_i` is not below `q_j` where `m_i - m_j` is larger. Of the two things that may be said of a pair one is wrong
/// at most, so a pair is wrong with a chance of at most `a`. The place of one of `m` numbers depends on `m - 1` pairs:
/// it is in its interval but for a chance of `(m - 1) a`. All places are but for `m (m - 1) / 2` times `a`. Claim:
/// `figure-ranks`.
///
/// # Errors
/// Those of `radius`.
///
/// # Example
/// ```
/// use inbounds_figures::law::places;
/// let found = places::<()>(&[90.0, 50.0, 47.0, 2.0], |_, _| Ok(10.0));
/// assert_eq!(found, Ok(vec![(1, 1), (2, 3), (2, 3), (4, 4)]));
/// ```
pub fn places<E>(
    measured: &[f64],
    mut radius: impl FnMut(usize, usize) -> Result<f64, E>,
) -> Result<Vec<(usize, usize)>, E> {
    let count = measured.len();
    let mut places = vec![(1, count); count];
    for (one, value) in measured.iter().enumerate() {
        for (other, before) in measured[..one].iter().enumerate() {
            let (more, radius) = (value - before, radius(one, other)?);
            let (above, below) = match () {
                () if more > radius => (one, other),
                () if more < -radius => (other, one),
                () => continue,
            };
            places[below].0 += 1;
            places[above].1 -= 1;
        }
    }
    Ok(places)
}
