// Lets the user choose several options, for which pi has no dialog: with checkboxes in the terminal, elsewhere with one
// select after another until the user is done.
import { labels } from "./labels.ts";

export async function multiselect(ask: any, ctx: any, signal?: AbortSignal): Promise<string[] | undefined> {
  const chosen = new Set<number>();
  ask.options.forEach((option: any, i: number) => option.selected && chosen.add(i));
  const answer = ctx.mode === undefined || ctx.mode === "tui" ? await inTerminal(ask, chosen, ctx) : undefined;
  if (answer === "cancelled") return undefined;
  if (answer !== "accepted" && !(await byTurns(ask, chosen, ctx, signal))) return undefined;
  return ask.options.filter((_: any, i: number) => chosen.has(i)).map((option: any) => option.value);
}

/** A program that answers selects by itself is stopped after this many. No user chooses so often. */
const TURNS = 1000;

/** Changes `chosen` by one select after another. Returns false when the user cancels. */
async function byTurns(ask: any, chosen: Set<number>, ctx: any, signal?: AbortSignal): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn++) {
    // "done" is the first line, so that accepting the default keeps the proposed choice.
    const [done, ...rest] = labels([{ label: `done (${chosen.size} chosen)` }, ...ask.options]);
    const lines = rest.map((line, i) => mark(line, chosen.has(i)));
    const answer = await ctx.ui.select(ask.title, [done, ...lines], { signal });
    if (answer === done) return true;
    const at = lines.indexOf(answer);
    if (at < 0 || signal?.aborted) return false;
    toggle(chosen, at);
  }
  return false;
}

function mark(line: string, isChosen: boolean): string {
  return `${isChosen ? "[x]" : "[ ]"} ${line}`;
}

function toggle(chosen: Set<number>, i: number): void {
  if (!chosen.delete(i)) chosen.add(i);
}

/** Shows the list with checkboxes. Returns undefined where there is no terminal. */
async function inTerminal(ask: any, chosen: Set<number>, ctx: any): Promise<string | undefined> {
  try {
    // Every version of pi resolves this name.
    const tui: any = await import("@mariozechner/pi-tui" as string);
    return await ctx.ui.custom((screen: any, theme: any, _keys: any, done: (answer: string) => void) => boxes(ask, chosen, tui, screen, theme, done));
  } catch {
    return undefined;
  }
}

const ROWS = 12;

/** The list with checkboxes as a pi-tui component: space toggles, enter accepts, escape cancels. */
export function boxes(ask: any, chosen: Set<number>, tui: any, screen: any, theme: any, done: (answer: string) => void): any {
  const lines = labels(ask.options);
  let at = 0;
  const keys: Record<string, () => void> = {
    up: () => (at = (at + lines.length - 1) % lines.length),
    down: () => (at = (at + 1) % lines.length),
    space: () => toggle(chosen, at),
    enter: () => done("accepted"),
    escape: () => done("cancelled"),
    "ctrl+c": () => done("cancelled"),
  };
  const row = (i: number) => {
    const text = `${i === at ? "> " : "  "}${mark(lines[i], chosen.has(i))}`;
    return i === at ? paint(theme, "accent", text) : text;
  };
  return {
    render(width: number): string[] {
      const from = Math.max(0, Math.min(at - Math.floor(ROWS / 2), lines.length - ROWS));
      const shown = lines.slice(from, from + ROWS).map((_, i) => row(from + i));
      const help = paint(theme, "dim", `space toggles, enter accepts, escape cancels (${chosen.size} of ${lines.length} chosen)`);
      return [paint(theme, "accent", ask.title), ...shown, help].map((line) => tui.truncateToWidth(line, width));
    },
    handleInput(data: string): void {
      for (const [key, act] of Object.entries(keys)) if (tui.matchesKey(data, key)) act();
      screen?.requestRender?.();
    },
    invalidate(): void {},
  };
}

function paint(theme: any, color: string, text: string): string {
  return theme?.fg ? theme.fg(color, text) : text;
}
