//! The discretised convex programme, in the deviations `d_j = phi(y_j) - y_j` of the rule from the raw values.
//!
//! An output `y` of the table is a column; raw values beyond the table fall into the first or last column, or, on a
//! half line, into one more column for the shift of the tail. With `A_j(q) = P(column j | q)`, `C_j(q) = E[y_j - q;
//! column j | q]`, both bias and error are sums over columns:
//!
//! ```text
//! bias(q) = sum_j A_j d_j + sum_j C_j          mse(q) = sum_j (A_j d_j^2 + 2 C_j d_j) + E(y - q)^2
//! ```
//!
//! Deviations keep the programme in the size of the noise, however large the outputs are.

use super::{Answers, form::Form, kernel::Kernel};

/// One output, and the deviations that keep the rule in the range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// The raw value; for the tail the first above the table.
    pub(super) raw: i64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

/// One answer, as the coefficients of its bias and error.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The answer; infinite for the limit of large answers.
    pub(super) answer: f64,
    /// `A_j`.
    pub(super) mass: Vec<f64>,
    /// `C_j`.
    pub(super) cross: Vec<f64>,
    /// `sum_j C_j`, the bias where nothing deviates.
    pub(super) bias: f64,
    /// `E(y - q)^2`, the error where nothing deviates.
    pub(super) mse: f64,
}

impl Row {
    fn nothing(answer: f64, columns: usize) -> Self {
        Self { answer, mass: vec![0.0; columns], cross: vec![0.0; columns], bias: 0.0, mse: 0.0 }
    }

    /// Puts mass of noise at a fixed distance from the answer into a column.
    fn put(&mut self, column: usize, mass: f64, distance: f64) {
        self.mass[column] = mass;
        self.cross[column] = mass * distance;
        self.bias += mass * distance;
        self.mse += mass * distance * distance;
    }
}

/// The programme of a form of rules.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Row>,
    /// Recurrence of the expectations, where there is one.
    pub(super) recurrence: Option<Recurrence>,
    /// True if outputs must not fall: `d_j - d_{j+1} <= 1` for neighbouring columns.
    pub(super) monotone: bool,
}

/// Expectations under geometric noise as a recurrence in the answer.
///
/// With masses proportional to `a^|k|`, the expectations `e(q) = E V(q + N)` of any function that is constant below
/// zero and linear from `L` on, the largest finite answer, are the solution of
///
/// ```text
/// e(0) - a e(1)                               = (1 - a) V(0)
/// (1 + a^2) e(q) - a e(q - 1) - a e(q + 1)    = (1 - a)^2 V(q)          0 < q < L
/// e(L) - a e(L - 1)                           = (1 - 2a) V(L) + a V(L + 1)
/// ```
///
/// Three coefficients an answer take the place of one for each output, and a solver's factors stay as sparse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recurrence {
    /// `a`, the ratio of neighbouring masses.
    pub(super) ratio: f64,
    /// `L`.
    pub(super) largest: usize,
}

impl Recurrence {
    /// The coefficients of expectations in the equation of an answer.
    pub(super) fn expectations(self, answer: usize) -> Vec<(usize, f64)> {
        let a = self.ratio;
        if answer == 0 {
            vec![(0, 1.0), (1, -a)]
        } else if answer < self.largest {
            vec![(answer - 1, -a), (answer, 1.0 + a * a), (answer + 1, -a)]
        } else {
            vec![(answer - 1, -a), (answer, 1.0)]
        }
    }

    /// The coefficients of values of the function in the equation of an answer.
    pub(super) fn values(self, answer: usize) -> Vec<(usize, f64)> {
        let a = self.ratio;
        if answer == 0 {
            vec![(0, 1.0 - a)]
        } else if answer < self.largest {
            vec![(answer, (1.0 - a) * (1.0 - a))]
        } else {
            vec![(answer, 1.0 - 2.0 * a), (answer + 1, a)]
        }
    }
}

/// Probability below which noise no longer carries answers above the table back into it.
const NEGLIGIBLE: f64 = 1e-9;

impl Program {
    /// The answers of the window, and on a half line every `stride`-th answer above it and the limit of large ones.
    pub(super) fn new(kernel: &Kernel, form: Form, stride: usize) -> Self {
        let (half_line, top) = (form.answers == Answers::HalfLine, form.top());
        let column = |raw: i64| Column { raw, lower: -raw as f64, upper: top - raw as f64 };
        let outputs = if form.has_shift() { form.first..=form.last + 1 } else { form.first..=form.last };
        let mut columns: Vec<Column> = outputs.map(column).collect();
        if let (true, true, false, Some(last)) = (form.monotone, half_line, form.free_shift, columns.last_mut()) {
            last.upper = 1.0;
        }
        let shape = Shape { kernel, form, columns: columns.len() };
        let largest = form.answers.top().map_or(form.last, i64::from);
        let mut rows: Vec<Row> = (0..=largest).map(|answer| shape.row(answer)).collect();
        if half_line {
            let far = largest + 1..=largest + kernel.distance(NEGLIGIBLE);
            rows.extend(far.step_by(stride).map(|answer| shape.row(answer)));
            rows.push(shape.limit_row());
        }
        Self { columns, rows, recurrence: None, monotone: form.monotone }
    }

    /// The programme with every answer, in which expectations follow from one another; `None` where they do not.
    pub(super) fn recurrent(kernel: &Kernel, form: Form) -> Option<Self> {
        let ratio = kernel.ratio()?;
        let beyond = form.last - form.answers.top().map_or(form.last, i64::from);
        (form.first == 0 && beyond == 0).then(|| {
            let program = Self::new(kernel, form, 1);
            let largest = program.rows.iter().filter(|row| row.answer.is_finite()).count() - 1;
            Self { recurrence: Some(Recurrence { ratio, largest }), ..program }
        })
    }

    /// The column of a raw value from zero on; none above a table without a free shift.
    pub(super) fn column(&self, raw: usize) -> Option<usize> {
        let last = self.columns.len() - 1;
        let constant_above = self.rows.last().is_some_and(|row| row.answer.is_finite());
        (raw <= last || constant_above || self.is_tail(last)).then_some(raw.min(last))
    }

    /// `true` for the column of all raw values above the table.
    pub(super) fn is_tail(&self, column: usize) -> bool {
        self.rows.last().is_some_and(|row| row.answer.is_infinite() && row.mass[column] > 0.0)
    }

    /// Pairs of neighbouring columns that must be in order.
    pub(super) fn steps(&self) -> usize {
        if self.monotone { self.columns.len() - 1 } else { 0 }
    }
}

/// Where the mass of an answer goes.
struct Shape<'a> {
    kernel: &'a Kernel,
    form: Form,
    columns: usize,
}

impl Shape<'_> {
    fn row(&self, answer: i64) -> Row {
        let mut row = Row::nothing(answer as f64, self.columns);
        let Form { answers, first, last, .. } = self.form;
        let half_line = answers == Answers::HalfLine;
        for raw in first..=last {
            let mass = if raw == first {
                self.kernel.at_least(answer - raw).mass
            } else if raw == last && !half_line {
                self.kernel.at_least(raw - answer).mass
            } else {
                self.kernel.mass(raw - answer)
            };
            row.put((raw - first) as usize, mass, (raw - answer) as f64);
        }
        if half_line {
            let above = self.kernel.at_least(last + 1 - answer);
            row.bias += above.first;
            row.mse += above.second;
            if self.form.has_shift() {
                row.mass[self.columns - 1] = above.mass;
                row.cross[self.columns - 1] = above.first;
            }
        }
        row
    }

    /// The limit of large answers, where only the tail is met.
    fn limit_row(&self) -> Row {
        let mut row = Row::nothing(f64::INFINITY, self.columns);
        row.mse = self.kernel.variance();
        if self.form.has_shift() {
            row.mass[self.columns - 1] = 1.0;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::DiscreteLaplace;

    fn kernel(tau: &str) -> Kernel {
        let noise = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible");
        Kernel::new(&noise).expect("lattice")
    }

    /// The recurrence, on the sums that it takes the place of: `sum_j A_j(q) d_j` for any deviations, at every answer.
    #[test]
    fn sums_over_the_law_follow_the_recurrence() {
        for (answers, last, free_shift) in
            [(Answers::HalfLine, 30, true), (Answers::HalfLine, 30, false), (Answers::UpTo(25), 25, true)]
        {
            let form = Form { answers, first: 0, last, free_shift, monotone: false };
            let program = Program::recurrent(&kernel("0.3"), form).expect("geometric noise and a window from zero");
            let recurrence = program.recurrence.expect("there is one");
            let deviation = |column: usize| libm::sin(37.0 * column as f64);
            let sums: Vec<f64> = program
                .rows
                .iter()
                .map(|row| row.mass.iter().enumerate().map(|(column, mass)| mass * deviation(column)).sum())
                .collect();
            for answer in 0..=recurrence.largest {
                let left: f64 = recurrence.expectations(answer).iter().map(|(q, factor)| factor * sums[*q]).sum();
                let values = recurrence.values(answer).into_iter();
                let right: f64 =
                    values.filter_map(|(raw, factor)| Some(factor * deviation(program.column(raw)?))).sum();
                assert!((left - right).abs() < 1e-14, "{answers:?} {answer}: {left} {right}");
            }
        }
    }

    #[test]
    fn only_geometric_noise_with_a_window_at_the_answers_has_the_recurrence() {
        let form = |first, last| Form { answers: Answers::UpTo(25), first, last, free_shift: true, monotone: false };
        for window in [(-1, 25), (0, 26)] {
            assert!(Program::recurrent(&kernel("0.3"), form(window.0, window.1)).is_none(), "{window:?}");
        }
        let gaussian =
            crate::noise::DiscreteGaussian::with_variance_parameter("9".parse().expect("number")).expect("admissible");
        assert!(Program::recurrent(&Kernel::new(&gaussian).expect("lattice"), form(0, 25)).is_none());
    }
}
