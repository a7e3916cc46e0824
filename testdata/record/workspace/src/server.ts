import { loadConfig } from "./config.ts";
import { Inventory } from "./inventory.ts";
import { OrderStore } from "./orders.ts";
import { HttpPaymentGateway } from "./payment.ts";
import { PRODUCTS } from "./catalog/products.ts";
import { Router } from "./http/router.ts";
import { registerHandlers } from "./http/handlers.ts";

const config = loadConfig();
const deps = {
  inventory: new Inventory(Object.fromEntries(PRODUCTS.map((p) => [p.sku, p.stock]))),
  orders: new OrderStore(),
  payments: new HttpPaymentGateway(config.paymentUrl, config.paymentTimeoutMs),
};

const router = new Router();
registerHandlers(router, deps);
router.listen(config.port);
