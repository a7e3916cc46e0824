// Beginning and end of a session: finding the program, starting it, taking in what it declares.
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

/** What belongs to one run of the factory. */
export interface Instance {
  pi: any;
  here: string;
  limits: Limits;
  session: Session | undefined;
  /** Names of the tools that it registered. */
  tools: Set<string>;
}

/** Shared by all copies of this extension in the process, whatever their version. */
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

/** Two copies may be installed, for the user and as a package: the first one has the session. */
function claim(instance: Instance, ctx: any): boolean {
  const key = sessionKey(ctx);
  const owner = owners().get(key);
  // The getters of a ctx throw when its session is over, also when nobody said so.
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
    // pi may announce a new session twice.
    instance.session.ctx = ctx;
    return undefined;
  }
  // Agents below this one inherit it. The first one's mark stays, so that a nested agent knows itself in every session.
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
  forShell(found.path, guard(() => ctx.sessionManager.getSessionFile()), process.env);
  await meet(session, event, connect(instance, session, event, { bin: found.path, cwd, trust: trust(ctx), limits: instance.limits }));
}

/** What the user said of the project. That pi trusts it says nothing: where pi has nothing to ask about, it asks nobody. */
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
      if (!started) adopt(instance, session);
      // A hello that came too late to be waited for still opens the session.
      if (!started && session.late) void tell(session, event);
      started = true;
      return true;
    },
    push: (effects) => session.over || runEffects(session.pi, session.ctx, effects),
  };
  return process.env.PICTX_TRANSPORT === "oneshot" ? oneShot(launch, listener) : serve(launch, listener);
}

/**
 * Takes in what hello declares. What hello calls active is part of the prompt at once, unless the first prompt is made:
 * it would change. The rest becomes so when a reply names it, which knows when the prompt is written anyway.
 */
function adopt(instance: Instance, session: Session): void {
  const { hello } = session;
  const current = () => (instance.session?.over ? undefined : instance.session);
  registerCommands(session, current);
  const active = new Set<string>();
  session.activate = (names) => {
    const fresh = names.filter((name) => typeof name === "string" && !active.has(name));
    for (const name of fresh) active.add(name);
    registerTools(session, fresh, current, instance.tools);
    for (const name of fresh) if (typeof hello.sections?.[name] === "string") session.sections.set(name, hello.sections[name]);
    if (fresh.length) session.guidelines = hello.guidelines ?? [];
  };
  if (session.prompted) return;
  session.activate(hello.active ?? everything(hello));
  if (!hello.active) session.guidelines = hello.guidelines ?? [];
}

function everything(hello: any): string[] {
  return [...(hello.tools ?? []).map((tool: any) => tool.name), ...Object.keys(hello.sections ?? {})];
}

async function meet(session: Session, event: any, client: Client): Promise<undefined> {
  session.client = client;
  const outcome = await client.hello(session.limits.hello);
  if (session.hello) await tell(session, event);
  else session.late = true;
  if (!outcome.reply) session.failed("session_start", undefined, outcome.why ?? "pictx did not start");
  return undefined;
}

/** Sends session_start, and waits for it unless hello says otherwise. */
async function tell(session: Session, event: any): Promise<void> {
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
