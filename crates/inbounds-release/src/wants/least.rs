//! The least epsilon at which an error is small enough.

use inbounds_core::Epsilon;

use super::short_decimal::ShortDecimal;

/// An epsilon that was looked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Least {
    /// The least decimal of four digits at which the error is small enough; at the next lower one it is not.
    Found(Epsilon),
    /// At the largest epsilon that is tried the error is still this.
    Never { error: f64 },
}

/// The least epsilon at which `error` is at most `most`.
///
/// # Law
/// `error` falls as epsilon grows. For additive noise it is nearly `error(1) / epsilon`, which gives the first guess;
/// from there the decimals of four significant digits are searched outward until two are found between which the error
/// crosses `most`, and halved. Epsilons are exact, and the error at each is that of a statistic that was calibrated to
/// it.
///
/// # Errors
/// What `error` refuses.
pub(super) fn least<E>(most: f64, mut error: impl FnMut(&Epsilon) -> Result<f64, E>) -> Result<Least, E> {
    let mut guess = 1.0;
    for _ in 0..REFINEMENTS {
        let at = ShortDecimal::near(guess).epsilon();
        guess = at.value().to_f64() * error(&at)? / most;
        if !(guess.is_finite() && guess > 0.0) {
            guess = 1.0;
            break;
        }
    }
    let mut suffices = |rung: ShortDecimal| Ok(error(&rung.epsilon())? <= most);
    let (mut low, mut high) = (ShortDecimal::near(guess), ShortDecimal::near(guess));
    let mut stride = 1;
    if suffices(high)? {
        while suffices(low)? {
            if low == ShortDecimal::LOWEST {
                return Ok(Least::Found(low.epsilon()));
            }
            (high, low, stride) = (low, low.moved(-stride), 4 * stride);
        }
    } else {
        while !suffices(high)? {
            if high == ShortDecimal::HIGHEST {
                return Ok(Least::Never { error: error(&high.epsilon())? });
            }
            (low, high, stride) = (high, high.moved(stride), 4 * stride);
        }
    }
    while low.moved(1) < high {
        let middle = low.between(high);
        if suffices(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Least::Found(high.epsilon()))
}

/// Times that the first guess is refined.
const REFINEMENTS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn least_of(most: f64, error: impl Fn(f64) -> f64) -> (String, usize) {
        let mut asked = 0;
        let least = least(most, |epsilon| {
            asked += 1;
            Ok::<_, ()>(error(epsilon.value().to_f64()))
        });
        match least.expect("no error is refused") {
            Least::Found(epsilon) => (epsilon.to_string(), asked),
            Least::Never { error } => (format!("never, {error}"), asked),
        }
    }

    /// The least decimal for errors of several laws, in few evaluations.
    #[test]
    fn the_least_decimal_is_found() {
        assert_eq!(least_of(5.0, |epsilon| 2f64.sqrt() / epsilon).0, "0.2829");
        assert_eq!(least_of(0.01, |epsilon| (-epsilon).exp()).0, "4.606");
        assert_eq!(least_of(1e-3, |epsilon| 7.0 / epsilon.powi(2)).0, "83.67");
        assert!(least_of(5.0, |epsilon| 2f64.sqrt() / epsilon).1 <= 7);
        assert_eq!(least_of(1.0, |_| 0.0).0, "0.000000001");
        assert_eq!(least_of(1.0, |epsilon| 2.0 + 1.0 / epsilon).0, "never, 2.000001");
        // A step, as whole half widths make them.
        assert_eq!(least_of(10.0, |epsilon| (30.0 / epsilon).floor()).0, "2.728");
    }
}
