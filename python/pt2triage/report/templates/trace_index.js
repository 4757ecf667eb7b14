// Filters and sorts the table of compiles. All text is in the page already.
(() => {
  "use strict";
  const form = document.getElementById("filter");
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const status = document.getElementById("status");
  const texts = new Map();

  const textOf = (row) => {
    let text = texts.get(row);
    if (text === undefined) {
      text = Array.from(row.cells, (cell) => cell.textContent).join(" ").toLowerCase();
      texts.set(row, text);
    }
    return text;
  };
  const value = (name) => {
    const field = form.elements.namedItem(name);
    return field ? field.value.trim() : "";
  };

  const apply = () => {
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = value("outcome");
    const rank = value("rank");
    let shown = 0;
    for (const row of rows) {
      const fits =
        (outcome === "" || row.dataset.outcome === outcome) &&
        (rank === "" || row.dataset.rank === String(Number(rank))) &&
        words.every((word) => textOf(row).includes(word));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    const total = rows.length.toLocaleString("en");
    status.textContent = shown === rows.length
      ? "All " + total + " compiles are shown."
      : shown.toLocaleString("en") + " of " + total + " compiles are shown.";
  };

  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 80);
  });
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      form.elements.namedItem("search").focus();
    }
    if (event.key === "Escape" && typing && form.contains(event.target)) form.reset();
  });

  // A heading sorts: first up, then down, then in the order of the trace.
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  const keyOf = (row, column, numbers) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent;
    return numbers ? (text === "" ? -1 : Number(text)) : text;
  };
  const sort = (heads, head, column) => {
    const now = head.getAttribute("aria-sort");
    const next = now === "ascending" ? "descending" : now === "descending" ? null : "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    let order = rows;
    if (next) {
      head.setAttribute("aria-sort", next);
      const numbers = head.hasAttribute("data-numbers");
      const sign = next === "ascending" ? 1 : -1;
      const keyed = rows.map((row) => [keyOf(row, column, numbers), row]);
      keyed.sort((a, b) => sign * (numbers ? a[0] - b[0] : compare(a[0], b[0])));
      order = keyed.map(([, row]) => row);
    }
    body.append(...order);
  };
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(heads, head, column));
    head.replaceChildren(button);
  });

  form.hidden = false;
  apply();
})();
