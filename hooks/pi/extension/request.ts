// Builds requests: the envelope of every event, and of its payload the members that the protocol names. Everything is
// read from pi behind a guard, because its getters throw once a session has ended.
import { createHash } from "node:crypto";

/** Returns the value of `get`, or undefined when it throws. */
export function guard<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}

const MODES = ["tui", "rpc", "json", "print"];

/** Returns the members that every request has. */
export function envelope(ctx: any): any {
  const manager = guard(() => ctx.sessionManager);
  const hasUI = guard(() => ctx.hasUI) === true;
  const mode = guard(() => ctx.mode);
  return {
    cwd: guard(() => ctx.cwd) ?? process.cwd(),
    mode: MODES.includes(mode) ? mode : hasUI ? "rpc" : "print",
    hasUI,
    trusted: guard(() => ctx.isProjectTrusted?.()),
    approved: approved() || undefined,
    nested: isNested() || undefined,
    idle: guard(() => ctx.isIdle?.()),
    can: capabilities(ctx, manager),
    session: {
      id: guard(() => manager.getSessionId()) ?? "",
      file: guard(() => manager.getSessionFile()),
      leafId: guard(() => manager.getLeafId()) ?? null,
    },
    model: guard(() => model(ctx.model)),
    usage: guard(() => usage(ctx.getContextUsage?.())),
  };
}

/** Reports whether the user told pi to trust the project for this run. The last flag counts. */
export function approved(): boolean {
  const flags: Record<string, boolean> = { "--approve": true, "-a": true, "--no-approve": false, "-na": false };
  return process.argv.reduce((yes, arg) => flags[arg] ?? yes, false);
}

/** Reports whether this pi was started by another one, the first of which set the variable. */
export function isNested(): boolean {
  const first = process.env.PICTX_PI_PID;
  return !!first && first !== String(process.pid);
}

/** Lists the capabilities of this pi. */
function capabilities(ctx: any, manager: any): string[] {
  const can: string[] = [];
  if (typeof guard(() => manager.appendContextEdit) === "function") can.push("contextEdit");
  if (can.length && typeof guard(() => manager.appendCompaction) === "function") can.push("fold");
  if (guard(() => ctx.modelRegistry)) can.push("complete");
  return can;
}

function model(m: any): any {
  if (!m) return undefined;
  const { input, output, cacheRead, cacheWrite, tiers } = m.cost ?? {};
  const cost = m.cost && { input, output, cacheRead, cacheWrite, tiers };
  const { provider, id, api, contextWindow, maxTokens, reasoning, promptCache, compat } = m;
  return { provider, id, api, contextWindow, maxTokens, reasoning, cost, promptCache, compat };
}

function usage(u: any): any {
  return u && { tokens: u.tokens, contextWindow: u.contextWindow, percent: u.percent };
}

/** Returns the entries of a session without a file that no reply has acknowledged yet. */
export function unsaved(ctx: any, acknowledged: Set<string>): any[] | undefined {
  const manager = guard(() => ctx.sessionManager);
  if (!manager || guard(() => manager.getSessionFile())) return undefined;
  const fresh = (guard(() => manager.getBranch()) ?? []).filter((entry: any) => entry?.id && !acknowledged.has(entry.id));
  return fresh.length ? fresh : undefined;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** The payloads of events that depend on the event alone. */
export const payloads: Record<string, (event: any) => any> = {
  session_start: (e) => ({ reason: e.reason, previousSessionFile: e.previousSessionFile }),
  tool_call: (e) => ({ toolName: e.toolName, toolCallId: e.toolCallId, input: e.input }),
  tool_result: (e) => ({ toolName: e.toolName, toolCallId: e.toolCallId, input: e.input, content: slim(e.content), isError: e.isError === true }),
  turn_end: (e) => ({ turnIndex: e.turnIndex, messageEntryId: e.messageEntryId, toolResultEntryIds: e.toolResultEntryIds, outcome: e.outcome }),
  cache_warming_decision: (e) => ({ warmCost: e.warmCost, missCost: e.missCost, continuationProbability: e.continuationProbability, action: e.action }),
  agent_end: () => ({}),
  session_before_compact: compaction,
  session_compact: (e) => ({ compactionEntryId: e.compactionEntry?.id, fromExtension: e.fromExtension, reason: e.reason, willRetry: e.willRetry }),
  session_tree: (e) => ({ newLeafId: e.newLeafId, oldLeafId: e.oldLeafId, summaryEntryId: e.summaryEntry?.id, fromExtension: e.fromExtension }),
  session_shutdown: (e) => ({ reason: e.reason, targetSessionFile: e.targetSessionFile }),
};

function compaction(e: any): any {
  const p = e.preparation ?? {};
  return {
    reason: e.reason,
    willRetry: e.willRetry,
    customInstructions: e.customInstructions,
    firstKeptEntryId: p.firstKeptEntryId,
    tokensBefore: p.tokensBefore,
    isSplitTurn: p.isSplitTurn,
    previousSummary: p.previousSummary,
    messagesToSummarize: p.messagesToSummarize?.length ?? 0,
    turnPrefixMessages: p.turnPrefixMessages?.length ?? 0,
    // pi has sets here, which JSON would write as {}.
    fileOps: p.fileOps && { read: list(p.fileOps.read), written: list(p.fileOps.written), edited: list(p.fileOps.edited) },
    settings: p.settings,
  };
}

function list(values: any): string[] {
  return guard(() => [...(values ?? [])]) ?? [];
}

/** Returns the content with images replaced by numbered placeholders: {type: "image", image: 0, bytes: 1234}. */
function slim(content: any): any[] {
  if (!Array.isArray(content)) return typeof content === "string" ? [{ type: "text", text: content }] : [];
  let image = 0;
  return content.map((block) => (block?.type === "image" ? { type: "image", image: image++, mimeType: block.mimeType, bytes: bytes(block.data) } : block));
}

/** Returns the decoded size of a base64 text. */
function bytes(data: any): number | undefined {
  if (typeof data !== "string") return undefined;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
