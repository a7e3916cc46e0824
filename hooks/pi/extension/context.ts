// Edits the messages of the next request to the model. Messages are not sent to pictx, only their keys. An edited message
// is a copy with another content; all others stay the same objects, so that the request repeats the earlier one byte for
// byte and the prompt cache stays valid.
import { guard } from "./request.ts";

/** The edits of the last reply, by message name (see identify), so that they can be applied again without a reply. */
export interface Last {
  edits: Map<string, any>;
  inserts: { before: string; message: any }[];
}

const END = "end";
const EDITABLE = ["user", "assistant", "toolResult", "custom"];
/** The type of messages that only the user sees; apply removes them from requests. */
export const SHOWN = "pictx.shown";

export function keys(messages: any[]): any[] {
  return messages.map((m, i) => ({
    i,
    role: String(m?.role),
    timestamp: typeof m?.timestamp === "number" ? m.timestamp : undefined,
    toolCallId: typeof m?.toolCallId === "string" ? m.toolCallId : undefined,
  }));
}

/** Returns the edits and inserts of a reply by message name, undefined when there are none. */
export function remember(result: any, messages: any[], ctx: any, name = namer(messages)): Last | undefined {
  const edits = Array.isArray(result?.edits) ? result.edits : [];
  const inserts = Array.isArray(result?.insert) ? result.insert : [];
  if (!edits.length && !inserts.length) return undefined;
  const names = name();
  const byEntry = edits.some((edit: any) => typeof edit?.entryId === "string") ? positions(messages, ctx) : new Map<string, number>();
  const last: Last = { edits: new Map(), inserts: [] };
  for (const edit of edits) {
    const target = names[edit?.index ?? byEntry.get(edit?.entryId)];
    if (target !== undefined) last.edits.set(target, edit.content);
  }
  for (const insert of inserts) {
    const before = insert?.before === END ? END : names[insert?.before];
    if (before !== undefined && insert.message) last.inserts.push({ before, message: insert.message });
  }
  return last;
}

/** Returns the edited messages, or undefined when nothing changes: pi then keeps its own list. */
export function apply(last: Last | undefined, messages: any[], name = namer(messages)): any[] | undefined {
  const names = last ? name() : [];
  const out: any[] = [];
  let changed = false;
  for (let i = 0; i < messages.length; i++) {
    const insert = last ? inserted(last, names[i]) : [];
    const message = last ? edited(messages[i], last, names[i]) : messages[i];
    const hidden = message?.role === "custom" && message.customType === SHOWN;
    changed ||= hidden || insert.length > 0 || message !== messages[i];
    out.push(...insert);
    if (!hidden) out.push(message);
  }
  const end = last ? inserted(last, END) : [];
  return changed || end.length ? [...out, ...end] : undefined;
}

function edited(message: any, last: Last, name: string): any {
  if (!last.edits.has(name) || !EDITABLE.includes(message.role)) return message;
  const content = fit(message.role, last.edits.get(name));
  if (content === undefined || equal(content, message.content)) return message;
  return { ...message, content };
}

/** Compares two contents deeply. Comparing JSON would be slower: most contents differ early, and old ones are long. */
function equal(a: any, b: any): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && equal(a[name], b[name]));
}

function inserted(last: Last, before: string): any[] {
  const out: any[] = [];
  for (const insert of last.inserts) {
    if (insert.before !== before || !EDITABLE.includes(insert.message.role)) continue;
    const content = fit(insert.message.role, insert.message.content);
    if (content !== undefined) out.push({ ...insert.message, content });
  }
  return out;
}

/** Returns the content in a form that messages of this role may have, else undefined. Any other form crashes pi. */
export function fit(role: string, content: any): string | any[] | undefined {
  if (typeof content === "string") return role === "assistant" || role === "toolResult" ? [{ type: "text", text: content }] : content;
  return Array.isArray(content) && content.every((block) => typeof block?.type === "string") ? content : undefined;
}

/** Returns a function that names the messages of a list; the names are computed on the first call. */
export function namer(messages: any[]): () => string[] {
  let names: string[] | undefined;
  return () => (names ??= identify(messages));
}

/** Names each message by its identity. Messages with the same identity are numbered in order. */
function identify(messages: any[]): string[] {
  const seen = new Map<string, number>();
  return messages.map((m) => {
    const key = identity(m);
    const before = seen.get(key);
    seen.set(key, (before ?? 0) + 1);
    return before ? `${key}|${before}` : key;
  });
}

function identity(m: any): string {
  return `${m?.role}|${m?.timestamp}|${m?.toolCallId ?? ""}`;
}

/** Maps session entries to the indexes of their messages. */
function positions(messages: any[], ctx: any): Map<string, number> {
  return guard(() => projected(messages, ctx)) ?? guard(() => matched(messages, ctx)) ?? new Map();
}

/** Asks pi which message came from which entry, where pi can tell. */
function projected(messages: any[], ctx: any): Map<string, number> | undefined {
  const projection = ctx.sessionManager.buildSessionProjection?.();
  if (!projection) return undefined;
  const rows = projection.entries.flatMap((e: any) => e.messages.map((m: any) => ({ id: e.sourceEntry.id, m })));
  const sent = rows.filter((row: any) => row.m.role !== "system");
  // Another extension may have changed the list earlier.
  if (sent.length !== messages.length || sent.some((row: any, i: number) => identity(row.m) !== identity(messages[i]))) return undefined;
  return new Map(sent.map((row: any, i: number) => [row.id, i]));
}

/** Finds the messages of entries by identity, for versions of pi that cannot tell. */
function matched(messages: any[], ctx: any): Map<string, number> {
  const indexes = new Map(messages.map((m, i) => [identity(m), i]));
  const found = new Map<string, number>();
  for (const entry of ctx.sessionManager.getBranch()) {
    const index = indexes.get(entryIdentity(entry));
    if (index !== undefined) found.set(entry.id, index);
  }
  return found;
}

const ROLES: Record<string, string> = { custom_message: "custom", compaction: "compactionSummary", branch_summary: "branchSummary" };

/** Returns the identity of the message that pi makes of an entry. */
function entryIdentity(entry: any): string {
  if (entry.type === "message") return identity(entry.message);
  return identity({ role: ROLES[entry.type], timestamp: Date.parse(entry.timestamp) });
}
