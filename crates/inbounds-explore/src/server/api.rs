//! Routes: the files of the page, and what it asks.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::State,
    http::{HeaderValue, StatusCode, header},
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    IN_TIME, MOST_BYTES, Served,
    guard::{guard, plain},
};
use crate::{
    Change, Compared, DOTS, PlanFileError, RanksKept, View,
    page::FILES,
    plan_file::PlanOnDisk,
    view::{Place, Tried},
};

/// A text to be shown, and changed before that if there is a change.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Try {
    text: String,
    change: Option<Change>,
    /// Candidate truths by name of statistic.
    #[serde(default)]
    truths: BTreeMap<String, f64>,
    dots: Option<usize>,
}

/// Of which statistic mechanisms are compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compare {
    text: String,
    /// Its place in the plan.
    statistic: usize,
}

/// Of which statistic the ranks of cells are asked for, and of which numbers; made-up ones where there are none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rank {
    text: String,
    /// Its place in the plan.
    statistic: usize,
    #[serde(default)]
    numbers: Option<Vec<f64>>,
}

/// What is to be written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Save {
    text: String,
    /// Of what was loaded; null where there was no file.
    digest: Option<String>,
}

/// A text with what is shown of it.
#[derive(Debug, Serialize)]
struct Shown {
    text: String,
    view: View,
}

impl Served {
    fn place<'a>(&'a self, name: &'a str) -> Place<'a> {
        Place { name, folder: self.file.folder(), rows: None }
    }
}

/// The routes of a page.
pub(super) fn router(served: Arc<Served>) -> Router {
    let root = format!("/{}", served.token);
    let mut router = Router::new()
        .route(&format!("{root}/plan"), get(plan))
        .route(&format!("{root}/try"), post(try_text))
        .route(&format!("{root}/compare"), post(compare))
        .route(&format!("{root}/ranks"), post(ranks))
        .route(&format!("{root}/save"), post(save));
    for file in FILES {
        let answer = move || async move { ([(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))], file.text) };
        router = router.route(&format!("{root}/{}", file.name), get(answer));
    }
    router
        .fallback(|| async { plain(StatusCode::NOT_FOUND) })
        .layer(from_fn_with_state(served.clone(), guard))
        .with_state(served)
}

/// The plan on disk.
async fn plan(State(served): State<Arc<Served>>) -> Response {
    apart(served, |served| match served.file.load() {
        Ok(plan) => json_of(StatusCode::OK, &plan),
        Err(error) => failed(&error),
    })
    .await
}

async fn try_text(State(served): State<Arc<Served>>, body: Body) -> Response {
    asked(served, body, |served, asked: Try| {
        let text = match asked.change.map(|change| change.apply(&asked.text)).transpose() {
            Ok(changed) => changed.unwrap_or(asked.text),
            Err(error) => return json_of(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "error": error.to_string() })),
        };
        let dots = asked.dots.unwrap_or(*DOTS.end()).clamp(*DOTS.start(), *DOTS.end());
        let name = served.file.name();
        let (view, _) = View::prepare(served.place(&name), &text, &asked.truths, dots);
        json_of(StatusCode::OK, &Shown { text, view })
    })
    .await
}

async fn ranks(State(served): State<Arc<Served>>, body: Body) -> Response {
    asked(served, body, |served, asked: Rank| {
        let name = served.file.name();
        let tried = Tried::prepare(served.place(&name), &asked.text).ok();
        let ranks = tried.and_then(|tried| RanksKept::for_statistic(&tried, asked.statistic, asked.numbers.as_deref()));
        json_of(StatusCode::OK, &ranks)
    })
    .await
}

async fn compare(State(served): State<Arc<Served>>, body: Body) -> Response {
    asked(served, body, |served, asked: Compare| {
        let name = served.file.name();
        match Compared::of_text(served.place(&name), &asked.text, asked.statistic) {
            Some(Ok(compared)) => json_of(StatusCode::OK, &compared),
            Some(Err(error)) => json_of(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "error": error.to_string() })),
            None => json_of(StatusCode::OK, &json!(null)),
        }
    })
    .await
}

async fn save(State(served): State<Arc<Served>>, body: Body) -> Response {
    asked(served, body, |served, asked: Save| match served.file.save(&asked.text, asked.digest.as_deref()) {
        Ok(PlanOnDisk { path, digest, .. }) => json_of(StatusCode::OK, &json!({ "path": path, "digest": digest })),
        Err(error) => failed(&error),
    })
    .await
}

/// Reads what is asked, within its size and time, and answers it away from the connections.
async fn asked<Q: DeserializeOwned + Send + 'static>(
    served: Arc<Served>,
    body: Body,
    answer: impl FnOnce(&Served, Q) -> Response + Send + 'static,
) -> Response {
    let bytes = match tokio::time::timeout(IN_TIME, to_bytes(body, MOST_BYTES)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return plain(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT),
    };
    match serde_json::from_slice(&bytes) {
        Ok(asked) => apart(served, move |served| answer(served, asked)).await,
        Err(_) => plain(StatusCode::BAD_REQUEST),
    }
}

/// Does work on a thread for work, a few at a time.
async fn apart(served: Arc<Served>, work: impl FnOnce(&Served) -> Response + Send + 'static) -> Response {
    let Ok(_place) = served.at_once.acquire().await else { return plain(StatusCode::SERVICE_UNAVAILABLE) };
    let worker = served.clone();
    // A panic is a fault of the program; its message may quote anything, so it is not shown.
    let done = tokio::task::spawn_blocking(move || work(&worker)).await;
    done.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR))
}

fn failed(error: &PlanFileError) -> Response {
    let status = match error {
        PlanFileError::Changed { .. } => StatusCode::CONFLICT,
        PlanFileError::NoPlan(_) | PlanFileError::Unwritten { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    };
    json_of(status, &json!({ "error": error.to_string() }))
}

fn json_of(status: StatusCode, value: &impl Serialize) -> Response {
    let text = serde_json::to_string(value).expect("strings, numbers and lists serialise");
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], text).into_response()
}
