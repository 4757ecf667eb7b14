// Opens what a link leads to, and shows which lines of graphs and code belong together.
(() => {
  "use strict";
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || target.tagName !== "DETAILS") return;
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);
  reveal();

  const artifacts = Array.from(document.querySelectorAll("details.artifact"));
  const all = document.getElementById("all");
  if (all) {
    all.hidden = false;
    all.addEventListener("click", () => {
      const open = artifacts.some((details) => !details.open);
      for (const details of artifacts) details.open = open;
      all.textContent = open ? "Close all" : "Open all";
    });
  }

  const textOf = (id) => {
    const block = document.querySelector("#" + id + " pre.text");
    return block ? block.textContent : null;
  };
  const jsonOf = (id) => {
    try {
      const value = JSON.parse(textOf(id));
      return value && typeof value === "object" ? value : {};
    } catch {
      return {};
    }
  };
  const idsOf = (words) => words.split(" ").filter(Boolean);

  // Pairs of nodes, and of kernels and nodes; 2.8 tells the latter without a title.
  const pairsOf = (ids) => {
    const found = { nodes: [], kernels: [] };
    const take = (into, table, turned) => {
      for (const [name, others] of Object.entries(table || {})) {
        if (!Array.isArray(others)) continue;
        for (const other of others) {
          if (typeof other === "string") into.push(turned ? [other, name] : [name, other]);
        }
      }
    };
    for (const map of ids.map(jsonOf)) {
      take(found.nodes, map.preToPost, false);
      take(found.nodes, map.postToPre, true);
      take(found.kernels, map.cppCodeToPost, false);
      take(found.kernels, map.postToCppCode, true);
      if (!Object.values(map).some((value) => value && !Array.isArray(value))) take(found.kernels, map, false);
    }
    return found;
  };

  // A node is at the line that begins with its name.
  const graphLines = (lines) => {
    const places = new Map();
    lines.forEach((line, at) => {
      const match = /^\s*([A-Za-z_]\w*)\s*(?::[^=]*)?=/.exec(line);
      if (match) places.set(match[1], [at]);
    });
    return places;
  };

  // A kernel is where its handle is told, up to the call; without handles where its
  // name stands. Its definition belongs to it too.
  const codeLines = (lines, kernels) => {
    const places = new Map();
    const handles = new Map();
    lines.forEach((line, at) => {
      const match = /\[Provenance debug handles\]\s*(.*)$/.exec(line);
      if (!match) return;
      let end = at + 1;
      while (end < lines.length - 1 && /^\s*#/.test(lines[end])) end += 1;
      for (const key of match[1].split(",")) handles.set(key.trim(), [at, end]);
    });
    for (const key of new Set(kernels)) {
      const name = key.replace(/:\d+$/, "");
      const at = (handles.get(key) || []).slice();
      lines.forEach((line, index) => {
        const begins = line.startsWith(name + " = ") || line.startsWith("def " + name + "(");
        const called = !at.length || !handles.size;
        const calls = called && line.trimStart().startsWith(name) && /[.(]/.test(line.trimStart()[name.length] || "");
        if (begins || calls) at.push(index);
      });
      places.set(key, Array.from(new Set(at)));
    }
    return places;
  };

  const build = (group) => {
    const data = group.dataset;
    const says = group.querySelector(".says");
    const texts = [data.pre, data.post, data.code].map(textOf);
    if (texts.includes(null)) {
      says.textContent = "One of the three is too large to be shown here.";
      return;
    }
    const lines = texts.map((text) => text.split("\n"));
    const pairs = pairsOf(idsOf(data.maps));
    const pre = graphLines(lines[0]);
    const post = graphLines(lines[1]);
    const code = codeLines(lines[2], pairs.kernels.map(([kernel]) => kernel));
    const stacks = Object.assign({}, ...idsOf(data.stacks).map(jsonOf));

    // What belongs to a line, as "side:line"; all that is reached from it.
    const near = [new Map(), new Map(), new Map()];
    const join = (side, ats, other, others) => {
      for (const a of ats || []) for (const b of others || []) {
        if (!near[side].has(a)) near[side].set(a, []);
        if (!near[other].has(b)) near[other].set(b, []);
        near[side].get(a).push([other, b]);
        near[other].get(b).push([side, a]);
      }
    };
    for (const [a, b] of pairs.nodes) join(0, pre.get(a), 1, post.get(b));
    for (const [kernel, node] of pairs.kernels) join(2, code.get(kernel), 1, post.get(node));
    const kernelsAt = new Map();
    for (const [kernel, ats] of code) for (const at of ats) {
      if (!kernelsAt.has(at)) kernelsAt.set(at, []);
      kernelsAt.get(at).push(kernel);
    }

    const reached = (side, at) => {
      const found = [new Set(), new Set(), new Set()];
      found[side].add(at);
      // Through the middle graph only, else a kernel would mark all of its neighbours.
      for (const [other, b] of near[side].get(at) || []) {
        found[other].add(b);
        if (side !== 1) for (const [third, c] of near[other].get(b) || []) {
          if (third !== side) found[third].add(c);
        }
      }
      return found;
    };

    const panels = Array.from(group.querySelectorAll(".lines"));
    const rows = lines.map((some, side) => some.map((text, at) => {
      const linked = near[side].has(at);
      const row = document.createElement(linked ? "button" : "div");
      row.textContent = (linked ? String(at + 1).padStart(4) + " " : "     ") + text;
      if (linked) {
        row.type = "button";
        row.setAttribute("aria-pressed", "false");
        row.addEventListener("click", () => mark(side, at));
      }
      return row;
    }));
    rows.forEach((some, side) => panels[side].replaceChildren(...some));

    const mark = (side, at) => {
      const found = reached(side, at);
      rows.forEach((some, other) => some.forEach((row, index) => {
        const is = found[other].has(index);
        row.classList.toggle("marked", is);
        if (row.tagName === "BUTTON") row.setAttribute("aria-pressed", String(is));
      }));
      found.forEach((ats, other) => {
        if (other === side || !ats.size) return;
        const row = rows[other][Math.min(...ats)];
        panels[other].scrollTop = row.offsetTop - panels[other].offsetTop - 40;
      });
      says.textContent = found.map((ats, other) =>
        ats.size + " in " + ["the first graph", "the second", "the code"][other]).join(", ") + ".";
      tell(found[2]);
    };

    const tell = (ats) => {
      const kernels = new Set(Array.from(ats).flatMap((at) => kernelsAt.get(at) || []));
      const texts = new Set(Array.from(kernels).flatMap((kernel) => stacks[kernel] || []));
      const into = group.querySelector(".stacks");
      into.replaceChildren();
      if (!texts.size) return;
      const title = document.createElement("h3");
      title.textContent = "Your code";
      into.append(title);
      for (const text of Array.from(texts).slice(0, 20)) {
        const block = document.createElement("pre");
        block.textContent = String(text).replace(/\n$/, "");
        into.append(block);
      }
    };
    if (!near.some((some) => some.size)) says.textContent = "The mapping names no line of these texts.";
  };

  for (const group of document.querySelectorAll("details.provenance")) {
    group.addEventListener("toggle", () => {
      if (group.open && !group.dataset.done) {
        group.dataset.done = "yes";
        build(group);
      }
    });
  }
})();
