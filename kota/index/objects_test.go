package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// What a module exports in one object is used through that object, however the object is exported and
// however it is imported. Deps, usages and impact say the same of it.
func TestWhatAnExportedObjectHoldsIsUsedThroughIt(t *testing.T) {
	t.Parallel()
	modules := map[string]string{
		"the default export itself":         "export default {\n  isFunction,\n  other: 1,\n  isArray,\n}\n",
		"the default export, frozen":        "export default Object.freeze({\n  isFunction,\n  isArray\n})\n",
		"the default export with a type":    "const utils: Utils = {\n  isFunction,\n  isArray,\n}\nexport default utils\n",
		"a variable exported as default":    "const utils = {\n  isFunction,\n  isArray,\n}\nexport default utils\n",
		"a variable listed as default":      "var utils = {\n  isFunction,\n  isArray,\n}\nexport { utils as default }\n",
		"the value of module.exports":       "module.exports = {\n  isFunction,\n  isArray,\n}\n",
		"a variable of module.exports":      "var utils = {\n  isFunction,\n  isArray,\n}\nmodule.exports = utils\n",
		"names of exports":                  "exports.isFunction = isFunction\nexports.isArray = isArray\n",
		"names of exports and of a default": "exports.default = {\n  isFunction,\n  isArray,\n}\n",
	}
	for name, exports := range modules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newWorld(t, "-- lib/utils.ts --\nconst isFunction = x => typeof x === 'function'\nconst isArray = Array.isArray\n"+exports+`
-- lib/again.ts --
export { default } from './utils'
-- lib/named.ts --
export { default as kit } from './utils'
-- lib/passed.ts --
import u from './utils'
export { u as tools }
-- member.ts --
import utils from './lib/utils'
utils.isFunction(1)
utils.isArray(1)
-- pattern.ts --
import utils from './lib/utils'
const { isFunction, isArray: list } = utils
isFunction(list)
-- inner.ts --
import utils from './lib/utils'
export function f() {
  const { isFunction } = utils
  return isFunction(1)
}
-- through.ts --
import utils from './lib/again'
utils.isFunction(1)
-- kit.ts --
import { kit } from './lib/named'
kit.isFunction(1)
const { isFunction: f } = kit
f(1)
-- tools.ts --
import { tools } from './lib/passed'
tools.isFunction(1)
-- loaded.ts --
const { default: utils } = await import('./lib/utils')
const one = (await import('./lib/utils')).default.isFunction
const { isFunction: two } = (await import('./lib/utils')).default
utils.isFunction(one(two))
-- none.ts --
import utils from './lib/utils'
utils.isArray(1)
-- utils.test.ts --
import utils from './lib/utils'
test('is', () => { utils.isFunction(1) })
`).open()
			want := []string{
				"inner.ts import 1 [3 4]", "kit.ts import 1 as f [3 4]", "kit.ts import 1 as kit.isFunction [2]",
				"loaded.ts import 1 as utils.isFunction [4]", "loaded.ts import 2 as one [2 4]", "loaded.ts import 3 as two [3 4]",
				"member.ts import 1 as utils.isFunction [2]", "pattern.ts import 1 [2 3]", "through.ts import 1 as utils.isFunction [2]",
				"tools.ts import 1 as tools.isFunction [2]", "utils.test.ts import 1 as utils.isFunction [2]",
			}
			got := slices.DeleteFunc(usages(t, e, kota.UsagesQuery{Symbol: "isFunction"}), func(s string) bool { return s[:4] == "lib/" })
			must.Match(t, got, want, "")
			im := impact(t, e, kota.ImpactQuery{Symbols: []string{"isFunction"}})
			taking := nearest(im)
			for _, file := range []string{"member.ts", "pattern.ts", "inner.ts", "through.ts", "kit.ts", "tools.ts", "loaded.ts", "utils.test.ts"} {
				if !taking[file] {
					t.Errorf("impact does not list %s", file)
				}
			}
			if taking["none.ts"] {
				t.Errorf("impact lists a file that uses another member")
			}
			for _, file := range e.Files() {
				agree(t, e, file)
			}
		})
	}
}

func TestWhatARequiredObjectHoldsIsUsedThroughIt(t *testing.T) {
	t.Parallel()
	for name, exports := range map[string]string{
		"module.exports":               "module.exports = { pad, trim }\n",
		"a variable of module.exports": "const text = { pad, trim }\nmodule.exports = text\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newWorld(t, "-- text.js --\nfunction pad() {}\nfunction trim() {}\n"+exports+`
-- all.js --
const text = require('./text')
text.pad()
text.trim()
-- some.js --
const { pad } = require('./text')
pad()
-- one.js --
const pad = require('./text').pad
require('./text').pad()
pad()
-- index.js --
const text = require('./text')
module.exports = { text }
-- user.js --
require('./index').text.trim()
const { text } = require('./index')
text.pad()
`).open()
			got := slices.DeleteFunc(usages(t, e, kota.UsagesQuery{Symbol: "pad"}), func(s string) bool { return s[:4] == "text" })
			want := []string{
				"all.js import 1 as text.pad [2]", "one.js import 1 [1 3]", "one.js import 2", "some.js import 1 [1 2]", "user.js import 2 as text.pad [3]",
			}
			if diff := cmp.Diff(want, slices.DeleteFunc(got, func(s string) bool { return s[:5] == "index" })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A module that exports what another one exports passes all of it on, however it says so.
func TestWhatAModuleMergesIntoItsExportsIsUsedThroughIt(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]string{
		"a require that is spread":     "module.exports = { ...require('./text'), five: 5 }\n",
		"a variable that is spread":    "const text = require('./text')\nmodule.exports = { ...text }\n",
		"a require that is merged in":  "Object.assign(exports, require('./text'))\n",
		"a require in a merged object": "module.exports = Object.assign({}, require('./text'))\n",
		"a require alone":              "module.exports = require('./text')\n",
		"a variable alone":             "const text = require('./text')\nmodule.exports = text\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newWorld(t, `
-- text.js --
function pad() {}
function trim() {}
module.exports = { pad, trim }
-- index.js --
`+index+`
-- all.js --
const text = require('./index')
text.pad()
-- some.js --
const { pad } = require('./index')
pad()
-- rest.js --
const { trim, ...others } = require('./index')
others.pad()
-- module.mjs --
import text, { pad } from './index.js'
pad(text.pad)
-- none.js --
require('./index').trim()
`).open()
			got := slices.DeleteFunc(usages(t, e, kota.UsagesQuery{Symbol: "pad"}), func(s string) bool { return s[:4] == "text" || s[:5] == "index" })
			want := []string{
				"all.js import 1 as text.pad [2]", "module.mjs import 1 [2]", "module.mjs import 1 as text.pad [2]",
				"rest.js import 1 as others.pad [2]", "some.js import 1 [1 2]",
			}
			must.Match(t, got, want, "")
			taking := nearest(impact(t, e, kota.ImpactQuery{Symbols: []string{"pad"}}))
			if !taking["all.js"] || !taking["some.js"] || !taking["rest.js"] || !taking["module.mjs"] || taking["none.js"] {
				t.Errorf("impact lists %v", taking)
			}
			for _, file := range e.Files() {
				agree(t, e, file)
			}
		})
	}
}

// A variable of the file with the object is used there as well, and what an object holds can be asked
// for by both names.
func TestWhatAnObjectHoldsCanBeAskedForByBothNames(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- is.js --
function fn() {}
const is = {
  fn,
  call: fn,
}
is.fn(is.call)
export default is
-- user.js --
import my from './is'
my.fn()
my.call()
`).open()
	want := []string{"is.js [3 4]", "is.js as is.call [6]", "is.js as is.fn [6]", "user.js import 1 as my.call [3]", "user.js import 1 as my.fn [2]"}
	for _, symbol := range []string{"fn", "is.fn"} {
		if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: symbol})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", symbol, diff)
		}
	}
}

// Changing one member of an object leaves the other members as they were; changing the object itself
// changes all of them.
func TestAnObjectChangesOnlyWhatChangedInIt(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- utils.js --
function a() {
  return 1
}
function b() {}
export default {
  a,
  b,
}
-- usesa.js --
import u from './utils'
u.a()
-- usesb.js --
import u from './utils'
u.b()
`).open()
	for line, want := range map[int][]string{2: {"usesa.js 1"}, 4: {"usesb.js 1"}, 5: {"usesa.js 1", "usesb.js 1"}} {
		im := impact(t, e, kota.ImpactQuery{Modify: []string{"utils.js"}, Lines: map[string][]kota.Span{"utils.js": {{From: line, To: line}}}})
		if got := far(im.Dependents); !slices.Equal(got, want) {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	im := impact(t, e, kota.ImpactQuery{Modify: []string{"utils.js"}})
	var exports []string
	for _, x := range im.Exports {
		exports = append(exports, fmt.Sprint(x.Name, " ", x.Used))
	}
	if want := []string{"default 2", "utils.a 1", "utils.b 1"}; !slices.Equal(exports, want) {
		t.Errorf("exports: %q, want %q", exports, want)
	}
}

// A function in an object with a declared type is used through that type as well: what may mean it there
// is listed as candidates, after what is sure.
func TestAFunctionOfATypedObjectIsUsedThroughItsType(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- types.ts --
export interface Plugin { run(): void }
export interface Other { run(): void }
-- one.ts --
import type { Plugin } from './types'
export const one: Plugin = {
  run() {},
}
-- two.ts --
import type { Plugin } from './types'
export const two: Plugin = { run: () => {} }
-- direct.ts --
import { one } from './one'
one.run()
-- host.ts --
import type { Plugin } from './types'
export function start(p: Plugin) {
  p.run()
}
-- stranger.ts --
import type { Other } from './types'
export function start(o: Other) {
  o.run()
}
-- plain.ts --
export const plain = { run() {} }
-- foreign.ts --
import type { Plugin } from 'elsewhere'
export const foreign: Plugin = { run() {} }
`).open()
	want := []string{"direct.ts import 1 [2]", "host.ts [3]", "two.ts [2]", "types.ts as Plugin.run [1]"}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "one.run"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "one.run"})
	if err != nil || u.Definition.File != "one.ts" || u.List[0].File != "direct.ts" || !u.List[0].Likely {
		t.Errorf("definition %+v, first %+v, error %v", u.Definition, u.List, err)
	}
	for _, symbol := range []string{"plain.run", "foreign.run"} {
		if got := usages(t, e, kota.UsagesQuery{Symbol: symbol}); len(got) > 0 {
			t.Errorf("%s: %q, though its object has no type of the project", symbol, got)
		}
	}
}
