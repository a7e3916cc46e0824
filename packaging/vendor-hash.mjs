// Writes the hash of the modules that the program is built from to flake.nix, or with --check compares it. Nix builds
// without a network, from the output of go mod vendor, which it knows by the hash of its archive format (NAR).
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const flake = join(root, "flake.nix");
const hash = createHash("sha256");

function put(...parts) {
  for (const part of parts) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    hash.update(length).update(bytes).update(Buffer.alloc((8 - (bytes.length % 8)) % 8));
  }
}

function archive(path) {
  const stat = lstatSync(path);
  put("(", "type");
  if (stat.isDirectory()) {
    put("directory");
    for (const name of readdirSync(path, { encoding: "buffer" }).sort(Buffer.compare)) {
      put("entry", "(", "name", name, "node");
      archive(join(path, name.toString()));
      put(")");
    }
  } else {
    put("regular", ...(stat.mode & 0o100 ? ["executable", ""] : []), "contents", readFileSync(path));
  }
  put(")");
}

const scratch = mkdtempSync(join(tmpdir(), "pictx-vendor-"));
try {
  execFileSync("go", ["mod", "vendor", "-o", join(scratch, "vendor")], { cwd: root, env: { ...process.env, GOFLAGS: "" }, stdio: "inherit" });
  put("nix-archive-1");
  archive(join(scratch, "vendor"));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const text = readFileSync(flake, "utf8");
const now = text.replace(/vendorHash = "[^"]*"/, `vendorHash = "sha256-${hash.digest("base64")}"`);
if (now !== text && process.argv[2] === "--check") {
  console.error("flake.nix has the hash of other modules\nhint: node packaging/vendor-hash.mjs");
  process.exit(1);
}
if (now !== text) writeFileSync(flake, now);
