// Search and filters. All text is in the page already; nothing is built from it here.
(() => {
  "use strict";
  const form = document.getElementById("filter");
  if (!form) return;
  const section = document.getElementById("findings");
  const status = document.getElementById("status");
  const parts = section.querySelectorAll(".findings");
  const rows = Array.from(document.querySelectorAll("li.finding"));
  const texts = new Map();

  const textOf = (row) => {
    let text = texts.get(row);
    if (text === undefined) {
      text = row.textContent.toLowerCase();
      texts.set(row, text);
    }
    return text;
  };

  // "0-7 9" has 9, and 3.
  const hasRank = (spans, rank) =>
    spans !== "" && spans.split(" ").some((span) => {
      const [low, high = low] = span.split("-").map(Number);
      return low <= rank && rank <= high;
    });

  // "0" stands for every compile of frame 0, "0/1" for every attempt at it.
  const hasCompile = (ids, wanted) =>
    ids.split(" ").some((id) =>
      id === wanted || id.startsWith(wanted + "/") || id.startsWith(wanted + "_"));

  const value = (name) => {
    const field = form.elements.namedItem(name);
    return field ? field.value.trim() : "";
  };

  const apply = () => {
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const category = value("category");
    const severity = value("severity");
    const rank = value("rank");
    const compile = value("compile");
    let shown = 0;
    for (const row of rows) {
      const data = row.dataset;
      const fits =
        (category === "" || data.category === category) &&
        (severity === "" || data.severity === severity) &&
        (rank === "" || hasRank(data.ranks, Number(rank))) &&
        (compile === "" || hasCompile(data.compiles, compile)) &&
        (words.length === 0 || words.every((word) => textOf(row).includes(word)));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const part of parts) part.hidden = !part.querySelector("li.finding:not([hidden])");
    section.classList.toggle("few", shown <= 500);
    const total = rows.length.toLocaleString("en");
    status.textContent = shown === rows.length
      ? "All " + total + " findings are shown."
      : shown.toLocaleString("en") + " of " + total + " findings are shown.";
  };

  let timer = 0;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 80);
  };

  // A link to a finding opens it, also where a filter hides it.
  const reveal = () => {
    const row = document.getElementById(location.hash.slice(1));
    if (!row || !row.classList.contains("finding")) return;
    if (row.hidden) {
      form.reset();
      apply();
    }
    const details = row.querySelector("details");
    details.open = true;
    row.scrollIntoView();
    details.querySelector("summary").focus({ preventScroll: true });
  };

  form.addEventListener("input", soon);
  form.addEventListener("reset", () => setTimeout(apply));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  addEventListener("hashchange", reveal);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) {
      event.preventDefault();
      form.elements.namedItem("search").focus();
    }
    if (event.key === "Escape" && typing && form.contains(event.target)) {
      form.reset();
    }
  });

  // Paper shows what is folded, unless it is very much.
  const opened = [];
  addEventListener("beforeprint", () => {
    const closed = rows.filter((row) => !row.hidden).map((row) => row.querySelector("details"))
      .filter((details) => !details.open);
    if (closed.length > 200) return;
    for (const details of closed) {
      details.open = true;
      opened.push(details);
    }
  });
  addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
  });

  form.hidden = false;
  apply();
  reveal();
})();
