// Prices recorded orders again and compares the result with what was charged then.
//   node scripts/replay-orders.ts [--only-diff] [--from N] [--to N]
import { readFileSync } from "node:fs";
import { money } from "../src/money.ts";
import { applyCoupon, createCart, type Cart } from "../src/cart.ts";
import { quote } from "../src/pricing.ts";

interface Recorded {
  id: string;
  country: string;
  shipping: "standard" | "express" | "pickup";
  coupon: string | null;
  lines: { sku: string; quantity: number; price: number }[];
  charged: number;
}

const args = process.argv.slice(2);
const number = (name: string, fallback: number) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : fallback);
const orders = JSON.parse(readFileSync(new URL("../test/fixtures/orders-2026-10.json", import.meta.url), "utf8")) as Recorded[];

let differing = 0;
let cents = 0;
for (const order of orders.slice(number("--from", 0), number("--to", orders.length))) {
  let cart: Cart = { ...createCart("replay", "EUR", 0), lines: order.lines.map((l) => ({ sku: l.sku, quantity: l.quantity, unitPrice: money(l.price), addedAt: 0 })) };
  if (order.coupon) cart = applyCoupon(cart, order.coupon);
  const q = quote(cart, order.country, order.shipping, 1_790_000_000_000);
  const diff = q.total.amount - order.charged;
  if (diff !== 0) {
    differing += 1;
    cents += Math.abs(diff);
  }
  if (diff === 0 && args.includes("--only-diff")) continue;
  const parts = q.lines.map((l) => `${l.sku}=${l.gross.amount}-${l.discount.amount}`).join(" ");
  console.log(`${order.id} ${order.country} ${order.shipping.padEnd(8)} ${(order.coupon ?? "-").padEnd(9)} total=${q.total.amount} charged=${order.charged} diff=${diff} tax=${q.tax.amount} [${parts}]`);
}
console.log(`${differing} orders differ by ${cents} cents in all`);
process.exitCode = differing ? 1 : 0;
