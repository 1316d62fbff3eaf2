// Numbers as words, and small pieces of the page.

/** A number with so many significant digits, without an exponent where that reads better. */
export function figure(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e");
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const written = value.toFixed(Math.min(places, 12));
  const short = written.includes(".") ? written.replace(/\.?0+$/, "") : written;
  const [whole, part] = short.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

/** The decimal of three significant digits for an epsilon of the slider, as it is written into the plan. */
export function epsilonWritten(logarithm) {
  const value = 10 ** logarithm;
  const places = Math.max(0, 2 - Math.floor(Math.log10(value)));
  return Number(value.toFixed(places)).toString();
}

/** What a text for an epsilon is, as a number; a fraction too. */
export function written(text) {
  const [above, below] = String(text).split("/");
  return below === undefined ? Number(above) : Number(above) / Number(below);
}

/** `lower to upper`, with open ends. */
export function interval(lower, upper) {
  if (lower === null && upper === null) return "anything";
  if (lower === null) return `at most ${figure(upper, 4)}`;
  if (upper === null) return `at least ${figure(lower, 4)}`;
  return `${figure(lower, 4)} to ${figure(upper, 4)}`;
}

/** One of so many. */
export function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

/** An element with attributes and content; text is never read as markup. */
export function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

/** The same of a picture. */
export function shape(name, attributes = {}, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

/** Replaces a text where it is another one. */
function renew(node, text) {
  if (node.textContent !== String(text)) node.textContent = text;
}

/** Fills a table: a caption, heads as `[name, isNumber]`, and rows whose first cell is their head. */
export function fill(table, caption, heads, rows) {
  // Numbers that move stay in their cells: a table that is made anew is laid out anew.
  const shape = JSON.stringify([heads, rows.map((cells) => cells.length)]);
  if (table.dataset.shape === shape) {
    renew(table.caption, caption);
    rows.forEach((cells, row) => cells.forEach((cell, place) => renew(table.tBodies[0].rows[row].cells[place], cell)));
    return;
  }
  table.dataset.shape = shape;
  const head = element("tr", {}, ...heads.map(([name, number]) =>
    element("th", { scope: "col", class: number ? "number" : null }, name)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell, place) => place === 0
    ? element("th", { scope: "row", class: heads[0][1] ? "number" : null }, cell)
    : element("td", { class: heads[place][1] ? "number" : null }, cell))));
  table.replaceChildren(element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body));
}
