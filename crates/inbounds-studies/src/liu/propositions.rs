//! Bias and mean square error of both mechanisms, over a grid.

use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    law::Laplace,
};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    statement::liu as said,
};

pub(super) const STUDY: Study = Study {
    id: "liu-propositions",
    paper: Paper::Liu,
    place: "Propositions 1 and 2",
    claim: "With noise of scale `lambda`, clamping and conditioning are biased towards the middle of the range, and \
            conditioning never less than clamping. Both mean square errors are less than `2 lambda^2`, so both are consistent.",
    statements: &[
        &said::PROPOSITION_1_A,
        &said::PROPOSITION_1_B,
        &said::PROPOSITION_1_C,
        &said::PROPOSITION_2,
        &said::PROPOSITION_2_RATE,
    ],
    replicates: 0,
    compute,
};

/// Scales, for the range `[0, 1]`; below, the strict inequalities are lost in the rounding of doubles.
fn scales() -> impl Iterator<Item = f64> {
    geometric(0.03, 100.0, 40)
}

/// Answers in `[0, 1]`.
fn answers() -> impl Iterator<Item = f64> + Clone {
    even(0.0, 1.0, 80)
}

/// Both mechanisms at one scale.
struct Pair {
    clamped: Clamped<Laplace>,
    conditioned: Conditioned<Laplace>,
    /// `2 lambda^2`.
    variance: f64,
}

impl Pair {
    fn new(scale: f64, range: Range) -> Result<Self, StudyError> {
        let noise = Laplace::with_scale(scale)?;
        let conditioned = Conditioned::new(noise, range);
        Ok(Self { clamped: Clamped::new(noise, range), conditioned, variance: 2.0 * scale * scale })
    }

    fn boundings(&self) -> [&dyn Bounding; 2] {
        [&self.clamped, &self.conditioned]
    }
}

/// The extremes over the grid.
struct Extremes {
    /// Least bias towards the middle, over the scale.
    inward: f64,
    /// Largest bias in the middle.
    middle: f64,
    /// Least ratio of the biases, off the middle.
    ratio: f64,
    /// Largest mean square error over `2 lambda^2`.
    square: [f64; 2],
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let unit = Range::new(0.0, 1.0)?;
    let extremes = extremes(unit)?;
    let half_line = Pair::new(1.0, Range::new(0.0, f64::INFINITY)?)?;
    let most = |bounding: &dyn Bounding| even(0.0, 20.0, 400).map(|q| bounding.mse(q) / 2.0).fold(0.0, f64::max);
    let [clamped, conditioned] = half_line.boundings().map(most);
    let small = Pair::new(1e-4, unit)?;
    let rmse = |bounding: &dyn Bounding| answers().map(|q| bounding.mse(q).sqrt()).fold(0.0, f64::max);
    let why =
        "equality for conditioning on a half line with the answer at its end: its law is the end plus an exponential";
    let below = Claim::Below(1.0);
    let none = Claim::Is { value: 0.0, within: 1e-15 };
    let quantity = |mechanism: &str, range: &str| format!("largest MSE of {mechanism} over 2 lambda^2, {range}");
    let square = |mechanism: &str, range: &str, computed: f64| {
        Check::reproduced(&said::PROPOSITION_2, quantity(mechanism, range), below, computed, 0.0)
    };
    let rate = |mechanism: &str, computed: f64| {
        let quantity = format!("largest MSE of {mechanism} over lambda^2 at lambda = 0.0001");
        let near = Claim::Is { value: 2.0, within: 1e-6 };
        Check::reproduced(&said::PROPOSITION_2_RATE, quantity, near, computed * computed * 1e8, 0.0)
    };
    let checks = vec![
        Check::reproduced(&said::PROPOSITION_1_B, DIRECTION, Claim::AtLeast(0.0), extremes.inward, 0.0),
        Check::reproduced(&said::PROPOSITION_1_A, "the same, off the middle", Claim::Above(0.0), extremes.inward, 0.0),
        Check::reproduced(&said::PROPOSITION_1_A, "bias in the middle, over lambda", none, extremes.middle, 0.0),
        Check::reproduced(&said::PROPOSITION_1_C, ORDER, Claim::AtLeast(1.0), extremes.ratio, 0.0),
        square("clamping", "[0, 1]", extremes.square[0]),
        square("conditioning", "[0, 1]", extremes.square[1]),
        square("clamping", "half line", clamped),
        Check::differs(&said::PROPOSITION_2, quantity("conditioning", "half line"), below, conditioned, 0.0, why, 6),
        rate("clamping", rmse(&small.clamped)),
        rate("conditioning", rmse(&small.conditioned)),
    ];
    let (table, figure) = curves(unit)?;
    let prose =
        "All holds on a grid of 41 scales and 81 answers, but for one strict inequality. Where biases cancel, in the \
                 middle, there is nothing to compare; where both are below the rounding of doubles there is neither."
            .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

const DIRECTION: &str = "least bias towards the middle, over lambda";
const ORDER: &str = "least bias of conditioning over that of clamping";

fn extremes(unit: Range) -> Result<Extremes, StudyError> {
    let mut extremes = Extremes { inward: f64::INFINITY, middle: 0.0, ratio: f64::INFINITY, square: [0.0; 2] };
    for scale in scales() {
        let pair = Pair::new(scale, unit)?;
        for q in answers() {
            let inward = pair.boundings().map(|bounding| (0.5 - q).signum() * bounding.bias(q) / scale);
            if q == 0.5 {
                extremes.middle = inward.into_iter().map(f64::abs).fold(extremes.middle, f64::max);
            } else {
                extremes.inward = inward.into_iter().fold(extremes.inward, f64::min);
                if inward[0] > f64::MIN_POSITIVE {
                    extremes.ratio = extremes.ratio.min(inward[1] / inward[0]);
                }
            }
            for (most, bounding) in extremes.square.iter_mut().zip(pair.boundings()) {
                *most = most.max(bounding.mse(q) / pair.variance);
            }
        }
    }
    Ok(extremes)
}

fn curves(unit: Range) -> Result<(Table, Figure), StudyError> {
    let headings =
        ["scale", "answer", "clamped_bias", "conditioned_bias", "clamped_mse_ratio", "conditioned_mse_ratio"];
    let mut table = Table::new("errors", headings);
    let (mut biases, mut squares) = (Vec::new(), Vec::new());
    for scale in [0.05, 0.2, 1.0] {
        let pair = Pair::new(scale, unit)?;
        for q in answers() {
            let bias_and_square = |bounding: &dyn Bounding| (bounding.bias(q), bounding.mse(q) / pair.variance);
            let [(bias, square), (other_bias, other_square)] = pair.boundings().map(bias_and_square);
            table.push([scale, q, bias, other_bias, square, other_square].map(Cell::from));
        }
        for (name, bounding) in ["clamped", "conditioned"].into_iter().zip(pair.boundings()) {
            let name = format!("{name}, lambda = {scale}");
            biases.push(Series::line(&name, answers().map(|q| (q, bounding.bias(q))).collect()));
            squares.push(Series::line(&name, answers().map(|q| (q, bounding.mse(q) / pair.variance)).collect()));
        }
    }
    let answer = || Axis::linear("answer");
    let figure = Figure::row(
        "Clamping and conditioning on [0, 1]",
        vec![
            panel("Bias", answer(), Axis::linear("bias"), biases),
            panel("Mean square error", answer(), Axis::linear("MSE over 2 lambda^2"), squares),
        ],
    );
    Ok((table, figure))
}
