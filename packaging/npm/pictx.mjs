#!/usr/bin/env node
// Runs the program of this platform, which npm installed as an optional dependency.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";

const root = new URL("../../", import.meta.url);
const { name, version, optionalDependencies = {} } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const platform = `${process.platform}-${process.arch}`;
const dependency = Object.keys(optionalDependencies).find((each) => each.endsWith(`-${platform}`));

function program() {
  try {
    return createRequire(root).resolve(`${dependency}/bin/pictx${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    const why = dependency
      ? `${dependency} is not installed\nhint: npm install --include=optional ${name}@${version}`
      : `there is no program for ${platform}\nhint: go install, with Go from go.dev, builds one: see README.md`;
    process.stderr.write(`pictx: error: start pictx: ${why}\n`);
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// A terminal sends SIGINT to both. The program decides what to do, and this process ends as it does.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`pictx: error: start pictx: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
