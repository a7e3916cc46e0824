// Applies a reply: effects, session entries, and the results of single events. Edits of the messages of a request are in
// context.ts. Each step has its own guard, so that one that pi rejects does not prevent the others.
import { fit, SHOWN } from "./context.ts";
import { guard } from "./request.ts";

/** Runs effects in order. If the session has ended, pi throws and they have no effect. */
export function runEffects(pi: any, ctx: any, effects: any): void {
  if (!Array.isArray(effects)) return;
  for (const effect of effects) guard(() => effectHandlers[effect?.type]?.(pi, ctx, effect));
}

const effectHandlers: Record<string, (pi: any, ctx: any, effect: any) => void> = {
  notify: (_pi, ctx, e) => ctx.ui.notify(e.text, e.level ?? "info"),
  status: (_pi, ctx, e) => ctx.ui.setStatus(e.key, e.text ?? undefined),
  message: (pi, _ctx, e) => pi.sendMessage(custom(e.message), { triggerTurn: e.triggerTurn, deliverAs: e.deliverAs }),
  appendEntry: (pi, _ctx, e) => pi.appendEntry(e.customType, e.data),
  widget: (_pi, ctx, e) => ctx.ui.setWidget(e.key, e.lines ?? undefined, e.placement && { placement: e.placement }),
  label: (pi, _ctx, e) => pi.setLabel(e.entryId, e.label ?? undefined),
  compact: (_pi, ctx, e) => ctx.compact({ customInstructions: e.customInstructions }),
};

/** Appends entries at once, for events that cannot return them as drafts. */
export function appendEntries(pi: any, ctx: any, entries: any): void {
  if (!Array.isArray(entries)) return;
  for (const entry of entries) guard(() => entryHandlers[entry?.type]?.(pi, ctx, entry));
}

const entryHandlers: Record<string, (pi: any, ctx: any, entry: any) => void> = {
  context_edit: (_pi, ctx, e) => ctx.sessionManager.appendContextEdit?.(e.targetId, e.replacement),
  custom: (pi, _ctx, e) => pi.appendEntry(e.customType, e.data),
  compaction: (_pi, ctx, e) => ctx.sessionManager.appendCompaction?.(e.summary, e.firstKeptEntryId, ctx.getContextUsage?.()?.tokens ?? 0, e.details, true),
  // triggerTurn is false because a message that arrives during a run would otherwise start another turn.
  custom_message: (pi, _ctx, e) => pi.sendMessage(custom(e), { triggerTurn: false }),
};

/** Returns the drafts for turn_end, or undefined when there is nothing to add. */
export function drafts(pi: any, event: any, ctx: any, result: any): any {
  const ours = Array.isArray(result?.entries) ? result.entries : [];
  if (!Array.isArray(event.entries)) {
    appendEntries(pi, ctx, ours);
    return undefined;
  }
  const valid = withoutStrayEdits(ctx, ours);
  return valid.length ? { entries: [...event.entries, ...valid] } : undefined;
}

/** Removes edits of entries that are not on the branch: one such edit makes pi reject the drafts of all extensions. */
function withoutStrayEdits(ctx: any, entries: any[]): any[] {
  if (!entries.some((entry) => entry?.type === "context_edit")) return entries;
  const branch = guard(() => new Set<string>(ctx.sessionManager.getBranch().filter(isEditable).map((entry: any) => entry.id)));
  return branch ? entries.filter((entry) => entry?.type !== "context_edit" || branch.has(entry.targetId)) : entries;
}

function isEditable(entry: any): boolean {
  return entry.type === "custom_message" || (entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message?.role));
}

/** Returns a custom message in pi's form. */
export function custom(m: any): any {
  return { customType: m.customType, content: fit("custom", m.content) ?? "", display: m.display === true, details: m.details };
}

/** Returns the changes to a tool result, or undefined when there are none. */
export function toolResult(event: any, result: any): any {
  const out: any = {};
  const content = blocks(result?.content, event.content);
  if (content) out.content = content;
  // Newer versions of pi drop structuredContent unless it is returned together with content.
  if (content && event.structuredContent !== undefined) out.structuredContent = event.structuredContent;
  if (result?.details !== undefined) out.details = result.details;
  if (typeof result?.isError === "boolean") out.isError = result.isError;
  return Object.keys(out).length ? out : undefined;
}

/** Replaces image placeholders, {type: "image", image: 0}, by the original images. */
function blocks(content: any, original: any): any[] | undefined {
  const fitting = fit("toolResult", content) as any[] | undefined;
  const images = (Array.isArray(original) ? original : []).filter((block) => block?.type === "image");
  return fitting?.map((block) => (isPlaceholder(block) ? images[block.image] : block)).filter(Boolean);
}

function isPlaceholder(block: any): boolean {
  return block.type === "image" && block.data === undefined;
}

/** Returns the result of session_before_compact, or undefined to let pi compact by itself. */
export function compaction(event: any, result: any): any {
  if (result?.cancel === true) return { cancel: true };
  const ours = result?.compaction;
  if (typeof ours?.summary !== "string" || !ours.summary) return undefined;
  const first = ours.firstKeptEntryId ?? event.preparation?.firstKeptEntryId;
  // If pi does not know the id, it keeps no messages at all.
  if (Array.isArray(event.branchEntries) && !event.branchEntries.some((entry: any) => entry.id === first)) return undefined;
  return { compaction: { ...ours, firstKeptEntryId: first, tokensBefore: ours.tokensBefore ?? event.preparation?.tokensBefore } };
}

/** Shows the text of a command where `show` says. Without a UI it goes to standard error: standard output may carry a protocol. */
export function show(pi: any, ctx: any, result: any): void {
  const text = result?.text;
  if (typeof text !== "string" || !text) return;
  if (result.show === "message") pi.sendMessage({ customType: SHOWN, content: text, display: true }, { triggerTurn: false });
  else if (!ctx.hasUI) process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);
  else if (result.show === "widget") ctx.ui.setWidget("pictx", text.split("\n"));
  else if (result.show === "editor") ctx.ui.setEditorText(text);
  else ctx.ui.notify(text, result.level ?? "info");
}
