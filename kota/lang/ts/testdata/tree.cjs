// Makes a tree of files known to TypeScript as if it were installed: the packages of
// the tree are seen as if they were linked into its node_modules, and the options of
// a file are those of the nearest configuration.
const path = require("path"), fs = require("fs")

// open returns the tree below a root: lines are all its files, those to be looked at
// with a + before them.
exports.open = (ts, root, lines) => {
  root = fs.realpathSync(root)
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
  function cacheOf(o) {
    if (!caches.has(o)) caches.set(o, ts.createModuleResolutionCache(root, x => x, o))
    return caches.get(o)
  }

  // inside returns a path relative to the root, nothing for what is not of the tree.
  function inside(file) {
    const to = path.relative(root, link(file))
    return to.startsWith("..") || !tree.has(to) ? undefined : to
  }

  // isPackage reports whether a specifier names a package of the tree.
  const isPackage = spec => links.has(spec.split("/").slice(0, spec.startsWith("@") ? 2 : 1).join("/"))
  return { root, wanted, tree, host, options, cacheOf, link, inside, isPackage }
}
