//! Measurements with the laws of their noise.

use std::{collections::HashMap, sync::Arc};

use inbounds_mechanisms::noise::GridNoise;

/// One measured number: `value = answer + step * n`, with `n` drawn from `noise`.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    /// The noisy number, in the unit of its statistic.
    pub(crate) value: f64,
    pub(crate) noise: Arc<GridNoise>,
    /// One step, in that unit.
    pub(crate) step: f64,
    /// The vector of noise that it is one number of, where it is; numbers without one are independent of all others.
    pub(crate) vector: Option<usize>,
}

/// The measurements of one bundle, or of several that are compared.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    atoms: Vec<Atom>,
    /// The place of each measurement that statistics share, by its identity.
    shared: HashMap<String, usize>,
    vectors: HashMap<String, usize>,
}

impl Atoms {
    pub(crate) fn get(&self, place: usize) -> &Atom {
        &self.atoms[place]
    }

    /// A measurement of its own.
    pub(crate) fn add(&mut self, atom: Atom) -> usize {
        self.atoms.push(atom);
        self.atoms.len() - 1
    }

    /// The measurement of this name, which is added where there is none; none if one of another value has the name.
    pub(crate) fn shared(&mut self, name: &str, atom: Atom) -> Option<usize> {
        if let Some(&place) = self.shared.get(name) {
            return (self.atoms[place].value == atom.value).then_some(place);
        }
        let place = self.add(atom);
        self.shared.insert(name.to_owned(), place);
        Some(place)
    }

    /// The number of a vector of noise by its name.
    pub(crate) fn vector(&mut self, name: &str) -> usize {
        let next = self.vectors.len();
        *self.vectors.entry(name.to_owned()).or_insert(next)
    }
}
