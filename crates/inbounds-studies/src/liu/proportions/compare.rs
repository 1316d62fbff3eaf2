//! Checks that compare cells of the design, and findings made of them.

use super::{
    super::{
        estimate::{Estimate, difference, quotient},
        mechanism::Mechanism,
    },
    procedure::Procedure,
    results::{Errors, Results, SINGLES, Setting, TARGETS},
};
use crate::{Check, Findings};

/// A measure of errors, without sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// The absolute bias.
    Bias,
    /// The root mean square error.
    Rmse,
    /// Share of intervals that miss.
    Misses,
}

impl Measure {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bias => "absolute bias",
            Self::Rmse => "RMSE",
            Self::Misses => "missed coverage",
        }
    }

    /// Value of the measure for errors; more is worse.
    pub(super) fn evaluate(self, errors: &Errors) -> Estimate {
        match self {
            Self::Bias => (errors.bias().0.abs(), errors.bias().1),
            Self::Rmse => errors.rmse(),
            Self::Misses => (1.0 - errors.coverage().0, errors.coverage().1),
        }
    }
}

/// A cell of the design, its procedure left open.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) rows: u32,
    pub(super) epsilon: f64,
    pub(super) mechanism: Mechanism,
    pub(super) target: usize,
}

impl At {
    pub(super) fn errors(self, results: &Results, procedure: Procedure) -> &Errors {
        let Self { rows, epsilon, mechanism, target } = self;
        results.errors(Setting { rows, epsilon, mechanism, procedure }, target)
    }

    /// The cell in words.
    pub(super) fn words(self) -> String {
        format!("{}, n = {}, epsilon {}, {}", TARGETS[self.target].0, self.rows, self.epsilon, self.mechanism.name())
    }

    /// Excess of the measure for procedure `one` over another.
    pub(super) fn excess(self, results: &Results, measure: Measure, one: Procedure, other: Procedure) -> Estimate {
        difference(measure.evaluate(self.errors(results, one)), measure.evaluate(self.errors(results, other)))
    }

    /// Its error over that of another procedure.
    pub(super) fn ratio(self, results: &Results, one: Procedure, other: Procedure) -> Estimate {
        quotient(self.errors(results, one).rmse(), self.errors(results, other).rmse())
    }
}

/// The case of few rows and a small epsilon.
pub(super) fn hard(mechanism: Mechanism, target: usize) -> At {
    At { rows: 50, epsilon: 0.1, mechanism, target }
}

/// Names, procedures and mechanisms of curves.
pub(super) type Curves<'a> = &'a [(&'a str, Procedure, Mechanism)];

/// One procedure with every mechanism, and the original data.
pub(super) fn of_mechanisms(procedure: Procedure) -> [(&'static str, Procedure, Mechanism); 4] {
    let [clamped, published, exact] = Mechanism::ALL.map(|mechanism| (mechanism.name(), procedure, mechanism));
    [clamped, published, exact, (Procedure::Original.name(), Procedure::Original, Mechanism::Clamped)]
}

/// Findings with a picture of all four shares.
pub(super) fn findings(
    results: &Results,
    title: &str,
    curves: Curves<'_>,
    checks: Vec<Check>,
    prose: &str,
) -> Findings {
    Findings {
        tables: vec![results.table()],
        figure: Some(results.figure(title, &SINGLES, curves)),
        checks,
        prose: format!("Simulated in continuous noise. {prose}"),
        substitute: None,
    }
}
