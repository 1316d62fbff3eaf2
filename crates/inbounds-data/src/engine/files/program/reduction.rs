//! Folds over the rows of each unit, as nodes of a program.

use super::super::per_unit::{End, Fold, FoldOf, Reduction};
use super::super::read::Way;
use super::Program;
use crate::{ContributionBound, DataError, Kind, PerUnit, UnitColumn, UnitTake};

impl Program<'_> {
    /// Reduction of each unit's rows; the questions are then asked of the table that it makes.
    pub(in super::super) fn reduction(&mut self, per_unit: &PerUnit) -> Result<Reduction, DataError> {
        let unit = self.unit(&ContributionBound::of_rows(&per_unit.unit, 1))?;
        let mut folds = Vec::new();
        for (place, column) in per_unit.columns.iter().enumerate() {
            let refused =
                |error: DataError| DataError::UnitColumn { column: column.name.clone(), source: error.into() };
            if per_unit.columns[..place].iter().any(|earlier| earlier.name == column.name) {
                let problem = "is defined twice";
                return Err(DataError::Declaration { column: column.name.clone(), problem });
            }
            folds.push(self.fold(column).map_err(refused)?);
        }
        Ok(Reduction { unit, folds })
    }

    fn fold(&mut self, column: &UnitColumn) -> Result<Fold, DataError> {
        let condition = column.filter.as_deref().map(|text| self.condition(text)).transpose()?;
        let quantity = match &column.take {
            UnitTake::Rows => FoldOf::Rows,
            UnitTake::Sum(clip) => {
                clip.check()?;
                FoldOf::Sum { steps: self.steps(clip)?, exponent: clip.grid.exponent() }
            }
            UnitTake::Mean(clip) => {
                clip.check()?;
                FoldOf::Mean { steps: self.steps(clip)?, exponent: clip.grid.exponent() }
            }
            UnitTake::Min(column) => self.extreme(column, None, End::Least)?,
            UnitTake::Max(column) => self.extreme(column, None, End::Greatest)?,
            UnitTake::First { column, order } => self.extreme(column, Some(order), End::Least)?,
            UnitTake::Last { column, order } => self.extreme(column, Some(order), End::Greatest)?,
            UnitTake::Any(column) => {
                let column = self.column("per unit", column, &[Kind::Boolean])?;
                FoldOf::Any { cell: self.read(column, Way::Truth)? }
            }
            UnitTake::All(column) => {
                self.column("per unit", column, &[Kind::Boolean])?;
                self.extreme(column, None, End::Least)?
            }
        };
        Ok(Fold { condition, quantity })
    }

    fn extreme(&mut self, column: &str, order: Option<&String>, end: End) -> Result<FoldOf, DataError> {
        const ANY: [Kind; 5] = [Kind::Integer, Kind::Number, Kind::Text, Kind::Boolean, Kind::Date];
        const ORDERED: [Kind; 3] = [Kind::Integer, Kind::Number, Kind::Date];
        let order = order.map(|order| self.column("order", order, &ORDERED)).transpose()?;
        let order = order.map(|order| self.read(order, Way::of_kind(order.kind))).transpose()?;
        let column = self.column("per unit", column, &ANY)?;
        let cell = self.read(column, Way::of_kind(column.kind))?;
        Ok(FoldOf::Extreme { order, cell, kind: column.kind, end })
    }
}
