// Prints what TypeScript makes of every import of a tree: a line of JSON for each
// with the file, the line, the specifier and the file it resolves to. It takes the
// directory of the typescript package and the root of the tree; the files to look
// at, and all files there are, come on standard input, a line each, the former
// with a + before them.
const path = require("path"), fs = require("fs")
const ts = require(process.argv[2])
const { root, wanted, host, options, cacheOf, inside } = require("./tree.cjs").open(ts, process.argv[3], fs.readFileSync(0, "utf8").split("\n").filter(Boolean))

const out = []
for (const f of wanted) {
  const file = path.join(root, f)
  const o = options(path.dirname(file))
  const cache = cacheOf(o)
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
    out.push(JSON.stringify({ from: f, line: line(n), spec: spec.text, kind, to: r && inside(r.resolvedFileName) }))
  }
  const visit = n => {
    if (ts.isImportDeclaration(n) && literal(n.moduleSpecifier)) add(n, n.moduleSpecifier, "import")
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
