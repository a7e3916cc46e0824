// A small session (pi 1.5.2, OpenAI chat completions): notes about tax, with a branch.
export default {
  pi: "1.5",
  model: "local-openai/scripted-o",
  keepRecentTokens: 400,
  sessions: { main: "notes-1.5" },
  steps: [
    { name: "tax notes" },
    { prompt: "Which countries have a reduced rate for books? Here is what the shop looks like to them.", images: ["docs/double-charge.png"], turns: [
      { thinking: "The rates are in src/tax/rates.ts.", text: "The rates first.", tools: [["read", { path: "src/tax/rates.ts", limit: 120 }], ["read", { path: "src/tax/reduced.ts" }]] },
      { text: "The rest of the table and a count.", tools: [["read", { path: "src/tax/rates.ts", offset: 120 }], ["bash", { command: "node --input-type=module -e 'import { RATES } from \"./src/tax/rates.ts\"; for (const [c, r] of Object.entries(RATES)) console.log(c, r.books, r.home, r.books < r.home ? \"reduced\" : \"full\"); process.exit(Object.values(RATES).filter(r => r.books === r.home).length)'" }]] },
      { text: "All but Denmark (DK), which has one rate of 25 % for everything.\n\nDecision: treat Denmark as the only country without a reduced rate." },
    ] },
    { bash: "grep -n 'DK' -A 7 src/tax/rates.ts" },
    { bash: "head -3 src/tax/rates.ts", exclude: true },
    { gap: 20 },
    { prompt: "Write that down in docs/tax.md.", turns: [
      { text: "", tools: [["write", { path: "docs/tax.md", content: "# Tax\n\nBooks and food are taxed at the reduced rate, except in Denmark.\n" }]] },
      { text: "Done." },
    ] },
    { command: "/note Reminder: the finance team reads docs/tax.md." },
    { compact: "Keep the finding about Denmark.", summary: ["## Goal\nNotes about tax rates.\n\n## Progress\n- [x] `docs/tax.md`: books and food are reduced everywhere but in Denmark.", "The countries with a reduced rate for books were listed from src/tax/rates.ts."] },
    { prompt: "Does the code round the tax correctly?", turns: [
      { text: "", tools: [["read", { path: "src/money.ts" }], ["grep", { pattern: "includedTax", path: "." }]] },
      { text: "", tools: [["bash", { command: "node --test --test-reporter=spec test/catalog.test.ts 2>&1 | tail -40; false" }]] },
      { text: "Yes: `includedTax` goes through `percentOf`, which rounds half away from zero, once per line." },
    ] },
    { command: "/nav Does the code round", summary: "Rounding of the tax was checked: includedTax rounds once per line, half away from zero." },
    { prompt: "Then shorten the note to one sentence.", turns: [
      { text: "", tools: [["edit", { path: "docs/tax.md", edits: [{ oldText: "# Tax\n\nBooks", newText: "Books" }] }]] },
      { text: "", tools: [["read", { path: "docs/tax.md" }]] },
      { text: "The note is one sentence now." },
    ] },
    { prompt: "And what about Åland?", turns: [{ status: 400, error: "The model is not available right now." }] },
    { model: "local-anthropic/scripted-a" },
    { prompt: "Once more: what about Åland?", turns: [{ thinking: "No entry AX in the table.", text: "There is no entry for Åland (AX): `taxRate(\"AX\", …)` throws `UnknownCountry`." }] },
  ],
};
