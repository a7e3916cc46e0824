package scan

import (
	"bytes"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
)

// isRunner reports whether a module runs tests.
func isRunner(spec string) bool {
	switch spec {
	case "vitest", "@jest/globals", "node:test", "test", "mocha", "ava", "uvu", "@playwright/test", "playwright/test", "bun:test",
		"tape", "tap", "zora", "qunit", "@japa/runner", "@hapi/lab", "jasmine", "jasmine-core", "baretest", "brittle",
		"@std/testing/bdd", "jsr:@std/testing/bdd", "tstyche", "riteway", "@effect/vitest", "@fast-check/vitest":
		return true
	}
	return false
}

// isVerb reports whether runners have a function of this name that takes a test, or a
// group of them.
func isVerb(name string) bool {
	switch name {
	case "test", "it", "describe", "suite", "specify", "context", "experiment", "scenario", "xit", "xdescribe", "xtest", "fit", "fdescribe":
		return true
	}
	return false
}

// endsInVerb reports whether a name says that it is a runner's function with
// something added, as browserTest does.
func endsInVerb(name string) bool {
	for _, verb := range []string{"Test", "It", "Describe", "Suite", "Spec"} {
		if len(name) > len(verb) && strings.HasSuffix(name, verb) {
			return true
		}
	}
	return isVerb(name)
}

// takesTest reports whether a member of a runner's function takes a test, too, as
// test.only does. Others, such as test.step, are called within tests and by helpers.
func takesTest(member string) bool {
	switch member {
	case "only", "skip", "each", "for", "concurrent", "serial", "failing", "fails", "todo", "sequential", "shuffle", "runIf", "skipIf", "if",
		"parallel", "fixme", "effect", "live", "scoped", "prop", "layer", "todoIf", "failingIf":
		return true
	}
	return isVerb(member)
}

// origin is how a name got into a file.
type origin uint8

// The ways a name gets into a file.
const (
	global   origin = iota
	ofRunner        // it is imported from a module that runs tests
	foreign         // it is imported from elsewhere, or declared in the file
)

// origins says how the names of a file that may run tests got there.
type origins map[string]struct {
	origin
	imported string
}

// runsTests reports whether the file calls a test runner: a function of one, or one
// that goes by such a name and is handed what a test is made of.
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
		if d.In == "" && endsInVerb(d.Name) {
			if _, imported := known[d.Name]; !imported {
				known.set(d.Name, foreign, d.Name)
			}
		}
	}
	offered := p.offered()
	for i := 0; i < len(p.toks); i++ {
		if end := p.offeredFunction(i, offered); end > i {
			i = end
			continue
		}
		if p.toks[i].kind != word || p.op(i-1) == '.' || p.op(i-1) == opChain {
			continue
		}
		if p.runsTest(i, known) || tester && p.runsTester(i) {
			return !p.inSource()
		}
	}
	return false
}

// offered are the names of the file's own that it exports.
func (p *parser) offered() map[string]bool {
	out := make(map[string]bool)
	for _, e := range p.out.Exports {
		if e.From < 0 {
			out[e.Local] = true
		}
	}
	return out
}

// offeredFunction returns the } of the function that is exported at token i, in any of
//
//	export function cases() { … }
//	export const cases = async () => { … }
//	module.exports = db => { … }
//	function cases() { … } … export { cases }
//
// and -1 when there is none. Tests in it are those of the files that call it.
func (p *parser) offeredFunction(i int, offered map[string]bool) int {
	switch {
	case p.is(i, "function") && offered[p.word(i+1)]:
		return p.functionEnd(i)
	case p.is(i, "export") && p.is(i+1, "default"):
		return p.functionEnd(i + 2)
	case p.is(i, "export") && (p.is(i+1, "const") || p.is(i+1, "let")) && p.op(i+3) == '=':
		return p.functionEnd(i + 4)
	case p.is(i, "export"):
		return p.functionEnd(i + 1)
	case p.is(i, "exports") && p.op(i+1) == '=':
		return p.functionEnd(i + 2)
	case p.is(i, "exports") && p.op(i+1) == '.' && p.op(i+3) == '=':
		return p.functionEnd(i + 4)
	}
	return -1
}

// functionEnd returns the } of the function whose value or declaration begins at token i,
// -1 when none does.
func (p *parser) functionEnd(i int) int {
	if p.is(i, "async") {
		i++
	}
	open := -1
	switch {
	case p.is(i, "function"):
		for open = i + 1; p.isWord(open) || p.op(open) == '*'; open++ {
		}
		if open = p.angles(open, len(p.toks)); p.op(open) == '(' {
			open = p.body(p.next(open), min(open+maxSignature, len(p.toks)))
		}
	case p.isWord(i) && p.op(i+1) == opArrow:
		open = i + 2
	case p.op(i) == '(':
		for open = p.next(i); open < min(i+maxSignature, len(p.toks)) && p.op(open) != opArrow && p.op(open) != ';'; {
			open = p.next(open)
		}
		open++
	}
	if p.op(open) != '{' {
		return -1
	}
	return p.pair(open, -1)
}

// maxSignature is how many tokens after the name of a function its body is looked for.
const maxSignature = 256

func (o origins) set(name string, from origin, imported string) {
	o[name] = struct {
		origin
		imported string
	}{from, imported}
}

// runsTester reports whether token i is an object whose method run tests a rule of a
// linter, or a check of a type.
func (p *parser) runsTester(i int) bool {
	return p.op(i+1) == '.' && p.is(i+2, "run") && p.op(i+3) == '(' || strings.HasPrefix(p.word(i), "expect") && (p.op(i+1) == '<' || p.op(i+1) == '(')
}

// inSource reports whether the tests are those that a file of production code has
// for itself, which are gone when it is built.
func (p *parser) inSource() bool { return bytes.Contains(p.src, []byte("import.meta.vitest")) }

// runsTest reports whether the word at token i begins a call that runs a test.
func (p *parser) runsTest(i int, known origins) bool {
	name := p.word(i)
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
	case !bound && !isVerb(name): // an object that has the functions
		return isVerb(last) && p.hasBody(call)
	case whole && last != "" && !(isVerb(name) && p.hasTitle(call)), !p.statementAt(i):
		return false
	case bound:
		return endsInVerb(name) && p.hasBody(call) && (isVerb(name) || p.hasTitle(call))
	}
	return p.hasBody(call) && !p.isParameter(name)
}

// callee returns the ( of the call of the function at token i, or of one of its
// members, and the last member; -1 when it is not called, or with what is not a test.
func (p *parser) callee(i int) (open int, last string) {
	j := i + 1
	for p.op(j) == '.' && p.word(j+1) != "" {
		last = p.word(j + 1)
		j += 2
	}
	j = p.angles(j, min(j+64, len(p.toks)))
	switch {
	case p.op(j) == '(':
		// What "each" makes of a table is called with the test.
		if then := p.next(j); p.op(then) == '(' && !p.toks[then].first {
			j = then
		}
	case j < len(p.toks) && p.toks[j].kind == quasi:
		if j = p.next(j); p.op(j) != '(' {
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

// hasBody reports whether a function is among the arguments of the call whose
// parenthesis is token open, behind another argument.
func (p *parser) hasBody(open int) bool {
	end := p.pair(open, open)
	comma := false
	for j := open + 1; j < end; j = p.next(j) {
		switch {
		case p.op(j) == ',':
			comma = true
		case comma && (p.op(j) == opArrow || p.is(j, "function")):
			return true
		}
	}
	return false
}

// hasTitle reports whether the first argument is a text.
func (p *parser) hasTitle(open int) bool {
	return open+1 < len(p.toks) && (p.toks[open+1].kind == text || p.toks[open+1].kind == quasi)
}

// statementAt reports whether a statement, or the value of an arrow function, can
// begin with token i.
func (p *parser) statementAt(i int) bool {
	switch {
	case i == 0 || p.toks[i].first:
		return true
	case p.is(i-1, "await") || p.is(i-1, "void"):
		return true
	}
	return slices.Contains([]byte{';', '{', '}', opArrow, ')', '?', ':'}, p.op(i-1))
}

// isParameter reports whether a function of the file is handed something under
// this name, or takes it from what it is handed: "const test = t.test".
func (p *parser) isParameter(name string) bool {
	for i := range p.toks {
		if !p.is(i, name) || p.op(i-1) == '.' {
			continue
		}
		if p.is(i-1, "const") && p.op(i+1) == '=' && p.op(i+3) == '.' && p.is(i+4, name) {
			return true
		}
		switch before := p.op(i - 1); before {
		case '(', ',', '{':
		default:
			continue
		}
		switch p.op(i + 1) {
		case ',', ')', '}', ':', '=', '?':
			if p.inParameters(i) {
				return true
			}
		}
	}
	return false
}

// inParameters reports whether token i stands in the parameters of a function.
func (p *parser) inParameters(i int) bool {
	for j := i - 1; j >= 0 && i-j < maxParameters; j-- {
		if pair := int(p.toks[j].pair); pair >= 0 && pair < j {
			j = pair
			continue
		}
		if p.op(j) == '(' {
			after := p.next(j)
			return p.op(after) == opArrow || p.op(after) == '{' || p.op(after) == ':'
		}
		if p.op(j) == ';' {
			return false
		}
	}
	return false
}

// maxParameters is how many tokens before a name its parameters are looked for.
const maxParameters = 64
