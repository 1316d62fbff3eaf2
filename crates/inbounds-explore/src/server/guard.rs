//! What is refused before a request is looked at.
//!
//! Another page in the same browser can send requests to any port of this machine, and a name of its own can be made to
//! mean `127.0.0.1` (DNS rebinding). So a request must name the address in `Host`, have the token in its path, and,
//! where it changes or computes something, come from the page itself by `Origin`, which no page can forge.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::{MOST_BYTES, Served};

/// What every answer carries: nothing may be loaded or sent but from and to the page's own address, nothing is kept,
/// and no page may frame it.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// Lets a request through, or says why not.
pub(super) async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&served, &request) {
        Some(status) => plain(status),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// An answer without a word about what is here.
pub(super) fn plain(status: StatusCode) -> Response {
    (status, Body::from(format!("{status}\n"))).into_response()
}

fn refusal(served: &Served, request: &Request) -> Option<StatusCode> {
    let headers = request.headers();
    let address = served.address.to_string();
    let localhost = format!("localhost:{}", served.address.port());
    let Some(host) = only(headers, &header::HOST) else { return Some(StatusCode::BAD_REQUEST) };
    if host != address && host != localhost {
        return Some(StatusCode::MISDIRECTED_REQUEST);
    }
    let path = request.uri().path();
    let token = path.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if !is_same(token.as_bytes(), served.token.as_bytes()) {
        return Some(StatusCode::NOT_FOUND);
    }
    let own = format!("http://{host}");
    match headers.get(header::ORIGIN) {
        Some(origin) if origin.as_bytes() != own.as_bytes() => return Some(StatusCode::FORBIDDEN),
        None if request.method() != Method::GET => return Some(StatusCode::FORBIDDEN),
        _ => {}
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > MOST_BYTES) {
        return Some(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    (request.method() == Method::POST && !is_json).then_some(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}

/// The value of a header as text, if there is just one.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// True if two tokens are the same, in a time that does not tell where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
