//! Numbers that statistics share, each measured once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use inbounds_mechanisms::{
    mechanism::Together,
    noise::{DiscreteCube, fill_discrete_cube},
    sampler::SeededEntropy,
};

use crate::shared::Table;

/// Joint measurement of numbers that several statistics, or several parts of one, are made of: each once, with noise of
/// one of two kinds.
#[derive(Debug, Clone, PartialEq)]
pub enum SharedNumbers {
    /// One vector of cube noise a cell, which has all of epsilon for each of its numbers.
    Cube(SharedVector),
    /// Gaussian noise of its own for each of this many numbers, with an equal part of epsilon and delta, or of rho.
    Gaussian(usize),
}

/// One vector of noise, with the quantiles of its law and simulated draws from it. Copies have them in common, so that
/// they are made once for all statistics that share the vector.
#[derive(Debug, Clone)]
pub struct SharedVector {
    pub(super) together: Together,
    table: Arc<OnceLock<Arc<Table>>>,
    drawn: Arc<Mutex<Drawn>>,
}

/// Vectors that were drawn, by their shape.
type Drawn = Vec<(Shape, Arc<Vec<i128>>)>;

/// Numbers of replicates and of cells of simulated noise.
type Shape = (usize, usize);

/// Numbers of simulated noise that are kept at most, for each of as many shapes.
const MOST_KEPT: usize = 1 << 19;
const MOST_SHAPES: usize = 4;

impl SharedVector {
    /// A vector whose quantiles are not computed yet.
    pub(super) fn new(together: Together) -> Self {
        Self { together, table: Arc::default(), drawn: Arc::default() }
    }

    /// `true` if the two have quantiles and draws in common.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.drawn, &other.drawn)
    }

    /// The table of quantiles at a level; that of the level that was asked for first is kept.
    pub(crate) fn table(&self, level: f64) -> Arc<Table> {
        let new = || Arc::new(Table::new(self.together.dimensions(), level));
        let kept = self.table.get_or_init(new);
        if kept.level() == level { kept.clone() } else { new() }
    }

    /// Vectors of noise with seed 0, replicate after replicate, which all statistics see their errors simulated with;
    /// none where they are too many to keep.
    pub(crate) fn drawn(&self, shape: Shape, law: &DiscreteCube) -> Option<Arc<Vec<i128>>> {
        let (replicates, cells) = shape;
        let length = cells * law.dimensions();
        if replicates.saturating_mul(length) > MOST_KEPT {
            return None;
        }
        let mut kept = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, vectors)) = kept.iter().find(|(known, _)| *known == shape) {
            return Some(vectors.clone());
        }
        let mut entropy = SeededEntropy::from_seed(0);
        let mut vectors = vec![0; replicates * length];
        vectors.chunks_mut(length.max(1)).for_each(|replicate| fill_discrete_cube(law, &mut entropy, replicate));
        let vectors = Arc::new(vectors);
        kept.truncate(MOST_SHAPES - 1);
        kept.push((shape, vectors.clone()));
        Some(vectors)
    }
}

impl PartialEq for SharedVector {
    fn eq(&self, other: &Self) -> bool {
        self.together == other.together
    }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Epsilon, Sensitivity, StepRange};

    use super::*;

    /// Copies of a vector find one table and draw once, with as many replicates and cells; other vectors have others.
    #[test]
    fn copies_have_one_table_and_one_draw() {
        let epsilon = Epsilon::new("0.5".parse().expect("a number")).expect("positive");
        let together = Together::new(epsilon, 3, 1);
        let (one, other) = (SharedVector::new(together.clone()), SharedVector::new(together.clone()));
        let copy = one.clone();
        assert!(one == other && one.is_copy_of(&copy) && !one.is_copy_of(&other));
        assert!(Arc::ptr_eq(&one.table(0.95), &copy.table(0.95)) && !Arc::ptr_eq(&one.table(0.95), &other.table(0.95)));
        let moved = Sensitivity { l1: 4, linf: 4, cells: 1, rule: "test", squares: None };
        let number = together.coordinate(&moved, StepRange::UNBOUNDED, 1).expect("calibrates");
        let law = number.noise().as_cube().expect("cube noise");
        let [drawn, again, more] = [(10, 2), (10, 2), (5, 2)].map(|shape| copy.drawn(shape, law).expect("few"));
        assert!(Arc::ptr_eq(&drawn, &again) && Arc::ptr_eq(&drawn, &one.drawn((10, 2), law).expect("few")));
        assert_eq!((drawn.len(), &drawn[..30]), (60, &more[..]), "the draws of fewer replicates are the first ones");
        assert!(one.drawn((1 << 20, 1), law).is_none());
    }
}
