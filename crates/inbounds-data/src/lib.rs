pub use datafusion::prelude::SessionContext;
