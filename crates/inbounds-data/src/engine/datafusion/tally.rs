//! Counts and sums per key in one pass without `GROUP BY`: the keys are public, so the cells are a dense array.
//!
//! Memory is 24 bytes for each key and partition, whatever the rows.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt32Type};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Expr, Signature, Volatility};

/// Bytes of a cell in a state: a count and a sum.
const CELL: usize = 8 + 16;

#[derive(Debug, PartialEq, Eq, Hash)]
struct TallyFunction {
    cells: usize,
    signature: Signature,
}

/// Tallies `index` (an `UInt32`, at most `cells`, where `cells` itself means "no listed key") and, if given, `steps`
/// (an `Int64`, null for a row that does not count) into the bytes that [`Cells::from_bytes`] reads.
pub(super) fn tally(cells: usize, index: Expr, steps: Option<Expr>) -> Expr {
    let mut types = vec![DataType::UInt32];
    types.extend(steps.is_some().then_some(DataType::Int64));
    let signature = Signature::exact(types, Volatility::Immutable);
    let arguments = std::iter::once(index).chain(steps).collect();
    AggregateUDF::from(TallyFunction { cells, signature }).call(arguments)
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
        Ok(Box::new(Cells::new(self.cells)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// Count and sum per key, and one cell more that takes the rows of keys that are not listed.
///
/// # Why nothing overflows
/// Steps are at most 2^53 in magnitude and a table has fewer than 2^63 rows, so a count is below 2^63 and a sum below
/// 2^116, well inside an `i128`.
pub(super) struct Cells {
    counts: Vec<i64>,
    sums: Vec<i128>,
}

/// Hand-written: the derived one would print private numbers.
impl std::fmt::Debug for Cells {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cells").finish_non_exhaustive()
    }
}

impl Cells {
    fn new(cells: usize) -> Self {
        Self { counts: vec![0; cells + 1], sums: vec![0; cells + 1] }
    }

    /// Counts and sums of the listed keys from the result of the aggregate.
    pub(super) fn from_bytes(cells: usize, bytes: &[u8]) -> Result<(Vec<i128>, Vec<i128>)> {
        let mut total = Self::new(cells);
        total.merge(bytes)?;
        total.counts.truncate(cells);
        total.sums.truncate(cells);
        Ok((total.counts.into_iter().map(i128::from).collect(), total.sums))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let listed = self.counts.len() - 1;
        let mut bytes = Vec::with_capacity(listed * CELL);
        for (count, sum) in self.counts.iter().zip(&self.sums).take(listed) {
            bytes.extend_from_slice(&count.to_le_bytes());
            bytes.extend_from_slice(&sum.to_le_bytes());
        }
        bytes
    }

    fn merge(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() != (self.counts.len() - 1) * CELL {
            return internal_err!("a tally of another query");
        }
        let (cells, _) = bytes.as_chunks::<CELL>();
        for ((count, sum), cell) in self.counts.iter_mut().zip(&mut self.sums).zip(cells) {
            let (head, tail) = cell.split_at(8);
            *count += i64::from_le_bytes(head.try_into().expect("8 bytes"));
            *sum += i128::from_le_bytes(tail.try_into().expect("16 bytes"));
        }
        Ok(())
    }

    fn add_rows(&mut self, index: &UInt32Array) {
        for &cell in index.values() {
            self.counts[cell as usize] += 1;
        }
    }

    fn add_steps(&mut self, index: &UInt32Array, steps: &Int64Array) {
        let unlisted = self.counts.len() - 1;
        let rows = index.values().iter().zip(steps.values());
        match steps.nulls() {
            None => rows.for_each(|(&cell, &steps)| self.add(cell as usize, steps)),
            Some(valid) => rows
                .zip(valid.iter())
                .for_each(|((&cell, &steps), valid)| self.add(if valid { cell as usize } else { unlisted }, steps)),
        }
    }

    fn add(&mut self, cell: usize, steps: i64) {
        self.counts[cell] += 1;
        self.sums[cell] += i128::from(steps);
    }
}

impl Accumulator for Cells {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let index = values[0].as_primitive::<UInt32Type>();
        match values.get(1) {
            None => self.add_rows(index),
            Some(steps) => self.add_steps(index, steps.as_primitive::<Int64Type>()),
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
        size_of_val(self) + self.counts.capacity() * 8 + self.sums.capacity() * 16
    }
}
