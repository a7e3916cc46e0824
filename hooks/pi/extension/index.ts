// The generic extension of pi for pictx. It hands pi's events to the program and applies what comes back; what is done
// with them is not known here. The protocol is that of hooks/schema/v1/README.md. One set of files runs on pi 0.73,
// 0.87 and 1.x: what an agent can do is looked for, its version is not.
//
// Whatever happens, pi goes on: every handler is guarded, and everything that is waited for has a time limit.
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
  "turn_end",
  "agent_before_settle",
  "agent_end",
  "session_before_compact",
  "session_compact",
  "session_tree",
  "session_shutdown",
];

/** Registers the handlers and does nothing else: pi also loads extensions where no session starts. */
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
      // An agent that does not take the event does without it.
    }
  }
}
