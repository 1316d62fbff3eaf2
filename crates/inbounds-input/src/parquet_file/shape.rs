//! The structures of the Parquet format, as far as its library reads them (parquet.thrift of Apache Parquet).

use Shape::{Boolean, Byte, Bytes, Double, Integer, List, Structure};

/// Type at a place of a structure.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// True or false; in a structure it is in the type of its field.
    Boolean,
    Byte,
    /// Of 16, 32 or 64 bits, which all are written alike.
    Integer,
    Double,
    /// Bytes, or a text.
    Bytes,
    List(&'static Shape),
    /// Fields by their numbers; those of a union too. Others are skipped by the types that they have.
    Structure(&'static [(i16, Shape)]),
}

impl Shape {
    /// `true` for a type of compact Thrift that is read as this.
    pub(super) fn is(self, kind: u8) -> bool {
        match self {
            Boolean => matches!(kind, 1 | 2),
            Byte => kind == 3,
            Integer => matches!(kind, 4..=6),
            Double => kind == 7,
            Bytes => kind == 8,
            List(_) => matches!(kind, 9 | 10),
            Structure(_) => kind == 12,
        }
    }
}

const EMPTY: Shape = Structure(&[]);

const TIME_UNIT: Shape = Structure(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]);

const TIME: Shape = Structure(&[(1, Boolean), (2, TIME_UNIT)]);

const LOGICAL_TYPE: Shape = Structure(&[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    (5, Structure(&[(1, Integer), (2, Integer)])),
    (6, EMPTY),
    (7, TIME),
    (8, TIME),
    (10, Structure(&[(1, Byte), (2, Boolean)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    (16, Structure(&[(1, Byte)])),
    (17, Structure(&[(1, Bytes)])),
    (18, Structure(&[(1, Bytes), (2, Integer)])),
]);

const SCHEMA_ELEMENT: Shape = Structure(&[
    (1, Integer),
    (2, Integer),
    (3, Integer),
    (4, Bytes),
    (5, Integer),
    (6, Integer),
    (7, Integer),
    (8, Integer),
    (9, Integer),
    (10, LOGICAL_TYPE),
]);

const KEY_VALUE: Shape = Structure(&[(1, Bytes), (2, Bytes)]);

const STATISTICS: Shape = Structure(&[
    (1, Bytes),
    (2, Bytes),
    (3, Integer),
    (4, Integer),
    (5, Bytes),
    (6, Bytes),
    (7, Boolean),
    (8, Boolean),
    (9, Integer),
]);

const ENCODING_STATISTICS: Shape = Structure(&[(1, Integer), (2, Integer), (3, Integer)]);

const SIZE_STATISTICS: Shape = Structure(&[(1, Integer), (2, List(&Integer)), (3, List(&Integer))]);

const BOUNDING_BOX: Shape = Structure(&[
    (1, Double),
    (2, Double),
    (3, Double),
    (4, Double),
    (5, Double),
    (6, Double),
    (7, Double),
    (8, Double),
]);

const COLUMN_METADATA: Shape = Structure(&[
    (1, Integer),
    (2, List(&Integer)),
    (3, List(&Bytes)),
    (4, Integer),
    (5, Integer),
    (6, Integer),
    (7, Integer),
    (8, List(&KEY_VALUE)),
    (9, Integer),
    (10, Integer),
    (11, Integer),
    (12, STATISTICS),
    (13, List(&ENCODING_STATISTICS)),
    (14, Integer),
    (15, Integer),
    (16, SIZE_STATISTICS),
    (17, Structure(&[(1, BOUNDING_BOX), (2, List(&Integer))])),
]);

const COLUMN_CRYPTO: Shape = Structure(&[(1, EMPTY), (2, Structure(&[(1, List(&Bytes)), (2, Bytes)]))]);

const COLUMN_CHUNK: Shape = Structure(&[
    (1, Bytes),
    (2, Integer),
    (3, COLUMN_METADATA),
    (4, Integer),
    (5, Integer),
    (6, Integer),
    (7, Integer),
    (8, COLUMN_CRYPTO),
    (9, Bytes),
]);

const SORTING_COLUMN: Shape = Structure(&[(1, Integer), (2, Boolean), (3, Boolean)]);

const ROW_GROUP: Shape = Structure(&[
    (1, List(&COLUMN_CHUNK)),
    (2, Integer),
    (3, Integer),
    (4, List(&SORTING_COLUMN)),
    (5, Integer),
    (6, Integer),
    (7, Integer),
]);

const COLUMN_ORDER: Shape = Structure(&[(1, EMPTY), (2, EMPTY)]);

const AES: Shape = Structure(&[(1, Bytes), (2, Bytes), (3, Boolean)]);

/// `FileMetaData`.
pub(super) const FOOTER: Shape = Structure(&[
    (1, Integer),
    (2, List(&SCHEMA_ELEMENT)),
    (3, Integer),
    (4, List(&ROW_GROUP)),
    (5, List(&KEY_VALUE)),
    (6, Bytes),
    (7, List(&COLUMN_ORDER)),
    (8, Structure(&[(1, AES), (2, AES)])),
    (9, Bytes),
]);

/// `PageHeader`.
pub(super) const PAGE_HEADER: Shape = Structure(&[
    (1, Integer),
    (2, Integer),
    (3, Integer),
    (4, Integer),
    (5, Structure(&[(1, Integer), (2, Integer), (3, Integer), (4, Integer), (5, STATISTICS)])),
    (6, EMPTY),
    (7, Structure(&[(1, Integer), (2, Integer), (3, Boolean)])),
    (
        8,
        Structure(&[
            (1, Integer),
            (2, Integer),
            (3, Integer),
            (4, Integer),
            (5, Integer),
            (6, Integer),
            (7, Boolean),
            (8, STATISTICS),
        ]),
    ),
]);
