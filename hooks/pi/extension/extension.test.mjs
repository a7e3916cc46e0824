// The extension against an agent and a program that do as each test says. Run it with node 22.18 or newer:
//   node --test hooks/pi/extension/
import "./examples.mjs";
import "./transport.mjs";
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findBinary, forShell, INSTALL } from "./binary.ts";
import { apply, keys, remember } from "./context.ts";
import pictx from "./index.ts";
import { LIMITS, limitsFor } from "./limits.ts";
import { boxes } from "./multiselect.ts";
import { Agent, message, PATIENT, Program, until } from "./testkit.mjs";

delete process.env.PICTX_PI_PID;

const { enum: known } = JSON.parse(readFileSync(new URL("../../schema/v1/request.json", import.meta.url), "utf8")).properties.event;
const ALL = known.filter((event) => !["tool", "command", "complete"].includes(event));

// Finding the program

function folder(t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pictx-bin-")));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const program = (path) => {
    const file = join(dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o755);
    return file;
  };
  for (const sub of ["ext/pi", "project"]) mkdirSync(join(dir, sub), { recursive: true });
  const place = { here: join(dir, "ext/pi"), cwd: join(dir, "project"), env: {}, platform: "linux", arch: "x64" };
  return { dir, program, place };
}

test("PICTX_BIN names the program and nothing else is tried", (t) => {
  const { dir, program, place } = folder(t);
  const path = program("bin/pictx");
  assert.equal(findBinary({ ...place, env: { PICTX_BIN: program("mine/pictx"), PATH: join(dir, "bin") } }).path, join(dir, "mine/pictx"));
  for (const asked of ["bin/pictx", "./pictx", join(dir, "none"), dir]) {
    const found = findBinary({ ...place, env: { PICTX_BIN: asked, PATH: dirname(path) } });
    assert.equal(found.path, undefined);
    assert.match(found.why, /PICTX_BIN/);
  }
});

test("the stamp of the installer comes before the platform package, and that before PATH", (t) => {
  const { dir, program, place } = folder(t);
  const env = { PATH: dirname(program("bin/pictx")) };
  assert.equal(findBinary({ ...place, env }).path, join(dir, "bin/pictx"));
  const packaged = program("node_modules/@coctostan/pictx-linux-x64/bin/pictx");
  assert.equal(findBinary({ ...place, env }).path, packaged);
  const beside = program("ext/pi/node_modules/@coctostan/pictx-linux-x64/bin/pictx");
  assert.equal(findBinary({ ...place, env }).path, beside);
  const stamp = (path) => writeFileSync(join(place.here, "binary.json"), JSON.stringify({ path }));
  stamp(program("stamped/pictx"));
  assert.equal(findBinary({ ...place, env }).path, join(dir, "stamped/pictx"));
  for (const bad of ["stamped/pictx", join(dir, "gone/pictx"), 5]) {
    stamp(bad);
    assert.equal(findBinary({ ...place, env }).path, beside);
  }
});

test("a program inside the project is never run", (t) => {
  const { dir, program, place } = folder(t);
  const inside = program("project/tools/pictx");
  mkdirSync(join(dir, "links"));
  symlinkSync(inside, join(dir, "links/pictx"));
  symlinkSync(join(dir, "project/tools"), join(dir, "linked"));
  const PATH = [join(dir, "project/tools"), join(dir, "links"), join(dir, "linked"), "project/tools", ".", ""].join(":");
  assert.match(findBinary({ ...place, env: { PATH } }).why, /not installed/);
  const outside = program("bin/pictx");
  assert.equal(findBinary({ ...place, env: { PATH: `${PATH}:${join(dir, "bin")}` } }).path, outside);
  assert.equal(findBinary({ ...place, cwd: join(dir, "bi"), env: { PATH: join(dir, "bin") } }).path, outside);
});

test("a program in the repository is not run from a folder of it", (t) => {
  const { dir, program, place } = folder(t);
  const inside = program("project/bin/pictx");
  mkdirSync(join(dir, "project/.git"));
  mkdirSync(join(dir, "project/src/deep"), { recursive: true });
  const cwd = join(dir, "project/src/deep");
  assert.match(findBinary({ ...place, cwd, env: { PATH: dirname(inside) } }).why, /not installed/);
  const outside = program("bin/pictx");
  assert.equal(findBinary({ ...place, cwd, env: { PATH: `${dirname(inside)}:${join(dir, "bin")}` } }).path, outside);
});

test("commands of the agent know where it works, and its session only while it has a file", () => {
  const env = {};
  forShell("/opt/pictx", { file: "/s/one.jsonl", cwd: "/w/shop" }, env);
  assert.equal(env.PICTX_SESSION_FILE, "/s/one.jsonl");
  assert.equal(env.PICTX_SESSION_CWD, "/w/shop");
  forShell("/opt/pictx", { cwd: "/w/bakery" }, env);
  assert.equal("PICTX_SESSION_FILE" in env, false);
  assert.equal(env.PICTX_SESSION_CWD, "/w/bakery");
});

test("on Windows the program is pictx.exe", (t) => {
  const { dir, program, place } = folder(t);
  const PATH = dirname(program("bin/pictx"));
  assert.equal(findBinary({ ...place, platform: "win32", env: { PATH } }).path, undefined);
  program("bin/pictx.exe");
  assert.equal(findBinary({ ...place, platform: "win32", env: { PATH } }).path, join(dir, "bin/pictx.exe"));
});

// The factory

test("PICTX_HOOK_MS gives the greeting more time, never less", () => {
  assert.equal(limitsFor({ PICTX_HOOK_MS: "60000" }).hello, 60_000);
  for (const ms of [undefined, "", "50", "soon"]) assert.deepEqual(limitsFor({ PICTX_HOOK_MS: ms }), LIMITS);
});

test("the factory registers its events and nothing that could slow or block the agent", () => {
  const agent = new Agent();
  assert.deepEqual([...agent.handlers.keys()].toSorted(), [...ALL, "message_end"].toSorted());
  assert.deepEqual(agent.calls, []);
});

test("the end of a turn is listened for only where it had calls, so that the agent keeps the cache alive afterwards", async () => {
  const agent = new Agent();
  const said = (...content) => agent.emit({ type: "message_end", message: { role: "assistant", content } });
  await said({ type: "text", text: "done" });
  assert.equal(agent.handlers.has("turn_end"), false);
  await said({ type: "toolCall", id: "c", name: "read", arguments: {} });
  assert.equal(agent.handlers.has("turn_end"), true);
  await said({ type: "toolCall", id: "d", name: "read", arguments: {} });
  await agent.emit({ type: "message_end", message: { role: "user", content: "no" } });
  assert.equal(agent.handlers.has("turn_end"), true);
});

test("PICTX_DISABLE registers nothing, and 0 is no reason to", (t) => {
  t.after(() => delete process.env.PICTX_DISABLE);
  process.env.PICTX_DISABLE = "1";
  assert.equal(new Agent().handlers.size, 0);
  process.env.PICTX_DISABLE = "0";
  assert.equal(new Agent().handlers.size, ALL.length + 1);
});

test("a factory whose agent refuses everything does not throw", () => {
  assert.doesNotThrow(() => pictx({ on: () => assert.fail("refused") }));
});

test("a missing program is told once, with the line that installs it, and everything goes on", async (t) => {
  const saved = { ...process.env };
  t.after(() => Object.assign(process.env, saved));
  delete process.env.PICTX_BIN;
  process.env.PATH = "";
  const agent = new Agent(t);
  await agent.start();
  await agent.start();
  for (const type of ALL.slice(1, 10)) assert.equal(await agent.emit({ type, messages: [], content: [] }), undefined);
  assert.deepEqual(agent.called("ui.notify"), [["ui.notify", `pi runs without pictx, which is not installed. To install it, in a shell: ${INSTALL}`, "warning"]]);
});

// Messages of a model call

const MESSAGES = [
  message("user", 1, [{ type: "text", text: "a" }]),
  message("assistant", 2, [{ type: "text", text: "b" }]),
  message("toolResult", 3, [{ type: "text", text: "long" }], { toolCallId: "c1", details: { n: 1 } }),
  message("bashExecution", 4, undefined, { command: "ls" }),
  message("toolResult", 3, [{ type: "text", text: "long too" }], { toolCallId: "c2" }),
];

const changed = (result, messages = MESSAGES, ctx = {}) => apply(remember(result, messages, ctx), messages);

test("keys hold no content", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(keys(MESSAGES)))[2], { i: 2, role: "toolResult", timestamp: 3, toolCallId: "c1" });
  assert.ok(!JSON.stringify(keys(MESSAGES)).includes("long"));
});

test("an edit changes the content of a copy, and every other message stays the same object", () => {
  const out = changed({ edits: [{ index: 2, content: "short" }] });
  assert.deepEqual(out[2], { ...MESSAGES[2], content: [{ type: "text", text: "short" }] });
  assert.equal(MESSAGES[2].content[0].text, "long");
  for (const i of [0, 1, 3, 4]) assert.equal(out[i], MESSAGES[i]);
});

test("what changes nothing returns nothing, so that the prompt cache stays", () => {
  const none = [undefined, {}, { edits: [] }, { edits: [{ index: 2, content: "long" }] }, { edits: [{ index: 99, content: "x" }] }, { edits: [{ entryId: "none", content: "x" }] }];
  for (const result of none) assert.equal(changed(result), undefined);
});

test("no reply makes a message that the agent dies of", () => {
  for (const content of [null, 5, { type: "text" }, [5], [null], [{}]]) assert.equal(changed({ edits: [{ index: 2, content }] }), undefined);
  assert.equal(changed({ edits: [{ index: 3, content: "x" }] }), undefined, "a role without content");
  for (const m of [null, { role: "system", content: "x" }, { role: "toolResult", content: null }]) assert.equal(changed({ insert: [{ before: 0, message: m }] }), undefined);
  assert.deepEqual(changed({ insert: [{ before: 1, message: { role: "assistant", content: "x" } }] })[1].content, [{ type: "text", text: "x" }]);
});

test("entries are found by the projection, and by role and timestamp where there is none or where it does not fit", () => {
  const branch = MESSAGES.map((m, i) => ({ type: "message", id: `e${i}`, message: m }));
  const system = { sourceEntry: { id: "sys" }, messages: [message("system", 0, "s")] };
  const projection = { entries: [system, ...branch.map((e) => ({ sourceEntry: e, messages: [e.message] }))] };
  const edits = { edits: [{ entryId: "e4", content: "x" }] };
  for (const entries of [projection.entries, projection.entries.slice(2), undefined]) {
    const sessionManager = { getBranch: () => branch, ...(entries ? { buildSessionProjection: () => ({ entries }) } : {}) };
    assert.equal(changed(edits, MESSAGES, { sessionManager })[4].content[0].text, "x");
  }
});

test("edits and inserts are applied again by role, timestamp and toolCallId", () => {
  const last = remember({ edits: [{ index: 2, content: "short" }], insert: [{ before: 4, message: { role: "custom", customType: "n", content: "here" } }, { before: "end", message: { role: "custom", customType: "n", content: "last" } }] }, MESSAGES, {});
  const later = [message("compactionSummary", 9, undefined), ...structuredClone(MESSAGES.slice(1)), message("user", 10, "more")];
  const out = apply(last, later);
  assert.deepEqual(out.map((m) => m.content?.[0]?.text ?? m.content), [undefined, "b", "short", undefined, "here", "long too", "more", "last"]);
});

test("of two messages of one millisecond only the one that was meant is edited", () => {
  const twins = [message("custom", 5, "a"), message("custom", 5, "b"), message("custom", 5, "c")];
  const last = remember({ edits: [{ index: 1, content: "B" }] }, twins, {});
  assert.deepEqual(apply(last, structuredClone(twins)).map((m) => m.content), ["a", "B", "c"]);
});

// Events

test("when a reply fails to come the last edits are applied again, and a reply without edits ends them", async (t) => {
  const answer = (r) => [{ result: { edits: [{ index: 0, content: "short" }] } }, { error: "the disk is full" }, {}][Number(r.id) - 1];
  const program = new Program(t, { hello: { wants: ["context"] }, answer });
  const agent = new Agent(t);
  await agent.start();
  const event = () => ({ type: "context", messages: [message("user", 1, "long")] });
  for (let i = 0; i < 2; i++) assert.equal((await agent.emit(event())).messages[0].content, "short");
  assert.equal(await agent.emit(event()), undefined);
  assert.deepEqual(program.requests().map((r) => r.missed?.map((miss) => miss.why)), [undefined, undefined, ["the disk is full"]]);
});

test("context is not asked after skip, and after idleMs without a model call it is", async (t) => {
  const program = new Program(t, { hello: { wants: ["context"] }, answer: (r, io) => ({ result: { edits: [{ index: 0, content: "short" }] }, next: { context: "skip", idleMs: io.count * 3_600_000 } }) });
  const agent = new Agent(t);
  await agent.start();
  const event = { type: "context", messages: [message("user", 1, "long")] };
  for (let i = 0; i < 3; i++) assert.equal((await agent.emit(event)).messages[0].content, "short");
  assert.equal(program.requests("context").length, 1);
  t.mock.method(Date, "now", () => 8_000_000_000_000);
  assert.equal((await agent.emit(event)).messages[0].content, "short");
  assert.equal(program.requests("context").length, 2);
});

test("hello can say that context need not be asked, and any reply that it must", async (t) => {
  const program = new Program(t, { hello: { wants: ["context", "turn_end"], context: "skip" }, answer: () => ({ next: { context: "ask" } }) });
  const agent = new Agent(t);
  await agent.start();
  await agent.emit({ type: "context", messages: [] });
  assert.equal(program.requests("context").length, 0);
  await agent.emit({ type: "turn_end", entries: [] });
  await agent.emit({ type: "context", messages: [] });
  assert.equal(program.requests("context").length, 1);
});

test("an event that is not wanted is not sent", async (t) => {
  const program = new Program(t, { hello: { wants: ["agent_end"] } });
  const agent = new Agent(t);
  await agent.start();
  for (const type of ALL) if (type !== "session_shutdown") await agent.emit({ type, messages: [], content: [], entries: [] });
  assert.deepEqual(program.requests().map((r) => r.event), ["agent_end"]);
});

test("results of nested calls are left alone", async (t) => {
  const program = new Program(t, { hello: { wants: ["tool_result"] }, answer: () => ({ result: { content: "x" } }) });
  const agent = new Agent(t);
  await agent.start();
  const event = { type: "tool_result", toolName: "read", toolCallId: "p/1", input: {}, content: [] };
  assert.equal(await agent.emit({ ...event, parentToolCallId: "p" }), undefined);
  assert.deepEqual(await agent.emit(event), { content: [{ type: "text", text: "x" }] });
  assert.equal(program.requests().length, 1);
});

test("a session without a file sends each entry until a reply came to a request that held it", async (t) => {
  const program = new Program(t, { hello: { wants: ["agent_end"] }, answer: (r, io) => (io.fs.existsSync(io.dir + "/fail") ? { error: "no" } : {}) });
  const agent = new Agent(t, { session: { id: "mem", leafId: null }, branch: [{ type: "message", id: "a" }] });
  await agent.start();
  const send = async () => (await agent.emit({ type: "agent_end" }), program.requests().at(-1).entries?.map((e) => e.id));
  writeFileSync(join(program.dir, "fail"), "");
  assert.deepEqual(await send(), ["a"]);
  agent.state.branch.push({ type: "message", id: "b" });
  rmSync(join(program.dir, "fail"));
  assert.deepEqual(await send(), ["a", "b"]);
  agent.state.branch.push({ type: "message", id: "c" });
  assert.deepEqual(await send(), ["c"]);
  assert.equal(await send(), undefined);
});

test("the system prompt is sent once, and again when it is another", async (t) => {
  const program = new Program(t, { hello: { wants: ["before_agent_start"] } });
  const agent = new Agent(t);
  await agent.start();
  for (const systemPrompt of ["one", "one", "two"]) await agent.emit({ type: "before_agent_start", prompt: "p", systemPrompt });
  assert.deepEqual(program.requests().map((r) => r.payload.systemPrompt), ["one", undefined, "two"]);
});

test("an edit of an entry that is not on the branch does not cost the other drafts", async (t) => {
  const entries = ["here", "gone", "model"].map((targetId) => ({ type: "context_edit", targetId, replacement: null }));
  new Program(t, { hello: { wants: ["turn_end"] }, answer: `() => ({ result: { entries: ${JSON.stringify(entries)} } })` });
  const agent = new Agent(t, { branch: [{ type: "message", id: "here", message: message("user", 1, "x") }, { type: "model_change", id: "model" }] });
  await agent.start();
  assert.deepEqual(await agent.emit({ type: "turn_end", entries: [] }), { entries: [entries[0]] });
});

test("where turn_end takes no drafts, what can be appended is appended", async (t) => {
  new Program(t, { hello: { wants: ["turn_end"] }, answer: () => ({ result: { entries: [{ type: "custom", customType: "n", data: 1 }, { type: "context_edit", targetId: "a", replacement: null }] } }) });
  const agent = new Agent(t, { can: [] });
  await agent.start();
  assert.equal(await agent.emit({ type: "turn_end", turnIndex: 0 }), undefined);
  assert.deepEqual(agent.calls, [["pi.appendEntry", "n", 1]]);
});

test("a compaction that would keep nothing is not handed on", async (t) => {
  new Program(t, { hello: { wants: ["session_before_compact"] }, answer: (r) => ({ result: r.payload.reason === "overflow" ? { cancel: true } : { compaction: { summary: r.payload.reason, firstKeptEntryId: "zz" } } }) });
  const agent = new Agent(t);
  await agent.start();
  const event = { type: "session_before_compact", preparation: { firstKeptEntryId: "a", tokensBefore: 5 }, branchEntries: [{ id: "a" }] };
  assert.equal(await agent.emit({ ...event, reason: "manual" }), undefined);
  assert.equal(await agent.emit({ ...event, reason: "" }), undefined);
  assert.deepEqual(await agent.emit({ ...event, reason: "manual", branchEntries: [{ id: "zz" }] }), { compaction: { summary: "manual", firstKeptEntryId: "zz", tokensBefore: 5 } });
  assert.deepEqual(await agent.emit({ ...event, reason: "overflow" }), { cancel: true });
});

// What is declared

const TOOL = { name: "notes", label: "notes", description: "d", parameters: { type: "object" } };

test("a tool whose name is taken is left out, and the person is told whose it is", async (t) => {
  const program = new Program(t, { hello: { wants: ["agent_end"], tools: [TOOL, { ...TOOL, name: "other" }] } });
  const agent = new Agent(t, {}, { tools: [{ name: "notes", sourceInfo: { path: "/ext/notes.ts" } }] });
  await agent.start();
  assert.deepEqual([...agent.tools.keys()], ["other"]);
  assert.match(agent.called("ui.notify")[0][1], /notes: .*\/ext\/notes\.ts/);
  await agent.emit({ type: "agent_end" });
  assert.match(program.requests()[0].missed[0].why, /\/ext\/notes\.ts/);
});

test("what hello does not call active is declared once a reply names it", async (t) => {
  const hello = { wants: ["before_agent_start"], active: [], tools: [TOOL, { ...TOOL, name: "other" }] };
  const program = new Program(t, { hello, answer: (r) => ({ active: { 1: [], 2: ["notes"], 3: ["notes"] }[r.payload.prompt] }) });
  const agent = new Agent(t);
  await agent.start();
  const seen = [];
  for (const prompt of ["1", "2", "3"]) {
    await agent.emit({ type: "before_agent_start", prompt, systemPrompt: "p" });
    seen.push([...agent.tools.keys()]);
  }
  assert.deepEqual(seen, [[], ["notes"], ["notes"]]);
  assert.deepEqual(program.requests().map((r) => r.payload.first), [true, undefined, undefined]);
});

test("pi waits for a second before its first prompt, and not longer than hello says before others", async (t) => {
  const hello = { wants: ["before_agent_start", "agent_end"], timeouts: { before_agent_start: 20, agent_end: 60_000 } };
  const program = new Program(t, { hello, answer: (r) => (r.event === "agent_end" ? {} : new Promise(() => {})) });
  const agent = new Agent(t);
  await agent.start();
  for (const prompt of ["1", "2"]) await agent.emit({ type: "before_agent_start", prompt, systemPrompt: "p" });
  await agent.emit({ type: "agent_end" });
  const missed = (await until(() => program.requests("agent_end")[0], "the end of the run")).missed;
  assert.deepEqual(missed.map((m) => m.why), ["pictx did not reply within 1000 ms", "pictx did not reply within 20 ms"]);
});

test("an error of a tool is its error result, and so is silence", async (t) => {
  new Program(t, { hello: { wants: [], tools: [TOOL] }, answer: (r) => (r.payload.params.q === "a" ? { result: { error: "no such note" } } : { error: "the disk is full" }) });
  const agent = new Agent(t);
  await agent.start();
  const run = (q) => agent.tools.get("notes").execute("c1", { q }, undefined, undefined, agent.ctx);
  await assert.rejects(run("a"), /^Error: no such note$/);
  await assert.rejects(run("b"), /^Error: the disk is full/);
  await agent.emit({ type: "session_shutdown" });
  await assert.rejects(run("a"), /not running/);
});

test("the text of a command goes where the reply says, and one that is only shown never reaches the model", async (t) => {
  new Program(t, { hello: { wants: [], commands: [{ name: "notes", description: "d" }] }, answer: (r) => ({ result: { text: "T\nU", show: r.payload.args } }) });
  const agent = new Agent(t);
  await agent.start();
  for (const args of ["notify", "widget", "editor", "message"]) await agent.commands.get("notes").handler(args, agent.ctx);
  const shown = { customType: "pictx.shown", content: "T\nU", display: true };
  assert.deepEqual(agent.calls, [["ui.notify", "T\nU", "info"], ["ui.setWidget", "pictx", ["T", "U"]], ["ui.setEditorText", "T\nU"], ["pi.sendMessage", shown, { triggerTurn: false }]]);
  const messages = [message("user", 1, "a"), { role: "custom", timestamp: 2, ...shown }];
  assert.deepEqual(await agent.emit({ type: "context", messages }), { messages: [messages[0]] });
  assert.equal(agent.commands.get("notes").getArgumentCompletions, undefined);
});

// Asks

async function answers(t, asks, ctx) {
  const program = new Program(t, { hello: { wants: ["agent_end"] }, answer: `(r) => (r.replies ? {} : { ask: ${JSON.stringify(asks)} })` });
  const agent = new Agent(t, ctx);
  await agent.start();
  await agent.emit({ type: "agent_end" });
  return { agent, replies: program.requests().at(-1).replies };
}

const OPTIONS = [{ value: "1", label: "same" }, { value: "2", label: "same" }, { value: "3", label: "other", selected: true }];

test("options with one label are told apart", async (t) => {
  const { replies } = await answers(t, [{ id: "a", kind: "select", title: "t", options: OPTIONS }], { answers: ["same (2)"] });
  assert.deepEqual(replies, [{ id: "a", value: "2" }]);
});

test("without a person, and when they turn away, an ask is cancelled", async (t) => {
  const asks = ["select", "multiselect", "input", "confirm"].map((kind) => ({ id: kind, kind, title: "t", options: OPTIONS }));
  const { agent, replies } = await answers(t, asks, { hasUI: false, mode: "print", answers: ["same", "same", "x", true] });
  assert.deepEqual(replies, asks.map(({ id }) => ({ id, cancelled: true })));
  assert.deepEqual(agent.calls, []);
  const away = await answers(t, [...asks.slice(0, 3), { id: "z", kind: "juggle" }], { mode: "rpc", answers: [] });
  assert.deepEqual(away.replies, [...asks.slice(0, 3).map(({ id }) => ({ id, cancelled: true })), { id: "z", error: "unknown kind: juggle" }]);
});

test("people are asked one question after the other", async (t) => {
  let open = 0;
  const one = (value) => async () => {
    assert.equal(++open, 1);
    await new Promise((go) => setTimeout(go, 5));
    open--;
    return value;
  };
  const asks = [{ id: "1", kind: "confirm", title: "t" }, { id: "2", kind: "input", title: "t", multiline: true, initial: "i" }, { id: "3", kind: "input", title: "t" }];
  const { agent, replies } = await answers(t, asks, { answers: [one(false), one("text"), one("")] });
  assert.deepEqual(replies, [{ id: "1", value: false }, { id: "2", value: "text" }, { id: "3", value: "" }]);
  assert.deepEqual(agent.called("ui.editor"), [["ui.editor", "t", "i"]]);
});

test("a question that is open is not asked again, its answer is everybody's", async (t) => {
  const slow = async () => (await new Promise((go) => setTimeout(go, 20)), true);
  const asks = [{ id: "1", kind: "confirm", title: "t" }, { id: "2", kind: "confirm", title: "t" }, { id: "3", kind: "confirm", title: "other" }];
  const { agent, replies } = await answers(t, asks, { answers: [slow, async () => false] });
  assert.deepEqual(replies, [{ id: "1", value: true }, { id: "2", value: true }, { id: "3", value: false }]);
  assert.equal(agent.called("ui.confirm").length, 2);
});

test("the list with boxes toggles, accepts and turns away", () => {
  const tui = { matchesKey: (data, key) => data === key, truncateToWidth: (text, width) => text.slice(0, width) };
  const chosen = new Set([2]);
  const done = [];
  const list = boxes({ title: "Which?", options: OPTIONS }, chosen, tui, undefined, undefined, (answer) => done.push(answer));
  for (const key of ["space", "down", "space", "up", "up", "space", "enter", "escape"]) list.handleInput(key);
  assert.deepEqual([...chosen].toSorted(), [0, 1]);
  assert.deepEqual(done, ["accepted", "cancelled"]);
  assert.deepEqual(list.render(20).slice(0, 4), ["Which?", "  [x] same", "  [x] same (2)", "> [ ] other"]);
  const long = boxes({ title: "t", options: Array.from({ length: 99 }, (_, i) => ({ label: `o${i}` })) }, new Set(), tui, undefined, undefined, () => {});
  for (let i = 0; i < 50; i++) long.handleInput("down");
  assert.ok(long.render(80).length < 20 && long.render(80).some((line) => line.startsWith("> [ ] o50")));
});

test("up to four models are called at a time, each list in order until one answers", async (t) => {
  let busy = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, ++busy);
    await new Promise((go) => setTimeout(go, 20));
    busy--;
    return { text: "yes", usage: { input: 1 }, stopReason: "stop" };
  };
  const models = { "a/down": { stopReason: "error", errorMessage: "overloaded", usage: { input: 5 } }, "a/mute": { text: " ", stopReason: "stop", usage: { input: 7 } }, "b/c/good": slow };
  const list = ["x/unknown", "a/down", "a/mute", "b/c/good"];
  const asks = [...Array.from({ length: 7 }, (_, i) => ({ id: `${i}`, kind: "complete", models: list, prompt: "p" })), { id: "bad", kind: "complete", models: ["a/down", "nope"], prompt: "p" }];
  const { replies } = await answers(t, asks, { hasUI: false, models });
  const value = { text: "yes", model: "b/c/good", usage: { input: 1 }, stopReason: "stop" };
  assert.deepEqual(replies, [
    ...asks.slice(0, 7).map(({ id }) => ({ id, value, spent: [{ input: 5 }, { input: 7 }] })),
    { id: "bad", error: "nope: not known to the agent", spent: [{ input: 5 }] },
  ]);
  assert.equal(most, 4);
});

test("an agent that starts below another one says so", async (t) => {
  const program = new Program(t, { hello: { wants: ["agent_end"] } });
  t.after(() => delete process.env.PICTX_PI_PID);
  process.env.PICTX_PI_PID = "1";
  const agent = new Agent(t, {}, { limits: PATIENT });
  await agent.start();
  await agent.emit({ type: "agent_end" });
  assert.equal(program.requests()[0].nested, true);
  assert.equal(process.env.PICTX_PI_PID, "1");
});
