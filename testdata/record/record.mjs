#!/usr/bin/env node
// Records sessions with a real pi: starts server.mjs and `pi --mode rpc`, plays a steps file, keeps everything in OUT.
//   node record.mjs STEPS.mjs OUT [--workspace DIR] [--home DIR]
// Steps (default export: {pi, model, sessions: {main, fork?}, steps}); one key tells the kind of a step:
//   {prompt, images?, turns, steer?: {text, afterMs}}   a user prompt; turns are what the model answers, one per call
//   {bash, exclude?}   a `!` command      {gap: minutes}   advances the server's clock      {command: "/x y", summary?}
//   {compact, summary} {thinking} {model} {name}  {fork: "start of the user message"}  {back: true}: from the fork to the main session
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const opt = (n, d) => { const i = args.indexOf("--" + n); return i >= 0 ? args[i + 1] : d; };
const [stepsFile, outArg] = args;
if (!stepsFile || !outArg) throw new Error("usage: node record.mjs STEPS.mjs OUT [--workspace DIR] [--home DIR]");
const plan = (await import(pathToFileURL(path.resolve(stepsFile)).href)).default;
const out = path.resolve(outArg), home = opt("home", "/home/dev"), ws = opt("workspace", "/home/dev/shop");
const CACHE = process.env.PICTX_PI_CACHE ?? path.join(process.env.HOME, ".cache/pictx-pi");
const CLI = {
  0.73: "pi073/node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
  0.87: "pi087/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  1.5: "pi152/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
};
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(path.join(out, "sessions"), { recursive: true });

const portFile = path.join(out, "port");
const server = spawn(process.execPath, [path.join(here, "server.mjs"), "--port-file", portFile], { stdio: ["ignore", "ignore", "inherit"] });
while (!fs.existsSync(portFile) || !fs.readFileSync(portFile, "utf8")) await sleep(20);
const base = `http://127.0.0.1:${fs.readFileSync(portFile, "utf8")}`;
const control = async (what, body) => (await fetch(`${base}/control/${what}`, body ? { method: "POST", body: JSON.stringify(body) } : {})).json();

const agentDir = path.join(home, ".pi/agent");
fs.mkdirSync(agentDir, { recursive: true });
const model = { contextWindow: 200000, maxTokens: 16384, reasoning: true, input: ["text", "image"], cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } };
fs.writeFileSync(path.join(agentDir, "models.json"), JSON.stringify({ providers: {
  "local-anthropic": { baseUrl: base, api: "anthropic-messages", apiKey: "none", models: [{ id: "scripted-a", name: "Scripted A", ...model }] },
  "local-openai": { baseUrl: `${base}/v1`, api: "openai-completions", apiKey: "none", models: [{ id: "scripted-o", name: "Scripted O", ...model, cost: { ...model.cost, cacheWrite: 0 } }] },
} }, null, 2));
fs.writeFileSync(path.join(agentDir, "settings.json"), JSON.stringify({ compaction: { enabled: false, reserveTokens: 16384, keepRecentTokens: plan.keepRecentTokens ?? 6000 }, retry: { enabled: false }, enableInstallTelemetry: false }, null, 2));

// The extension is copied next to the agent's settings so that its path is neutral, too.
const ext = path.join(agentDir, "record.ts");
fs.copyFileSync(path.join(here, "extension.ts"), ext);
const [provider, modelId] = plan.model.split("/");
const pi = spawn(path.join(CACHE, "bin/node"), [path.join(CACHE, CLI[plan.pi]), "--mode", "rpc", "--provider", provider, "--model", modelId, "--tools", "read,bash,edit,write,grep,find,ls", "--session-dir", path.join(home, ".pi/agent/sessions"), "-e", ext],
  { cwd: ws, stdio: ["pipe", "pipe", "pipe"], env: { HOME: home, USER: "dev", LOGNAME: "dev", LANG: "C.UTF-8", TMPDIR: "/tmp", TERM: "dumb", SHELL: "/bin/bash", PATH: `${CACHE}/bin:/usr/local/bin:/usr/bin:/bin`, NPM_CONFIG_UPDATE_NOTIFIER: "false", PI_CODING_AGENT_DIR: agentDir, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0", PICTX_RECORD_DIR: out } });
pi.stderr.pipe(fs.createWriteStream(path.join(out, "stderr.log")));
const log = fs.createWriteStream(path.join(out, "rpc.jsonl"));
let buf = "", n = 0, exited = false;
const pending = new Map(), waiters = [];
pi.stdout.setEncoding("utf8").on("data", (d) => {
  buf += d;
  for (let i; (i = buf.indexOf("\n")) >= 0; ) {
    const line = buf.slice(0, i); buf = buf.slice(i + 1);
    if (!line.trim()) continue;
    const r = JSON.parse(line);
    if (r.type !== "message_update") log.write(line + "\n");
    if (r.type === "extension_error") console.error("extension_error:", line.slice(0, 400));
    if (r.type === "response" && pending.has(r.id)) { pending.get(r.id)(r); pending.delete(r.id); }
    for (const w of [...waiters]) if (w.test(r)) { waiters.splice(waiters.indexOf(w), 1); w.resolve(r); }
  }
});
pi.on("exit", (c) => { exited = true; for (const w of waiters) w.resolve({}); for (const p of pending.values()) p({ success: false, error: `pi exited (${c})` }); });
const send = async (cmd) => {
  const id = `r${++n}`;
  const r = await new Promise((resolve) => { pending.set(id, resolve); pi.stdin.write(JSON.stringify({ id, ...cmd }) + "\n"); setTimeout(() => resolve({ success: false, error: "no answer" }), 60000).unref(); });
  if (!r.success) console.error(`${cmd.type} failed: ${r.error}`, JSON.stringify(cmd).slice(0, 200));
  return r.data ?? {};
};
const wait = (type) => new Promise((resolve) => { waiters.push({ test: (r) => r.type === type, resolve }); setTimeout(() => resolve({ timeout: true }), 120000).unref(); });
const settled = plan.pi === "0.73" ? "agent_end" : "agent_settled";

const files = { main: (await send({ type: "get_state" })).sessionFile };
const gaps = [];
for (const s of plan.steps) {
  if (exited) break;
  if (s.gap !== undefined) {
    await sleep(40); gaps.push({ at: Date.now(), ms: Math.round(s.gap * 60000) }); await control("clock", { advanceMs: Math.round(s.gap * 60000) }); await sleep(40);
  } else if (s.prompt !== undefined) {
    await control("play", { turns: s.turns });
    const images = (s.images ?? []).map((f) => ({ type: "image", data: fs.readFileSync(path.join(ws, f)).toString("base64"), mimeType: "image/png" }));
    const done = wait(settled);
    await send({ type: "prompt", message: s.prompt, ...(images.length ? { images } : {}) });
    if (s.steer) { await sleep(s.steer.afterMs); await send({ type: "steer", message: s.steer.text }); }
    if ((await done).timeout) console.error("timeout after prompt:", s.prompt.slice(0, 80));
    const left = (await control("state")).turns;
    if (left) console.error(`${left} turns left after: ${s.prompt.slice(0, 80)}`);
    await sleep(plan.pi === "0.73" ? 250 : 30);
  } else if (s.bash !== undefined) await send({ type: "bash", command: s.bash, ...(s.exclude ? { excludeFromContext: true } : {}) });
  else if (s.command !== undefined) { if (s.summary) await control("play", { summaries: [s.summary] }); await send({ type: "prompt", message: s.command }); await sleep(s.summary ? 400 : 60); }
  else if (s.compact !== undefined) { await control("play", { summaries: [].concat(s.summary) }); await send({ type: "compact", customInstructions: s.compact }); }
  else if (s.thinking !== undefined) await send({ type: "set_thinking_level", level: s.thinking });
  else if (s.model !== undefined) await send({ type: "set_model", provider: s.model.split("/")[0], modelId: s.model.split("/")[1] });
  else if (s.name !== undefined) await send({ type: "set_session_name", name: s.name });
  else if (s.fork !== undefined) {
    const { messages } = await send({ type: "get_fork_messages" });
    const target = messages.find((m) => m.text.startsWith(s.fork));
    await send({ type: "fork", entryId: target.entryId });
    files.fork = (await send({ type: "get_state" })).sessionFile;
  } else if (s.back) await send({ type: "switch_session", sessionPath: files.main });
  else throw new Error("unknown step " + JSON.stringify(s).slice(0, 100));
}
const state = await control("state");
if (state.turns) console.error("left in the queue:", state.turns);
pi.stdin.end();
await Promise.race([new Promise((r) => pi.once("exit", r)), sleep(8000)]);
if (!exited) pi.kill("SIGKILL");
server.kill();
const sessions = {};
for (const [k, name] of Object.entries(plan.sessions)) if (files[k] && fs.existsSync(files[k])) { fs.copyFileSync(files[k], path.join(out, "sessions", name + ".jsonl")); sessions[name] = JSON.parse(fs.readFileSync(files[k], "utf8").split("\n", 1)[0]).id; fs.rmSync(files[k]); } else console.error("no session file for", k, files[k]);
fs.writeFileSync(path.join(out, "record.json"), JSON.stringify({ pi: plan.pi, gaps, sessions, requests: state.rows }, null, 1) + "\n");
console.log(`${Object.keys(sessions).join(", ")}: ${state.rows.length} requests, ${gaps.length} gaps`);
process.exit(0);
