//! Of which measurements the numbers of a statistic are made.

use std::{cell::OnceCell, collections::HashMap, ops::RangeFrom};

use inbounds_bundle::{ComponentEntry, KindWord};
use inbounds_core::Quantity;

use super::{
    Atoms, Form, Key, Raw,
    fit::{Fit, of_entry},
    shape::StatisticShape,
    statistic::{Cell, MeasuredRow},
};
use crate::Refusal;

/// Construction of a statistic's numbers from its measurements.
pub(crate) enum Making {
    /// One measurement a number, by its key and what it is called within its cell.
    Each(HashMap<(Key, String), usize>),
    /// The mean of a column between two bounds, from the sums of the distances from both.
    Distances { bounds: (f64, f64), above: HashMap<Key, usize>, below: HashMap<Key, usize> },
    /// A sum of distances from a public centre, and a number of rows.
    RowsAndSum { centre: f64, rows: HashMap<Key, usize>, sum: HashMap<Key, usize>, is_mean: bool },
    /// Counts or sums of levels or margins.
    FittedSums { measured: Vec<Vec<MeasuredRow>>, fit: OnceCell<Result<Fit, Refusal>> },
    /// Means of levels or margins, with the counts and sums that they come from.
    FittedMeans { bounds: (f64, f64), measured: Vec<Vec<MeasuredRow>>, fits: OnceCell<Result<[Fit; 2], Refusal>> },
}

/// The entries of two distances in the table of measurements.
const ABOVE: &str = "above the lower bound";
const BELOW: &str = "below the upper bound";

impl Making {
    pub(super) fn new(
        shape: &StatisticShape,
        cells: &[Cell],
        measured: Vec<Vec<MeasuredRow>>,
    ) -> Result<Self, Refusal> {
        let no_law = || Refusal::NoLaw { statistic: shape.name.clone(), kind: shape.kind.word().to_owned() };
        let known: Vec<Option<&Quantity>> = shape.measured.iter().map(|component| component.role.known()).collect();
        let bounds = || shape.bounds;
        if shape.is_fitted {
            if shape.has_residuals() {
                return Err(Refusal::Residuals { statistic: shape.name.clone() });
            }
            return match known.first().copied().flatten() {
                Some(Quantity::Distances) => {
                    Ok(Self::FittedMeans { bounds: bounds().ok_or_else(no_law)?, measured, fits: OnceCell::new() })
                }
                Some(Quantity::Count { .. } | Quantity::Sum | Quantity::Residual) => {
                    Ok(Self::FittedSums { measured, fit: OnceCell::new() })
                }
                _ => Err(no_law()),
            };
        }
        match known.as_slice() {
            [Some(Quantity::Distances)] => {
                let rows_of = |entry: &str| by_key(measured[0].iter().filter(|row| row.output == entry));
                Ok(Self::Distances {
                    bounds: bounds().ok_or_else(no_law)?,
                    above: rows_of(ABOVE),
                    below: rows_of(BELOW),
                })
            }
            [Some(Quantity::Count { layer: None, release: None }), Some(Quantity::CentredSum { .. })]
                if shape.kind.is(KindWord::Mean) || shape.kind.is(KindWord::Sum) =>
            {
                let centre = shape.measured[1].centre.ok_or_else(no_law)?;
                let [rows, sum] = [0, 1].map(|place: usize| by_key(measured[place].iter()));
                Ok(Self::RowsAndSum { centre, rows, sum, is_mean: shape.kind.is(KindWord::Mean) })
            }
            _ => Self::each(shape, cells, &measured).ok_or_else(no_law),
        }
    }

    /// Where every published number is a measurement: the single component of a statistic, or the component that is
    /// called like the number.
    fn each(shape: &StatisticShape, cells: &[Cell], measured: &[Vec<MeasuredRow>]) -> Option<Self> {
        let own = |component: &ComponentEntry| {
            let quantity = component.role.known()?;
            let is_itself = matches!(
                quantity,
                Quantity::Count { layer: None, release: None }
                    | Quantity::Sum
                    | Quantity::Mean { .. }
                    | Quantity::Combination
                    | Quantity::Proportion
            );
            let is_share_of_counts = shape.kind.is(KindWord::Proportion) && !matches!(quantity, Quantity::Proportion);
            let only = shape.measured.len() == 1 && is_itself && !is_share_of_counts;
            let output = shape.outputs.iter().find(|output| output.name.known() == Some(quantity));
            match (only, output) {
                (true, _) => Some(None),
                (false, Some(output)) => Some(Some(output.name.to_string())),
                (false, None) => None,
            }
        };
        let mut atoms = HashMap::new();
        for (component, rows) in shape.measured.iter().zip(measured) {
            let name = own(component)?;
            for row in rows {
                let output = name.clone().unwrap_or_else(|| row.output.clone());
                atoms.insert((row.key.clone(), output), row.atom);
            }
        }
        cells
            .iter()
            .all(|cell| atoms.contains_key(&(cell.key.clone(), cell.output.clone())))
            .then_some(Self::Each(atoms))
    }

    /// Of a plan: the same with a fit of which only the keys are known.
    pub(super) fn with_planned_fit(self, shape: &StatisticShape, cells: &[Cell], atoms: &mut RangeFrom<usize>) -> Self {
        let mut planned = |measured: &[Vec<MeasuredRow>], output: Option<&str>| {
            Fit::planned(shape, cells, &of_entry(measured, output), atoms)
        };
        match self {
            Self::FittedSums { measured, .. } => {
                let fit = OnceCell::from(planned(&measured, None));
                Self::FittedSums { measured, fit }
            }
            Self::FittedMeans { bounds, measured, .. } => {
                let mut fit = |name| planned(&measured, Some(name));
                let fits = fit(ABOVE).and_then(|above| Ok([above, fit(BELOW)?]));
                Self::FittedMeans { bounds, measured, fits: OnceCell::from(fits) }
            }
            by_cell @ (Self::Each(_) | Self::Distances { .. } | Self::RowsAndSum { .. }) => by_cell,
        }
    }

    /// Form of a number in the measurements.
    pub(crate) fn raw(
        &self,
        shape: &StatisticShape,
        cells: &[Cell],
        cell: &Cell,
        atoms: &Atoms,
    ) -> Result<Raw, Refusal> {
        let missing = || Refusal::Unmeasured { statistic: shape.name.clone() };
        let find =
            |atoms: &HashMap<Key, usize>| atoms.get(&cell.key).map(|atom| Form::of_atom(*atom)).ok_or_else(missing);
        match self {
            Self::Each(atoms) => {
                let atom = atoms.get(&(cell.key.clone(), cell.output.clone())).ok_or_else(missing)?;
                Ok(Raw::Linear(Form::of_atom(*atom)))
            }
            Self::Distances { bounds, above, below } => Ok(of_distances(*bounds, &find(above)?, &find(below)?, "mean")),
            Self::RowsAndSum { centre, rows, sum, is_mean } => {
                let (rows, sum) = (find(rows)?, find(sum)?);
                let total = sum.plus(*centre, &rows);
                Ok(if *is_mean { Raw::Quotient(total, rows) } else { Raw::Linear(total) })
            }
            Self::FittedSums { measured, fit } => {
                let fit = fit.get_or_init(|| Fit::new(shape, cells, &of_entry(measured, None), atoms));
                let fit = fit.as_ref().map_err(Refusal::clone)?;
                fit.form(&cell.key).cloned().map(Raw::Linear).ok_or_else(missing)
            }
            Self::FittedMeans { bounds, measured, fits } => {
                let fit = |name| Fit::new(shape, cells, &of_entry(measured, Some(name)), atoms);
                let fits = fits.get_or_init(|| Ok([fit(ABOVE)?, fit(BELOW)?]));
                let [above, below] = fits.as_ref().map_err(Refusal::clone)?;
                let (above, below) = (above.form(&cell.key), below.form(&cell.key));
                let (above, below) = above.zip(below).ok_or_else(missing)?;
                Ok(of_distances(*bounds, above, below, &cell.output))
            }
        }
    }
}

/// With `T` and `U` the sums of the distances from both bounds: rows `(T + U) / (upper - lower)`, their sum
/// `T + lower rows`, and their mean.
fn of_distances((lower, upper): (f64, f64), above: &Form, below: &Form, output: &str) -> Raw {
    let rows = above.clone().plus(1.0, below).times(1.0 / (upper - lower));
    let sum = above.clone().plus(lower, &rows);
    match output {
        "count" => Raw::Linear(rows),
        "sum" => Raw::Linear(sum),
        _ => Raw::Quotient(sum, rows),
    }
}

fn by_key<'r>(rows: impl Iterator<Item = &'r MeasuredRow>) -> HashMap<Key, usize> {
    rows.map(|row| (row.key.clone(), row.atom)).collect()
}
