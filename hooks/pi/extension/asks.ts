// What only the agent can do: asking its person, and calling its models.
import { complete } from "./models.ts";
import { multiselect } from "./multiselect.ts";
import { labels } from "./labels.ts";

type Run = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * One question at a time for the person, four calls at a time for the models. Tools that run at
 * once may ask the same: then it is asked once, and the answer is everybody's.
 */
export interface Desk {
  person: Run;
  models: Run;
  open: Map<string, Promise<any>>;
}

export function newDesk(): Desk {
  return { person: gate(1), models: gate(4), open: new Map() };
}

/** Lets through `width` at a time, in order. */
export function gate(width: number): Run {
  let busy = 0;
  const line: (() => void)[] = [];
  return async (work) => {
    if (busy < width) busy++;
    else await new Promise<void>((go) => line.push(go));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else busy--;
    }
  };
}

/** The replies to all asks, in their order. An ask that fails is a reply as well. */
export function answerAll(desk: Desk, asks: any[], ctx: any, signal?: AbortSignal): Promise<any[]> {
  return Promise.all(asks.slice(0, 8).map((ask) => answer(desk, ask, ctx, signal)));
}

async function answer(desk: Desk, ask: any, ctx: any, signal?: AbortSignal): Promise<any> {
  const spent: any[] = [];
  const reply = await replyTo(desk, ask, ctx, spent, signal);
  return spent.length > 0 ? { ...reply, spent } : reply;
}

async function replyTo(desk: Desk, ask: any, ctx: any, spent: any[], signal?: AbortSignal): Promise<any> {
  const id = String(ask?.id);
  try {
    if (ask.kind === "complete") return { id, value: await desk.models(() => complete(ask, ctx, spent, signal)) };
    const question = questions[ask.kind];
    if (!question) return { id, error: `unknown kind: ${ask.kind}` };
    const value = await once(desk.open, JSON.stringify({ ...ask, id: "" }), () =>
      desk.person(async () => (signal?.aborted || !ctx.hasUI ? undefined : question(ask, ctx, signal))),
    );
    return value === undefined || value === null ? { id, cancelled: true } : { id, value };
  } catch (error: any) {
    return { id, error: String(error?.message ?? error) };
  }
}

/** The work of a key that is open already, or else this one. */
function once<T>(open: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  let going = open.get(key);
  if (!going) {
    going = work().finally(() => open.delete(key));
    open.set(key, going);
  }
  return going;
}

const questions: Record<string, (ask: any, ctx: any, signal?: AbortSignal) => Promise<any>> = {
  confirm: (ask, ctx, signal) => ctx.ui.confirm(ask.title, ask.message ?? "", { signal }),
  select,
  multiselect,
  input,
};

async function select(ask: any, ctx: any, signal?: AbortSignal): Promise<string | undefined> {
  const lines = labels(ask.options);
  const chosen = await ctx.ui.select(ask.title, lines, { signal });
  return ask.options[lines.indexOf(chosen)]?.value;
}

/** A field of one line takes no text to start from, so that asks with one get the editor as well. */
function input(ask: any, ctx: any, signal?: AbortSignal): Promise<string | undefined> {
  if (ask.multiline || ask.initial) return ctx.ui.editor(ask.title, ask.initial ?? "");
  return ctx.ui.input(ask.title, ask.placeholder, { signal });
}
