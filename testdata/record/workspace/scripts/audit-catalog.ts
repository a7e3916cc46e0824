// Lists products with their margin and what looks wrong about them.
import { PRODUCTS } from "../src/catalog/products.ts";
import { taxRate } from "../src/tax/rates.ts";

let problems = 0;
for (const p of PRODUCTS) {
  const tax = taxRate("DE", p.category);
  const net = (p.price * 100) / (100 + tax);
  const margin = ((net - p.cost) / net) * 100;
  const flags = [margin < 5 && "low margin", p.stock === 0 && p.status === "active" && "active without stock", p.weightGrams > 20_000 && "bulky"].filter(Boolean);
  problems += flags.length;
  console.log(`${p.sku.padEnd(10)} ${p.name.padEnd(38)} ${p.category.padEnd(11)} price=${String(p.price).padStart(6)} cost=${String(p.cost).padStart(6)} margin=${margin.toFixed(1).padStart(5)}% stock=${String(p.stock).padStart(4)} ${flags.join(", ")}`);
}
console.log(`${PRODUCTS.length} products, ${problems} remarks`);
