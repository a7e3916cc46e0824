import { type Money } from "./money.ts";

export interface ChargeRequest {
  amount: Money;
  reference: string;
  token: string;
  idempotencyKey?: string;
}

export interface Charge {
  id: string;
  amount: Money;
  reference: string;
  state: "captured" | "refunded";
  createdAt: number;
}

export class PaymentDeclined extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`payment declined: ${code}`);
    this.name = "PaymentDeclined";
    this.code = code;
  }
}

export class PaymentTimeout extends Error {
  constructor(ms: number) {
    super(`payment gateway did not answer within ${ms} ms`);
    this.name = "PaymentTimeout";
  }
}

export interface PaymentGateway {
  charge(request: ChargeRequest): Promise<Charge>;
  refund(chargeId: string, amount: Money): Promise<Charge>;
}

export class HttpPaymentGateway implements PaymentGateway {
  readonly #url: string;
  readonly #timeoutMs: number;

  constructor(url: string, timeoutMs = 8000) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  async charge(request: ChargeRequest): Promise<Charge> {
    return this.#post("/v2/charges", request, request.idempotencyKey);
  }

  async refund(chargeId: string, amount: Money): Promise<Charge> {
    return this.#post(`/v2/charges/${chargeId}/refunds`, { amount });
  }

  async #post(path: string, body: unknown, idempotencyKey?: string): Promise<Charge> {
    let response: Response;
    try {
      response = await fetch(this.#url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") throw new PaymentTimeout(this.#timeoutMs);
      throw error;
    }
    if (response.status === 402) throw new PaymentDeclined(((await response.json()) as { code?: string }).code ?? "declined");
    if (!response.ok) throw new Error(`payment gateway answered ${response.status}`);
    return (await response.json()) as Charge;
  }
}

/** In-memory gateway for tests. Honours idempotency keys like the real one. */
export class FakeGateway implements PaymentGateway {
  readonly charges: Charge[] = [];
  readonly #byKey = new Map<string, Charge>();
  declineTokens = new Set<string>(["tok_declined"]);
  delayMs = 0;

  async charge(request: ChargeRequest): Promise<Charge> {
    if (this.delayMs) await new Promise((r) => setTimeout(r, this.delayMs));
    if (request.idempotencyKey) {
      const known = this.#byKey.get(request.idempotencyKey);
      if (known) return known;
    }
    if (this.declineTokens.has(request.token)) throw new PaymentDeclined("card_declined");
    const charge: Charge = { id: `ch_${this.charges.length + 1}`, amount: request.amount, reference: request.reference, state: "captured", createdAt: Date.now() };
    this.charges.push(charge);
    if (request.idempotencyKey) this.#byKey.set(request.idempotencyKey, charge);
    return charge;
  }

  async refund(chargeId: string, _amount: Money): Promise<Charge> {
    const charge = this.charges.find((c) => c.id === chargeId);
    if (!charge) throw new Error(`no charge ${chargeId}`);
    charge.state = "refunded";
    return charge;
  }
}
