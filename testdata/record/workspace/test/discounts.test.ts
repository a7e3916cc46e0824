import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyCoupon, createCart, type Cart } from "../src/cart.ts";
import { applyDiscounts } from "../src/discounts.ts";
import { money } from "../src/money.ts";
import { PRODUCTS } from "../src/catalog/products.ts";

const skus = PRODUCTS.filter((p) => p.status === "active").map((p) => p.sku);

function cartOf(prices: number[], coupon: string): Cart {
  const cart = createCart("c1", "EUR", 1_700_000_000_000);
  const lines = prices.map((p, i) => ({ sku: skus[i]!, quantity: 1, unitPrice: money(p), addedAt: 0 }));
  return applyCoupon({ ...cart, lines }, coupon);
}

describe("discounts", () => {
  it("takes ten percent", () => assert.equal(applyDiscounts(cartOf([1000, 2000], "WELCOME10")).total.amount, 300));
  it("rejects an unknown code", () => assert.equal(applyDiscounts(cartOf([1000], "NOPE")).rejected[0]!.reason, "unknown"));
  it("rejects an expired code", () => assert.equal(applyDiscounts(cartOf([1000], "SPRING")).rejected[0]!.reason, "expired"));
  it("needs the minimum subtotal", () => assert.equal(applyDiscounts(cartOf([2999], "FIVER")).rejected[0]!.reason, "min_subtotal"));

  it("spreads a fixed discount over three equal lines without losing a cent", () => {
    const result = applyDiscounts(cartOf([1000, 1000, 1000], "FIVER"));
    assert.equal(result.total.amount, 500);
  });
  it("spreads a third over seven lines without losing a cent", () => {
    const prices = [101, 103, 107, 109, 113, 127, 131];
    const subtotal = prices.reduce((s, p) => s + p, 0);
    const result = applyDiscounts(cartOf(prices, "THIRD"));
    assert.equal(result.total.amount, Math.round(subtotal * 0.333));
  });
});
