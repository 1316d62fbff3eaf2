//! Chromium without a window.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// A browser on this machine.
pub(crate) struct Chromium(PathBuf);

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scheme {
    Light,
    Dark,
}

/// Where a page is looked at from.
const LOOK: &str = include_str!("look.js");

impl Chromium {
    /// The first that is installed.
    pub(crate) fn find() -> Option<Self> {
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let places = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        places.into_iter().find(|place| place.is_file()).map(Self)
    }

    /// What `look.js` finds in a page of this width, and what the browser says of it on its console.
    pub(crate) fn look(&self, page: &str, width: u32, scheme: Scheme) -> (Value, Vec<String>) {
        let folder = tempfile::tempdir().expect("folder");
        let attribute = page.replace('&', "&amp;").replace('"', "&quot;");
        // A frame has the width that is asked for; a window has a least one.
        let outside = format!(
            "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\"></head>\
             <body><iframe style=\"border:0;width:{width}px;height:900px\" srcdoc=\"{attribute}\"></iframe>\
             <script>{LOOK}</script></body></html>"
        );
        let path = folder.path().join("outside.html");
        fs::write(&path, outside).expect("writes");
        let output = self.run(&folder, scheme, &["--dump-dom", &format!("file://{}", path.display())]);
        let document = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = document.split("<pre id=\"said\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let said = said.unwrap_or_else(|| panic!("nothing was found: {}", String::from_utf8_lossy(&output.stderr)));
        let text = said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let console = String::from_utf8_lossy(&output.stderr);
        let console = console.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
        (serde_json::from_str(&text).expect("JSON"), console)
    }

    /// What the rules of axe-core, whose script is given, find wrong with a page with everything open.
    pub(crate) fn axe(&self, page: &str, script: &str, scheme: Scheme) -> Vec<String> {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("page.html");
        let run = "addEventListener('load', () => { for (const folded of document.querySelectorAll('details')) folded.open = true; \
                   axe.run(document, { resultTypes: ['violations'] }).then((found) => { const said = document.createElement('pre'); \
                   said.id = 'said'; said.textContent = JSON.stringify(found.violations.map((rule) => `${rule.id}: ${rule.nodes[0].html}`)); \
                   document.body.replaceChildren(said); }); });";
        let tested = page.replace("</body>", &format!("<script>{script}</script><script>{run}</script></body>"));
        fs::write(&path, tested).expect("writes");
        let output =
            self.run(&folder, scheme, &["--window-size=390,900", "--dump-dom", &format!("file://{}", path.display())]);
        let document = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = document.split("<pre id=\"said\">").nth(1).and_then(|rest| rest.split("</pre>").next());
        let said = said.unwrap_or_else(|| panic!("axe said nothing: {}", String::from_utf8_lossy(&output.stderr)));
        let text = said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The page as a PDF.
    pub(crate) fn print(&self, page: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("folder");
        let (path, out) = (folder.path().join("page.html"), folder.path().join("page.pdf"));
        fs::write(&path, page).expect("writes");
        let (to, from) = (format!("--print-to-pdf={}", out.display()), format!("file://{}", path.display()));
        self.run(&folder, Scheme::Light, &[&to, "--no-pdf-header-footer", &from]);
        fs::read(out).expect("a PDF")
    }

    fn run(&self, folder: &TempDir, scheme: Scheme, arguments: &[&str]) -> Output {
        let preferred = if scheme == Scheme::Dark { 0 } else { 1 };
        Command::new(&self.0)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--enable-logging=stderr", "--virtual-time-budget=5000"])
            .arg(format!("--blink-settings=preferredColorScheme={preferred}"))
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .args(arguments)
            .output()
            .expect("runs")
    }
}
