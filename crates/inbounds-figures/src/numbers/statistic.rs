//! Statistics with their numbers: those of a release, and those that a plan will have.

use std::{collections::HashMap, ops::RangeFrom};

use inbounds_input::nearest;

use super::{
    Key,
    making::Making,
    shape::{StatisticShape, law_of},
};
use crate::Refusal;

/// A statistic with its numbers.
pub(crate) struct Statistic {
    pub(crate) shape: StatisticShape,
    /// Its numbers, in the order of the estimates.
    pub(crate) cells: Vec<Cell>,
    /// Places of the cells of a key, one an output.
    by_key: HashMap<Key, Vec<usize>>,
    pub(crate) making: Result<Making, Refusal>,
}

/// One published number.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    /// Values of the grouping columns that identify it; of a coarser level or margin some.
    pub(crate) key: Key,
    pub(crate) output: String,
    pub(crate) unit: String,
    pub(crate) estimate: f64,
    pub(crate) bias: f64,
    pub(crate) rmse: f64,
}

/// A measured number, as the table of measurements has it.
pub(crate) struct MeasuredRow {
    pub(super) key: Key,
    pub(super) output: String,
    pub(super) atom: usize,
}

/// Rows by component of a statistic, or why their law is not known.
pub(super) type Measured = Result<Vec<Vec<MeasuredRow>>, Refusal>;

/// A statistic that a plan will release: its shape, and what identifies its numbers.
#[derive(Debug, Clone)]
pub struct PlannedStatistic {
    /// Its shape.
    pub shape: StatisticShape,
    /// Its published numbers, in their order.
    pub published: Vec<PlannedNumber>,
    /// The measured numbers of each component.
    pub measured: Vec<Vec<PlannedNumber>>,
}

/// A number that has no value yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedNumber {
    /// Values of the grouping columns that identify its cell.
    pub key: Key,
    /// Its name within its cell; empty where a cell has one number.
    pub output: String,
}

impl Statistic {
    pub(super) fn new(shape: StatisticShape, measured: Measured, cells: Vec<Cell>) -> Self {
        let making = measured.and_then(|measured| Making::new(&shape, &cells, measured));
        Self::with_making(shape, making, cells)
    }

    fn with_making(shape: StatisticShape, making: Result<Making, Refusal>, cells: Vec<Cell>) -> Self {
        let mut by_key: HashMap<Key, Vec<usize>> = HashMap::new();
        for (place, cell) in cells.iter().enumerate() {
            by_key.entry(cell.key.clone()).or_default().push(place);
        }
        Self { shape, cells, by_key, making }
    }

    /// Of a plan: made of the measurements that there will be, each of which takes the next of `atoms`. Numbers of a
    /// fit are forms of one more each, whatever the fit will make of all.
    fn planned(planned: PlannedStatistic, atoms: &mut RangeFrom<usize>) -> Self {
        let PlannedStatistic { shape, published, measured } = planned;
        let cell = |PlannedNumber { key, output }| Cell {
            key,
            output,
            unit: String::new(),
            estimate: f64::NAN,
            bias: f64::NAN,
            rmse: f64::NAN,
        };
        let cells: Vec<Cell> = published.into_iter().map(cell).collect();
        let laws = shape.measured.iter().try_for_each(|component| law_of(&shape, component).map(drop));
        let mut row =
            |PlannedNumber { key, output }| MeasuredRow { key, output, atom: atoms.next().unwrap_or_default() };
        let measured = measured.into_iter().map(|rows| rows.into_iter().map(&mut row).collect()).collect();
        let making = laws.and_then(|()| Making::new(&shape, &cells, measured));
        let making = making.map(|making| making.with_planned_fit(&shape, &cells, atoms));
        Self::with_making(shape, making, cells)
    }

    /// Places of the numbers of a key.
    pub(crate) fn at(&self, key: &Key) -> &[usize] {
        self.by_key.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The statistics of a release or of a plan.
pub(crate) struct Statistics(pub(super) Vec<Statistic>);

impl Statistics {
    /// Those that a plan will release.
    pub(crate) fn planned(planned: Vec<PlannedStatistic>) -> Self {
        let mut atoms = 0..;
        Self(planned.into_iter().map(|one| Statistic::planned(one, &mut atoms)).collect())
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Statistic> {
        self.0.iter()
    }

    pub(crate) fn get(&self, place: usize) -> &Statistic {
        &self.0[place]
    }

    /// The statistic of a name, with its place.
    pub(crate) fn named(&self, name: &str) -> Result<(usize, &Statistic), Refusal> {
        let names = || self.0.iter().map(|statistic| statistic.shape.name.as_str());
        self.0.iter().enumerate().find(|(_, statistic)| statistic.shape.name == name).ok_or_else(|| {
            Refusal::NoStatistic {
                name: name.to_owned(),
                near: nearest(name, names()).map(str::to_owned),
                known: names().map(str::to_owned).collect(),
            }
        })
    }
}
