// Packs the npm packages of a release from what goreleaser built: one with the program for each platform, and the one that
// people install, which depends on them. Names come from package.json, versions from goreleaser.
//
//   node packaging/npm/pack.mjs [dist] [directory for the tarballs] [--here, to pack only the program of this platform]
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = resolve(process.argv[2] ?? join(root, "dist"));
const out = resolve(process.argv[3] ?? join(dist, "npm"));
const here = process.argv[4] === "--here" && `-${process.platform}-${process.arch}`;

const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const manifest = json(join(root, "package.json"));
const { version } = json(join(dist, "metadata.json"));
const platforms = { darwin: "darwin", linux: "linux", windows: "win32" };
const processors = { amd64: "x64", arm64: "arm64" };

/** Packs a directory that holds a manifest and copies of files of the repository, and returns the tarball's size. */
function pack(manifest, files) {
  const dir = mkdtempSync(join(tmpdir(), "pictx-npm-"));
  try {
    writeFileSync(join(dir, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    for (const [to, from, mode] of files) {
      mkdirSync(dirname(join(dir, to)), { recursive: true });
      cpSync(from, join(dir, to), { recursive: true });
      chmodSync(join(dir, to), mode ?? 0o644);
    }
    const told = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", out], { cwd: dir, encoding: "utf8", shell: process.platform === "win32" });
    const [{ filename, size, unpackedSize, integrity }] = JSON.parse(told);
    writeFileSync(join(out, `${filename}.json`), JSON.stringify({ ...manifest, dist: { tarball: filename, integrity } })); // for registry.mjs
    const mb = (bytes) => (bytes / 1e6).toFixed(1).padStart(5);
    console.log(`${mb(size)} MB packed ${mb(unpackedSize)} MB unpacked  ${filename}`);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

mkdirSync(out, { recursive: true });
const { description, license, homepage, repository } = manifest;
const programs = json(join(dist, "artifacts.json")).filter((each) => each.type === "Binary");
for (const name of Object.keys(manifest.optionalDependencies)) {
  manifest.optionalDependencies[name] = version;
  const built = programs.find(({ goos, goarch }) => name.endsWith(`-${platforms[goos]}-${processors[goarch]}`));
  if (here && !name.endsWith(here)) continue;
  if (!built) throw new Error(`${name}: ${dist} has no program for it`);
  const file = `bin/pictx${built.goos === "windows" ? ".exe" : ""}`;
  pack(
    { name, version, description: `${description} (the program)`, license, homepage, repository, os: [platforms[built.goos]], cpu: [processors[built.goarch]], files: ["bin", "copyright"], preferUnplugged: true },
    [
      [file, resolve(dist, "..", built.path), 0o755],
      ["copyright", resolve(dist, "../bin/release/copyright")],
    ],
  );
}
delete manifest.private;
const extension = "hooks/pi/extension";
pack({ ...manifest, version }, [
  ...["README.md", "CHANGELOG.md", "LICENSE"].map((file) => [file, join(root, file)]),
  ["packaging/npm/pictx.mjs", join(root, "packaging/npm/pictx.mjs"), 0o755],
  [extension, join(root, extension), 0o755],
]);
