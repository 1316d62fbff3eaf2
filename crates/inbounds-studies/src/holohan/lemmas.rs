//! The lemmas behind the scale, over grids of scales, sensitivities and answers.

use inbounds_mechanisms::calibrate::continuous_conditioned_scale;
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::algorithm::{Form, mass};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-lemmas",
    paper: Paper::Holohan,
    place: "Lemmas 3.3, 4.2, 4.3, A.4 and A.5, Corollaries 4.5 and 4.6",
    claim: "The worst pair of answers is `l` and `l + D`. The operator `f` maps positive scales to positive scales, does not \
            increase, and has `f(b0) >= b0`, with equality exactly where the sensitivity is the width of the domain; beyond \
            its fixed point `b > f(b)`.",
    statements: &[
        &said::LEMMA_3_3,
        &said::DEFINITION_4_1,
        &said::LEMMA_4_2,
        &said::LEMMA_4_3,
        &said::COROLLARY_4_5,
        &said::COROLLARY_4_6,
        &said::LEMMA_A_4,
        &said::LEMMA_A_5,
        &said::EQUATION_A_7,
    ],
    replicates: 0,
    compute,
};

/// Sensitivities on a domain of width 1, the last the width itself.
const SENSITIVITIES: [f64; 5] = [0.05, 0.2, 0.5, 0.8, 1.0];
const WIDTH: f64 = 1.0;
/// Rounding of a difference of numbers of size 1.
const ROUNDING: f64 = 1e-13;

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("worst-pairs", ["scale", "sensitivity", "printed", "found"]);
    let mut checks = pairs(&mut table);
    checks.extend(operator());
    checks.extend(pole());
    let image = |d: f64| {
        let points = geometric(0.02, 3.0, 400).map(|b| (b, Form::Masses.f(b, 1.0, d, WIDTH)));
        Series::line(format!("sensitivity {d}"), points.filter(|(_, f)| f.abs() < 3.0).collect())
    };
    let mut panel = panel(
        "Epsilon 1, domain of width 1",
        Axis::log("scale b"),
        Axis::linear("f(b)"),
        SENSITIVITIES[1..].iter().map(|&d| image(d)).collect(),
    );
    panel.references.push(Reference { at: At::Y(0.0), label: String::new() });
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("The fixed point operator", vec![panel]) };
    let prose = "All hold from `b0` on, where the paper uses them. Below `b0` the operator has a pole, where `DeltaC` is \
                 `e^epsilon`: on its left `f` is negative, so it does not map positive scales to positive ones, and across \
                 the pole it increases."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// `C_(q + z) / C_q e^(z / b)`.
fn ratio(scale: f64, q: f64, z: f64) -> f64 {
    mass(scale, q + z, WIDTH) / mass(scale, q, WIDTH) * libm::exp(z / scale)
}

/// Lemmas 3.3, A.4 and A.5: pairs of answers up to the sensitivity apart.
fn pairs(table: &mut Table) -> Vec<Check> {
    const STEPS: u32 = 40;
    let (mut excess, mut along_z, mut along_q) = (f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY);
    for scale in [0.1, 0.3, 1.0, 5.0] {
        for d in SENSITIVITIES {
            let printed = ratio(scale, 0.0, d);
            let mut largest = 0.0f64;
            for q in even(0.0, WIDTH, STEPS) {
                let far = d.min(WIDTH - q);
                let along: Vec<f64> = even(0.0, far, STEPS).map(|z| ratio(scale, q, z)).collect();
                largest = along.iter().copied().fold(largest, f64::max);
                along_z = along.windows(2).map(|pair| pair[1] / pair[0] - 1.0).fold(along_z, f64::min);
            }
            for z in even(0.0, d, STEPS) {
                let along: Vec<f64> = even(0.0, WIDTH - z, STEPS).map(|q| ratio(scale, q, z)).collect();
                along_q = along.windows(2).map(|pair| pair[1] / pair[0] - 1.0).fold(along_q, f64::max);
            }
            table.push([scale, d, printed, largest].map(Cell::from));
            excess = excess.max((largest / printed - 1.0).abs());
        }
    }
    let none = Claim::AtMost(ROUNDING);
    vec![
        Check::reproduced(
            &said::LEMMA_3_3,
            "relative distance of the worst pair from the printed one",
            none,
            excess,
            0.0,
        ),
        Check::reproduced(
            &said::LEMMA_A_4,
            "least relative change with the distance",
            Claim::AtLeast(-ROUNDING),
            along_z,
            0.0,
        ),
        Check::reproduced(&said::LEMMA_A_5, "largest relative change with the first answer", none, along_q, 0.0),
    ]
}

/// Lemmas 4.2 and 4.3 and the corollaries, from `b0` on.
fn operator() -> Vec<Check> {
    let form = Form::Masses;
    let (mut steepest, mut steepest_ratio) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let (mut above, mut apart, mut beyond) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let (mut equal, mut flat) = (0.0f64, 0.0f64);
    for epsilon in [0.1, 0.5, 1.0, 3.0] {
        for d in SENSITIVITIES {
            let b0 = d / epsilon;
            let f = |b: f64| form.f(b, epsilon, d, WIDTH);
            let scales: Vec<f64> = geometric(b0, 20.0 * b0, 200).collect();
            let images: Vec<f64> = scales.iter().map(|&b| f(b)).collect();
            let ratios: Vec<f64> = scales.iter().map(|&b| form.mass_ratio(b, d, WIDTH)).collect();
            let change = |numbers: &[f64]| {
                numbers.windows(2).map(|pair| pair[1] / pair[0] - 1.0).fold(f64::NEG_INFINITY, f64::max)
            };
            steepest = steepest.max(change(&images));
            steepest_ratio = steepest_ratio.max(change(&ratios));
            let fixed = continuous_conditioned_scale(epsilon, d, WIDTH);
            if d == WIDTH {
                equal = equal.max((images[0] / b0 - 1.0).abs()).max((fixed / b0 - 1.0).abs());
                flat = images.iter().map(|image| (image / images[0] - 1.0).abs()).fold(flat, f64::max);
            } else {
                above = above.min(images[0] / b0 - 1.0);
                apart = apart.min(fixed / b0 - 1.0);
            }
            let farther = geometric(1.0001 * fixed, 20.0 * fixed, 100);
            beyond = farther.map(|b| (b - f(b)) / b).fold(beyond, f64::min);
        }
    }
    let (none, positive) = (Claim::AtMost(ROUNDING), Claim::Above(0.0));
    let flat_claim = Claim::AtMost(1e-12);
    vec![
        Check::reproduced(
            &said::LEMMA_4_2,
            "least excess of f(b0) over b0, narrower sensitivities",
            positive,
            above,
            0.0,
        ),
        Check::reproduced(&said::LEMMA_4_2, "the same, sensitivity the width", flat_claim, equal, 0.0),
        Check::reproduced(
            &said::LEMMA_4_3,
            "largest relative increase of f from b0 on",
            Claim::AtMost(1e-12),
            steepest,
            0.0,
        ),
        Check::reproduced(&said::LEMMA_4_3, "change of f, sensitivity the width", flat_claim, flat, 0.0),
        Check::reproduced(
            &said::COROLLARY_4_5,
            "least excess of the fixed point over b0, narrower",
            positive,
            apart,
            0.0,
        ),
        Check::reproduced(&said::COROLLARY_4_5, "the same, sensitivity the width", flat_claim, equal, 0.0),
        Check::reproduced(
            &said::COROLLARY_4_6,
            "least relative excess of b over f(b) beyond it",
            positive,
            beyond,
            0.0,
        ),
        Check::reproduced(&said::EQUATION_A_7, "largest relative increase of DeltaC", none, steepest_ratio, 0.0),
    ]
}

/// Definition 4.1 and Lemma 4.3 below `b0`.
fn pole() -> [Check; 2] {
    let f = |b: f64| Form::Masses.f(b, 0.1, 1.0, 10.0);
    let quantity = "f(1), sensitivity 1, width 10, epsilon 0.1";
    let why = "below `b0` the denominator changes its sign";
    let across = "f(20), the same, against f(1)";
    let jumps = "f has a pole between";
    [
        Check::differs(&said::DEFINITION_4_1, quantity, Claim::Above(0.0), f(1.0), 0.0, why, 48),
        Check::differs(&said::LEMMA_4_3, across, Claim::AtMost(f(1.0)), f(20.0), 0.0, jumps, 48),
    ]
}
