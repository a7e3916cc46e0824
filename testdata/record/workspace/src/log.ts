type Level = "debug" | "info" | "warn" | "error";

const ORDER: Level[] = ["debug", "info", "warn", "error"];
const threshold = ORDER.indexOf((process.env.SHOP_LOG as Level | undefined) ?? "error");

function write(level: Level, event: string, fields: Record<string, unknown>): void {
  if (ORDER.indexOf(level) < threshold) return;
  process.stderr.write(JSON.stringify({ level, event, ...fields }) + "\n");
}

export const log = {
  debug: (event: string, fields: Record<string, unknown> = {}) => write("debug", event, fields),
  info: (event: string, fields: Record<string, unknown> = {}) => write("info", event, fields),
  warn: (event: string, fields: Record<string, unknown> = {}) => write("warn", event, fields),
  error: (event: string, fields: Record<string, unknown> = {}) => write("error", event, fields),
};
