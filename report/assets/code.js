"use strict";
(() => {
  const main = document.querySelector("main.imports");
  if (!main) return;
  const form = main.querySelector("form"), list = main.querySelector("ol"), svg = main.querySelector("svg");
  const firstRows = 28, sideRows = 20, mostRows = 400, mostArcs = 1500;
  const make = (tag, name, text) => {
    const e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // What the page knows: folders with what is in them, and files with what they import.
  const root = { name: "", path: "", kids: [], up: null, files: 0 };
  const files = [];
  const byPath = new Map();
  let here = root;
  for (const line of main.querySelector(".data").textContent.split("\n")) {
    if (line[0] === "u") here = here.up;
    if (line[0] !== "d" && line[0] !== "f") continue;
    const [name, count, to] = line.slice(1).split("\t");
    const node = { name, path: here.path + name, up: here, files: 0 };
    here.kids.push(node);
    if (!byPath.has(node.path)) byPath.set(node.path, node);
    if (line[0] === "d") {
      node.kids = [];
      here = node;
      continue;
    }
    node.stands = Number(count);
    node.number = files.length;
    node.out = to ? to.split(" ") : [];
    node.in = [];
    files.push(node);
    for (let n = node; n; n = n.up) n.files += node.stands;
  }
  for (const f of files) {
    f.out = f.out.map((t) => ({ file: files[parseInt(t, 10)], faint: /[ti]$/.test(t) }));
    for (const e of f.out) e.file.in.push({ file: f, faint: e.faint });
  }
  const within = (node) => (node.kids ? node.kids.flatMap(within) : [node]);

  const state = { focus: null, words: [], turned: new Map(), rows: [], arcs: [] };

  // reach says how far away files are that are reached along a direction.
  const reach = (from, way, depth) => {
    const far = new Map(from.map((f) => [f, 0]));
    let edge = from;
    for (let d = 1; d <= depth && edge.length; d++) {
      const next = [];
      for (const f of edge) {
        for (const e of f[way]) {
          if (far.has(e.file)) continue;
          far.set(e.file, d);
          next.push(e.file);
        }
      }
      edge = next;
    }
    return far;
  };
  const number = (n) => n.toLocaleString("en");
  const count = (n, what) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;
  const standing = (some) => some.reduce((n, f) => n + f.stands, 0);

  // sections are the files to show, and shows which imports between them are drawn.
  const sections = () => {
    if (state.words.length) {
      const found = files.filter((f) => state.words.every((w) => f.path.toLowerCase().includes(w)));
      return { list: [{ files: found, rows: firstRows }], shows: () => true, said: `${number(standing(found))} of ${count(root.files, "file")}` };
    }
    if (!state.focus) return { list: [{ files, rows: firstRows }], shows: () => true, said: "" };
    const own = within(state.focus);
    const depth = Number(form.elements.depth.value);
    const up = reach(own, "in", depth), down = reach(own, "out", depth);
    const both = [], before = [], after = [];
    for (const f of files) {
      if (up.get(f) > 0) (down.get(f) > 0 ? both : before).push(f);
      else if (down.get(f) > 0) after.push(f);
    }
    const it = state.focus.kids ? "this folder" : "this file";
    const far = depth > 1 ? `, at most ${depth} imports away` : "";
    return {
      list: [
        { title: `${count(standing(before), "file")} importing ${it}${far}`, files: before, rows: sideRows },
        { files: own, rows: 12, own: true },
        { title: both.length ? `${count(standing(both), "file")} both importing it and imported by it` : "", files: both, rows: sideRows },
        { title: `${count(standing(after), "file")} imported by ${it}${far}`, files: after, rows: sideRows },
      ],
      shows: (a, b) => {
        const ua = up.get(a), ub = up.get(b), da = down.get(a), db = down.get(b);
        return (ua !== undefined && ub !== undefined && ua === ub + 1) || (da !== undefined && db !== undefined && db === da + 1) || (ua === 0 && ub === 0);
      },
      said: state.focus.path,
    };
  };

  // rowsOf lists the rows of a section: folders are opened, those with most files
  // first, until there are enough rows.
  const rowsOf = (section) => {
    const has = new Map();
    for (const f of section.files) for (let n = f; n; n = n.up) has.set(n, (has.get(n) || 0) + f.stands);
    const kidsOf = (node) => node.kids.filter((k) => has.has(k)).map((k) => {
      let name = k.name;
      for (let only = k; only.kids; k = only) {
        const kids = only.kids.filter((c) => has.has(c));
        if (kids.length !== 1) break;
        only = kids[0];
        name += only.name;
      }
      return { node: k, name };
    });
    const kids = new Map([[root, kidsOf(root)]]);
    const closed = new Set(kids.get(root).filter((k) => k.node.kids).map((k) => k.node));
    const open = new Set();
    const all = has.get(root) || 0;
    for (let rows = kids.get(root).length; rows < section.rows;) {
      let best = null;
      for (const n of closed) {
        if (!kids.has(n)) kids.set(n, kidsOf(n));
        if (20 * has.get(n) >= all && 2 * (rows + kids.get(n).length) <= 5 * section.rows && (!best || has.get(n) > has.get(best))) best = n;
      }
      if (!best) break;
      rows += kids.get(best).length;
      closed.delete(best);
      open.add(best);
      for (const k of kids.get(best)) if (k.node.kids) closed.add(k.node);
    }
    const out = [];
    const add = (node, depth) => {
      if (!kids.has(node)) kids.set(node, kidsOf(node));
      for (const k of kids.get(node)) {
        const isOpen = Boolean(k.node.kids) && (state.turned.get(k.node) ?? open.has(k.node));
        out.push({ node: k.node, name: k.name, depth, isOpen, files: has.get(k.node), has, own: section.own });
        if (isOpen) add(k.node, depth + 1);
      }
    };
    add(root, 0);
    return out;
  };

  const curve = (from, to, rows) => {
    const x = ((to < from ? 110.5 : 130) * Math.sqrt(Math.abs(to - from) / rows)).toFixed(1), a = 10 * from + 5, b = 10 * to + 5;
    return `M0 ${a}C${x} ${a} ${x} ${b} 0 ${b}`;
  };

  const draw = () => {
    const view = sections();
    const rows = [];
    for (const s of view.list) {
      if (s.title) rows.push({ title: s.title });
      const own = s.files.length ? rowsOf(s) : [];
      rows.push(...own.slice(0, mostRows));
      if (own.length > mostRows) rows.push({ title: `and ${count(own.length - mostRows, "more row")}: search for what you look for` });
    }
    state.rows = rows;
    list.replaceChildren(...rows.map(rowElement));
    drawArcs(view, rows);
    form.elements.depth.disabled = !state.focus || state.words.length > 0;
    form.elements.all.disabled = !state.focus && !state.words.length;
    main.querySelector("output").textContent = view.said;
    const first = list.querySelector(".own .name") || list.querySelector(".name");
    if (first) first.tabIndex = 0;
  };

  const rowElement = (r, i) => {
    const li = make("li");
    r.element = li;
    if (r.title) {
      li.className = "head";
      li.append(make("span", "", r.title));
      return li;
    }
    li.style.setProperty("--d", r.depth);
    li.className = (r.node.kids ? "folder" : "file") + (r.own ? " own" : "");
    if (r.node.kids) {
      const turn = make("button", "turn", r.isOpen ? "▾" : "▸");
      turn.type = "button";
      turn.tabIndex = -1;
      turn.setAttribute("aria-expanded", String(r.isOpen));
      turn.setAttribute("aria-label", `${r.isOpen ? "close" : "open"} ${r.node.path}`);
      turn.addEventListener("click", () => turnRow(i, !r.isOpen));
      li.append(turn);
    }
    const name = make("button", "name");
    name.type = "button";
    name.tabIndex = -1;
    name.title = r.node.path;
    if (r.node === state.focus) name.setAttribute("aria-current", "true");
    name.append(make("bdi", "", r.name));
    name.addEventListener("click", () => { location.hash = encodeURIComponent(r.node.path); });
    li.append(name);
    if (r.node.kids || r.files > 1) li.append(make("small", "", count(r.files, "file")));
    else li.append(make("small", "degree", `${number(r.node.in.length)} in · ${number(r.node.out.length)} out`));
    return li;
  };

  const drawArcs = (view, rows) => {
    const at = new Map();
    rows.forEach((r, i) => {
      if (r.node && !r.isOpen) for (const f of within(r.node)) if (r.has.has(f)) at.set(f, i);
    });
    const own = new Set(view.list.flatMap((s) => s.files));
    const found = new Map();
    for (const f of own) {
      const a = at.get(f);
      for (const e of f.out) {
        const b = at.get(e.file);
        if (a === undefined || b === undefined || a === b || !own.has(e.file) || !view.shows(f, e.file)) continue;
        const key = a * rows.length + b;
        const arc = found.get(key) || { from: a, to: b, n: 0, faint: true };
        arc.n++;
        arc.faint = arc.faint && e.faint;
        found.set(key, arc);
      }
    }
    state.arcs = [...found.values()].sort((a, b) => b.n - a.n).slice(0, mostArcs);
    svg.setAttribute("viewBox", `0 0 100 ${10 * rows.length}`);
    svg.replaceChildren(...state.arcs.map((arc) => {
      const p = document.createElementNS("http://www.w3.org/2000/svg", "path");
      p.setAttribute("d", curve(arc.from, arc.to, rows.length));
      p.setAttribute("stroke-width", (1 + Math.log2(arc.n) / 2).toFixed(1));
      p.setAttribute("class", (arc.to < arc.from ? "back" : "") + (arc.faint ? " faint" : ""));
      arc.element = p;
      return p;
    }));
  };

  // mark shows what a row imports and what imports it; of no row it shows all.
  const mark = (i) => {
    const on = i >= 0 && state.arcs.some((a) => a.from === i || a.to === i);
    svg.classList.toggle("some", on);
    for (const r of state.rows) r.element.classList.remove("to", "from", "here");
    if (i >= 0) state.rows[i].element.classList.add("here");
    for (const a of state.arcs) {
      const mine = a.from === i || a.to === i;
      a.element.classList.toggle("on", mine);
      if (mine) state.rows[a.from === i ? a.to : a.from].element.classList.add(a.from === i ? "to" : "from");
    }
  };
  const indexOf = (e) => {
    const li = e.closest && e.closest(".web li");
    return li ? Array.prototype.indexOf.call(list.children, li) : -1;
  };
  const stand = (i) => {
    const name = list.children[i] && list.children[i].querySelector(".name");
    if (!name) return false;
    for (const b of list.querySelectorAll(".name[tabindex='0']")) b.tabIndex = -1;
    name.tabIndex = 0;
    name.focus();
    return true;
  };
  const turnRow = (i, open) => {
    state.turned.set(state.rows[i].node, open);
    draw();
    stand(i);
  };
  const move = (i, step) => {
    for (i += step; i >= 0 && i < state.rows.length; i += step) if (stand(i)) return;
  };

  // show goes to what the address names.
  const show = () => {
    let path = "";
    try {
      path = decodeURIComponent(location.hash.slice(1));
    } catch {
      // it names nothing
    }
    state.focus = byPath.get(path) || null;
    state.words = [];
    state.turned.clear();
    form.elements.text.value = "";
    const moved = list.contains(document.activeElement);
    draw();
    const i = state.rows.findIndex((r) => r.own);
    if (moved) stand(Math.max(i, 0));
    if (i >= 0) list.children[i].scrollIntoView({ block: "center" });
  };
  const whole = () => {
    if (state.focus) location.hash = "";
    else show();
  };

  let waiting = 0;
  form.elements.text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      state.turned.clear();
      draw();
    }, 120);
  });
  form.elements.depth.addEventListener("change", draw);
  form.elements.all.addEventListener("click", whole);
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    stand(state.rows.findIndex((r) => r.node && !r.node.kids));
  });
  list.addEventListener("pointerover", (e) => mark(indexOf(e.target)));
  list.addEventListener("pointerleave", () => mark(indexOf(document.activeElement)));
  list.addEventListener("focusin", (e) => mark(indexOf(e.target)));
  list.addEventListener("focusout", () => mark(-1));
  list.addEventListener("keydown", (e) => {
    const i = indexOf(e.target), r = state.rows[i];
    if (!r || e.altKey || e.ctrlKey || e.metaKey) return;
    if (e.key === "ArrowDown") move(i, 1);
    else if (e.key === "ArrowUp") move(i, -1);
    else if (e.key === "Home") move(-1, 1);
    else if (e.key === "End") move(state.rows.length, -1);
    else if (e.key === "ArrowRight" && r.node.kids && !r.isOpen) turnRow(i, true);
    else if (e.key === "ArrowLeft" && r.isOpen) turnRow(i, false);
    else if (e.key === "ArrowLeft") {
      for (let k = i - 1; k >= 0 && state.rows[k].node; k--) if (state.rows[k].depth < r.depth) return stand(k), e.preventDefault();
    } else return;
    e.preventDefault();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) {
      e.preventDefault();
      form.elements.text.focus();
    } else if (e.key === "Escape" && (state.focus || state.words.length)) whole();
  });
  window.addEventListener("hashchange", show);

  form.hidden = false;
  main.querySelector(".keys").hidden = false;
  form.elements.depth.value = main.dataset.depth;
  const first = files[Number(main.dataset.focus)];
  if (first && !location.hash) location.replace("#" + encodeURIComponent(first.path));
  show();
})();
