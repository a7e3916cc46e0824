// Says which files of a repository are tests: those that have the name by which runners
// find tests, and those that call a runner, by their syntax alone. Paths come in on standard input, and go out, one to a line.
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.argv[2]);
const root = process.argv[3];

const calls = new Set(["test", "it", "describe", "suite", "specify", "context"]);
const others = new Set(["vi", "jest", "expect", "assert", "mock"]); // of a runner, and no test
const named = /\.(test|spec|tst|test-d)\.[cm]?[jt]sx?$/; // those of types, too
const runners = /^(vitest|@jest\/globals|jest|mocha|ava|@ava\/test|uvu|tape|tap|node:test|bun:test|zora|lab|@playwright\/test|@japa\/runner)$/;

// bound are the names that a file declares or imports, with the module of an import.
const bound = (source) => {
  const names = new Map();
  const add = (name, from) => {
    if (!name) return;
    if (ts.isIdentifier(name)) names.set(name.text, from);
    else for (const e of name.elements || []) add(e.name, from);
  };
  const required = (e) => e && ts.isCallExpression(e) && e.expression.getText(source) === "require" && e.arguments[0] && e.arguments[0].text;
  const walk = (node) => {
    if (ts.isImportDeclaration(node) && node.importClause) {
      const from = node.moduleSpecifier.text, c = node.importClause;
      add(c.name, from);
      if (c.namedBindings && c.namedBindings.elements) for (const e of c.namedBindings.elements) add(e.name, from);
      else if (c.namedBindings) add(c.namedBindings.name, from);
    } else if (ts.isVariableDeclaration(node)) {
      let e = node.initializer;
      while (e && ts.isPropertyAccessExpression(e)) e = e.expression;
      let of = e; // suite("a"), which is called like test; what test.extend gives is, too
      while (of && (ts.isPropertyAccessExpression(of) || ts.isCallExpression(of))) of = of.expression;
      add(node.name, required(e) || (of && ts.isIdentifier(of) && runners.test(names.get(of.text) || "") ? names.get(of.text) : ""));
    } else if ((ts.isFunctionDeclaration(node) || ts.isParameter(node) || ts.isClassDeclaration(node)) && node.name) {
      add(node.name, "");
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return names;
};

const isTest = (file) => {
  if (named.test(file)) return true;
  const text = fs.readFileSync(path.join(root, file), "utf8");
  if (text.length > 1 << 20 || !/\b(test|it|describe|suite|specify|context)\b|Tester/.test(text)) return false;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names = bound(source);
  let found = false;
  const walk = (node) => {
    if (found || ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return; // a helper that others call
    if (ts.isCallExpression(node)) {
      let callee = node.expression;
      while (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee) || ts.isTaggedTemplateExpression(callee)) callee = callee.expression || callee.tag;
      const title = node.arguments[0];
      const titled = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title) || ts.isIdentifier(title) || ts.isPropertyAccessExpression(title) || ts.isBinaryExpression(title));
      // new RuleTester().run("a", rule, cases) makes tests of them.
      if (/Tester(\(.*\))?\.run$/is.test(node.expression.getText(source)) && titled && node.arguments.length > 2) found = true;
      if (ts.isIdentifier(callee) && titled && node.arguments.length > 1) {
        const from = names.get(callee.text);
        if ((runners.test(from || "") && !others.has(callee.text)) || (calls.has(callee.text) && (from === undefined || from.startsWith(".")))) found = true;
      }
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
};

for (const file of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) if (isTest(file)) console.log(file);
