// Prints what pi itself makes of session files: for every entry of every file
// the SHA-256 of each message that pi projects for the model with that entry as
// the leaf. One line of JSON per entry: {"file", "index", "messages": [hash]}.
//
//   node project.mjs PATH-OF-session-manager.js FILE...
import { createHash } from "node:crypto";
import { pathToFileURL } from "node:url";

const [manager, ...files] = process.argv.slice(2);
const pi = await import(pathToFileURL(manager).href);

for (const file of files) {
	const all = pi.loadEntriesFromFile(file);
	pi.migrateSessionEntries(all);
	const entries = all.filter((e) => e.type !== "session");
	const byId = new Map(entries.map((e) => [e.id, e]));
	entries.forEach((entry, index) => {
		const { messages } = pi.buildSessionProjection(entries, entry.id, byId);
		const hashes = messages.map((m) => createHash("sha256").update(JSON.stringify(m)).digest("hex"));
		console.log(JSON.stringify({ file, index, messages: hashes }));
	});
}
