// A small session (pi 0.73.1, OpenAI chat completions): notes about shipping costs.
export default {
  pi: "0.73",
  model: "local-openai/scripted-o",
  keepRecentTokens: 1500,
  sessions: { main: "notes-0.73" },
  steps: [
    { prompt: "How are shipping costs computed? Write me a short note about it.", turns: [
      { thinking: "Shipping is probably in pricing.ts.", text: "I'll look for it.", tools: [["grep", { pattern: "shipping", path: "src", ignoreCase: true, limit: 40 }], ["read", { path: "src/pricing.ts" }]] },
      { text: "The documentation may say more.", tools: [["read", { path: "docs/shipping.md" }]] },
      { text: "There is no such page. The weights come from the catalogue.", tools: [["read", { path: "src/cart.ts", offset: 130 }], ["bash", { command: "node --input-type=module -e 'import { SHIPPING } from \"./src/pricing.ts\"; console.log(SHIPPING); process.exit(1)'" }]] },
      { text: "", tools: [["write", { path: "docs/shipping.md", content: "# Shipping\n\nBase price plus a price per started kilogram after the first. Standard is free from 50.00 after discounts.\n" }]] },
      { text: "I wrote `docs/shipping.md`.\n\nDecision: the note describes the rule after discounts, because that is what the code does." },
    ] },
    { bash: "cat docs/shipping.md" },
    { bash: "ls -1 docs", exclude: true },
    { gap: 8 },
    { compact: "Only the rule and the file.", summary: ["## Goal\nA short note about shipping costs.\n\n## Progress\n- [x] `docs/shipping.md` written: base price plus a price per started kilogram; standard is free from 50.00 after discounts.", "The question was how shipping costs are computed; src/pricing.ts and src/cart.ts were read."] },
    { prompt: "Is express ever free?", turns: [
      { text: "Checking the table and the tests.", tools: [["grep", { pattern: "freeFrom", path: "src" }], ["bash", { command: "npm test 2>&1 | tail -60" }]] },
      { text: "", tools: [["edit", { path: "docs/shipping.md", edits: [{ oldText: "Express is", newText: "Express is never free" }] }]] },
      { text: "That text is not in the note; I append it instead.", tools: [["edit", { path: "docs/shipping.md", edits: [{ oldText: "after discounts.\n", newText: "after discounts.\nExpress is never free.\n" }] }]] },
      { text: "No: `freeFrom` is `null` for express, and a `SHIPFREE` coupon only covers standard. The note says so now." },
    ] },
    { gap: 2 },
    { prompt: "Thanks. And pickup?", turns: [{ status: 400, error: "The model is not available right now." }] },
    { prompt: "Please try again: pickup?", turns: [{ text: "Pickup always costs nothing: base 0 and 0 per kilogram." }] },
  ],
};
