// Choosing several of a list, which pi has no dialog for: a list with boxes in the terminal, elsewhere one choice after
// the other until the person is done.
import { labels } from "./labels.ts";

export async function multiselect(ask: any, ctx: any, signal?: AbortSignal): Promise<string[] | undefined> {
  const chosen = new Set<number>();
  ask.options.forEach((option: any, i: number) => option.selected && chosen.add(i));
  const answer = ctx.mode === undefined || ctx.mode === "tui" ? await inTerminal(ask, chosen, ctx) : undefined;
  if (answer === "cancelled") return undefined;
  if (answer !== "accepted" && !(await byTurns(ask, chosen, ctx, signal))) return undefined;
  return ask.options.filter((_: any, i: number) => chosen.has(i)).map((option: any) => option.value);
}

/** Nobody chooses this often: something that answers by itself does. */
const TURNS = 1000;

/** Changes `chosen` by one select after the other. False when the person turned away. */
async function byTurns(ask: any, chosen: Set<number>, ctx: any, signal?: AbortSignal): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn++) {
    // Done is the first line: who takes the first of everything accepts what was proposed.
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

/** The list with boxes; undefined where there is no terminal to draw it on. */
async function inTerminal(ask: any, chosen: Set<number>, ctx: any): Promise<string | undefined> {
  try {
    // The name is resolved by pi, in every version.
    const tui: any = await import("@mariozechner/pi-tui" as string);
    return await ctx.ui.custom((screen: any, theme: any, _keys: any, done: (answer: string) => void) => boxes(ask, chosen, tui, screen, theme, done));
  } catch {
    return undefined;
  }
}

const ROWS = 12;

/** Space toggles, enter accepts, escape turns away. */
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
