//! Linear forms of measurements.

use std::collections::BTreeMap;

use super::Atoms;

/// `constant + sum_j c_j m_j` over measurements by their place among all.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Form {
    pub(crate) terms: BTreeMap<usize, f64>,
    pub(crate) constant: f64,
}

impl Form {
    /// A public number.
    pub(crate) fn of_number(constant: f64) -> Self {
        Self { terms: BTreeMap::new(), constant }
    }

    /// One measurement.
    pub(crate) fn of_atom(atom: usize) -> Self {
        Self { terms: BTreeMap::from([(atom, 1.0)]), constant: 0.0 }
    }

    /// The form and `factor` times another; a measurement that both have is one term, and none where nothing is left of
    /// it.
    pub(crate) fn plus(mut self, factor: f64, other: &Self) -> Self {
        self.constant += factor * other.constant;
        for (atom, coefficient) in &other.terms {
            let term = self.terms.entry(*atom).or_insert(0.0);
            let (before, more) = (*term, factor * coefficient);
            *term += more;
            if term.abs() <= 1e-14 * before.abs().max(more.abs()) {
                self.terms.remove(atom);
            }
        }
        self
    }

    /// `factor` times the form.
    pub(crate) fn times(&self, factor: f64) -> Self {
        Self::default().plus(factor, self)
    }

    /// Its value for the measured numbers.
    pub(crate) fn value(&self, atoms: &Atoms) -> f64 {
        self.constant + self.terms.iter().map(|(atom, coefficient)| coefficient * atoms.get(*atom).value).sum::<f64>()
    }

    /// The measurements that it is made of.
    pub(crate) fn atoms(&self) -> Vec<usize> {
        self.terms.keys().copied().collect()
    }

    /// `true` for a form without noise.
    pub(crate) fn is_public(&self) -> bool {
        self.terms.is_empty()
    }

    /// The root of its variance: numbers of one vector are uncorrelated, and measurements of different ones
    /// independent.
    pub(crate) fn deviation(&self, atoms: &Atoms) -> f64 {
        let variance = |(atom, coefficient): (&usize, &f64)| {
            let atom = atoms.get(*atom);
            let step = coefficient * atom.step;
            step * step * atom.noise.variance()
        };
        libm::sqrt(self.terms.iter().map(variance).sum())
    }
}

use inbounds_mechanisms::law::Noise;

/// Form of a number in the measurements: unbiased, or the quotient of two unbiased ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Raw {
    /// A linear form.
    Linear(Form),
    /// A mean: one form over another, which is a number of rows.
    Quotient(Form, Form),
}

impl Raw {
    /// Its value; none for a mean of a measured number of rows that is not positive, which no row can have.
    pub(crate) fn value(&self, atoms: &Atoms) -> Option<f64> {
        match self {
            Self::Linear(form) => Some(form.value(atoms)),
            Self::Quotient(top, bottom) => {
                let bottom = bottom.value(atoms);
                (bottom > 0.0).then(|| top.value(atoms) / bottom)
            }
        }
    }

    /// The measurements that it is made of.
    pub(crate) fn atoms(&self) -> Vec<usize> {
        let mut atoms: Vec<usize> = match self {
            Self::Linear(form) => form.atoms(),
            Self::Quotient(top, bottom) => [top.atoms(), bottom.atoms()].concat(),
        };
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}
