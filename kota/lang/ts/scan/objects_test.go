package scan_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestExportedObjectsExportTheFunctionsInThem(t *testing.T) {
	for src, want := range map[string]string{
		"export default { a() {}, b: () => 1, c: 2 }":                             "default=default default.a=default.a default.b=default.b",
		"export default { a: (b || c), d: (e) + f, g: h(() => 1), i: j ? k : l }": "default=default",
		"export default { a: (b) || { c: d } }":                                   "default=default",
		"export default { get a() { return 1 }, set a(b) {} }":                    "default=default default.a=default.a",
		"export default { async() {}, get: () => 1, set: 1, async *b() {} }":      "default=default default.async=default.async default.get=default.get default.b=default.b",
		"export default { [a]() {}, 1() {}, 'b.c'() {}, 'd'() {} }":               "default=default default.d=default.d",
		"export default { a(): Map<b, c> { return d }, e: (f): g<h, i> => j }":    "default=default default.a=default.a default.e=default.e",
		"export default { a: { b() {}, c: { d() {} } } }":                         "default=default default.a.b=default.a.b default.a.c.d=default.a.c.d",
		"const a = { b() {} }\nexport default a\nexport { a as c }":               "default=a c=a a.b=a.b",
		"const a = { b() {}, c() {} }\nexport default { ...a, b() {} }":           "default=default default.b=default.b default.c=a.c",
		"import a from 'x'\nexport default { ...a, ...b(), ...a.c }":              "default=default default.*=a",
		"const a = { b() {} }\nmodule.exports = a":                                "default=a b=b a.b=b",
		"const a = { b() {} }\nexport = a":                                        "default=a a.b=a.b b=a.b",
		"const a = { b() {} }":                                                    "",
		"const a = { ...b, c() {} }, b = { ...a, d() {} }\nexport default a":      "default=a a.d=b.d a.c=a.c",
		"export default { a: { b: { c: { d: { e: { f() {} } } } } }, g() {} }":    "default=default default.g=default.g",
	} {
		must.Match(t, strings.Join(exportedAs("a.ts", src), " "), want, "%s", src)
	}
}

func TestAModuleThatIsMergedIntoTheExportsIsExported(t *testing.T) {
	for src, want := range map[string]string{
		"module.exports = { ...require('./b'), c }":                                                           "c=c *=*",
		"const b = require('./b')\nconst d = 1\nmodule.exports = { d, ...b }":                                 "d=d *=*",
		"const b = { d: 1, e() {} }\nmodule.exports = { ...b, c }":                                            "c=c d=d e=e",
		"const b = { d: 1 }, f = { ...b, ...f, g: 2 }\nmodule.exports = { ...f }":                             "g=g d=d",
		"Object.assign(module.exports, require('./b'), { c: 1 })\nObject.assign(exports, require('./d'))":     "c=c *=* *=*",
		"module.exports = Object.assign({}, require('./b'), { c })":                                           "c=c *=*",
		"module.exports = require('./b')":                                                                     "*=*",
		"const b = require('./b')\nmodule.exports = b":                                                        "*=*",
		"if (a) module.exports = require('./b')\nelse module.exports = require('./c')":                        "*=* *=*",
		"const b = require('./b')\nmodule.exports = { ...b.c, ...require('./d').e, ...require('./f')() }":     "",
		"Object.assign({}, require('./b'))\nconst c = { ...require('./d') }\nassign(exports, require('./e'))": "",
	} {
		must.Match(t, strings.Join(exportedAs("a.js", src), " "), want, "%s", src)
	}
}

func TestAFunctionOfAnObjectIsUsedThroughThis(t *testing.T) {
	for src, want := range map[string]string{
		"export default { a() {},\n b() { this.a() },\n c() { return () => this.a() } }":                      "[2 3]",
		"export default { a() {},\n b() { return function () { this.a() } },\n c: function () { this.a() } }": "[3]",
		"export default { a() {},\n b() { return class { c() { this.a() } } },\n d() { this?.a() } }":         "[3]",
		"export default { a() {},\n b: { c() { this.a() } } }":                                                "",
		"const a = {\n b() { this.a() } }":                                                                    "",
	} {
		must.Match(t, linesOf(file("a.js", src), "default.a"), want, "%s", src)
	}
}
