//! The page in a browser. Skipped, and said so, where there is none.

mod chromium;

use serde_json::{Value, json};

use crate::bundle::{Bundle, manifest};
use chromium::{Chromium, Scheme};

/// Width of a small phone.
const PHONE: u32 = 380;

#[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn browser() -> Option<Chromium> {
    let found = Chromium::find();
    if found.is_none() {
        eprintln!("SKIPPED: there is no chromium on this machine; `apt-get install chromium` brings one");
    }
    found
}

/// Pages with all that a page can have: long words, many rows, all blocks, warnings.
fn pages() -> Vec<(&'static str, String)> {
    let long = "An-unbroken-name-that-no-phone-has-the-width-for-and-no-hyphen-helps".repeat(2);
    let counts = Bundle::counts(&[("Aldermoor", 1423), (&long, 15), ("<b>&\"$x$", -4)]);
    let mut seeded = manifest(0);
    seeded["private"] = json!(false);
    seeded["title"] = json!(long);
    let empty = "statistic,by_place,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,rmse_at_estimate,\
                 rmse_error,worst_bias,measurement\n";
    let names: Vec<String> = (0..3000).map(|index| format!("place {index}")).collect();
    let many: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(-5..).collect();
    vec![
        ("counts", counts.page()),
        ("seeded", Bundle::release(seeded, empty).page()),
        ("many", Bundle::counts(&many).page()),
        ("levels", leveled()),
        ("reconciled", Bundle::reconciled().page()),
    ]
}

/// Means, counts and sums of many places: three pictures and a long table.
fn leveled() -> String {
    let mut table =
        "statistic,by_place,output,unit,estimate,interval_lower,interval_upper,bias_at_estimate,bias_error,\
                     rmse_at_estimate,rmse_error,worst_bias,measurement\n"
            .to_owned();
    for place in 0..40 {
        for (output, unit, estimate) in
            [("mean", "unit of column age", 40), ("count", "rows", 900), ("sum", "unit of column age", 36_000)]
        {
            let (lower, upper) = (estimate / 2, estimate * 2);
            table.push_str(&format!(
                "people,p{place},{output},{unit},{estimate},{lower},{upper},0.1,0,2,0,1.85,{lower}\n"
            ));
        }
    }
    let mut manifest = manifest(120);
    let output =
        |name: &str, unit: &str| json!({ "name": name, "unit": unit, "range": { "lower": 0.0, "upper": null } });
    manifest["statistics"][0]["kind"] = json!("mean");
    manifest["statistics"][0]["outputs"] =
        json!([output("mean", "unit of column age"), output("count", "rows"), output("sum", "unit of column age")]);
    Bundle::release(manifest, &table).page()
}

fn wrong(seen: &Value) -> Vec<&str> {
    seen["wrong"].as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

#[test]
fn pages_are_sound_on_a_phone_and_on_a_desk_in_the_light_and_in_the_dark() {
    let Some(browser) = browser() else { return };
    for (name, page) in pages() {
        for (width, scheme) in
            [(PHONE, Scheme::Light), (PHONE, Scheme::Dark), (1280, Scheme::Light), (1280, Scheme::Dark)]
        {
            let (seen, console) = browser.look(&page, width, scheme);
            assert!(wrong(&seen).is_empty(), "{name}, {width}, {scheme:?}: {seen:#}");
            assert!(console.is_empty(), "{name}: {console:?}");
            assert_eq!(seen["dark"], scheme == Scheme::Dark, "the browser did as it was told");
            let least = |what: &str, least: u64| assert!(seen[what].as_u64() >= Some(least), "{name}: {seen:#}");
            least("texts", 60);
            least("tables", 4);
            if name != "seeded" {
                least("pictures", 1);
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_page_is_found() {
    let Some(browser) = browser() else { return };
    let (_, sound) = pages().swap_remove(0);
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
        ("a script", sound.replace("</h1>", "</h1><script>1</script>")),
    ];
    for (what, page) in spoiled {
        assert_ne!(page, sound, "{what}: nothing was spoiled");
        let (seen, _) = browser.look(&page, PHONE, Scheme::Light);
        assert!(wrong(&seen).iter().any(|found| found.contains(what)), "{what} was not found: {seen:#}");
    }
    let (seen, _) =
        browser.look(&sound.replace("<details>", "<div style=\"height:900px\"></div><details>"), 1280, Scheme::Light);
    assert!(wrong(&seen).iter().any(|found| found.contains("high")), "{seen:#}");
    let failing = sound.replace("</h1>", "</h1><script>console.error('heard')</script>");
    let (_, console) = browser.look(&failing, PHONE, Scheme::Light);
    assert!(console.iter().any(|line| line.contains("heard")), "the console was not heard: {console:?}");
}

#[test]
fn a_page_is_printed() {
    let Some(browser) = browser() else { return };
    let (_, page) = pages().swap_remove(0);
    let printed = browser.print(&page);
    assert!(printed.starts_with(b"%PDF") && printed.len() > 20_000, "{} bytes", printed.len());
}

#[test]
fn no_address_is_in_a_page() {
    for (name, page) in pages() {
        let without = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        for address in ["http:", "https:", "//", "url(http", "@import", "src="] {
            assert!(!without.contains(address), "{name} holds `{address}`");
        }
    }
}
