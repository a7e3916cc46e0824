#!/usr/bin/env node
// Chooses events of different shapes from stretched recordings and writes them as <event>-N.json with a table in README.md.
//   node pick.mjs HOOK EVENTS...      the first EVENTS gives most, the others what is different in them
import fs from "node:fs";
import path from "node:path";

const [hook, ...sources] = process.argv.slice(2);
const MAX = 120_000, MANY = { tool_result: 8, message_end: 8, context: 4 }, OTHERS = new Set(["session_start", "session_before_compact", "context", "turn_end", "tool_result", "message_end", "before_agent_start", "agent_end"]);
fs.rmSync(hook, { recursive: true, force: true });
fs.mkdirSync(hook, { recursive: true });
const keys = (f) => Object.keys(JSON.parse(fs.readFileSync(f, "utf8"))).sort().join();
const count = {}, seen = new Set(), table = [];
for (const [k, dir] of sources.entries()) {
  const version = path.basename(dir);
  const rows = fs.readFileSync(path.join(dir, "index.jsonl"), "utf8").trim().split("\n").map((l) => JSON.parse(l)).filter((r) => r.bytes <= MAX);
  const shapes = new Set(), taken = {};
  for (const r of rows) {
    if (shapes.has(r.event + r.shape)) continue;
    const file = path.join(dir, r.file), form = `${r.event}|${keys(file)}`;
    const limit = k === 0 ? (MANY[r.event] ?? 3) : seen.has(form) && !OTHERS.has(r.event) ? 0 : OTHERS.has(r.event) && r.bytes < 40_000 ? 2 : 1;
    if ((taken[r.event] ?? 0) >= limit || (k > 0 && r.bytes > 60_000)) continue;
    shapes.add(r.event + r.shape); seen.add(form); taken[r.event] = (taken[r.event] ?? 0) + 1;
    const n = (count[r.event] = (count[r.event] ?? 0) + 1);
    fs.copyFileSync(file, path.join(hook, `${r.event}-${n}.json`));
    table.push([`${r.event}-${n}.json`, version, r.bytes, r.shape]);
  }
}
table.sort((a, b) => (a[0] < b[0] ? -1 : 1));
fs.writeFileSync(path.join(hook, "README.md"), `# Events as pi hands them to an extension\n\nOne line of \`JSON.stringify(event)\` per file, chosen by \`../record/pick.mjs\`.\n\n| File | pi | Bytes | Shape |\n|---|---|---|---|\n${table.map(([f, v, b, s]) => `| ${f} | ${v} | ${b} | ${String(s).replace(/\|/g, " / ") || "-"} |`).join("\n")}\n`);
console.log(`${table.length} events, ${table.reduce((s, r) => s + r[2], 0)} bytes`);
