//! Names of a kind of noise, its promises, and its records.

/// Description of a kind of noise, wherever it has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The word that arguments use, such as `laplace`.
    pub word: &'static str,
    /// The name of its law in manifests, such as `discrete-laplace`.
    pub law: &'static str,
    /// Strongest promise that it can keep.
    pub promise: Promise,
    /// Assignment of the noise to numbers.
    pub drawn: Drawn,
    /// Record of its exact parameters.
    pub record: Record,
}

/// The strongest guarantee that noise can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Epsilon alone.
    Pure,
    /// Epsilon with a delta above zero.
    Approximate,
}

/// Assignment of noise to numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawn {
    /// Each its own.
    Alone,
    /// Several numbers of a cell one vector, which is worth its name from two on.
    Together,
    /// Each its own, on its place among geometric cells.
    Placed,
    /// None: it decides which bins are accepted.
    Chosen,
}

/// Record of the exact parameters of a kind of noise in manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// One number, under its own key.
    Number(Parameter),
    /// Several numbers, in an object.
    Object {
        /// Key of the object.
        key: &'static str,
        /// The numbers in it.
        parameters: &'static [Parameter],
    },
}

/// An exact parameter of a law: its key in manifests, and the words around its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Key in manifests.
    pub key: &'static str,
    /// Words before the value.
    pub before: &'static str,
    /// And after it.
    pub after: &'static str,
}

impl Record {
    /// The key of the record itself.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Number(parameter) => parameter.key,
            Self::Object { key, .. } => key,
        }
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        match self {
            Self::Number(parameter) => std::slice::from_ref(parameter),
            Self::Object { parameters, .. } => parameters,
        }
    }
}
