//! Two cells between which a row moves: what the exact divergence of both together would spare.

use inbounds_core::{Delta, Epsilon, Sensitivity, root};
use inbounds_mechanisms::calibrate::approximate;

use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, Table};

pub(super) const STUDY: Study = Study {
    id: "holohan-two-cells",
    paper: Paper::Holohan,
    place: "Theorem 3.5, beyond one number",
    claim: "The paper bounds one number. Counts of several cells, one of which loses the row that another gains, keep `(epsilon, \
            delta)` here by bounds of both losses together; how much noise the bounds cost is not asked.",
    statements: &[],
    replicates: 0,
    compute,
};

/// Counts go from 0 to this, the public number of rows.
const ROWS: usize = 400;

/// Epsilons and deltas, with the most by which the calibrated scale is claimed to exceed the least one.
const GRANTED: [(&str, &str, f64); 7] = [
    ("0.1", "0.000001", 1.02),
    ("0.5", "0.000001", 1.0002),
    ("1", "0.000001", 1.0002),
    ("1", "0.001", 1.02),
    ("3", "0.01", 1.01),
    ("1", "0.01", 1.1),
    ("0.1", "0.01", 1.5),
];

/// Answers at which moves begin: near both ends, where conditioning matters, and far from them.
const ANSWERS: [usize; 8] = [0, 1, 2, 4, ROWS / 2, ROWS - 3, ROWS - 1, ROWS];

/// Probabilities of discrete Laplace noise around an answer, given that the count is in the range.
fn law(answer: usize, scale: f64) -> Vec<f64> {
    let weights: Vec<f64> = (0..=ROWS).map(|count| libm::exp(-(count.abs_diff(answer) as f64) / scale)).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// Hockey-stick divergence of two pairs of independent counts, `sum max(0, p q - e^epsilon p' q')`.
fn divergence((p, q): (&[f64], &[f64]), (p_other, q_other): (&[f64], &[f64]), epsilon: f64) -> f64 {
    let factor = libm::exp(epsilon);
    let row = |(p, other): (&f64, &f64)| {
        let columns = q.iter().zip(q_other).map(|(q, q_other)| (p * q - factor * other * q_other).max(0.0));
        columns.sum::<f64>()
    };
    p.iter().zip(p_other).map(row).sum()
}

/// The largest divergence over answers, of which one gains a row and the other loses one. More answers could only make
/// it larger, and the least scale with it.
fn largest_divergence(scale: f64, epsilon: f64) -> f64 {
    let laws = |answers: &[usize], step: isize| -> Vec<(Vec<f64>, Vec<f64>)> {
        let neighbour = |answer: usize| answer.checked_add_signed(step).filter(|other| *other <= ROWS);
        let moved = answers.iter().filter_map(|&answer| Some((answer, neighbour(answer)?)));
        moved.map(|(answer, other)| (law(answer, scale), law(other, scale))).collect()
    };
    let (gaining, losing) = (laws(&ANSWERS, 1), laws(&ANSWERS, -1));
    let pairs = gaining.iter().flat_map(|gain| losing.iter().map(move |loss| (gain, loss)));
    pairs.map(|(gain, loss)| divergence((&gain.0, &loss.0), (&gain.1, &loss.1), epsilon)).fold(0.0, f64::max)
}

/// The scale below which these answers have a larger divergence than delta.
fn least_scale(epsilon: f64, delta: f64) -> f64 {
    root::bisect(0.2 / epsilon, 6.0 / epsilon, |scale| largest_divergence(scale, epsilon) > delta).1
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("scales", ["epsilon", "delta", "calibrated", "least", "pure"]);
    let mut checks = Vec::new();
    let number = |text: &str| text.parse::<f64>().expect("a number of the list");
    let moved = Sensitivity { l1: 2, linf: 1, cells: 2, rule: "count-substitute", squares: None };
    for (epsilon, delta, most) in GRANTED {
        let scale = |delta: &str| -> Result<f64, StudyError> {
            let granted = (Epsilon::new(epsilon.parse()?)?, Delta::new(delta.parse()?)?);
            let calibrated = approximate::conditioned(&granted.0, &granted.1, &moved, Some(ROWS as u128))?;
            Ok(1.0 / calibrated.parameter.to_f64())
        };
        let (calibrated, pure) = (scale(delta)?, scale("0")?);
        let least = least_scale(number(epsilon), number(delta));
        table.push([epsilon.into(), delta.into(), calibrated.into(), least.into(), pure.into()]);
        let what = format!("calibrated scale over the least one, epsilon {epsilon}, delta {delta}");
        let within = Claim::Between { low: 1.0, high: most };
        checks.push(Check::ours(what, within, calibrated / least, 0.0));
    }
    let prose = "At a delta of a millionth the bounds cost at most 1.6 % of the scale, at epsilon 0.5 and more a hundredth of a per \
                 cent. Only a delta that nobody should grant is used badly: at 0.01 they cost 9 % at epsilon 1, and half at 0.1. The \
                 least scale here is that of the worst of some pairs of answers, so that no exact calibration can be below it."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: None, checks, prose, substitute: None })
}
