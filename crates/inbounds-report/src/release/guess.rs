//! What a guarantee means to somebody who guesses.

/// The probability, in percent, with which anyone guesses right which of two neighbouring answers was released from, both being
/// equally likely beforehand.
///
/// # Guarantee
/// Under `P(S) <= e^epsilon Q(S) + delta` both ways, at most `(e^epsilon + delta) / (1 + e^epsilon)`. Who answers the second on
/// an event `S` errs with probabilities `a = P(S)` and `b = 1 - Q(S)`. The guarantee for `S` and for what is not `S` gives
/// `1 - b <= e^epsilon a + delta` and `1 - a <= e^epsilon b + delta`; added up, `a + b >= 2 (1 - delta) / (1 + e^epsilon)`, and
/// the guess is right with probability `1 - (a + b) / 2`. Claim: `guess-right`.
///
/// Rounded upward to a tenth of a percent. `epsilon` and `delta` are upper bounds of the exact ones.
pub(super) fn percent(epsilon: f64, delta: f64) -> f64 {
    let factor = libm::exp(epsilon).next_up();
    let right = if factor.is_finite() { ((factor + delta) / (1.0 + factor)).next_up() } else { 1.0 };
    (1000.0 * right).ceil().min(1000.0) / 10.0
}

#[cfg(test)]
mod tests {
    use super::percent;

    /// The best guess between two laws, by trying every event.
    fn best_guess(p: &[f64], q: &[f64]) -> f64 {
        let right = |event: usize| -> f64 {
            let weigh = |(index, (p, q)): (usize, (&f64, &f64))| if event >> index & 1 == 1 { *q } else { *p };
            p.iter().zip(q).enumerate().map(weigh).sum::<f64>() / 2.0
        };
        (0..1 << p.len()).map(right).fold(0.0, f64::max)
    }

    /// The pair of laws that uses a guarantee up: with probability `delta` the answer itself, else one of two in the ratio
    /// `e^epsilon`.
    fn extremes(epsilon: f64, delta: f64) -> [[f64; 4]; 2] {
        let (more, less) = (libm::exp(epsilon), 1.0);
        let part = (1.0 - delta) / (more + less);
        [[delta, more * part, less * part, 0.0], [0.0, less * part, more * part, delta]]
    }

    #[test]
    fn no_guess_is_better_and_the_best_is_as_good() {
        for epsilon in [0.0, 0.01, 0.5, 1.0, 2.0, 8.0] {
            for delta in [0.0, 1e-6, 0.01, 0.3] {
                let [p, q] = extremes(epsilon, delta);
                let (best, told) = (100.0 * best_guess(&p, &q), percent(epsilon, delta));
                assert!(best <= told && told - best <= 0.1 + 1e-9, "{epsilon}, {delta}: {best} and {told}");
            }
        }
    }

    #[test]
    fn huge_epsilons_promise_nothing() {
        assert_eq!([percent(1e6, 0.0), percent(700.0, 0.5), percent(0.0, 1.0)], [100.0; 3]);
    }
}
