import { type Currency } from "./money.ts";

export interface Config {
  port: number;
  currency: Currency;
  paymentUrl: string;
  paymentTimeoutMs: number;
}

export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  return {
    port: Number(env.SHOP_PORT ?? 8080),
    currency: (env.SHOP_CURRENCY ?? "EUR") as Currency,
    paymentUrl: env.PAYMENT_URL ?? "http://127.0.0.1:9090",
    paymentTimeoutMs: Number(env.PAYMENT_TIMEOUT_MS ?? 8000),
  };
}
