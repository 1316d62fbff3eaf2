//! Valid files of every kind, and what damage makes of them.

use std::fmt;

use proptest::prelude::*;

/// Files that belong together, and how they are to be reconciled.
#[derive(Clone)]
pub(super) struct Files {
    pub(super) counts: Vec<u8>,
    pub(super) rules: Vec<u8>,
    pub(super) triplets: Vec<u8>,
    pub(super) sides: Vec<u8>,
    pub(super) integer: bool,
    pub(super) joint: bool,
    /// Number of replicates for simulated errors.
    pub(super) replicates: usize,
}

impl Files {
    /// Undamaged triplets and sides beside a text of measurements and one of constraints.
    pub(super) fn new(counts: &str, rules: &str) -> Self {
        let [counts, rules, triplets, sides] = [counts, rules, TRIPLETS, SIDES].map(|text| text.as_bytes().to_vec());
        Self { counts, rules, triplets, sides, integer: false, joint: false, replicates: 0 }
    }
}

/// As it can be copied into a test.
impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { counts, rules, triplets, sides, integer, joint, replicates } = self;
        let files = [("counts", counts), ("rules", rules), ("triplets", triplets), ("sides", sides)];
        for (name, bytes) in files {
            writeln!(f, "{name}: b\"{}\"", bytes.escape_ascii())?;
        }
        write!(f, "integer: {integer}, joint: {joint}, replicates: {replicates}")
    }
}

/// Measurements and constraints of each kind, all valid.
pub(super) const KINDS: [(&str, &str); 7] = [
    (
        "node,parent,value,variance,law,scale,fixed,lower,upper\n\
         r,,10,,laplace,2,,,\na,r,3,1,,,,0,\nb,r,,,,,6,,9\nc,a,1,2,,,false,,\nd,a,2,,discrete-gaussian,3,,,\n",
        "nonnegative = true\n[fixed]\nb = 6\n[bounds]\n\"a\" = { lower = 0, upper = 7.5 }\n",
    ),
    (FLAT, "total = 12\n[bounds]\nb = { lower = 1 }\n"),
    (FLAT, "order = [[\"a\", \"b\", \"c\"], [\"d\", \"c\"]]\nnonnegative = false\n"),
    (
        FLAT,
        "[[equality]]\nname = \"one\"\nterms = { a = 1, b = 1, d = -1 }\nequals = 2\n\
         [[inequality]]\nterms = { c = 1.5, a = -2 }\nat_least = -1\n\
         [system]\ntriplets = \"rows.csv\"\nsides = \"sides.csv\"\n",
    ),
    (
        "node,value,variance\nx:y,0.9,0.1\nx:z,-0.9,0.1\ny:z,0.9,0.2\nx:x,1,0.1\ny:y,1,0.1\nz:z,1,0.1\n",
        "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\nseparator = \":\"\n",
    ),
    (
        "node,parent,sex,age,value,variance\nr,,,,9,1\na,r,f,x,3,1\na,r,f,y,3,1\na,r,m,x,1,2\na,r,m,y,2,2\nb,a,f,x,3,1\n\
         b,a,f,y,1,1\nb,a,m,x,1,1\nb,a,m,y,1,1\nb,r,f,,4,1\nb,r,m,,4,1\n",
        "[fixed]\n\"a, f, x\" = 2\n[bounds]\n\"r / b, m, *\" = { lower = 1 }\n",
    ),
    (
        "a,b,c,value,variance\nx,u,1,3,1\nx,u,2,3,1\ny,u,1,1,1\ny,u,2,3,1\ny,v,1,-3,1\ny,v,2,0,1\n,,,9,2\n",
        "possible = [[\"a\", \"b\"]]\nnested = { b = \"a\" }\n",
    ),
];
pub(super) const FLAT: &str = "node,value,variance\na,3,1\nb,-1,2\nc,4,1\nd,7,3\n";
const TRIPLETS: &str = "row,node,coefficient\nr1,a,1\nr1,b,1\nr2,c,1\nr2,d,-1\n";
const SIDES: &str = "row,sense,value\nr1,=,3\nr2,<=,2.5\n";

const PIECES: [&str; 54] = [
    "\"",
    ",",
    "\n",
    "\r\n",
    "r",
    "a",
    "b",
    ",r,",
    "nan",
    "inf",
    "-",
    "1e999",
    "1e-320",
    "true",
    "\u{feff}",
    "ö",
    "{",
    "}",
    "[",
    "]",
    "=",
    "'",
    "#",
    "fixed",
    "bounds",
    "lower",
    "top_down",
    "gaussian",
    "0",
    "\0",
    " ",
    "1e90",
    "1e30",
    "-1e-30",
    "order",
    "total = 1\n",
    "[[equality]]\n",
    "terms",
    "equals",
    "at_most",
    "[matrix]\n",
    ":",
    "<=",
    "r1",
    "[system]\n",
    "x:x",
    "\"d\",",
    "1e89",
    "1e20",
    "2e22",
    "9e15",
    "4503599627370497",
    "1e12",
    ",1e40",
];

/// A text with pieces put in, taken out or written over; now and then it is untouched, or something else altogether.
fn damaged(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let blow = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..12);
    let blows = (prop::collection::vec(blow, 1..8), prop::option::weighted(0.1, any::<u8>()));
    let hit = blows.prop_map(move |(blows, byte)| {
        let mut bytes = text.as_bytes().to_vec();
        for (place, piece, cut) in blows {
            let place = place.index(bytes.len() + 1);
            let end = (place + cut).min(bytes.len());
            bytes.splice(place..end, PIECES[piece.index(PIECES.len())].bytes());
        }
        bytes.extend(byte);
        bytes
    });
    let pieces =
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40).prop_map(|all| all.concat().into_bytes());
    prop_oneof![
        6 => hit,
        6 => Just(text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..200),
        1 => pieces,
    ]
}

pub(super) fn files() -> impl Strategy<Value = Files> {
    prop::sample::select(&KINDS[..]).prop_flat_map(|(counts, rules)| {
        let texts = (damaged(counts), damaged(rules), damaged(TRIPLETS), damaged(SIDES));
        (texts, any::<[bool; 2]>(), prop::sample::select(&[0, 0, 39][..])).prop_map(
            |((counts, rules, triplets, sides), [integer, joint], replicates)| Files {
                counts,
                rules,
                triplets,
                sides,
                integer,
                joint,
                replicates,
            },
        )
    })
}
