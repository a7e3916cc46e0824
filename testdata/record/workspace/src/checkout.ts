import { isEmpty, refreshPrices, type Cart } from "./cart.ts";
import { Inventory, type Reservation } from "./inventory.ts";
import { OrderStore, type Order } from "./orders.ts";
import { PaymentDeclined, type PaymentGateway } from "./payment.ts";
import { quote, type Quote, type ShippingMethod } from "./pricing.ts";
import { log } from "./log.ts";

export interface CheckoutDeps {
  inventory: Inventory;
  orders: OrderStore;
  payments: PaymentGateway;
  now?: () => number;
}

export interface CheckoutInput {
  cart: Cart;
  country: string;
  shippingMethod: ShippingMethod["id"];
  paymentToken: string;
  acceptPriceChanges?: boolean;
}

export type CheckoutProblem =
  | { code: "empty_cart" }
  | { code: "price_changed"; skus: string[] }
  | { code: "out_of_stock"; skus: string[] }
  | { code: "payment_declined"; reason: string };

export type CheckoutResult = { ok: true; order: Order; quote: Quote } | { ok: false; problem: CheckoutProblem };

function problem(p: CheckoutProblem): CheckoutResult {
  log.warn("checkout.rejected", { ...p });
  return { ok: false, problem: p };
}

/**
 * Places an order: refresh prices, reserve stock, charge, commit stock, store the order.
 * Callers: POST /checkout and the cron job that retries abandoned carts.
 */
export async function checkout(deps: CheckoutDeps, input: CheckoutInput): Promise<CheckoutResult> {
  const now = deps.now ?? Date.now;
  if (isEmpty(input.cart)) return problem({ code: "empty_cart" });

  const refreshed = refreshPrices(input.cart, now());
  if (refreshed.changed.length > 0 && !input.acceptPriceChanges) {
    return problem({ code: "price_changed", skus: refreshed.changed });
  }
  const cart = refreshed.cart;
  const q = quote(cart, input.country, input.shippingMethod, now());

  const orderId = deps.orders.nextId();
  let reservation: Reservation;
  try {
    reservation = deps.inventory.reserve(orderId, cart.lines.map((l) => ({ sku: l.sku, quantity: l.quantity })), now());
  } catch (error) {
    if (error instanceof Error && error.name === "OutOfStock") {
      return problem({ code: "out_of_stock", skus: (error as Error & { skus: string[] }).skus });
    }
    throw error;
  }

  const order: Order = {
    id: orderId,
    cartId: cart.id,
    customerId: cart.customerId,
    lines: q.lines,
    total: q.total,
    shippingMethod: input.shippingMethod,
    country: input.country,
    chargeId: null,
    reservationId: reservation.id,
    state: "pending_payment",
    history: [{ state: "pending_payment", at: now() }],
  };
  deps.orders.save(order);

  try {
    const charge = await deps.payments.charge({ amount: q.total, reference: orderId, token: input.paymentToken });
    order.chargeId = charge.id;
  } catch (error) {
    deps.inventory.release(reservation.id);
    deps.orders.transition(orderId, "payment_failed", now());
    if (error instanceof PaymentDeclined) return problem({ code: "payment_declined", reason: error.code });
    log.error("checkout.payment_error", { orderId, error: String(error) });
    throw error;
  }

  deps.inventory.commit(reservation.id);
  deps.orders.transition(orderId, "paid", now());
  log.info("checkout.paid", { orderId, total: q.total.amount });
  return { ok: true, order, quote: q };
}

/** Cancels a paid order and gives the money and the stock back. */
export async function cancel(deps: CheckoutDeps, orderId: string): Promise<Order> {
  const now = deps.now ?? Date.now;
  const order = deps.orders.get(orderId);
  if (!order) throw new Error(`no order ${orderId}`);
  if (order.state === "paid" && order.chargeId) {
    await deps.payments.refund(order.chargeId, order.total);
    for (const line of order.lines) deps.inventory.restock(line.sku, 1);
  }
  return deps.orders.transition(orderId, "cancelled", now());
}
