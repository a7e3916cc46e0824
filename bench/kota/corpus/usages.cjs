// Prints where TypeScript's own checker finds the uses of a sample of the exported
// names of a tree, and of members of its classes and interfaces: a line of JSON for
// each. The first line has, by file, the statements that span lines and the lines
// that take whole modules, and the files that import a package or a file that
// TypeScript does not find, because it is not built: of their uses it knows nothing.
// It takes the directory of the typescript package, the root of the tree and how many
// names of either kind; the files come on standard input, as tree.cjs has them.
const path = require("path"), fs = require("fs"), { spawnSync } = require("child_process")
const ts = require(process.argv[2])
const lines = fs.readFileSync(0, "utf8").split("\n").filter(Boolean)
const { root, wanted, host, options, cacheOf, link, inside, isPackage } = require("../../../kota/lang/ts/testdata/tree.cjs").open(ts, process.argv[3], lines)
const most = Number(process.argv[4])

const tooLarge = f => fs.statSync(path.join(root, f)).size > 1 << 20
const common = {
  allowJs: true, jsx: ts.JsxEmit.Preserve, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, strict: true,
  target: ts.ScriptTarget.Latest, skipLibCheck: true, noEmit: true, types: [], experimentalDecorators: true, allowImportingTsExtensions: true,
  allowArbitraryExtensions: true, maxNodeModuleJsDepth: 0,
  // The scripts of a tree are not all loaded into one page: what one declares is not that of another.
  moduleDetection: ts.ModuleDetectionKind.Force,
}
const unjudged = new Set()
const unfound = new Map() // by relative path that leads nowhere, the files that import it
const base = ts.createCompilerHost(common)
const compiler = {
  ...base, ...host, realpath: undefined, useCaseSensitiveFileNames: () => true,
  getSourceFile: (f, l) => {
    let text = host.readFile(f)
    if (text === undefined) return undefined
    // What a script declares of a package would hide its source; a module adds to it.
    if (f.endsWith(".d.ts") && [...text.matchAll(/^\s*declare\s+module\s+["']([^"']+)/gm)].some(m => isPackage(m[1]))) text += "\nexport {}"
    // Whether an import means the module or the CommonJS side of a package is up to the file.
    const o = options(path.dirname(f))
    const impliedNodeFormat = ts.getImpliedNodeFormatForFile(f, cacheOf(o).getPackageJsonInfoCache(), host, o)
    return ts.createSourceFile(f, text, { ...(typeof l === "object" ? l : { languageVersion: l }), impliedNodeFormat }, true)
  },
  resolveModuleNameLiterals: (literals, from, _, __, sf) => literals.map(l => {
    const at = resolveName(l, from, sf)
    const file = path.relative(root, from)
    if (!(at && inside(at.resolvedFileName)) && isPackage(l.text)) unjudged.add(file)
    if (!at && /^\.\.?\/.*\?/.test(l.text)) unjudged.add(file) // a bundler removes the query
    if (!at && /^\.\.?\//.test(l.text)) {
      const to = path.join(path.dirname(file), l.text)
      unfound.set(to, [...(unfound.get(to) ?? []), file])
    }
    return { resolvedModule: at && { ...at, resolvedFileName: link(at.resolvedFileName), isExternalLibraryImport: false } }
  }),
}
// resolveName resolves an import as the nearest configuration says. A path that this leads
// nowhere, because that configuration is not for such files, is resolved as bundlers do.
function resolveName(l, from, sf) {
  const o = options(path.dirname(from))
  let mode
  try { mode = ts.getModeForUsageLocation(sf, l, o) } catch {}
  const strict = ts.resolveModuleName(l.text, from, o, host, cacheOf(o), undefined, mode).resolvedModule
  return strict || !/^\.\.?(\/|$)/.test(l.text) ? strict : ts.resolveModuleName(l.text, from, common, host, cacheOf(common)).resolvedModule
}
const program = ts.createProgram(wanted.filter(f => !tooLarge(f)).map(f => path.join(root, f)), common, compiler)
const checker = program.getTypeChecker()
const sources = program.getSourceFiles().filter(sf => inside(sf.fileName) && !tooLarge(inside(sf.fileName)))
const name = sf => inside(sf.fileName)
// Of code that it cannot parse, as some of Flow's, the checker does not know everything.
for (const sf of sources) if (sf.parseDiagnostics.length) unjudged.add(name(sf))
// What git ignores is made by a build, which nobody ran.
const ignored = spawnSync("git", ["check-ignore", "-z", "--stdin"], { cwd: root, input: [...unfound.keys()].filter(f => !f.startsWith("..")).join("\0") })
for (const to of String(ignored.stdout).split("\0")) for (const f of unfound.get(to) ?? []) unjudged.add(f)
const lineOf = (sf, pos) => sf.getLineAndCharacterOfPosition(pos).line + 1

// The names that may be asked for. Those that are offered are exported only in an object, as in
// "export default { a }".
const exported = [], members = [], offered = []
for (const sf of sources) {
  const module = checker.getSymbolAtLocation(sf)
  // "export = a" exports what is called a as a whole: it is meant before a member of its name.
  const whole = module?.exports?.get("export=")
  const own = module ? checker.getExportsOfModule(module).filter(s => !whole || s.name !== resolved(whole).name) : []
  for (const s of own) {
    const d = (s.declarations ?? []).find(d => d.getSourceFile() === sf && d.name && ts.isIdentifier(d.name) && d.name.text === s.name && !ts.isExportSpecifier(d) && !ts.isPropertyAccessExpression(d) && !ts.isClassElement(d))
    if (d && !(s.flags & ts.SymbolFlags.Alias)) exported.push({ name: s.name, file: name(sf), declarations: s.declarations })
    for (const [, held] of entries(s)) {
      const top = held.valueDeclaration
      const isOwn = top && top.getSourceFile() === sf && (top.parent === sf || top.parent.parent.parent === sf) && top.name && ts.isIdentifier(top.name)
      if (isOwn && !own.some(o => resolved(o) === held || o.name === held.name) && !offered.some(o => o.declarations === held.declarations))
        offered.push({ name: held.name, file: name(sf), offered: true, declarations: held.declarations })
    }
  }
  sf.forEachChild(n => {
    if (!(ts.isClassDeclaration(n) || ts.isInterfaceDeclaration(n)) || !n.name) return
    const seen = new Set()
    for (const m of n.members) {
      if (!m.name || !ts.isIdentifier(m.name) || seen.has(m.name.text)) continue
      seen.add(m.name.text)
      const s = checker.getSymbolAtLocation(m.name)
      if (s) members.push({ name: n.name.text + "." + m.name.text, file: name(sf), member: true, declarations: s.declarations })
    }
  })
}
// entries are the properties of the object that a symbol exports or that a variable is set to, if
// their values are names, and what those stand for.
function entries(s) {
  const d = resolved(s)?.declarations?.find(d => ts.isExportAssignment(d) || ts.isVariableDeclaration(d) || ts.isBinaryExpression(d))
  let value = d && (d.expression ?? d.initializer ?? d.right)
  if (value && ts.isIdentifier(value)) value = resolved(checker.getSymbolAtLocation(value))?.valueDeclaration?.initializer
  while (value && (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value))) value = value.expression
  if (value && ts.isCallExpression(value) && value.expression.getText() === "Object.freeze") value = value.arguments[0]
  if (!value || !ts.isObjectLiteralExpression(value)) return []
  return value.properties.map(p => {
    const held = ts.isShorthandPropertyAssignment(p) ? checker.getShorthandAssignmentValueSymbol(p)
      : ts.isPropertyAssignment(p) && ts.isIdentifier(p.initializer) ? checker.getSymbolAtLocation(p.initializer) : undefined
    return [p, resolved(held)]
  }).filter(([, held]) => held)
}
function sample(all) {
  all.sort((a, b) => (a.name + a.file < b.name + b.file ? -1 : 1))
  const step = Math.max(1, all.length / most)
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => all[Math.floor(i * step)])
}
const asked = [...sample(exported), ...sample(members), ...sample(offered)]
const of = new Map() // by declaration
for (const a of asked) {
  a.lines = new Set()
  a.through = new Set()
  for (const d of a.declarations ?? []) of.set(d, [...(of.get(d) ?? []), a])
  // Where a declaration file lies beside the code, TypeScript sees it alone: who uses the name
  // there uses that of the code. What the declaration file itself does with it is its own.
  const beside = /\.[cm]?jsx?$/.test(a.file) && program.getSourceFile(path.join(root, a.file.replace(/\.([cm]?)jsx?$/, ".d.$1ts")))
  const module = beside && checker.getSymbolAtLocation(beside)
  a.beside = beside && name(beside)
  const twin = !a.member && module && checker.getExportsOfModule(module).find(s => s.name === a.name)
  for (const d of resolved(twin)?.declarations ?? []) if (d.getSourceFile() === beside) of.set(d, [...(of.get(d) ?? []), a])
}
// Who uses a property of an exported object whose value is a name uses what has the name.
for (const sf of sources) for (const s of checker.getSymbolAtLocation(sf) ? checker.getExportsOfModule(checker.getSymbolAtLocation(sf)) : []) {
  for (const [p, held] of entries(s)) for (const d of held.declarations ?? []) for (const a of of.get(d) ?? [])
    if (!of.get(p)?.includes(a)) of.set(p, [...(of.get(p) ?? []), a])
}
const memberNames = new Set(asked.filter(a => a.member).map(a => a.name.slice(a.name.indexOf(".") + 1)))

const passing = {}, spans = {}
function resolved(s) {
  if (s && s.flags & ts.SymbolFlags.Alias) {
    try { return checker.getAliasedSymbol(s) } catch {}
  }
  return s
}
// property is a member of what an expression or a pattern has for a type, nothing for a
// computed name.
const property = (type, n) => type && n.text !== undefined ? type.getProperty(n.text) ?? checker.getPropertyOfType(type, n.text) : undefined
// meanings are the symbols that an identifier stands for.
function meanings(id) {
  const p = id.parent, out = [checker.getSymbolAtLocation(id)]
  if (ts.isShorthandPropertyAssignment(p)) out.push(checker.getShorthandAssignmentValueSymbol(p))
  if (ts.isObjectLiteralElement(p) && p.name === id && ts.isObjectLiteralExpression(p.parent)) out.push(property(checker.getContextualType(p.parent), id))
  if (ts.isBindingElement(p) && ts.isObjectBindingPattern(p.parent) && (p.propertyName ?? p.name) === id)
    out.push(property(checker.getTypeAtLocation(p.parent), id) ?? exportOf(required(p.parent.parent.initializer), id))
  if (ts.isExportSpecifier(p)) out.push(checker.getExportSpecifierLocalTargetSymbol(p))
  if (ts.isPropertyAccessExpression(p) && p.name === id && !out[0]) out.push(exportOf(required(p.expression), id))
  return out
}
// required is the module that an expression of a TypeScript file stands for when it is
// require("…"), or a constant with that value: there TypeScript takes it for any.
function required(n) {
  if (!n || ts.isInJSFile(n)) return
  if (ts.isIdentifier(n)) {
    const d = checker.getSymbolAtLocation(n)?.valueDeclaration
    return d && ts.isVariableDeclaration(d) && d.initializer && ts.isCallExpression(d.initializer) ? required(d.initializer) : undefined
  }
  if (!ts.isCallExpression(n) || !ts.isIdentifier(n.expression) || n.expression.text !== "require" || !n.arguments[0] || !ts.isStringLiteral(n.arguments[0])) return
  const sf = n.getSourceFile()
  const at = resolveName(n.arguments[0], sf.fileName, sf)
  const to = at && program.getSourceFile(link(at.resolvedFileName))
  return to && checker.getSymbolAtLocation(to)
}
const exportOf = (module, n) => module && checker.getExportsOfModule(module).find(s => s.name === n.text)
// isFile reports whether a symbol is a whole module, isModule whether an expression is.
const isFile = s => s?.declarations?.some(ts.isSourceFile)
const isModule = n => isFile(resolved(checker.getTypeAtLocation(n).symbol))
// passes reports whether an import or export takes whole modules and nothing else.
const passes = list => list?.elements?.length > 0 && list.elements.every(e => isFile(resolved(checker.getSymbolAtLocation(e.name))))
// takes finds the variables that stand for what is taken from a module or an imported object, or
// for what an import( is awaited for.
function takes(n) {
  if (!ts.isBindingElement(n) || !ts.isIdentifier(n.name) || !ts.isObjectBindingPattern(n.parent)) return
  const init = n.parent.parent.initializer ?? loads(n.parent.parent)
  const imported = init && ts.isIdentifier(init) && checker.getSymbolAtLocation(init)?.flags & ts.SymbolFlags.Alias
  if (!init || !imported && !isModule(init) && !required(init) && !/\b(import|require|importActual|importOriginal)\b/.test(init.getText())) return
  const s = resolved(property(checker.getTypeAtLocation(n.parent), n.propertyName ?? n.name) ?? exportOf(required(init), n.propertyName ?? n.name))
  for (const d of s?.declarations ?? []) for (const a of of.get(d) ?? []) if (!(imported && a.member) && !of.get(n)?.includes(a)) of.set(n, [...(of.get(n) ?? []), a])
}
// loads is the import( whose module a parameter receives: that of import("…").then(({ a }) => …).
function loads(n) {
  const call = n.parent?.parent
  if (ts.isParameter(n) && call && ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === "then" && call.arguments[0] === n.parent) {
    const e = call.expression.expression
    return ts.isCallExpression(e) && e.expression.kind === ts.SyntaxKind.ImportKeyword ? e : undefined
  }
}
// each visits a node and what is in it. In JavaScript types stand in comments.
function each(n, fn) {
  fn(n)
  if (ts.isJSDocLinkLike(n)) return
  n.forEachChild(c => each(c, fn))
  if (n.jsDoc && ts.isInJSFile(n)) for (const d of n.jsDoc) each(d, fn)
}
for (const sf of sources) each(sf, takes)
for (const sf of sources) {
  const file = name(sf)
  each(sf, n => {
    const from = lineOf(sf, n.getStart(sf)), to = lineOf(sf, n.end)
    if (ts.isImportDeclaration(n) || ts.isExportDeclaration(n) || ts.isImportEqualsDeclaration(n)) {
      if (to > from) (spans[file] ??= []).push([from, to])
      if (ts.isExportDeclaration(n) && !(n.exportClause && ts.isNamedExports(n.exportClause)) || ts.isImportEqualsDeclaration(n)) (passing[file] ??= []).push(from)
      if (ts.isImportDeclaration(n) && n.importClause?.namedBindings && ts.isNamespaceImport(n.importClause.namedBindings)) (passing[file] ??= []).push(from)
    }
    if (ts.isImportDeclaration(n) && !n.importClause?.name && passes(n.importClause?.namedBindings) || ts.isExportDeclaration(n) && passes(n.exportClause)) (passing[file] ??= []).push(from)
    if (ts.isImportDeclaration(n) && n.importClause?.name && !n.importClause.namedBindings && passes({ elements: [n.importClause] })) (passing[file] ??= []).push(from)
    if (ts.isJSDocImportTag(n) && to > from) (spans[file] ??= []).push([from, to])
    if (ts.isCallExpression(n) && (n.expression.kind === ts.SyntaxKind.ImportKeyword || ts.isIdentifier(n.expression) && n.expression.text === "require")) (passing[file] ??= []).push(from)
    if (!ts.isIdentifier(n)) return
    // An import of a namespace uses none of its members by itself.
    if (ts.isImportSpecifier(n.parent) || ts.isImportClause(n.parent) || ts.isExportSpecifier(n.parent))
      resolved(checker.getSymbolAtLocation(n))?.exports?.forEach(s => {
        for (const d of resolved(s)?.declarations ?? []) for (const a of of.get(d) ?? []) a.through.add(file + ":" + from)
      })
    if (ts.isImportSpecifier(n.parent) || ts.isImportClause(n.parent) || ts.isExportSpecifier(n.parent))
      for (const [, held] of entries(checker.getSymbolAtLocation(n))) for (const d of held.declarations ?? []) for (const a of of.get(d) ?? []) a.through.add(file + ":" + from)
    let symbols = []
    try { symbols = meanings(n) } catch {} // TypeScript fails on some code
    for (const s of symbols) {
      for (const d of resolved(s)?.declarations ?? []) {
        for (const a of of.get(d) ?? []) if (file !== a.beside && !a.declarations.some(o => o.name === n)) a.lines.add(file + ":" + from)
      }
    }
  })
}
console.log(JSON.stringify({ passing, spans, unjudged: [...unjudged] }))
for (const a of asked) {
  const at = [...new Set(a.declarations.map(d => inside(d.getSourceFile().fileName) + ":" + lineOf(d.getSourceFile(), d.getStart())))]
  const named = [...new Set(a.declarations.filter(d => d.name).map(d => inside(d.getSourceFile().fileName) + ":" + lineOf(d.getSourceFile(), d.name.getStart())))]
  console.log(JSON.stringify({ name: a.name, file: a.file, member: !!a.member, offered: !!a.offered, declared: [...at, ...named], lines: [...a.lines], through: [...a.through].filter(l => !a.lines.has(l)) }))
}
