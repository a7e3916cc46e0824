// Tests of the ways to the program: what goes wrong between the two, and how a session begins and ends.
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { byLine } from "./process.ts";
import { Agent, message, PATIENT, Program, until } from "./testkit.mjs";

const END = { wants: ["agent_end"] };
const end = (agent) => agent.emit({ type: "agent_end" });

function oneShot(t) {
  process.env.PICTX_TRANSPORT = "oneshot";
  t.after(() => delete process.env.PICTX_TRANSPORT);
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("lines are cut and decoded however they are chunked", () => {
  const text = `{"a":"Grüße 🐢"}\n\n${"x".repeat(100_000)}\nrest`;
  for (const size of [1, 2, 3, 7, 65_536]) {
    const lines = [];
    const read = byLine((line) => lines.push(line));
    const bytes = Buffer.from(text);
    for (let i = 0; i < bytes.length; i += size) read(bytes.subarray(i, i + size));
    assert.deepEqual(lines, text.split("\n").slice(0, 3));
  }
});

for (const transport of ["serve", "oneshot"]) {
  test(`a request and a reply may be of any size, ${transport}`, async (t) => {
    if (transport === "oneshot") oneShot(t);
    new Program(t, { hello: { wants: ["tool_result"] }, answer: (r) => ({ result: { content: r.payload.content } }) });
    const agent = new Agent(t);
    await agent.start();
    const content = [{ type: "text", text: "ü".repeat(3_000_000) }];
    assert.deepEqual(await agent.emit({ type: "tool_result", toolName: "t", toolCallId: "c", input: {}, content }), { content });
  });

  test(`an abort resolves the event at once and is no failure, ${transport}`, async (t) => {
    if (transport === "oneshot") oneShot(t);
    const program = new Program(t, { hello: { wants: ["context", "agent_end"] }, answer: (r) => (r.event === "context" ? new Promise((go) => setTimeout(go, 1_000_000)) : {}) });
    const agent = new Agent(t);
    await agent.start();
    const stop = new AbortController();
    agent.state.signal = stop.signal;
    const waiting = agent.emit({ type: "context", messages: [] });
    await until(() => program.requests("context").length, "the request");
    stop.abort();
    assert.equal(await waiting, undefined);
    // The end of a run is told although the run was given up.
    await end(agent);
    assert.equal(program.requests("agent_end")[0].missed, undefined);
    assert.deepEqual(agent.calls, []);
    const id = program.requests("context")[0].id;
    if (transport === "serve") assert.deepEqual(program.log().filter((line) => line.cancel), [{ v: 1, cancel: id }]);
  });

  test(`garbage is no reply, ${transport}`, async (t) => {
    if (transport === "oneshot") oneShot(t);
    const program = new Program(t, { hello: END, answer: (r) => (r.missed ? {} : "panic: garbage") });
    const agent = new Agent(t, {}, { limits: { ...PATIENT, request: 1000 } });
    await agent.start();
    assert.equal(await end(agent), undefined);
    await until(async () => (await end(agent), program.requests().some((r) => r.missed?.some((miss) => miss.why === "pictx printed something that is not a reply"))), "garbage in missed");
    assert.equal(agent.called("ui.notify").length, 1);
  });

  if (transport === "serve") test("a program that floods its output is left alone after three tries", async (t) => {
    const program = new Program(t, { hello: END, answer: (r, io) => void setInterval(() => io.write('{"id":"x","result":{}}\n'.repeat(500)), 1) });
    const agent = new Agent(t);
    await agent.start();
    for (let i = 0; i < 6; i++) assert.equal(await end(agent), undefined);
    assert.equal(program.requests().length, 3);
  });

  test(`a version more than one away is not spoken with, ${transport}`, async (t) => {
    if (transport === "oneshot") oneShot(t);
    for (const [v, spoken] of [[0, true], [2, true], [3, false], [undefined, false]]) {
      const program = new Program(t, { hello: { ...END, v } });
      const agent = new Agent(t);
      await agent.start();
      await end(agent);
      assert.equal(program.requests().length, spoken ? 1 : 0);
      assert.equal(agent.called("ui.notify").length, spoken ? 0 : 1);
      await agent.emit({ type: "session_shutdown" });
    }
  });

  test(`a program that dies every time is left alone after three deaths, and tried again later, ${transport}`, async (t) => {
    if (transport === "oneshot") oneShot(t);
    const program = new Program(t, { hello: END, answer: (r, io) => void io.exit(3) });
    const agent = new Agent(t);
    await agent.start();
    const clock = Date.now();
    for (let i = 0; i < 6; i++) await end(agent);
    assert.equal(program.requests().length, 3);
    assert.equal(agent.called("ui.notify").length, 1);
    t.mock.method(Date, "now", () => clock + 3_600_000);
    program.behave({ hello: END, answer: () => ({}) });
    for (let i = 0; i < 6; i++) await end(agent);
    assert.equal(program.requests().length, 9);
    const missed = program.requests()[3].missed;
    assert.equal(missed.length, 6);
    assert.match(missed[0].why, /code 3/);
    assert.match(missed[5].why, /3 times/);
    assert.equal(program.requests()[4].missed, undefined);
  });
}

test("deaths with replies between them do not count", async (t) => {
  const program = new Program(t, { hello: END, answer: (r, io) => (io.fs.readFileSync(io.dir + "/log.jsonl", "utf8").match(/"event"/g).length % 2 ? void io.exit(3) : {}) });
  const agent = new Agent(t);
  await agent.start();
  for (let i = 0; i < 8; i++) await end(agent);
  assert.equal(program.requests().length, 8);
});

test("a child that is silent after a request was given up is killed, and the next event starts another", async (t) => {
  const program = new Program(t, { hello: END, answer: (r, io) => (io.count === 1 ? new Promise(() => {}) : {}) });
  const agent = new Agent(t, {}, { limits: { ...PATIENT, request: 50, silence: 50 } });
  await agent.start();
  assert.equal(await end(agent), undefined);
  const [{ pid }] = program.starts();
  await until(() => !alive(pid), "the end of the child");
  await until(async () => (await end(agent), program.starts().length > 1), "another child");
});

test("a child that still speaks is not killed for one late reply", async (t) => {
  const program = new Program(t, {
    hello: { wants: ["agent_end", "session_tree"], timeouts: { agent_end: 50, session_tree: 120_000 } },
    answer: (r, io) => {
      if (r.event === "session_tree") return {};
      setInterval(() => io.write('{"effects":[]}\n'), 5);
    },
  });
  const agent = new Agent(t, {}, { limits: { ...PATIENT, silence: 500 } });
  await agent.start();
  await end(agent);
  await new Promise((go) => setTimeout(go, 1200));
  await agent.emit({ type: "session_tree" });
  assert.equal(program.starts().length, 1);
});

test("a reply that comes after its request was given up changes nothing", async (t) => {
  const program = new Program(t, {
    hello: { wants: ["agent_end", "session_tree"], timeouts: { agent_end: 50 } },
    answer: (r, io) => {
      if (r.event === "session_tree") io.write(JSON.stringify({ id: "1", effects: [{ type: "notify", text: "late" }] }) + "\n");
      return r.event === "session_tree" ? {} : undefined;
    },
  });
  const agent = new Agent(t);
  await agent.start();
  await end(agent);
  await agent.emit({ type: "session_tree" });
  assert.equal(program.requests().length, 2);
  assert.ok(!agent.called("ui.notify").some((call) => call[1] === "late"));
});

test("one notice per session, on standard error where there is no screen", async (t) => {
  new Program(t, { hello: END, answer: () => ({ error: "the disk is full" }) });
  const lines = [];
  const write = t.mock.method(process.stderr, "write", (line) => lines.push(line));
  const agent = new Agent(t, { hasUI: false, mode: "print" });
  await agent.start();
  for (let i = 0; i < 3; i++) await end(agent);
  write.mock.restore();
  assert.equal(lines.length, 1);
  assert.match(lines[0], /^pictx: the disk is full\. pi goes on, nothing is lost, and pictx tries again\.\n$/);
  assert.deepEqual(agent.calls, []);
});

test("a background event is not waited for, and its effects are done when they come", async (t) => {
  const program = new Program(t, {
    hello: { wants: ["session_start"], background: ["session_start"] },
    answer: (r, io) => new Promise((go) => setInterval(() => io.fs.existsSync(io.dir + "/go") && go({ result: { entries: [{ type: "custom", customType: "n" }] }, effects: [{ type: "notify", text: "done" }] }), 5)),
  });
  const agent = new Agent(t);
  await agent.start();
  assert.deepEqual(agent.calls, []);
  writeFileSync(join(program.dir, "go"), "");
  await until(() => agent.calls.length === 2, "the effects");
  assert.deepEqual(agent.calls, [["pi.appendEntry", "n", undefined], ["ui.notify", "done", "info"]]);
});

test("effects may come by themselves, and one that pi refuses does not take the others with it", async (t) => {
  new Program(t, { hello: END, answer: (r, io) => (io.write(JSON.stringify({ effects: [{ type: "status", key: "k", text: "10 %" }] }) + "\n"), { effects: [{ type: "label", entryId: "e", label: null }, { type: "unknown" }, { type: "status", key: "k", text: null }] }) });
  const agent = new Agent(t);
  agent.pi.setLabel = () => assert.fail("no such entry");
  await agent.start();
  await end(agent);
  assert.deepEqual(agent.calls, [["ui.setStatus", "k", "10 %"], ["ui.setStatus", "k", undefined]]);
});

test("a hello that is late does not delay the session, and is taken in when it comes", async (t) => {
  const program = new Program(t, {
    hello: (io) => {
      setTimeout(() => io.write(JSON.stringify({ hello: { v: 1, version: "t", wants: ["session_start", "agent_end"], tools: [{ name: "n", label: "n", description: "d", parameters: { type: "object" } }] } }) + "\n"), 1000);
    },
    answer: () => ({}),
  });
  const agent = new Agent(t, {}, { limits: { ...PATIENT, hello: 10 } });
  await agent.start();
  assert.equal(agent.tools.size, 0);
  await until(() => program.requests("session_start").length, "session_start");
  assert.equal(agent.tools.size, 1);
  await end(agent);
  assert.equal(program.requests("agent_end").length, 1);
});

test("at the end of a session the child gets session_shutdown and the end of its input", async (t) => {
  const program = new Program(t, { hello: { wants: ["session_shutdown"] } });
  const agent = new Agent(t);
  await agent.start();
  await agent.emit({ type: "session_shutdown", reason: "quit" });
  assert.deepEqual(program.log().slice(1).map((line) => line.event ?? line), ["session_shutdown", { eof: true }]);
  assert.ok(!alive(program.starts()[0].pid));
  assert.equal(await end(agent), undefined);
  assert.equal(program.starts().length, 1);
});

test("a child that does not go is killed", async (t) => {
  const program = new Program(t, { hello: (io) => (setInterval(() => {}, 1000), (process.exit = () => {}), { v: 1, version: "t", wants: ["session_shutdown"] }), answer: () => undefined });
  const agent = new Agent(t, {}, { limits: { ...PATIENT, shutdown: 50, goodbye: 50 } });
  await agent.start();
  await agent.emit({ type: "session_shutdown", reason: "quit" });
  await until(() => !alive(program.starts()[0].pid), "its end");
});

test("a session that pi announces twice is started once", async (t) => {
  const program = new Program(t, { hello: { wants: ["session_start"] } });
  const agent = new Agent(t);
  await agent.start();
  await agent.start();
  assert.equal(program.starts().length, 1);
  assert.equal(program.requests().length, 1);
});

test("of two copies of the extension the first has the session, until it ends", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "pictx-copy-"));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of readdirSync(import.meta.dirname)) if (name.endsWith(".ts")) copyFileSync(join(import.meta.dirname, name), join(dir, name));
  const { default: factory } = await import(pathToFileURL(join(dir, "index.ts")).href);
  const program = new Program(t, { hello: { ...END, tools: [{ name: "n", label: "n", description: "d", parameters: { type: "object" } }] } });
  const session = { id: "shared", file: "/home/dev/s.jsonl", leafId: null };
  const first = new Agent(t, { session });
  const second = new Agent(t, { session }, { factory });
  for (const agent of [first, second]) await agent.start();
  for (const agent of [first, second]) await end(agent);
  assert.equal(program.starts().length, 1);
  assert.equal(program.requests().length, 1);
  assert.deepEqual([first.tools.size, second.tools.size], [1, 0]);
  assert.deepEqual(second.calls, []);
  await first.emit({ type: "session_shutdown" });
  await second.start();
  await end(second);
  assert.equal(program.requests().length, 2);
  // A session that ended without a word holds nothing either.
  second.stale = true;
  const third = new Agent(t, { session });
  await third.start();
  assert.equal(program.starts().length, 3);
});

test("a ctx of a session that is over throws in nobody's face", async (t) => {
  const program = new Program(t, { hello: { wants: ["agent_end", "context", "before_agent_start", "session_shutdown"] }, answer: () => ({ effects: [{ type: "notify", text: "x" }] }) });
  const agent = new Agent(t);
  await agent.start();
  agent.stale = true;
  assert.equal(await end(agent), undefined);
  assert.equal(await agent.emit({ type: "context", messages: [message("user", 1, "a")] }), undefined);
  assert.equal(await agent.emit({ type: "before_agent_start", systemPrompt: "p" }), undefined);
  assert.equal(await agent.emit({ type: "session_shutdown" }), undefined);
  assert.ok(!alive(program.starts()[0].pid));
});

test("what the user said of the project is handed to the program", async (t) => {
  const flags = process.argv.length;
  t.after(() => process.argv.splice(flags));
  for (const [trusted, flag, args] of [
    [true, "--approve", ["--trust", "yes"]],
    [true, "-a", ["--trust", "yes"]],
    [true, undefined, []], // by default: nobody was asked
    [false, "--no-approve", ["--trust", "no"]],
    [false, undefined, ["--trust", "no"]],
    [undefined, undefined, []],
  ]) {
    process.argv.splice(flags, 1, ...(flag ? [flag] : []));
    const program = new Program(t, { hello: END });
    const agent = new Agent(t, { trusted, cwd: program.dir });
    await agent.start();
    await end(agent);
    assert.deepEqual(program.starts()[0], { start: ["hook", "--serve", ...args], cwd: program.dir, pid: program.starts()[0].pid });
    assert.equal(program.requests()[0].trusted, trusted);
    assert.equal(program.requests()[0].approved, args[1] === "yes" ? true : undefined);
    await agent.emit({ type: "session_shutdown" });
  }
});
