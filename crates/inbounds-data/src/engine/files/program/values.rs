//! Values of the nodes of a program for one batch.

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow::buffer::NullBuffer;

/// A node by its place in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct NodeId(pub(super) usize);

/// Values of the nodes of a program for one batch.
pub(in super::super) struct Values(pub(super) Vec<Value>);

pub(super) enum Value {
    Array(ArrayRef),
    Steps(Int64Array),
    Numbers(Vec<u32>),
    Truth(BooleanArray),
}

impl Values {
    pub(in super::super) fn array(&self, id: NodeId) -> &ArrayRef {
        let Value::Array(array) = &self.0[id.0] else { unreachable!("a column that is read") };
        array
    }

    /// Where one of these columns is null.
    pub(in super::super) fn nulls(&self, columns: &[NodeId]) -> Option<NullBuffer> {
        let nulls: Vec<_> = columns.iter().map(|id| self.array(*id).logical_nulls()).collect();
        NullBuffer::union_many(nulls.iter().map(Option::as_ref))
    }

    pub(in super::super) fn steps(&self, id: NodeId) -> &Int64Array {
        let Value::Steps(steps) = &self.0[id.0] else { unreachable!("steps of a value") };
        steps
    }

    pub(in super::super) fn numbers(&self, id: NodeId) -> &[u32] {
        let Value::Numbers(numbers) = &self.0[id.0] else { unreachable!("keys, bins or cells") };
        numbers
    }

    pub(in super::super) fn truth(&self, id: NodeId) -> &BooleanArray {
        let Value::Truth(truth) = &self.0[id.0] else { unreachable!("a condition") };
        truth
    }
}
