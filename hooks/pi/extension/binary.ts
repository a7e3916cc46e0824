// Finds the pictx program. A repository must not be able to choose it, so files inside the project and relative paths are
// never considered.
import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";

export const INSTALL = "npm install -g pictx";

/** The names of the npm packages with the program, without platform and processor. */
const PROGRAMS = "@coctostan/pictx-";

/** Where to look. `here` is the directory of the extension, `cwd` that of the session. */
export interface Place {
  here: string;
  cwd: string;
  env: Record<string, string | undefined>;
  platform: string;
  arch: string;
}

/** The path of the program, or a line for the user about why there is none. */
export type Found = { path: string; why?: undefined } | { path?: undefined; why: string };

/** Looks in this order: $PICTX_BIN, the path that the installer recorded, the npm package of this platform, PATH. */
export function findBinary(place: Place): Found {
  const asked = place.env.PICTX_BIN;
  if (asked) {
    // Whoever sets PICTX_BIN wants that program, so there is no fallback.
    if (!isAbsolute(asked)) return { why: `pi runs without pictx: PICTX_BIN is not an absolute path: ${asked}` };
    return isProgram(asked) ? { path: asked } : { why: `pi runs without pictx: PICTX_BIN is not an executable file: ${asked}` };
  }
  for (const path of candidates(place)) if (isProgram(path)) return { path };
  return { why: `pi runs without pictx, which is not installed. To install it, in a shell: ${INSTALL}` };
}

function* candidates(place: Place): Generator<string> {
  const recorded = installed(place.here);
  if (recorded) yield recorded;
  yield* packaged(place);
  yield* onPath(place);
}

/**
 * Sets up the environment of commands that the agent runs: the program's directory at the end of PATH, so that `pictx`
 * works by name, the file of the session, and the directory that the agent works in.
 */
export function forShell(program: string, session: { file?: string; cwd: string }, env: Record<string, string | undefined>): void {
  env.PICTX_SESSION_CWD = session.cwd;
  const { file } = session;
  if (file) env.PICTX_SESSION_FILE = file;
  else delete env.PICTX_SESSION_FILE;
  const folders = (env.PATH ?? "").split(delimiter);
  if (!folders.some((folder) => isAbsolute(folder) && isProgram(join(folder, basename(program))))) env.PATH = [...folders, dirname(program)].join(delimiter);
}

/** Returns the path that the installer recorded beside the extension, in binary.json. */
function installed(here: string): string | undefined {
  try {
    const path = JSON.parse(readFileSync(join(here, "binary.json"), "utf8"))?.path;
    return typeof path === "string" && isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Yields the npm package of this platform in the node_modules of the extension's directory and of all directories above. */
function* packaged(place: Place): Generator<string> {
  const inside = join("node_modules", `${PROGRAMS}${place.platform}-${place.arch}`, "bin", name(place.platform));
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
    // Both the directory and the target of a link in it have to be outside the project.
    if (!isInside(project, real(entry)) && !isInside(project, real(path))) yield path;
  }
}

/** Returns the git work tree that contains cwd, else cwd. A home directory that is itself a repository does not count. */
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
  const rel = relative(dir, path);
  return rel === "" || (!isAbsolute(rel) && rel !== ".." && !rel.startsWith("../") && !rel.startsWith("..\\"));
}
