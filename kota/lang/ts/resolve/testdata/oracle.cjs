// Prints what TypeScript makes of every import of a tree: a line of JSON for each
// with the file, the line, the specifier and the file it resolves to. It takes the
// directory of the typescript package and the root of the tree; the files to look
// at, and all files there are, come on standard input, a line each, the former
// with a + before them. Packages of the tree are seen as if they were linked into
// its node_modules.
const path = require("path"), fs = require("fs")
const ts = require(process.argv[2])
const root = fs.realpathSync(process.argv[3])
const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean)
const wanted = lines.filter(l => l[0] === "+").map(l => l.slice(1))
const tree = new Set(lines.map(l => l.replace(/^\+/, "")))

const links = new Map()
const depth = f => f.split("/").length
for (const f of [...tree].filter(f => path.basename(f) === "package.json").sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))) {
  if (/(^|\/)(fixtures?|templates?|examples?|test|tests|__tests__)\//.test(f)) continue
  try {
    const name = JSON.parse(fs.readFileSync(path.join(root, f), "utf8")).name
    if (name && !links.has(name)) links.set(name, path.join(root, path.dirname(f)))
  } catch {}
}

// link maps a path below the root's node_modules to where the package is.
function link(p) {
  const pre = root + "/node_modules/"
  if (!p.startsWith(pre)) return p
  const parts = p.slice(pre.length).split("/")
  const n = parts[0].startsWith("@") ? 2 : 1
  const dir = links.get(parts.slice(0, n).join("/"))
  return dir ? path.join(dir, ...parts.slice(n)) : p
}
const inTree = p => !p.startsWith(root + "/") || tree.has(path.relative(root, p)) || p.includes("/node_modules/")
const linked = new Set([...links.keys()].filter(n => n.startsWith("@")).map(n => root + "/node_modules/" + n.split("/")[0]))
const files = new Map(), dirs = new Map()
function memo(map, key, fn) {
  if (!map.has(key)) map.set(key, fn())
  return map.get(key)
}
const host = {
  ...ts.sys,
  fileExists: p => memo(files, p, () => inTree(link(p)) && ts.sys.fileExists(link(p))),
  readFile: p => ts.sys.readFile(link(p)),
  directoryExists: p => memo(dirs, p, () => p === root + "/node_modules" || linked.has(p) || ts.sys.directoryExists(link(p))),
  realpath: p => link(p),
  useCaseSensitiveFileNames: true,
  getCurrentDirectory: () => root,
  onUnRecoverableConfigFileDiagnostic() {},
}
host.readDirectory = () => []

const configs = new Map(), caches = new Map()
function options(dir) {
  if (!configs.has(dir)) {
    const f = ["tsconfig.json", "jsconfig.json"].map(n => path.join(dir, n)).find(n => tree.has(path.relative(root, n)))
    let o
    if (f) o = ts.getParsedCommandLineOfConfigFile(f, {}, host)?.options ?? {}
    else if (dir === root || dir === path.dirname(dir)) o = { moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext }
    else o = options(path.dirname(dir))
    if (f && ts.getEmitModuleResolutionKind(o) === ts.ModuleResolutionKind.Classic) o.moduleResolution = ts.ModuleResolutionKind.Bundler
    configs.set(dir, o)
  }
  return configs.get(dir)
}

const out = []
for (const f of wanted) {
  const file = path.join(root, f)
  const o = options(path.dirname(file))
  if (!caches.has(o)) caches.set(o, ts.createModuleResolutionCache(root, x => x, o))
  const cache = caches.get(o)
  let data = fs.readFileSync(file)
  let source = data[0] === 0xff && data[1] === 0xfe ? data.toString("utf16le") : data.toString("utf8")
  if (source.charCodeAt(0) === 0xfeff) source = source.slice(1)
  const format = ts.getImpliedNodeFormatForFile(file, cache.getPackageJsonInfoCache(), host, o)
  const js = /\.[cm]?jsx?$/.test(file)
  const sf = ts.createSourceFile(file, source, { languageVersion: ts.ScriptTarget.Latest, impliedNodeFormat: format, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }, true, js ? ts.ScriptKind.JSX : undefined)
  const line = n => sf.getLineAndCharacterOfPosition(n.getStart(sf)).line + 1
  const literal = n => n && (ts.isStringLiteral(n) || ts.isNoSubstitutionTemplateLiteral(n))
  const add = (n, spec, kind) => {
    let mode
    try { mode = ts.getModeForUsageLocation(sf, spec, o) } catch { mode = format }
    const r = ts.resolveModuleName(spec.text, file, o, host, cache, undefined, mode).resolvedModule
    let to = r && path.relative(root, link(r.resolvedFileName))
    if (to && (to.startsWith("..") || !tree.has(to))) to = undefined
    out.push(JSON.stringify({ from: f, line: line(n), spec: spec.text, kind, to }))
  }
  const visit = n => {
    if ((ts.isImportDeclaration(n)) && literal(n.moduleSpecifier)) add(n, n.moduleSpecifier, "import")
    else if (ts.isExportDeclaration(n) && literal(n.moduleSpecifier)) add(n, n.moduleSpecifier, "re-export")
    else if (ts.isImportEqualsDeclaration(n) && ts.isExternalModuleReference(n.moduleReference) && literal(n.moduleReference.expression)) add(n, n.moduleReference.expression, "import=")
    else if (ts.isImportTypeNode(n) && ts.isLiteralTypeNode(n.argument) && literal(n.argument.literal)) add(n, n.argument.literal, "type")
    else if (ts.isCallExpression(n) && n.expression.kind === ts.SyntaxKind.ImportKeyword && literal(n.arguments[0])) add(n, n.arguments[0], "dynamic")
    else if (ts.isCallExpression(n) && ts.isIdentifier(n.expression) && n.expression.text === "require" && n.arguments.length === 1 && literal(n.arguments[0])) add(n, n.arguments[0], "require")
    else if (ts.isModuleDeclaration(n) && ts.isStringLiteral(n.name) && ts.isExternalModule(sf) && n.body && !n.name.text.includes("*")) add(n, n.name, "augments")
    ts.forEachChild(n, visit)
  }
  visit(sf)
}
fs.writeSync(1, out.join("\n") + (out.length ? "\n" : ""))
