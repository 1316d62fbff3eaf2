//! The page in a browser. Skipped, and said so, where there is none.

mod chromium;

use std::process::Command;

use serde_json::Value;

use super::{Bundle, Draw, examples};
use crate::{repository::root, workbench::Workbench};
use chromium::{Chromium, Scheme};

/// Width of a small phone.
const PHONE: u32 = 380;

#[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn browser() -> Option<Chromium> {
    let chromium = Chromium::find();
    if chromium.is_none() {
        eprintln!("SKIPPED: there is no chromium on this machine; `apt-get install chromium` brings one");
    }
    chromium
}

/// A name that cannot be broken.
const LONG: &str = "An-unbroken-name-that-no-phone-has-the-width-for-and-no-hyphen-helps";

fn counts() -> Bundle {
    Bundle::counts(&[("Aldermoor", 1423), (&LONG.repeat(2), 15), ("<b>&\"$x$", 0)], Draw::Private)
}

/// A page, and whether it must have a picture: a single number has none.
struct Seen {
    name: String,
    page: String,
    drawn: bool,
}

/// Pages with all that a page can have: long words, many rows, all blocks, warnings, and those of all examples.
fn pages() -> Vec<Seen> {
    let seeded = Bundle::released(&LONG.repeat(2), &[("Ivel", 5)], NONE, Draw::Seeded);
    let names: Vec<String> = (0..3000).map(|index| format!("place {index}")).collect();
    let many: Vec<(&str, usize)> = names.iter().zip(0..).map(|(name, place)| (name.as_str(), place % 20)).collect();
    let made = [
        ("counts", counts()),
        ("seeded", seeded),
        ("many", Bundle::counts(&many, Draw::Seeded)),
        ("levels", Bundle::levels(&many[..40])),
        ("reconciled", Bundle::reconciled()),
    ];
    let own = made.map(|(name, bundle)| Seen { name: name.to_owned(), page: bundle.page(), drawn: name != "seeded" });
    let examples = examples::all().into_iter().map(|example| Seen {
        name: example.name,
        page: example.page,
        drawn: example.drawn,
    });
    own.into_iter().chain(examples).chain(approvals()).collect()
}

/// Pages on which plans are approved.
fn approvals() -> impl Iterator<Item = Seen> {
    ["registry/levels", "people/many-margins"].into_iter().map(|plan| {
        let bench = Workbench::new();
        let path = root().join(format!("examples/{plan}.toml"));
        let said = bench.run(&["check", path.to_str().expect("UTF-8"), "--out", "page.html", "--epsilon", "0.5,4"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let page = std::fs::read_to_string(bench.path("page.html")).expect("reads");
        Seen { name: format!("approval of {plan}"), page, drawn: false }
    })
}

/// A single number, which has no picture.
const NONE: &str = "[[statistic]]\nname = \"people\"\nkind = \"count\"\n";

fn wrong(seen: &Value) -> Vec<&str> {
    seen["wrong"].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn pages_are_sound_on_a_phone_and_on_a_desk_in_the_light_and_in_the_dark() {
    let Some(browser) = browser() else { return };
    for Seen { name, page, drawn } in pages() {
        let all = [(PHONE, Scheme::Light), (1280, Scheme::Dark), (PHONE, Scheme::Dark), (1280, Scheme::Light)];
        // Examples are many: each is seen in every width and in every scheme, though not in both at once.
        let views = if name.contains('/') { &all[..2] } else { &all[..] };
        for &(width, scheme) in views {
            let (seen, console) = browser.look(&page, width, scheme);
            assert!(wrong(&seen).is_empty(), "{name}, {width}, {scheme:?}: {seen:#}");
            assert!(console.is_empty(), "{name}: {console:?}");
            assert_eq!(seen["dark"], scheme == Scheme::Dark, "the browser did as it was told");
            let least = |key: &str, least: u64| assert!(seen[key].as_u64() >= Some(least), "{name}: {seen:#}");
            least("texts", 60);
            least("tables", 4);
            if drawn {
                least("pictures", 1);
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_page_is_found() {
    let Some(browser) = browser() else { return };
    let sound = counts().page();
    let spoiled = [
        ("contrast", sound.replace("--quiet: #51606e", "--quiet: #9aa5b0")),
        ("wide", sound.replace("<section ", "<p style=\"width:500px\">wide</p><section ")),
        ("caption", sound.replace("<caption>Files of the bundle</caption>", "")),
        ("no header", sound.replace("<th scope=\"row\">release.json", "<td>release.json")),
        ("columns", sound.replace("<th scope=\"col\">file", "<th>file")),
        ("is not in its picture", sound.replace("id=\"s1-curve-0\"", "id=\"lost\"")),
        ("there twice", sound.replace("id=\"budget\"", "id=\"guarantee\"")),
        ("leads nowhere", sound.replace("href=\"#budget\"", "href=\"#gone\"")),
        ("it loads", sound.replace("</h1>", "</h1><img src=\"http://127.0.0.1:9/x.png\" alt=\"\">")),
        ("overlaps", sound.replace("</svg>", "<text y=\"50\">one</text><text x=\"3\" y=\"51\">other</text></svg>")),
        ("goes below 0", sound.replace(">500</text>", ">-500</text>")),
        ("too faint", sound.replace("--plot-1: #0072b2", "--plot-1: #c8d8e8")),
        ("a script of another", sound.replace("</h1>", "</h1><script>1</script>")),
    ];
    for (fault, page) in spoiled {
        assert_ne!(page, sound, "{fault}: nothing was spoiled");
        let (seen, _) = browser.look(&page, PHONE, Scheme::Light);
        assert!(wrong(&seen).iter().any(|error| error.contains(fault)), "{fault} was not found: {seen:#}");
    }
    let (seen, _) =
        browser.look(&sound.replace("<details>", "<div style=\"height:1300px\"></div><details>"), 1280, Scheme::Light);
    assert!(wrong(&seen).iter().any(|error| error.contains("high")), "{seen:#}");
    let failing = sound.replace("</h1>", "</h1><script>console.error('heard')</script>");
    let (_, console) = browser.look(&failing, PHONE, Scheme::Light);
    assert!(console.iter().any(|line| line.contains("heard")), "the console was not heard: {console:?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn axe_finds_nothing_wrong() {
    let Some(browser) = browser() else { return };
    let Some(path) = std::env::var_os("INBOUNDS_AXE") else {
        eprintln!("SKIPPED: set INBOUNDS_AXE to axe.min.js of the npm package axe-core");
        return;
    };
    let axe = std::fs::read_to_string(path).expect("axe.min.js");
    for Seen { name, page, .. } in pages().into_iter().filter(|seen| !seen.name.contains("constraints")) {
        for scheme in [Scheme::Light, Scheme::Dark] {
            let violations = browser.axe(&page, &axe, scheme);
            assert!(violations.is_empty(), "{name}, {scheme:?}: {violations:#?}");
        }
    }
    let spoiled = counts().page().replace("<html lang=\"en\">", "<html>");
    assert!(browser.axe(&spoiled, &axe, Scheme::Light).iter().any(|error| error.contains("html-has-lang")));
}

#[test]
fn a_page_is_printed() {
    let Some(browser) = browser() else { return };
    let page = counts().page();
    let printed = browser.print(&page);
    assert!(printed.starts_with(b"%PDF") && printed.len() > 20_000, "{} bytes", printed.len());
}

/// The words of a PDF; none where no program on this machine reads them.
#[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn words(pdf: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("page.pdf");
    std::fs::write(&path, pdf).expect("writes");
    match Command::new("pdftotext").arg(&path).arg("-").output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            eprintln!("SKIPPED: pdftotext: {error}; `apt-get install poppler-utils` brings it");
            None
        }
    }
}

#[test]
fn paper_loses_no_number() {
    let Some(browser) = browser() else { return };
    let names: Vec<String> = (0..130).map(|index| format!("place-{index}-of-many")).collect();
    let places: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 3)).collect();
    let bundle = Bundle::levels(&places);
    let Some(printed) = words(&browser.print(&bundle.page())) else { return };
    // Also of tables that scroll on a screen, and of what is folded there.
    for name in &names {
        assert!(printed.contains(name.as_str()), "{name} is not printed");
    }
    for folded in ["All 393 numbers, one a line", "place-129-of-many, sum", "Mechanisms. When this page was drawn"] {
        assert!(printed.contains(folded), "`{folded}` is not printed");
    }
    assert!(!printed.contains("Copy as CSV"));
}

#[test]
fn no_address_is_in_a_page() {
    for Seen { name, page, .. } in pages() {
        let without = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for address in ["http:", "https:", "=\"//", "url(http", "@import", "src="] {
            assert!(!without.contains(address), "{name} holds `{address}`");
        }
    }
}
