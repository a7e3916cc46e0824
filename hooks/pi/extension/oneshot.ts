// The transport that starts a process per event.
import { deadline, GARBAGE, line, parse, Rest } from "./client.ts";
import type { Client, Listener, Options, Outcome } from "./client.ts";
import { start } from "./process.ts";
import type { Launch, Running } from "./process.ts";

export function oneShot(launch: Launch, listener: Listener): Client {
  return new OneShot(launch, listener);
}

class OneShot {
  launch: Launch;
  listener: Listener;
  rest: Rest;
  closed = false;
  greeting: Promise<Outcome> | undefined;
  running = new Set<Running>();

  constructor(launch: Launch, listener: Listener) {
    this.launch = launch;
    this.rest = new Rest(launch.limits.rest);
    this.listener = listener;
  }

  hello(ms: number): Promise<Outcome> {
    this.greeting ??= this.greet(ms).finally(() => (this.greeting = undefined));
    return this.greeting;
  }

  wake(): void {
    if (!this.closed && !this.rest.on) void this.hello(this.launch.limits.hello);
  }

  async request(request: any, options: Options): Promise<Outcome> {
    if (this.closed) return { why: "pictx is not running" };
    if (options.signal?.aborted) return { why: "aborted", aborted: true };
    if (this.rest.on) return this.rest.outcome();
    const input = line(request);
    if (input === undefined) return { why: "pi sent an event that is not JSON" };
    return this.run([request.event, ...this.launch.trust], input, options);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const process of this.running) process.kill();
  }

  async greet(ms: number): Promise<Outcome> {
    const outcome = await this.run(["hello", ...this.launch.trust], "", { ms });
    if (!outcome.reply) return outcome;
    if (!outcome.reply.hello) return { why: GARBAGE };
    if (!this.listener.hello(outcome.reply.hello)) this.closed = true;
    return outcome;
  }

  run(args: string[], input: string, options: Options): Promise<Outcome> {
    return new Promise((resolve) => {
      const out: Buffer[] = [];
      let settled = false;
      const settle = (outcome: Outcome) => {
        settled = true;
        off();
        resolve(outcome);
      };
      const giveUp = (outcome: Outcome) => {
        process.kill();
        settle(outcome);
      };
      const process = start(this.launch, ["hook", ...args], {
        chunk: (data) => {
          out.push(data);
          // The first whole line is the reply. The process may go on with background work.
          const reply = !settled && data.includes(10) ? parse(text(out)) : undefined;
          if (reply) settle(this.answered(reply));
        },
        ended: (why, code) => {
          this.running.delete(process);
          if (!settled) settle(this.endedEarly(text(out), why, code));
        },
      });
      const off = deadline(options, () => giveUp({ why: `pictx did not reply within ${options.ms} ms` }), () => giveUp({ why: "aborted", aborted: true }));
      this.running.add(process);
      process.write(input);
      process.end();
    });
  }

  answered(reply: any): Outcome {
    this.rest.answered();
    return { reply };
  }

  /** The outcome of a process that ended without printing a whole line. */
  endedEarly(output: string, why: string, code: number | null): Outcome {
    const reply = code === 0 ? parse(output) : undefined;
    if (reply) return this.answered(reply);
    this.rest.died();
    return { why: code !== 0 ? why : output.trim() ? GARBAGE : "pictx did not reply" };
  }
}

function text(parts: Buffer[]): string {
  return Buffer.concat(parts).toString("utf8");
}
