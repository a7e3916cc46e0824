import { type Money } from "./money.ts";
import { type PriceLine } from "./pricing.ts";

export type OrderState = "pending_payment" | "paid" | "payment_failed" | "shipped" | "cancelled";

export interface Order {
  id: string;
  cartId: string;
  customerId: string | null;
  lines: PriceLine[];
  total: Money;
  shippingMethod: string;
  country: string;
  chargeId: string | null;
  reservationId: string | null;
  state: OrderState;
  history: { state: OrderState; at: number }[];
}

const ALLOWED: Record<OrderState, OrderState[]> = {
  pending_payment: ["paid", "payment_failed", "cancelled"],
  payment_failed: ["pending_payment", "cancelled"],
  paid: ["shipped", "cancelled"],
  shipped: [],
  cancelled: [],
};

export class IllegalTransition extends Error {
  constructor(from: OrderState, to: OrderState) {
    super(`an order cannot go from ${from} to ${to}`);
    this.name = "IllegalTransition";
  }
}

export class OrderStore {
  #orders = new Map<string, Order>();
  #next = 1001;

  nextId(): string {
    return `ord_${this.#next++}`;
  }

  save(order: Order): Order {
    this.#orders.set(order.id, order);
    return order;
  }

  get(id: string): Order | undefined {
    return this.#orders.get(id);
  }

  byCart(cartId: string): Order[] {
    return [...this.#orders.values()].filter((o) => o.cartId === cartId);
  }

  all(): Order[] {
    return [...this.#orders.values()];
  }

  transition(id: string, to: OrderState, now = Date.now()): Order {
    const order = this.#orders.get(id);
    if (!order) throw new Error(`no order ${id}`);
    if (!ALLOWED[order.state].includes(to)) throw new IllegalTransition(order.state, to);
    order.state = to;
    order.history.push({ state: to, at: now });
    return order;
  }
}
