// Colours for code: words are put into elements as text, never as markup.
(() => {
  "use strict";
  // Strings and comments without an end go to the end of their line or text, so that
  // no pattern is tried twice at the same place.
  const string = String.raw`"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?`;
  const long = String.raw`[rRbBuUfF]{0,2}(?:'''(?:[^']|'(?!''))*(?:''')?|"""(?:[^"]|"(?!""))*(?:""")?)`;
  const number = String.raw`\b(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)[a-zA-Z]{0,3}\b`;
  const python = "False|None|True|and|as|assert|async|await|break|class|continue|def|del|" +
    "elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|" +
    "raise|return|try|while|with|yield";
  const cpp = "alignas|auto|bool|break|case|char|class|const|constexpr|continue|decltype|" +
    "default|delete|do|double|else|enum|extern|false|float|for|if|inline|int|int64_t|long|" +
    "namespace|new|nullptr|operator|private|public|return|short|signed|sizeof|static|" +
    "static_cast|struct|switch|template|true|typedef|typename|union|unsigned|using|void|" +
    "volatile|while";
  const grammar = (comment, text, words) => new RegExp(
    `(?<c>${comment})|(?<long>${text})|(?<s>${string})|(?<n>${number})|(?<k>\\b(?:${words})\\b|@\\w+)`, "gm");
  const grammars = {
    python: () => grammar("#[^\\n]*", long, python),
    cpp: () => grammar(String.raw`\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|^[ \t]*#[^\n]*`, "(?!)", cpp),
    json: () => grammar("(?!)", "(?!)", "true|false|null"),
  };

  const add = (into, text, kind) => {
    if (!text) return;
    if (!kind) {
      into.append(text);
      return;
    }
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = text;
    into.append(span);
  };

  // A long string in generated code is a kernel: C++ or Triton.
  const kernel = (into, text) => {
    if (!text.includes("\n") || text.length < 40) return add(into, text, "s");
    const quotes = /^[rRbBuUfF]{0,2}(?:'''|""")/.exec(text)[0];
    const ends = text.length >= quotes.length + 3 && /(?:'''|""")$/.test(text);
    const end = ends ? text.length - 3 : text.length;
    const body = text.slice(quotes.length, end);
    add(into, quotes, "s");
    if (/#include|extern "C"/.test(body)) colour(into, body, "cpp");
    else if (/^\s*(?:import|from|@|def)\b/m.test(body)) colour(into, body, "python");
    else add(into, body, "s");
    add(into, text.slice(end), "s");
  };

  const colour = (into, text, language) => {
    const pattern = grammars[language]();
    let at = 0;
    for (const match of text.matchAll(pattern)) {
      if (!match[0]) continue;
      add(into, text.slice(at, match.index), "");
      at = match.index + match[0].length;
      const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
      if (kind === "long") kernel(into, match[0]);
      else add(into, match[0], kind);
    }
    add(into, text.slice(at), "");
  };

  const open = (details) => {
    const language = details.dataset.language;
    const block = details.querySelector("pre.text");
    if (!block || !Object.hasOwn(grammars, language || "") || details.dataset.done) return;
    details.dataset.done = "yes";
    const made = document.createDocumentFragment();
    colour(made, block.textContent, language);
    block.replaceChildren(made);
  };

  for (const details of document.querySelectorAll("details.artifact")) {
    details.addEventListener("toggle", () => {
      if (details.open) open(details);
    });
  }
})();
