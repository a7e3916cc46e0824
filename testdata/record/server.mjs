#!/usr/bin/env node
// A scripted model server on 127.0.0.1: OpenAI chat completions and Anthropic messages, both as SSE.
// Every request plays the next turn of the queue; a request for a summary plays the next summary.
// Usage comes from a prompt-cache model with a virtual clock (see PromptCache).
//   POST /control/play  {"turns": [...], "summaries": [...]}   appends turns, replaces the summaries
//   POST /control/clock {"advanceMs": n}                       advances the virtual clock
//   GET  /control/state                                        what is left in the queues, and one row per request
// A turn: {thinking?, text?, tools?: [[name, args], …], delayMs?, status?, error?}
// usage: node server.mjs [--port N] [--port-file FILE]
import http from "node:http";
import fs from "node:fs";
import crypto from "node:crypto";

const arg = (n, d) => { const i = process.argv.indexOf("--" + n); return i > 0 ? process.argv[i + 1] : d; };
const TTL_MS = 5 * 60 * 1000;
let offset = 0, seq = 0;
const clock = () => Date.now() + offset;
const turns = [], summaries = [], rows = [];

const sha = (s) => crypto.createHash("sha256").update(s).digest("hex");
const flat = (c) => (typeof c === "string" ? c : Array.isArray(c) ? c.map((x) => (typeof x === "string" ? x : x?.text ?? (x?.content ? flat(x.content) : ""))).join("\n") : "");
// ids look like the provider's, and are the same in every recording
const id = (prefix, n) => prefix + BigInt("0x" + sha(`${prefix}${n}`)).toString(36).slice(0, 16);

/** The prompt as blocks in cache order: tools, system, messages. */
function blocks(body) {
  const out = [];
  const push = (where, b) => {
    const { cache_control, ...rest } = typeof b === "object" && b !== null ? b : { text: b };
    const json = JSON.stringify(rest);
    const image = rest.type === "image" || rest.type === "image_url";
    const nested = Array.isArray(rest.content) && rest.content.some((c) => c?.type === "image");
    const chars = nested ? JSON.stringify({ ...rest, content: rest.content.filter((c) => c?.type !== "image") }).length + 4 * 340 : image ? 4 * 340 : json.length;
    out.push({ hash: sha(where + json), tokens: Math.ceil(chars / 4), breakpoint: cache_control !== undefined });
  };
  for (const t of body.tools ?? []) push("tool", t);
  for (const s of Array.isArray(body.system) ? body.system : body.system ? [body.system] : []) push("system", s);
  for (const m of body.messages ?? []) {
    const { content, ...rest } = m;
    for (const c of Array.isArray(content) ? content : content ? [content] : []) push(m.role, c);
    if (m.tool_calls) push("calls", { calls: m.tool_calls, rest: rest.reasoning_content });
  }
  return out;
}

/**
 * Read: the tokens of the longest prefix (in whole blocks) that was cached less than five minutes ago; a hit
 * renews it. Write: the rest up to the last cache_control breakpoint. Input: what follows.
 */
class PromptCache {
  used = new Map();
  count(list, now, lastBreakpoint) {
    const prefix = []; let h = "";
    for (const b of list) prefix.push((h = sha(h + b.hash)));
    let hit = 0;
    for (let i = 0; i < list.length; i++) { const t = this.used.get(prefix[i]); if (t !== undefined && now - t <= TTL_MS) hit = i + 1; }
    const end = Math.max(hit, lastBreakpoint);
    for (let i = 0; i < end; i++) this.used.set(prefix[i], now);
    const tokens = (a, b) => list.slice(a, b).reduce((n, x) => n + x.tokens, 0);
    return { read: tokens(0, hit), write: tokens(hit, end), input: tokens(end) };
  }
}
const cache = new PromptCache();

function next(body) {
  const system = flat(body.system ?? "") + (body.messages ?? []).filter((m) => m.role === "system" || m.role === "developer").map((m) => flat(m.content)).join("\n");
  const summary = /context summarization assistant/i.test(system);
  const turn = summary ? { text: summaries.shift() } : turns.shift();
  if (turn?.text === undefined && !turn?.tools && !turn?.status) { console.error(`server: nothing scripted for request ${seq}`); return { summary, turn: { text: "There is nothing more to do." } }; }
  return { summary, turn };
}

const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const pieces = (s, n = 400) => { const out = []; for (let i = 0; i < s.length; i += n) out.push(s.slice(i, i + n)); return out; };
const outputTokens = (t) => Math.max(1, Math.ceil(((t.text ?? "").length + (t.thinking ?? "").length + (t.tools ?? []).reduce((n, [name, a]) => n + name.length + JSON.stringify(a).length + 20, 0)) / 4));

function openai(res, body, turn) {
  const list = blocks(body);
  const c = cache.count(list, clock(), list.length);
  const prompt = c.read + c.write + c.input;
  const cached = c.read >= 1024 ? Math.floor(c.read / 128) * 128 : 0;
  const out = outputTokens(turn);
  const usage = { prompt_tokens: prompt, completion_tokens: out, total_tokens: prompt + out, prompt_tokens_details: { cached_tokens: cached } };
  res.writeHead(200, { "content-type": "text/event-stream" });
  const head = { id: id("chatcmpl-", seq), object: "chat.completion.chunk", created: Math.floor(clock() / 1000), model: body.model };
  const send = (delta, finish = null) => res.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  send({ role: "assistant" });
  for (const p of pieces(turn.thinking ?? "")) send({ reasoning_content: p });
  for (const p of pieces(turn.text ?? "")) send({ content: p });
  for (const [i, [name, args]] of (turn.tools ?? []).entries()) {
    send({ tool_calls: [{ index: i, id: id("call_", `${seq}.${i}`), type: "function", function: { name, arguments: "" } }] });
    for (const p of pieces(JSON.stringify(args))) send({ tool_calls: [{ index: i, function: { arguments: p } }] });
  }
  send({}, turn.tools?.length ? "tool_calls" : "stop");
  res.write(`data: ${JSON.stringify({ ...head, choices: [], usage })}\n\n`);
  res.end("data: [DONE]\n\n");
  return usage;
}

function anthropic(res, body, turn) {
  const list = blocks(body);
  const c = cache.count(list, clock(), list.findLastIndex((b) => b.breakpoint) + 1);
  const usage = { input_tokens: c.input + 3, cache_read_input_tokens: c.read, cache_creation_input_tokens: c.write, output_tokens: outputTokens(turn) };
  res.writeHead(200, { "content-type": "text/event-stream" });
  const ev = (type, data) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  ev("message_start", { message: { id: id("msg_01", seq), type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } } });
  let i = 0;
  const block = (content_block, deltas) => { ev("content_block_start", { index: i, content_block }); for (const delta of deltas) ev("content_block_delta", { index: i, delta }); ev("content_block_stop", { index: i++ }); };
  if (turn.thinking) block({ type: "thinking", thinking: "", signature: "" }, [...pieces(turn.thinking).map((thinking) => ({ type: "thinking_delta", thinking })), { type: "signature_delta", signature: Buffer.from(sha(turn.thinking), "hex").toString("base64") }]);
  if (turn.text) block({ type: "text", text: "" }, pieces(turn.text).map((text) => ({ type: "text_delta", text })));
  for (const [k, [name, args]] of (turn.tools ?? []).entries()) block({ type: "tool_use", id: id("toolu_01", `${seq}.${k}`), name, input: {} }, pieces(JSON.stringify(args)).map((partial_json) => ({ type: "input_json_delta", partial_json })));
  ev("message_delta", { delta: { stop_reason: turn.tools?.length ? "tool_use" : "end_turn", stop_sequence: null }, usage });
  ev("message_stop", {});
  res.end();
  return usage;
}

const server = http.createServer(async (req, res) => {
  const parts = [];
  for await (const p of req) parts.push(p);
  const raw = Buffer.concat(parts).toString("utf8");
  const json = (status, value) => { res.writeHead(status, { "content-type": "application/json" }); res.end(JSON.stringify(value)); };
  if (req.url === "/control/state") return json(200, { turns: turns.length, summaries: summaries.length, rows });
  if (req.method === "GET") return json(200, { data: [] });
  let body; try { body = JSON.parse(raw); } catch { return json(400, { error: "bad json" }); }
  if (req.url === "/control/clock") { offset += body.advanceMs; return json(200, { offset }); }
  if (req.url === "/control/play") { turns.push(...(body.turns ?? [])); if (body.summaries) summaries.splice(0, Infinity, ...body.summaries); return json(200, {}); }
  seq++;
  const { summary, turn } = next(body);
  if (turn.delayMs) await sleep(turn.delayMs);
  if (turn.status) { rows.push({ seq, status: turn.status }); return json(turn.status, { type: "error", error: { type: "invalid_request_error", message: turn.error ?? "scripted error" } }); }
  rows.push({ seq, summary, at: clock(), usage: (req.url.includes("/messages") ? anthropic : openai)(res, body, turn) });
});
server.listen(Number(arg("port", "0")), "127.0.0.1", () => {
  const { port } = server.address();
  if (arg("port-file")) fs.writeFileSync(arg("port-file"), String(port));
  console.log(`listening on http://127.0.0.1:${port}`);
});
