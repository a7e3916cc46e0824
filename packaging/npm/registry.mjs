// A registry of npm on this machine, to try the packages of a release before it is published:
//
//   node packaging/npm/registry.mjs dist/npm        prints its address
//   npm_config_registry=ADDRESS npx pictx version   or pi install npm:pictx
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const dir = process.argv[2];
const newestLast = (a, b) => a.localeCompare(b, "en", { numeric: true });

/** Returns what a registry says of a package, from what pack.mjs wrote beside the tarballs that are there now. */
function versionsOf(name, address) {
  const found = { name, versions: {}, "dist-tags": {} };
  for (const file of readdirSync(dir).filter((each) => each.endsWith(".tgz.json")).sort(newestLast)) {
    const manifest = JSON.parse(readFileSync(join(dir, file), "utf8"));
    if (manifest.name !== name) continue;
    manifest.dist.tarball = `${address}/-/${manifest.dist.tarball}`;
    found.versions[manifest.version] = manifest;
    found["dist-tags"].latest = manifest.version;
  }
  return found["dist-tags"].latest && found;
}

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url.slice(1).split("?")[0]);
  try {
    if (path.startsWith("-/") && /^[\w.-]+\.tgz$/.test(path.slice(2))) return response.end(readFileSync(join(dir, path.slice(2))));
    const found = versionsOf(path, `http://127.0.0.1:${server.address().port}`);
    if (found) return response.setHeader("content-type", "application/json").end(JSON.stringify(found));
  } catch {} // what cannot be read is not there
  response.writeHead(404).end("{}");
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().on("end", () => process.exit()); // so that it ends with whoever started it
