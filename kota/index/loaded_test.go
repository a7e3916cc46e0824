package index_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/kota"
)

func TestNamesOfALoadedModuleAreUsed(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- x.js --
export const a = 1
-- pattern.js --
const { a } = await import('./x')
a
-- member.js --
f((await import('./x')).a)
-- then.js --
import('./x').then(({ a }) => a)
import('./x').then(async ({ a: b }) => {
  await b
})
import('./x').then(function (m) {
  m.a
})
import('./x').then(async m => m.a)
`).open()
	want := []string{
		"member.js import 1", "pattern.js import 1 [1 2]",
		"then.js import 1 [1]", "then.js import 2 as b [2 3]", "then.js import 5 as m.a [6 8]", "then.js import 8 as m.a [6 8]",
	}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "a"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A parameter, a constant or a variable that is set to something else is not the module that is assigned
// to another variable of that name.
func TestAVariableIsNotTheModuleThatAnotherOfItsNameHolds(t *testing.T) {
	t.Parallel()
	e := newWorld(t, `
-- lib.js --
exports.a = () => 1
-- lib.test.js --
describe('x', () => {
  let lib
  before(() => { lib = require('./lib') })
  it('y', () => { lib.a() })
  it('z', (lib) => { lib.a() })
  it('u', lib => lib.a())
  it('v', () => { const lib = 1; lib.a() })
  it('w', function (lib) { lib.a() })
})
-- typed.ts --
function one(lib: typeof import('./lib')) { lib.a() }
function two(lib) { lib.a() }
const three = (lib: Other) => lib.a()
`).open()
	want := []string{"lib.test.js import 3 as lib.a [4]", "typed.ts import 1 as lib.a [1]"}
	if diff := cmp.Diff(want, usages(t, e, kota.UsagesQuery{Symbol: "a"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
