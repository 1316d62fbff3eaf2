//! Mean variances of the levels of a tree under equalities, where all measurements of a level have one variance.
//!
//! Subtrees of one shape have the same variances inside, so shapes are counted once, as often as they occur: a product
//! of five columns has one shape a level, and 240,000 block groups have some thousands. From below each shape sends the
//! variance of its best estimate, as in [`super::passes`]. From above, the variance of a child is `left + gain^2 P` in
//! the variance `P` of its parent (see [`super::covariance`]), so the sum over all nodes some levels below a shape is a
//! line in the variance of its own node; lines are put together from those of its children.

use std::collections::HashMap;

use crate::ProjectError;

/// A tree of levels, by the shapes of its subtrees.
///
/// # Example
/// Two counties and their state, each measured with variance 1: `2/3` for each estimate. The counties alone give the
/// state 2.
/// ```
/// use inbounds_project::tree::LevelVariances;
/// let tree = LevelVariances::new(&[1, 2], &[None, Some(0), Some(0)])?;
/// let mean = tree.means(&[1.0, 1.0]);
/// assert!((mean[0] - 2.0 / 3.0).abs() < 1e-15 && (mean[1] - 2.0 / 3.0).abs() < 1e-15);
/// assert_eq!(tree.means(&[f64::INFINITY, 1.0]), [2.0, 1.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LevelVariances {
    /// The shapes that begin at each level, coarse to fine.
    levels: Vec<Vec<Shape>>,
}

/// A subtree, as often as there are such.
#[derive(Debug, Clone, Default)]
struct Shape {
    count: f64,
    /// Shapes of the next level, and how many of each.
    children: Vec<(u32, f64)>,
}

/// The variance that a shape sends up, and the sums of variances of each level below it as lines in its own variance.
struct Sent {
    variance: f64,
    lines: Vec<(f64, f64)>,
}

impl LevelVariances {
    /// Of a forest with these numbers of nodes, level after level from the roots: all roots are on the first level and
    /// all leaves on the last.
    ///
    /// # Errors
    /// [`ProjectError::Length`] unless there is one parent for each node.
    ///
    /// # Panics
    /// If a node below the first level has no parent on the level above.
    pub fn new(sizes: &[usize], parents: &[Option<u32>]) -> Result<Self, ProjectError> {
        let (wanted, found) = (sizes.iter().sum(), parents.len());
        if wanted != found {
            return Err(ProjectError::Length { name: "parents", entries: "nodes", wanted, found });
        }
        let mut levels = vec![Vec::new(); sizes.len()];
        let Some((last, inner)) = sizes.split_last() else { return Ok(Self { levels }) };
        levels[inner.len()] = vec![Shape { count: *last as f64, children: Vec::new() }];
        let (mut shape_of, mut begin) = (vec![0_u32; *last], found - last);
        for (level, size) in inner.iter().enumerate().rev() {
            let above = begin - size;
            let mut children: Vec<Vec<u32>> = vec![Vec::new(); *size];
            for (shape, parent) in shape_of.iter().zip(&parents[begin..]) {
                let parent = parent.expect("a node below the first level has a parent") as usize;
                children[parent - above].push(*shape);
            }
            (shape_of, levels[level]) = shapes(children);
            begin = above;
        }
        Ok(Self { levels })
    }

    /// Mean variance of the estimates of each level, from the variance of each level's measurements: infinite for a
    /// level that is not measured, which must not be the last.
    ///
    /// # Contract
    /// The variances that [`TreeCovariance`](super::TreeCovariance) has for the same tree, averaged over the nodes of a
    /// level.
    ///
    /// # Panics
    /// Unless there is one variance for each level.
    pub fn means(&self, variance: &[f64]) -> Vec<f64> {
        assert_eq!(variance.len(), self.levels.len(), "one variance a level");
        let mut below: Vec<Sent> = Vec::new();
        for (shapes, &variance) in self.levels.iter().zip(variance).rev() {
            below = shapes.iter().map(|shape| shape.send(variance, &below)).collect();
        }
        let top = self.levels.first().map_or(&[][..], Vec::as_slice);
        let mean = |level: usize| {
            let of_shape = |(shape, sent): (&Shape, &Sent)| {
                let (at, slope) = sent.lines[level];
                shape.count * (at + slope * sent.variance)
            };
            let nodes: f64 = self.levels[level].iter().map(|shape| shape.count).sum();
            top.iter().zip(&below).map(of_shape).sum::<f64>() / nodes
        };
        (0..self.levels.len()).map(mean).collect()
    }

    /// The largest number of children that a node of a level has; 0 on the last level.
    pub fn largest_family(&self, level: usize) -> f64 {
        let family = |shape: &Shape| shape.children.iter().map(|(_, count)| count).sum::<f64>();
        self.levels[level].iter().map(family).fold(0.0, f64::max)
    }
}

/// The shape of each of some nodes, from the shapes of their children, and all shapes.
fn shapes(children: Vec<Vec<u32>>) -> (Vec<u32>, Vec<Shape>) {
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut shapes: Vec<Shape> = Vec::new();
    let of_node = |mut children: Vec<u32>| {
        children.sort_unstable();
        let next = shapes.len() as u32;
        if let Some(&shape) = known.get(&children) {
            shapes[shape as usize].count += 1.0;
            return shape;
        }
        let counted = children.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as f64));
        shapes.push(Shape { count: 1.0, children: counted.collect() });
        known.insert(children, next);
        next
    };
    let of_nodes = children.into_iter().map(of_node).collect();
    (of_nodes, shapes)
}

impl Shape {
    /// Variance and lines of a node of this shape, measured with this variance.
    fn send(&self, variance: f64, below: &[Sent]) -> Sent {
        let mut lines = vec![(0.0, 1.0)];
        if self.children.is_empty() {
            return Sent { variance, lines };
        }
        let sum: f64 = self.children.iter().map(|&(child, count)| count * below[child as usize].variance).sum();
        for &(child, count) in &self.children {
            let sent = &below[child as usize];
            // Children that are all known exactly learn nothing from above.
            let gain = if sum > 0.0 { sent.variance / sum } else { 0.0 };
            let left = sent.variance * (1.0 - gain);
            lines.resize(1 + sent.lines.len(), (0.0, 0.0));
            for (line, (at, slope)) in lines[1..].iter_mut().zip(&sent.lines) {
                line.0 += count * (at + slope * left);
                line.1 += count * slope * gain * gain;
            }
        }
        Sent { variance: 1.0 / (1.0 / variance + 1.0 / sum), lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        constraint::tree::{Tree, TreeSystem},
        tree::TreeCovariance,
    };

    /// Families of one to five, by a rule that repeats shapes and does not line them up.
    fn forest() -> (Vec<usize>, Vec<Option<u32>>) {
        let mut parents: Vec<Option<u32>> = vec![None, None];
        let (mut sizes, mut begin) = (vec![2], 0);
        for level in 0..3 {
            let end = parents.len();
            for parent in begin..end {
                parents.extend(vec![Some(parent as u32); 1 + (parent * 7 + level) % 5]);
            }
            sizes.push(parents.len() - end);
            begin = end;
        }
        (sizes, parents)
    }

    #[test]
    fn means_are_those_of_the_covariance_of_all_nodes() {
        let (sizes, parents) = forest();
        let levels = LevelVariances::new(&sizes, &parents).expect("a forest");
        assert!(levels.levels[2].len() < sizes[2], "shapes are counted once");
        for variances in [[1.0, 1.0, 1.0, 1.0], [9.0, 0.5, 2.0, 7.0], [1.0, f64::INFINITY, f64::INFINITY, 3.0]] {
            let of_nodes: Vec<f64> =
                sizes.iter().zip(variances).flat_map(|(size, variance)| vec![variance; *size]).collect();
            let tree = Tree::from_parents(&parents).expect("a forest");
            let system = TreeSystem::new(tree, vec![0.0; parents.len()], of_nodes).expect("variances");
            let exact = TreeCovariance::new(&system).variances();
            let mut begin = 0;
            for (size, mean) in sizes.iter().zip(levels.means(&variances)) {
                let expected = exact[begin..begin + size].iter().sum::<f64>() / *size as f64;
                assert!((mean - expected).abs() < 1e-12 * expected, "{mean} for {expected}");
                begin += size;
            }
        }
        assert_eq!((levels.largest_family(1), levels.largest_family(3)), (5.0, 0.0));
        assert!(LevelVariances::new(&[1, 3], &[None, Some(0)]).is_err());
    }
}
