import { add, money, percentOf, subtract, sum, type Money } from "./money.ts";
import { lineTotal, totals, weightGrams, type Cart } from "./cart.ts";
import { applyDiscounts, type DiscountResult } from "./discounts.ts";
import { findProduct } from "./catalog/products.ts";
import { taxRate } from "./tax/rates.ts";

export interface ShippingMethod {
  id: "standard" | "express" | "pickup";
  base: number;
  perKilogram: number;
  freeFrom: number | null;
}

export const SHIPPING: ShippingMethod[] = [
  { id: "standard", base: 490, perKilogram: 60, freeFrom: 5000 },
  { id: "express", base: 990, perKilogram: 140, freeFrom: null },
  { id: "pickup", base: 0, perKilogram: 0, freeFrom: null },
];

export interface PriceLine {
  sku: string;
  gross: Money;
  discount: Money;
  net: Money;
  taxPercent: number;
  taxIncluded: Money;
}

export interface Quote {
  lines: PriceLine[];
  subtotal: Money;
  discounts: DiscountResult;
  shipping: Money;
  tax: Money;
  total: Money;
}

export function shippingCost(cart: Cart, methodId: ShippingMethod["id"], discounts: DiscountResult): Money {
  const method = SHIPPING.find((m) => m.id === methodId);
  if (!method) throw new RangeError(`unknown shipping method ${methodId}`);
  const { subtotal } = totals(cart);
  const afterDiscount = subtract(subtotal, discounts.total);
  if (discounts.freeShipping && method.id === "standard") return money(0, cart.currency);
  if (method.freeFrom !== null && afterDiscount.amount >= method.freeFrom) return money(0, cart.currency);
  const kilograms = Math.ceil(weightGrams(cart) / 1000);
  return money(method.base + method.perKilogram * Math.max(0, kilograms - 1), cart.currency);
}

/** Prices include tax; this is the part of a gross amount that is tax. */
export function includedTax(gross: Money, percent: number): Money {
  return percentOf(gross, (100 * percent) / (100 + percent));
}

export function quote(cart: Cart, country: string, method: ShippingMethod["id"], now = Date.now()): Quote {
  const discounts = applyDiscounts(cart, now);
  const lines = cart.lines.map((line, i): PriceLine => {
    const gross = lineTotal(line);
    const discount = discounts.perLine[i] ?? money(0, cart.currency);
    const net = subtract(gross, discount);
    const category = findProduct(line.sku)?.category ?? "home";
    const taxPercent = taxRate(country, category);
    return { sku: line.sku, gross, discount, net, taxPercent, taxIncluded: includedTax(net, taxPercent) };
  });
  const subtotal = totals(cart).subtotal;
  const shipping = shippingCost(cart, method, discounts);
  const tax = sum(lines.map((l) => l.taxIncluded), cart.currency);
  const total = add(subtract(subtotal, discounts.total), shipping);
  return { lines, subtotal, discounts, shipping, tax, total };
}
