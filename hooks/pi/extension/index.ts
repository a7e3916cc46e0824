// pictx's extension for pi. It sends pi's events to the pictx program and applies the replies; it knows no feature of
// pictx. hooks/schema/v1/README.md describes the protocol. The same files run on pi 0.73, 0.87 and 1.x, because they test
// for capabilities and not for versions.
//
// pi never stops because of pictx: every handler is guarded, and every wait has a time limit.
//
// To read on: life.ts starts and ends a session, events.ts handles events, session.ts sends requests, serve.ts and
// oneshot.ts are the two transports, and context.ts and apply.ts apply replies.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { handlers } from "./events.ts";
import { begin, end, owns } from "./life.ts";
import type { Instance } from "./life.ts";
import { limitsFor } from "./limits.ts";

const EVENTS = [
  "session_start",
  "before_agent_start",
  "context",
  "tool_result",
  "tool_call",
  "turn_end",
  "agent_end",
  "cache_warming_decision",
  "session_before_compact",
  "session_compact",
  "session_tree",
  "session_shutdown",
];

/** Registers the handlers and does nothing else, because pi also loads extensions without starting a session. */
export default function pictx(pi: any, limits = limitsFor(process.env)): void {
  const disabled = process.env.PICTX_DISABLE;
  if (disabled && disabled !== "0") return;
  const instance: Instance = { pi, here: dirname(fileURLToPath(import.meta.url)), limits, session: undefined, tools: new Set() };
  const on = (name: string, handler: (event: any, ctx: any) => any): (() => void) | undefined => {
    try {
      return pi.on(name, handler);
    } catch {
      return undefined; // This version of pi does not have the event.
    }
  };
  const listen = (name: string) =>
    on(name, async (event, ctx) => {
      try {
        if (name === "session_start") return await begin(instance, event, ctx);
        if (!instance.session || !owns(instance)) return undefined;
        instance.session.ctx = ctx;
        if (name === "session_shutdown") return await end(instance, event, ctx);
        return await handlers[name](instance.session, event, ctx);
      } catch {
        return undefined;
      }
    });
  const stop = new Map(EVENTS.map((name) => [name, listen(name)]));
  on("message_end", (event) => {
    if (event?.message?.role === "assistant") hearTurnEnd(stop, listen, event.message.content);
  });
}

/**
 * Listens for turn_end only where a turn had calls: the end of another tells pictx nothing. Where something listens, pi
 * rebuilds edited messages and summaries as a turn ends, takes the conversation for another one, and no longer keeps its
 * cache alive.
 */
function hearTurnEnd(stop: Map<string, (() => void) | undefined>, listen: (name: string) => (() => void) | undefined, content: any): void {
  const calls = Array.isArray(content) && content.some((block) => block?.type === "toolCall");
  const off = stop.get("turn_end");
  if (calls && !stop.has("turn_end")) stop.set("turn_end", listen("turn_end"));
  else if (!calls && typeof off === "function") {
    off();
    stop.delete("turn_end");
  }
}
