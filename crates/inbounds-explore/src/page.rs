//! The files of the page.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageFile {
    /// Its name below the address of the page; empty for the page itself.
    pub(crate) name: &'static str,
    /// Its type.
    pub(crate) kind: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All of them. Modules stand after those that they import.
pub(crate) const FILES: &[PageFile] = &[
    PageFile { name: "", kind: "text/html; charset=utf-8", text: include_str!("page/index.html") },
    PageFile { name: "icon.svg", kind: "image/svg+xml", text: include_str!("page/icon.svg") },
    PageFile { name: "style.css", kind: "text/css; charset=utf-8", text: include_str!("page/style.css") },
    PageFile { name: "words.js", kind: SCRIPT, text: include_str!("page/words.js") },
    PageFile { name: "deployments.js", kind: SCRIPT, text: include_str!("page/deployments.js") },
    PageFile { name: "pictures.js", kind: SCRIPT, text: include_str!("page/pictures.js") },
    PageFile { name: "shares.js", kind: SCRIPT, text: include_str!("page/shares.js") },
    PageFile { name: "source.js", kind: SCRIPT, text: include_str!("page/source.js") },
    PageFile { name: "app.js", kind: SCRIPT, text: include_str!("page/app.js") },
];
