package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// A function written in an exported object is found by its own name and through the object, with all that
// use it, however it is written and exported.
func TestAFunctionWrittenInAnExportedObjectIsUsedThroughIt(t *testing.T) {
	t.Parallel()
	functions := map[string]string{
		"a method":               "  a() { return [1, 2] },\n",
		"an asynchronous method": "  async a(x, y) {},\n",
		"a generator":            "  async *a<T, U>(x: Map<T, U>): AsyncGenerator<T, U> {},\n",
		"a getter":               "  get a() { return 1 },\n",
		"a function":             "  a: function () {},\n",
		"an arrow function":      "  a: async (x, y) => ({ x, y }),\n",
		"a function of one name": "  a: x => x,\n",
		"a quoted name":          "  'a': (x: number): { b: number } => ({ b: x }),\n",
	}
	exports := map[string]string{
		"the default export":         "export default {\n%s}\n",
		"frozen":                     "export default Object.freeze({\n%s})\n",
		"a variable":                 "const api = {\n%s}\nexport default api\nexport { api as second }\n",
		"what is spread in it":       "const base = {\n%s}\nconst api = { ...base }\nexport { api as default, api as second }\n",
		"what the default export is": "exports.default = {\n%s}\n",
	}
	for form, function := range functions {
		for name, export := range exports {
			t.Run(form+" in "+name, func(t *testing.T) {
				t.Parallel()
				e := newWorld(t, "-- lib/api.ts --\n"+fmt.Sprintf(export, "  other: 1,\n"+function+"  c() {},\n")+`
-- lib/again.ts --
export { default as kit } from './api'
-- member.ts --
import my from './lib/api'
my.a()
my.c()
-- pattern.ts --
import my from './lib/api'
const { a, c } = my
a(c)
-- kit.ts --
import { kit } from './lib/again'
kit.a()
-- all.ts --
import * as ns from './lib/api'
ns.default.a()
-- loaded.ts --
const { default: my } = await import('./lib/api')
my.a()
-- none.ts --
import my from './lib/api'
my.c()
-- api.test.ts --
import my from './lib/api'
test('a', () => { my.a() })
`).open()
				want := []string{
					"all.ts import 1 as ns.default.a [2]", "api.test.ts import 1 as my.a [2]", "kit.ts import 1 as kit.a [2]",
					"loaded.ts import 1 as my.a [2]", "member.ts import 1 as my.a [2]", "pattern.ts import 1 [2 3]",
				}
				for _, q := range []kota.UsagesQuery{{Symbol: "a", File: "lib/api.ts"}, {Symbol: "api.a"}} {
					got := slices.DeleteFunc(usages(t, e, q), func(s string) bool { return s[:4] == "lib/" })
					must.Match(t, got, want, "%s", q.Symbol)
				}
				taking := nearest(impact(t, e, kota.ImpactQuery{Symbols: []string{"a"}, File: "lib/api.ts"}))
				if !taking["pattern.ts"] || !taking["api.test.ts"] || taking["none.ts"] {
					t.Errorf("impact says that %v take it", taking)
				}
				for _, file := range e.Files() {
					agree(t, e, file)
				}
			})
		}
	}
}

// Objects in exported objects, and imported objects that are spread in them, are followed.
func TestAnObjectInAnExportedObjectIsFollowed(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- users.js --
export default {
  list() {},
  get: () => 1,
}
-- plain.js --
export function load() {}
export function save() {}
-- pets.js --
const pets = {
  feed() {},
}
const api = {
  pets,
  plants: {
    water() {},
  },
}
export default api
-- api.js --
import users from './users'
import * as plain from './plain'
import { load as from } from './plain'
export default {
  ...users,
  ...plain,
  users,
  from,
}
-- user.js --
import api from './api'
import garden from './pets'
api.list()
api.users.list()
const { get } = api.users
const { load } = api
load(api.from(get()))
api.save()
garden.pets.feed()
garden.plants.water()
const { plants } = garden
plants.water()
`).open()
	for _, c := range []struct {
		q    kota.UsagesQuery
		want []string
	}{
		{kota.UsagesQuery{Symbol: "list", File: "users.js"}, []string{"user.js import 1 as api.list [3]", "user.js import 1 as api.users.list [4]"}},
		{kota.UsagesQuery{Symbol: "users.list"}, []string{"user.js import 1 as api.list [3]", "user.js import 1 as api.users.list [4]"}},
		{kota.UsagesQuery{Symbol: "save"}, []string{"user.js import 1 as api.save [8]"}},
		{kota.UsagesQuery{Symbol: "load"}, []string{"user.js import 1 as api.from [7]", "user.js import 1 [6 7]"}},
		{kota.UsagesQuery{Symbol: "pets.feed"}, []string{"user.js import 2 as garden.pets.feed [9]"}},
		{kota.UsagesQuery{Symbol: "api.plants.water"}, []string{"user.js import 2 as garden.plants.water [10]", "user.js import 2 as plants.water [12]"}},
	} {
		got := slices.DeleteFunc(usages(t, e, c.q), func(s string) bool { return s[:4] != "user" || s[4] != '.' })
		slices.Sort(c.want)
		must.Match(t, got, c.want, "%s", c.q.Symbol)
	}
	for _, file := range e.Files() {
		agree(t, e, file)
	}
}

// The names that impact and context print of a default export can be asked for as they stand.
func TestNamesOfADefaultExportCanBeAskedFor(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- lib/utils.js --
function held() {}
export default {
  held,
  written() { this.held() },
  other() { return this.written() },
}
-- lib/index.js --
const api = { get() {} }
module.exports = { put() {}, api }
-- user.js --
import u from './lib/utils'
import all from './lib'
u.held(u.written(all.put(all.api.get())))
`).open()
	for _, file := range []string{"lib/utils.js", "lib/index.js"} {
		im := impact(t, e, kota.ImpactQuery{Modify: []string{file}})
		for _, x := range im.Exports {
			if x.Name == "default" {
				continue
			}
			im := impact(t, e, kota.ImpactQuery{Symbols: []string{x.Name}, File: file})
			if got := len(nearest(im)); got != x.Used {
				t.Errorf("%s of %s is used in %d files; %d are affected by it", x.Name, file, x.Used, got)
			}
			usages(t, e, kota.UsagesQuery{Symbol: x.Name, File: file}) // it fails for an unknown name
		}
		b := must.Get(e.Context(t.Context(), kota.ContextQuery{Files: []string{file}}))(t)
		for _, name := range b.Files[0].Exports {
			if name != "default" {
				usages(t, e, kota.UsagesQuery{Symbol: name, File: file})
			}
		}
	}
	want := []string{"lib/utils.js [5]", "user.js import 1 as u.written [3]"}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "utils.written"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a module exports can be asked for by the name of its file, unless something else has that name.
func TestWhatAModuleExportsCanBeAskedForByTheNameOfItsFile(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- lib/text.js --
module.exports = {
  pad() {},
}
-- lib/color.js --
export function red() {}
-- lib/paint.js --
export enum color { red }
-- user.js --
const text = require('./lib/text')
text.pad()
`).open()
	if diff := cmp.Diff([]string{"user.js import 1 as text.pad [2]"}, usages(t, e, kota.UsagesQuery{Symbol: "text.pad"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "color.red"})
	if err != nil || u.Definition == nil || u.Definition.File != "lib/paint.js" {
		t.Errorf("color.red is %+v, %v", u.Definition, err)
	}
}

// An answer without uses says that an object may be used under names that are not followed.
func TestAFunctionOfAnObjectWithoutUsesSaysWhatIsNotFollowed(t *testing.T) {
	t.Parallel()
	e := newWorld(t, "-- plugin.ts --\nexport const plugin = {\n  create() {},\n  stop() {},\n}\n"+
		"-- user.ts --\nimport { plugin } from './plugin'\nplugin.stop()\nfor (const p of [plugin]) p.create()\n").open()
	for symbol, want := range map[string]int{"plugin.create": 1, "plugin.stop": 0} {
		u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: symbol, File: "plugin.ts"})
		if err != nil || len(u.Incomplete) != want {
			t.Errorf("%s: incomplete %q, %v", symbol, u.Incomplete, err)
		}
	}
}
