// How long things may take, in ms. Whoever waits for pictx waits by these, because pi itself has no limit.

export interface Limits {
  /** Hello, while session_start is waited for. */
  hello: number;
  /** An event that hello lists no limit for. */
  request: number;
  /** Likewise, before the first request of a session: a session that pictx has not met takes longer to read. */
  first: number;
  /** Likewise, when nobody waits. */
  background: number;
  /** A tool or a command. */
  declared: number;
  /** A handler that got the replies to its asks, at least. */
  round: number;
  /** session_shutdown, at most. */
  shutdown: number;
  /** From the end of its input to the end of the child. */
  goodbye: number;
  /** A child that is silent for this long after something was given up is stuck. */
  silence: number;
  /** A child that has not said hello may be waiting for its disk for this long. */
  birth: number;
  /** How long a child that keeps dying is left alone. */
  rest: number;
}

export const LIMITS: Limits = {
  hello: 2000,
  request: 200,
  first: 1000,
  background: 600_000,
  declared: 60_000,
  round: 60_000,
  shutdown: 3000,
  goodbye: 1000,
  silence: 500,
  birth: 10_000,
  rest: 60_000,
};

/** Who gives hooks more time with PICTX_HOOK_MS has a slow machine, on which hello takes longer too. */
export function limitsFor(env: Record<string, string | undefined>): Limits {
  return { ...LIMITS, hello: Math.max(LIMITS.hello, Number(env.PICTX_HOOK_MS) || 0) };
}
