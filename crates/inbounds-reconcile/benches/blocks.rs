//! Blocks like those of a census, in a Parquet file: code and people, sorted by code.

use std::{fmt::Write, fs::File, path::Path, sync::Arc};

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::{arrow::ArrowWriter, basic::Compression, file::properties::WriterProperties};

/// Digits of a code up to each level: nation, state, county, tract, block group, block.
pub(crate) const DIGITS: [usize; 6] = [0, 3, 6, 9, 10, 13];

/// Mean number of counties of a state, tracts of a county, block groups of a tract, blocks of a block group.
const FANOUT: [u64; 4] = [62, 27, 3, 35];

/// Rows written at a time.
const BATCH: usize = 1 << 16;

/// Writes `leaves` blocks; two in five are empty, the others log-normal: heavy-tailed, with many zeros.
pub(crate) fn write(path: &Path, leaves: usize) {
    let mut dice = Dice(1);
    let mut file = Blocks { path, writer: None, codes: Vec::new(), people: Vec::new(), left: leaves };
    let mut code = String::new();
    for state in 0.. {
        write!(code, "{state:03}").expect("text");
        file.below(&mut code, &FANOUT, &mut dice);
        code.clear();
        if file.left == 0 {
            break;
        }
    }
    file.flush();
    file.writer.expect("at least one block").close().expect("the disk has room");
}

struct Blocks<'a> {
    path: &'a Path,
    writer: Option<ArrowWriter<File>>,
    codes: Vec<String>,
    people: Vec<i64>,
    left: usize,
}

impl Blocks<'_> {
    /// Everything below a place, to the blocks; numbers of children are uniform between 1 and twice their mean.
    fn below(&mut self, code: &mut String, fanout: &[u64], dice: &mut Dice) {
        let Some((&mean, fanout)) = fanout.split_first() else { return self.block(code, dice) };
        let length = code.len();
        let digits = DIGITS[DIGITS.len() - 1 - fanout.len()] - length;
        for child in 0..1 + dice.next() % (2 * mean - 1) {
            if self.left == 0 {
                break;
            }
            write!(code, "{child:0digits$}").expect("text");
            self.below(code, fanout, dice);
            code.truncate(length);
        }
    }

    fn block(&mut self, code: &str, dice: &mut Dice) {
        let empty = dice.uniform() < 0.4;
        self.people.push(if empty { 0 } else { (3.0 + 1.2 * dice.normal()).exp() as i64 });
        self.codes.push(code.to_owned());
        self.left -= 1;
        if self.codes.len() == BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.codes.is_empty() {
            return;
        }
        let codes: ArrayRef = Arc::new(StringArray::from(std::mem::take(&mut self.codes)));
        let people: ArrayRef = Arc::new(Int64Array::from(std::mem::take(&mut self.people)));
        let batch = RecordBatch::try_from_iter([("block", codes), ("people", people)]).expect("columns of one length");
        let path = self.path;
        let writer = self.writer.get_or_insert_with(|| writer(path, &batch));
        writer.write(&batch).expect("the disk has room");
    }
}

/// A writer of a snappy-compressed Parquet file.
pub(crate) fn writer(path: &Path, like: &RecordBatch) -> ArrowWriter<File> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).expect("the path can be written");
    ArrowWriter::try_new(file, like.schema(), Some(properties)).expect("supported types")
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
