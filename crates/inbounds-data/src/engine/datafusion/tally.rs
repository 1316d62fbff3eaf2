//! The aggregate function `tally`: the engine's way to [`Cells`].
//!
//! There is one group, all rows; the cells are inside the state, a few bytes for each cell and partition.

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt32Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};

use super::cells::{Cells, Shape};

#[derive(Debug, PartialEq, Eq, Hash)]
struct TallyFunction {
    shape: Shape,
    signature: Signature,
}

/// Tallies `cell` (an `UInt32`, at most `shape.cells`, which itself means "no cell") and the steps of each value (an
/// `Int64`, null for a row that does not count) into the bytes that [`Cells::read`] reads.
pub(super) fn tally(shape: Shape, cell: Expr, steps: Vec<Expr>) -> Expr {
    let types = std::iter::once(DataType::UInt32).chain(steps.iter().map(|_| DataType::Int64)).collect();
    let signature = Signature::exact(types, Volatility::Immutable);
    let arguments = std::iter::once(cell).chain(steps).collect();
    AggregateUDF::from(TallyFunction { shape, signature }).call(arguments)
}

impl AggregateUDFImpl for TallyFunction {
    fn name(&self) -> &str {
        "tally"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Cells::new(&self.shape)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

impl Accumulator for Cells {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let cells = values[0].as_primitive::<UInt32Type>().values();
        match &values[1..] {
            [] => self.add_rows(cells),
            [steps] if self.is_narrow() => self.add_steps(cells, steps.as_primitive::<Int64Type>()),
            steps => self.add_many(cells, &steps.iter().map(|steps| steps.as_primitive()).collect::<Vec<_>>()),
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        states[0].as_binary::<i32>().iter().flatten().try_for_each(|bytes| self.merge(bytes))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(Some(self.to_bytes())))
    }

    fn size(&self) -> usize {
        self.bytes()
    }
}
