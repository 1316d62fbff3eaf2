//! Files in object stores.
//!
//! An object is asked for once, when its rows are opened, and pinned: every later request names the entity tag that it
//! had then, and fails if the object has another one. Nothing that a store says is passed on, for it may say anything;
//! the first problem with an object is kept, so that what was read in vain is not taken for damage of the file.

mod problem;
mod reader;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path as ObjectPath;
use object_store::{
    GetOptions, OBJECT_STORE_COALESCE_DEFAULT, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig, coalesce_ranges,
};
use tokio::runtime::Runtime;

use self::problem::StoreProblem;
pub(super) use self::reader::StoredFile;
use super::{FileLocation, FileState, SCHEME};

/// Most retries of a request, and the longest time for them.
const RETRIES: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);

/// An object, as it was when its rows were opened.
pub(super) struct StoredObject {
    store: Arc<AmazonS3>,
    meta: ObjectMeta,
    problem: OnceLock<StoreProblem>,
}

/// The store knows keys, which are not for printing.
impl fmt::Debug for StoredObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StoredObject").field("meta", &self.meta).finish_non_exhaustive()
    }
}

impl StoredObject {
    pub(super) fn state(&self) -> FileState {
        let changed = SystemTime::from(self.meta.last_modified);
        FileState { bytes: self.meta.size, changed, tag: self.meta.e_tag.clone() }
    }

    /// Its first error.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.problem.get().map(|problem| (*problem).into())
    }

    /// Bytes of the object, on their way.
    fn request(self: &Arc<Self>, range: Range<u64>) -> Receiver<Result<Bytes, StoreProblem>> {
        let object = self.clone();
        spawned(async move { object.bytes(range).await })
    }

    /// Bytes of the object that were asked for.
    fn receive(&self, answer: &Receiver<Result<Bytes, StoreProblem>>) -> io::Result<Bytes> {
        self.noted(answer.recv().unwrap_or(Err(StoreProblem::Unusable)))
    }

    /// Several ranges at once; those that are near one another in one request.
    fn ranges(self: &Arc<Self>, ranges: Vec<Range<u64>>) -> io::Result<Vec<Bytes>> {
        let object = self.clone();
        let answer = spawned(async move {
            coalesce_ranges(&ranges, |range| object.bytes(range), OBJECT_STORE_COALESCE_DEFAULT).await
        });
        self.noted(answer.recv().unwrap_or(Err(StoreProblem::Unusable)))
    }

    async fn bytes(&self, range: Range<u64>) -> Result<Bytes, StoreProblem> {
        let expected = range.end - range.start;
        let options =
            GetOptions { range: Some(range.into()), if_match: self.meta.e_tag.clone(), ..GetOptions::default() };
        let bytes = self.store.get_opts(&self.meta.location, options).await?.bytes().await?;
        if bytes.len() as u64 == expected { Ok(bytes) } else { Err(StoreProblem::Short) }
    }

    fn noted<T>(&self, answer: Result<T, StoreProblem>) -> io::Result<T> {
        answer.map_err(|problem| (*self.problem.get_or_init(|| problem)).into())
    }
}

/// The objects that a URL may stand for.
pub(super) struct Bucket {
    store: Arc<AmazonS3>,
    /// The URL of its root.
    root: String,
}

impl Bucket {
    /// The bucket of a URL, and what follows it there. Access is as the environment says (`AWS_ACCESS_KEY_ID` and so
    /// on).
    pub(super) fn from_url(url: &str) -> io::Result<(Self, &str)> {
        let rest = url.strip_prefix(SCHEME).ok_or(StoreProblem::NoBucket)?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '_');
        if bucket.is_empty() || !bucket.chars().all(is_name) {
            return Err(StoreProblem::NoBucket.into());
        }
        // A second call finds the one that is there, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig { max_retries: RETRIES, retry_timeout: PATIENCE, ..RetryConfig::default() };
        let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
        let store = builder.build().map_err(|_| StoreProblem::Environment)?;
        Ok((Self { store: Arc::new(store), root: format!("{SCHEME}{bucket}/") }, key))
    }

    /// The object of that name, if there is one.
    pub(super) fn object(&self, key: &str) -> io::Result<Option<FileLocation>> {
        let Ok(at) = ObjectPath::parse(key) else { return Ok(None) };
        if key.is_empty() || key.ends_with('/') {
            return Ok(None);
        }
        let store = self.store.clone();
        let response = spawned(async move { store.head(&at).await.map_err(StoreProblem::from) });
        match response.recv().unwrap_or(Err(StoreProblem::Unusable)) {
            Ok(meta) => Ok(Some(self.located(meta))),
            Err(StoreProblem::Missing) => Ok(None),
            Err(problem) => Err(problem.into()),
        }
    }

    /// The objects whose names begin with a folder, sorted by name. Those that only mark folders are left out.
    pub(super) fn below(&self, folder: &str) -> io::Result<Vec<FileLocation>> {
        let folder = ObjectPath::parse(folder).map_err(|_| StoreProblem::Missing)?;
        let store = self.store.clone();
        let listed = spawned(async move {
            let listed = store.list(Some(&folder)).try_collect::<Vec<ObjectMeta>>().await;
            listed.map_err(StoreProblem::from)
        });
        let listed = listed.recv().unwrap_or(Err(StoreProblem::Unusable))?;
        let named: BTreeMap<String, ObjectMeta> =
            listed.into_iter().map(|meta| (meta.location.to_string(), meta)).collect();
        let is_marker = |name: &str, meta: &ObjectMeta| {
            let below = format!("{name}/");
            meta.size == 0 && named.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
        };
        let files = named.iter().filter(|(name, meta)| !is_marker(name, meta));
        Ok(files.map(|(_, meta)| self.located(meta.clone())).collect())
    }

    fn located(&self, meta: ObjectMeta) -> FileLocation {
        let path = PathBuf::from(format!("{}{}", self.root, meta.location));
        let object = StoredObject { store: self.store.clone(), meta, problem: OnceLock::new() };
        FileLocation { path, object: Some(Arc::new(object)) }
    }
}

/// Runs the work and delivers its result, once it is done. The waiting thread need not know of the runtime, and may
/// belong to another one.
fn spawned<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Receiver<T> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let (sender, receiver) = mpsc::channel();
    let runtime =
        RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().ok());
    if let Some(runtime) = runtime {
        // Who went away in the meantime needs no answer.
        runtime.spawn(async move { drop(sender.send(work.await)) });
    }
    receiver
}
