// How much later a call of the model is made because of pictx, seen from where an agent waits: from the
// extension's handler being called until it has returned. Node 22 or later:
//
//	node bench/extension/latency.mjs bin/pictx [TURNS]
//
// The session has 1,000 messages of 1.5 KB when measuring begins, and its agent keeps (turn_end) or does
// not keep (context) edits itself, as pi since and before 0.87.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Agent } from "../../hooks/pi/extension/testkit.mjs";
import { LIMITS } from "../../hooks/pi/extension/limits.ts";

const MESSAGES = 1000;
const SIZE = 1500;
const MODEL_MS = 60; // what a call of the model takes; a real one takes longer
const bin = resolve(process.argv[2] ?? "bin/pictx");
const turns = Number(process.argv[3] ?? 40);

const pause = (ms) => new Promise((go) => setTimeout(go, ms));

/** A session file that grows as an agent's does, and the messages of its context. */
class Session {
  constructor(dir) {
    this.file = join(dir, "session.jsonl");
    this.messages = []; // of the context
    this.branch = []; // its entries
    this.leaf = null;
    this.count = 0;
    this.at = Date.parse("2026-03-02T09:00:00Z");
    writeFileSync(this.file, `${JSON.stringify({ type: "session", version: 3, id: "bench", timestamp: new Date(this.at).toISOString(), cwd: dir })}\n`);
  }

  append(entry) {
    const id = (++this.count).toString(16).padStart(8, "0");
    this.at += 2000;
    const line = { ...entry, id, parentId: this.leaf, timestamp: new Date(this.at).toISOString() };
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
    this.branch.push(line);
    this.leaf = id;
  }

  message(message) {
    const whole = { ...message, timestamp: this.at + 2000 };
    this.append({ type: "message", message: whole });
    this.messages.push(whole);
  }

  /** One question, one answer with a call, one result. */
  turn() {
    const n = this.count;
    const text = `${`line ${n} of what there is to read; `.repeat(SIZE / 24)}`.slice(0, SIZE);
    this.message({ role: "user", content: [{ type: "text", text }] });
    this.message({
      role: "assistant",
      content: [{ type: "text", text }, { type: "toolCall", id: `call_${n}`, name: "read", arguments: { path: `src/${n % 200}.ts` } }],
      api: "anthropic-messages", provider: "anthropic", model: "claude", stopReason: "toolUse",
      usage: { input: 10, output: 200, cacheRead: 9000, cacheWrite: 300, totalTokens: 9510, cost: { total: 0.01 } },
    });
    this.message({ role: "toolResult", toolCallId: `call_${n}`, toolName: "read", content: [{ type: "text", text }], isError: false });
  }
}

async function measure(keeps, transport) {
  const dir = mkdtempSync(join(tmpdir(), "pictx-bench-"));
  process.env.PI_CODING_AGENT_DIR = join(dir, "agent");
  process.env.PICTX_BIN = bin;
  if (transport === "oneshot") process.env.PICTX_TRANSPORT = "oneshot";
  else delete process.env.PICTX_TRANSPORT;
  const session = new Session(dir);
  while (session.count < MESSAGES) session.turn();
  const agent = new Agent(null, { cwd: dir, can: keeps ? ["contextEdit", "sections"] : [] }, { limits: { ...LIMITS, hello: 20_000, request: 20_000 } });
  Object.assign(agent.state, { branch: session.branch });
  Object.assign(agent.state.session, { id: "bench", file: session.file });
  Object.defineProperty(agent.state.session, "leafId", { get: () => session.leaf, enumerable: true });
  await agent.start();
  await pause(2000); // the store is filled
  const took = [];
  let edits = 0;
  for (let i = -3; i < turns; i++) {
    session.turn();
    await pause(MODEL_MS);
    const event = keeps
      ? { type: "turn_end", message: session.messages.at(-2), toolResults: [session.messages.at(-1)], entries: [] }
      : { type: "context", messages: session.messages };
    const begin = performance.now();
    const result = await agent.emit(event);
    if (i >= 0) took.push(performance.now() - begin);
    for (const entry of result?.entries ?? []) {
      session.append(entry);
      edits += entry.type === "context_edit" ? 1 : 0;
    }
    if (!keeps) {
      edits = result?.messages?.filter((m, at) => m !== session.messages[at]).length ?? 0;
      await agent.emit({ type: "turn_end", message: session.messages.at(-2), toolResults: [] });
    }
  }
  await agent.emit({ type: "session_shutdown", reason: "quit" });
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  took.sort((a, b) => a - b);
  const at = (part) => took[Math.min(took.length - 1, Math.floor(took.length * part))].toFixed(1).padStart(9);
  console.log(`${`${transport}, ${keeps ? "turn_end" : "context"}, ${edits} results pruned`.padEnd(46)} ${at(0.5)} ${at(0.95)} ${at(0)}`);
}

console.log(`milliseconds that an agent waits for the extension\n\n${"".padEnd(46)}    median      95 %     least`);
for (const transport of ["serve", "oneshot"]) {
  for (const keeps of [true, false]) await measure(keeps, transport);
}
