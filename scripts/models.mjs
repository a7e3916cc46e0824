// Writes core/token/catalog.tsv, the table of models, from the data of the npm package
// @earendil-works/pi-ai. scripts/models calls it; give it the directory of the package.
//
// The table has a line for every chat model of pi's catalogue. Money is in dollars per million
// tokens, lifetimes of prompt caches are in seconds, sizes in tokens.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [pkg, out] = process.argv.slice(2);
if (!pkg || !out) {
	console.error("usage: node scripts/models.mjs PACKAGE-DIRECTORY OUTPUT-FILE");
	process.exit(2);
}
const read = (...names) => JSON.parse(readFileSync(join(pkg, ...names), "utf8"));
const data = join("dist", "providers", "data");
const { version } = read("package.json");
const date = read(data, ".manifest.json").generatedAt.slice(0, 10);

const price = (c) => [c.input, c.output, c.cacheRead, c.cacheWrite].join("/");
const tiers = (c) => (c.tiers ?? []).map((t) => `${t.inputTokensAbove}:${price(t)}`).join(",");
const lifetime = (p) => (p ? `${p.short ?? 0}/${p.long ?? 0}` : "");

/** What of the model decides how its thinking is kept: whether it thinks, and whether pi asks for stale thinking to be dropped. */
const flags = (m) => [m.reasoning && "thinks", m.compat?.supportsMidConvoEffort && "effort"].filter(Boolean).join(",");

const lines = [];
for (const file of readdirSync(join(pkg, data)).filter((f) => /^[a-z].*\.json$/.test(f))) {
	for (const models of Object.values(read(data, file))) {
		for (const [key, m] of Object.entries(models)) {
			if (!key.startsWith("chat:")) continue;
			lines.push([m.provider, m.id, m.api, m.contextWindow, price(m.cost), tiers(m.cost), lifetime(m.promptCache), flags(m)].join("\t"));
		}
	}
}
const header = [
	`# The models of pi-ai ${version}, ${date}; written by scripts/models, not by hand.`,
	"# provider, id, api, context window, price (input/output/cache read/cache write), tiers (above:price), cache lifetime (short/long), flags",
];
writeFileSync(out, [...header, ...lines.sort()].join("\n") + "\n");
console.log(`${lines.length} models of pi-ai ${version}, ${date}`);
