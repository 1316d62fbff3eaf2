//! Shares of a budget that follow noisy counts: divided anew after clamping, or projected on the simplex.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Series};
use inbounds_statistics::proportion::{onto_simplex, rescale};

use super::bounds;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
    places::State,
    statement::fairness as said,
};

pub(super) const STUDY: Study = Study {
    id: "fairness-shares",
    paper: Paper::Fairness,
    place: "Shares of a budget",
    claim: "(Abstract.) Where funds are allocated by private counts, the paper's post-processing is (approximately) optimal under \
            different fairness metrics: it reduces unfairness substantially, or the cost of privacy. (Read here as: noisy \
            shares are projected on the simplex, not clamped and divided by their sum. The paper's own definition could not be \
            read.)",
    statements: &[&said::ALLOCATION],
    replicates: 10_000,
    compute,
};

/// The large county beside empty ones, in scales of the noise.
const LARGE: f64 = 1e6;
/// Numbers of empty counties beside it.
const EMPTY: [u32; 5] = [3, 10, 30, 100, 300];
/// Scales of the noise on the counties of Texas, in people.
const SCALES: [f64; 4] = [100.0, 1000.0, 10_000.0, 50_000.0];

/// Rule that turns noisy counts into shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allotment {
    /// `max(y_i, 0)` over their sum.
    Clamped,
    /// The point of the simplex nearest to `y_i / sum y`.
    Projected,
    /// The point of the simplex nearest to `y_i / sum x`, where the sum is public.
    KnownTotal,
}

impl Allotment {
    const ALL: [Self; 3] = [Self::Clamped, Self::Projected, Self::KnownTotal];

    fn name(self) -> &'static str {
        match self {
            Self::Clamped => "clamped and divided",
            Self::Projected => "projected",
            Self::KnownTotal => "projected, total public",
        }
    }

    fn shares(self, noisy: &[f64], total: f64) -> Vec<f64> {
        let nearest = |sum: f64| {
            let unbounded: Vec<f64> = noisy.iter().map(|y| y / sum).collect();
            onto_simplex(&unbounded, &vec![1.0; noisy.len()], 1.0).expect("finite shares, unit weights and total")
        };
        match self {
            Self::Clamped => rescale(&noisy.iter().map(|y| y.max(0.0)).collect::<Vec<_>>()),
            Self::Projected => nearest(noisy.iter().sum()),
            Self::KnownTotal => nearest(total),
        }
    }
}

/// Correction of noisy shares that add up already, by a rule: largest fall, which is the least rise negated, largest
/// rise, and length. Fall and rise add up to the distance between the two.
#[derive(Debug, Clone, Copy)]
struct Correction {
    fall: f64,
    rise: f64,
    length: f64,
}

impl Correction {
    fn new(shares: &[f64], unbounded: &[f64]) -> Self {
        let moves: Vec<f64> = shares.iter().zip(unbounded).map(|(share, w)| share - w).collect();
        Self {
            fall: -moves.iter().copied().fold(f64::INFINITY, f64::min),
            rise: moves.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            length: libm::sqrt(moves.iter().map(|x| x * x).sum()),
        }
    }

    /// `true` if some measure of `self` is smaller than that of `other`, beyond rounding.
    fn undercuts(self, other: Self) -> bool {
        let less = |one: f64, two: f64| one < two - 1e-12 * (1.0 + two.abs());
        less(self.fall, other.fall)
            || less(self.rise, other.rise)
            || less(self.fall + self.rise, other.fall + other.rise)
            || less(self.length, other.length)
    }
}

/// Results of replicates for all rules on the same noise.
#[derive(Clone, Default)]
struct Allotted {
    /// Error of the smallest share less that of the largest.
    spread: [Mean; 3],
    /// Reduction of that by the projection.
    narrowed: Mean,
    /// Half the sum of absolute errors: what goes to the wrong place.
    misplaced: [Mean; 3],
    /// Reduction of the misplaced amount by the projection, against the other rule.
    saved: Mean,
    /// Replicates in which the other rule, or the truth itself, needs a smaller correction by some measure.
    undercut: Mean,
}

impl Tally for Allotted {
    fn absorb(&mut self, later: Self) {
        self.spread.absorb(later.spread);
        self.narrowed.absorb(later.narrowed);
        self.misplaced.absorb(later.misplaced);
        self.saved.absorb(later.saved);
        self.undercut.absorb(later.undercut);
    }
}

/// All rules on counts in ascending order, in units of counts: shares times the total.
fn simulated(context: &Context<'_>, name: &str, counts: &[f64], scale: f64) -> Result<Allotted, StudyError> {
    let (noise, total) = (Laplace::with_scale(scale)?, counts.iter().sum::<f64>());
    let truth: Vec<f64> = counts.iter().map(|x| x / total).collect();
    Ok(simulate(context, name, Allotted::default, |draws, allotted| {
        let noisy: Vec<f64> = counts.iter().map(|x| x + draws.laplace(&noise)).collect();
        let sum: f64 = noisy.iter().sum();
        let unbounded: Vec<f64> = noisy.iter().map(|y| y / sum).collect();
        let shares = Allotment::ALL.map(|rule| rule.shares(&noisy, total));
        let misplaced = shares.each_ref().map(|shares| {
            let errors: Vec<f64> = shares.iter().zip(&truth).map(|(share, truth)| total * (share - truth)).collect();
            (errors[0] - errors[errors.len() - 1], errors.iter().map(|error| error.abs()).sum::<f64>() / 2.0)
        });
        for (rule, (spread, wrong)) in misplaced.into_iter().enumerate() {
            allotted.spread[rule].add(spread);
            allotted.misplaced[rule].add(wrong);
        }
        allotted.narrowed.add(misplaced[0].0 - misplaced[1].0);
        allotted.saved.add(misplaced[0].1 - misplaced[1].1);
        let least = Correction::new(&shares[1], &unbounded);
        let undercut =
            [&shares[0], &truth].into_iter().any(|other| Correction::new(other, &unbounded).undercuts(least));
        allotted.undercut.add(f64::from(u8::from(undercut)));
    }))
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let state = State::read(context, "TX", 254)?;
    let counties: Vec<f64> = state.order().into_iter().map(|index| state.people[index]).collect();
    let headings = ["counties", "scale", "rule", "spread", "spread_error", "misplaced", "misplaced_error"];
    let mut table = Table::new("shares", headings);
    let (mut checks, mut of_empty, mut of_state) = (Vec::new(), Vec::new(), Vec::new());
    let mut row = |name: &str, scale: f64, allotted: &Allotted| {
        for (rule, (spread, wrong)) in Allotment::ALL.into_iter().zip(allotted.spread.iter().zip(&allotted.misplaced)) {
            let numbers = [spread.value(), spread.error(), wrong.value(), wrong.error()].map(Cell::from);
            let head = [name.into(), scale.into(), rule.name().into()];
            table.push(head.into_iter().chain(numbers).collect::<Vec<Cell>>());
        }
    };
    for empty in EMPTY {
        let counts = [vec![0.0; empty as usize], vec![LARGE]].concat();
        let name = format!("{empty} empty counties and a large one");
        let allotted = simulated(context, &name, &counts, 1.0)?;
        row(&name, 1.0, &allotted);
        checks.push(clamped_is_linear(&name, empty, &allotted.spread[0]));
        checks.push(projected_is_a_root(&name, empty, &allotted.spread[1]));
        checks.extend(compared(&name, &allotted));
        checks.push(bounded(&name, &allotted, &counts, 1.0)?);
        of_empty.push((f64::from(empty), allotted.spread));
    }
    for scale in SCALES {
        let name = format!("{} of {}, scale {scale}", counties.len(), state.code);
        let allotted = simulated(context, &name, &counties, scale)?;
        row(state.code, scale, &allotted);
        checks.extend(compared(&name, &allotted));
        checks.push(bounded(&name, &allotted, &counties, scale)?);
        if state.substitute.is_none() {
            checks.push(misplaced(&name, &allotted));
        }
        of_state.push((scale / 1000.0, allotted.spread));
    }
    let (name, counts) = ("100 counties of one scale", vec![1.0; 100]);
    let allotted = simulated(context, name, &counts, 1.0)?;
    row(name, 1.0, &allotted);
    let quantity = format!("{name}: people misplaced less by the projection, in scales");
    checks.push(Check::ours(quantity, Claim::Below(0.0), allotted.saved.value(), allotted.saved.error()));
    let figure = figure(&of_empty, &of_state);
    Ok(Findings {
        tables: vec![table],
        figure: Some(figure),
        checks,
        prose: PROSE.to_owned(),
        substitute: state.substitute,
    })
}

const PROSE: &str = "There are no data on schools here: counts are those of the counties of Texas, all with one weight, and of a large \
    county beside empty ones. Biases are in people: those of shares, times the total. Among all shares the projection moves noisy \
    shares that add up the least: its largest rise, its largest fall, their distance and its length are the smallest that nonnegativity \
    leaves, in every release (theorem 6 of [least-bias.md](../least-bias.md); here against the clamp and against the true shares). In that \
    sense it is optimal, and in this setting its biases are less far apart than those of the clamp. No rule has the least `alpha` at every \
    table: constant shares have none at their own. Of `n` empty counties the clamp takes `(n + 1) / 2` scales, the projection little \
    more than `sqrt(n / pi)`, for the noise of the sum that it divides by; where the total is public, the logarithm of `n` is left. \
    With large noise fewer people are misplaced too, with little noise as many; where all counts are equal and about as large \
    as the noise, the clamp misplaces fewer, as it draws towards equal shares.";

/// A clamped empty county gains half a scale, and the large one loses what all of them gain: `(n + 1) / 2` scales
/// apart, but for the small change of the total.
fn clamped_is_linear(name: &str, empty: u32, spread: &Mean) -> Check {
    let value = f64::from(empty + 1) / 2.0;
    let claimed = Claim::Is { value, within: 1e-3 * value };
    Check::ours(format!("{name}, clamped and divided: spread"), claimed, spread.value(), spread.error())
}

/// `t >= 0` passes what the noise of the empty counties lacks in sum, half of whose mean size is about `sqrt(n / pi)`.
fn projected_is_a_root(name: &str, empty: u32, spread: &Mean) -> Check {
    let least = libm::sqrt(f64::from(empty) / std::f64::consts::PI);
    Check::ours(format!("{name}, projected: spread"), Claim::AtLeast(least), spread.value(), spread.error())
}

/// The paper's claim about its rule, with the reason.
///
/// Claim: `projection-least-correction`.
fn compared(name: &str, allotted: &Allotted) -> [Check; 2] {
    let (narrowed, undercut) = (&allotted.narrowed, allotted.undercut.value());
    let quantity = format!("{name}: spread, less by the projection");
    [
        Check::reproduced(&said::ALLOCATION, quantity, Claim::Above(0.0), narrowed.value(), narrowed.error()),
        Check::ours(format!("{name}: share of smaller corrections"), Claim::exactly(0.0), undercut, 0.0),
    ]
}

/// Theorem 5, where the total is public.
fn bounded(name: &str, allotted: &Allotted, counts: &[f64], scale: f64) -> Result<Check, StudyError> {
    let (spread, bound) = (allotted.spread[Allotment::KnownTotal as usize], bounds::spread(counts, scale)?);
    let quantity = format!("{name}, projected, total public: spread");
    Ok(Check::ours(quantity, Claim::AtMost(bound), spread.value(), spread.error()))
}

/// Less unfairness does not cost accuracy here.
fn misplaced(name: &str, allotted: &Allotted) -> Check {
    let (quantity, clamped) = (format!("{name}: part misplaced less by the projection"), allotted.misplaced[0].value());
    Check::ours(quantity, Claim::AtLeast(-1e-3), allotted.saved.value() / clamped, allotted.saved.error() / clamped)
}

fn figure(of_empty: &[(f64, [Mean; 3])], of_state: &[(f64, [Mean; 3])]) -> Figure {
    let lines = |curve: &[(f64, [Mean; 3])]| {
        let line = |rule: Allotment| {
            let points = curve.iter().map(|(x, spread)| (*x, spread[rule as usize].value()));
            Series::line(rule.name(), points.collect())
        };
        Allotment::ALL.map(line).into()
    };
    let empty = panel(
        "A large county and empty ones",
        Axis::log("empty counties"),
        Axis::log("spread of biases (scales of the noise)"),
        lines(of_empty),
    );
    let state = panel(
        "Counties of Texas",
        Axis::log("scale of the noise (thousand people)"),
        Axis::log("spread of biases (people)"),
        lines(of_state),
    );
    Figure::row("Bias of shares, in people: smallest county less largest", vec![empty, state])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the projection of (1.5, 0.1, -0.6) is (1, 0, 0), so the largest fall is 0.5 and the largest rise 0.6.
    #[test]
    fn corrections_of_the_projection_are_least() {
        let unbounded = [1.5, 0.1, -0.6];
        let projected = Allotment::Projected.shares(&unbounded, 2.0);
        assert_eq!(projected, [1.0, 0.0, 0.0]);
        let least = Correction::new(&projected, &unbounded);
        assert!((least.fall - 0.5).abs() < 1e-15 && (least.rise - 0.6).abs() < 1e-15);
        for other in [Allotment::Clamped.shares(&unbounded, 2.0), vec![0.9, 0.05, 0.05], vec![0.0, 1.0, 0.0]] {
            assert!(!Correction::new(&other, &unbounded).undercuts(least), "{other:?}");
            assert!(least.undercuts(Correction::new(&other, &unbounded)), "{other:?}");
        }
    }
}
