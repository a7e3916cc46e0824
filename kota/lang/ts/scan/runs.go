package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// isRunner reports whether a module is a test runner.
func isRunner(spec string) bool {
	switch spec {
	case "vitest", "@jest/globals", "node:test", "test", "mocha", "ava", "uvu", "@playwright/test", "playwright/test", "bun:test",
		"tape", "tap", "zora", "qunit", "@japa/runner", "@hapi/lab", "jasmine", "jasmine-core", "baretest", "brittle",
		"@std/testing/bdd", "jsr:@std/testing/bdd", "tstyche", "riteway", "@effect/vitest", "@fast-check/vitest":
		return true
	}
	return false
}

// isVerb reports whether test runners have a function of this name that registers a test or a
// group of tests.
func isVerb(name string) bool {
	switch name {
	case "test", "it", "describe", "suite", "specify", "context", "experiment", "scenario", "xit", "xdescribe", "xtest", "fit", "fdescribe":
		return true
	}
	return false
}

// takesTest reports whether a member of a function that registers tests does so as well, as
// test.only does. Other members, such as test.step, are called inside tests and by helpers.
func takesTest(member string) bool {
	switch member {
	case "only", "skip", "each", "for", "concurrent", "serial", "failing", "fails", "todo", "sequential", "shuffle", "runIf", "skipIf", "if",
		"parallel", "fixme", "effect", "live", "scoped", "prop", "layer", "todoIf", "failingIf":
		return true
	}
	return isVerb(member)
}

// origin is where a name in a file comes from.
type origin uint8

// The origins of a name.
const (
	global   origin = iota
	ofRunner        // imported from a test runner
	foreign         // imported from elsewhere, or declared in the file
)

// origins are the names that a file imports or declares. imported is the name that an imported
// one has in its module.
type origins map[string]struct {
	origin
	imported string
}

// runsTests reports whether the file registers tests: it calls a function of a test runner, or a
// global or imported function that has such a name and takes a test's arguments.
func (p *parser) runsTests() bool {
	known, tester := make(origins), false
	for _, im := range p.out.Imports {
		tester = tester || im.Spec == "tsd" && !im.TypeOnly
		for _, n := range im.Names {
			from := foreign
			if isRunner(im.Spec) {
				from = ofRunner
			}
			known.set(n.Local, from, n.Imported)
			tester = tester || strings.HasSuffix(n.Imported, "RuleTester") || strings.HasSuffix(n.Local, "RuleTester")
		}
	}
	for _, d := range p.out.Decls {
		if d.In == "" && isVerb(d.Name) {
			if _, imported := known[d.Name]; !imported {
				known.set(d.Name, foreign, d.Name)
			}
		}
	}
	for i := range p.Toks {
		if p.Toks[i].Kind != lex.Word || p.Op(i-1) == '.' || p.Op(i-1) == lex.Chain {
			continue
		}
		if p.runsTest(i, known) || tester && p.runsTester(i) {
			return !p.inSource()
		}
	}
	return false
}

func (o origins) set(name string, from origin, imported string) {
	o[name] = struct {
		origin
		imported string
	}{from, imported}
}

// runsTester reports whether token i begins "x.run(", which tests a lint rule, or "expectType<",
// which tests a type.
func (p *parser) runsTester(i int) bool {
	return p.Op(i+1) == '.' && p.Is(i+2, "run") && p.Op(i+3) == '(' || strings.HasPrefix(p.Word(i), "expect") && (p.Op(i+1) == '<' || p.Op(i+1) == '(')
}

// inSource reports whether the tests are in-source tests of vitest, which production code
// contains and the build removes.
func (p *parser) inSource() bool { return bytes.Contains(p.Src, []byte("import.meta.vitest")) }

// runsTest reports whether the word at token i begins a call that registers a test.
func (p *parser) runsTest(i int, known origins) bool {
	name := p.Word(i)
	from, bound := known[name]
	if !bound && !isVerb(name) && name != "QUnit" && name != "Deno" {
		return false
	}
	call, last := p.callee(i)
	if call < 0 {
		return false
	}
	whole := from.imported == lang.Namespace || from.imported == lang.Default
	switch {
	case from.origin == ofRunner && last != "":
		return isVerb(last) || p.hasBody(call)
	case from.origin == ofRunner:
		return isVerb(from.imported) || whole
	case !bound && !isVerb(name): // an object with the functions, as QUnit and Deno are
		return isVerb(last) && p.hasBody(call)
	case whole && last != "" && !(isVerb(name) && p.hasTitle(call)), !p.statementAt(i):
		return false
	case bound:
		return isVerb(name) && p.hasBody(call)
	}
	return p.hasBody(call)
}

// callee returns the ( of the call of the function at token i, or of one of its members, and the
// last member. open is -1 when it is not called, or the member takes no test.
func (p *parser) callee(i int) (open int, last string) {
	j := i + 1
	for p.Op(j) == '.' && p.Word(j+1) != "" {
		last = p.Word(j + 1)
		j += 2
	}
	j = p.Angles(j, min(j+64, len(p.Toks)))
	switch {
	case p.Op(j) == '(':
		// test.each(table) returns the function that is called with the test.
		if then := p.Next(j); p.Op(then) == '(' && !p.Toks[then].First {
			j = then
		}
	case j < len(p.Toks) && p.Toks[j].Kind == lex.Quasi:
		if j = p.Next(j); p.Op(j) != '(' {
			return -1, ""
		}
	default:
		return -1, ""
	}
	if last != "" && !takesTest(last) {
		return -1, ""
	}
	return j, last
}

// hasBody reports whether the call whose ( is token open has a function among its arguments,
// after the first.
func (p *parser) hasBody(open int) bool {
	end := p.Pair(open, open)
	comma := false
	for j := open + 1; j < end; j = p.Next(j) {
		switch {
		case p.Op(j) == ',':
			comma = true
		case comma && (p.Op(j) == lex.Arrow || p.Is(j, "function")):
			return true
		}
	}
	return false
}

// hasTitle reports whether the first argument of the call whose ( is token open is a string or a
// template.
func (p *parser) hasTitle(open int) bool {
	return open+1 < len(p.Toks) && (p.Toks[open+1].Kind == lex.Text || p.Toks[open+1].Kind == lex.Quasi)
}

// statementAt reports whether a statement, or the body of an arrow function, can begin at token
// i.
func (p *parser) statementAt(i int) bool {
	switch {
	case i == 0 || p.Toks[i].First:
		return true
	case p.Is(i-1, "await") || p.Is(i-1, "void"):
		return true
	}
	return slices.Contains([]byte{';', '{', '}', lex.Arrow, ')', '?', ':'}, p.Op(i-1))
}
