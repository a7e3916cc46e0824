// What both transports have in common: what a request comes to, when to stop asking, and how long to wait.
import type { Launch } from "./process.ts";

/** A reply, or why there is none. `aborted` is no failure: somebody gave the request up. */
export interface Outcome {
  reply?: any;
  why?: string;
  aborted?: boolean;
}

export interface Options {
  ms: number;
  signal?: AbortSignal;
  /** Nobody waits: the timer must not keep the agent alive. */
  background?: boolean;
}

/** Told of what comes without a request. */
export interface Listener {
  /** Every hello, also one that is late or that of another child. False: this version cannot be spoken with. */
  hello(hello: any): boolean;
  push(effects: any[]): void;
}

export interface Client {
  /** Waits for hello, starting pictx if need be. The listener has got it too. */
  hello(ms: number): Promise<Outcome>;
  request(request: any, options: Options): Promise<Outcome>;
  /** Starts pictx if it is not there, without waiting. */
  wake(): void;
  /** Ends pictx: it has a second to go by itself. */
  close(): Promise<void>;
}

export type NewClient = (launch: Launch, listener: Listener) => Client;

/** Why there is no reply to be had from what was printed. */
export const GARBAGE = "pictx printed something that is not a reply";

const DEATHS = 3;

/** Three deaths in a row without a reply between them, and pictx is left alone for `ms`. */
export class Rest {
  ms: number;
  deaths = 0;
  until = 0;

  constructor(ms: number) {
    this.ms = ms;
  }

  died(): void {
    if (++this.deaths >= DEATHS) this.until = Date.now() + this.ms;
  }

  answered(): void {
    this.deaths = 0;
    this.until = 0;
  }

  get on(): boolean {
    return Date.now() < this.until;
  }

  outcome(): Outcome {
    return { why: `pictx stopped ${this.deaths} times in a row and rests for a minute` };
  }
}

/**
 * Calls `late` when the time is up, and `abort` when the signal says so; returns a function that calls both off. An
 * agent that was busy may have the answer lying in the pipe when its timer fires: reading comes first.
 */
export function deadline(options: Options, late: () => void, abort: () => void): () => void {
  let off = false;
  const timer = setTimeout(() => setImmediate(() => off || late()), options.ms);
  if (options.background) timer.unref();
  options.signal?.addEventListener("abort", abort, { once: true });
  return () => {
    off = true;
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  };
}

/** An object from a line, or undefined. */
export function parse(line: string): any {
  try {
    const value = JSON.parse(line);
    return value && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A request as a line, or undefined when it holds what JSON cannot say. */
export function line(request: any): string | undefined {
  try {
    return JSON.stringify(request) + "\n";
  } catch {
    return undefined;
  }
}
