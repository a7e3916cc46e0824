// Amounts are integers in minor units. This is the only file that may round.

export type Currency = "EUR" | "USD" | "GBP" | "JPY" | "SEK";

export interface Money {
  amount: number;
  currency: Currency;
}

const DIGITS: Record<Currency, number> = { EUR: 2, USD: 2, GBP: 2, JPY: 0, SEK: 2 };

export class CurrencyMismatch extends Error {
  constructor(a: Currency, b: Currency) {
    super(`cannot combine ${a} and ${b}`);
    this.name = "CurrencyMismatch";
  }
}

export function money(amount: number, currency: Currency = "EUR"): Money {
  if (!Number.isInteger(amount)) throw new RangeError(`amount must be an integer in minor units, got ${amount}`);
  return { amount, currency };
}

function same(a: Money, b: Money): void {
  if (a.currency !== b.currency) throw new CurrencyMismatch(a.currency, b.currency);
}

export function add(a: Money, b: Money): Money {
  same(a, b);
  return money(a.amount + b.amount, a.currency);
}

export function subtract(a: Money, b: Money): Money {
  same(a, b);
  return money(a.amount - b.amount, a.currency);
}

export function multiply(a: Money, factor: number): Money {
  return money(roundHalfUp(a.amount * factor), a.currency);
}

export function sum(items: Money[], currency: Currency = "EUR"): Money {
  return items.reduce(add, money(0, currency));
}

/** Rounds half away from zero, which is what the tax office expects. */
export function roundHalfUp(x: number): number {
  return Math.sign(x) * Math.round(Math.abs(x));
}

export function percentOf(a: Money, percent: number): Money {
  return money(roundHalfUp((a.amount * percent) / 100), a.currency);
}

/**
 * Splits an amount by weights so that the parts add up to the amount exactly
 * (largest remainder; ties go to the earlier part).
 */
export function allocate(total: Money, weights: number[]): Money[] {
  const weightSum = weights.reduce((s, w) => s + w, 0);
  if (weightSum === 0) return weights.map(() => money(0, total.currency));
  const exact = weights.map((w) => (total.amount * w) / weightSum);
  const parts = exact.map(Math.floor);
  let rest = total.amount - parts.reduce((s, p) => s + p, 0);
  const order = exact.map((x, i) => ({ i, rem: x - Math.floor(x) })).sort((a, b) => b.rem - a.rem || a.i - b.i);
  for (const { i } of order) {
    if (rest <= 0) break;
    parts[i]! += 1;
    rest -= 1;
  }
  return parts.map((p) => money(p, total.currency));
}

export function format(a: Money, locale = "en-IE"): string {
  const digits = DIGITS[a.currency];
  return new Intl.NumberFormat(locale, { style: "currency", currency: a.currency, minimumFractionDigits: digits }).format(a.amount / 10 ** digits);
}
