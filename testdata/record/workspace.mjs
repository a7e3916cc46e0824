// Creates the recorded workspace: the hand-written files of workspace/ plus generated ones (same bytes every time).
//   node workspace.mjs DIR
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { fileURLToPath } from "node:url";

const dir = process.argv[2];
if (!dir) throw new Error("usage: node workspace.mjs DIR");
const template = path.join(path.dirname(fileURLToPath(import.meta.url)), "workspace");
fs.rmSync(dir, { recursive: true, force: true });
fs.cpSync(template, dir, { recursive: true });
const put = (name, data) => { const f = path.join(dir, name); fs.mkdirSync(path.dirname(f), { recursive: true }); fs.writeFileSync(f, data); };

let seed = 20261011;
const rnd = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 2 ** 32; };
const int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
const pick = (a) => a[int(0, a.length - 1)];
const cap = (s) => s[0].toUpperCase() + s.slice(1);

// --- catalogue
const CATEGORIES = { books: [["Field guide to", "A short history of", "Cooking with", "Letters about", "The atlas of"], ["mushrooms", "lighthouses", "rye bread", "tides", "mountain railways", "dry stone walls", "moths", "sourdough"]],
  kitchen: [["Enamel", "Oak", "Copper", "Cast iron", "Stoneware"], ["mug", "chopping board", "saucepan", "skillet", "salad bowl", "kettle", "pepper mill", "colander"]],
  garden: [["Ash handle", "Folding", "Galvanised", "Compact", "Heavy"], ["spade", "pruning saw", "watering can", "seed tray", "hand fork", "dibber", "garden hose", "wheelbarrow"]],
  home: [["Linen", "Wool", "Beech", "Brass", "Cotton"], ["cushion", "blanket", "coat hook", "desk lamp", "door mat", "picture frame", "candle holder", "laundry bag"]],
  stationery: [["Dotted", "Ruled", "Fountain", "Recycled", "Pocket"], ["notebook", "writing pad", "pen", "envelope set", "calendar", "pencil case", "index cards", "blotter"]],
  food: [["Wild flower", "Roasted", "Stone ground", "Smoked", "Organic"], ["honey", "coffee beans", "wheat flour", "sea salt", "green tea", "plum jam", "olive oil", "oat flakes"]] };
const products = [];
for (const [category, [first, second]] of Object.entries(CATEGORIES)) {
  let n = 100;
  for (const b of second) for (const a of first) {
    if (rnd() < 0.12) continue;
    const price = int(3, 90) * 100 + pick([0, 49, 50, 90, 95, 99]);
    products.push({ sku: `${category.slice(0, 2).toUpperCase()}-${n++}`, name: `${a} ${b}`, category, price, cost: Math.round(price * (0.35 + rnd() * 0.42)), weightGrams: int(1, 60) * 50, stock: rnd() < 0.08 ? 0 : int(1, 240), status: rnd() < 0.06 ? "discontinued" : rnd() < 0.04 ? "draft" : "active", tags: [pick(["new", "gift", "basic", "season"]), pick(["local", "import"])] });
  }
}
put("src/catalog/products.ts", `export type Category = ${Object.keys(CATEGORIES).map((c) => `"${c}"`).join(" | ")};
export type ProductStatus = "active" | "draft" | "discontinued";

export interface Product {
  sku: string;
  name: string;
  category: Category;
  price: number;
  cost: number;
  weightGrams: number;
  stock: number;
  status: ProductStatus;
  tags: string[];
}

// Prices and costs in cents, tax included in the price.
export const PRODUCTS: Product[] = [
${products.map((p) => `  { sku: "${p.sku}", name: "${p.name}", category: "${p.category}", price: ${p.price}, cost: ${p.cost}, weightGrams: ${p.weightGrams}, stock: ${p.stock}, status: "${p.status}", tags: ${JSON.stringify(p.tags).replace(/,/g, ", ")} },`).join("\n")}
];

const BY_SKU = new Map(PRODUCTS.map((p) => [p.sku, p]));

export function findProduct(sku: string): Product | undefined {
  return BY_SKU.get(sku);
}

export function productsIn(category: Category): Product[] {
  return PRODUCTS.filter((p) => p.category === category);
}
`);

// --- tax rates
const COUNTRIES = ["AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"];
const standard = { AT: 20, BE: 21, BG: 20, CY: 19, CZ: 21, DE: 19, DK: 25, EE: 22, ES: 21, FI: 25.5, FR: 20, GR: 24, HR: 25, HU: 27, IE: 23, IT: 22, LT: 21, LU: 17, LV: 21, MT: 18, NL: 21, PL: 23, PT: 23, RO: 19, SE: 25, SI: 22, SK: 23 };
const reduced = { AT: 10, BE: 6, BG: 9, CY: 5, CZ: 12, DE: 7, DK: 25, EE: 9, ES: 10, FI: 14, FR: 5.5, GR: 13, HR: 5, HU: 5, IE: 13.5, IT: 10, LT: 9, LU: 8, LV: 12, MT: 5, NL: 9, PL: 8, PT: 6, RO: 9, SE: 6, SI: 9.5, SK: 10 };
put("src/tax/rates.ts", `import { type Category } from "../catalog/products.ts";

// Percent, by country and category. Books and food are reduced where the country allows it.
export const RATES: Record<string, Record<Category, number>> = {
${COUNTRIES.map((c) => `  ${c}: {\n${Object.keys(CATEGORIES).map((k) => `    ${k}: ${k === "books" || k === "food" ? reduced[c] : standard[c]},`).join("\n")}\n  },`).join("\n")}
};

export class UnknownCountry extends Error {
  constructor(country: string) {
    super(\`no tax rates for \${country}\`);
    this.name = "UnknownCountry";
  }
}

export function taxRate(country: string, category: Category): number {
  const rates = RATES[country];
  if (!rates) throw new UnknownCountry(country);
  return rates[category];
}
`);

// --- messages
const KEYS = { "cart.empty": ["Your cart is empty.", "Ihr Warenkorb ist leer.", "Votre panier est vide."], "cart.too_many_lines": ["A cart holds at most {max} different products.", "Ein Warenkorb fasst höchstens {max} verschiedene Artikel.", "Un panier contient au plus {max} articles différents."], "cart.price_changed": ["The price of {name} has changed from {old} to {new}.", "Der Preis von {name} hat sich von {old} auf {new} geändert.", "Le prix de {name} est passé de {old} à {new}."], "coupon.unknown": ["We do not know the code {code}.", "Den Code {code} kennen wir nicht.", "Nous ne connaissons pas le code {code}."], "coupon.expired": ["The code {code} has expired.", "Der Code {code} ist abgelaufen.", "Le code {code} a expiré."], "coupon.min_subtotal": ["The code {code} needs a subtotal of at least {min}.", "Der Code {code} gilt ab einem Warenwert von {min}.", "Le code {code} exige un sous-total d'au moins {min}."], "coupon.not_stackable": ["The code {code} cannot be combined with others.", "Der Code {code} ist nicht kombinierbar.", "Le code {code} n'est pas cumulable."], "checkout.out_of_stock": ["{name} is sold out.", "{name} ist ausverkauft.", "{name} est épuisé."], "checkout.payment_declined": ["Your bank declined the payment. You have not been charged.", "Ihre Bank hat die Zahlung abgelehnt. Es wurde nichts abgebucht.", "Votre banque a refusé le paiement. Rien n'a été débité."], "checkout.timeout": ["We have not heard back from the bank yet. Please do not pay again.", "Wir haben noch keine Antwort der Bank. Bitte zahlen Sie nicht noch einmal.", "Nous n'avons pas encore de réponse de la banque. Ne payez pas une seconde fois."], "order.paid": ["Thank you! Order {id} is paid.", "Vielen Dank! Die Bestellung {id} ist bezahlt.", "Merci ! La commande {id} est payée."], "order.shipped": ["Order {id} is on its way.", "Die Bestellung {id} ist unterwegs.", "La commande {id} est en route."], "order.cancelled": ["Order {id} was cancelled, {amount} will be refunded.", "Die Bestellung {id} wurde storniert, {amount} werden erstattet.", "La commande {id} a été annulée, {amount} seront remboursés."] };
for (const c of Object.keys(CATEGORIES)) for (const f of ["title", "intro", "empty", "filter"]) KEYS[`category.${c}.${f}`] = { title: [cap(c), cap(c), cap(c)], intro: [`Everything for ${c}, picked by people who use it.`, `Alles rund um ${c}, ausgesucht von Leuten, die es benutzen.`, `Tout pour ${c}, choisi par des gens qui s'en servent.`], empty: [`There is nothing in ${c} right now.`, `In ${c} gibt es gerade nichts.`, `Il n'y a rien dans ${c} pour le moment.`], filter: [`Show only ${c} in stock`, `Nur lieferbare Artikel aus ${c} zeigen`, `Afficher seulement ${c} en stock`] }[f];
for (const c of COUNTRIES) KEYS[`shipping.${c}`] = [`Delivery to ${c} takes ${2 + (c.charCodeAt(0) % 5)} working days.`, `Die Lieferung nach ${c} dauert ${2 + (c.charCodeAt(0) % 5)} Werktage.`, `La livraison vers ${c} prend ${2 + (c.charCodeAt(0) % 5)} jours ouvrables.`];
put("src/i18n/messages.ts", `export type Locale = "en" | "de" | "fr";

export const MESSAGES: Record<Locale, Record<string, string>> = {
${["en", "de", "fr"].map((l, i) => `  ${l}: {\n${Object.entries(KEYS).map(([k, v]) => `    ${JSON.stringify(k)}: ${JSON.stringify(v[i])},`).join("\n")}\n  },`).join("\n")}
};

export function message(locale: Locale, key: string, values: Record<string, string | number> = {}): string {
  const text = MESSAGES[locale][key] ?? MESSAGES.en[key];
  if (text === undefined) throw new Error(\`no message \${key}\`);
  return text.replace(/\\{(\\w+)\\}/g, (_, name: string) => String(values[name] ?? \`{\${name}}\`));
}
`);

// --- http schemas, handlers, repositories
const RES = {
  customer: { email: "string", name: "string", locale: "string", newsletter: "boolean" }, address: { customerId: "string", street: "string", city: "string", postcode: "string", country: "string" },
  wishlist: { customerId: "string", title: "string", isPublic: "boolean" }, review: { sku: "string", customerId: "string", rating: "number", text: "string" },
  shipment: { orderId: "string", carrier: "string", trackingCode: "string", weightGrams: "number" }, refund: { orderId: "string", amount: "number", reason: "string" },
  voucher: { code: "string", amount: "number", issuedTo: "string", redeemed: "boolean" }, supplier: { name: "string", email: "string", leadTimeDays: "number" },
};
const plural = (s) => (/s$/.test(s) ? s + "es" : s + "s");
put("src/http/schema.ts", `// Request shapes and their checks. Every check returns a list of problems; an empty list means that the body is fine.

export interface Problem {
  field: string;
  message: string;
}

type Body = Record<string, unknown>;

function asBody(value: unknown): Body {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : {};
}

function requireString(body: Body, field: string, max: number, problems: Problem[]): void {
  const value = body[field];
  if (typeof value !== "string" || value.trim() === "") problems.push({ field, message: "must be a non-empty string" });
  else if (value.length > max) problems.push({ field, message: \`must not be longer than \${max} characters\` });
}

function requireNumber(body: Body, field: string, min: number, max: number, problems: Problem[]): void {
  const value = body[field];
  if (typeof value !== "number" || !Number.isFinite(value)) problems.push({ field, message: "must be a number" });
  else if (value < min || value > max) problems.push({ field, message: \`must be between \${min} and \${max}\` });
}

function requireBoolean(body: Body, field: string, problems: Problem[]): void {
  if (typeof body[field] !== "boolean") problems.push({ field, message: "must be true or false" });
}
${Object.entries(RES).map(([r, fields]) => `
export interface ${cap(r)}Input {
${Object.entries(fields).map(([f, t]) => `  ${f}: ${t};`).join("\n")}
}

export function check${cap(r)}(value: unknown): Problem[] {
  const body = asBody(value);
  const problems: Problem[] = [];
${Object.entries(fields).map(([f, t]) => `  ${t === "string" ? `requireString(body, "${f}", ${f === "text" ? 4000 : 200}, problems)` : t === "number" ? `requireNumber(body, "${f}", 0, ${f === "rating" ? 5 : 1_000_000}, problems)` : `requireBoolean(body, "${f}", problems)`};`).join("\n")}
  return problems;
}

/** The same for PATCH: only the fields that are there are checked. */
export function checkPartial${cap(r)}(value: unknown): Problem[] {
  const body = asBody(value);
  return check${cap(r)}(value).filter((problem) => problem.field in body);
}
`).join("")}
export interface CheckoutBody {
  cartId: string;
  country: string;
  shippingMethod: "standard" | "express" | "pickup";
  paymentToken: string;
  acceptPriceChanges?: boolean;
}

export function checkCheckout(value: unknown): Problem[] {
  const body = asBody(value);
  const problems: Problem[] = [];
  requireString(body, "cartId", 60, problems);
  requireString(body, "country", 2, problems);
  requireString(body, "paymentToken", 200, problems);
  if (!["standard", "express", "pickup"].includes(String(body.shippingMethod))) problems.push({ field: "shippingMethod", message: "must be standard, express or pickup" });
  return problems;
}
`);
put("src/http/handlers.ts", `import { cancel, checkout, type CheckoutDeps } from "../checkout.ts";
import { addItem, applyCoupon, CartError, createCart, removeCoupon, removeItem, setQuantity, totals, type Cart } from "../cart.ts";
import { quote } from "../pricing.ts";
import { findProduct, PRODUCTS, type Category } from "../catalog/products.ts";
import { format } from "../money.ts";
import * as schema from "./schema.ts";
import * as repos from "../db/repositories.ts";
import type { Reply, Request, Router } from "./router.ts";

const carts = new Map<string, Cart>();

function notFound(what: string): Reply {
  return { status: 404, body: { error: "not_found", what } };
}

function invalid(problems: schema.Problem[]): Reply {
  return { status: 422, body: { error: "invalid", problems } };
}

function page(request: Request): { limit: number; offset: number } {
  const limit = Math.min(100, Math.max(1, Number(request.query.get("limit") ?? 20)));
  const offset = Math.max(0, Number(request.query.get("offset") ?? 0));
  return { limit, offset };
}

function withCart(request: Request, change: (cart: Cart) => Cart): Reply {
  const cart = carts.get(request.params.id!);
  if (!cart) return notFound("cart");
  try {
    const changed = change(cart);
    carts.set(changed.id, changed);
    return { status: 200, body: cartView(changed) };
  } catch (error) {
    if (error instanceof CartError) return { status: 409, body: { error: error.code, message: error.message } };
    throw error;
  }
}

function cartView(cart: Cart): unknown {
  const { subtotal, itemCount } = totals(cart);
  return { id: cart.id, lines: cart.lines, coupons: cart.couponCodes, itemCount, subtotal, subtotalText: format(subtotal) };
}

export function registerHandlers(router: Router, deps: CheckoutDeps): void {
  router.on("GET", "/products", (request) => {
    const { limit, offset } = page(request);
    const category = request.query.get("category") as Category | null;
    const all = PRODUCTS.filter((p) => p.status === "active" && (!category || p.category === category));
    return { status: 200, body: { total: all.length, items: all.slice(offset, offset + limit) } };
  });

  router.on("GET", "/products/:sku", (request) => {
    const product = findProduct(request.params.sku!);
    return product ? { status: 200, body: product } : notFound("product");
  });

  router.on("POST", "/carts", () => {
    const cart = createCart();
    carts.set(cart.id, cart);
    return { status: 201, body: cartView(cart) };
  });

  router.on("GET", "/carts/:id", (request) => withCart(request, (cart) => cart));

  router.on("POST", "/carts/:id/items", (request) => {
    const { sku, quantity = 1 } = request.body as { sku: string; quantity?: number };
    return withCart(request, (cart) => addItem(cart, sku, quantity));
  });

  router.on("PUT", "/carts/:id/items/:sku", (request) => {
    const { quantity } = request.body as { quantity: number };
    return withCart(request, (cart) => setQuantity(cart, request.params.sku!, quantity));
  });

  router.on("DELETE", "/carts/:id/items/:sku", (request) => withCart(request, (cart) => removeItem(cart, request.params.sku!)));

  router.on("POST", "/carts/:id/coupons", (request) => {
    const { code } = request.body as { code: string };
    return withCart(request, (cart) => applyCoupon(cart, code));
  });

  router.on("DELETE", "/carts/:id/coupons/:code", (request) => withCart(request, (cart) => removeCoupon(cart, request.params.code!)));

  router.on("GET", "/carts/:id/quote", (request) => {
    const cart = carts.get(request.params.id!);
    if (!cart) return notFound("cart");
    return { status: 200, body: quote(cart, request.query.get("country") ?? "DE", "standard") };
  });

  router.on("POST", "/checkout", async (request) => {
    const problems = schema.checkCheckout(request.body);
    if (problems.length) return invalid(problems);
    const body = request.body as schema.CheckoutBody;
    const cart = carts.get(body.cartId);
    if (!cart) return notFound("cart");
    const result = await checkout(deps, { cart, country: body.country, shippingMethod: body.shippingMethod, paymentToken: body.paymentToken, acceptPriceChanges: body.acceptPriceChanges });
    if (!result.ok) return { status: 409, body: result.problem };
    carts.delete(cart.id);
    return { status: 201, body: { orderId: result.order.id, total: result.order.total } };
  });

  router.on("POST", "/orders/:id/cancel", async (request) => {
    if (!deps.orders.get(request.params.id!)) return notFound("order");
    return { status: 200, body: await cancel(deps, request.params.id!) };
  });
${Object.keys(RES).map((r) => `
  // ---- ${plural(r)}

  router.on("GET", "/${plural(r)}", (request) => {
    const { limit, offset } = page(request);
    const items = repos.${plural(r)}.list(offset, limit);
    return { status: 200, body: { total: repos.${plural(r)}.count(), items } };
  });

  router.on("GET", "/${plural(r)}/:id", (request) => {
    const ${r} = repos.${plural(r)}.get(request.params.id!);
    return ${r} ? { status: 200, body: ${r} } : notFound("${r}");
  });

  router.on("POST", "/${plural(r)}", (request) => {
    const problems = schema.check${cap(r)}(request.body);
    if (problems.length) return invalid(problems);
    const ${r} = repos.${plural(r)}.insert(request.body as schema.${cap(r)}Input);
    return { status: 201, body: ${r}, headers: { location: \`/${plural(r)}/\${${r}.id}\` } };
  });

  router.on("PATCH", "/${plural(r)}/:id", (request) => {
    const problems = schema.checkPartial${cap(r)}(request.body);
    if (problems.length) return invalid(problems);
    const ${r} = repos.${plural(r)}.update(request.params.id!, request.body as Partial<schema.${cap(r)}Input>);
    return ${r} ? { status: 200, body: ${r} } : notFound("${r}");
  });

  router.on("DELETE", "/${plural(r)}/:id", (request) => {
    return repos.${plural(r)}.remove(request.params.id!) ? { status: 204, body: null } : notFound("${r}");
  });
`).join("")}}
`);
put("src/db/repositories.ts", `// In-memory repositories with the interface of the SQL ones; see migrations.ts for the tables.
import type * as schema from "../http/schema.ts";

interface Stored {
  id: string;
  createdAt: number;
  updatedAt: number;
}
${Object.entries(RES).map(([r, fields]) => `
// ---- ${plural(r)}

export type ${cap(r)} = schema.${cap(r)}Input & Stored;

class ${cap(r)}Repository {
  #rows = new Map<string, ${cap(r)}>();
  #next = 1;

  insert(input: schema.${cap(r)}Input, now = Date.now()): ${cap(r)} {
    const row: ${cap(r)} = { ...input, id: \`${r.slice(0, 3)}_\${this.#next++}\`, createdAt: now, updatedAt: now };
    this.#rows.set(row.id, row);
    return row;
  }

  get(id: string): ${cap(r)} | undefined {
    return this.#rows.get(id);
  }

  list(offset: number, limit: number): ${cap(r)}[] {
    return [...this.#rows.values()].slice(offset, offset + limit);
  }

  count(): number {
    return this.#rows.size;
  }

  update(id: string, change: Partial<schema.${cap(r)}Input>, now = Date.now()): ${cap(r)} | undefined {
    const row = this.#rows.get(id);
    if (!row) return undefined;
    const updated: ${cap(r)} = { ...row, ...change, id: row.id, createdAt: row.createdAt, updatedAt: now };
    this.#rows.set(id, updated);
    return updated;
  }

  remove(id: string): boolean {
    return this.#rows.delete(id);
  }
${Object.entries(fields).filter(([f]) => /Id$|sku|code|email/.test(f)).map(([f]) => `
  findBy${cap(f)}(${f}: string): ${cap(r)}[] {
    return [...this.#rows.values()].filter((row) => row.${f} === ${f});
  }
`).join("")}}

export const ${plural(r)} = new ${cap(r)}Repository();
`).join("")}`);
put("src/db/migrations.ts", `export interface Migration {
  version: number;
  name: string;
  up: string[];
  down: string[];
}

export const MIGRATIONS: Migration[] = [
${Object.entries(RES).map(([r, fields], i) => `  {
    version: ${i + 1},
    name: "create_${plural(r)}",
    up: [
      \`CREATE TABLE ${plural(r)} (
        id TEXT PRIMARY KEY,
${Object.entries(fields).map(([f, t]) => `        ${f.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase())} ${t === "string" ? "TEXT NOT NULL" : "INTEGER NOT NULL DEFAULT 0"},`).join("\n")}
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      )\`,
${Object.keys(fields).filter((f) => /Id$|sku|code|email/.test(f)).map((f) => f.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase())).map((f) => `      "CREATE INDEX ${plural(r)}_${f} ON ${plural(r)} (${f})",`).join("\n")}
    ],
    down: ["DROP TABLE ${plural(r)}"],
  },`).join("\n")}
];
`);

// --- recorded orders: what was charged used the correct split, so orders with a discount differ while the bug is there
const active = products.filter((p) => p.status === "active");
const split = (total, bases) => { const base = bases.reduce((s, b) => s + b, 0); const ex = bases.map((b) => (total * b) / base); const p = ex.map(Math.floor); let rest = total - p.reduce((s, x) => s + x, 0); for (const { i } of ex.map((x, i) => ({ i, r: x - Math.floor(x) })).sort((a, b) => b.r - a.r || a.i - b.i)) { if (rest-- <= 0) break; p[i]++; } return p; };
const orders = [];
for (let i = 0; i < 260; i++) {
  const lines = []; const n = int(1, 6);
  while (lines.length < n) { const p = pick(active); if (!lines.some((l) => l.sku === p.sku)) lines.push({ sku: p.sku, quantity: int(1, 4), price: p.price }); }
  const coupon = rnd() < 0.55 ? pick(["WELCOME10", "BOOKS15", "FIVER", "SHIPFREE", "THIRD"]) : null;
  const by = (sku) => products.find((p) => p.sku === sku);
  const gross = lines.map((l) => l.price * l.quantity); const subtotal = gross.reduce((s, g) => s + g, 0);
  let off = 0, free = false; const percent = (x, bases) => Math.round(bases.reduce((s, b) => s + b, 0) * (x / 100));
  if (coupon === "WELCOME10") off = percent(10, gross);
  if (coupon === "THIRD") off = Math.min(10000, percent(33.3, gross));
  if (coupon === "BOOKS15") off = percent(15, lines.map((l, k) => (by(l.sku).category === "books" ? gross[k] : 0)));
  if (coupon === "FIVER" && subtotal >= 3000) off = 500;
  if (coupon === "SHIPFREE" && subtotal >= 2500) free = true;
  void split;
  const shipping = pick(["standard", "standard", "standard", "express", "pickup"]);
  const kg = Math.ceil(lines.reduce((w, l) => w + by(l.sku).weightGrams * l.quantity, 0) / 1000);
  const method = { standard: [490, 60, 5000], express: [990, 140, null], pickup: [0, 0, null] }[shipping];
  const cost = (free && shipping === "standard") || (method[2] !== null && subtotal - off >= method[2]) ? 0 : method[0] + method[1] * Math.max(0, kg - 1);
  orders.push({ id: `ord_${4100 + i}`, country: pick(["DE", "DE", "DE", "AT", "FR", "NL", "IT", "SE"]), shipping, coupon, lines, charged: subtotal - off + cost });
}
put("test/fixtures/orders-2026-10.json", JSON.stringify(orders, null, 1) + "\n");

put("test/catalog.test.ts", `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PRODUCTS } from "../src/catalog/products.ts";
import { RATES, taxRate } from "../src/tax/rates.ts";
import { includedTax } from "../src/pricing.ts";
import { money } from "../src/money.ts";

describe("catalogue", () => {
  for (const p of PRODUCTS) {
    it(\`\${p.sku} \${p.name} has a sane price\`, () => {
      assert.ok(Number.isInteger(p.price) && p.price > 0);
      assert.ok(p.cost < p.price);
    });
  }
});

describe("tax", () => {
  for (const country of Object.keys(RATES)) {
    it(\`\${country} includes tax in the price\`, () => {
      const percent = taxRate(country, "home");
      const tax = includedTax(money(10_000), percent);
      assert.ok(tax.amount > 0 && tax.amount < 10_000 * (percent / 100));
    });
  }
});
`);

// --- a day of the checkout log
const logLines = []; let t = Date.UTC(2026, 9, 28, 6, 0, 0);
for (let i = 0; i < 420; i++) {
  t += int(2_000, 160_000); const id = `ord_${4400 + i}`; const cart = `cart_${(t % 1e9).toString(36)}_${int(1, 900)}`; const amount = int(900, 24000);
  const row = (level, event, f) => logLines.push(JSON.stringify({ at: new Date(t).toISOString(), level, event, requestId: `rq_${int(1e6, 9e6).toString(36)}`, ...f }));
  row("info", "checkout.start", { orderId: id, cartId: cart, total: amount, country: pick(COUNTRIES) });
  const r = rnd();
  if (r < 0.05) { t += 8000; row("error", "checkout.payment_error", { orderId: id, error: "PaymentTimeout: payment gateway did not answer within 8000 ms" }); t += 1500; row("info", "checkout.start", { orderId: `ord_${4400 + i}b`, cartId: cart, total: amount, retryOf: id }); row("info", "checkout.paid", { orderId: `ord_${4400 + i}b`, cartId: cart, total: amount, chargeId: `ch_${90000 + i}` }); row("warn", "reconcile.duplicate_charge", { cartId: cart, charges: [`ch_${89000 + i}`, `ch_${90000 + i}`], total: amount }); }
  else if (r < 0.12) row("warn", "checkout.rejected", { orderId: id, code: pick(["out_of_stock", "payment_declined", "price_changed"]) });
  else row("info", "checkout.paid", { orderId: id, cartId: cart, total: amount, chargeId: `ch_${90000 + i}` });
}
put("logs/checkout-2026-10-28.log", logLines.join("\n") + "\n");

// --- PNGs: a flow of boxes; a screenshot of a double click
function png(w, h, at) {
  const raw = Buffer.alloc(h * (1 + w * 3));
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) raw.set(at(x, y), y * (1 + w * 3) + 1 + x * 3);
  const crc = (b) => { let c = ~0; for (const x of b) { c ^= x; for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (0xedb88320 & -(c & 1)); } return ~c >>> 0; };
  const chunk = (type, data) => { const b = Buffer.concat([Buffer.from(type), data]); const out = Buffer.alloc(8); out.writeUInt32BE(data.length); const end = Buffer.alloc(4); end.writeUInt32BE(crc(b)); return Buffer.concat([out.subarray(0, 4), b, end]); };
  const head = Buffer.alloc(13); head.writeUInt32BE(w); head.writeUInt32BE(h, 4); head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", zlib.deflateSync(raw, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
put("docs/checkout-flow.png", png(240, 96, (x, y) => { const bx = x % 60; const box = y > 24 && y < 72 && bx > 8 && bx < 46; const edge = box && (y < 27 || y > 69 || bx < 11 || bx > 43); return edge ? [30, 60, 110] : box ? [205 - Math.floor(x / 60) * 25, 225, 240] : y > 46 && y < 50 && bx >= 46 ? [30, 60, 110] : [255, 255, 255]; }));
put("docs/double-charge.png", png(128, 80, (x, y) => (y < 14 ? [235, 235, 238] : (y % 22 > 6 && y % 22 < 16 && x > 10 && x < (y > 44 ? 70 : 112)) ? ((y > 22 && y < 44) ? [190, 60, 50] : [120, 130, 150]) : [250, 250, 250])));
