// Registers the tools and commands of hello with pi. Calling one sends a request.
import { appendEntries, runEffects, show } from "./apply.ts";
import { guard } from "./request.ts";
import type { Session } from "./session.ts";

export type Current = () => Session | undefined;

/**
 * Registers the named tools of hello. A tool whose name is taken is skipped, because two tools of one name shadow each
 * other silently. `ours` holds the names that this instance has registered.
 */
export function registerTools(session: Session, names: string[], current: Current, ours: Set<string>): void {
  const tools = (session.hello.tools ?? []).filter((tool: any) => names.includes(tool.name));
  if (!tools.length) return;
  const taken = new Map<string, any>((guard(() => session.pi.getAllTools()) ?? []).map((tool: any) => [tool.name, tool]));
  for (const tool of tools) {
    const other = taken.get(tool.name);
    if (other && !ours.has(tool.name)) {
      const why = `pictx leaves out its tool ${tool.name}: ${source(other)} already has one of that name`;
      session.miss("session_start", undefined, why);
      session.notice(`${why}.`);
      continue;
    }
    ours.add(tool.name);
    guard(() => session.pi.registerTool(definition(tool, current)));
  }
}

function source(tool: any): string {
  return tool?.sourceInfo?.path ?? tool?.sourceInfo?.source ?? "another extension";
}

function definition(tool: any, current: Current): any {
  const { name, label, description, parameters } = tool;
  return {
    name,
    label,
    description,
    parameters,
    execute: (toolCallId: string, params: any, signal: any, _onUpdate: any, ctx: any) => execute(current(), { name, toolCallId, params: params ?? {} }, signal, ctx),
  };
}

/** Runs a tool. pi turns an exception into an error result. */
async function execute(session: Session | undefined, payload: any, signal: any, ctx: any): Promise<any> {
  if (!session) throw new Error("pictx is not running");
  const at = ctx ?? session.ctx;
  let why = "pictx was told to stop";
  const reply = await session.ask("tool", payload, at, { signal, failed: (reason) => (why = reason) });
  if (!reply) throw new Error(why);
  const result = reply.result ?? {};
  runEffects(session.pi, at, reply.effects);
  if (result.error || result.isError) throw new Error(result.error ?? result.text ?? "failed");
  return { content: Array.isArray(result.content) ? result.content : [{ type: "text", text: String(result.content ?? result.text ?? "") }], details: result.details };
}

export function registerCommands(session: Session, current: Current): void {
  for (const command of session.hello.commands ?? []) {
    const { name, description } = command;
    const completions = command.complete ? { getArgumentCompletions: (prefix: string) => complete(current(), { name, prefix: prefix ?? "" }) } : {};
    guard(() => session.pi.registerCommand(name, { description, ...completions, handler: (args: string, ctx: any) => run(current(), { name, args: args ?? "" }, ctx) }));
  }
}

/** Runs a command. The user waits for it, so a failure is always shown. */
async function run(session: Session | undefined, payload: any, ctx: any): Promise<void> {
  let why = "pictx is not running";
  const reply = session && (await session.ask("command", payload, ctx, { signal: guard(() => ctx.signal), failed: (reason) => (why = reason) }));
  guard(() => {
    if (!reply) return show(session?.pi, ctx, { text: `/${payload.name} was not carried out: ${why}.`, level: "warning" });
    const result = reply.result ?? {};
    appendEntries(session.pi, ctx, result.entries);
    show(session.pi, ctx, result.error ? { text: result.error, level: "error" } : result);
    runEffects(session.pi, ctx, reply.effects);
  });
}

async function complete(session: Session | undefined, payload: any): Promise<any[] | null> {
  const reply = session && (await session.ask("complete", payload, session.ctx));
  const items = reply?.result?.items;
  if (!Array.isArray(items) || !items.length) return null;
  return items.map((item: any) => ({ value: item.value, label: item.label ?? item.value, description: item.description }));
}
