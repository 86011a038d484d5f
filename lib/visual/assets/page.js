// Sorting, filters, tooltips, themes and deep links. The page is complete without it.
(() => {
  "use strict";
  const make = (name, properties, parent) => {
    const node = Object.assign(document.createElement(name), properties);
    if (parent) parent.append(node);
    return node;
  };

  // Tables: a button in every header sorts; numbers by their exact value, missing ones last.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const exact = cell.dataset.v ?? cell.textContent;
    if (!cell.classList.contains("n")) return exact;
    const number = Number.parseFloat(exact);
    return Number.isNaN(number) ? null : number;
  };
  const compare = (a, b, sign) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  };
  const sort = (table, header) => {
    // The best first: small latencies and ranks, large speedups and shares.
    const largest = /speedup|arith mean|geo mean|won|success|win rate|coverage|passed|ahead|of bound|score/i.test(header.textContent);
    const before = header.getAttribute("aria-sort");
    const ascending = before ? before === "descending" : !largest;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, header.cellIndex), row]);
    rows.sort((x, y) => compare(x[0], y[0], ascending ? 1 : -1));
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const header of table.tHead.rows[0].cells) {
      const button = make("button", { type: "button", textContent: header.textContent });
      header.replaceChildren(button);
      button.addEventListener("click", () => sort(table, header));
    }
  }

  // Long tables get a field that keeps the rows with all of its words.
  const keep = (rows, text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => content.includes(word));
    }
  };
  // Of a matrix words of column names choose columns, those of each word; all other words choose rows, by their name
  // or by a cell, and of these the columns in which some cell has the word.
  const keepOfMatrix = (table, text) => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const heads = [...table.tHead.rows[0].cells].slice(1);
    const rows = [...table.tBodies[0].rows];
    const textOf = (cell) => cell.textContent.toLowerCase();
    const isNamed = (head) => words.some((word) => textOf(head).includes(word));
    const areNamed = heads.some(isNamed);
    let columns = heads.map((head) => !areNamed || isNamed(head));
    let shown = rows.map(() => true);
    for (const word of words) {
      if (heads.some((head) => textOf(head).includes(word))) {
        if (word === "failed") shown = rows.map((row, place) => shown[place] && textOf(row.cells[0]).includes(word));
        continue;
      }
      const found = heads.map(() => false);
      let isOfCells = false;
      shown = rows.map((row, place) => {
        if (!shown[place]) return false;
        if (textOf(row.cells[0]).includes(word)) return true;
        const hits = heads.map((head, i) => columns[i] && textOf(row.cells[i + 1]).includes(word));
        hits.forEach((hit, i) => { found[i] ||= hit; });
        isOfCells ||= hits.includes(true);
        return hits.includes(true);
      });
      if (isOfCells) columns = columns.map((kept, i) => kept && found[i]);
    }
    heads.forEach((head, i) => { head.hidden = !columns[i]; });
    rows.forEach((row, place) => {
      row.hidden = !shown[place];
      if (!row.hidden) columns.forEach((kept, i) => { row.cells[i + 1].hidden = !kept; });
    });
  };
  for (const table of document.querySelectorAll("main table")) {
    const rows = table.tBodies[0].rows;
    if (rows.length < 12) continue;
    const label = make("label", { className: "filter", textContent: `${table.classList.contains("matrix") ? "Filter rows and columns" : "Filter rows"}${table.caption ? ` of “${table.caption.textContent.split(/[,;]|: /)[0]}”` : ""} ` });
    const field = make("input", { type: "search" }, label);
    field.setAttribute("aria-label", `Filter: ${table.caption ? table.caption.textContent : "table"}`);
    const isMatrix = table.classList.contains("matrix");
    const note = make("span", { className: "nothing", textContent: " nothing has it", hidden: true }, label);
    field.addEventListener("input", () => {
      if (isMatrix) keepOfMatrix(table, field.value);
      else keep(rows, field.value);
      note.hidden = [...rows].some((row) => !row.hidden);
    });
    table.parentElement.before(label);
  }
  const navigation = document.querySelector("nav");
  const entries = navigation ? navigation.querySelectorAll("ul ul li") : [];
  if (entries.length > 8) {
    const field = make("input", { type: "search", placeholder: "Find a definition" });
    field.setAttribute("aria-label", "Find a definition");
    field.addEventListener("input", () => keep(entries, field.value));
    navigation.prepend(field);
  }

  const sources = document.querySelectorAll("#solutions > details");
  if (sources.length > 12) {
    const label = make("label", { className: "filter", textContent: "Find a solution " });
    const field = make("input", { type: "search" }, label);
    field.addEventListener("input", () => {
      for (const one of sources) one.hidden = !one.querySelector("summary").textContent.toLowerCase().includes(field.value.toLowerCase());
    });
    document.querySelector("#solutions h2").after(label);
  }

  // Charts: what a point says, under the pointer.
  const tip = make("div", { className: "tip", hidden: true }, document.body);
  const describe = (mark) => {
    const group = mark.closest("[data-series]");
    const title = mark.querySelector("title") ?? mark.parentElement.querySelector(":scope > title");
    if (title && (mark.contains(title) || !group)) return title.textContent;
    const name = group ? `${group.dataset.series}\n` : "";
    return `${name}${mark.dataset.x} → ${mark.dataset.failed ? "failed" : mark.dataset.y}`;
  };
  document.addEventListener("pointermove", (event) => {
    const mark = event.target instanceof Element ? event.target.closest("svg [data-x]") : null;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = describe(mark);
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 4))}px`;
    tip.style.top = `${event.clientY + 16 + box.height > innerHeight ? event.clientY - box.height - 8 : event.clientY + 16}px`;
  });

  // The latest runs come first into view, where a chart is wider than the screen.
  for (const box of document.querySelectorAll("#history figure .wide")) box.scrollLeft = box.scrollWidth;

  // Links to logs open them.
  const open = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at instanceof HTMLDetailsElement) at.open = true;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  if (location.hash) open();
  // Paper does not scroll: a table with more columns than a page bears becomes several, each with the names.
  const kColumnsOfPage = 10;
  const pieces = [];
  const split = (table) => {
    const columns = table.tHead.rows[0].cells.length;
    for (let begin = 1; begin < columns; begin += kColumnsOfPage) {
      const piece = table.cloneNode(false);
      const end = Math.min(columns, begin + kColumnsOfPage);
      if (table.caption) {
        const caption = table.caption.cloneNode(true);
        caption.append(`, columns ${begin} to ${end - 1} of ${columns - 1}`);
        piece.append(caption);
      }
      for (const part of [table.tHead, table.tBodies[0]]) {
        const copy = part.cloneNode(false);
        for (const row of part.rows) {
          const line = row.cloneNode(false);
          for (const cell of [row.cells[0], ...[...row.cells].slice(begin, end)]) line.append(cell.cloneNode(true));
          copy.append(line);
        }
        piece.append(copy);
      }
      table.before(piece);
      pieces.push([piece, table]);
    }
    table.hidden = true;
  };
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not(.source)")) details.open = true;
    if (pieces.length > 0) return;  // they are split already
    for (const table of document.querySelectorAll("table.matrix")) {
      if (table.tHead.rows[0].cells.length > 1 + 1.5 * kColumnsOfPage) split(table);
    }
  });
  addEventListener("afterprint", () => {
    for (const [piece, table] of pieces.splice(0)) {
      piece.remove();
      table.hidden = false;
    }
  });

  // Themes: the system's until the reader says otherwise.
  const theme = make("button", { type: "button", className: "theme" }, document.querySelector("header"));
  const dark = () => document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const name = () => { theme.textContent = dark() === "dark" ? "Light theme" : "Dark theme"; };
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() === "dark" ? "light" : "dark";
    name();
  });
  name();
})();
