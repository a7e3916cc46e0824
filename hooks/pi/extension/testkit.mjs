// For the tests: an agent that records what is called of it, and a program that answers as a test says.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pictx from "./index.ts";
import { LIMITS } from "./limits.ts";

/** Nothing in a test may fail because the machine is slow. */
export const PATIENT = { ...LIMITS, hello: 120_000, request: 120_000, shutdown: 60_000, goodbye: 60_000, silence: 60_000 };

const PROGRAM = `#!${process.execPath}
const fs = require("node:fs");
const dir = process.env.PICTX_TEST_DIR;
const log = (o) => fs.appendFileSync(dir + "/log.jsonl", JSON.stringify(o) + "\\n");
const args = process.argv.slice(2);
log({ start: args, cwd: process.cwd(), pid: process.pid });
const { hello, answer } = (0, eval)(fs.readFileSync(dir + "/behave.js", "utf8"));
const io = { fs, dir, log, pid: process.pid, count: fs.readFileSync(dir + "/log.jsonl", "utf8").split("\\n").filter((l) => l.startsWith('{"start"')).length, write: (text) => process.stdout.write(text), exit: (code) => process.exit(code) };
const send = (r) => io.write((typeof r === "string" ? r : JSON.stringify(r)) + "\\n");
const one = async (line) => { const request = JSON.parse(line); log(request); const reply = request.cancel ? undefined : await answer(request, io); if (reply !== undefined) send(typeof reply === "string" ? reply : { id: request.id, ...reply }); };
const greet = () => { const line = typeof hello === "function" ? hello(io) : hello; if (line !== undefined) send(typeof line === "string" ? line : { hello: line }); };
if (args[1] === "hello") greet();
else if (args[1] === "--serve") {
  greet();
  require("node:readline").createInterface({ input: process.stdin }).on("line", one).on("close", () => { log({ eof: true }); process.exit(0); });
} else {
  let text = "";
  process.stdin.setEncoding("utf8").on("data", (d) => (text += d)).on("end", () => one(text));
}
`;

export class Program {
  /** `hello` is data or a function of io; `answer` a function of the request and io. Both run in the program. */
  constructor(t, { hello, answer = () => ({}) }) {
    this.dir = realpathSync(mkdtempSync(join(tmpdir(), "pictx-ext-")));
    this.bin = join(this.dir, process.platform === "win32" ? "pictx.exe" : "pictx");
    writeFileSync(this.bin, PROGRAM);
    chmodSync(this.bin, 0o755);
    this.behave({ hello, answer });
    process.env.PICTX_BIN = this.bin;
    process.env.PICTX_TEST_DIR = this.dir;
    t.after(() => rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 }));
  }

  behave({ hello, answer }) {
    const greeting = typeof hello === "function" ? String(hello) : JSON.stringify({ v: 1, version: "test", wants: [], ...hello });
    writeFileSync(join(this.dir, "behave.js"), `({ hello: ${greeting}, answer: ${answer} })`);
  }

  /** What the program has seen: its starts, its requests and the end of its input. */
  log() {
    const file = join(this.dir, "log.jsonl");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : [];
  }

  requests(event) {
    return this.log().filter((line) => line.event && (!event || line.event === event));
  }

  starts() {
    return this.log().filter((line) => line.start);
  }
}

/** Waits for what is bound to happen. */
export async function until(condition, what) {
  for (let i = 0; i < 6000; i++) {
    const value = await condition();
    if (value) return value;
    await new Promise((go) => setTimeout(go, 20));
  }
  assert.fail(`never happened: ${what}`);
}

const DEFAULTS = { cwd: process.cwd(), mode: "tui", hasUI: true, trusted: true, can: ["contextEdit", "complete"], session: { id: "s1", file: "/home/dev/s1.jsonl", leafId: null }, branch: [] };
let sessions = 0;

/** An agent with one copy of the extension. What happens on pi and ctx is in `calls`. */
export class Agent {
  constructor(t, ctx = {}, { limits = PATIENT, factory = pictx, tools = [] } = {}) {
    this.calls = [];
    this.handlers = new Map();
    this.tools = new Map();
    this.commands = new Map();
    this.builtin = tools;
    this.stale = false;
    const session = { ...DEFAULTS.session, id: `s${++sessions}` };
    this.state = { ...DEFAULTS, session, ...ctx };
    this.answers = [...(this.state.answers ?? [])];
    this.ctx = this.makeCtx();
    this.pi = this.makePi();
    factory(this.pi, limits);
    t?.after(() => this.emit({ type: "session_shutdown", reason: "quit" }));
  }

  note(name, ...args) {
    this.calls.push([name, ...args]);
  }

  makePi() {
    const note = (name) => (...args) => this.note(`pi.${name}`, ...args);
    return {
      on: (name, handler) => {
        this.handlers.set(name, handler);
        return () => this.handlers.delete(name);
      },
      registerTool: (tool) => this.tools.set(tool.name, tool),
      registerCommand: (name, command) => this.commands.set(name, command),
      getAllTools: () => [...this.builtin, ...[...this.tools.values()].map((tool) => ({ name: tool.name, sourceInfo: { path: "ours" } }))],
      sendMessage: note("sendMessage"),
      appendEntry: note("appendEntry"),
      setLabel: note("setLabel"),
    };
  }

  makeCtx() {
    const state = this.state;
    const agent = this;
    const manager = {
      getSessionId: () => state.session.id,
      getSessionFile: () => state.session.file,
      getLeafId: () => state.session.leafId,
      getBranch: () => state.branch,
    };
    if (state.can.includes("contextEdit")) manager.appendContextEdit = (...args) => void this.note("sessionManager.appendContextEdit", ...args);
    if (state.can.includes("contextEdit")) manager.buildSessionProjection = () => ({ entries: state.branch.map((e) => ({ sourceEntry: e, messages: e.message ? [e.message] : [] })) });
    const ask = (name) => async (...args) => {
      this.note(`ui.${name}`, ...args.filter((arg) => !arg || !Object.hasOwn(arg, "signal")));
      const answer = this.answers.shift();
      return (typeof answer === "function" ? await answer(...args) : answer) ?? undefined;
    };
    const tell = (name) => (...args) => this.note(`ui.${name}`, ...args);
    const ui = { select: ask("select"), confirm: ask("confirm"), input: ask("input"), editor: ask("editor"), custom: state.custom ?? (async () => undefined) };
    for (const name of ["notify", "setStatus", "setWidget", "setEditorText"]) ui[name] = tell(name);
    const values = {
      ui,
      cwd: state.cwd,
      hasUI: state.hasUI,
      sessionManager: manager,
      model: state.model,
      isProjectTrusted: state.trusted === undefined ? undefined : () => state.trusted,
      getContextUsage: () => state.usage,
      compact: (options) => this.note("ctx.compact", options),
      modelRegistry: state.can.includes("complete") ? this.registry() : undefined,
    };
    const ctx = {};
    for (const [name, value] of Object.entries(values)) {
      Object.defineProperty(ctx, name, { get: () => (agent.stale ? assert.fail("this ctx is stale") : value) });
    }
    for (const name of ["mode", "signal"]) Object.defineProperty(ctx, name, { get: () => (agent.stale ? assert.fail("this ctx is stale") : state[name]) });
    return ctx;
  }

  /** The models of the example answer, others are not known. */
  registry() {
    return {
      find: (provider, id) => (this.state.models?.[`${provider}/${id}`] ? { provider, id } : undefined),
      complete: async (model, context, options) => {
        const name = `${model.provider}/${model.id}`;
        this.note("modelRegistry.complete", name, context.systemPrompt, context.messages[0].content[0].text, options.maxTokens);
        const answer = this.state.models?.[name];
        const { text, usage, stopReason, errorMessage } = typeof answer === "function" ? await answer(context, options) : (answer ?? {});
        return { content: text === undefined ? [] : [{ type: "text", text }], usage, stopReason, errorMessage };
      },
    };
  }

  emit(event) {
    return this.handlers.get(event.type)?.(event, this.ctx);
  }

  start() {
    return this.emit({ type: "session_start", reason: "startup" });
  }

  called(name) {
    return this.calls.filter((call) => call[0] === name);
  }
}

export function message(role, timestamp, content, more = {}) {
  return { role, timestamp, content, ...more };
}

