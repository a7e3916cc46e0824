"use strict";
(() => {
  const points = (path) => {
    const n = path.getAttribute("d").match(/-?\d+/g).map(Number);
    const out = [[n[0], n[1]]];
    for (let i = 2; i + 1 < n.length; i += 2) {
      const last = out[out.length - 1];
      out.push([last[0] + n[i], last[1] + n[i + 1]]);
    }
    return out;
  };
  const short = (n) => (n >= 999500 ? (n / 1e6).toFixed(1) + "M" : n >= 99950 ? (n / 1e3).toFixed(0) + "K" : n >= 1000 ? (n / 1e3).toFixed(1) + "K" : String(n));
  const nearest = (line, call) => {
    let low = 0, high = line.length - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (line[mid][0] < call) low = mid + 1; else high = mid;
    }
    return low > 0 && call - line[low - 1][0] < line[low][0] - call ? line[low - 1] : line[low];
  };
  const add = (parent, tag, name, text) => {
    const e = document.createElement(tag);
    e.className = name;
    e.textContent = text || "";
    parent.append(e);
    return e;
  };
  for (const field of document.querySelectorAll(".field[data-unit]")) {
    let lines, rule, tip;
    const start = () => {
      if (lines) return;
      lines = Array.from(field.querySelectorAll("path[data-name]"), (p) => ({ name: p.dataset.name, kind: p.getAttribute("class"), at: points(p) }));
      add(field, "div", "cover");
      rule = add(field, "div", "rule");
      tip = add(field, "div", "tip");
    };
    const show = (event) => {
      start();
      if (!lines.length) return;
      const box = field.getBoundingClientRect();
      const base = lines[0].at, first = base[0][0], last = base[base.length - 1][0];
      const part = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      const [call] = nearest(base, first + part * (last - first));
      tip.replaceChildren();
      add(tip, "b", "", (field.dataset.of || "request ") + call);
      for (const line of lines) {
        const value = nearest(line.at, call)[1] * Number(field.dataset.unit);
        const row = add(tip, "div", line.kind);
        add(row, "i", "key");
        add(row, "bdi", "", line.name);
        add(row, "span", "", short(value));
      }
      const x = last > first ? ((call - first) / (last - first)) * 100 : 0;
      rule.style.left = x + "%";
      tip.style.left = x < 50 ? x + "%" : "auto";
      tip.style.right = x < 50 ? "auto" : 100 - x + "%";
      field.classList.add("on");
    };
    field.addEventListener("pointermove", show);
    field.addEventListener("pointerdown", show);
    field.addEventListener("pointerleave", () => field.classList.remove("on"));
  }
})();
