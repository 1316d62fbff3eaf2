//! What the paper finds in its first simulation, at the fewest and at the most rows.

use super::{
    covariance::{ROWS, STATISTICS, Simulated},
    mechanism::Mechanism,
};
use crate::{
    Check, Claim,
    monte_carlo::{Mean, Sample},
    statement::liu as said,
};

/// Places of the statistics.
const S11: usize = 0;
const S12: usize = 2;
const R: usize = 3;
/// The paper's two mechanisms.
const PAPERS: [Mechanism; 2] = [Mechanism::Clamped, Mechanism::Published];

/// A number and its standard error.
type Found = (f64, f64);

impl Simulated {
    /// Mean of a function of a statistic.
    fn mean(&self, statistic: usize, of: impl Fn(f64) -> f64) -> Found {
        let mut mean = Mean::default();
        let Sample(all) = &self.released.0[statistic];
        all.iter().for_each(|&x| mean.add(of(x)));
        (mean.value(), mean.error())
    }

    fn bias(&self, statistic: usize) -> Found {
        let truth = self.setting.truths()[statistic];
        self.mean(statistic, |x| x - truth)
    }

    fn square(&self, statistic: usize) -> Found {
        let truth = self.setting.truths()[statistic];
        self.mean(statistic, |x| (x - truth) * (x - truth))
    }

    /// Share of the released values that are `end` in absolute value.
    fn share_at(&self, statistic: usize, end: f64) -> Found {
        self.mean(statistic, |x| f64::from(u8::from(x.abs() == end)))
    }

    fn words(&self, statistic: usize) -> String {
        let setting = &self.setting;
        let (n, r) = (setting.rows, setting.correlation);
        format!("{}, r = {r}, n = {n}, {}", STATISTICS[statistic], setting.mechanism.name())
    }
}

fn difference(more: Found, less: Found) -> Found {
    (more.0 - less.0, libm::hypot(more.1, less.1))
}

fn size((value, error): Found) -> Found {
    (value.abs(), error)
}

/// The checks.
pub(super) fn of(cells: &[Simulated]) -> Vec<Check> {
    let at = |mechanism, correlation, rows| {
        let wanted = |cell: &&Simulated| {
            let setting = &cell.setting;
            setting.mechanism == mechanism && setting.correlation == correlation && setting.rows == rows
        };
        cells.iter().find(wanted).expect("a simulated cell")
    };
    let (few, many) = (ROWS[0], ROWS[4]);
    let mut checks = Vec::new();
    for mechanism in PAPERS {
        checks.extend(biased(at(mechanism, 0.7, few)));
        checks.extend(unbiased(at(mechanism, 0.0, few)));
        checks.extend(limit(at(mechanism, 0.7, few), at(mechanism, 0.7, many)));
    }
    let ours = limit(at(Mechanism::Exact, 0.7, few), at(Mechanism::Exact, 0.7, many)).into_iter();
    checks.extend(ours.map(|check| Check::ours(check.what, check.claimed, check.found, check.error)));
    checks.extend(order(at(Mechanism::Clamped, 0.7, few), at(Mechanism::Published, 0.7, few)));
    checks.extend(ends(at(Mechanism::Clamped, 0.7, few), at(Mechanism::Clamped, 0.7, many)));
    checks
}

fn biased(cell: &Simulated) -> Vec<Check> {
    let check = |statistic: usize, claimed: Claim| {
        let (found, error) = cell.bias(statistic);
        Check::reproduced(&said::FIGURE_1, format!("bias: {}", cell.words(statistic)), claimed, found, error)
    };
    let (up, down) = (Claim::Above(0.1), Claim::Below(-0.1));
    vec![check(S11, up), check(S12, down), check(R, down)]
}

fn unbiased(cell: &Simulated) -> Vec<Check> {
    let check = |statistic: usize| {
        let (found, error) = cell.bias(statistic);
        let what = format!("bias: {}", cell.words(statistic));
        Check::reproduced(&said::FIGURE_1_ZERO, what, Claim::exactly(0.0), found, error)
    };
    vec![check(S12), check(R)]
}

/// Bias and error at the most rows against those at the fewest.
fn limit(few: &Simulated, many: &Simulated) -> Vec<Check> {
    let mut checks = Vec::new();
    for statistic in [S11, S12, R] {
        let words =
            |measure: &str| format!("{measure} less that at n = {}: {}", few.setting.rows, many.words(statistic));
        let less = Claim::Below(0.0);
        let (found, error) = difference(size(many.bias(statistic)), size(few.bias(statistic)));
        checks.push(Check::reproduced(&said::FIGURE_1_LIMIT, words("absolute bias"), less, found, error));
        let (found, error) = difference(many.square(statistic), few.square(statistic));
        checks.push(Check::reproduced(&said::FIGURE_1_LIMIT, words("MSE"), less, found, error));
    }
    checks
}

/// Truncation against BIT, for what is released within released ends.
fn order(clamped: &Simulated, published: &Simulated) -> [Check; 2] {
    let excess = |statistic| difference(size(published.bias(statistic)), size(clamped.bias(statistic)));
    let what = |statistic| format!("absolute bias less that of clamping: {}", published.words(statistic));
    let (more, why) = (Claim::Above(0.0), "clamped variances of zero leave the covariance no room at all");
    let [(s12, s12_error), (r, r_error)] = [S12, R].map(excess);
    [
        Check::differs(&said::FIGURE_1_ORDER, what(S12), more, s12, s12_error, why, 52),
        Check::reproduced(&said::FIGURE_1_ORDER, what(R), more, r, r_error),
    ]
}

/// How often clamped values are at an end.
fn ends(few: &Simulated, many: &Simulated) -> Vec<Check> {
    let positive = Claim::Above(0.0);
    let (exact, shares) = (&said::EXACT_ENDS, &said::FIGURE_1_ENDS);
    let [zeros, ones] = [few.share_at(S11, 0.0), few.share_at(R, 1.0)];
    let more = difference(ones, many.share_at(R, 1.0));
    let what = format!("share of values at an end: {}", few.words(R));
    vec![
        Check::reproduced(exact, format!("share of values that are 0: {}", few.words(S11)), positive, zeros.0, zeros.1),
        Check::reproduced(exact, what.clone(), positive, ones.0, ones.1),
        Check::reproduced(shares, format!("{what}, less that at n = 800"), positive, more.0, more.1),
        Check::reproduced(
            shares,
            format!("{what}, less that of S11"),
            positive,
            ones.0 - zeros.0,
            libm::hypot(ones.1, zeros.1),
        ),
    ]
}
