// Looks at the page in the frame and writes what is wrong with it into this document, as JSON.
function luminance([r, g, b]) {
  const part = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

function parsed(colour) {
  const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
  return { rgb: [r, g, b], alpha: a };
}

// What is seen behind an element: the nearest painted ancestor; a page without one is white.
function behind(element, view) {
  for (let at = element; at; at = at.parentElement) {
    const { rgb, alpha } = parsed(view.getComputedStyle(at).backgroundColor);
    if (alpha === 1) return rgb;
    if (alpha > 0) throw new Error("half transparent backgrounds are not looked through");
  }
  return [255, 255, 255];
}

function contrast(element, view) {
  const style = view.getComputedStyle(element);
  const drawn = element instanceof view.SVGElement ? style.fill : style.color;
  const [low, high] = [luminance(parsed(drawn).rgb), luminance(behind(element, view))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

// What is wrong with the words and marks of a picture.
function lookAtPicture(picture, view) {
  const wrong = [], name = picture.getAttribute("aria-label") || "a picture";
  const texts = [...picture.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const boxes = texts.map((text) => ({ words: text.textContent, box: text.getBoundingClientRect() }));
  boxes.forEach(({ words, box }, index) => {
    for (const other of boxes.slice(index + 1)) {
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      // Boxes have some air around the letters.
      if (across > 0.5 && down > 4) wrong.push(`"${words}" overlaps "${other.words}" in ${name}`);
    }
  });
  if (name.startsWith("rows")) {
    for (const text of texts) {
      if (/^[-\u2212]\d/.test(text.textContent)) wrong.push(`the axis of ${name} goes below 0: ${text.textContent}`);
    }
  }
  for (const mark of picture.querySelectorAll("circle, path[stroke-width='1.8'], polyline")) {
    const style = view.getComputedStyle(mark), drawn = mark.tagName === "circle" ? style.fill : style.stroke;
    if (drawn === "none" || style.fillOpacity !== "1") continue;
    const [low, high] = [luminance(parsed(drawn).rgb), luminance(behind(picture, view))].sort((a, b) => a - b);
    if ((high + 0.05) / (low + 0.05) < 3) wrong.push(`a mark of ${name} is too faint: ${drawn}`);
  }
  return [...new Set(wrong)];
}

function look(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, wrong = [];
  const statistics = [...page.querySelectorAll("section[id^=statistic-]")];
  const heights = statistics.map((section) => Math.round(section.getBoundingClientRect().height));
  heights.forEach((height, index) => {
    // Of several tables each may have some more room.
    const tables = statistics[index].querySelectorAll(":scope > .table, :scope > .pair .table").length;
    if (frame.clientWidth >= 1200 && height > 2000 + 600 * Math.max(0, tables - 1)) wrong.push(`statistic ${index + 1} is ${height} high`);
  });
  // All else is looked at with everything open.
  for (const folded of page.querySelectorAll("details")) folded.open = true;
  const walker = page.createTreeWalker(page.body, view.NodeFilter.SHOW_TEXT);
  let texts = 0, least = 21;
  while (walker.nextNode()) {
    const words = walker.currentNode.textContent.trim(), parent = walker.currentNode.parentElement;
    if (!words) continue;
    texts += 1;
    const ratio = contrast(parent, view);
    least = Math.min(least, ratio);
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(2)}: ${words}`);
  }
  const width = page.documentElement.scrollWidth;
  if (width > frame.clientWidth) wrong.push(`it is ${width} wide`);
  const tables = [...page.querySelectorAll("table")];
  for (const table of tables) {
    const name = table.caption && table.caption.textContent.trim();
    if (!name) wrong.push("a table without a caption");
    const heads = [...table.tHead.rows].at(-1);
    if (table.querySelector("thead th:not([scope=col], [scope=colgroup])") || !heads.querySelector("th")) wrong.push(`columns of ${name}`);
    for (const row of table.tBodies[0].rows) {
      if (!row.cells[0].matches("th[scope=row]")) wrong.push(`a row of ${name} has no header`);
      if (row.cells.length !== heads.cells.length) wrong.push(`a row of ${name} is not as long as its header`);
    }
  }
  // By its last column down, groups move whole and totals stay at the edge.
  for (const table of page.querySelectorAll("table.cross")) {
    const name = table.caption.textContent.trim(), before = [...table.tBodies[0].rows];
    const button = [...[...table.tHead.rows].at(-1).querySelectorAll("th")].at(-1).querySelector("button");
    if (!button) continue;
    button.click();
    const after = [...table.tBodies[0].rows].filter((row) => !row.className);
    const value = (row) => { const text = row.cells[row.cells.length - 1].firstChild; return text ? parseFloat(text.textContent.replace(/,/g, "")) : NaN; };
    const values = after.map(value).filter((number) => !Number.isNaN(number));
    if (values.some((number, index) => index > 0 && number > values[index - 1])) wrong.push(`${name} is not sorted: ${values}`);
    if (before.length !== table.tBodies[0].rows.length) wrong.push(`rows of ${name} are lost by sorting`);
    table.tBodies[0].append(...before);
  }
  const pictures = [...page.querySelectorAll("svg")];
  for (const picture of pictures) {
    if (picture.getAttribute("role") !== "img" || !picture.getAttribute("aria-label")) wrong.push("a picture without a name");
    if (picture.getBoundingClientRect().width < 250) wrong.push("a picture too small to be read");
    wrong.push(...lookAtPicture(picture, view));
    for (const used of picture.querySelectorAll("[clip-path]")) {
      const id = used.getAttribute("clip-path").match(/#([^)]*)/)[1];
      if (!picture.contains(page.getElementById(id))) wrong.push(`${id} is not in its picture`);
    }
  }
  const ids = [...page.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
  for (const link of page.querySelectorAll("a")) {
    if (!page.getElementById(decodeURIComponent(link.hash.slice(1)))) wrong.push(`${link.href} leads nowhere`);
  }
  for (const loaded of view.performance.getEntriesByType("resource")) wrong.push(`it loads ${loaded.name}`);
  if (page.scripts.length !== 1 || page.scripts[0].src) wrong.push("it has a script of another");
  if (page.querySelectorAll("h1").length !== 1 || !page.documentElement.lang || !page.title) wrong.push("no name or language");
  const dark = view.matchMedia("(prefers-color-scheme: dark)").matches;
  return { wrong, texts, least, width, tables: tables.length, pictures: pictures.length, heights, dark };
}

window.addEventListener("load", () => {
  const said = document.createElement("pre");
  said.id = "said";
  try {
    said.textContent = JSON.stringify(look(document.querySelector("iframe")));
  } catch (error) {
    said.textContent = JSON.stringify({ wrong: [String(error)] });
  }
  document.body.append(said);
});
