// What both transports share: the outcome of a request, time limits, and the pause after repeated crashes.
import type { Launch } from "./process.ts";

/** A reply, or why there is none. `aborted` means that the request was cancelled, which is not a failure. */
export interface Outcome {
  reply?: any;
  why?: string;
  aborted?: boolean;
}

export interface Options {
  ms: number;
  signal?: AbortSignal;
  /** Nobody waits for the reply, so the timer must not keep pi alive. */
  background?: boolean;
}

/** Receives messages of pictx that do not reply to a request. */
export interface Listener {
  /** Called for every hello, even a late one or one of a restarted process. Returns false for an unsupported version. */
  hello(hello: any): boolean;
  push(effects: any[]): void;
}

export interface Client {
  /** Waits for hello, and starts pictx if necessary. The listener gets the hello as well. */
  hello(ms: number): Promise<Outcome>;
  request(request: any, options: Options): Promise<Outcome>;
  /** Starts pictx if it is not running, without waiting. */
  wake(): void;
  /** Ends pictx, with limits.goodbye to exit by itself. */
  close(): Promise<void>;
}

export type NewClient = (launch: Launch, listener: Listener) => Client;

export const GARBAGE = "pictx printed something that is not a reply";

const DEATHS = 3;

/** Pauses restarts for `ms` after DEATHS crashes in a row without a reply in between. */
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
 * Calls `late` when the time is up and `abort` when the signal fires. Returns a function that cancels both. While pi was
 * busy, the reply may have arrived in the pipe unread, so `late` waits for pending reads first.
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

/** Parses a line that holds a JSON object; undefined for anything else. */
export function parse(line: string): any {
  try {
    const value = JSON.parse(line);
    return value && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a request as a line; undefined when it cannot be written as JSON. */
export function line(request: any): string | undefined {
  try {
    return JSON.stringify(request) + "\n";
  } catch {
    return undefined;
  }
}
