//! Errors in reading an object, in our own words.

use std::io::{self, ErrorKind};

use object_store::Error;

/// Error in reading an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoreProblem {
    #[error(
        "a URL of an object store is s3://BUCKET/KEY; keys and passwords stand in the environment, such as AWS_ACCESS_KEY_ID"
    )]
    NoBucket,
    #[error(
        "the environment does not say how to reach the store; see AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    Environment,
    #[error("the store has no such object")]
    Missing,
    #[error("the object changed while it was read; run again when nobody writes it")]
    Changed,
    #[error(
        "the store refuses access; see the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they allow"
    )]
    Refused,
    #[error("the store sent fewer bytes than it has; run again")]
    Short,
    #[error(
        "the store cannot be reached, or gave no answer that can be used; see AWS_ENDPOINT_URL, AWS_REGION and the network, and run again"
    )]
    Unusable,
}

impl From<Error> for StoreProblem {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound { .. } => Self::Missing,
            Error::Precondition { .. } => Self::Changed,
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Self::Refused,
            Error::InvalidPath { .. } => Self::Missing,
            _ => Self::Unusable,
        }
    }
}

impl From<StoreProblem> for io::Error {
    fn from(problem: StoreProblem) -> Self {
        let kind = match problem {
            StoreProblem::Missing => ErrorKind::NotFound,
            StoreProblem::Refused => ErrorKind::PermissionDenied,
            StoreProblem::NoBucket | StoreProblem::Environment => ErrorKind::InvalidInput,
            StoreProblem::Short => ErrorKind::UnexpectedEof,
            StoreProblem::Changed | StoreProblem::Unusable => ErrorKind::Other,
        };
        Self::new(kind, problem)
    }
}
