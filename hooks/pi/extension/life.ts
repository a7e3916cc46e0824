// Starts and ends a session: finds and starts the program, and registers what it declares.
import { appendEntries, runEffects } from "./apply.ts";
import { findBinary, forShell } from "./binary.ts";
import type { Client, Listener } from "./client.ts";
import type { Limits } from "./limits.ts";
import { oneShot } from "./oneshot.ts";
import type { Launch } from "./process.ts";
import { registerCommands, registerTools } from "./register.ts";
import { approved, guard, payloads } from "./request.ts";
import { serve } from "./serve.ts";
import { Session } from "./session.ts";

/** The state of one call of the extension's factory. */
export interface Instance {
  pi: any;
  here: string;
  limits: Limits;
  session: Session | undefined;
  /** The names of the tools that this instance registered. */
  tools: Set<string>;
}

/** The key of a global that all copies of this extension in the process share, whatever their version. */
const OWNERS = Symbol.for("pictx.extension.owners");

interface Owner {
  url: string;
  instance: unknown;
  alive(): boolean;
}

function owners(): Map<string, Owner> {
  const shared = globalThis as any;
  return (shared[OWNERS] ??= new Map());
}

function sessionKey(ctx: any): string {
  return guard(() => ctx.sessionManager.getSessionId()) ?? "";
}

/** Claims the session. If two copies are installed, for the user and as a package, the first one gets it. */
function claim(instance: Instance, ctx: any): boolean {
  const key = sessionKey(ctx);
  const owner = owners().get(key);
  // The getters of a ctx throw once its session has ended, even if pi sent no event for that.
  if (owner && owner.instance !== instance && owner.alive()) return false;
  owners().set(key, { url: import.meta.url, instance, alive: () => guard(() => (ctx.cwd, true)) ?? false });
  return true;
}

export function owns(instance: Instance): boolean {
  for (const owner of owners().values()) if (owner.instance === instance) return true;
  return false;
}

function release(instance: Instance): void {
  for (const [key, owner] of owners()) if (owner.instance === instance) owners().delete(key);
}

export async function begin(instance: Instance, event: any, ctx: any): Promise<undefined> {
  if (!claim(instance, ctx)) return undefined;
  if (instance.session?.key === sessionKey(ctx)) {
    // pi may send session_start twice.
    instance.session.ctx = ctx;
    return undefined;
  }
  // Agents that this one starts inherit the variable. Only the first agent sets it, so every other one knows that it is nested.
  process.env.PICTX_PI_PID ||= String(process.pid);
  await instance.session?.end();
  const session = new Session(instance.pi, ctx, sessionKey(ctx), instance.limits);
  instance.session = session;
  const cwd = guard(() => ctx.cwd) ?? process.cwd();
  const found = findBinary({ here: instance.here, cwd, env: process.env, platform: process.platform, arch: process.arch });
  if (!found.path) {
    session.notice(found.why);
    return undefined;
  }
  forShell(found.path, { file: guard(() => ctx.sessionManager.getSessionFile()), cwd }, process.env);
  await connectTo(session, event, connect(instance, session, event, { bin: found.path, cwd, trust: trust(ctx), limits: instance.limits }));
}

/** Returns the user's answer about the project. That pi trusts it is not one: pi does not ask about projects without pi files. */
function trust(ctx: any): string[] {
  const trusted = guard(() => ctx.isProjectTrusted?.());
  if (trusted === false) return ["--trust", "no"];
  return approved() ? ["--trust", "yes"] : [];
}

function connect(instance: Instance, session: Session, event: any, launch: Launch): Client {
  let started = false;
  const listener: Listener = {
    hello: (hello) => {
      if (session.over || !session.greet(hello)) return false;
      if (!started) declare(instance, session);
      // A hello that came too late for session_start still opens the session.
      if (!started && session.late) void sendStart(session, event);
      started = true;
      return true;
    },
    push: (effects) => session.over || runEffects(session.pi, session.ctx, effects),
  };
  return process.env.PICTX_TRANSPORT === "oneshot" ? oneShot(launch, listener) : serve(launch, listener);
}

/**
 * Registers what hello declares. Tools that hello calls active join the prompt at once, unless a request was
 * made already, whose prompt would change. The others join when a reply activates them: pictx chooses a moment at which
 * the prompt is not cached.
 */
function declare(instance: Instance, session: Session): void {
  const { hello } = session;
  const current = () => (instance.session?.over ? undefined : instance.session);
  registerCommands(session, current);
  const active = new Set<string>();
  session.activate = (names) => {
    const fresh = names.filter((name) => typeof name === "string" && !active.has(name));
    for (const name of fresh) active.add(name);
    registerTools(session, fresh, current, instance.tools);
  };
  if (session.prompted) return;
  session.activate(hello.active ?? (hello.tools ?? []).map((tool: any) => tool.name));
}

async function connectTo(session: Session, event: any, client: Client): Promise<undefined> {
  session.client = client;
  const outcome = await client.hello(session.limits.hello);
  if (session.hello) await sendStart(session, event);
  else session.late = true;
  if (!outcome.reply) session.failed("session_start", undefined, outcome.why ?? "pictx did not start");
  return undefined;
}

/** Sends session_start, and waits for it unless hello says otherwise. */
async function sendStart(session: Session, event: any): Promise<void> {
  if (!session.wants("session_start")) return;
  const done = session.ask("session_start", payloads.session_start(event), session.ctx).then((reply) => {
    appendEntries(session.pi, session.ctx, reply?.result?.entries);
    runEffects(session.pi, session.ctx, reply?.effects);
  });
  if (!session.isBackground("session_start")) await done;
}

export async function end(instance: Instance, event: any, ctx: any): Promise<undefined> {
  const session = instance.session;
  instance.session = undefined;
  if (!session) return undefined;
  try {
    if (session.wants("session_shutdown")) {
      const ms = Math.min(session.limits.shutdown, session.limit("session_shutdown"));
      await session.ask("session_shutdown", payloads.session_shutdown(event), ctx, { ms, wait: true });
    }
  } finally {
    await session.end();
    release(instance);
  }
}
