// What happens at each event: the request that it makes, and what is done with the reply.
import { appendEntries, applyPrompt, compaction, custom, drafts, runEffects, toolResult } from "./apply.ts";
import { apply, keys, namer, remember } from "./context.ts";
import { guard, payloads, sha256 } from "./request.ts";
import type { Session } from "./session.ts";

type Handler = (session: Session, event: any, ctx: any) => Promise<any>;

/** What an event does with a reply, and returns to pi. */
type Done = (session: Session, event: any, ctx: any, result: any) => any;

export const handlers: Record<string, Handler> = {
  before_agent_start: beforeAgentStart,
  context,
  // Nested calls of a script never enter the conversation, and the script wants what it asked for.
  tool_result: async (s, e, ctx) => (e.parentToolCallId ? undefined : handle("tool_result", s, e, ctx, signalOf(e, ctx), (_s, _e, _ctx, r) => toolResult(e, r))),
  session_before_compact: (s, e, ctx) => handle("session_before_compact", s, e, ctx, signalOf(e, ctx), (_s, _e, _ctx, r) => compaction(e, r)),
  turn_end: (s, e, ctx) => tell("turn_end", s, e, ctx, boundary),
  agent_before_settle: (s, e, ctx) => tell("agent_before_settle", s, e, ctx, boundary),
  agent_end: (s, e, ctx) => tell("agent_end", s, e, ctx, append),
  session_compact: (s, e, ctx) => tell("session_compact", s, e, ctx, append),
  session_tree: (s, e, ctx) => tell("session_tree", s, e, ctx, append),
};

function boundary(session: Session, event: any, ctx: any, result: any): any {
  return drafts(session.pi, event, ctx, result);
}

function append(session: Session, _event: any, ctx: any, result: any): void {
  appendEntries(session.pi, ctx, result?.entries);
}

function signalOf(event: any, ctx: any): AbortSignal | undefined {
  return event.signal ?? guard(() => ctx.signal);
}

/** An event that reports what has happened. A run that was given up before has happened as well. */
function tell(name: string, session: Session, event: any, ctx: any, done: Done): Promise<any> {
  const signal = signalOf(event, ctx);
  return handle(name, session, event, ctx, signal?.aborted ? undefined : signal, done);
}

async function handle(name: string, session: Session, event: any, ctx: any, signal: AbortSignal | undefined, done: Done): Promise<any> {
  if (!wanted(session, name)) return undefined;
  const background = session.isBackground(name);
  const work = session.ask(name, payloads[name](event), ctx, background ? {} : { signal }).then((reply) => {
    if (!reply) return undefined;
    // Nobody waits for what a background event returns: its entries are appended instead.
    const out = background ? append(session, event, ctx, reply.result) : done(session, event, ctx, reply.result);
    runEffects(session.pi, ctx, reply.effects);
    return out;
  });
  return background ? undefined : work;
}

/** An event of a session that has not met its program is the moment to try again. */
function wanted(session: Session, name: string): boolean {
  if (!session.hello) session.client?.wake();
  return session.wants(name);
}

async function beforeAgentStart(session: Session, event: any, ctx: any): Promise<any> {
  const first = !session.prompted;
  session.prompted = true;
  const reply = wanted(session, "before_agent_start") ? await askBefore(session, event, ctx, first) : undefined;
  // Also without a reply: the sections in force stay in force.
  const whole = applyPrompt(event, session.sections, session.guidelines);
  runEffects(session.pi, ctx, reply?.effects);
  const { message, systemPrompt = whole } = reply?.result ?? {};
  const out = { ...(message ? { message: custom(message) } : {}), ...(typeof systemPrompt === "string" ? { systemPrompt } : {}) };
  return Object.keys(out).length ? out : undefined;
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
    for (const [name, text] of Object.entries(reply.result?.sections ?? {})) session.sections.set(name, text as string | null);
    if (background) runEffects(session.pi, ctx, reply.effects);
    return reply;
  });
  return background ? undefined : work;
}

/** The last edits are applied again whenever no reply names others. */
async function context(session: Session, event: any, ctx: any): Promise<any> {
  const now = Date.now();
  const ask = wanted(session, "context") && !mayskip(session, now);
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

function mayskip(session: Session, now: number): boolean {
  const { context, idleMs } = session.next;
  return context === "skip" && (idleMs === undefined || now - session.calledAt < idleMs);
}
