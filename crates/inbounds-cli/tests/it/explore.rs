//! `inbounds explore`: the page of a plan, as one file and over a socket.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::workbench::{PLAN, Workbench};

#[test]
fn one_file_has_the_numbers_of_check() {
    let bench = Workbench::new();
    let said = bench.run(&["explore", "plan.toml", "--out", "page.html"]);
    assert_eq!((said.code, said.out.as_str()), (0, "Page: page.html\n"), "{}", said.err);
    let page = std::fs::read_to_string(bench.path("page.html")).expect("reads");
    let numbers =
        page.split("id=\"numbers\">").nth(1).and_then(|rest| rest.split("</script>").next()).expect("numbers");
    let numbers: Value = serde_json::from_str(numbers).expect("JSON");
    let own = &numbers["views"][numbers["own"].as_u64().expect("a place") as usize];
    let checked: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    for (key, value) in checked.as_object().expect("a record") {
        // What else the command prints was not asked for.
        if let Some(shown) = own["view"]["report"].get(key) {
            assert_eq!(shown, value, "{key}");
        }
    }
    assert_eq!(own["view"]["report"]["statistics"], checked["statistics"]);
    let again = bench.run(&["explore", "plan.toml", "--out", "page.html"]);
    assert!(again.code == 4 && again.err.contains("exists already"), "{}", again.err);
    bench.edit("epsilon = 1", "epsilon = 0");
    let wrong = bench.run(&["explore", "plan.toml", "--out", "other.html"]);
    assert_eq!((wrong.code, wrong.err), {
        let said = bench.run(&["check", "plan.toml"]);
        (said.code, said.err)
    });
}

#[test]
fn a_page_is_served_and_answers_as_check_does() {
    let bench = Workbench::new();
    let mut program = Command::new(env!("CARGO_BIN_EXE_inbounds"))
        .args(["explore", "plan.toml"])
        .current_dir(bench.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut line = String::new();
    BufReader::new(program.stdout.take().expect("an output")).read_line(&mut line).expect("a line");
    let url = line.split(' ').find(|word| word.starts_with("http://127.0.0.1:")).expect("an address").to_owned();
    let (address, token) = (url.split('/').nth(2).expect("an address"), url.split('/').nth(3).expect("a token"));
    let body = json!({ "text": PLAN }).to_string();
    let mut stream = TcpStream::connect(address).expect("connects");
    write!(
        stream,
        "POST /{token}/try HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .expect("sends");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    program.kill().expect("ends");
    program.wait().expect("ends");
    let seen: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    let checked: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    assert_eq!(seen["view"]["report"]["statistics"], checked["statistics"]);
    assert_eq!(seen["view"]["report"]["meaning"], checked["meaning"]);
}
