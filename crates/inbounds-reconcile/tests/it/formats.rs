//! CSV and Parquet are the same measurements, whatever the types of their columns.

use std::{fs::File, sync::Arc};

use arrow::{
    array::{ArrayRef, DictionaryArray, Float32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch},
    datatypes::{Int32Type, Int64Type},
};
use inbounds_reconcile::{ReconcileError, Silent, reconcile};
use parquet::{
    arrow::ArrowWriter,
    basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel},
    file::properties::WriterProperties,
};

use super::{Bench, column, without_errors};

fn parquet(bench: &Bench, name: &str, columns: &[(&str, ArrayRef)]) -> std::path::PathBuf {
    compressed(bench, name, columns, Compression::UNCOMPRESSED)
}

fn compressed(bench: &Bench, name: &str, columns: &[(&str, ArrayRef)], codec: Compression) -> std::path::PathBuf {
    let path = bench.folder.path().join(name);
    let batch =
        RecordBatch::try_from_iter(columns.iter().map(|(name, array)| (*name, array.clone()))).expect("a batch");
    let properties = WriterProperties::builder().set_compression(codec).build();
    let file = File::create(&path).expect("creates");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a schema");
    writer.write(&batch).expect("writes");
    writer.close().expect("closes");
    path
}

#[test]
fn parquet_of_other_types_reads_like_csv() {
    let mut bench = Bench::new();
    let counts = "node,parent,value,variance,fixed\n1,,10,2,true\n2,1,4,2,\n3,1,7,2,false\n4,3,,,\n5,3,2.5,1,\n";
    let from_csv = bench.run(counts, "", without_errors()).expect("feasible");
    let parent: DictionaryArray<Int32Type> = [None, Some("1"), Some("1"), Some("3"), Some("3")].into_iter().collect();
    let path = parquet(
        &bench,
        "counts.parquet",
        &[
            (
                "fixed",
                Arc::new(LargeStringArray::from(vec![Some("true"), None, Some("false"), None, None])) as ArrayRef,
            ),
            ("node", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5])) as ArrayRef),
            ("parent", Arc::new(parent) as ArrayRef),
            ("variance", Arc::new(Int64Array::from(vec![Some(2), Some(2), Some(2), None, Some(1)])) as ArrayRef),
            (
                "value",
                Arc::new(Float32Array::from(vec![Some(10.0), Some(4.0), Some(7.0), None, Some(2.5)])) as ArrayRef,
            ),
        ],
    );
    let out = bench.folder.path().join("from-parquet");
    let from_parquet = reconcile(&path, &without_errors(), &out, &Silent).expect("feasible");
    assert_eq!(column(&from_csv, "estimate"), column(&from_parquet, "estimate"));
}

#[test]
fn parquet_is_read_whatever_its_codec() {
    let mut bench = Bench::new();
    let from_csv = bench.run("node,value,variance\na,1,1\nb,-2,2\n", "total = 3", without_errors());
    let from_csv = column(&from_csv.expect("feasible"), "estimate");
    let columns = [
        ("node", Arc::new(LargeStringArray::from(vec!["a", "b"])) as ArrayRef),
        ("value", Arc::new(Float64Array::from(vec![1.0, -2.0])) as ArrayRef),
        ("variance", Arc::new(Float64Array::from(vec![1.0, 2.0])) as ArrayRef),
    ];
    let codecs = [
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let options =
        inbounds_reconcile::Options { constraints: Some(bench.write("total.toml", "total = 3")), ..without_errors() };
    for codec in codecs {
        let path = compressed(&bench, "counts.parquet", &columns, codec);
        let out = bench.folder.path().join(format!("{codec:?}"));
        let from_parquet =
            reconcile(&path, &options, &out, &Silent).unwrap_or_else(|error| panic!("{codec:?}: {error}"));
        assert_eq!(column(&from_parquet, "estimate"), from_csv, "{codec:?}");
    }
}

#[test]
fn columns_of_the_wrong_type_are_refused_by_name() {
    let bench = Bench::new();
    let node = Arc::new(LargeStringArray::from(vec!["r", "a"])) as ArrayRef;
    let parent = Arc::new(LargeStringArray::from(vec![None, Some("r")])) as ArrayRef;
    let number = Arc::new(Int64Array::from_iter_values([1, 2])) as ArrayRef;
    let dates: ArrayRef = Arc::new(
        arrow::array::PrimitiveArray::<Int64Type>::from_iter_values([1, 2])
            .reinterpret_cast::<arrow::datatypes::TimestampSecondType>(),
    );
    for (wrong, value, variance) in [("value", &node, &number), ("variance", &number, &dates)] {
        let columns = [("node", node.clone()), ("parent", parent.clone()), ("value", value.clone())];
        let path = parquet(&bench, "wrong.parquet", &[&columns[..], &[("variance", variance.clone())]].concat());
        let refused = reconcile(&path, &without_errors(), &bench.folder.path().join("out"), &Silent);
        let Err(error @ ReconcileError::Columns { .. }) = refused else { panic!("{wrong} was taken") };
        assert!(error.to_string().contains(&format!("the column `{wrong}` holds")), "{error}");
    }
    // A row of a Parquet file is named by its number.
    let negative = Arc::new(Int64Array::from_iter_values([1, -2])) as ArrayRef;
    let columns = [("node", node), ("parent", parent), ("value", number), ("variance", negative)];
    let path = parquet(&bench, "negative.parquet", &columns);
    let Err(error) = reconcile(&path, &without_errors(), &bench.folder.path().join("out"), &Silent) else {
        panic!("a negative variance was taken")
    };
    assert!(error.to_string().contains("row 2: `variance` of node `a`"), "{error}");
}

#[test]
fn sparse_systems_may_be_parquet() {
    let mut bench = Bench::new();
    let text = |words: [&str; 3]| Arc::new(LargeStringArray::from(words.to_vec())) as ArrayRef;
    let numbers = |numbers: [f64; 3]| Arc::new(Float64Array::from(numbers.to_vec())) as ArrayRef;
    let rows = |node: &str| {
        [("row", text(["1", "1", "2"])), ("node", text(["a", "b", node])), ("coefficient", numbers([1.0, 0.1, -1.0]))]
    };
    let sides: [(&str, ArrayRef); 3] = [
        ("row", Arc::new(Int64Array::from_iter_values([1, 2])) as ArrayRef),
        ("sense", Arc::new(LargeStringArray::from(vec!["=", ">="])) as ArrayRef),
        ("value", Arc::new(Float64Array::from(vec![3.1, -2.0])) as ArrayRef),
    ];
    parquet(&bench, "sides.parquet", &sides);
    parquet(&bench, "rows.parquet", &rows("c"));
    bench.write("rows.csv", "row,node,coefficient\n1,a,1\n1,b,0.1\n2,c,-1\n");
    bench.write("sides.csv", "value,row,sense\n3.1,1,=\n-2,2,>=\n");
    let counts = "node,value,variance\na,3,1\nb,4,2\nc,5,1\n";
    let rules = |extension: &str| format!("[system]\ntriplets = 'rows.{extension}'\nsides = 'sides.{extension}'");
    let from_csv = bench.run(counts, &rules("csv"), without_errors()).expect("feasible");
    let from_parquet = bench.run(counts, &rules("parquet"), without_errors()).expect("feasible");
    assert_eq!(column(&from_csv, "estimate"), column(&from_parquet, "estimate"));
    assert_eq!(column(&from_csv, "estimate")[2].2, "2.0");
    parquet(&bench, "rows.parquet", &rows("d"));
    let Err(error) = bench.run(counts, &rules("parquet"), without_errors()) else { panic!("a row of nothing") };
    assert!(error.to_string().contains("rows.parquet`, row 3: the measurements have no node `d`"), "{error}");
}
