#!/usr/bin/env node
// Computes the messages of every recorded model call from the session file alone and compares them with what pi's
// context event carried.   node check.mjs [SESSIONS]
import fs from "node:fs";
import path from "node:path";
import crypto from "node:crypto";
import { fileURLToPath } from "node:url";

const dir = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), "../sessions");
const rows = (...f) => fs.readFileSync(path.join(dir, ...f), "utf8").split("\n").filter(Boolean).map((l) => JSON.parse(l));

/** The messages on the path root → leaf, as the model gets them; system messages left out. */
export function contextOf(entries, leaf) {
  const byId = new Map(entries.map((e) => [e.id, e]));
  const branch = [];
  for (let e = byId.get(leaf); e; e = e.parentId ? byId.get(e.parentId) : undefined) branch.unshift(e);
  const edits = new Map();
  for (const e of branch) if (e.type === "context_edit") edits.set(e.targetId, e.replacement);
  const out = [];
  const put = (e) => {
    const timestamp = Date.parse(e.timestamp);
    let m;
    if (e.type === "message" && e.message.role !== "system") m = e.message;
    if (e.type === "custom_message") m = { role: "custom", customType: e.customType, content: e.content, display: e.display, details: e.details, timestamp };
    if (e.type === "branch_summary" && e.summary) m = { role: "branchSummary", summary: e.summary, fromId: e.fromId, timestamp };
    if (!m) return;
    if (edits.has(e.id)) { const r = edits.get(e.id); if (r === null) return; m = { ...m, content: r.content }; }
    out.push(m);
  };
  const at = branch.findLastIndex((e) => e.type === "compaction");
  if (at < 0) { branch.forEach(put); return out; }
  const c = branch[at];
  out.push({ role: "compactionSummary", summary: c.summary, tokensBefore: c.tokensBefore, timestamp: Date.parse(c.timestamp) });
  let kept = false;
  for (const e of branch.slice(0, at)) { kept ||= e.id === c.firstKeptEntryId; if (kept) put(e); }
  branch.slice(at + 1).forEach(put);
  return out;
}

let bad = 0;
for (const f of fs.readdirSync(path.join(dir, "../contexts")).sort()) {
  const entries = rows(f).slice(1);
  let differ = 0, pending = 0, hashes = 0;
  const calls = rows("../contexts", f);
  for (const call of calls) {
    const have = contextOf(entries, call.leaf).map((m) => crypto.createHash("sha256").update(JSON.stringify(m)).digest("hex"));
    const want = call.messages.map((m) => m.sha256);
    if (call.pending) { pending++; want.length -= call.pending; }
    hashes += want.length;
    const i = want.findIndex((h, k) => h !== have[k]);
    if (want.length !== have.length || i >= 0) { differ++; console.log(`${f} call ${call.call}: ${want.length} messages expected, ${have.length} computed, first difference at ${i}`); }
  }
  bad += differ;
  console.log(`${f}: ${calls.length} calls, ${hashes} messages, ${differ} differ, ${pending} with pending messages`);
}
process.exitCode = bad ? 1 : 0;
