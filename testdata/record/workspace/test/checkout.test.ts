import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addItem, createCart } from "../src/cart.ts";
import { cancel, checkout, type CheckoutDeps } from "../src/checkout.ts";
import { Inventory } from "../src/inventory.ts";
import { OrderStore } from "../src/orders.ts";
import { FakeGateway } from "../src/payment.ts";
import { PRODUCTS } from "../src/catalog/products.ts";

const [a, b] = PRODUCTS.filter((p) => p.status === "active");

function setup(stock = 5): CheckoutDeps & { payments: FakeGateway } {
  return { inventory: new Inventory({ [a!.sku]: stock, [b!.sku]: stock }), orders: new OrderStore(), payments: new FakeGateway() };
}

const input = (cart = addItem(createCart("c1"), a!.sku, 2)) => ({ cart, country: "DE", shippingMethod: "standard" as const, paymentToken: "tok_ok" });

describe("checkout", () => {
  it("charges the total once", async () => {
    const deps = setup();
    const result = await checkout(deps, input());
    assert.ok(result.ok);
    assert.equal(deps.payments.charges.length, 1);
    assert.equal(deps.payments.charges[0]!.amount.amount, result.order.total.amount);
  });
  it("refuses an empty cart", async () => {
    assert.deepEqual(await checkout(setup(), input(createCart())), { ok: false, problem: { code: "empty_cart" } });
  });
  it("reports what is out of stock", async () => {
    const result = await checkout(setup(1), input());
    assert.deepEqual(result, { ok: false, problem: { code: "out_of_stock", skus: [a!.sku] } });
  });
  it("releases the stock when the card is declined", async () => {
    const deps = setup();
    const result = await checkout(deps, { ...input(), paymentToken: "tok_declined" });
    assert.equal(result.ok, false);
    assert.equal(deps.inventory.available(a!.sku), 5);
  });
  it("gives back the whole quantity when an order is cancelled", async () => {
    const deps = setup();
    const result = await checkout(deps, input());
    assert.ok(result.ok);
    await cancel(deps, result.order.id);
    assert.equal(deps.inventory.available(a!.sku), 5);
  });
});
