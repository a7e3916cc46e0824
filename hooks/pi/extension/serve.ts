// The transport with one long-running process: a request per line, replies by id in any order.
import { deadline, GARBAGE, line, parse, Rest } from "./client.ts";
import type { Client, Listener, Options, Outcome } from "./client.ts";
import { byLine, start } from "./process.ts";
import type { Launch, Running } from "./process.ts";

interface Child {
  process: Running;
  pending: Map<string, (outcome: Outcome) => void>;
  /** Lines to send once hello has come; undefined from then on. */
  queue: string[] | undefined;
  born: number;
  chunks: number;
  garbage: boolean;
  /** Lines since the last reply that nobody asked for. */
  strays: number;
  ended: Promise<void>;
}

/** A process with more stray lines than this is killed: reading them takes pi's time. Replies to cancelled requests are few. */
const STRAYS = 1000;

export function serve(launch: Launch, listener: Listener): Client {
  return new Serve(launch, listener);
}

/** Reports whether the promise resolved in time. The timer keeps pi alive meanwhile; the child process does not. */
async function within(ms: number, promise: Promise<void>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const inTime = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

class Serve {
  launch: Launch;
  listener: Listener;
  rest: Rest;
  child: Child | undefined;
  closed = false;
  waiting = new Set<(outcome: Outcome) => void>();

  constructor(launch: Launch, listener: Listener) {
    this.launch = launch;
    this.rest = new Rest(launch.limits.rest);
    this.listener = listener;
  }

  hello(ms: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const settle = (outcome: Outcome) => {
        off();
        this.waiting.delete(settle);
        resolve(outcome);
      };
      const off = deadline({ ms }, () => settle({ why: `pictx did not start within ${ms / 1000} s` }), () => {});
      this.waiting.add(settle);
      this.wake();
    });
  }

  wake(): void {
    if (!this.closed && !this.child && !this.rest.on) this.child = this.begin();
  }

  request(request: any, options: Options): Promise<Outcome> {
    if (options.signal?.aborted) return Promise.resolve({ why: "aborted", aborted: true });
    const text = line(request);
    if (text === undefined) return Promise.resolve({ why: "pi sent an event that is not JSON" });
    this.wake();
    const child = this.child;
    if (!child) return Promise.resolve(this.rest.on ? this.rest.outcome() : { why: "pictx is not running" });
    return new Promise((resolve) => this.send(child, request.id, text, options, resolve));
  }

  async close(): Promise<void> {
    this.closed = true;
    const child = this.child;
    if (!child) return;
    child.process.end();
    if (await within(this.launch.limits.goodbye, child.ended)) return;
    child.process.kill();
    await within(this.launch.limits.goodbye, child.ended);
  }

  begin(): Child {
    let over = () => {};
    const ended = new Promise<void>((resolve) => (over = resolve));
    const read = byLine((text) => this.read(child, text));
    const process = start(this.launch, ["hook", "--serve", ...this.launch.trust], {
      chunk: (data) => {
        child.chunks++;
        read(data);
      },
      ended: (why) => {
        this.childEnded(child, why);
        over();
      },
    });
    const child: Child = { process, pending: new Map(), queue: [], born: Date.now(), chunks: 0, garbage: false, strays: 0, ended };
    return child;
  }

  childEnded(child: Child, why: string): void {
    if (this.child === child) this.child = undefined;
    if (!this.closed) this.rest.died();
    for (const settle of [...child.pending.values(), ...this.waiting]) settle({ why: child.garbage ? `${GARBAGE}; ${why}` : why });
  }

  send(child: Child, id: string, text: string, options: Options, resolve: (outcome: Outcome) => void): void {
    const settle = (outcome: Outcome) => {
      off();
      child.pending.delete(id);
      resolve(outcome);
    };
    const giveUp = (outcome: Outcome) => {
      settle(outcome);
      this.cancel(child, id);
    };
    const late = () => giveUp({ why: child.garbage ? GARBAGE : `pictx did not reply within ${options.ms} ms` });
    const off = deadline(options, late, () => giveUp({ why: "aborted", aborted: true }));
    child.pending.set(id, settle);
    this.write(child, text);
  }

  write(child: Child, text: string): void {
    if (child.queue) child.queue.push(text);
    else child.process.write(text);
  }

  /** Cancels a request, and kills a process that does not print anything afterwards. */
  cancel(child: Child, id: string): void {
    this.write(child, `${JSON.stringify({ v: 1, cancel: id })}\n`);
    const before = child.chunks;
    const check = () => {
      if (child.chunks === before && (!child.queue || Date.now() - child.born > this.launch.limits.birth)) child.process.kill();
    };
    setTimeout(() => setImmediate(check), this.launch.limits.silence).unref();
  }

  read(child: Child, text: string): void {
    if (!text.trim() || child.strays > STRAYS) return;
    const message = parse(text);
    const asked = message && (message.hello || message.effects || child.pending.has(message.id));
    if (!asked && ++child.strays > STRAYS) child.process.kill();
    if (!message) child.garbage = true;
    else if (message.hello) this.greet(child, message.hello);
    else if (message.id !== undefined) this.answer(child, message);
    else if (Array.isArray(message.effects)) this.listener.push(message.effects);
  }

  greet(child: Child, hello: any): void {
    const accepted = this.listener.hello(hello);
    for (const settle of this.waiting) settle({ reply: { hello } });
    const queue = child.queue ?? [];
    child.queue = undefined;
    if (accepted) for (const text of queue) child.process.write(text);
    else void this.close();
  }

  answer(child: Child, reply: any): void {
    const settle = child.pending.get(reply.id);
    if (!settle) return; // of a cancelled or unknown request
    child.garbage = false;
    child.strays = 0;
    this.rest.answered();
    settle({ reply });
  }
}
