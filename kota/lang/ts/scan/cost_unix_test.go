//go:build unix

package scan_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang/ts/scan"
)

// units are the beginnings of constructs, most of them without an end.
func units() []string {
	return []string{
		"<", "`", "(", "/", "{", "[", "'", "\"", "}", ")", "<a", "<a>", "<a ", "<a b=", "</a>", "`${", "${", "/*", "//", "/[", "/a ", "a<", "a<b,", "\\", "\x00", "\xff", "é",
		"import", "import ", "import{", "import(", "import a from ", "export ", "export {", "export * from", "require(", "function a(", "function a()\n", "class a\n", "class a<", "class a{", "a()\n[", "interface a\n(x)\n",
		"const a = ", "const a: b<", "let a,", "type a<b", "enum a{", "namespace a{", "@a ", "@a(", "exports.a=", "exports.a=1;module.exports={", "module.exports=a\n", "A.prototype.b=function(){} ", "x=<T>(", "const {a:{", "if(/", "/// <reference path=\"a\"/>\n", "<script>", "<script ", "---\n", "<!--",
		"a\n", "a;", "=>", "?.", "a?b:c ", "#a ", "static{", "get a(){", "async ", "declare ", "abstract ", "export default ", "a<b>c</b>", "<A<", "<a/>", "{<a>", "[<a>{`${",
	}
}

// cost returns the processor time that a scan of a file takes.
func cost(t *testing.T, name, src string) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		must.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	data := []byte(src)
	start := used()
	var s scan.Scanner
	_ = s.File(name, data)
	return used() - start
}

// Eight times the length may cost 24 times as much, and up to 100 ms in any case: quadratic work
// would cost 64 times as much.
//
// Holds kota 12.
func TestUnclosedConstructsCostNoMoreThanTheirLength(t *testing.T) {
	for _, unit := range units() {
		size := 1 << 18
		if len(unit) == 1 && strings.Contains("<`(/", unit) {
			size = 1 << 20
		}
		names := []string{"a.tsx"}
		if strings.ContainsAny(unit, "<-") {
			names = append(names, "a.vue")
		}
		for _, name := range names {
			src := strings.Repeat(unit, size/len(unit))
			var short, long time.Duration
			for range 4 { // a collection of garbage may fall into one of them
				short, long = cost(t, name, src[:len(src)/8]), cost(t, name, src)
				if long <= max(24*short, 100*time.Millisecond) {
					break
				}
			}
			must.Not(t, long > max(24*short, 100*time.Millisecond), "%s of %q: %v for %d bytes, %v for an eighth of them", name, unit, long, len(src), short)
		}
	}
}
