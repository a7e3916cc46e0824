// Answers the questions of pictx: by asking the user, or by calling a model.
import { complete } from "./models.ts";
import { multiselect } from "./multiselect.ts";
import { labels } from "./labels.ts";

type Run = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Limits what runs at once: one question to the user, four requests to models. Tools that run at the same time may ask
 * the same question. It is then asked once, and all of them get the answer.
 */
export interface Desk {
  user: Run;
  models: Run;
  open: Map<string, Promise<any>>;
}

export function newDesk(): Desk {
  return { user: gate(1), models: gate(4), open: new Map() };
}

/** Returns a function that runs at most `width` jobs at a time, in the order of the calls. */
export function gate(width: number): Run {
  let busy = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (busy < width) busy++;
    else await new Promise<void>((go) => queue.push(go));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else busy--;
    }
  };
}

/** Answers up to 8 asks and returns the answers in their order. A failure is an answer with `error`. */
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
      desk.user(async () => (signal?.aborted || !ctx.hasUI ? undefined : question(ask, ctx, signal))),
    );
    return value === undefined || value === null ? { id, cancelled: true } : { id, value };
  } catch (error: any) {
    return { id, error: String(error?.message ?? error) };
  }
}

/** Returns the running work with this key, or starts `work`. */
function once<T>(open: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  let running = open.get(key);
  if (!running) {
    running = work().finally(() => open.delete(key));
    open.set(key, running);
  }
  return running;
}

const questions: Record<string, (ask: any, ctx: any, signal?: AbortSignal) => Promise<any>> = {
  confirm: (ask, ctx, signal) => ctx.ui.confirm(ask.title, ask.message ?? "", { signal, timeout: ask.timeoutMs }),
  select,
  multiselect,
  input,
};

async function select(ask: any, ctx: any, signal?: AbortSignal): Promise<string | undefined> {
  const lines = labels(ask.options);
  const chosen = await ctx.ui.select(ask.title, lines, { signal, timeout: ask.timeoutMs });
  return ask.options[lines.indexOf(chosen)]?.value;
}

/** pi's single-line input takes no initial text, so asks that have one open the editor. */
function input(ask: any, ctx: any, signal?: AbortSignal): Promise<string | undefined> {
  if (ask.multiline || ask.initial) return ctx.ui.editor(ask.title, ask.initial ?? "");
  return ctx.ui.input(ask.title, ask.placeholder, { signal });
}
