// The handlers of pi's events: each sends a request and applies the reply.
import { appendEntries, compaction, custom, drafts, runEffects, toolResult } from "./apply.ts";
import { apply, keys, namer, remember } from "./context.ts";
import { guard, payloads, sha256 } from "./request.ts";
import type { Session } from "./session.ts";

type Handler = (session: Session, event: any, ctx: any) => Promise<any>;

/** Applies the result of a reply, and returns what the handler returns to pi. */
type Apply = (session: Session, event: any, ctx: any, result: any) => any;

export const handlers: Record<string, Handler> = {
  before_agent_start: beforeAgentStart,
  context,
  // A handler that throws would block the call, and one that waits delays it: only suspicious calls are sent.
  tool_call: async (s, e, ctx) => (isSuspect(s, e) ? handle("tool_call", s, e, ctx, signalOf(e, ctx), (_s, _e, _ctx, r) => blocked(r)) : undefined),
  // The results of nested calls go to a script, which needs them whole, and never enter the conversation.
  tool_result: async (s, e, ctx) => (e.parentToolCallId ? undefined : handle("tool_result", s, e, ctx, signalOf(e, ctx), (_s, _e, _ctx, r) => toolResult(e, r))),
  session_before_compact: (s, e, ctx) => handle("session_before_compact", s, e, ctx, signalOf(e, ctx), (_s, _e, _ctx, r) => compaction(e, r)),
  turn_end: (s, e, ctx) => report("turn_end", s, e, ctx, boundary),
  cache_warming_decision: (s, e, ctx) => report("cache_warming_decision", s, e, ctx, (_s, _e, _ctx, r) => (r?.action === "warm" ? { action: "warm" } : undefined)),
  agent_end: (s, e, ctx) => report("agent_end", s, e, ctx, append),
  session_compact: (s, e, ctx) => report("session_compact", s, e, ctx, append),
  session_tree: (s, e, ctx) => report("session_tree", s, e, ctx, append),
};

/** Reports whether the arguments of a call have a text that pictx wants to see. */
function isSuspect(session: Session, event: any): boolean {
  const texts = guard(() => session.hello.suspect) ?? [];
  const input = texts.length ? (guard(() => JSON.stringify(event.input)) ?? "") : "";
  return texts.some((text: any) => typeof text === "string" && text !== "" && input.includes(text));
}

function blocked(result: any): any {
  return result?.block === true ? { block: true, reason: String(result.error ?? "pictx refused the call") } : undefined;
}

function boundary(session: Session, event: any, ctx: any, result: any): any {
  return drafts(session.pi, event, ctx, result);
}

function append(session: Session, _event: any, ctx: any, result: any): void {
  appendEntries(session.pi, ctx, result?.entries);
}

function signalOf(event: any, ctx: any): AbortSignal | undefined {
  return event.signal ?? guard(() => ctx.signal);
}

/** Handles an event that reports something past. It is sent even when the run was aborted before. */
function report(name: string, session: Session, event: any, ctx: any, applyResult: Apply): Promise<any> {
  const signal = signalOf(event, ctx);
  return handle(name, session, event, ctx, signal?.aborted ? undefined : signal, applyResult);
}

async function handle(name: string, session: Session, event: any, ctx: any, signal: AbortSignal | undefined, applyResult: Apply): Promise<any> {
  if (!wanted(session, name)) return undefined;
  const background = session.isBackground(name);
  const work = session.ask(name, payloads[name](event), ctx, background ? {} : { signal }).then((reply) => {
    if (!reply) return undefined;
    // A background event has returned to pi already, so its entries are appended.
    const out = background ? append(session, event, ctx, reply.result) : applyResult(session, event, ctx, reply.result);
    runEffects(session.pi, ctx, reply.effects);
    return out;
  });
  return background ? undefined : work;
}

/** Reports whether pictx wants an event. Until hello has come, every event tries to start pictx again. */
function wanted(session: Session, name: string): boolean {
  if (!session.hello) session.client?.wake();
  return session.wants(name);
}

async function beforeAgentStart(session: Session, event: any, ctx: any): Promise<any> {
  const first = !session.prompted;
  session.prompted = true;
  const reply = wanted(session, "before_agent_start") ? await askBefore(session, event, ctx, first) : undefined;
  runEffects(session.pi, ctx, reply?.effects);
  const message = reply?.result?.message;
  return message ? { message: custom(message) } : undefined;
}

async function askBefore(session: Session, event: any, ctx: any, first: boolean): Promise<any> {
  const prompt = guard(() => event.systemPrompt) ?? "";
  const systemPromptHash = sha256(prompt);
  const payload = {
    prompt: typeof event.prompt === "string" ? event.prompt : undefined,
    images: event.images?.length ?? 0,
    first: first || undefined,
    messageType: event.messageType,
    systemPromptHash,
    systemPrompt: session.prompts.has(systemPromptHash) ? undefined : prompt,
  };
  const background = session.isBackground("before_agent_start");
  const work = session.ask("before_agent_start", payload, ctx, background ? {} : { signal: signalOf(event, ctx) }).then((reply) => {
    if (!reply) return undefined;
    session.prompts.add(systemPromptHash);
    append(session, event, ctx, reply.result);
    if (background) runEffects(session.pi, ctx, reply.effects);
    return reply;
  });
  return background ? undefined : work;
}

/** Edits the messages of a request. Without a reply the edits of the last one are applied again. */
async function context(session: Session, event: any, ctx: any): Promise<any> {
  const now = Date.now();
  const ask = wanted(session, "context") && !maySkip(session, now);
  session.calledAt = now;
  const name = namer(event.messages);
  if (ask) {
    const reply = await session.ask("context", { keys: keys(event.messages) }, ctx, { signal: signalOf(event, ctx) });
    if (reply) {
      session.last = remember(reply.result, event.messages, ctx, name);
      runEffects(session.pi, ctx, reply.effects);
    }
  }
  const messages = apply(session.last, event.messages, name);
  return messages ? { messages } : undefined;
}

function maySkip(session: Session, now: number): boolean {
  const { context, idleMs } = session.next;
  return context === "skip" && (idleMs === undefined || now - session.calledAt < idleMs);
}
