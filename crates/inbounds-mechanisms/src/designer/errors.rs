//! Bias and error of a rule, summed directly over the law.

use super::{Answers, Table, Tail, kernel::Kernel, sum::Sum};

/// Errors of a rule, at its worst and on average; each figure is at least the exact one, by rounding at most.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Errors {
    /// `max_q |E phi(q + N) - q|` over all answers.
    pub worst_bias: f64,
    /// `sum_q w_q E (phi(q + N) - q)^2` with the designer's weights.
    pub mean_mse: f64,
    /// `max_q E (phi(q + N) - q)^2` over all answers.
    pub worst_mse: f64,
}

/// `E phi(q + N) - q`.
pub(super) fn bias(kernel: &Kernel, rule: &Table, answer: i64) -> Sum {
    deviation(kernel, rule, answer, |error| error)
}

/// `E (phi(q + N) - q)^2`.
pub(super) fn mse(kernel: &Kernel, rule: &Table, answer: i64) -> Sum {
    deviation(kernel, rule, answer, |error| error * error)
}

fn deviation(kernel: &Kernel, rule: &Table, answer: i64, loss: impl Fn(f64) -> f64) -> Sum {
    let mut sum = kernel.sum();
    for noise in -kernel.reach()..=kernel.reach() {
        sum.add(kernel.mass(noise) * loss(rule.at(answer + noise) - answer as f64));
    }
    sum
}

impl Errors {
    /// Over all answers: beyond the table and the reach of the noise only the tail is met, and nothing changes.
    pub(super) fn for_rule(kernel: &Kernel, answers: Answers, weights: &[f64], rule: &Table) -> Self {
        let (last, limit) = match (answers, rule.above()) {
            (Answers::UpTo(top), _) => (i64::from(top), Some((0.0, 0.0))),
            (Answers::HalfLine, Tail::Constant) => (0, None),
            (Answers::HalfLine, Tail::Shifted(shift)) => {
                (rule.last() + kernel.reach(), Some((shift.abs(), kernel.variance() + shift * shift)))
            }
        };
        let Some((mut worst_bias, mut worst_mse)) = limit else {
            return Self { worst_bias: f64::INFINITY, mean_mse: f64::INFINITY, worst_mse: f64::INFINITY };
        };
        // Where a constant continues the table, an answer beyond its end is farther from it than the raw value may be.
        let outside = rule.first().max(last - rule.last()).max(0) as f64;
        let move_by = rule.largest_move() + outside;
        let (missed_bias, missed_mse) = (kernel.omitted_bias(move_by), kernel.omitted_mse(move_by));
        let mut mean = kernel.sum();
        for answer in 0..=last {
            let (bias, mse) = (bias(kernel, rule, answer), mse(kernel, rule, answer));
            let mse = mse.value() + mse.slack() + missed_mse;
            worst_bias = worst_bias.max(bias.value().abs() + bias.slack() + missed_bias);
            worst_mse = worst_mse.max(mse);
            mean.add(weights.get(answer as usize).copied().unwrap_or(0.0) * mse);
        }
        Self { worst_bias, mean_mse: mean.value() + mean.slack(), worst_mse }
    }
}
