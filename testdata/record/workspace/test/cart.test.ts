import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addItem, applyCoupon, createCart, mergeCarts, removeItem, setQuantity, totals } from "../src/cart.ts";
import { PRODUCTS } from "../src/catalog/products.ts";

const [a, b] = PRODUCTS.filter((p) => p.status === "active");

describe("cart", () => {
  it("adds a product and sums up", () => {
    const cart = addItem(addItem(createCart(), a!.sku, 2), b!.sku);
    assert.equal(totals(cart).subtotal.amount, 2 * a!.price + b!.price);
    assert.equal(totals(cart).itemCount, 3);
  });
  it("raises the quantity of an existing line", () => {
    const cart = addItem(addItem(createCart(), a!.sku, 2), a!.sku, 3);
    assert.equal(cart.lines.length, 1);
    assert.equal(cart.lines[0]!.quantity, 5);
  });
  it("refuses a quantity over 99", () => assert.throws(() => addItem(createCart(), a!.sku, 100), /quantity must be/));
  it("refuses an unknown sku", () => assert.throws(() => addItem(createCart(), "NOPE-0"), /no product/));
  it("removes a line when the quantity becomes zero", () => {
    assert.equal(setQuantity(addItem(createCart(), a!.sku), a!.sku, 0).lines.length, 0);
  });
  it("complains about a line that is not there", () => assert.throws(() => removeItem(createCart(), a!.sku), /not in the cart/));
  it("normalizes coupon codes", () => assert.deepEqual(applyCoupon(applyCoupon(createCart(), " fiver "), "FIVER").couponCodes, ["FIVER"]));
  it("merges a guest cart and caps quantities", () => {
    const merged = mergeCarts(addItem(createCart("c1"), a!.sku, 60), addItem(createCart(), a!.sku, 60));
    assert.equal(merged.lines[0]!.quantity, 99);
  });
});
