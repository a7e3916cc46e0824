import { money, type Money } from "./money.ts";
import { lineTotal, totals, type Cart } from "./cart.ts";
import { findProduct, type Category } from "./catalog/products.ts";

export type CouponRule =
  | { kind: "percent"; percent: number; category?: Category; maxAmount?: number }
  | { kind: "fixed"; amount: number; minSubtotal?: number }
  | { kind: "buy_n_get_one"; sku: string; n: number }
  | { kind: "free_shipping"; minSubtotal?: number };

export interface Coupon {
  code: string;
  rule: CouponRule;
  validFrom: number;
  validUntil: number;
  stackable: boolean;
  usesLeft: number | null;
}

export interface AppliedDiscount {
  code: string;
  amount: Money;
  perLine: Money[];
  freeShipping: boolean;
}

export type Rejection = { code: string; reason: "unknown" | "expired" | "not_yet_valid" | "used_up" | "min_subtotal" | "not_stackable" | "no_effect" };

export interface DiscountResult {
  applied: AppliedDiscount[];
  rejected: Rejection[];
  total: Money;
  perLine: Money[];
  freeShipping: boolean;
}

const DAY = 24 * 60 * 60 * 1000;

export const COUPONS: Coupon[] = [
  { code: "WELCOME10", rule: { kind: "percent", percent: 10 }, validFrom: 0, validUntil: Number.MAX_SAFE_INTEGER, stackable: false, usesLeft: null },
  { code: "BOOKS15", rule: { kind: "percent", percent: 15, category: "books" }, validFrom: 0, validUntil: Number.MAX_SAFE_INTEGER, stackable: true, usesLeft: null },
  { code: "FIVER", rule: { kind: "fixed", amount: 500, minSubtotal: 3000 }, validFrom: 0, validUntil: Number.MAX_SAFE_INTEGER, stackable: true, usesLeft: null },
  { code: "SHIPFREE", rule: { kind: "free_shipping", minSubtotal: 2500 }, validFrom: 0, validUntil: Number.MAX_SAFE_INTEGER, stackable: true, usesLeft: null },
  { code: "THIRD", rule: { kind: "percent", percent: 33.3, maxAmount: 10_000 }, validFrom: 0, validUntil: Number.MAX_SAFE_INTEGER, stackable: false, usesLeft: null },
  { code: "SPRING", rule: { kind: "percent", percent: 20 }, validFrom: 0, validUntil: 90 * DAY, stackable: false, usesLeft: null },
];

export function findCoupon(code: string): Coupon | undefined {
  return COUPONS.find((c) => c.code === code.trim().toUpperCase());
}

function check(coupon: Coupon | undefined, code: string, subtotal: Money, now: number): Rejection | null {
  if (!coupon) return { code, reason: "unknown" };
  if (now > coupon.validUntil) return { code, reason: "expired" };
  if (now < coupon.validFrom) return { code, reason: "not_yet_valid" };
  if (coupon.usesLeft !== null && coupon.usesLeft <= 0) return { code, reason: "used_up" };
  const min = "minSubtotal" in coupon.rule ? coupon.rule.minSubtotal : undefined;
  if (min !== undefined && subtotal.amount < min) return { code, reason: "min_subtotal" };
  return null;
}

/** Spreads a discount over the lines it applies to. */
function spread(amount: number, bases: number[], currency: Money["currency"]): Money[] {
  const base = bases.reduce((s, b) => s + b, 0);
  if (base === 0) return bases.map(() => money(0, currency));
  return bases.map((b) => money(Math.round((amount * b) / base), currency));
}

function percentDiscount(cart: Cart, rule: Extract<CouponRule, { kind: "percent" }>): Money[] {
  const bases = cart.lines.map((line) => {
    const product = findProduct(line.sku);
    return !rule.category || product?.category === rule.category ? lineTotal(line).amount : 0;
  });
  const base = bases.reduce((s, b) => s + b, 0);
  let amount = Math.round(base * (rule.percent / 100));
  if (rule.maxAmount !== undefined) amount = Math.min(amount, rule.maxAmount);
  return spread(amount, bases, cart.currency);
}

function fixedDiscount(cart: Cart, rule: Extract<CouponRule, { kind: "fixed" }>): Money[] {
  const bases = cart.lines.map((line) => lineTotal(line).amount);
  const base = bases.reduce((s, b) => s + b, 0);
  return spread(Math.min(rule.amount, base), bases, cart.currency);
}

function buyNGetOne(cart: Cart, rule: Extract<CouponRule, { kind: "buy_n_get_one" }>): Money[] {
  return cart.lines.map((line) => {
    if (line.sku !== rule.sku) return money(0, cart.currency);
    const free = Math.floor(line.quantity / (rule.n + 1));
    return money(free * line.unitPrice.amount, cart.currency);
  });
}

/** Applies the coupons of a cart in the order they were entered. */
export function applyDiscounts(cart: Cart, now = Date.now()): DiscountResult {
  const { subtotal } = totals(cart);
  const applied: AppliedDiscount[] = [];
  const rejected: Rejection[] = [];
  let perLine = cart.lines.map(() => money(0, cart.currency));
  let exclusive = false;

  for (const code of cart.couponCodes) {
    const coupon = findCoupon(code);
    const rejection = check(coupon, code, subtotal, now);
    if (rejection || !coupon) {
      rejected.push(rejection ?? { code, reason: "unknown" });
      continue;
    }
    if (exclusive || (!coupon.stackable && applied.length > 0)) {
      rejected.push({ code, reason: "not_stackable" });
      continue;
    }
    let parts: Money[];
    let freeShipping = false;
    switch (coupon.rule.kind) {
      case "percent": parts = percentDiscount(cart, coupon.rule); break;
      case "fixed": parts = fixedDiscount(cart, coupon.rule); break;
      case "buy_n_get_one": parts = buyNGetOne(cart, coupon.rule); break;
      case "free_shipping": parts = cart.lines.map(() => money(0, cart.currency)); freeShipping = true; break;
    }
    const amount = money(parts.reduce((s, p) => s + p.amount, 0), cart.currency);
    if (amount.amount === 0 && !freeShipping) {
      rejected.push({ code, reason: "no_effect" });
      continue;
    }
    // a line never becomes negative
    perLine = perLine.map((d, i) => money(Math.min(d.amount + parts[i]!.amount, lineTotal(cart.lines[i]!).amount), cart.currency));
    applied.push({ code, amount, perLine: parts, freeShipping });
    if (!coupon.stackable) exclusive = true;
  }

  return {
    applied,
    rejected,
    perLine,
    total: money(perLine.reduce((s, d) => s + d.amount, 0), cart.currency),
    freeShipping: applied.some((a) => a.freeShipping),
  };
}
