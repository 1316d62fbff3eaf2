//! Intervals of forms and quotients of measurements.

use std::{collections::HashMap, sync::Arc};

use inbounds_mechanisms::noise::GridNoise;

use crate::{
    law::{AcceptedSet, JointDraws, NoiseSum, NoiseVector, QuotientLaw, SumRadius, WeightedNoise, draws_for},
    method::FigureMethod,
    numbers::{Atom, Atoms, Form, Raw},
};

/// Seed of all draws: fixed, so that no measurement can have a part in it.
pub(crate) const SEED: u64 = 0;

/// Most different terms of a sum whose law is convolved; of more it is drawn.
const MOST_TERMS: usize = 300;

/// The answers that measurements do not reject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Solved {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) method: FigureMethod,
    /// The ends of a shortest interval of this kind are at most so much nearer.
    pub(crate) error: f64,
    /// True if no possible value was accepted, so that all of them are shown.
    pub(crate) contradicts: bool,
}

impl Solved {
    /// The same, wide enough to hold the estimate: public numbers, bounds and whole numbers may move that away from the
    /// measurements that the interval is made around.
    pub(crate) fn holding(self, estimate: Option<f64>) -> Self {
        let Some(estimate) = estimate else { return self };
        Self { lower: self.lower.min(estimate), upper: self.upper.max(estimate), ..self }
    }
}

/// Solves, and remembers the laws that many cells have.
pub(crate) struct Solver<'a> {
    atoms: &'a Atoms,
    radii: HashMap<String, Result<(SumRadius, FigureMethod), TooRare>>,
    quotients: HashMap<String, QuotientLaw>,
    draws: HashMap<String, JointDraws>,
}

/// A chance of a miss for which more draws would be needed than are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TooRare;

impl<'a> Solver<'a> {
    pub(crate) fn new(atoms: &'a Atoms) -> Self {
        Self { atoms, radii: HashMap::new(), quotients: HashMap::new(), draws: HashMap::new() }
    }

    /// The interval of a number, cut to a range that it is known to lie in.
    pub(crate) fn interval(&mut self, raw: &Raw, miss: f64, range: (f64, f64)) -> Result<Solved, TooRare> {
        match raw {
            Raw::Linear(form) => self.form(form, miss, range),
            Raw::Quotient(top, bottom) => self.quotient(top, bottom, miss, range),
        }
    }

    /// Of a form: the measured value, moved into the range, with the radius of its noise, cut to the range.
    fn form(&mut self, form: &Form, miss: f64, (least, most): (f64, f64)) -> Result<Solved, TooRare> {
        let (radius, method) = self.radius(form, miss)?;
        let centre = form.value(self.atoms).clamp(least, most);
        let (lower, upper) = ((centre - radius.value).max(least), (centre + radius.value).min(most));
        Ok(Solved { lower, upper, method, error: radius.error, contradicts: false })
    }

    /// The deviation that the noise of a form passes with a chance of at most `miss`.
    pub(crate) fn radius(&mut self, form: &Form, miss: f64) -> Result<(SumRadius, FigureMethod), TooRare> {
        if form.is_public() {
            return Ok((SumRadius { value: 0.0, error: 0.0 }, FigureMethod::Public));
        }
        let mut name = self.signature(&[form]);
        name.push_str(&miss.to_bits().to_string());
        if let Some(known) = self.radii.get(&name) {
            return *known;
        }
        let radius = if self.has_vectors(&[form]) || self.different_terms(form) > MOST_TERMS {
            self.drawn(form, &Form::default(), miss)
                .map(|draws| (SumRadius { value: draws.radius(miss), error: 0.0 }, FigureMethod::JointDraws))
        } else {
            Ok((NoiseSum::radius_of(&self.weighted(form), miss), FigureMethod::NoiseSum))
        };
        self.radii.insert(name, radius);
        radius
    }

    /// The ratios of a range that are not rejected.
    pub(crate) fn quotient(
        &mut self,
        top: &Form,
        bottom: &Form,
        miss: f64,
        range: (f64, f64),
    ) -> Result<Solved, TooRare> {
        if bottom.is_public() {
            return if bottom.constant == 0.0 {
                Ok(Solved {
                    lower: range.0,
                    upper: range.1,
                    method: FigureMethod::Public,
                    error: 0.0,
                    contradicts: false,
                })
            } else {
                self.form(&top.times(1.0 / bottom.constant), miss, range)
            };
        }
        if top.is_public() {
            return self.over_noise(top.constant, bottom, miss, range);
        }
        let (accepted, method) = match Parts::split(self, top, bottom, range) {
            Some(parts) => (self.parts(&parts, miss), FigureMethod::QuotientTest),
            None => {
                let measured = (top.value(self.atoms), bottom.value(self.atoms));
                (self.drawn(top, bottom, miss)?.accepted(measured, miss, range), FigureMethod::JointDraws)
            }
        };
        let (lower, upper, contradicts) = match accepted {
            AcceptedSet::Between { lower, upper } => (lower.max(range.0), upper.min(range.1), false),
            AcceptedSet::Empty => (range.0, range.1, true),
        };
        Ok(Solved { lower, upper, method, error: 0.0, contradicts })
    }

    /// A public number over a noisy one: the quotients by all that the denominator may be.
    fn over_noise(&mut self, top: f64, bottom: &Form, miss: f64, range: (f64, f64)) -> Result<Solved, TooRare> {
        let Solved { lower, upper, method, .. } = self.form(bottom, miss, (f64::NEG_INFINITY, f64::INFINITY))?;
        // Denominators that leave the quotient in its range have the sign that a range of one sign says.
        let sign = if range.0 >= 0.0 { top.signum() } else { 0.0 };
        let (lower, upper) = match () {
            () if sign > 0.0 => (lower.max(0.0), upper),
            () if sign < 0.0 => (lower, upper.min(0.0)),
            () => (lower, upper),
        };
        if lower > upper {
            return Ok(Solved { lower: range.0, upper: range.1, method, error: 0.0, contradicts: true });
        }
        let over = |bottom: f64| top / bottom;
        let (from, to) = match () {
            () if lower > 0.0 || upper < 0.0 => (over(lower).min(over(upper)), over(lower).max(over(upper))),
            () if sign != 0.0 && lower == 0.0 && upper > 0.0 => (over(upper), f64::INFINITY),
            () if sign != 0.0 && upper == 0.0 && lower < 0.0 => (over(lower), f64::INFINITY),
            () => (f64::NEG_INFINITY, f64::INFINITY),
        };
        Ok(Solved { lower: from.max(range.0), upper: to.min(range.1), method, error: 0.0, contradicts: false })
    }

    fn parts(&mut self, parts: &Parts, miss: f64) -> AcceptedSet {
        let name = self.signature(&[&parts.one, &parts.other]);
        let (one, other) = (self.weighted(&parts.one), self.weighted(&parts.other));
        let law = self.quotients.entry(name).or_insert_with(|| QuotientLaw::new(&one, &other));
        let measured = (parts.one.value(self.atoms), parts.other.value(self.atoms));
        match law.accepted(measured, miss, parts.range) {
            AcceptedSet::Between { lower, upper } => parts.ratios(lower, upper),
            AcceptedSet::Empty => AcceptedSet::Empty,
        }
    }

    fn drawn(&mut self, top: &Form, bottom: &Form, miss: f64) -> Result<&JointDraws, TooRare> {
        let count = draws_for(miss).ok_or(TooRare)?;
        let name = format!("{count}/{}", self.signature(&[top, bottom]));
        let atoms = self.atoms;
        Ok(self.draws.entry(name).or_insert_with(|| {
            let mut places: Vec<usize> = top.terms.keys().chain(bottom.terms.keys()).copied().collect();
            places.sort_unstable();
            places.dedup();
            let mut independent = Vec::new();
            let mut vectors: Vec<(usize, NoiseVector)> = Vec::new();
            for place in places {
                let atom = atoms.get(place);
                let step_of = |form: &Form| form.terms.get(&place).copied().unwrap_or(0.0) * atom.step;
                let steps = [step_of(top), step_of(bottom)];
                match (atom.vector, &*atom.noise) {
                    (Some(vector), GridNoise::Cube(law)) => {
                        let coordinate = (Arc::new(law.clone()), steps);
                        match vectors.iter_mut().find(|(known, _)| *known == vector) {
                            Some((_, known)) => known.coordinates.push(coordinate),
                            None => vectors.push((vector, NoiseVector { coordinates: vec![coordinate] })),
                        }
                    }
                    _ => independent.push((atom.noise.clone(), steps)),
                }
            }
            let vectors: Vec<NoiseVector> = vectors.into_iter().map(|(_, vector)| vector).collect();
            JointDraws::new(&independent, &vectors, count, SEED)
        }))
    }

    /// `true` if two measurements of the forms are numbers of one vector.
    pub(crate) fn has_vectors(&self, forms: &[&Form]) -> bool {
        let mut seen: Vec<(usize, usize)> = forms
            .iter()
            .flat_map(|form| form.terms.keys())
            .filter_map(|atom| Some((self.atoms.get(*atom).vector?, *atom)))
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.windows(2).any(|pair| pair[0].0 == pair[1].0)
    }

    /// Step of the grid of a measurement.
    pub(crate) fn step(&self, atom: usize) -> f64 {
        self.atoms.get(atom).step
    }

    /// The measured value of a form.
    pub(crate) fn value(&self, form: &Form) -> f64 {
        form.value(self.atoms)
    }

    fn different_terms(&self, form: &Form) -> usize {
        let mut sizes: Vec<u64> =
            form.terms.iter().map(|(atom, c)| (c * self.atoms.get(*atom).step).abs().to_bits()).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.len()
    }

    fn weighted(&self, form: &Form) -> Vec<WeightedNoise> {
        let term = |(atom, coefficient): (&usize, &f64)| {
            let Atom { noise, step, .. } = self.atoms.get(*atom);
            WeightedNoise { noise: noise.clone(), step: coefficient * step }
        };
        form.terms.iter().map(term).collect()
    }

    /// Key that forms with the same noise share: coefficients, laws and vectors of their measurements.
    fn signature(&self, forms: &[&Form]) -> String {
        let mut vectors: Vec<usize> = Vec::new();
        let mut atoms: Vec<usize> = forms.iter().flat_map(|form| form.terms.keys()).copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut parts: Vec<String> = Vec::with_capacity(atoms.len());
        for place in atoms {
            let atom = self.atoms.get(place);
            let vector = atom.vector.map(|vector| {
                vectors.iter().position(|known| *known == vector).unwrap_or_else(|| {
                    vectors.push(vector);
                    vectors.len() - 1
                })
            });
            let steps: Vec<u64> = forms
                .iter()
                .map(|form| (form.terms.get(&place).copied().unwrap_or(0.0) * atom.step).to_bits())
                .collect();
            parts.push(format!("{steps:?}{vector:?}{:x}", Arc::as_ptr(&atom.noise) as usize));
        }
        parts.join(";")
    }
}

/// Numerator and denominator as combinations of two forms that have nothing in common: with `p` the ratio of these,
///
/// ```text
/// r = (n1 p + n2) / (d1 p + d2),      p = (d2 r - n2) / (n1 - d1 r).
/// ```
struct Parts {
    one: Form,
    other: Form,
    numerator: [f64; 2],
    denominator: [f64; 2],
    /// Of `p`, where `r` is in a range.
    range: (f64, f64),
    /// That of `r`, its ends in the order of those of `p`.
    ends: (f64, f64),
}

impl Parts {
    /// None where numerator and denominator are not made of two such forms, or the range of `r` is not one of `p`.
    fn split(solver: &Solver, top: &Form, bottom: &Form, range: (f64, f64)) -> Option<Self> {
        if solver.has_vectors(&[top, bottom]) {
            return None;
        }
        // Directions in which a measurement moves numerator and denominator.
        let mut directions: Vec<([f64; 2], Form)> = Vec::new();
        let mut atoms: Vec<usize> = top.terms.keys().chain(bottom.terms.keys()).copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        for atom in atoms {
            let coefficient = |form: &Form| form.terms.get(&atom).copied().unwrap_or(0.0);
            let moves = [coefficient(top), coefficient(bottom)];
            let is_along = |direction: &[f64; 2]| {
                let cross = direction[0] * moves[1] - direction[1] * moves[0];
                cross.abs() <= 1e-10 * libm::hypot(direction[0], direction[1]) * libm::hypot(moves[0], moves[1])
            };
            let place = match directions.iter().position(|(direction, _)| is_along(direction)) {
                Some(place) => place,
                None if directions.len() == 2 => return None,
                None => {
                    directions.push((moves, Form::default()));
                    directions.len() - 1
                }
            };
            let (direction, form) = &mut directions[place];
            let axis = usize::from(direction[0].abs() < direction[1].abs());
            form.terms.insert(atom, moves[axis] / direction[axis]);
        }
        // A part that does not move the denominator is the numerator of `p`, so that `p` and `r` are infinite together.
        directions.sort_by_key(|(direction, _)| direction[1] != 0.0);
        let [(first, mut one), (second, mut other)] = <[_; 2]>::try_from(directions).ok()?;
        let determinant = first[0] * second[1] - second[0] * first[1];
        one.constant = (top.constant * second[1] - bottom.constant * second[0]) / determinant;
        other.constant = (bottom.constant * first[0] - top.constant * first[1]) / determinant;
        let (numerator, denominator) = ([first[0], second[0]], [first[1], second[1]]);
        let is_rising = determinant > 0.0;
        // Where `p` is infinite although `r` is not, which must not be inside the range.
        let pole = numerator[0] / denominator[0];
        let is_at_pole = |r: f64| (r - pole).abs() <= 1e-9 * (r.abs() + pole.abs());
        if denominator[0] != 0.0 && range.0 < pole && pole < range.1 && !is_at_pole(range.0) && !is_at_pole(range.1) {
            return None;
        }
        let infinite = |is_upper_end: bool| if is_upper_end == is_rising { f64::INFINITY } else { f64::NEG_INFINITY };
        let part = |r: f64, is_upper_end: bool| match () {
            () if denominator[0] == 0.0 && r.is_infinite() => infinite(is_upper_end),
            () if denominator[0] != 0.0 && r.is_infinite() => -denominator[1] / denominator[0],
            () if denominator[0] != 0.0 && is_at_pole(r) => infinite(is_upper_end),
            () => (denominator[1] * r - numerator[1]) / (numerator[0] - denominator[0] * r),
        };
        let (from, to) = (part(range.0, false), part(range.1, true));
        let (range, ends) = if is_rising { ((from, to), range) } else { ((to, from), (range.1, range.0)) };
        (range.0 < range.1).then_some(Self { one, other, numerator, denominator, range, ends })
    }

    /// The `r` of all `p` between two.
    fn ratios(&self, lower: f64, upper: f64) -> AcceptedSet {
        let Self { numerator, denominator, range, ends, .. } = self;
        let ratio = |p: f64| match () {
            () if p == range.0 => ends.0,
            () if p == range.1 => ends.1,
            () => (numerator[0] * p + numerator[1]) / (denominator[0] * p + denominator[1]),
        };
        let (one, other) = (ratio(lower), ratio(upper));
        AcceptedSet::between(one.min(other), one.max(other))
    }
}
