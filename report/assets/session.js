"use strict";
(() => {
  const form = document.querySelector("form.filter");
  if (!form) return;
  const articles = Array.from(document.querySelectorAll("article.message"));
  const said = form.querySelector("output");
  const opened = new Set();
  const texts = new Map();
  const textOf = (e) => {
    if (!texts.has(e)) texts.set(e, e.textContent.toLowerCase());
    return texts.get(e);
  };
  const chosen = (name) => new Set(Array.from(form.querySelectorAll(`input[name=${name}]:checked`), (i) => i.value));
  const matches = (e, words) => words.every((w) => textOf(e).includes(w));
  const apply = () => {
    const kinds = chosen("kind"), only = chosen("only");
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const d of opened) d.open = false;
    opened.clear();
    let shown = 0;
    for (const a of articles) {
      const kind = a.classList.contains("prompt") ? "prompt" : "answer";
      let calls = 0;
      for (const d of a.querySelectorAll("details")) {
        const thinking = d.classList.contains("thinking");
        let on = kinds.has(thinking ? "thinking" : "call");
        for (const o of only) on = on && d.classList.contains(o);
        d.hidden = !on;
        if (!on) continue;
        calls++;
        if (words.length && !d.open && matches(d, words)) {
          d.open = true;
          opened.add(d);
        }
      }
      const prose = kinds.has(kind) && !only.size;
      for (const p of a.querySelectorAll(":scope > .prose")) p.hidden = !prose;
      a.hidden = !(prose || calls) || !matches(a, words);
      if (!a.hidden) shown++;
    }
    said.textContent = words.length || only.size || kinds.size < 4 ? `${shown} of ${articles.length} messages` : "";
  };
  let waiting = 0;
  form.hidden = false;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  form.addEventListener("submit", (e) => e.preventDefault());
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      form.elements.text.focus();
    }
  });
})();
