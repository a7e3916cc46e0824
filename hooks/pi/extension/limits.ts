// Time limits in ms. pi itself has none for extensions.

export interface Limits {
  /** Waiting for hello in session_start. */
  hello: number;
  /** An event without a limit in hello. */
  request: number;
  /** The same before the first request of a session, because pictx may have to read the whole session. */
  first: number;
  /** A background event without a limit in hello. */
  background: number;
  /** A tool or a command without a limit in hello. */
  declared: number;
  /** The minimum for a request that carries the answers to asks. */
  round: number;
  /** The maximum for session_shutdown. */
  shutdown: number;
  /** The time that a process gets to exit after the end of its input. */
  goodbye: number;
  /** A process that prints nothing for this long after a cancelled request is stuck, and killed. */
  silence: number;
  /** The same for a process that has not printed hello yet, which may be waiting for its disk. */
  birth: number;
  /** The pause after repeated crashes. */
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

/** PICTX_HOOK_MS gives hooks more time on a slow machine, where hello takes longer too. */
export function limitsFor(env: Record<string, string | undefined>): Limits {
  return { ...LIMITS, hello: Math.max(LIMITS.hello, Number(env.PICTX_HOOK_MS) || 0) };
}
