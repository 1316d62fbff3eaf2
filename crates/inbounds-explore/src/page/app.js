// The page: its state is the text of the plan, and everything else is what the program says of that text.

import { deployments } from "./deployments.js";
import { drawCurves, drawDots, drawPeople, drawStrip, whenNear } from "./pictures.js";
import { THOUSAND, apportion, asWritten, exactShare, moved } from "./shares.js";
import { Gone, Refused, source } from "./source.js";
import { count, element, epsilonWritten, figure, fill, interval, shape, written } from "./words.js";

const at = (id) => document.getElementById(id);

const state = {
  text: "",
  path: "",
  digest: null,
  savedText: "",
  /** The last sound view; kept while the text has mistakes. */
  view: null,
  truths: {},
  axes: {},
  kept: null,
  undo: [],
  redo: [],
  lastStep: { kind: "", time: 0 },
  compared: new Map(),
};

// ---- Questions to the program: one at a time, and of those that wait only the latest of a kind.

const waiting = [];
let isAsking = false;

/** Changes the text, or takes another, and shows what the program says of it. */
function attempt(change, { text = null, from = "text", begun = performance.now() } = {}) {
  const kind = change?.set ?? (text === null ? "show" : from);
  const last = waiting.at(-1);
  if (last?.kind === kind) Object.assign(last, { change, text });
  else waiting.push({ kind, change, text, begun });
  if (!isAsking) work();
}

async function work() {
  isAsking = true;
  while (waiting.length > 0) {
    const { kind, change, text, begun } = waiting.shift();
    const asked = text ?? state.text;
    try {
      const dots = Number(at("dots").value);
      const answer = await source.attempt({ text: asked, change, truths: state.truths, dots });
      if (state.kept !== null && kind === "show") {
        // The kept setting has the same truths, and as many dots.
        const kept = await source.attempt({ text: state.kept.text, change: null, truths: state.truths, dots });
        if (kept.view.is === "sound") state.kept.view = kept.view;
      }
      at("alarm").textContent = "";
      if (answer.text !== state.text || text !== null) step(kind, answer.text);
      show(answer);
      performance.measure("redraw", { start: begun, end: performance.now() });
    } catch (failure) {
      alarm(failure);
    }
  }
  isAsking = false;
}

function alarm(failure) {
  if (failure instanceof Gone) {
    at("alarm").textContent = "The program that serves this page has stopped. The text of the plan is still here: copy it, "
      + "or start the program again at the same plan and paste it.";
  } else if (failure instanceof Refused) {
    at("alarm").textContent = failure.message;
  } else {
    throw failure;
  }
}

const say = (text) => { at("said").textContent = text; };

// ---- Steps that can be undone.

/** Keeps the text before a step; what one slider does without a pause is one step, and what comes from the disk is always one. */
function step(kind, text) {
  const now = performance.now();
  const isSame = kind === state.lastStep.kind && kind !== "wants" && kind !== "disk" && now - state.lastStep.time < 1000;
  if (text !== state.text && !isSame) {
    state.undo.push(state.text);
    state.redo = [];
  }
  state.lastStep = { kind, time: now };
  state.text = text;
}

function go(from, to) {
  if (from.length === 0) return;
  to.push(state.text);
  state.text = from.pop();
  state.lastStep = { kind: "", time: 0 };
  attempt(null);
}

// ---- What is shown.

function show({ view }) {
  if (at("plan-text").value !== state.text) at("plan-text").value = state.text;
  at("undo").disabled = state.undo.length === 0;
  at("redo").disabled = state.redo.length === 0;
  at("saved").textContent = state.text === state.savedText ? "as on disk" : "not saved yet";
  const isSound = view.is === "sound";
  document.querySelector(".views").classList.toggle("stale", !isSound);
  for (const control of document.querySelectorAll(".views input, .views select, .views article button")) {
    if (!source.fixed) control.disabled = !isSound;
  }
  at("release").hidden = !isSound;
  showMistakes(view);
  if (!isSound) return;
  state.view = view;
  const { report } = view;
  at("title").textContent = report.title ?? "Explore a plan";
  showPrivacy(view);
  showCards(view);
  showWants(view);
  showKept(view);
}

function showMistakes(view) {
  const mistakes = view.is === "mistaken" ? view.mistakes : [];
  const all = view.is === "mistaken" ? view.mistakes_in_all : 0;
  const words = view.is === "sound" ? "The plan is in order."
    : view.is === "refused" ? view.message
    : `${count(all, "mistake", "mistakes")} in the plan${all > mistakes.length ? `, the first ${mistakes.length} below` : ""}; `
      + "numbers are those of the last plan in order.";
  if (at("mistakes-count").textContent !== words) {
    at("mistakes-count").textContent = words;
    if (view.is !== "sound") say(words);
    else if (at("said").textContent.includes("mistake")) say(words);
  }
  at("mistakes-count").classList.toggle("wrong", view.is !== "sound");
  at("plan-text").setAttribute("aria-invalid", view.is === "mistaken" ? "true" : "false");
  at("mistakes").replaceChildren(...mistakes.map((one) => element("li", {},
    element("button", { type: "button", onclick: () => goTo(one.line, one.column) },
      `Line ${one.line}, column ${one.column}: ${one.message}`),
    one.help === null ? null : element("p", { class: "quiet" }, one.help))));
}

/** Puts the cursor where a mistake is; columns count characters, as the command does. */
function goTo(line, column) {
  const lines = state.text.split("\n");
  const before = lines.slice(0, line - 1).reduce((all, one) => all + one.length + 1, 0);
  const place = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  const text = at("plan-text");
  text.focus();
  text.setSelectionRange(place, place + 1);
  text.scrollTop = Math.max(0, (line - 4) * (text.scrollHeight / Math.max(1, lines.length)));
}

function showPrivacy(view) {
  const { report } = view;
  const epsilon = written(report.epsilon);
  at("where").textContent = `${report.privacy_unit}; neighbours: ${report.neighbours}. ${state.path}`;
  const slider = at("epsilon");
  if (document.activeElement !== slider || source.fixed) slider.value = Math.log10(epsilon);
  const most = Math.ceil(view.guessed_right);
  slider.setAttribute("aria-valuetext", `epsilon ${figure(epsilon)}: of 100 who guess, at most ${most} are right`);
  if (document.activeElement !== at("epsilon-written")) {
    at("epsilon-written").value = view.is_least ? "least" : report.epsilon;
  }
  at("meaning").textContent = report.meaning;
  drawPeople(at("people"), view.guessed_right);
  at("people-caption").textContent = `Of 100 people who guess by a coin, 50 are right. With the release at most ${most} are `
    + `(${figure(view.guessed_right, 4)} %).`;
  at("notices").replaceChildren(...view.said.map((sentence) => element("p", {}, sentence)));
  drawStrip(at("strip"), deployments, [Number(slider.min), Number(slider.max)], epsilon);
  at("ledger").textContent = view.ledger ?? "The plan names no ledger, so nothing adds up what several releases spend.";
  at("command").textContent = `inbounds release ${quoted(state.path)} --out release`;
}

const quoted = (path) => (/^[\w./:\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The cards are made anew only where the statistics are others, so that a slider that is held stays. */
function showCards(view) {
  const signature = JSON.stringify(view.report.statistics.map((one, place) => [one.name, one.kind, view.published[place] !== null]));
  const cards = at("cards");
  if (cards.dataset.signature !== signature) {
    cards.dataset.signature = signature;
    cards.replaceChildren(...view.report.statistics.map((one, place) => card(view, place)));
  }
  const thousandths = sharesOf(view);
  view.report.statistics.forEach((one, place) => update(cards.children[place], view, place, thousandths));
}

function card(view, place) {
  const one = view.report.statistics[place];
  const id = (part) => `${part}-${place}`;
  const share = element("div", { class: "share" },
    element("label", { for: id("share") }, "Its share of epsilon"),
    element("input", { type: "range", id: id("share"), min: 1, max: THOUSAND, step: 1, oninput: (event) => moveShare(place, event) }),
    element("output", { for: id("share") }));
  const children = [element("h3", { id: id("name") }, one.name), element("p", { class: "quiet about" }), share];
  if (view.published[place] !== null) {
    children.push(
      element("figure", { class: "dots" },
        shape("svg", { role: "img", "aria-labelledby": id("caption") }),
        element("label", { for: id("truth") }, "If the truth were"),
        element("input", { type: "range", id: id("truth"), oninput: (event) => moveTruth(one.name, event) }),
        element("figcaption", { id: id("caption") }),
        element("div", { class: "tools" },
          element("button", { type: "button", onclick: () => widen(one.name, 2) }, "Wider"),
          element("button", { type: "button", onclick: () => widen(one.name, 0.5) }, "Closer"),
          ...(view.published[place].mechanism === null ? []
            : [element("button", { type: "button", "aria-expanded": "false", onclick: (event) => toggleCompared(place, event) }, "Compare mechanisms")])),
        element("details", { class: "dots-table" }, element("summary", {}, "Table of publications"), element("table")),
        ...(one.cells === null || one.cells < 2 || view.published[place].mechanism === null ? [] : [ranksOf(one, id)])),
      element("div", { class: "compared", hidden: true }));
  }
  children.push(element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Errors to expect of ${one.name}` },
    element("table", { class: "errors" })), element("div", { class: "remarks" }));
  const made = element("article", { "aria-labelledby": id("name") }, ...children);
  for (const details of made.querySelectorAll("details")) details.addEventListener("toggle", () => attempt(null));
  return made;
}

function update(made, view, place, thousandths) {
  const one = view.report.statistics[place];
  const law = view.published[place];
  const cells = one.cells === null ? "learned cells" : count(one.cells, "cell", "cells");
  const worst = one.worst_bias === null ? "" : `, worst bias ${figure(one.worst_bias)}`;
  made.querySelector(".about").textContent =
    `${one.kind}, ${cells}, ${view.mechanisms[place] || "its own mechanism"}, epsilon ${one.epsilon}${worst}`;
  const share = made.querySelector(".share");
  share.hidden = thousandths.length < 2 || view.report.wants !== null || source.fixed;
  if (!share.hidden) {
    const slider = share.querySelector("input");
    if (document.activeElement !== slider) slider.value = thousandths[place];
    share.querySelector("output").textContent = `${figure(thousandths[place] / 10, 4)} %`;
  }
  if (law !== null) updateDots(made, law, one.name);
  fill(made.querySelector(".errors"), "Error to expect, in the unit of the statistic",
    [["where the truth is", false], ["bias", true], ["RMSE", true], ["± 95 %", true]],
    one.expected_error.map((error) => [error.case, figure(error.bias), figure(error.rmse), figure(error.half_width)]));
  made.querySelector(".remarks").replaceChildren(...view.remarks[place].map((sentence) => element("p", { class: "quiet" }, sentence)));
  const ranks = made.querySelector(".ranks");
  if (ranks?.open) refreshRanks(place, ranks);
  const panel = made.querySelector(".compared");
  if (panel !== null && !panel.hidden) refreshCompared(place, panel);
}

function axisOf(name, law) {
  if (state.axes[name] === undefined) {
    const [lower, upper] = law.range;
    const reach = 20 * law.scale;
    // What several numbers make is seen around the truth: its ends may be far.
    if (law.rows !== null) {
      state.axes[name] = around({ lower, upper }, law.truth, reach);
      return state.axes[name];
    }
    const low = lower ?? (upper === null ? law.truth - reach / 2 : upper - reach);
    const high = upper === null || (lower !== null && upper - lower > 2 * reach) ? low + reach : upper;
    state.axes[name] = { low, high, lower, upper };
  }
  return state.axes[name];
}

/** An axis of this width around a value, within the range. */
function around({ lower, upper }, middle, width) {
  const [low, high] = [Math.max(lower ?? -Infinity, middle - width / 2), Math.min(upper ?? Infinity, middle + width / 2)];
  return { low, high, lower, upper, middle };
}

function widen(name, factor) {
  const axis = state.axes[name];
  const { low, high, lower, upper } = axis;
  const width = (high - low) * factor;
  if (axis.middle !== undefined) Object.assign(axis, around(axis, axis.middle, width));
  else if (lower !== null) axis.high = Math.min(upper ?? Infinity, low + width);
  else if (upper !== null) axis.low = high - width;
  else Object.assign(axis, { low: (low + high - width) / 2, high: (low + high + width) / 2 });
  attempt(null);
}

function updateDots(made, law, name) {
  const axis = axisOf(name, law);
  // The truth stays where it is when epsilon moves.
  state.truths[name] ??= law.truth;
  const slider = made.querySelector("figure input");
  Object.assign(slider, { min: axis.low, max: axis.high, step: Math.max(law.step, (axis.high - axis.low) / 1000) });
  if (document.activeElement !== slider) slider.value = law.truth;
  const kept = state.kept?.view.published[state.kept.view.report.statistics.findIndex((one) => one.name === name)] ?? null;
  const svg = made.querySelector("svg");
  whenNear(svg, () => drawDots(svg, law, axis, kept));
  const middle = law.publications[Math.floor(law.publications.length / 2)];
  const [lower] = law.range;
  const pile = lower === null ? 0 : law.publications.filter((one) => one.value === lower).length;
  const piled = pile > 0 ? ` ${pile} of ${law.publications.length} are at the end, ${figure(lower)}.` : "";
  made.querySelector("figcaption").textContent =
    `If the truth were ${figure(law.truth, 4)}${law.rows === null ? "" : ` in a group of ${count(law.rows, "row", "rows")}`}, one number as `
    + `likely as not above: ${figure(middle.value, 4)}`
    + `${middle.lower === null && middle.upper === null ? "" : `, with the interval ${interval(middle.lower, middle.upper)} beside it`}.${piled} Bias ${figure(law.bias)}, RMSE ${figure(law.rmse)}.`
    + (kept ? ` Hollow dots below: the kept setting, bias ${figure(kept.bias)}, RMSE ${figure(kept.rmse)}.` : "");
  slider.setAttribute("aria-valuetext", `${figure(law.truth, 4)}: bias ${figure(law.bias)}, RMSE ${figure(law.rmse)}`);
  const details = made.querySelector(".dots-table");
  if (!details.open) return;
  const rows = new Map();
  for (const one of law.publications) {
    const words = interval(one.lower, one.upper);
    const key = `${one.value} ${words}`;
    const row = rows.get(key) ?? [figure(one.value, 5), 0, words];
    row[1] += 1;
    rows.set(key, row);
  }
  fill(details.querySelector("table"), `${law.publications.length} equally probable publications at ${figure(law.truth, 5)}`,
    [["published", true], ["of them", true], ["95 % interval", false]], [...rows.values()].map((row) => [row[0], String(row[1]), row[2]]));
}

function moveTruth(name, event) {
  state.truths[name] = Number(event.target.value);
  attempt(null);
}

// ---- Shares.

function sharesOf(view) {
  const { statistics } = view.report;
  const parts = view.shares === null ? statistics.map(() => 1 / statistics.length) : view.shares.map(written);
  const total = Math.round(THOUSAND * parts.reduce((all, part) => all + part, 0));
  return apportion(parts, Math.max(total, statistics.length));
}

function moveShare(place, event) {
  const shares = moved(sharesOf(state.view), place, Number(event.target.value));
  attempt({ set: "shares", values: shares.map(asWritten) });
}

// ---- Mechanisms beside one another.

// ---- Ranks.

/** Cells that keep their rank, at numbers that are public or made up. */
function ranksOf(one, id) {
  const input = source.fixed ? [] : [
    element("label", { for: id("numbers") }, "Numbers of the cells, public or made up, with commas between"),
    element("input", { type: "text", id: id("numbers"), inputmode: "decimal", autocomplete: "off", oninput: () => attempt(null) })];
  return element("details", { class: "ranks" }, element("summary", {}, "Would cells keep their rank?"), ...input,
    element("p", { class: "said", "aria-live": "polite" }),
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Ranks of ${one.name}` }, element("table")));
}

let ranking = 0;

/** Asked for while the part is open, when nothing has changed for a moment. */
function refreshRanks(place, panel) {
  const text = state.text;
  const written = panel.querySelector("input")?.value ?? "";
  const asked = `${text}\n${written}`;
  if (panel.dataset.asked === asked) return;
  clearTimeout(ranking);
  ranking = setTimeout(async () => {
    const numbers = written.split(/[,;\s]+/).filter((part) => part !== "").map(Number);
    if (numbers.some((number) => !Number.isFinite(number))) {
      panel.querySelector(".said").textContent = "Write numbers, such as 1200, 340, 12.";
      return;
    }
    try {
      const found = await source.ranks({ text, statistic: place, numbers: numbers.length > 0 ? numbers : null });
      panel.dataset.asked = asked;
      showRanks(panel, found);
    } catch (failure) {
      alarm(failure);
    }
  }, 150);
}

function showRanks(panel, found) {
  if (found === null) {
    panel.querySelector(".said").textContent = "Write the numbers of at least two cells.";
    return;
  }
  const whose = found.made_up ? "made-up numbers" : "these numbers";
  panel.querySelector(".said").textContent = `Of ${count(found.numbers.length, "cell", "cells")} with ${whose}, ${figure(found.kept)} would keep `
    + `their rank on average. The largest stays the largest with a probability of ${figure(100 * found.first)} %.`;
  fill(panel.querySelector("table"), "The probability of each cell to keep its rank",
    [["number", true], ["keeps its rank, %", true]], found.each.map((one, at) => [figure(found.numbers[at], 6), figure(100 * one)]));
}

function toggleCompared(place, event) {
  const panel = at("cards").children[place].querySelector(".compared");
  panel.hidden = !panel.hidden;
  event.target.setAttribute("aria-expanded", String(!panel.hidden));
  if (!panel.hidden) refreshCompared(place, panel);
}

let comparing = 0;

/** Asked once for a text, when it has not changed for a moment: it takes longer than a redraw may. */
function refreshCompared(place, panel) {
  const text = state.text;
  if (panel.dataset.text === text) return;
  clearTimeout(comparing);
  comparing = setTimeout(async () => {
    try {
      const compared = await source.compare({ text, statistic: place });
      panel.dataset.text = text;
      if (compared !== null) showCompared(panel, compared, place);
    } catch (failure) {
      alarm(failure);
    }
  }, 150);
}

function showCompared(panel, compared, place) {
  const { mechanisms, own, least_bias: least } = compared;
  const [bias, rmse] = [shape("svg", { role: "img", "aria-label": "Absolute bias by mechanism; the table below has the largest" }),
    shape("svg", { role: "img", "aria-label": "RMSE by mechanism; the table below has the largest" })];
  const table = element("table");
  panel.replaceChildren(element("div", { class: "row" }, element("figure", {}, bias), element("figure", {}, rmse)),
    element("p", { class: "quiet" }, "Against the distance of the truth from the end of the range; the thick line is the mechanism of the plan."
      + (source.fixed ? " All of them are at the epsilon of the plan, wherever the slider is." : "")
      + (least === null ? "" : ` The dashed line is the least worst bias that any estimate in the range can have with this noise, ${figure(least)}.`)),
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Mechanisms" }, table));
  drawCurves(bias, mechanisms, own, (point) => Math.abs(point[1]), least, "absolute bias");
  drawCurves(rmse, mechanisms, own, (point) => point[2], null, "RMSE");
  fill(table, "Mechanisms, least worst RMSE first", [["mechanism", false], ["worst bias", true], ["worst RMSE", true], ["choice", false]],
    mechanisms.map((one) => [one.name, figure(one.worst_bias), figure(one.worst_rmse),
      one.name === own ? "in the plan" : source.fixed ? "" : element("button", {
        type: "button", onclick: () => attempt({ set: "mechanism", statistic: place, name: one.name }),
      }, `Use ${one.name}`)]));
}

// ---- Accuracy in place of epsilon.

function showWants(view) {
  at("wants").hidden = source.fixed;
  const form = at("wants-form");
  const { statistics, wants } = view.report;
  const signature = JSON.stringify(statistics.map((one) => [one.name, one.kind]));
  if (form.dataset.signature !== signature) {
    form.dataset.signature = signature;
    form.replaceChildren(...statistics.map((one, place) => wantOf(one, place)),
      element("button", { type: "submit" }, "Find the least epsilon"));
  }
  const found = at("wants-found");
  if (wants === null) {
    found.replaceChildren();
    return;
  }
  const table = element("table");
  fill(table, `Epsilon ${view.report.epsilon} is enough; the dearest is ${wants.dearest}`,
    [["statistic", false], ["wants at most", true], ["has", true], ["for epsilon", true]],
    wants.statistics.map((one) => [`${one.statistic}${one.statistic === wants.dearest ? " (dearest)" : ""}`,
      `${one.error === "rmse" ? "RMSE" : "±"} ${figure(Number(one.most))}`, figure(one.stated), String(one.epsilon)]));
  const canKeep = view.report.diagnostics === null && wants.statistics.length === statistics.length;
  found.replaceChildren(table, canKeep ? element("button", { type: "button", onclick: () => attempt({
    set: "grant", epsilon: view.report.epsilon,
    shares: statistics.map((one) => exactShare(one.epsilon, view.report.epsilon)),
  }) }, "Keep these as epsilon and shares") : "");
}

function wantOf(one, place) {
  const needsRows = one.expected_error.some((error) => error.case.includes("rows"));
  const worst = Math.max(...one.expected_error.map((error) => error.rmse ?? 0));
  const id = (part) => `want-${part}-${place}`;
  return element("fieldset", { class: "want" }, element("legend", {}, one.name),
    element("label", { for: id("error") }, "What is to be small", element("select", { id: id("error") },
      element("option", { value: "rmse" }, "root mean square error"), element("option", { value: "margin" }, "half of a 95 % interval"))),
    element("label", { for: id("most") }, "At most", element("input", {
      id: id("most"), inputmode: "decimal", required: true, autocomplete: "off", value: Number(worst.toPrecision(2)).toString(),
    })),
    needsRows ? element("label", { for: id("rows") }, "In a group of rows", element("input", {
      id: id("rows"), inputmode: "numeric", value: "100", autocomplete: "off",
    })) : null);
}

function wantAll(event) {
  event.preventDefault();
  const values = state.view.report.statistics.map((_, place) => {
    const rows = at(`want-rows-${place}`);
    return {
      error: at(`want-error-${place}`).value, most: at(`want-most-${place}`).value.trim(),
      rows: rows === null ? null : Math.max(1, Math.round(Number(rows.value) || 1)),
    };
  });
  attempt({ set: "wants", values });
}

// ---- Two settings side by side.

function showKept(view) {
  at("pinned").hidden = state.kept === null;
  if (state.kept === null) return;
  const before = state.kept.view.report;
  const worst = (one) => (one ? figure(Math.max(...one.expected_error.map((error) => error.rmse ?? 0))) : "–");
  const rows = view.report.statistics.map((one) => {
    const other = before.statistics.find((candidate) => candidate.name === one.name);
    return [one.name, other ? other.epsilon : "–", one.epsilon, worst(other), worst(one)];
  });
  const guessed = (seen) => `${Math.ceil(seen.guessed_right)} of 100`;
  rows.unshift(["whole release", before.epsilon, view.report.epsilon, "", ""], ["who guess right, at most",
    guessed(state.kept.view), guessed(view), "", ""]);
  fill(at("pinned-table"), "The kept setting, and this one", [["of", false], ["epsilon, kept", true], ["now", true],
    ["largest RMSE, kept", true], ["now", true]], rows);
}

// ---- Files.

async function load() {
  const found = await source.load();
  Object.assign(state, { path: found.path, digest: found.digest, savedText: found.digest === null && !source.fixed ? null : found.text });
  if (state.view === null) state.text = found.text;
  attempt(null, { text: found.text, from: "disk" });
}

async function save() {
  const text = state.text;
  try {
    const saved = await source.save({ text, digest: state.digest });
    Object.assign(state, { digest: saved.digest, savedText: text });
    at("alarm").textContent = "";
    at("saved").textContent = "as on disk";
    say(`Saved to ${saved.path}.`);
  } catch (failure) {
    alarm(failure);
  }
}

async function copy() {
  const words = at("command").textContent;
  try {
    await navigator.clipboard.writeText(words);
    say("The command is copied.");
  } catch {
    getSelection().selectAllChildren(at("command"));
    say("The command is selected: copy it with the keyboard.");
  }
}

// ---- Events.

function listen() {
  at("epsilon").addEventListener("input", (event) => {
    const [value, begun] = [Number(event.target.value), performance.now()];
    attempt({ set: "epsilon", value: epsilonWritten(value) }, { begun });
  });
  at("epsilon-written").addEventListener("change", (event) => attempt({ set: "epsilon", value: event.target.value.trim() }));
  at("dots").addEventListener("change", () => attempt(null));
  let typing = 0;
  at("plan-text").addEventListener("input", (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => attempt(null, { text: event.target.value }), 120);
  });
  at("undo").addEventListener("click", () => go(state.undo, state.redo));
  at("redo").addEventListener("click", () => go(state.redo, state.undo));
  at("pin").addEventListener("click", () => {
    state.kept = { text: state.text, view: state.view };
    say("This setting is kept; move a slider to see the two side by side.");
    attempt(null);
  });
  at("unpin").addEventListener("click", () => { state.kept = null; attempt(null); });
  at("back").addEventListener("click", () => attempt(null, { text: state.kept.text }));
  at("wants-form").addEventListener("submit", wantAll);
  at("save").addEventListener("click", save);
  at("load").addEventListener("click", () => load().catch(alarm));
  at("copy").addEventListener("click", copy);
  document.addEventListener("keydown", (event) => {
    const isText = event.target.matches?.("textarea, input[type=text]");
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "s") { event.preventDefault(); if (!source.fixed) save(); }
    if (event.key === "z" && !isText) { event.preventDefault(); go(...(event.shiftKey ? [state.redo, state.undo] : [state.undo, state.redo])); }
  });
  let resizing = 0;
  addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(() => attempt(null), 100); });
  addEventListener("beforeunload", (event) => {
    if (!source.fixed && state.savedText !== null && state.text !== state.savedText) event.preventDefault();
  });
}

/** A page on its own shows what was computed, and changes nothing. */
function limit() {
  at("plan-text").readOnly = true;
  at("plan-label").textContent = "Its text, in TOML";
  at("saving").hidden = true;
  at("epsilon-written").readOnly = true;
  const slider = at("epsilon");
  const [low, high] = [source.epsilons[0], source.epsilons.at(-1)];
  Object.assign(slider, { min: low, max: high, step: (high - low) / (source.epsilons.length - 1) || 1 });
  at("epsilon-least").textContent = `${epsilonWritten(low)}: less is learned of anyone, more noise`;
  at("epsilon-most").textContent = `${epsilonWritten(high)}: more is learned, less noise`;
  at("dots").replaceChildren(element("option", {}, "20"));
  for (const id of ["undo", "redo"]) at(id).hidden = true;
}

fill(at("deployments"), "From the OpenDP Deployments Registry, central model", [["epsilon", true], ["by", false], ["what", false], ["protects", false], ["year", true]],
  deployments.map((one) => [String(one.epsilon), one.by, one.name, one.unit, String(one.year)]));
if (source.fixed) limit();
listen();
load().catch(alarm);
