// Records what pi hands to an extension. Node builtins only, so it loads in pi 0.73, 0.87 and 1.5.
//   $PICTX_RECORD_DIR/contexts/<session id>.jsonl   one line per context event: {call, leaf, pending?, messages}
//   $PICTX_RECORD_DIR/events/<seq>-<event>.json     JSON.stringify(event), at most a few per event and shape
// Commands: /nav TEXT (go back to before the user message that starts with TEXT, with a summary),
//   /note TEXT (custom message), /mark KEY (custom entry), /trim TEXT|/drop-note (context_edit drafts at the next turn_end)
import * as fs from "node:fs";
import * as path from "node:path";

const DIR = process.env.PICTX_RECORD_DIR ?? "record";
const EVENTS = [
  "project_trust", "resources_discover", "mcp_servers_change", "session_start", "session_info_changed", "session_before_switch", "session_before_fork",
  "session_before_compact", "session_compact", "session_compact_failed", "session_shutdown", "session_before_tree", "session_tree",
  "context", "context_with_system", "cache_warming_decision", "before_provider_request", "before_provider_headers", "after_provider_response",
  "before_agent_start", "agent_start", "agent_end", "agent_before_settle", "agent_settled", "ui_prompt_start", "ui_prompt_end",
  "turn_start", "turn_end", "message_start", "message_update", "message_end", "tool_execution_start", "tool_execution_update", "tool_execution_end",
  "model_select", "thinking_level_select", "tool_call", "tool_result", "user_bash", "input",
];
const G: any = ((globalThis as any).__record ??= { seq: 0, calls: {}, shapes: {}, drafts: [] });

const size = (n: number) => (n < 4_000 ? "s" : n < 40_000 ? "m" : n < 90_000 ? "l" : "xl");
function shape(name: string, e: any, bytes: number): string {
  const m = e.message;
  const kinds = (c: any) => (Array.isArray(c) ? [...new Set(c.map((x: any) => x.type))].join("+") : typeof c);
  const roles = (list: any[]) => [...new Set(list.map((x) => x.role))].sort().join("+");
  switch (name) {
    case "context": case "context_with_system": return `${roles(e.messages)}|${size(bytes)}`;
    case "tool_call": case "tool_execution_start": return e.toolName;
    case "tool_result": return `${e.toolName}|${e.isError}|${kinds(e.content)}|${Object.keys(e.details ?? {})}|${e.details?.truncation ? 1 : 0}`;
    case "tool_execution_end": return `${e.toolName}|${e.isError}`;
    case "message_start": case "message_end": return `${m.role}|${kinds(m.content)}|${m.stopReason ?? ""}|${m.isError ?? ""}|${m.toolName ?? ""}`;
    case "message_update": return e.assistantMessageEvent?.type ?? "";
    case "turn_end": return `${e.toolResults?.length ?? 0}|${e.message.stopReason}`;
    case "agent_end": return roles(e.messages);
    case "input": return `${e.source}|${e.streamingBehavior ?? ""}|${e.images?.length ?? 0}`;
    case "session_start": case "session_shutdown": case "session_before_compact": case "session_compact": return `${e.reason ?? ""}`;
    default: return Object.keys(e).sort().join(",");
  }
}

function dump(name: string, event: any) {
  const json = JSON.stringify(event);
  const bytes = Buffer.byteLength(json);
  if (bytes > 150_000) return;
  const key = `${name}|${shape(name, event, bytes)}`;
  const n = (G.shapes[key] = (G.shapes[key] ?? 0) + 1);
  if (n > 2) return;
  const file = `${String(++G.seq).padStart(4, "0")}-${name}.json`;
  fs.writeFileSync(path.join(DIR, "events", file), json + "\n");
  fs.appendFileSync(path.join(DIR, "events", "index.jsonl"), JSON.stringify({ file, event: name, shape: key.slice(name.length + 1), bytes }) + "\n");
}

const key = (m: any) => `${m.role}|${m.timestamp}|${m.toolCallId ?? ""}`;

function context(event: any, ctx: any) {
  const sm = ctx.sessionManager, id = sm.getSessionId();
  const known = new Set<string>();
  for (const e of sm.getBranch()) {
    const at = Date.parse(e.timestamp);
    if (e.type === "message") known.add(key(e.message));
    if (e.type === "custom_message") known.add(`custom|${at}|`);
    if (e.type === "compaction") known.add(`compactionSummary|${at}|`);
    if (e.type === "branch_summary") known.add(`branchSummary|${at}|`);
  }
  const pending = event.messages.filter((m: any) => !known.has(key(m))).length;
  const call = (G.calls[id] = (G.calls[id] ?? 0) + 1);
  fs.appendFileSync(path.join(DIR, "contexts", `${id}.jsonl`), JSON.stringify({ call, leaf: sm.getLeafId(), ...(pending ? { pending } : {}), messages: event.messages }) + "\n");
}

export default function (pi: any) {
  for (const d of ["contexts", "events"]) fs.mkdirSync(path.join(DIR, d), { recursive: true });
  for (const name of EVENTS) {
    pi.on(name, (event: any, ctx: any) => {
      dump(name, event);
      if (name === "context") context(event, ctx);
      if (name === "turn_end" && event.entries && G.drafts.length && event.toolResultEntryIds?.length) {
        const branch = ctx.sessionManager.getBranch();
        const drafts = G.drafts.splice(0).map((make: any) => make(branch)).filter(Boolean);
        return { entries: [...event.entries, ...drafts] };
      }
      return undefined;
    });
  }
  const text = (m: any) => (typeof m.content === "string" ? m.content : m.content.filter((c: any) => c.type === "text").map((c: any) => c.text).join("\n"));
  pi.registerCommand("nav", { description: "go back to before a user message", handler: async (a: string, ctx: any) => {
    const target = ctx.sessionManager.getEntries().findLast((e: any) => e.type === "message" && e.message.role === "user" && text(e.message).startsWith(a));
    const r = await ctx.navigateTree(target.id, { summarize: true });
    if (r?.cancelled) throw new Error("navigation was cancelled");
  } });
  pi.registerCommand("note", { description: "custom message", handler: async (a: string) => { pi.sendMessage({ customType: "shop-note", content: a, display: true, details: { kind: "note", by: "lint" } }); } });
  pi.registerCommand("mark", { description: "custom entry", handler: async (a: string) => { pi.appendEntry("shop-mark", { key: a }); } });
  pi.registerCommand("trim", { description: "replace the longest tool result by a line", handler: async (a: string) => {
    G.drafts.push((branch: any[]) => {
      const results = branch.filter((e) => e.type === "message" && e.message.role === "toolResult" && !branch.some((x) => x.type === "context_edit" && x.targetId === e.id && text(x.replacement ?? { content: [] }) === a));
      const target = results.sort((x, y) => text(y.message).length - text(x.message).length)[0];
      return target && { type: "context_edit", targetId: target.id, replacement: { content: [{ type: "text", text: a }] } };
    });
  } });
  pi.registerCommand("drop-note", { description: "leave the last note out of the context", handler: async () => {
    G.drafts.push((branch: any[]) => { const target = branch.findLast((e) => e.type === "custom_message"); return target && { type: "context_edit", targetId: target.id, replacement: null }; });
  } });
}
