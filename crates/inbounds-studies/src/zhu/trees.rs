//! The variance of consistent counts along a tree, with noise at every level.

use inbounds_mechanisms::law::{Laplace, Noise};
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::{TreeCovariance, equality},
};

use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, simulate},
    picture::panel,
    places,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-trees",
    paper: Paper::Zhu,
    place: "Beyond the paper: variances along a tree",
    claim: "Under equalities the projected counts are unbiased (Theorem 7). (This project's own claim: their covariance is \
            `2 lambda^2 (I - A^+ A)`, at every level of a hierarchy with noise on all counts less than that of the noise.)",
    statements: &[],
    replicates: 4_000,
    compute,
};

/// Fan-out and depth.
const UNIFORM: [(u32, u32); 7] = [(2, 1), (2, 2), (2, 5), (3, 3), (4, 2), (10, 2), (16, 1)];

/// Variance of a count at `level` of a tree with `fan_out` children everywhere and leaves at level `depth`, over that
/// of the noise, which every count has but, if the root is public, the root.
///
/// From the eigenspaces of the tree, with `s_j = (f^(H - j + 1) - 1) / (f - 1)` nodes below a node of level `j`:
/// `f^(2 (H - l)) (f^-H / s_0 + (1 - 1/f) sum_(j=1)^l f^-(H - j) / s_j)`, the first term absent for a public root.
fn uniform(fan_out: u32, depth: u32, level: u32, public_root: bool) -> f64 {
    let f = f64::from(fan_out);
    let power = |exponent: u32| f.powi(exponent as i32);
    let below = |j: u32| (power(depth - j + 1) - 1.0) / (f - 1.0);
    let root = if public_root { 0.0 } else { 1.0 / (power(depth) * below(0)) };
    let splits: f64 = (1..=level).map(|j| 1.0 / (power(depth - j) * below(j))).sum();
    power(2 * (depth - level)) * (root + (1.0 - 1.0 / f) * splits)
}

/// A tree and the level of each node.
struct Levels {
    tree: Tree,
    level: Vec<usize>,
}

impl Levels {
    fn new(parents: &[Option<u32>]) -> Result<Self, StudyError> {
        let mut level: Vec<usize> = Vec::with_capacity(parents.len());
        for parent in parents {
            level.push(parent.map_or(0, |parent| level[parent as usize] + 1));
        }
        Ok(Self { tree: Tree::from_parents(parents)?, level })
    }

    fn uniform(fan_out: u32, depth: u32) -> Result<Self, StudyError> {
        let inner = (0..depth).map(|level| fan_out.pow(level)).sum::<u32>();
        let parents: Vec<Option<u32>> =
            std::iter::once(None).chain((0..inner).flat_map(|node| (0..fan_out).map(move |_| Some(node)))).collect();
        Self::new(&parents)
    }

    fn depth(&self) -> usize {
        self.level.iter().copied().max().unwrap_or(0)
    }

    /// Unit noise variance everywhere, but none at a public root.
    fn variance(&self, public_root: bool) -> Vec<f64> {
        self.level.iter().map(|&level| if public_root && level == 0 { 0.0 } else { 1.0 }).collect()
    }

    /// The system of errors: what the noise alone is projected on.
    fn system(&self, noise: Vec<f64>, public_root: bool) -> Result<TreeSystem, StudyError> {
        Ok(TreeSystem::new(self.tree.clone(), noise, self.variance(public_root))?)
    }

    /// Average of a number over the nodes of each level.
    fn averages(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.depth() + 1];
        for (&level, x) in self.level.iter().zip(numbers) {
            sums[level] = (sums[level].0 + x, sums[level].1 + 1.0);
        }
        sums.into_iter().map(|(sum, nodes)| sum / nodes).collect()
    }

    /// Exact variance at each level, over that of the noise.
    fn exact(&self, public_root: bool) -> Result<Vec<f64>, StudyError> {
        let system = self.system(vec![0.0; self.level.len()], public_root)?;
        Ok(self.averages(&TreeCovariance::new(&system).variances()))
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let headings = ["tree", "root", "level", "variance_over_noise", "simulated", "error"];
    let mut table = Table::new("variances", headings);
    let (mut checks, mut lines) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut row = |tree: &str, public: bool, level: usize, exact: f64, computed: Option<Mean>| {
        let computed = computed.map_or([f64::NAN; 2], |mean| [mean.value(), mean.error()]);
        let numbers = [level as f64, exact, computed[0], computed[1]].map(Cell::from);
        table.push([tree.into(), root(public).into()].into_iter().chain(numbers).collect::<Vec<_>>());
    };
    for (fan_out, depth) in UNIFORM {
        let levels = Levels::uniform(fan_out, depth)?;
        let name = format!("fan-out {fan_out}, depth {depth}");
        for public in [false, true] {
            let exact = levels.exact(public)?;
            exact.iter().enumerate().for_each(|(level, &exact)| row(&name, public, level, exact, None));
            let claimed = Claim::exactly(uniform(fan_out, depth, depth, public));
            let quantity = format!("{name}, {}: leaf variance over noise", root(public));
            checks.push(Check::ours(quantity, claimed, exact[depth as usize], 0.0));
            if depth > 1 {
                lines[usize::from(public)].push(Series::line(&name, of_levels(&exact)));
            }
        }
    }
    let (parents, substitute) = places::tracts(context)?;
    let levels = Levels::new(&parents)?;
    for public in [false, true] {
        let exact = levels.exact(public)?;
        let computed = simulated(context, &levels, public)?;
        for (level, (&exact, computed)) in exact.iter().zip(computed).enumerate() {
            row("New Mexico", public, level, exact, Some(computed));
            let quantity = format!("New Mexico, {}, level {level}: simulated variance over noise", root(public));
            checks.push(Check::ours(quantity, Claim::exactly(exact), computed.value(), computed.error()));
            let quantity = format!("New Mexico, {}, level {level}: variance over noise", root(public));
            checks.push(Check::ours(quantity, Claim::Below(1.0), exact, 0.0));
        }
        lines[usize::from(public)].push(Series::points("New Mexico, its counties and tracts", of_levels(&exact)));
    }
    let axes = || (Axis::linear("level (0 is the root)"), Axis::linear("variance over that of the noise"));
    let panels = ["Root measured", "Root public"].into_iter().zip(lines);
    let panels = panels.map(|(title, series)| panel(title, axes().0, axes().1, series)).collect();
    let prose = "The variances of least squares along any tree come from one pass; on uniform trees they are a closed form, met \
                 by all seven. Consistency takes most from inner levels: leaves keep nearly all their noise where the \
                 fan-out is large, which New Mexico's tracts show. Simulated in continuous noise on the state, its counties \
                 and its tracts of 2010."
        .to_owned();
    let figure = Figure::row("Variance of counts that add up along a tree", panels);
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute })
}

fn root(public: bool) -> &'static str {
    if public { "root public" } else { "root measured" }
}

fn of_levels(variances: &[f64]) -> Vec<(f64, f64)> {
    variances.iter().enumerate().map(|(level, &variance)| (level as f64, variance)).collect()
}

/// Average squared error of each level, over the variance of the noise.
fn simulated(context: &Context<'_>, levels: &Levels, public_root: bool) -> Result<Vec<Mean>, StudyError> {
    let noise = Laplace::with_scale(1.0)?;
    // What is wrong with a system shows here, before the replicates.
    levels.system(vec![0.0; levels.level.len()], public_root)?;
    let empty = || vec![Mean::default(); levels.depth() + 1];
    Ok(simulate(context, root(public_root), empty, |draws, means| {
        let variance = levels.variance(public_root);
        let errors = variance.iter().map(|&v| if v > 0.0 { draws.laplace(&noise) } else { 0.0 }).collect();
        let system = levels.system(errors, public_root).expect("finite errors");
        let squares: Vec<f64> = equality(&system).estimates.iter().map(|x| x * x / noise.variance()).collect();
        means.iter_mut().zip(levels.averages(&squares)).for_each(|(mean, square)| mean.add(square));
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dense projections, from `refs/tables/s6_projection.json`.
    #[test]
    fn uniform_trees_are_those_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../refs/tables/s6_projection.json");
        let table: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("table")).expect("JSON");
        let rows = table["trees"].as_array().expect("rows");
        assert!(rows.len() >= 40);
        for row in rows {
            let number = |name: &str| row[name].as_u64().expect("a number") as u32;
            let (fan_out, depth, level) = (number("fanout"), number("H"), number("level"));
            let public = row["fixed_root"].as_bool().expect("a flag");
            let expected = row["var_over_noise_var"].as_f64().expect("a number");
            let exact = Levels::uniform(fan_out, depth).and_then(|levels| levels.exact(public)).expect("a tree");
            for computed in [uniform(fan_out, depth, level, public), exact[level as usize]] {
                assert!((computed - expected).abs() <= 1e-12, "{row}: {computed}");
            }
        }
    }
}
