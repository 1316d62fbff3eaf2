//! **Not private.** The fixed point operator and Algorithm 1, in doubles, exactly as printed.

/// The two forms in which the paper writes `DeltaC(b)`. In real numbers they are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Definition 3.4 with Lemma 3.2: one mass inside the domain over another.
    Masses,
    /// Appendix A.5: the quotient with the halves multiplied out.
    Quotient,
}

impl Form {
    pub(super) const ALL: [Self; 2] = [Self::Masses, Self::Quotient];

    /// Its name in tables and pictures.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Masses => "DeltaC of Definition 3.4",
            Self::Quotient => "DeltaC of A.5",
        }
    }

    /// `DeltaC(b)` for the sensitivity `d` on a domain of some width.
    pub(super) fn mass_ratio(self, scale: f64, d: f64, width: f64) -> f64 {
        let gone = |length: f64| libm::exp(-length / scale);
        match self {
            Self::Masses => mass(scale, d, width) / mass(scale, 0.0, width),
            Self::Quotient => (2.0 - gone(d) - gone(width - d)) / (1.0 - gone(width)),
        }
    }

    /// `f(b)`, for `delta = 0`.
    pub(super) fn f(self, scale: f64, epsilon: f64, d: f64, width: f64) -> f64 {
        d / (epsilon - libm::log(self.mass_ratio(scale, d, width)))
    }
}

/// Lemma 3.2: the mass `C_q` inside the domain for the answer `q` from its lower end.
pub(super) fn mass(scale: f64, q: f64, width: f64) -> f64 {
    1.0 - 0.5 * (libm::exp(-q / scale) + libm::exp(-(width - q) / scale))
}

/// Algorithm 1 for `delta = 0`: bisection from `intervalSize <- (left + right) x 2` until the interval shrinks no
/// more, then its last midpoint `b`.
///
/// None where the loop is not entered: then the printed algorithm returns a `b` that it never set.
pub(super) fn algorithm_1(form: Form, epsilon: f64, d: f64, width: f64) -> Option<f64> {
    let f = |b: f64| form.f(b, epsilon, d, width);
    let mut left = d / epsilon;
    let mut right = f(left);
    let mut interval_size = (left + right) * 2.0;
    let mut scale = None;
    while interval_size > right - left {
        interval_size = right - left;
        let b = (left + right) / 2.0;
        if f(b) >= b {
            left = b;
        }
        if f(b) <= b {
            right = b;
        }
        scale = Some(b);
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_the_same_in_real_numbers() {
        for (scale, d, width) in [(0.5, 1.0, 10.0), (3.0, 0.2, 1.0), (1.0, 1.0, 1.0)] {
            let [masses, quotient] = Form::ALL.map(|form| form.mass_ratio(scale, d, width));
            assert!((masses / quotient - 1.0).abs() < 1e-13, "{masses} {quotient}");
        }
    }

    /// A right end that is infinite never lets the loop begin.
    #[test]
    fn what_is_never_set_is_not_returned() {
        assert!(algorithm_1(Form::Quotient, 1.0, 1.0, 10.0).is_some());
        let undefined = (0..2_000).map(|step| 1e-10 * 1.002f64.powi(step));
        let undefined = undefined.filter(|&epsilon| algorithm_1(Form::Quotient, epsilon, 1.0, 10.0).is_none());
        assert!(undefined.count() > 0);
    }
}
