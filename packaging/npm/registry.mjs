// A registry of npm on this machine, to try the packages of a release before it is published:
//
//   node packaging/npm/registry.mjs dist/npm        prints its address
//   npm_config_registry=ADDRESS npx pictx version   or pi install npm:pictx
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const dir = process.argv[2];
const newestLast = (a, b) => a.localeCompare(b, "en", { numeric: true });

/** Returns what a registry says of a package, by reading the tarballs that are there now. */
function versionsOf(name, address) {
  const found = { name, versions: {}, "dist-tags": {} };
  const prefix = `${name.replace("@", "").replace("/", "-")}-`; // as npm pack names tarballs
  for (const file of readdirSync(dir).filter((each) => each.startsWith(prefix) && each.endsWith(".tgz")).sort(newestLast)) {
    const manifest = JSON.parse(execFileSync("tar", ["-xzOf", join(dir, file), "package/package.json"], { encoding: "utf8" }));
    if (manifest.name !== name) continue;
    const integrity = `sha512-${createHash("sha512").update(readFileSync(join(dir, file))).digest("base64")}`;
    found.versions[manifest.version] = { ...manifest, dist: { tarball: `${address}/-/${file}`, integrity } };
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
