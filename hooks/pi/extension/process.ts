// One process of pictx and its pipes. It holds nothing of the protocol.
import { spawn } from "node:child_process";
import type { Limits } from "./limits.ts";

/** How to start pictx. `trust` is what the agent says of the project, as arguments. */
export interface Launch {
  bin: string;
  cwd: string;
  trust: string[];
  limits: Limits;
}

/** What is told of a process. `ended` is called once. */
export interface Watcher {
  chunk(data: Buffer): void;
  ended(why: string, code: number | null): void;
}

export interface Running {
  write(text: string): void;
  end(): void;
  kill(): void;
}

/**
 * Starts `bin` with `args`. No shell, and pipes only: the agent's own streams may carry a protocol. Nothing of the
 * process keeps the agent alive; whoever waits for an answer holds a timer.
 */
export function start(launch: Launch, args: string[], watcher: Watcher): Running {
  const child = spawn(launch.bin, args, { cwd: launch.cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  let lastWords = "";
  let over = false;
  const ended = (what: string, code: number | null) => {
    if (over) return;
    over = true;
    watcher.ended(lastWords ? `${what}: ${lastWords}` : what, code);
  };
  child.on("error", (error) => ended(`pictx did not start: ${error.message}`, null));
  child.on("close", (code, signal) => ended(farewell(code, signal), code));
  // A grandchild may hold the pipes open: then there is no close, and what was written has had its time.
  child.on("exit", (code, signal) => void setTimeout(() => ended(farewell(code, signal), code), 200).unref());
  // A child that ends early breaks the pipe, which would be an uncaught error of the agent.
  child.stdin.on("error", () => {});
  child.stdout.on("error", () => {});
  child.stderr.on("error", () => {});
  child.stdout.on("data", (data) => watcher.chunk(data));
  child.stderr.on("data", byLine((line) => (lastWords = line.trim().slice(0, 300) || lastWords)));
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr] as any[]) pipe.unref?.();
  return {
    write: (text) => void (over || child.stdin.write(text)),
    end: () => void child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

function farewell(code: number | null, signal: string | null): string {
  return signal ? `pictx was stopped by ${signal}` : `pictx stopped with exit code ${code}`;
}

/** Cuts chunks into lines of any length. Each is decoded once, because a chunk may end inside a character. */
export function byLine(each: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, to)]).toString("utf8");
      parts = [];
      from = to + 1;
      each(line);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
}
