//! Random hierarchies like those of a census: nation, states, counties, tracts, block groups, blocks.

use inbounds_project::constraint::tree::{Tree, TreeSystem};

/// Mean number of children, from block groups' blocks upwards; the states are as many as the leaves call for.
const FANOUT: [usize; 4] = [35, 3, 27, 62];

/// Scale of the Laplace noise on every node.
const SCALE: f64 = 2.0;

/// A hierarchy in breadth-first order with its noisy counts.
pub(crate) struct Geography {
    pub(crate) parents: Vec<Option<u32>>,
    pub(crate) value: Vec<f64>,
    pub(crate) variance: Vec<f64>,
}

impl Geography {
    /// About `leaves` blocks, two in five empty, the others log-normal: heavy-tailed, with many zeros.
    pub(crate) fn random(leaves: usize, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let parents = parents(leaves, &mut dice);
        let nodes = parents.len();
        let begin = parents.last().copied().flatten().map_or(0, |last| last as usize + 1);
        let mut value = vec![0.0; nodes];
        for block in &mut value[begin..] {
            *block = if dice.uniform() < 0.4 { 0.0 } else { (3.0 + 1.2 * dice.normal()).exp().floor() };
        }
        for node in (1..nodes).rev() {
            if let Some(parent) = parents[node] {
                value[parent as usize] += value[node];
            }
        }
        for count in &mut value {
            *count += SCALE * dice.laplace();
        }
        Self { parents, value, variance: vec![2.0 * SCALE * SCALE; nodes] }
    }

    pub(crate) fn system(&self) -> TreeSystem {
        let tree = Tree::from_parents(&self.parents).expect("a tree");
        TreeSystem::new(tree, self.value.clone(), self.variance.clone()).expect("a system")
    }
}

/// Level by level; fan-outs are uniform between 1 and twice their mean.
fn parents(leaves: usize, dice: &mut Dice) -> Vec<Option<u32>> {
    let below = |levels: usize| FANOUT[..levels].iter().product::<usize>();
    let levels = (1..=FANOUT.len()).rev().find(|&levels| below(levels) * 2 <= leaves).unwrap_or(1);
    let top = leaves.div_ceil(below(levels));
    let mut parents = vec![None];
    parents.extend((0..top).map(|_| Some(0)));
    let mut level = 1..parents.len();
    for &mean in FANOUT[..levels].iter().rev() {
        for parent in level.clone() {
            let children = 1 + dice.next() as usize % (2 * mean - 1);
            parents.extend((0..children).map(|_| Some(parent as u32)));
        }
        level = level.end..parents.len();
    }
    parents
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn laplace(&mut self) -> f64 {
        let magnitude = -(1.0 - self.uniform()).ln();
        if self.uniform() < 0.5 { magnitude } else { -magnitude }
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
