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

// make generate writes this list from hooks/events/table.go.
const EVENTS = [
  "session_start",
  "before_agent_start",
  "context",
  "tool_result",
  "tool_call",
  "turn_end",
  "agent_before_settle",
  "agent_end",
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
  for (const name of EVENTS) {
    try {
      pi.on(name, async (event: any, ctx: any) => {
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
    } catch {
      // This version of pi does not have the event.
    }
  }
}
