// Finding the program that this extension speaks with. A repository must not be able to choose it: nothing inside the
// project is looked at, and nothing that is not an absolute path.
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";

export const INSTALL = "go install -tags sqlite_fts5 github.com/coctostan/pictx/cmd/pictx@latest";

/** Where to look. `here` is the folder of the extension, `cwd` that of the session. */
export interface Place {
  here: string;
  cwd: string;
  env: Record<string, string | undefined>;
  platform: string;
  arch: string;
}

/** The program, or why there is none, as one line for a person. */
export type Found = { path: string; why?: undefined } | { path?: undefined; why: string };

/** Looks in the order: $PICTX_BIN, the stamp of the installer, the package of this platform, PATH. */
export function findBinary(place: Place): Found {
  const asked = place.env.PICTX_BIN;
  if (asked) {
    // Whoever names a program wants that one: another one in its stead would be a surprise.
    if (!isAbsolute(asked)) return { why: `pi runs without pictx: PICTX_BIN is not an absolute path: ${asked}` };
    return isProgram(asked) ? { path: asked } : { why: `pi runs without pictx: PICTX_BIN is not an executable file: ${asked}` };
  }
  for (const path of candidates(place)) if (isProgram(path)) return { path };
  return { why: `pi runs without pictx, which is not installed. To install it, in a shell: ${INSTALL}` };
}

function* candidates(place: Place): Generator<string> {
  const stamped = stamp(place.here);
  if (stamped) yield stamped;
  yield* packaged(place);
  yield* onPath(place);
}

/**
 * What the agent's shell needs, so that the program can be run there by its name and in any folder: a place on PATH,
 * behind all others, and the file of the session. Commands that the agent runs inherit both.
 */
export function forShell(program: string, file: string | undefined, env: Record<string, string | undefined>): void {
  if (file) env.PICTX_SESSION_FILE = file;
  else delete env.PICTX_SESSION_FILE;
  const folders = (env.PATH ?? "").split(delimiter);
  if (!folders.some((folder) => isAbsolute(folder) && isProgram(join(folder, basename(program))))) env.PATH = [...folders, dirname(program)].join(delimiter);
}

/** The path that the installer left beside the extension. */
function stamp(here: string): string | undefined {
  try {
    const path = JSON.parse(readFileSync(join(here, "binary.json"), "utf8"))?.path;
    return typeof path === "string" && isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** The npm package of this platform, beside the extension or in a folder above it. */
function* packaged(place: Place): Generator<string> {
  const inside = join("node_modules", "@coctostan", `pictx-${place.platform}-${place.arch}`, "bin", name(place.platform));
  for (let dir = place.here; ; dir = dirname(dir)) {
    yield join(dir, inside);
    if (dirname(dir) === dir) return;
  }
}

function* onPath(place: Place): Generator<string> {
  const project = repository(real(place.cwd), real(homedir()));
  for (const entry of (place.env.PATH ?? place.env.Path ?? "").split(delimiter)) {
    if (!isAbsolute(entry)) continue;
    const path = join(entry, name(place.platform));
    // Both the folder and what a link in it leads to have to be outside.
    if (!isInside(project, real(entry)) && !isInside(project, real(path))) yield path;
  }
}

/** The work tree that a folder is in, else the folder. A repository that the home folder is says nothing of what is in it. */
function repository(cwd: string, home: string): string {
  for (let dir = cwd; dir !== home && dirname(dir) !== dir; dir = dirname(dir)) if (existsSync(join(dir, ".git"))) return dir;
  return cwd;
}

function name(platform: string): string {
  return platform === "win32" ? "pictx.exe" : "pictx";
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isInside(dir: string, path: string): boolean {
  const way = relative(dir, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith("../") && !way.startsWith("..\\"));
}
