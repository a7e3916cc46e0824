import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { add, allocate, format, money, percentOf, roundHalfUp } from "../src/money.ts";

describe("money", () => {
  it("refuses fractions of a cent", () => assert.throws(() => money(10.5), RangeError));
  it("refuses to add different currencies", () => assert.throws(() => add(money(1, "EUR"), money(1, "USD")), /cannot combine/));
  it("rounds half away from zero", () => assert.deepEqual([0.5, 1.5, -0.5, -1.5].map(roundHalfUp), [1, 2, -1, -2]));
  it("takes a percentage", () => assert.equal(percentOf(money(999), 10).amount, 100));
  it("formats with two digits", () => assert.equal(format(money(123456)), "€1,234.56"));

  it("allocates without losing a cent", () => {
    assert.deepEqual(allocate(money(100), [1, 1, 1]).map((m) => m.amount), [34, 33, 33]);
    assert.deepEqual(allocate(money(5), [3, 7]).map((m) => m.amount), [2, 3]);
  });
});
