//! Chromium without a window, driven by its own protocol over two pipes: no port, and no library.
//!
//! Commands and answers are JSON with a zero byte behind each. They go through named pipes that a shell opens as the
//! descriptors 3 and 4, which `--remote-debugging-pipe` reads and writes.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser that was started.
pub(crate) struct Browser {
    process: Child,
    write: File,
    read: BufReader<File>,
    next: u64,
    /// What pages said on their consoles, and what went wrong in them.
    pub(crate) console: Vec<String>,
    /// Addresses that pages asked for.
    pub(crate) requested: Vec<String>,
    _folder: TempDir,
}

/// A tab.
#[derive(Debug, Clone)]
pub(crate) struct Tab(String);

/// Longest wait for anything in a page.
const PATIENCE: Duration = Duration::from_secs(60);

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

impl Browser {
    /// A browser on this machine; `None`, and said so, where there is none.
    #[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = installed() else {
            eprintln!("SKIPPED: there is no chromium on this machine; `apt-get install chromium` brings one");
            return None;
        };
        let folder = tempfile::tempdir().expect("folder");
        let [to, from] = ["to", "from"].map(|name| folder.path().join(name));
        assert!(Command::new("mkfifo").args([&to, &from]).status().expect("mkfifo").success());
        let process = Command::new("sh")
            .args(["-c", "exec 3<\"$1\" 4>\"$2\"; shift 2; exec \"$@\"", "sh"])
            .args([&to, &from])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--force-prefers-reduced-motion", "--hide-scrollbars", "--font-render-hinting=none"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        // Each end waits for the other: the shell opens them in this order too.
        let write = OpenOptions::new().write(true).open(&to).expect("opens");
        let read = BufReader::new(File::open(&from).expect("opens"));
        let (console, requested) = (Vec::new(), Vec::new());
        Some(Self { process, write, read, next: 0, console, requested, _folder: folder })
    }

    /// A tab with this page, as wide and as high.
    pub(crate) fn open(&mut self, url: &str, width: u32, height: u32) -> Tab {
        let made = self.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let to = json!({ "targetId": made["targetId"], "flatten": true });
        let session = self.call(None, "Target.attachToTarget", to)["sessionId"].as_str().expect("a session").to_owned();
        let tab = Tab(session);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            self.call_in(&tab, &format!("{domain}.enable"), json!({}));
        }
        // Of several tabs each has the keyboard.
        self.call_in(&tab, "Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        self.size(&tab, width, height);
        self.call_in(&tab, "Page.navigate", json!({ "url": url }));
        tab
    }

    /// Another size.
    pub(crate) fn size(&mut self, tab: &Tab, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call_in(tab, "Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Light or dark.
    pub(crate) fn scheme(&mut self, tab: &Tab, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call_in(tab, "Emulation.setEmulatedMedia", features);
    }

    /// The value of an expression, or of what it promises.
    pub(crate) fn value(&mut self, tab: &Tab, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call_in(tab, "Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, tab: &Tab, expression: &str) {
        let begun = Instant::now();
        let asked = json!({ "expression": format!("Boolean({expression})"), "returnByValue": true });
        // While a page is loaded again there is none to ask.
        while self
            .attempt(Some(tab), "Runtime.evaluate", asked.clone())
            .map_or(true, |answer| answer["result"]["value"] != json!(true))
        {
            let page = || "document.body.innerText.slice(0, 3000)";
            assert!(
                begun.elapsed() < PATIENCE,
                "never: {expression}\n{}\n{:?}",
                self.value(tab, page()).as_str().unwrap_or_default(),
                self.console
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Text as if it were typed where the cursor is.
    pub(crate) fn insert(&mut self, tab: &Tab, text: &str) {
        self.call_in(tab, "Input.insertText", json!({ "text": text }));
    }

    /// A key, with its code for Windows, such as `("ArrowRight", 39)`.
    pub(crate) fn press(&mut self, tab: &Tab, (key, code): (&str, u32)) {
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            self.call_in(tab, "Input.dispatchKeyEvent", event);
        }
        if key == "Enter" {
            let event = json!({ "type": "char", "text": "\r", "key": key, "windowsVirtualKeyCode": code });
            self.call_in(tab, "Input.dispatchKeyEvent", event);
        }
    }

    /// The mouse from the middle of the thumb of a slider to a part of its width, in `moves` moves.
    pub(crate) fn drag(&mut self, tab: &Tab, slider: &str, part: f64, moves: u32) {
        let place = self.value(
            tab,
            &format!(
                "(() => {{ const s = document.querySelector({slider:?}); s.scrollIntoView({{ block: 'center' }}); \
                 const r = s.getBoundingClientRect(); const t = (s.value - s.min) / (s.max - s.min); \
                 return [r.left, r.width, r.top + r.height / 2, t]; }})()"
            ),
        );
        let [left, width, y, from] = [0, 1, 2, 3].map(|at| place[at].as_f64().expect("a place"));
        let x = |part: f64| left + 8.0 + part * (width - 16.0);
        self.mouse(tab, "mousePressed", x(from), y);
        for step in 1..=moves {
            self.mouse(tab, "mouseMoved", x(from + (part - from) * f64::from(step) / f64::from(moves)), y);
        }
        self.mouse(tab, "mouseReleased", x(part), y);
    }

    fn mouse(&mut self, tab: &Tab, kind: &str, x: f64, y: f64) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.call_in(tab, "Input.dispatchMouseEvent", event);
    }

    /// A picture of the whole page as PNG, in base 64, no higher than this number of pixels.
    pub(crate) fn picture(&mut self, tab: &Tab, most: u32) -> String {
        let height = self.value(tab, "document.documentElement.scrollHeight").as_f64().expect("a height");
        let width = self.value(tab, "innerWidth").as_f64().expect("a width");
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height.min(f64::from(most)), "scale": 1 });
        let asked = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
        self.call_in(tab, "Page.captureScreenshot", asked)["data"].as_str().expect("a picture").to_owned()
    }

    /// Sends a command to a tab and waits for its answer.
    pub(crate) fn call_in(&mut self, tab: &Tab, method: &str, parameters: Value) -> Value {
        self.call(Some(tab), method, parameters)
    }

    fn call(&mut self, tab: Option<&Tab>, method: &str, parameters: Value) -> Value {
        self.attempt(tab, method, parameters).unwrap_or_else(|error| panic!("{method}: {error:#}"))
    }

    fn attempt(&mut self, tab: Option<&Tab>, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(Tab(session)) = tab {
            command["sessionId"] = json!(session);
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.write.write_all(&bytes).expect("the browser reads");
        loop {
            let mut bytes = Vec::new();
            self.read.read_until(0, &mut bytes).expect("the browser writes");
            assert_eq!(bytes.pop(), Some(0), "the browser is gone");
            let message: Value = serde_json::from_slice(&bytes).expect("JSON");
            if message["id"] == json!(id) {
                return message.get("error").map_or_else(|| Ok(message["result"].clone()), |error| Err(error.clone()));
            }
            self.note(&message);
        }
    }

    fn note(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.console.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") => self.console.push(parameters["entry"]["text"].to_string()),
            Some("Runtime.consoleAPICalled") => self.console.push(parameters["args"].to_string()),
            Some("Network.requestWillBeSent") => {
                self.requested.extend(parameters["request"]["url"].as_str().map(str::to_owned));
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It has nothing to keep; if it is gone already, that is as well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
