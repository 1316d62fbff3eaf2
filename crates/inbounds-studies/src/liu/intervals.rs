//! Intervals for shares of the population that count sampling and noise, beside Wald's.

use inbounds_core::{Delta, Epsilon, Neighbours};
use inbounds_mechanisms::{law::Noise, registry};
use inbounds_plot::{At, Axis, Figure, Panel, Reference, Series};
use inbounds_statistics::{
    Design, PrivacyUnit, Statistic as _,
    proportion::{ProportionVector, Proportions, ShareRule, Total},
};

use super::{
    mechanism::Mechanism,
    populations::binomial_mass,
    proportions::{EPSILONS, Procedure, ROWS, Results, SHARES, Setting},
};
use crate::{Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table, picture::panel};

pub(super) const STUDY: Study = Study {
    id: "liu-population-intervals",
    paper: Paper::Liu,
    place: "Beyond the paper: intervals that hold",
    claim: "The 95 % intervals of sanitised shares cover the shares of the population about as often as they say at epsilon 1, \
            less often at smaller ones. (This project's own claim: its intervals always do.)",
    statements: &[],
    replicates: 20_000,
    compute,
};

const LEVEL: f64 = 0.95;
/// Distance in scales beyond which noise is left out: it counts as not covered.
const SCALES: f64 = 28.0;

/// The paper's shares as this project measures them: discrete Laplace noise of the paper's scale on counts.
///
/// The paper lets a row come or go while `n` is public. Here `n` is public and a row is replaced, which moves two
/// counts by one, so the paper's noise is that of twice its epsilon.
fn prepare(rows: u32, epsilon: f64) -> Result<Proportions, StudyError> {
    let setting = inbounds_statistics::Setting {
        design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(u64::from(rows)) },
        cells: SHARES.len() as u64,
        grouped: true,
        filtered: false,
        mechanism: registry::default().into(),
        epsilon: Epsilon::new((2.0 * epsilon).to_string().parse()?)?,
        delta: Delta::ZERO,
        rho_rate: None,
        together: None,
    };
    let vector = ProportionVector { rule: ShareRule::SimplexProjection, total: Total::Public, releases: 1 };
    Ok(vector.prepare(&setting)?)
}

/// Exact coverage and mean width of the interval of each share, by summing over all measured counts.
fn exact(rows: u32, epsilon: f64) -> Result<Vec<(f64, f64)>, StudyError> {
    let proportions = prepare(rows, epsilon)?;
    let noise = proportions.components()[0].mechanism.noise().clone();
    let reach = (SCALES * noise.scale()).ceil() as i128;
    let measured: Vec<i128> = (-reach..=i128::from(rows) + reach).collect();
    let mut intervals = Vec::with_capacity(measured.len());
    for counts in measured.chunks(SHARES.len()) {
        // An interval reads its own count alone, so four measured counts are asked for at a time.
        let filled: Vec<i128> = counts.iter().copied().chain(std::iter::repeat(0)).take(SHARES.len()).collect();
        let population = proportions.population(&[&filled], LEVEL);
        intervals.extend(population.into_iter().take(counts.len()).flatten());
    }
    let masses: Vec<f64> = (-reach - i128::from(rows)..=reach + i128::from(rows))
        .map(|error| libm::exp(noise.ln_density(error as f64)))
        .collect();
    let coverage_and_width = |share: &f64| {
        let counts: Vec<f64> = (0..=rows).map(|count| binomial_mass(rows, *share, count)).collect();
        let mut totals = (0.0, 0.0);
        for (&y, &(lower, upper)) in measured.iter().zip(&intervals) {
            let at = |count: usize| masses[(y - count as i128 + reach + i128::from(rows)) as usize];
            let mass: f64 = counts.iter().enumerate().map(|(count, mass)| mass * at(count)).sum();
            totals.0 += if (lower..=upper).contains(share) { mass } else { 0.0 };
            totals.1 += mass * (upper - lower);
        }
        totals
    };
    Ok(SHARES.iter().map(coverage_and_width).collect())
}

/// Both intervals in one cell of the paper's design.
struct Row {
    rows: u32,
    epsilon: f64,
    share: f64,
    /// Coverage of Wald's interval after re-scaling clamped shares, and its standard error.
    wald: (f64, f64),
    /// Exact coverage of this project's.
    coverage: f64,
    /// Its mean width.
    width: f64,
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let procedure = Procedure::Rescaling;
    let results = Results::new(context, &[procedure])?;
    let mut all = Vec::new();
    for rows in ROWS {
        for epsilon in EPSILONS {
            let setting = Setting { rows, epsilon, mechanism: Mechanism::Clamped, procedure };
            for (index, (coverage, width)) in exact(rows, epsilon)?.into_iter().enumerate() {
                let wald = results.errors(setting, index).coverage();
                all.push(Row { rows, epsilon, share: SHARES[index], wald, coverage, width });
            }
        }
    }
    let headings = ["n", "epsilon", "share", "wald_coverage", "wald_error", "coverage", "mean_width"];
    let mut table = Table::new("coverage", headings);
    for row in &all {
        let numbers = [f64::from(row.rows), row.epsilon, row.share, row.wald.0, row.wald.1, row.coverage, row.width];
        table.push(numbers.map(Cell::from));
    }
    let worst = all.iter().min_by(|a, b| a.wald.0.total_cmp(&b.wald.0)).expect("there are cells");
    let least = all.iter().map(|row| row.coverage).fold(1.0, f64::min);
    let most = all.iter().map(|row| row.coverage).fold(0.0, f64::max);
    let quantity = format!("Wald coverage of share {}, n = {}, epsilon {}", worst.share, worst.rows, worst.epsilon);
    let checks = vec![
        Check::ours("least exact coverage of 48 intervals of this project", Claim::AtLeast(LEVEL), least, 0.0),
        Check::ours(quantity, Claim::Below(LEVEL), worst.wald.0, worst.wald.1),
    ];
    let prose = format!(
        "At the paper's noise, its shares and its `n`, Wald's intervals after re-scaling cover {:.2} to {:.2} of the time. The \
         intervals that `inbounds` states for a population invert the exact law of a noisy binomial count, so no constraint \
         enters: summed over all counts that can be measured, they cover {least:.3} to {most:.3}.",
        worst.wald.0,
        all.iter().map(|row| row.wald.0).fold(0.0, f64::max),
    );
    Ok(Findings { tables: vec![table], figure: Some(figure(&all)), checks, prose, substitute: None })
}

fn figure(all: &[Row]) -> Figure {
    let of_epsilon = |epsilon: f64| {
        let curve = |name: &str, share: f64, measure: fn(&Row) -> f64| {
            let chosen = all.iter().filter(|row| row.epsilon == epsilon && row.share == share);
            Series::line(
                format!("{name}, share {share}"),
                chosen.map(|row| (f64::from(row.rows), measure(row))).collect(),
            )
        };
        let (first, last) = (SHARES[0], SHARES[SHARES.len() - 1]);
        let series = vec![
            curve("inbounds", first, |row| row.coverage),
            curve("Wald", first, |row| row.wald.0),
            curve("inbounds", last, |row| row.coverage),
            curve("Wald", last, |row| row.wald.0),
        ];
        Panel {
            references: vec![Reference { at: At::Y(LEVEL), label: String::new() }],
            ..panel(format!("epsilon {epsilon}"), Axis::log("rows n"), Axis::linear("coverage"), series)
        }
    };
    Figure { panel_size: (360.0, 320.0), ..Figure::row("Coverage of 95 % intervals", EPSILONS.map(of_epsilon).into()) }
}
