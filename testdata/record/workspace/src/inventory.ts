export interface Reservation {
  id: string;
  orderRef: string;
  items: { sku: string; quantity: number }[];
  expiresAt: number;
  state: "held" | "committed" | "released";
}

export class OutOfStock extends Error {
  readonly skus: string[];
  constructor(skus: string[]) {
    super(`out of stock: ${skus.join(", ")}`);
    this.name = "OutOfStock";
    this.skus = skus;
  }
}

const RESERVATION_MS = 15 * 60 * 1000;

export class Inventory {
  #stock = new Map<string, number>();
  #reservations = new Map<string, Reservation>();
  #next = 1;

  constructor(initial: Record<string, number> = {}) {
    for (const [sku, n] of Object.entries(initial)) this.#stock.set(sku, n);
  }

  available(sku: string, now = Date.now()): number {
    let held = 0;
    for (const r of this.#reservations.values()) {
      if (r.state !== "held" || r.expiresAt <= now) continue;
      for (const item of r.items) if (item.sku === sku) held += item.quantity;
    }
    return (this.#stock.get(sku) ?? 0) - held;
  }

  reserve(orderRef: string, items: { sku: string; quantity: number }[], now = Date.now()): Reservation {
    const missing = items.filter((i) => this.available(i.sku, now) < i.quantity).map((i) => i.sku);
    if (missing.length) throw new OutOfStock(missing);
    const reservation: Reservation = { id: `res_${this.#next++}`, orderRef, items, expiresAt: now + RESERVATION_MS, state: "held" };
    this.#reservations.set(reservation.id, reservation);
    return reservation;
  }

  commit(id: string): void {
    const r = this.#must(id);
    if (r.state !== "held") throw new Error(`reservation ${id} is ${r.state}`);
    for (const item of r.items) this.#stock.set(item.sku, (this.#stock.get(item.sku) ?? 0) - item.quantity);
    r.state = "committed";
  }

  release(id: string): void {
    const r = this.#must(id);
    if (r.state === "held") r.state = "released";
  }

  restock(sku: string, quantity: number): void {
    this.#stock.set(sku, (this.#stock.get(sku) ?? 0) + quantity);
  }

  #must(id: string): Reservation {
    const r = this.#reservations.get(id);
    if (!r) throw new Error(`no reservation ${id}`);
    return r;
  }
}
