//! What is refused: everything that does not come from the page itself.

use std::{fs, io::Read, net::TcpStream, time::Duration};

use inbounds_explore::{Explorer, MOST_BYTES, MOST_CONNECTIONS};
use serde_json::{Value, json};

use crate::server::Site;

const PLAN: &str = r#"
title = "Visits"
data = { path = "visits.csv" }
privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 } # a comment
columns.ward = { type = "text", values = ["a", "b"] }
[[statistic]]
name = "visits"
kind = "count"
by = ["ward"]
"#;

fn asked() -> Value {
    json!({ "text": PLAN })
}

#[test]
fn the_page_itself_is_answered() {
    let site = Site::serve(PLAN);
    let page = site.get(&format!("{}/", site.root()));
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("<title>Explore a plan</title>"));
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(page.head.contains(header), "{header} in {}", page.head);
    }
    assert!(!page.head.contains("set-cookie"));
    let seen = site.post("try", &asked());
    assert_eq!(seen.status, 200, "{seen:?}");
    let seen: Value = serde_json::from_str(&seen.body).expect("JSON");
    assert_eq!(seen["view"]["is"], "sound");
    assert_eq!(seen["view"]["report"]["epsilon"], "1");
}

#[test]
fn without_the_token_nothing_is_there() {
    let site = Site::serve(PLAN);
    let token = &site.root()[1..];
    assert!(token.len() == 48 && token.chars().all(|digit| digit.is_ascii_hexdigit()), "{token}");
    let other = token.replace(['a', '0'], "1");
    for path in ["/", "/app.js", "/plan", "/try", "//", &format!("/{}", &token[..47]), &format!("/{other}1/plan")] {
        let answer = site.get(path);
        assert_eq!((answer.status, answer.body.as_str()), (404, "404 Not Found\n"), "{path}");
    }
    let again = Site::serve(PLAN);
    assert_ne!(site.root(), again.root(), "every page has a token of its own");
}

#[test]
fn paths_lead_to_the_files_of_the_page_alone() {
    let site = Site::serve(PLAN);
    fs::write(site.folder.path().join("secret.txt"), "CANARY").expect("writes");
    let root = site.root();
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/secret.txt",
        "/plan.toml",
        "/../../etc/passwd",
        "//etc/passwd",
        "/style.css/../../secret.txt",
        "/.%2e/%2e./etc/passwd",
        "/plan/..",
        "/app.js%00",
        "/..\\secret.txt",
    ] {
        let answer = site.get(&format!("{root}{path}"));
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        assert!(!answer.body.contains("CANARY") && !answer.body.contains("root:"), "{path}: {answer:?}");
    }
}

#[test]
fn names_that_lead_to_this_machine_are_refused() {
    // DNS rebinding: the browser believes that it talks to another site, and says so.
    let site = Site::serve(PLAN);
    let port = site.address().split(':').nth(1).expect("a port").to_owned();
    let path = format!("GET {}/plan HTTP/1.1", site.root());
    for host in [
        format!("attacker.example:{port}"),
        "attacker.example".to_owned(),
        format!("127.0.0.1.nip.io:{port}"),
        "127.0.0.1".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        String::new(),
    ] {
        let answer = site.send(&[&path, &format!("Host: {host}")], b"");
        assert!(matches!(answer.status, 400 | 421), "{host}: {answer:?}");
        assert!(!answer.body.contains("Visits"), "{host}");
    }
    let (own, other) = (format!("Host: {}", site.address()), "Host: attacker.example".to_owned());
    assert_eq!(site.send(&[&path], b"").status, 400, "without a host");
    assert_eq!(site.send(&[&path, &own, &other], b"").status, 400, "with two hosts");
    assert_eq!(site.send(&[&path, &format!("Host: localhost:{port}")], b"").status, 200);
}

#[test]
fn other_origins_are_refused() {
    let site = Site::serve(PLAN);
    let body = asked().to_string();
    let own = site.lines("try", body.len());
    let with = |origin: Option<&str>| {
        let mut lines: Vec<String> = own.iter().filter(|line| !line.starts_with("Origin")).cloned().collect();
        lines.extend(origin.map(|origin| format!("Origin: {origin}")));
        site.send(&lines.iter().map(String::as_str).collect::<Vec<_>>(), body.as_bytes()).status
    };
    assert_eq!(with(Some(&format!("http://{}", site.address()))), 200);
    let https = format!("https://{}", site.address());
    for origin in [None, Some("null"), Some("http://attacker.example"), Some("http://127.0.0.1"), Some(https.as_str())]
    {
        assert_eq!(with(origin), 403, "{origin:?}");
    }
    let mut form = own.clone();
    form[3] = "Content-Type: text/plain".to_owned();
    let form: Vec<&str> = form.iter().map(String::as_str).collect();
    assert_eq!(site.send(&form, body.as_bytes()).status, 415, "a form of another site has no JSON");
    let get = format!("GET {}/plan HTTP/1.1", site.root());
    let host = format!("Host: {}", site.address());
    assert_eq!(site.send(&[&get, &host, "Origin: http://attacker.example"], b"").status, 403);
    let options = format!("OPTIONS {}/save HTTP/1.1", site.root());
    let asked = site.send(&[&options, &host, "Origin: http://attacker.example"], b"");
    assert!(asked.status == 403 && !asked.head.contains("access-control-allow"), "{asked:?}");
}

#[test]
fn bodies_of_ten_megabytes_are_refused() {
    let site = Site::serve(PLAN);
    let large = vec![b' '; 10 << 20];
    let lines = site.lines("try", large.len());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    // It is refused by its length, before it is read.
    assert_eq!(site.send(&lines, b"").status, 413);
    // A length that is not told is counted.
    let mut chunked: Vec<String> = site.lines("try", 0).to_vec();
    chunked[4] = "Transfer-Encoding: chunked".to_owned();
    let chunked: Vec<&str> = chunked.iter().map(String::as_str).collect();
    let mut body = format!("{:x}\r\n", large.len()).into_bytes();
    body.extend(&large);
    body.extend(b"\r\n0\r\n\r\n");
    let answer = site.send(&chunked, &body);
    assert!(answer.status == 413 || answer.status == 0, "{answer:?}");
    assert!(large.len() > MOST_BYTES);
    assert_eq!(site.post("try", &asked()).status, 200, "it still answers");
}

#[test]
fn a_thousand_connections_are_not_held() {
    let site = Site::serve(PLAN);
    let connections: Vec<TcpStream> = (0..1000).map(|_| site.connect()).collect();
    // One more than the most is closed at once; the others are kept until they are late.
    let mut closed = 0;
    for connection in &connections {
        connection.set_read_timeout(Some(Duration::from_millis(2))).expect("a time");
        let mut byte = [0];
        match (&*connection).read(&mut byte) {
            Ok(0) => closed += 1,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => closed += 1,
            other => assert!(other.is_err(), "nothing was asked: {other:?}"),
        }
    }
    assert_eq!(closed, 1000 - MOST_CONNECTIONS);
    drop(connections);
    let answered = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        site.post("try", &asked()).status == 200
    });
    assert!(answered, "it answers again when they are gone");
}

#[test]
fn wrong_requests_are_refused_in_words_of_http() {
    let site = Site::serve(PLAN);
    assert_eq!(site.post("try", &json!({})).status, 400);
    assert_eq!(site.post("try", &json!({ "text": PLAN, "read": "rows" })).status, 400);
    assert_eq!(site.post("nothing", &asked()).status, 404);
    assert_eq!(site.get(&format!("{}/try", site.root())).status, 405);
    let wrong = site.post("try", &json!({ "text": PLAN, "change": { "set": "epsilon", "value": "much" } }));
    assert_eq!(wrong.status, 422);
    assert!(wrong.body.contains("must be a number"), "{wrong:?}");
}

#[test]
fn a_file_of_rows_is_not_opened_as_a_plan() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("rows.csv");
    fs::write(&path, "ward,name\na,CANARY\n").expect("writes");
    let refused = Explorer::open(&path, 0).expect_err("no plan");
    assert!(!format!("{refused} {refused:?}").contains("CANARY"), "{refused:?}");
}

#[test]
fn a_plan_is_saved_and_never_over_another() {
    let site = Site::serve(PLAN);
    let loaded: Value = serde_json::from_str(&site.get(&format!("{}/plan", site.root())).body).expect("JSON");
    assert_eq!(loaded["text"], PLAN);
    let changed = PLAN.replace("epsilon = 1", "epsilon = 0.5");
    let saved = site.post("save", &json!({ "text": changed, "digest": loaded["digest"] }));
    assert_eq!(saved.status, 200, "{saved:?}");
    assert_eq!(site.on_disk(), changed);
    let stale = site.post("save", &json!({ "text": PLAN, "digest": loaded["digest"] }));
    assert_eq!(stale.status, 409);
    assert!(stale.body.contains("changed on disk since this page loaded it"), "{stale:?}");
    assert_eq!(site.on_disk(), changed);
}
