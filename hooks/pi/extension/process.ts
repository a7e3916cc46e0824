// Starts a pictx process and handles its pipes. It knows nothing of the protocol.
import { spawn } from "node:child_process";
import type { Limits } from "./limits.ts";

/** How to start pictx. `trust` holds arguments with the user's answer about the project. */
export interface Launch {
  bin: string;
  cwd: string;
  trust: string[];
  limits: Limits;
}

/** Receives the output of a process and its end. `ended` is called once. */
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
 * Starts `bin` with `args`, without a shell. It gets pipes because pi's own streams may carry a protocol. The process
 * does not keep pi alive; whoever waits for a reply holds a timer that does.
 */
export function start(launch: Launch, args: string[], watcher: Watcher): Running {
  const child = spawn(launch.bin, args, { cwd: launch.cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  let lastError = "";
  let over = false;
  const ended = (what: string, code: number | null) => {
    if (over) return;
    over = true;
    watcher.ended(lastError ? `${what}: ${lastError}` : what, code);
  };
  child.on("error", (error) => ended(`pictx did not start: ${error.message}`, null));
  child.on("close", (code, signal) => ended(exitReason(code, signal), code));
  // A grandchild may hold the pipes open, so that "close" never comes. 200 ms are enough to read what was written.
  child.on("exit", (code, signal) => void setTimeout(() => ended(exitReason(code, signal), code), 200).unref());
  // A process that ends early breaks the pipe. Without a handler that would be an uncaught error in pi.
  child.stdin.on("error", () => {});
  child.stdout.on("error", () => {});
  child.stderr.on("error", () => {});
  child.stdout.on("data", (data) => watcher.chunk(data));
  child.stderr.on("data", byLine((line) => (lastError = line.trim().slice(0, 300) || lastError)));
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr] as any[]) pipe.unref?.();
  return {
    write: (text) => void (over || child.stdin.write(text)),
    end: () => void child.stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

function exitReason(code: number | null, signal: string | null): string {
  return signal ? `pictx was stopped by ${signal}` : `pictx stopped with exit code ${code}`;
}

/** Splits chunks into lines of any length. A line is decoded as a whole, because a chunk may end inside a character. */
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
