// Pictures of numbers that the program computed. Each has a table with the same numbers.

import { figure, shape } from "./words.js";

/** Room beside an axis, in pixels: half of the thumb of a slider, so that sliders under a picture have its scale. */
const SIDE = 9;

const widths = new WeakMap();
const watched = new ResizeObserver((entries) => entries.forEach((entry) => widths.set(entry.target, entry.contentRect.width)));

/** The width of a picture. Asking the page for it lays out all that has changed, so it is asked once and then told. */
function widthOf(svg) {
  if (!widths.has(svg)) {
    watched.observe(svg);
    widths.set(svg, svg.clientWidth);
  }
  return widths.get(svg);
}

const pending = new Map();
const near = new WeakSet();
const seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
  if (!isIntersecting) return near.delete(target);
  near.add(target);
  drawPending(target);
}), { rootMargin: "100% 0px" });

function drawPending(svg) {
  pending.get(svg)?.();
  pending.delete(svg);
}

/** Draws a picture now if it is within a screen of what is seen, and otherwise when it comes there or is printed. */
export function whenNear(svg, draw) {
  pending.set(svg, draw);
  seen.observe(svg);
  if (near.has(svg)) drawPending(svg);
}

addEventListener("beforeprint", () => [...pending.keys()].forEach(drawPending));

/** Round numbers in a range. */
export function ticks(low, high, most = 6) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((factor) => factor >= rough);
  const found = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step) {
    found.push(Math.abs(value) < 1e-9 * step ? 0 : value);
  }
  return found;
}

/** Where a value is on an axis, in pixels. */
function scale(axis, width) {
  return (value) => SIDE + ((value - axis.low) / (axis.high - axis.low)) * (width - 2 * SIDE);
}

function drawAxis(axis, width, y) {
  const at = scale(axis, width);
  const marks = ticks(axis.low, axis.high, Math.max(2, Math.floor(width / 90))).flatMap((value) => {
    const anchor = at(value) < 20 ? "start" : at(value) > width - 20 ? "end" : "middle";
    const x = anchor === "start" ? Math.max(1, at(value) - 4) : anchor === "end" ? Math.min(width - 1, at(value) + 4) : at(value);
    return [
      shape("line", { class: "axis", x1: at(value), x2: at(value), y1: y, y2: y + 5 }),
      shape("text", { x, y: y + 18, "text-anchor": anchor }, figure(value)),
    ];
  });
  return [shape("line", { class: "axis", x1: SIDE, x2: width - SIDE, y1: y, y2: y }), ...marks];
}

/** Places of dots: stacked where their values or their places on the screen are the same. */
function stacked(values, axis, width, step, base, height, up) {
  const at = scale(axis, width);
  const inside = values.filter((value) => value >= axis.low && value <= axis.high);
  const apart = (step / (axis.high - axis.low)) * (width - 2 * SIDE);
  const bins = (size) => {
    const found = new Map();
    for (const value of inside) {
      const x = apart >= size ? at(value) : SIDE + Math.floor((at(value) - SIDE) / size + 1e-9) * size;
      found.set(x, (found.get(x) ?? 0) + 1);
    }
    return found;
  };
  let size = 9;
  let found = bins(size);
  // Dots shrink until the highest pile has room.
  while (size > 2 && Math.max(0, ...found.values()) * size > height) {
    size -= 0.5;
    found = bins(size);
  }
  const dots = [];
  for (const [x, number] of found) {
    for (let place = 0; place < number; place += 1) {
      const y = up ? base - size * (place + 0.5) : base + size * (place + 0.5);
      dots.push({ x, y, radius: size / 2 - 0.4 });
    }
  }
  return { dots, left: values.filter((value) => value < axis.low).length, right: values.filter((value) => value > axis.high).length };
}

/** A quantile dotplot of publications, with three of their intervals, and that of a kept setting below. */
export function drawDots(svg, law, axis, kept) {
  const width = Math.max(240, widthOf(svg) || 600);
  const [above, below] = [110, kept ? 90 : 0];
  const middle = above + 14;
  const height = middle + 24 + 30 + (kept ? below + 6 : 0);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const at = scale(axis, width);
  const parts = drawAxis(axis, width, middle);
  const own = stacked(law.publications.map((one) => one.value), axis, width, law.step, middle - 1, above, true);
  parts.push(...own.dots.map((dot) => shape("circle", { class: "dot", cx: dot.x, cy: dot.y, r: dot.radius })));
  if (own.right > 0) parts.push(shape("text", { x: width - 2, y: 12, "text-anchor": "end" }, `${own.right} further right`));
  if (own.left > 0) parts.push(shape("text", { x: 2, y: 12 }, `${own.left} further left`));
  const clipped = (value, open) => at(Math.min(axis.high, Math.max(axis.low, value ?? open)));
  // An interval that takes simulations of its own is not drawn.
  const shown = [0.1, 0.5, 0.9].map((level) => law.publications[Math.floor(level * law.publications.length)])
    .filter((one) => one.lower !== null || one.upper !== null);
  shown.forEach((one, place) => {
    const y = middle + 28 + 8 * place;
    const [from, to] = [clipped(one.lower, axis.low), clipped(one.upper, axis.high)];
    parts.push(shape("line", { class: "interval", x1: from, x2: to, y1: y, y2: y }));
    parts.push(shape("circle", { class: "dot", cx: clipped(one.value, 0), cy: y, r: 3 }));
  });
  if (kept) {
    const base = middle + 24 + 30;
    const others = stacked(kept.publications.map((one) => one.value), axis, width, kept.step, base, below, false);
    parts.push(...others.dots.map((dot) => shape("circle", { class: "dot kept", cx: dot.x, cy: dot.y, r: dot.radius })));
  }
  if (law.truth >= axis.low && law.truth <= axis.high) {
    parts.push(shape("line", { class: "truth", x1: at(law.truth), x2: at(law.truth), y1: 4, y2: middle + 6 }));
  }
  svg.replaceChildren(...parts);
}

/** A hundred people, of whom some guess right by a coin and some more with the release. */
export function drawPeople(svg, right) {
  const people = [];
  for (let place = 0; place < 100; place += 1) {
    const [x, y] = [5 + (place % 20) * 10, 10 + Math.floor(place / 20) * 20];
    const kind = place < 50 ? "person coin" : place < Math.ceil(right) ? "person more" : "person";
    people.push(shape("circle", { class: kind, cx: x + 1, cy: y, r: 4 }));
  }
  svg.replaceChildren(...people);
}

/** Epsilons of others on the scale of the slider. */
export function drawStrip(svg, deployments, [low, high], epsilon) {
  const width = Math.max(240, widthOf(svg) || 600);
  svg.setAttribute("viewBox", `0 0 ${width} 64`);
  svg.setAttribute("height", 64);
  const at = (value) => SIDE + ((Math.log10(value) - low) / (high - low)) * (width - 2 * SIDE);
  const parts = [shape("line", { class: "axis", x1: SIDE, x2: width - SIDE, y1: 40, y2: 40 })];
  for (const value of [0.01, 0.1, 1, 10]) {
    parts.push(shape("line", { class: "axis", x1: at(value), x2: at(value), y1: 40, y2: 45 }));
    parts.push(shape("text", { x: at(value), y: 59, "text-anchor": value === 0.01 ? "start" : "middle" }, String(value)));
  }
  const piles = new Map();
  for (const one of deployments) {
    if (Math.log10(one.epsilon) > high + 1e-9) continue;
    const x = Math.round(at(one.epsilon) / 8) * 8;
    const place = piles.get(x) ?? 0;
    piles.set(x, place + 1);
    const title = shape("title", {}, `${one.by}: ${one.name}, ${one.unit}, epsilon ${one.epsilon}`);
    parts.push(shape("circle", { class: "deployment", cx: x, cy: 35 - 8 * place, r: 3.5 }, title));
  }
  if (epsilon > 0) {
    const x = Math.min(width - SIDE, Math.max(SIDE, at(epsilon)));
    parts.push(shape("line", { class: "here", x1: x, x2: x, y1: 2, y2: 46 }));
  }
  svg.replaceChildren(...parts);
}

/** Curves of several mechanisms against the distance of the truth from the end of the range. */
export function drawCurves(svg, mechanisms, own, value, least, label) {
  const width = Math.max(240, widthOf(svg) || 300);
  const [height, base, top] = [190, 160, 18];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const points = mechanisms.flatMap((one) => one.curve);
  const reach = Math.max(...mechanisms.map((one) => one.curve.at(-1)[0]));
  const mine = mechanisms.find((one) => one.name === own) ?? mechanisms[0];
  // A mechanism that is many times worse does not flatten all others.
  const most = Math.min(Math.max(...points.map(value)), 3 * Math.max(...mine.curve.map(value), least ?? 0)) || 1;
  const axis = { low: 0, high: reach };
  const at = scale(axis, width);
  const up = (size) => base - (Math.min(size, 1.04 * most) / (1.04 * most)) * (base - top);
  const parts = [...drawAxis(axis, width, base), shape("text", { x: SIDE, y: 12 }, label)];
  for (const size of ticks(0, most, 3).filter((size) => size > 0)) {
    parts.push(shape("line", { class: "axis", x1: SIDE, x2: SIDE + 5, y1: up(size), y2: up(size) }));
    parts.push(shape("text", { x: SIDE + 8, y: up(size) + 4 }, figure(size)));
  }
  const line = (one, kind) => shape("polyline", {
    class: kind,
    points: one.curve.map((point) => `${at(point[0]).toFixed(1)},${up(value(point)).toFixed(1)}`).join(" "),
  }, shape("title", {}, one.name));
  parts.push(...mechanisms.filter((one) => one !== mine).map((one) => line(one, "curve")), line(mine, "curve own"));
  if (least !== null) {
    parts.push(shape("line", { class: "least", x1: SIDE, x2: width - SIDE, y1: up(least), y2: up(least) }));
  }
  svg.replaceChildren(...parts);
}
