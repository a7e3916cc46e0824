import { add, money, multiply, sum, type Currency, type Money } from "./money.ts";
import { findProduct, type Product } from "./catalog/products.ts";

export interface CartLine {
  sku: string;
  quantity: number;
  unitPrice: Money;
  addedAt: number;
  note?: string;
}

export interface Cart {
  id: string;
  customerId: string | null;
  currency: Currency;
  lines: CartLine[];
  couponCodes: string[];
  updatedAt: number;
}

export interface CartTotals {
  subtotal: Money;
  itemCount: number;
  lineTotals: Money[];
}

export class CartError extends Error {
  readonly code: "unknown_sku" | "bad_quantity" | "not_sellable" | "too_many_lines" | "unknown_line";
  constructor(code: CartError["code"], message: string) {
    super(message);
    this.name = "CartError";
    this.code = code;
  }
}

export const MAX_LINES = 60;
export const MAX_QUANTITY = 99;

let counter = 0;

export function createCart(customerId: string | null = null, currency: Currency = "EUR", now = Date.now()): Cart {
  counter += 1;
  return { id: `cart_${now.toString(36)}_${counter}`, customerId, currency, lines: [], couponCodes: [], updatedAt: now };
}

function assertQuantity(quantity: number): void {
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY) {
    throw new CartError("bad_quantity", `quantity must be an integer from 1 to ${MAX_QUANTITY}, got ${quantity}`);
  }
}

function sellable(sku: string): Product {
  const product = findProduct(sku);
  if (!product) throw new CartError("unknown_sku", `no product with sku ${sku}`);
  if (product.status !== "active") throw new CartError("not_sellable", `${sku} is ${product.status}`);
  return product;
}

/** Adds a product, or raises the quantity of the line that already holds it. */
export function addItem(cart: Cart, sku: string, quantity = 1, now = Date.now()): Cart {
  assertQuantity(quantity);
  const product = sellable(sku);
  const index = cart.lines.findIndex((line) => line.sku === sku);
  if (index >= 0) {
    const line = cart.lines[index]!;
    assertQuantity(line.quantity + quantity);
    const lines = cart.lines.with(index, { ...line, quantity: line.quantity + quantity });
    return { ...cart, lines, updatedAt: now };
  }
  if (cart.lines.length >= MAX_LINES) throw new CartError("too_many_lines", `a cart holds at most ${MAX_LINES} lines`);
  const line: CartLine = { sku, quantity, unitPrice: money(product.price, cart.currency), addedAt: now };
  return { ...cart, lines: [...cart.lines, line], updatedAt: now };
}

export function setQuantity(cart: Cart, sku: string, quantity: number, now = Date.now()): Cart {
  if (quantity === 0) return removeItem(cart, sku, now);
  assertQuantity(quantity);
  const index = cart.lines.findIndex((line) => line.sku === sku);
  if (index < 0) throw new CartError("unknown_line", `${sku} is not in the cart`);
  return { ...cart, lines: cart.lines.with(index, { ...cart.lines[index]!, quantity }), updatedAt: now };
}

export function removeItem(cart: Cart, sku: string, now = Date.now()): Cart {
  const lines = cart.lines.filter((line) => line.sku !== sku);
  if (lines.length === cart.lines.length) throw new CartError("unknown_line", `${sku} is not in the cart`);
  return { ...cart, lines, updatedAt: now };
}

export function setNote(cart: Cart, sku: string, note: string): Cart {
  const lines = cart.lines.map((line) => (line.sku === sku ? { ...line, note: note.slice(0, 200) } : line));
  return { ...cart, lines };
}

export function applyCoupon(cart: Cart, code: string): Cart {
  const normalized = code.trim().toUpperCase();
  if (normalized === "" || cart.couponCodes.includes(normalized)) return cart;
  return { ...cart, couponCodes: [...cart.couponCodes, normalized] };
}

export function removeCoupon(cart: Cart, code: string): Cart {
  return { ...cart, couponCodes: cart.couponCodes.filter((c) => c !== code.trim().toUpperCase()) };
}

export function lineTotal(line: CartLine): Money {
  return multiply(line.unitPrice, line.quantity);
}

export function totals(cart: Cart): CartTotals {
  const lineTotals = cart.lines.map(lineTotal);
  return {
    lineTotals,
    subtotal: sum(lineTotals, cart.currency),
    itemCount: cart.lines.reduce((n, line) => n + line.quantity, 0),
  };
}

/** Merges a guest cart into the customer's cart after login. Quantities are capped, never dropped. */
export function mergeCarts(target: Cart, guest: Cart, now = Date.now()): Cart {
  let merged = target;
  for (const line of guest.lines) {
    const existing = merged.lines.find((l) => l.sku === line.sku);
    const wanted = Math.min(MAX_QUANTITY, (existing?.quantity ?? 0) + line.quantity);
    merged = existing ? setQuantity(merged, line.sku, wanted, now) : addItem(merged, line.sku, wanted, now);
  }
  for (const code of guest.couponCodes) merged = applyCoupon(merged, code);
  return merged;
}

/** Prices may have changed since the line was added; checkout works on refreshed prices only. */
export function refreshPrices(cart: Cart, now = Date.now()): { cart: Cart; changed: string[] } {
  const changed: string[] = [];
  const lines = cart.lines.map((line) => {
    const product = findProduct(line.sku);
    if (!product || product.price === line.unitPrice.amount) return line;
    changed.push(line.sku);
    return { ...line, unitPrice: money(product.price, cart.currency) };
  });
  return { cart: changed.length ? { ...cart, lines, updatedAt: now } : cart, changed };
}

export function isEmpty(cart: Cart): boolean {
  return cart.lines.length === 0;
}

export function weightGrams(cart: Cart): number {
  return cart.lines.reduce((w, line) => w + (findProduct(line.sku)?.weightGrams ?? 0) * line.quantity, 0);
}

export function grandTotal(cart: Cart, extras: Money[]): Money {
  return extras.reduce(add, totals(cart).subtotal);
}
