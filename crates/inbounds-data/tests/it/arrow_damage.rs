//! Arrow files in which every word is overwritten in turn: damage is an error, whatever size the word states.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions};
use inbounds_data::{Engine, FileEngine, Query, Source};
use tempfile::tempdir;

use crate::{income, keys, text};

fn file(compression: Option<CompressionType>) -> Vec<u8> {
    let states: StringArray = (0..40).map(|row| Some(if row % 3 == 0 { "CA" } else { "NV" })).collect();
    let incomes: Int64Array = (0..40).map(Some).collect();
    let columns = [("state", Arc::new(states) as ArrayRef), ("income", Arc::new(incomes) as ArrayRef)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// A size that cannot be true would end the program where a library asks for that memory, or let it count for ever.
#[test]
fn sizes_that_cannot_be_are_damage() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.arrow");
    let by_state = Query { keys: Some(keys(["state"], [[text("CA")]])), values: vec![income()], ..Query::default() };
    for compression in [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)] {
        let intact = file(compression);
        let (mut refused, mut answered) = (0, 0);
        for place in (0..intact.len() - 8).step_by(8) {
            for word in [1_i64 << 47, i64::MAX, 1 << 33, -2] {
                let mut damaged = intact.clone();
                damaged[place..place + 8].copy_from_slice(&word.to_le_bytes());
                fs::write(&path, damaged).unwrap();
                let Ok(engine) = FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types()) else {
                    continue;
                };
                for query in [&Query::default(), &by_state] {
                    let is_answered = engine.tally(query).is_ok();
                    refused += usize::from(!is_answered);
                    answered += usize::from(is_answered);
                }
            }
        }
        assert!(refused > 50 && answered > 50, "{refused} {answered}");
    }
}
