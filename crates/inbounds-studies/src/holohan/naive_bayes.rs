//! Gaussian naive Bayes with noisy means and variances.

use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::{
    iris,
    model::{Cell, accuracies, accuracy, cells, learn},
};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table, monte_carlo::Mean, picture::panel,
    published_scale, statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-naive-bayes",
    paper: Paper::Holohan,
    place: "Figure 2, naive Bayes on the irises",
    claim: "A Gaussian naive Bayes model of the iris data, with a non-private accuracy of 90 %, learnt from means with Laplace \
            noise and variances that are truncated (here: clamped) or bounded (here: conditioned) to be nonnegative: with \
            bounded variances it classifies better over a large range of epsilon.",
    statements: &[&said::IRIS, &said::FIGURE_2, &said::VAIDYA],
    replicates: 10_000,
    compute,
};

const EPSILONS: [f64; 15] =
    [0.1, 0.3, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0, 300.0, 1000.0, 10_000.0];

/// Bounding of variances in their range, and treatment of a variance of zero.
const MODELS: [&str; 4] = [
    "clamped, zero variance excludes the class",
    "clamped, smoothed as in scikit-learn",
    "conditioned",
    published_scale::NAME,
];

/// Accuracies of an independent program over 4000 replicates, with their largest standard error: epsilon, then by
/// model.
const REFERENCE: [(f64, [f64; 4], f64); 6] = [
    (1.0, [0.28471, 0.51504, 0.60569, 0.61724], 0.00303),
    (3.0, [0.29900, 0.64077, 0.80923, 0.82540], 0.00366),
    (10.0, [0.36905, 0.58413, 0.88271, 0.88577], 0.00381),
    (30.0, [0.56313, 0.60067, 0.90136, 0.90433], 0.00321),
    (100.0, [0.77957, 0.77525, 0.91022, 0.91063], 0.00233),
    (1000.0, [0.89932, 0.89902, 0.90028, 0.90025], 0.00030),
];

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let split = iris::read(context)?;
    let exact = learn(&split);
    let baseline = accuracy(&exact, &split);
    let accuracies = accuracies(context, "accuracy", &split, &EPSILONS)?;
    let mut table = Table::new("accuracy", ["epsilon", "variances", "accuracy", "standard_error"]);
    let mut lines = MODELS.map(|_| Vec::new());
    for (epsilon, means) in EPSILONS.into_iter().zip(&accuracies) {
        for ((model, mean), line) in MODELS.into_iter().zip(means).zip(&mut lines) {
            table.push([epsilon.into(), model.into(), mean.value().into(), mean.error().into()]);
            line.push((epsilon, mean.value()));
        }
    }
    let series = MODELS.into_iter().zip(lines).map(|(name, points)| Series::line(name, points)).collect();
    let mut panel = panel("", Axis::log("epsilon"), Axis::linear("mean accuracy on 30 flowers"), series);
    panel.references.push(Reference { at: At::Y(baseline), label: "without noise".to_owned() });
    let mut figure = Figure::row("Naive Bayes on the irises", vec![panel]);
    figure.panel_size = (640.0, 420.0);
    let prose = "The claim holds from epsilon 0.3 to 300, whatever becomes of a variance of zero; the curve of the figure itself \
                 cannot be matched, since the paper gives neither its split, nor its bounds, nor what it does with a variance \
                 of zero. The split here was chosen for its accuracy without noise: it is the first of scikit-learn's that has \
                 the paper's 90 %, so that this number, and what accuracies tend to for large epsilon, reproduce nothing. The clamp gives a class some variance of zero with probability 0.9 at epsilon 1, which rules the class \
                 out or, smoothed, ruins its likelihood. The noise here is calibrated to each class's own size."
        .to_owned();
    let mut checks = checks(baseline, &accuracies);
    let cells = cells(&split, &exact, 1.0)?;
    checks.extend(zeros(&cells));
    let spent = cells.iter().map(Cell::published_loss).fold(f64::INFINITY, f64::min);
    let (learnt, told) = (split.train.iter().map(Vec::len).sum::<usize>() as f64, split.test.len() as f64);
    let all = Claim::printed("150");
    checks.push(Check::reproduced(&said::IRIS, "flowers", all, learnt + told, 0.0));
    checks.push(Check::reproduced(
        &said::IRIS,
        "share learnt from",
        Claim::printed("0.80"),
        learnt / (learnt + told),
        0.0,
    ));
    let quantity = "least privacy loss of a resampled variance over its share of epsilon 1";
    checks.push(Check::reproduced(&said::VAIDYA, quantity, Claim::Above(1.0), spent, 0.0));
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Probabilities that the clamp leaves a class some variance of zero, at epsilon 1, against an independent program's.
fn zeros(cells: &[Cell]) -> Vec<Check> {
    let checks = cells.chunks(4).zip(["0.9246", "0.9201", "0.9137"]).enumerate().map(|(class, (cells, printed))| {
        let none: f64 = cells.iter().map(|cell| 1.0 - cell.clamped.atoms(cell.variance).0).product();
        let quantity = format!("probability of some variance of zero, class {class}, epsilon 1");
        Check::ours(quantity, Claim::printed(printed), 1.0 - none, 0.0)
    });
    checks.collect()
}

fn checks(baseline: f64, accuracies: &[[Mean; 6]]) -> Vec<Check> {
    let mut checks = Vec::new();
    let at = |wanted: f64| accuracies[EPSILONS.iter().position(|&epsilon| epsilon == wanted).expect("one of the list")];
    for epsilon in [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0] {
        for (rule, better) in ["zero variance excludes", "smoothed"].into_iter().zip(&at(epsilon)[4..]) {
            let quantity = format!("accuracy conditioned less clamped ({rule}), epsilon {epsilon}");
            let positive = Claim::Above(0.0);
            checks.push(Check::reproduced(&said::FIGURE_2, quantity, positive, better.value(), better.error()));
        }
    }
    for (model, mean) in MODELS.into_iter().zip(at(10_000.0)) {
        let near = Claim::Is { value: baseline, within: 1e-3 };
        let quantity = format!("{model}: accuracy at epsilon 10000, that without noise");
        checks.push(Check::ours(quantity, near, mean.value(), mean.error()));
    }
    for (epsilon, reference, error) in REFERENCE {
        for ((model, mean), value) in MODELS.into_iter().zip(at(epsilon)).zip(reference) {
            let near = Claim::Is { value, within: 4.0 * error };
            let quantity = format!("{model}: against an independent program, epsilon {epsilon}");
            checks.push(Check::ours(quantity, near, mean.value(), mean.error()));
        }
    }
    checks
}
