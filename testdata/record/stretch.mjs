#!/usr/bin/env node
// Stretches the clock of a recording: everything after a gap moves by the length of the gaps before it. Timestamps are
// replaced in the text of the lines, every other byte stays as pi wrote it. Contexts are reduced to hashes on the way.
//   node stretch.mjs OUT SESSIONS [EVENTS]
// OUT: what record.mjs left. SESSIONS: receives <name>.jsonl, and ../contexts its contexts. EVENTS: receives the events.
import fs from "node:fs";
import path from "node:path";
import crypto from "node:crypto";

const [out, dest, events] = process.argv.slice(2);
if (!out || !dest) throw new Error("usage: node stretch.mjs OUT SESSIONS [EVENTS]");
const record = JSON.parse(fs.readFileSync(path.join(out, "record.json"), "utf8"));
const shift = (ms) => ms + record.gaps.reduce((s, g) => (ms >= g.at ? s + g.ms : s), 0);
// A key in JSON text follows { or , directly; inside a string the quotes would be escaped.
const stretch = (line) => line.replace(/(?<=[{,]"timestamp":)(?:"(\d{4}-\d\d-\d\dT[\d:.]+Z)"|(\d{13})(?=[,}]))/g, (_, iso, ms) => (iso ? `"${new Date(shift(Date.parse(iso))).toISOString()}"` : String(shift(Number(ms)))));
const lines = (f) => fs.readFileSync(f, "utf8").split("\n");

fs.mkdirSync(path.join(dest, "../contexts"), { recursive: true });
for (const [name, id] of Object.entries(record.sessions)) {
  fs.writeFileSync(path.join(dest, `${name}.jsonl`), lines(path.join(out, "sessions", `${name}.jsonl`)).map(stretch).join("\n"));
  const hashed = lines(path.join(out, "contexts", `${id}.jsonl`)).filter(Boolean).map((line) => {
    const { messages, ...head } = JSON.parse(stretch(line));
    return JSON.stringify({ ...head, messages: messages.map((m) => {
      const json = JSON.stringify(m);
      return { role: m.role, timestamp: m.timestamp, ...(m.toolCallId ? { toolCallId: m.toolCallId } : {}), sha256: crypto.createHash("sha256").update(json).digest("hex"), bytes: Buffer.byteLength(json) };
    }) });
  });
  fs.writeFileSync(path.join(dest, "../contexts", `${name}.jsonl`), hashed.join("\n") + "\n");
}
if (events) {
  fs.mkdirSync(events, { recursive: true });
  for (const f of fs.readdirSync(path.join(out, "events"))) fs.writeFileSync(path.join(events, f), stretch(fs.readFileSync(path.join(out, "events", f), "utf8")));
}
