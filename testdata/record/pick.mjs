#!/usr/bin/env node
// Chooses events of different shapes from stretched recordings and writes them as <event>-N.json with a table in README.md.
//   node pick.mjs HOOK EVENTS...      the first EVENTS gives most, the others what is different in them
import fs from "node:fs";
import path from "node:path";

const [hook, ...sources] = process.argv.slice(2);
const MAX = { context: 120_000, context_with_system: 30_000, turn_end: 70_000 };
const MANY = { tool_result: 16, message_end: 16, context: 8, tool_call: 7, session_start: 4, session_shutdown: 4, input: 4 };
const OTHERS = new Set(["session_start", "session_before_compact", "context", "turn_end", "tool_result", "message_end", "before_agent_start", "agent_end"]);
fs.rmSync(hook, { recursive: true, force: true });
fs.mkdirSync(hook, { recursive: true });
const keys = (f) => Object.keys(JSON.parse(fs.readFileSync(f, "utf8"))).sort().join();
const count = {}, seen = new Set(), table = [];
for (const [k, dir] of sources.entries()) {
  const byEvent = new Map(), version = path.basename(dir);
  for (const r of fs.readFileSync(path.join(dir, "index.jsonl"), "utf8").trim().split("\n").map((l) => JSON.parse(l))) {
    if (r.bytes > (k && r.event !== "agent_before_settle" ? 60_000 : MAX[r.event] ?? 150_000)) continue;
    const list = byEvent.get(r.event) ?? byEvent.set(r.event, []).get(r.event);
    if (!list.some((x) => x.shape === r.shape)) list.push(r);
  }
  for (const [event, list] of byEvent) {
    let chosen = list; // evenly over the recording
    const limit = k === 0 ? (MANY[event] ?? 3) : OTHERS.has(event) ? 3 : 1;
    if (list.length > limit) chosen = Array.from({ length: limit }, (_, i) => list[Math.round((i * (list.length - 1)) / Math.max(1, limit - 1))]);
    for (const r of chosen) {
      const form = `${event}|${keys(path.join(dir, r.file))}`;
      if (k > 0 && !OTHERS.has(event) && seen.has(form)) continue;
      seen.add(form);
      const n = (count[event] = (count[event] ?? 0) + 1);
      fs.copyFileSync(path.join(dir, r.file), path.join(hook, `${event}-${n}.json`));
      table.push([`${event}-${n}.json`, version, r.bytes, r.shape]);
    }
  }
}
const order = (f) => f.replace(/\d+/, (n) => n.padStart(3, "0"));
table.sort((a, b) => (order(a[0]) < order(b[0]) ? -1 : 1));
fs.writeFileSync(path.join(hook, "README.md"), `# Events as pi hands them to an extension\n\nOne line of \`JSON.stringify(event)\` per file, chosen by \`../record/pick.mjs\`.\n\n| File | pi | Bytes | Shape |\n|---|---|---|---|\n${table.map(([f, v, b, s]) => `| ${f} | ${v} | ${b} | ${String(s).replace(/\|/g, " / ") || "-"} |`).join("\n")}\n`);
console.log(`${table.length} events, ${table.reduce((s, r) => s + r[2], 0)} bytes`);
