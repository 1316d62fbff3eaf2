//! Two variances and their covariance, each released in its range.

use inbounds_mechanisms::calibrate::continuous_conditioned_loss;
use inbounds_plot::{At, Axis, Figure, Marks, Panel, Reference, Series};

use super::{
    covariance_design::{CORRELATIONS, EPSILON, ROWS, Released, STATISTICS, Setting, Simulated, TRUTH, WIDTHS},
    covariance_findings,
    mechanism::Mechanism,
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Sample},
    statement::liu as said,
};

pub(super) const STUDY: Study = Study {
    id: "liu-covariance",
    paper: Paper::Liu,
    place: "Section 4.1, Figure 1",
    claim: "Two variances are released in their ranges, then their covariance between `-sqrt(S11 S22)` and `sqrt(S11 S22)` of the \
            released variances, each at epsilon 1/3. At small `n` all are biased, but not covariance and correlation where the \
            correlation is 0; truncation is more biased than BIT; bias and dispersion vanish as `n` grows; at small `n` more \
            values are at the ends.",
    statements: &[
        &said::DEFINITION_2_A,
        &said::FIGURE_1,
        &said::FIGURE_1_ZERO,
        &said::FIGURE_1_ORDER,
        &said::FIGURE_1_LIMIT,
        &said::FIGURE_1_ENDS,
        &said::EXACT_ENDS,
    ],
    replicates: 100_000,
    compute,
};

const PERCENTILES: [f64; 4] = [0.025, 0.25, 0.75, 0.975];

/// Mean, its standard error, root mean square error, its standard error, percentiles.
struct Summary {
    mean: Mean,
    square: Mean,
    percentiles: [f64; 4],
}

impl Summary {
    fn new(sample: &Sample, truth: f64) -> Self {
        let (mut mean, mut square) = (Mean::default(), Mean::default());
        for &x in &sample.0 {
            mean.add(x);
            square.add((x - truth) * (x - truth));
        }
        Self { mean, square, percentiles: sample.quantiles(PERCENTILES) }
    }
}

/// Exact means of the released variances of one row of the design.
fn exact_means(setting: &Setting) -> Result<[f64; 2], StudyError> {
    let mean = |truth: f64, width: f64| Ok::<_, StudyError>(truth + setting.variance(width)?.bias(truth));
    Ok([mean(TRUTH.0, WIDTHS.0)?, mean(TRUTH.1, WIDTHS.1)?])
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let headings = [
        "correlation",
        "n",
        "mechanism",
        "statistic",
        "mean",
        "mean_error",
        "bias",
        "rmse",
        "rmse_error",
        "p2.5",
        "p25",
        "p75",
        "p97.5",
        "undefined",
    ];
    let mut table = Table::new("released", headings);
    let mut checks = exact_checks()?;
    let mut panels = STATISTICS.map(|_| Vec::new());
    let mut cells = Vec::new();
    for mechanism in Mechanism::ALL {
        for correlation in CORRELATIONS {
            let mut curves = STATISTICS.map(|_| Vec::new());
            for rows in ROWS {
                let setting = Setting { correlation, rows, mechanism };
                let released = setting.simulate(context)?;
                let all = released.0[0].0.len() as f64;
                let samples = STATISTICS.iter().zip(&released.0).zip(setting.truths()).zip(&mut curves);
                for (((statistic, sample), truth), curve) in samples {
                    let summary = Summary::new(sample, truth);
                    let (rmse, rmse_error) = summary.square.root();
                    let undefined = 1.0 - sample.0.len() as f64 / all;
                    let mut row = vec![correlation.into(), rows.into(), mechanism.name().into(), (*statistic).into()];
                    let mean = (summary.mean.value(), summary.mean.error());
                    row.extend([mean.0, mean.1, mean.0 - truth, rmse, rmse_error].map(Cell::from));
                    row.extend(summary.percentiles.map(Cell::from));
                    row.push(undefined.into());
                    table.push(row);
                    curve.push((rows, summary));
                }
                if correlation == 0.0 && [ROWS[0], ROWS[4]].contains(&rows) {
                    checks.extend(mean_checks(&setting, &released)?);
                }
                if [ROWS[0], ROWS[4]].contains(&rows) {
                    cells.push(Simulated { setting, released });
                }
            }
            for ((statistic, curve), panels) in curves.iter().enumerate().zip(&mut panels) {
                panels.push(picture(mechanism, correlation, statistic, curve));
            }
        }
    }
    checks.extend(covariance_findings::checks(&cells));
    let drawn = Figure::row("Released variances, covariance and correlation", panels.into_iter().flatten().collect());
    let figure = Figure { columns: CORRELATIONS.len(), panel_size: (330.0, 220.0), ..drawn };
    let prose = "Simulated in continuous noise around the true values. The order of biases holds for the variances, \
                 whose closed forms the simulation meets, and for the correlation. It does not for the covariance at small `n`, \
                 whose range depends on the released variances: at 50 rows clamping sets a variance to zero in about half of all runs, and the \
                 correlation is undefined. At the published scale conditioning spends more than epsilon; at the exact scale, \
                 the least that keeps epsilon, its bias is larger still, and it is the last to become consistent."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Order of the biases of the variances, and what the published scale spends.
fn exact_checks() -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    for other in [Mechanism::Published, Mechanism::Exact] {
        let mut least = f64::INFINITY;
        for rows in ROWS {
            let means = |mechanism| exact_means(&Setting { correlation: 0.0, rows, mechanism });
            let (clamped, compared) = (means(Mechanism::Clamped)?, means(other)?);
            let ratios = [TRUTH.0, TRUTH.1].into_iter().zip(clamped).zip(compared);
            least =
                ratios.map(|((truth, clamped), compared)| (compared - truth) / (clamped - truth)).fold(least, f64::min);
        }
        let quantity = format!("least bias of a variance over that of clamping, {}", other.name());
        checks.push(match other {
            Mechanism::Published => Check::reproduced(&said::FIGURE_1_ORDER, quantity, Claim::Above(1.0), least, 0.0),
            _ => Check::ours(quantity, Claim::Above(1.0), least, 0.0),
        });
    }
    let why = "conditioning at the printed scale spends more";
    for rows in [50.0, 800.0] {
        let square = WIDTHS.0 * WIDTHS.0;
        let (sensitivity, width) = (square / rows, rows * square / (4.0 * (rows - 1.0)));
        let loss = continuous_conditioned_loss(sensitivity / EPSILON, sensitivity, width);
        let quantity = format!("privacy loss of S11 at the published scale, n = {rows}");
        checks.push(Check::differs(&said::DEFINITION_2_A, quantity, Claim::exactly(EPSILON), loss, 0.0, why, 2));
    }
    Ok(checks)
}

/// Simulated means of the variances against their closed forms.
fn mean_checks(setting: &Setting, released: &Released) -> Result<Vec<Check>, StudyError> {
    let check = |((statistic, sample), exact): ((&&str, &Sample), f64)| {
        let mut mean = Mean::default();
        sample.0.iter().for_each(|&x| mean.add(x));
        let quantity = format!("simulated mean of {statistic}, n = {}, {}", setting.rows, setting.mechanism.name());
        Check::ours(quantity, Claim::exactly(exact), mean.value(), mean.error())
    };
    Ok(STATISTICS.iter().zip(&released.0).zip(exact_means(setting)?).map(check).collect())
}

fn picture(mechanism: Mechanism, correlation: f64, statistic: usize, curve: &[(f64, Summary)]) -> Panel {
    let band = |name: &str, low: usize, high: usize| {
        let corners = curve.iter().map(|(rows, summary)| (*rows, summary.percentiles[low], summary.percentiles[high]));
        Series { name: name.to_owned(), marks: Marks::Band(corners.collect()) }
    };
    let truth = Setting { correlation, rows: 0.0, mechanism }.truths()[statistic];
    Panel {
        title: format!("{}, r = {correlation}", short(mechanism)),
        x: Axis::log("rows n"),
        y: Axis::linear(STATISTICS[statistic]),
        series: vec![
            Series::line("mean", curve.iter().map(|(rows, summary)| (*rows, summary.mean.value())).collect()),
            band("2.5 to 97.5 percentile", 0, 3),
            band("25 to 75 percentile", 1, 2),
        ],
        references: vec![Reference { at: At::Y(truth), label: "truth".to_owned() }],
    }
}

/// The mechanism in few words, for narrow panels.
fn short(mechanism: Mechanism) -> &'static str {
    match mechanism {
        Mechanism::Clamped => "Clamped",
        Mechanism::Published => "Published (not private)",
        Mechanism::Exact => "Exact scale",
    }
}
