//! The grid that estimates lie on: as fine as each tree, and each set of boxes, lets it be.

use inbounds_project::{
    certificate::Status,
    constraint::tree::{Tree, TreeSystem},
    tree::project,
};

use crate::draws::Draws;

/// A random tree whose root comes first, whole values of about `scale` and variances, and boxes a thousandth wider than
/// the values.
fn tree(dice: &mut Draws, nodes: usize, scale: f64) -> (Vec<Option<u32>>, Vec<f64>, Vec<f64>) {
    let parents = (0..nodes).map(|node| (node > 0).then(|| dice.between(0, node) as u32)).collect();
    let value = (0..nodes).map(|_| scale * (10.0 * dice.unit() - 2.0).round()).collect();
    let variance = (0..nodes).map(|node| if node > 0 && dice.chance(0.2) { f64::INFINITY } else { scale * scale });
    (parents, value, variance.collect())
}

/// Boxes around small sums of large noise: they bind where a grid for the noise would step over them. One grid for
/// values and noise left 1 to 5 % of these short of their certificate.
#[test]
fn boxes_narrower_than_noise_are_attained() {
    let mut dice = Draws::seeded(31);
    let mut feasible = 0;
    for round in 0..3000 {
        let (parents, value, variance) = tree(&mut dice, 3 + round % 18, 1.0);
        let upper: Vec<f64> = value.iter().map(|x| 1.001 * x.abs()).collect();
        let system = TreeSystem::new(Tree::from_parents(&parents).expect("a tree"), value, variance).expect("numbers");
        let solution = project(&system.boxed(vec![0.0; upper.len()], upper).expect("boxes"));
        match solution.status {
            Status::Infeasible { .. } => {}
            status => {
                assert_eq!(status, Status::Optimal, "round {round}: {:?}", solution.certificate);
                feasible += 1;
            }
        }
    }
    assert!(feasible > 1000, "{feasible}");
}

/// A tree keeps all of its digits beside one that is 1e15 times as large.
#[test]
fn trees_do_not_concern_each_other() {
    let mut dice = Draws::seeded(32);
    for round in 0..200 {
        let mut all = (Vec::new(), Vec::new(), Vec::new());
        let (mut alone, mut scales) = (Vec::new(), Vec::new());
        for scale in [1.0, 1e15, 1e-9] {
            let (parents, value, variance) = tree(&mut dice, 2 + round % 15, scale);
            let system = |parents: &[Option<u32>], value: &[f64], variance: &[f64]| {
                TreeSystem::new(Tree::from_parents(parents).expect("a forest"), value.to_vec(), variance.to_vec())
                    .expect("numbers")
                    .nonnegative()
            };
            scales.resize(scales.len() + parents.len(), scale);
            alone.extend(project(&system(&parents, &value, &variance)).estimates);
            let first = all.0.len() as u32;
            all.0.extend(parents.iter().map(|parent| parent.map(|parent| first + parent)));
            all.1.extend(value);
            all.2.extend(variance);
            if scale == 1e-9 {
                let together = project(&system(&all.0, &all.1, &all.2));
                assert_eq!(together.status, Status::Optimal);
                for (node, (one, other)) in alone.iter().zip(&together.estimates).enumerate() {
                    assert!((one - other).abs() <= 1e-12 * scales[node], "{node}: {one}, {other}");
                }
            }
        }
    }
}
