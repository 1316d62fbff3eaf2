//! Sums of pairs.

use super::{
    super::{
        estimate::{PAPERS, agrees, difference},
        mechanism::Mechanism,
    },
    compare::{At, Measure},
    procedure::Procedure,
    results::{EPSILONS, PAIRS, ROWS, Results},
};
use crate::{Check, Claim, Context, Findings, Paper, Study, StudyError, statement::liu as said};

pub(in crate::liu) const STUDY: Study = Study {
    id: "liu-pair-sums",
    paper: Paper::Liu,
    place: "Section 4.2, sums of pairs, Figures S1 and S2",
    claim: "The universal histogram measures `p1 + p2` directly and is better there than for `p2 + p3` and `p2 + p4`, but not \
            better than re-scaling; for the two other sums it is worse than re-scaling.",
    statements: &[&said::FIGURES_S, &said::FIGURES_S_PAIR, &said::FIGURES_S_OTHERS],
    replicates: 20_000,
    compute,
};

const TREE: Procedure = Procedure::UniversalHistogram;
const PLAIN: Procedure = Procedure::Rescaling;

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let results = Results::new(context, &[TREE, PLAIN])?;
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        checks.extend(comparisons(&results, mechanism));
    }
    checks.extend(pair(&results));
    let curves = [
        ("re-scaling, clamped", PLAIN, Mechanism::Clamped),
        ("universal histogram, clamped", TREE, Mechanism::Clamped),
        ("re-scaling, published scale", PLAIN, Mechanism::Published),
        ("universal histogram, published scale", TREE, Mechanism::Published),
    ];
    let prose = "With two children a node, what the direct measurement of a sum wins the halved epsilon takes away again: the error \
                 of `p1 + p2` is within some per cent of that of re-scaled shares added up, at every `n` and epsilon. Sums \
                 across the pairs lose what single shares lose."
        .to_owned();
    Ok(Findings {
        tables: vec![results.table()],
        figure: Some(results.figure("Sums of pairs", &PAIRS, &curves)),
        checks,
        prose: format!("Simulated in continuous noise. {prose}"),
        substitute: None,
    })
}

/// The three sums against each other, and the other two against re-scaling.
fn comparisons(results: &Results, mechanism: Mechanism) -> Vec<Check> {
    let mut checks = Vec::new();
    let [first, others @ ..] = PAIRS;
    let positive = Claim::Above(0.0);
    for rows in [100, 200, 500] {
        let at = |target| At { rows, epsilon: 0.1, mechanism, target };
        for other in others {
            let [less, more] = [first, other].map(|target| at(target).errors(results, TREE).rmse());
            let quantity = format!("RMSE by the histogram: {} less p1 + p2", at(other).words());
            checks.push(agrees(&said::FIGURES_S, quantity, positive, difference(more, less)));
            let quantity = format!("RMSE: histogram less re-scaling, {}", at(other).words());
            let computed = at(other).excess(results, Measure::Rmse, TREE, PLAIN);
            checks.push(agrees(&said::FIGURES_S_OTHERS, quantity, positive, computed));
        }
    }
    checks
}

/// `p1 + p2` against re-scaling: the cells where the histogram does best and worst.
fn pair(results: &Results) -> Vec<Check> {
    let mut checks = Vec::new();
    for mechanism in Mechanism::ALL {
        let cells = ROWS.into_iter().flat_map(|rows| EPSILONS.map(|epsilon| (rows, epsilon)));
        let mut ratios: Vec<(At, (f64, f64))> = cells
            .map(|(rows, epsilon)| At { rows, epsilon, mechanism, target: PAIRS[0] })
            .map(|at| (at, at.ratio(results, TREE, PLAIN)))
            .collect();
        ratios.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let quantity =
            |end: &str, at: At| format!("{end} RMSE by the histogram over that by re-scaling: {}", at.words());
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        // What a picture could show.
        let not_better = Claim::AtLeast(0.95);
        checks.push(match mechanism {
            Mechanism::Clamped | Mechanism::Published => {
                agrees(&said::FIGURES_S_PAIR, quantity("least", least.0), not_better, least.1)
            }
            Mechanism::Exact => Check::ours(quantity("least", least.0), Claim::AtLeast(0.9), least.1.0, least.1.1),
        });
        checks.push(Check::ours(quantity("largest", most.0), Claim::AtMost(1.15), most.1.0, most.1.1));
    }
    checks
}
