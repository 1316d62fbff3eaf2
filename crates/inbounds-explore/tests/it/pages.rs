//! The page in a browser, used as a person would.

use std::fs;

use inbounds_explore::standalone;
use inbounds_release::{AssumedRows, check::check, plan::Plan};
use serde_json::{Value, json};

use crate::{
    browser::{Browser, Tab},
    server::{Site, example},
};

const READY: &str =
    "document.querySelector('#cards article') && document.querySelector('#saved').textContent === 'as on disk'";

/// The example of the README, without its rows.
fn registry() -> String {
    fs::read_to_string(example("registry/plan.toml")).expect("reads")
}

fn opened(browser: &mut Browser, site: &Site) -> Tab {
    let tab = browser.open(&site.url, 1280, 900);
    browser.wait(&tab, READY);
    tab
}

/// What the command's own record has for a text.
fn checked(site: &Site, text: &str) -> Value {
    let plan = Plan::parse(text, site.folder.path()).expect("a plan");
    serde_json::to_value(check(&plan, &AssumedRows::Usual).expect("checks")).expect("JSON")
}

fn text(browser: &mut Browser, tab: &Tab, id: &str) -> String {
    let value = browser.value(tab, &format!("(e => e.value ?? e.textContent)(document.getElementById({id:?}))"));
    value.as_str().unwrap_or_default().to_owned()
}

fn click(browser: &mut Browser, tab: &Tab, selector: &str) {
    browser.value(tab, &format!("document.querySelector({selector:?}).click()"));
}

#[test]
fn a_plan_is_loaded_dragged_edited_and_saved() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&registry());
    let tab = opened(&mut browser, &site);
    assert_eq!(text(&mut browser, &tab, "title"), "Hospital stays by district (synthetic)");
    assert_eq!(browser.value(&tab, "document.querySelectorAll('#cards article').length"), 3);
    assert_eq!(browser.value(&tab, "document.querySelectorAll('#cards article:first-child circle.dot').length"), 53);
    assert_eq!(text(&mut browser, &tab, "plan-text"), registry());

    keep(&mut browser, &tab, "explore", 1250);

    // Epsilon, by the mouse: the text follows, with its comments, and the meaning.
    browser.drag(&tab, "#epsilon", 0.5, 8);
    browser.wait(&tab, "document.getElementById('plan-text').value.includes('epsilon = 0.56')");
    let now = text(&mut browser, &tab, "plan-text");
    assert!(now.contains("# protects all stays of a patient; three of them count"), "{now}");
    assert_eq!(text(&mut browser, &tab, "meaning"), checked(&site, &now)["meaning"].as_str().expect("words"));

    // The truth, by the keyboard, from one end to the other.
    browser.value(&tab, "document.getElementById('truth-0').focus()");
    browser.press(&tab, ("Home", 36));
    browser.wait(&tab, "document.getElementById('caption-0').textContent.startsWith('If the truth were 0,')");
    let at_end = text(&mut browser, &tab, "caption-0");
    assert!(at_end.contains("of 50 are at the end, 0."), "{at_end}");
    browser.press(&tab, ("End", 35));
    browser.wait(&tab, "!document.getElementById('caption-0').textContent.includes('at the end')");

    // Undo takes back the whole drag, and redo brings it again.
    click(&mut browser, &tab, "#undo");
    browser.wait(&tab, "document.getElementById('plan-text').value.includes('epsilon = 2\\n')");
    assert_eq!(text(&mut browser, &tab, "plan-text"), registry());
    click(&mut browser, &tab, "#redo");
    browser.wait(&tab, "document.getElementById('plan-text').value.includes('epsilon = 0.56')");

    assert_eq!(site.on_disk(), registry(), "nothing is saved that nobody asked for");
    click(&mut browser, &tab, "#save");
    browser.wait(&tab, "document.getElementById('said').textContent.startsWith('Saved to')");
    assert_eq!(site.on_disk(), now);
    browser.value(&tab, "document.body.dataset.before = 'reload'");
    browser.call_in(&tab, "Page.reload", json!({}));
    browser.wait(&tab, &format!("document.body && !document.body.dataset.before && {READY}"));
    assert!(text(&mut browser, &tab, "epsilon-written").starts_with("0.56"));
    assert_eq!(text(&mut browser, &tab, "plan-text"), now);
    assert!(browser.console.is_empty(), "{:?}", browser.console);
    let strange: Vec<&String> = browser.requested.iter().filter(|url| !url.starts_with(&site.url)).collect();
    assert!(strange.iter().all(|url| url.as_str() == "about:blank"), "{strange:?}");
}

/// Replaces the text of the plan as a person would: by selecting all of it and typing.
fn write(browser: &mut Browser, tab: &Tab, text: &str) {
    browser.value(tab, "(t => { t.focus(); t.select(); })(document.getElementById('plan-text'))");
    browser.insert(tab, text);
}

/// A number as the page writes it, and the same of the record, both with three digits.
fn same(shown: &str, value: &Value) -> bool {
    let Some(value) = value.as_f64() else { return shown == "–" };
    let shown: f64 = shown.replace(',', "").parse().unwrap_or(f64::NAN);
    // Halves may be rounded either way.
    (shown - value).abs() <= 0.5001 * 10f64.powf(value.abs().log10().floor() - 2.0) || shown == value
}

#[test]
fn sixty_numbers_are_those_of_check() {
    let Some(mut browser) = Browser::start() else { return };
    let mut compared = 0;
    for name in ["registry/plan.toml", "registry/levels.toml", "registry/together.toml"] {
        let plan = fs::read_to_string(example(name)).expect("reads");
        let site = Site::serve(&plan);
        let file = "areas.csv";
        fs::copy(example("registry").join(file), site.folder.path().join(file)).expect("copies");
        let tab = opened(&mut browser, &site);
        let report = checked(&site, &plan);
        let shown = browser.value(
            &tab,
            "[...document.querySelectorAll('#cards article')].map(a => ({ name: a.querySelector('h3').textContent, \
             about: a.querySelector('.about').textContent, rows: [...a.querySelectorAll('.errors tbody tr')].map(r => \
             [...r.children].map(c => c.textContent)) }))",
        );
        let (shown, expected) = (shown.as_array().expect("cards"), report["statistics"].as_array().expect("a list"));
        assert_eq!(shown.len(), expected.len(), "{name}");
        for (card, statistic) in shown.iter().zip(expected) {
            assert_eq!(card["name"], statistic["name"]);
            let about = card["about"].as_str().expect("words");
            let epsilon = format!("epsilon {}", statistic["epsilon"].as_str().expect("an epsilon"));
            assert!(about.contains(&epsilon), "{about} has no {epsilon}");
            compared += 1;
            let (rows, errors) = (card["rows"].as_array(), statistic["expected_error"].as_array());
            let (rows, errors) = (rows.expect("rows"), errors.expect("errors"));
            assert_eq!(rows.len(), errors.len(), "{name}");
            for (row, error) in rows.iter().zip(errors) {
                assert_eq!(row[0], error["case"]);
                for (place, key) in [(1, "bias"), (2, "rmse"), (3, "half_width")] {
                    let cell = row[place].as_str().expect("text");
                    assert!(same(cell, &error[key]), "{name}, {}, {key}: {cell} and {}", error["case"], error[key]);
                    compared += 1;
                }
            }
        }
        assert_eq!(text(&mut browser, &tab, "meaning"), report["meaning"].as_str().expect("words"));
    }
    assert!(compared >= 60, "{compared} numbers were compared");
}

#[test]
fn a_wrong_plan_has_the_messages_of_the_command_at_the_same_places() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&registry());
    let tab = opened(&mut browser, &site);
    let wrong = registry().replace("epsilon = 2", "epsilon = 0").replace("kind = \"sum\"", "kind = \"sums\"");
    write(&mut browser, &tab, &wrong);
    browser.wait(&tab, "document.querySelectorAll('#mistakes li').length > 0");
    fs::write(site.path(), &wrong).expect("writes");
    let errors = inbounds_release::read_plan(&site.path()).expect_err("a wrong plan");
    let shown = browser.value(&tab, "[...document.querySelectorAll('#mistakes button')].map(b => b.textContent)");
    let place = |mistake: &inbounds_release::plan::PlacedMistake| {
        format!("Line {}, column {}: {}", mistake.line, mistake.column, mistake.message)
    };
    let expected: Vec<String> = errors.mistakes.iter().map(place).collect();
    assert_eq!(shown, json!(expected));
    assert!(expected.len() >= 2, "{expected:?}");
    assert_eq!(browser.value(&tab, "document.getElementById('release').hidden"), true, "no command for a wrong plan");
    assert_eq!(browser.value(&tab, "document.getElementById('epsilon').disabled"), true);
    click(&mut browser, &tab, "#mistakes li:nth-child(2) button");
    let at = browser.value(&tab, "document.getElementById('plan-text').selectionStart").as_u64().expect("a place");
    assert_eq!(usize::try_from(at).expect("small"), errors.mistakes[1].span.start);
    write(&mut browser, &tab, &registry());
    browser.wait(&tab, "document.getElementById('mistakes-count').textContent === 'The plan is in order.'");
    assert_eq!(browser.value(&tab, "document.getElementById('epsilon').disabled"), false);
    assert!(browser.console.is_empty(), "{:?}", browser.console);
}

#[test]
fn a_file_that_changed_is_kept_and_a_server_that_stopped_is_told() {
    let Some(mut browser) = Browser::start() else { return };
    let mut site = Site::serve(&registry());
    let one = opened(&mut browser, &site);
    let other = opened(&mut browser, &site);
    for (tab, epsilon) in [(&one, "0.5"), (&other, "4")] {
        write(&mut browser, tab, &registry().replace("epsilon = 2", &format!("epsilon = {epsilon}")));
        browser.wait(tab, &format!("document.getElementById('epsilon-written').value === '{epsilon}'"));
    }
    click(&mut browser, &one, "#save");
    browser.wait(&one, "document.getElementById('saved').textContent === 'as on disk'");
    // The other tab has loaded what was there before.
    click(&mut browser, &other, "#save");
    browser.wait(&other, "document.getElementById('alarm').textContent.includes('changed on disk since')");
    assert!(site.on_disk().contains("epsilon = 0.5"));
    let by_hand = registry().replace("epsilon = 2", "epsilon = 1.25 # by hand");
    fs::write(site.path(), &by_hand).expect("writes");
    click(&mut browser, &one, "#save");
    browser.wait(&one, "document.getElementById('alarm').textContent.includes('changed on disk since')");
    assert_eq!(site.on_disk(), by_hand);
    click(&mut browser, &one, "#load");
    browser.wait(&one, "document.getElementById('plan-text').value.includes('# by hand')");
    click(&mut browser, &one, "#undo");
    browser.wait(&one, "document.getElementById('plan-text').value.includes('epsilon = 0.5')");
    site.stop();
    click(&mut browser, &one, "#redo");
    browser.wait(&one, "document.getElementById('alarm').textContent.includes('has stopped')");
    assert!(text(&mut browser, &one, "plan-text").contains("epsilon = "), "the text is still there");
}

#[test]
fn wants_are_solved_and_kept_as_shares() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&registry());
    let tab = opened(&mut browser, &site);
    // Shares first: three thousandths from one, and the sum is the same to the last digit.
    browser.value(&tab, "document.getElementById('share-1').focus()");
    browser.press(&tab, ("ArrowRight", 39));
    browser.wait(&tab, "document.getElementById('plan-text').value.includes('share = 0.201')");
    let shares = |text: &str| -> Vec<f64> {
        let written = text.lines().filter_map(|line| line.strip_prefix("share = "));
        written.map(|share| (1000.0 * share.parse::<f64>().expect("a decimal")).round()).collect()
    };
    let now = shares(&text(&mut browser, &tab, "plan-text"));
    assert!(now.iter().sum::<f64>() == 1000.0 && now[1] == 201.0, "{now:?}");
    click(&mut browser, &tab, "#pin");

    browser.value(
        &tab,
        "['5', '200', '400'].forEach((v, i) => { document.getElementById(`want-most-${i}`).value = v; }); \
         document.getElementById('want-rows-2').value = '300'; document.getElementById('wants-form').requestSubmit()",
    );
    browser.wait(&tab, "document.querySelector('#wants-found table')");
    let wanting = text(&mut browser, &tab, "plan-text");
    assert!(
        wanting.contains("epsilon = \"least\"") && wanting.contains("want = { rmse = 400, rows = 300 }"),
        "{wanting}"
    );
    let report = checked(&site, &wanting);
    let sentence = text(&mut browser, &tab, "wants-found");
    let dearest = report["wants"]["dearest"].as_str().expect("a name");
    let epsilon = report["epsilon"].as_str().expect("an epsilon");
    assert!(sentence.starts_with(&format!("Epsilon {epsilon} is enough; the dearest is {dearest}")), "{sentence}");

    assert_eq!(
        browser.value(&tab, "document.querySelector('.share').getClientRects().length"),
        0,
        "wants have no shares"
    );

    click(&mut browser, &tab, "#wants-found button");
    browser.wait(&tab, "!document.querySelector('#wants-found table')");
    let kept = text(&mut browser, &tab, "plan-text");
    assert!(kept.contains(&format!("epsilon = {epsilon}")) && !kept.contains("want"), "{kept}");
    // Each statistic has the epsilon that was found for it, exactly.
    let again = checked(&site, &kept);
    for (one, other) in
        report["statistics"].as_array().expect("a list").iter().zip(again["statistics"].as_array().expect("a list"))
    {
        assert_eq!(one["epsilon"], other["epsilon"], "{}", one["name"]);
    }
    assert_eq!(browser.value(&tab, "document.getElementById('pinned').hidden"), false);
    click(&mut browser, &tab, "#back");
    browser.wait(&tab, "document.getElementById('plan-text').value.includes('share = 0.201')");
    assert!(browser.console.is_empty(), "{:?}", browser.console);
}

#[test]
fn mechanisms_are_compared_with_the_least_possible_bias() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&registry());
    let tab = opened(&mut browser, &site);
    click(&mut browser, &tab, "#cards article:first-child button[aria-expanded]");
    browser.wait(&tab, "document.querySelector('.compared polyline')");
    let seen = browser.value(
        &tab,
        "(p => ({ words: p.querySelector('p').textContent, least: p.querySelectorAll('.least').length, rows: \
         [...p.querySelectorAll('tbody tr')].map(r => [...r.children].map(c => c.textContent)) }))(document.querySelector('.compared'))",
    );
    assert_eq!(seen["least"], 1);
    let words = seen["words"].as_str().expect("words");
    let least: f64 =
        words.rsplit(", ").next().and_then(|rest| rest.trim_end_matches('.').parse().ok()).expect("a number");
    let rows = seen["rows"].as_array().expect("rows");
    let bias = |row: &Value| row[1].as_str().and_then(|bias| bias.replace(',', "").parse().ok()).unwrap_or(f64::NAN);
    let best = rows.iter().map(bias).fold(f64::INFINITY, f64::min);
    // No mechanism has less, and one attains it: three digits are shown.
    assert!((best / least - 1.0).abs() < 0.01, "{best} and {least}: {rows:?}");
    assert!(rows.iter().any(|row| row[3] == "in the plan"), "{rows:?}");
    let other =
        rows.iter().find(|row| bias(row) == best).expect("one attains it")[0].as_str().expect("a name").to_owned();
    keep(&mut browser, &tab, "explore-mechanisms", 2100);
    browser.value(
        &tab,
        &format!(
            "[...document.querySelectorAll('.compared button')].find(b => b.textContent === 'Use {other}').click()"
        ),
    );
    browser.wait(&tab, &format!("document.getElementById('plan-text').value.includes('mechanism = \"{other}\"')"));
}

/// A plan with numbers that are made of several, and with cells.
const COMPOSED: &str = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 2 }\n\
                        columns.place = { type = 'text', values = ['a', 'b', 'c'] }\n\
                        columns.age = { type = 'integer', lower = 0, upper = 100, missing = 'drop' }\n\
                        [[statistic]]\nname = 'age'\nkind = 'mean'\ncolumn = 'age'\n\
                        [[statistic]]\nname = 'spread'\nkind = 'standard-deviation'\ncolumn = 'age'\n\
                        [[statistic]]\nname = 'people'\nkind = 'count'\nby = ['place']\n";

#[test]
fn numbers_made_of_several_have_dots_and_cells_have_ranks() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(COMPOSED);
    let tab = opened(&mut browser, &site);
    let dots =
        "[...document.querySelectorAll('#cards article')].map(a => a.querySelectorAll('.dots svg circle.dot').length)";
    // Pictures are drawn when they are near; three more dots are below the axis where an interval takes no simulation.
    browser.size(&tab, 1280, 2600);
    browser.wait(&tab, &format!("JSON.stringify({dots}) === '[53,50,53]'"));
    let caption = text(&mut browser, &tab, "caption-0");
    assert!(
        caption.starts_with("If the truth were 50 in a group of 100 rows, one number as likely as not above: "),
        "{caption}"
    );
    assert!(caption.contains(", with the interval "), "{caption}");
    let spread = text(&mut browser, &tab, "caption-1");
    assert!(spread.contains("in a group of 100 rows") && !spread.contains("interval"), "{spread}");
    // As far as the range goes, and to its end.
    let wider = "[...document.querySelectorAll('#cards article:first-child button')].find(b => b.textContent === 'Wider').click()";
    (0..8).for_each(|_| drop(browser.value(&tab, wider)));
    browser.wait(&tab, "document.getElementById('truth-0').min === '0'");
    browser.value(&tab, "document.getElementById('truth-0').focus()");
    browser.press(&tab, ("Home", 36));
    browser.wait(&tab, "document.getElementById('caption-0').textContent.startsWith('If the truth were 0 in')");
    let at_end = text(&mut browser, &tab, "caption-0");
    assert!(at_end.contains("are at the end, 0."), "{at_end}");

    // Ranks, of made-up numbers first.
    browser.value(&tab, "document.querySelector('#cards article:nth-child(3) .ranks').open = true");
    let said = "document.querySelector('#cards article:nth-child(3) .ranks .said').textContent";
    browser.wait(&tab, &format!("{said}.startsWith('Of 3 cells with made-up numbers, ')"));
    browser.value(&tab, "document.getElementById('numbers-2').focus()");
    browser.insert(&tab, "5, 4, 3, 90");
    browser.wait(&tab, &format!("{said}.startsWith('Of 4 cells with these numbers, ')"));
    let told = browser.value(&tab, said);
    let told = told.as_str().expect("words");
    assert!(told.ends_with("The largest stays the largest with a probability of 100 %."), "{told}");
    let rows = browser.value(&tab, "document.querySelectorAll('#cards article:nth-child(3) .ranks tbody tr').length");
    assert_eq!(rows, 4);
    browser.insert(&tab, ", many");
    browser.wait(&tab, &format!("{said}.startsWith('Write numbers')"));
    assert!(browser.console.is_empty(), "{:?}", browser.console);

    // On a page of its own the numbers are made up.
    let page = standalone("plan.toml", &Plan::parse(COMPOSED, site.folder.path()).expect("a plan")).expect("a page");
    let path = site.folder.path().join("page.html");
    fs::write(&path, page).expect("writes");
    let tab = browser.open(&format!("file://{}", path.display()), 1280, 900);
    browser.wait(&tab, "document.querySelector('#cards article')");
    // A page that is a file has fewer.
    browser.size(&tab, 1280, 2600);
    browser.wait(&tab, &format!("JSON.stringify({dots}) === '[23,20,23]'"));
    browser.value(&tab, "document.querySelector('#cards article:nth-child(3) .ranks').open = true");
    browser.wait(&tab, &format!("{said}.startsWith('Of 3 cells with made-up numbers, ')"));
}

#[test]
fn a_page_on_its_own_shows_the_same_numbers() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("page.html");
    let page = standalone("plan.toml", &Plan::parse(&registry(), folder.path()).expect("a plan")).expect("a page");
    for address in ["http:", "https:", "src=", "@import", "url("] {
        let without = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!without.contains(address), "it holds `{address}`");
    }
    fs::write(&path, &page).expect("writes");
    let tab = browser.open(&format!("file://{}", path.display()), 1280, 900);
    browser.wait(&tab, "document.querySelector('#cards article')");
    let site = Site::serve(&registry());
    let shown = "document.querySelector('#cards article .errors tbody td:nth-child(3)').textContent";
    for (key, epsilon) in [(None, "2"), (Some(("ArrowRight", 39)), "4"), (Some(("Home", 36)), "0.125")] {
        if let Some(key) = key {
            browser.value(&tab, "document.getElementById('epsilon').focus()");
            browser.press(&tab, key);
        }
        browser.wait(&tab, &format!("document.getElementById('epsilon-written').value === '{epsilon}'"));
        let report = checked(&site, &registry().replace("epsilon = 2", &format!("epsilon = {epsilon}")));
        let error = browser.value(&tab, shown);
        let expected = &report["statistics"][0]["expected_error"][0]["rmse"];
        assert!(same(error.as_str().expect("text"), expected), "{epsilon}: {error} and {expected}");
    }
    click(&mut browser, &tab, "#cards article:first-child button[aria-expanded]");
    browser.wait(&tab, "document.querySelector('.compared polyline')");
    assert!(browser.console.is_empty(), "{:?}", browser.console);
    let own = format!("file://{}", path.display());
    assert!(browser.requested.iter().all(|url| *url == own || url == "about:blank"), "{:?}", browser.requested);
}

#[test]
fn the_page_is_for_phones_for_readers_and_for_the_dark() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&registry());
    let tab = opened(&mut browser, &site);
    click(&mut browser, &tab, "#cards article:first-child button[aria-expanded]");
    browser.wait(&tab, "document.querySelector('.compared polyline')");
    click(&mut browser, &tab, "#pin");
    browser.wait(&tab, "!document.getElementById('pinned').hidden");
    for (width, scheme) in [(1280, "light"), (360, "light"), (360, "dark"), (1280, "dark")] {
        browser.size(&tab, width, 800);
        browser.scheme(&tab, scheme);
        browser.value(&tab, "new Promise(done => setTimeout(done, 250))");
        let wrong = browser.value(&tab, include_str!("look.js"));
        assert_eq!(wrong, json!([]), "{width}, {scheme}");
        if (width, scheme) == (360, "dark") {
            keep(&mut browser, &tab, "explore-phone", 1900);
        }
    }
    // What a screen reader is told: every control and every picture has a name.
    browser.call_in(&tab, "Accessibility.enable", json!({}));
    let tree = browser.call_in(&tab, "Accessibility.getFullAXTree", json!({}));
    let (mut named, mut nameless) = (0, Vec::new());
    for node in tree["nodes"].as_array().expect("nodes").iter().filter(|node| node["ignored"] == json!(false)) {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        if !["slider", "button", "textbox", "combobox", "image", "img", "table", "region", "link"].contains(&role) {
            continue;
        }
        match node["name"]["value"].as_str() {
            Some(name) if !name.trim().is_empty() => named += 1,
            _ => nameless.push(format!("{role} {}", node["backendDOMNodeId"])),
        }
    }
    assert!(nameless.is_empty() && named > 30, "{named} have names, and these have none: {nameless:?}");
    if let Some(axe) = std::env::var_os("INBOUNDS_AXE") {
        // The rules of axe-core, where its file is at hand.
        let script = fs::read_to_string(axe).expect("reads");
        browser.value(&tab, &format!("{script}; 1"));
        let violations = browser
            .value(&tab, "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))]))");
        assert_eq!(violations, json!([]));
    }
}

/// A plan of twenty statistics and three thousand cells.
fn large() -> String {
    let values: Vec<String> = (0..150).map(|value| format!("\"place {value}\"")).collect();
    let head = format!(
        "data = {{ path = 'rows.csv' }}\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 2 }}\n\
         columns.place = {{ type = 'text', values = [{}] }}\ncolumns.age.type = 'integer'\n",
        values.join(", ")
    );
    let statistic = |place| {
        format!("[[statistic]]\nname = 'older-{place}'\nkind = 'count'\nby = ['place']\nwhere = 'age > {place}'\n")
    };
    head + &(0..20).map(statistic).collect::<String>()
}

#[test]
#[ignore = "a clock decides nothing in the default run"]
#[expect(clippy::print_stdout, reason = "what was measured is for people to read")]
fn latency_of_twenty_statistics_and_three_thousand_cells() {
    let Some(mut browser) = Browser::start() else { return };
    let site = Site::serve(&large());
    let tab = browser.open(&site.url, 1280, 900);
    browser.wait(&tab, "document.querySelectorAll('#cards article').length === 20");
    let paint = browser.value(&tab, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
    let measured = browser.value(
        &tab,
        "(async () => { const found = []; const slider = document.getElementById('epsilon'); \
         for (let move = 0; move < 100; move += 1) { const before = performance.getEntriesByName('redraw').length; \
         const begun = performance.now(); slider.value = -1 + 0.02 * move; slider.dispatchEvent(new Event('input')); \
         while (performance.getEntriesByName('redraw').length === before) await new Promise(done => setTimeout(done, 1)); \
         await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))); \
         found.push(performance.now() - begun); } return found; })()",
    );
    let mut measured: Vec<f64> = measured.as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    measured.sort_by(f64::total_cmp);
    println!(
        "first paint {paint} ms; from input to redrawn page: median {:.0} ms, 95th percentile {:.0} ms, largest {:.0} ms",
        measured[49], measured[94], measured[99]
    );
    assert_eq!(measured.len(), 100);
}

/// Pictures for people to look at, where a folder for them is named.
fn keep(browser: &mut Browser, tab: &Tab, name: &str, most: u32) {
    if let Some(folder) = std::env::var_os("INBOUNDS_PICTURES") {
        let picture = browser.picture(tab, most);
        let bytes = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, picture).expect("a picture");
        fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), bytes).expect("writes");
    }
}
