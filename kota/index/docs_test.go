package index_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/kota"
)

// In JavaScript types are declared and used in JSDoc comments, as TypeScript's checker reads them.
func TestTypesOfCommentsAreDeclaredAndUsedInJavaScript(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- types.js --
/** @typedef {{ name: string, Options?: number }} Options */
/**
 * @callback Filter
 * @param {Options} options
 * @returns {boolean}
 */
/**
 * @typedef {object} Wide
 * @property {Filter | null} Filter
 * @property {(Options: Options) => void} run
 */
const glob = 'src/**/*.js'
/** @type {Options} */
const own = { Options: 1 }
module.exports = { own }
function f() {
  /** @typedef {number} Inner */
}
-- user.js --
/** @typedef {import('./types').Options} Options */
/** @import { Filter, Wide as W } from './types' */
/**
 * @template Filter
 * @param {Filter} x
 */
function hidden(x) {}
/**
 * @param {W[]} a @param {Filter} b what a Filter is, {@link Filter}
 * @returns {Promise<import ("./types").Filter>}
 */
export function g(a, b) { return /** @type {W} */ (a) }
/** @implements {import('./types').Wide} */
class C {}
-- typed.ts --
/** @type {Filter} */
import type { Filter } from './types.js'
let f: Filter
-- other.ts --
let o: import('./types').Options
`).open()
	for symbol, want := range map[string][]string{ // a key, a type parameter and a link are no uses
		"Options": {"other.ts import 1", "types.js [4 10 13]", "user.js import 1"},
		"Filter":  {"typed.ts import 2 [3]", "types.js [9]", "user.js import 10", "user.js import 2 [9]"},
		"Wide":    {"user.js import 2 as W [9 12]"},
	} {
		got := usages(t, e, kota.UsagesQuery{Symbol: symbol, File: "types.js"})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", symbol, diff)
		}
	}
	if _, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Inner"}); err == nil {
		t.Error("a type in a function is exported")
	}
	im := impact(t, e, kota.ImpactQuery{Symbols: []string{"Filter"}, File: "types.js"})
	if got, want := far(im.Dependents), []string{"typed.ts 1", "user.js 1"}; !slices.Equal(got, want) {
		t.Errorf("impact: %q, want %q", got, want)
	}
	for _, file := range e.Files() {
		agree(t, e, file)
	}
}

// A test whose comments declare a type is a test.
func TestATypeInACommentMakesATestNoSupport(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- package.json --\n{\"name\": \"a\"}\n-- a.js --\nexport const a = 1\n-- test/a.test.js --\nconst { a } = require('../a')\n/** @typedef {number} Size */\na()\n").open()
	if im := impact(t, e, kota.ImpactQuery{Modify: []string{"a.js"}}); len(im.Tests) != 1 || !im.Tests[0].Test {
		t.Errorf("%+v", im.Tests)
	}
}
