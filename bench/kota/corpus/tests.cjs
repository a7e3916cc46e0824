// Says which files of a repository are tests: those that call a test runner at the top
// level, by TypeScript's own binding of names, and those that only the name by which
// runners find tests says to be one, unless they export something: that is for tests to
// import. Paths come in on standard input, and go out, one to a line.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.argv[2]);
const root = process.argv[3];

const verbs = new Set(["test", "it", "describe", "suite", "specify", "context", "serial", "only", "skip", "each", "todo", "failing", "concurrent"]);
const globals = new Set(["test", "it", "describe", "suite", "specify", "context"]);
const ofFixtures = /(^|[a-z])(Test|It|Describe|Suite)$|^(test|it|describe|suite|serial)$/; // "browserTest" of "./fixtures"
const noTest = /^(before|after|setup|teardown|step|extend|use|mock|vi|jest|expect|assert|macro|configure|skipIf$)/; // of a runner
const named = /(\.(test|spec|tst|test-d|vitest|e2e|cy|unit)|[-_](test|spec))\.[cm]?[jt]sx?$/;
const runners = /^(vitest|@jest\/globals|jest|mocha|ava|@ava\/test|uvu|tape|tap|node:test|bun:test|zora|lab|@playwright\/test|@japa\/runner)$/;
const checksTypes = "tsd"; // whatever of it is called runs when types are checked

// A file of one name at a time: what stands in another is not known, and not needed.
const options = { allowJs: true, noLib: true, noResolve: true, types: [], jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.Latest, moduleDetection: ts.ModuleDetectionKind.Force };
const bound = (file, text) => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const host = {
    getSourceFile: (f) => (f === file ? source : undefined), getDefaultLibFileName: () => "lib.d.ts", writeFile: () => {}, getCurrentDirectory: () => "",
    getCanonicalFileName: (f) => f, useCaseSensitiveFileNames: () => true, getNewLine: () => "\n", fileExists: (f) => f === file, readFile: () => undefined,
  };
  return { source, checker: ts.createProgram([file], options, host).getTypeChecker() };
};

// rootOf is the expression that a chain of members, calls and templates begins with, and
// the members.
const rootOf = (e) => {
  const members = [];
  for (;;) {
    if (ts.isPropertyAccessExpression(e)) members.unshift(e.name.text), (e = e.expression);
    else if (ts.isTaggedTemplateExpression(e)) e = e.tag;
    else if (ts.isCallExpression(e) && e.expression.kind !== ts.SyntaxKind.ImportKeyword && !(ts.isIdentifier(e.expression) && e.expression.text === "require")) e = e.expression;
    else if (ts.isParenthesizedExpression(e) || ts.isAwaitExpression(e) || ts.isAsExpression(e) || ts.isNonNullExpression(e)) e = e.expression;
    else return { at: e, members };
  }
};

// origin says where a name comes from: { global }, { module, imported } or {}.
const origin = (checker, id, deep = 0) => {
  const d = checker.getSymbolAtLocation(id)?.declarations?.[0];
  if (!d) return { global: true };
  if (ts.isImportSpecifier(d)) return { module: d.parent.parent.parent.moduleSpecifier.text, imported: (d.propertyName ?? d.name).text };
  if (ts.isImportClause(d)) return { module: d.parent.moduleSpecifier.text, imported: "" };
  if (ts.isNamespaceImport(d)) return { module: d.parent.parent.moduleSpecifier.text, imported: "" };
  let v = d;
  while (ts.isBindingElement(v) || ts.isObjectBindingPattern(v) || ts.isArrayBindingPattern(v)) v = v.parent;
  if (!ts.isVariableDeclaration(v) || !v.initializer || deep > 5) return v.parent?.parent && ts.isVariableStatement(v.parent.parent) && v.parent.parent.modifiers?.some((m) => m.kind === ts.SyntaxKind.DeclareKeyword) ? { global: true } : {};
  const { at, members } = rootOf(v.initializer);
  const taken = ts.isBindingElement(d) ? (d.propertyName ?? d.name).text : members[0] ?? "";
  if (ts.isCallExpression(at) && at.arguments[0] && ts.isStringLiteralLike(at.arguments[0])) return { module: at.arguments[0].text, imported: taken };
  if (!ts.isIdentifier(at) || at === id) return {};
  const from = origin(checker, at, deep + 1); // suite("a"), which is called like test; what test.extend gives is, too
  return from.module && runners.test(from.module) ? { ...from, imported: ts.isBindingElement(d) ? taken : from.imported, members } : {};
};

const isBody = (e) => ts.isArrowFunction(e) || ts.isFunctionExpression(e);
const isTitle = (e) => e && (ts.isStringLiteralLike(e) || ts.isTemplateExpression(e) || ts.isIdentifier(e) || ts.isPropertyAccessExpression(e) || ts.isBinaryExpression(e));

const runsTest = (checker, call) => {
  const titled = isTitle(call.arguments[0]) && call.arguments.length > 1;
  const { at, members } = rootOf(call.expression);
  // new RuleTester().run("a", rule, cases) makes tests of them.
  if (members.at(-1) === "run" && titled && call.arguments.length > 2 && /Tester/i.test(at.getText())) return true;
  if (!ts.isIdentifier(at)) return false;
  const from = origin(checker, at);
  const body = call.arguments.some(isBody);
  if (from.module === checksTypes) return true;
  if (from.module && runners.test(from.module)) {
    if (noTest.test(from.imported) || members.some((m) => noTest.test(m))) return false;
    return (titled || body) && (members.length === 0 || verbs.has(members.at(-1)));
  }
  if (members.some((m) => noTest.test(m))) return false;
  if (from.global) return globals.has(at.text) && titled;
  return from.module?.startsWith(".") && ofFixtures.test(at.text) && titled && (body || globals.has(at.text));
};

const isTest = (file) => {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  if (text.length > 1 << 20) return named.test(file);
  const looks = /\b(test|it|describe|suite|specify|context|serial|tape|tap|tsd)\b|Test|It\b|Describe|Suite/.test(text);
  if (!looks && !named.test(file)) return false;
  const { source, checker } = bound(file, text);
  let found = false;
  const given = new Set(); // functions that the file exports, for others to call
  const give = (e) => e && given.add(ts.isIdentifier(e) ? checker.getSymbolAtLocation(e)?.declarations?.[0] : e);
  for (const s of source.statements) {
    if (ts.isFunctionDeclaration(s) && s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) give(s);
    if (ts.isVariableStatement(s) && s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword)) for (const d of s.declarationList.declarations) give(d.initializer);
    if (ts.isExportAssignment(s)) give(s.expression);
    if (ts.isExportDeclaration(s) && !s.moduleSpecifier && s.exportClause?.elements) for (const e of s.exportClause.elements) given.add(checker.getExportSpecifierLocalTargetSymbol(e)?.declarations?.[0]);
    if (ts.isExpressionStatement(s) && ts.isBinaryExpression(s.expression) && /^(module\.)?exports\b/.test(s.expression.left.getText())) give(s.expression.right);
  }
  const walk = (node) => {
    if (found || ts.isClassDeclaration(node) || (given.has(node) && (isBody(node) || ts.isFunctionDeclaration(node)))) return;
    if (ts.isCallExpression(node) && runsTest(checker, node)) found = true;
    ts.forEachChild(node, walk);
  };
  walk(source);
  const exports = () => source.statements.some((s) => ts.isExportDeclaration(s) || ts.isExportAssignment(s) || s.modifiers?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword));
  return found || (named.test(file) && !exports());
};

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) if (isTest(file)) console.log(file);
