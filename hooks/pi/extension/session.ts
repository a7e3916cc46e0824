// One session of pi: sends its requests, and holds the state of hello, of the last replies, and of failures.
import { answerAll, newDesk } from "./asks.ts";
import type { Desk } from "./asks.ts";
import { runEffects } from "./apply.ts";
import type { Client, Options, Outcome } from "./client.ts";
import type { Last } from "./context.ts";
import type { Limits } from "./limits.ts";
import { envelope, guard, unsaved } from "./request.ts";

/** A program that keeps asking questions is stopped after this many. */
const ROUNDS = 200;
const MISSED = 20;
const VERSION = 1;

export interface How {
  signal?: AbortSignal;
  /** Overrides the limit in hello. */
  ms?: number;
  /** Set when somebody waits for the reply, even if hello lists the event as a background one. */
  wait?: boolean;
  /** Called with the reason when there is no reply. */
  failed?: (why: string) => void;
}

export class Session {
  pi: any;
  key: string;
  limits: Limits;
  /** The latest ctx of this session, for effects that are pushed. */
  ctx: any;
  client: Client | undefined;
  hello: any;
  over = false;
  /** Set once the prompt of a run was made, which later declarations would change. */
  prompted = false;
  /** Set when hello did not come in time for session_start. */
  late = false;
  last: Last | undefined;
  next: { context?: string; idleMs?: number } = {};
  /** Adds tools of hello to the prompt, by name. */
  activate: (names: string[]) => void = () => {};
  /** The time of the last request to the model, in ms. */
  calledAt = 0;
  /** The hashes of the system prompts that a reply has acknowledged. */
  prompts = new Set<string>();
  #acknowledged = new Set<string>();
  #missed: { event: string; ms?: number; why: string }[] = [];
  #noticed = false;
  #count = 0;
  #desk: Desk = newDesk();

  constructor(pi: any, ctx: any, key: string, limits: Limits) {
    this.pi = pi;
    this.ctx = ctx;
    this.key = key;
    this.limits = limits;
  }

  /** Ends the session and its program. Anything that still arrives is ignored. */
  async end(): Promise<void> {
    this.over = true;
    await this.client?.close();
  }

  /** Accepts hello. Returns false if its version differs by more than one. */
  greet(hello: any): boolean {
    if (!Number.isInteger(hello?.v) || Math.abs(hello.v - VERSION) > 1) {
      this.notice(`pictx is off in this session: it speaks version ${hello?.v} and its extension version ${VERSION}. Run pictx setup pi in a shell, then /reload.`);
      return false;
    }
    // The first hello counts for the whole session, even after a restart of the program.
    if (this.hello) return true;
    this.hello = hello;
    if (hello.context) this.next = { context: hello.context };
    return true;
  }

  wants(event: string): boolean {
    return Array.isArray(this.hello?.wants) && this.hello.wants.includes(event);
  }

  isBackground(event: string): boolean {
    return Array.isArray(this.hello?.background) && this.hello.background.includes(event);
  }

  /** Returns the time limit in ms of an event, or of the tool or command `name`. */
  limit(event: string, name?: string): number {
    const listed = this.hello?.timeouts?.[event];
    if (event === "tool" || event === "command") return listed?.[name ?? ""] ?? this.limits.declared;
    return typeof listed === "number" ? listed : this.isBackground(event) ? this.limits.background : this.limits.request;
  }

  /** Sends an event, answers the questions in replies, and returns the last reply, or undefined when there is none. */
  async ask(event: string, payload: any, ctx: any, how: How = {}): Promise<any> {
    const background = !how.wait && this.isBackground(event);
    const ms = how.ms ?? (payload.first ? Math.max(this.limit(event), this.limits.first) : this.limit(event, payload.name));
    let answers: any = {};
    for (let round = 0; round < ROUNDS; round++) {
      const request = this.#request(event, payload, ctx, answers);
      const limit = round ? Math.max(ms, this.limits.round) : ms;
      const reply = await this.#round(request, { ms: limit, signal: how.signal, background }, how.failed);
      if (!reply || !Array.isArray(reply.ask) || !reply.ask.length) return reply;
      runEffects(this.pi, ctx, reply.effects);
      const replies = await answerAll(this.#desk, reply.ask, ctx, how.signal);
      if (this.over || how.signal?.aborted) return undefined;
      answers = { replies, state: reply.state };
    }
    return this.failed(event, undefined, `pictx asked ${ROUNDS} questions and was stopped`);
  }

  #request(event: string, payload: any, ctx: any, answers: any): any {
    const request = { v: VERSION, id: String(++this.#count), event, ...envelope(ctx), payload, entries: unsaved(ctx, this.#acknowledged), ...answers };
    if (this.#missed.length) request.missed = [...this.#missed];
    return request;
  }

  async #round(request: any, options: Options, failed: How["failed"]): Promise<any> {
    const began = Date.now();
    const fail = (why: string) => {
      failed?.(why);
      return this.failed(request.event, Date.now() - began, why);
    };
    const outcome = await this.#send(request, options);
    if (this.over && request.event !== "session_shutdown") return undefined;
    if (!outcome.reply) return outcome.aborted ? undefined : fail(outcome.why ?? "pictx did not reply");
    this.#missed = this.#missed.filter((miss) => !request.missed?.includes(miss));
    const reply = outcome.reply;
    if (reply.error) return fail(String(reply.error));
    for (const entry of request.entries ?? []) this.#acknowledged.add(entry.id);
    if (Array.isArray(reply.active)) this.activate(reply.active);
    if (reply.next?.context) this.next = { context: reply.next.context, idleMs: reply.next.idleMs };
    return reply;
  }

  async #send(request: any, options: Options): Promise<Outcome> {
    if (!this.client) return { why: "pictx is not running" };
    try {
      return await this.client.request(request, options);
    } catch (error: any) {
      return { why: String(error?.message ?? error) };
    }
  }

  /** Records a failure for the next request, and tells the user about the first one. */
  failed(event: string, ms: number | undefined, why: string): undefined {
    this.miss(event, ms, why);
    this.notice(`${why.startsWith("pictx ") ? "" : "pictx: "}${why}. pi goes on, nothing is lost, and pictx tries again.`);
    return undefined;
  }

  miss(event: string, ms: number | undefined, why: string): void {
    this.#missed = [...this.#missed, { event, ms, why }].slice(-MISSED);
  }

  /** Notifies the user, at most once per session. */
  notice(text: string): void {
    if (this.#noticed || this.over) return;
    this.#noticed = true;
    if (guard(() => this.ctx.hasUI)) guard(() => this.ctx.ui.notify(text, "warning"));
    else process.stderr.write(`${text}\n`);
  }
}
