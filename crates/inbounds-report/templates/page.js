"use strict";
// Sorts tables, copies them as CSV, and sets a place beside those that it lies in. All numbers stand in the page without it.
(() => {
  const number = (cell) => {
    const text = (cell.firstChild ? cell.firstChild.textContent : "").replace(/,/g, "").trim();
    const value = parseFloat(text);
    return text === "" || Number.isNaN(value) ? null : value;
  };
  const depth = (row) => Number((row.className.match(/in-(\d)/) || [0, 0])[1]);
  const last = (table) => table.tHead.rows[table.tHead.rows.length - 1];

  // Rows that lie in another move with it; totals stay where they are.
  const sorted = (rows, column, down) => {
    const groups = [];
    for (const row of rows) {
      if (groups.length && depth(row) > depth(groups[0].head)) groups[groups.length - 1].inner.push(row);
      else groups.push({ head: row, inner: [] });
    }
    const key = (group) => column === 0 ? group.head.cells[0].textContent : number(group.head.cells[column]);
    const edge = (group) => group.head.classList.contains("total");
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      const order = typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
      return down ? -order : order;
    };
    groups.sort((a, b) => edge(a) - edge(b) || compare(a, b));
    return groups.flatMap((group) => [group.head, ...(group.inner.length ? sorted(group.inner, column, down) : [])]);
  };

  const sort = (table, column) => {
    const heads = last(table).cells, was = heads[column].getAttribute("aria-sort");
    const down = was ? was === "ascending" : column > 0;
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    table.tBodies[0].append(...sorted([...table.tBodies[0].rows], column, down));
  };

  // A value and what stands under it have a field each; the path of a row has one for each step.
  const csv = (table) => {
    const quoted = (text) => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    const plain = (text) => /^[-\u2212+\u00b1 ]*[\d,]+(\.\d+)?( %| pp)?$/.test(text) ? text.replace(/,/g, "") : text;
    const rows = [...table.tBodies[0].rows], deepest = Math.max(...rows.map(depth)), path = [];
    const heads = [...last(table).cells].map((head) => head.textContent.trim());
    const wide = heads.map((_, column) => rows.some((row) => row.cells[column].querySelector("small")));
    const first = Array.from({ length: deepest + 1 }, (_, step) => step ? `${heads[0]} ${step + 1}` : heads[0]);
    const line = (fields) => fields.map(quoted).join(",");
    const parts = (cell) => {
      const [value, ...others] = cell.childNodes;
      return [value ? plain(value.textContent.trim()) : "", others.map((other) => plain(other.textContent)).join("; ")];
    };
    const lines = [line([...first, ...heads.slice(1).flatMap((head, at) => wide[at + 1] ? [head, `${head}, beside it`] : [head])])];
    for (const row of rows) {
      path.length = depth(row);
      path.push(row.cells[0].firstChild.textContent);
      const cells = [...row.cells].slice(1).flatMap((cell, at) => wide[at + 1] ? parts(cell) : [parts(cell)[0]]);
      lines.push(line([...first.map((_, step) => path[step] || ""), ...cells]));
    }
    return lines.join("\n") + "\n";
  };

  const copy = (button, text) => {
    const said = button.textContent, done = (words) => { button.textContent = words; setTimeout(() => { button.textContent = said; }, 2000); };
    const area = document.createElement("textarea");
    area.value = text;
    const byHand = () => { document.body.append(area); area.select(); const copied = document.execCommand("copy"); area.remove(); return copied; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done("Copied"), () => done(byHand() ? "Copied" : "Not allowed"));
    else done(byHand() ? "Copied" : "Not allowed");
  };

  const element = (tag, fields, ...inside) => {
    const made = Object.assign(document.createElement(tag), fields);
    made.append(...inside);
    return made;
  };

  // The table of one place: its cells down, and the place and all that it lies in across.
  const beside = (table, wrap) => {
    const rows = [...table.tBodies[0].rows], out = element("div", { className: "table" });
    const name = (row) => row.cells[0].textContent;
    const select = element("select", {}, ...rows.map((row, at) => new Option("\u2002".repeat(depth(row)) + name(row), at)));
    const show = () => {
      const chosen = rows[select.value], path = [chosen];
      for (let at = Number(select.value); at >= 0; at -= 1) if (depth(rows[at]) < depth(path[0])) path.unshift(rows[at]);
      const head = (text, scope) => element("th", { scope, textContent: text });
      const across = [...last(table).cells].map((cell) => cell.textContent.trim());
      const lines = across.slice(1).map((text, at) => element("tr", {}, head(text, "row"), ...path.map((row) => row.cells[at + 1].cloneNode(true))));
      out.replaceChildren(element("table", { className: "cross" },
        element("caption", { textContent: `${name(chosen)} beside what it lies in` }),
        element("thead", {}, element("tr", {}, head(across.length > 1 ? table.tHead.rows[0].cells[1].textContent : "", "col"), ...path.map((row) => head(name(row), "col")))),
        element("tbody", {}, ...lines)));
    };
    select.addEventListener("change", show);
    wrap.after(element("div", { className: "tools" }, element("label", {}, "A place and what it lies in: ", select)), out);
    select.value = String(rows.findIndex((row) => depth(row) === Math.max(...rows.map(depth))));
    show();
  };

  for (const wrap of document.querySelectorAll("div.table")) {
    const table = wrap.querySelector("table:not(.matrix)");
    if (!table || table.tBodies[0].rows.length < 2) continue;
    [...last(table).cells].forEach((head, column) => {
      const button = element("button", { type: "button", title: "Sort" }, ...head.childNodes);
      if (!button.textContent.trim()) return;
      button.addEventListener("click", () => sort(table, column));
      head.append(button);
    });
    const button = element("button", { type: "button", textContent: "Copy as CSV" });
    button.addEventListener("click", () => copy(button, csv(table)));
    wrap.before(element("div", { className: "tools" }, button));
    if (table.matches("[data-places]")) beside(table, wrap);
  }
  // Where a style sheet cannot open what is closed, paper shows it all the same.
  let closed = [];
  addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open])")]; for (const one of closed) one.open = true; });
  addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
})();
