//go:build unix

package main_test

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// initialised is a line of GODEBUG=inittrace=1: a package, and what its variables took.
var initialised = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// Every command and every hook of an agent pays for what is built before main, whether it is used
// or not. Memory is counted, because it is the same on every machine and each fresh page of it
// costs more than what is written there.
func TestAStartOfTheProgramBuildsAlmostNothing(t *testing.T) {
	const (
		own     = 4 << 10   // of this module: what is larger is a literal, a switch or built where it is used
		library = 896 << 10 // of all others
	)
	dir := t.TempDir()
	cmd := run(dir, build(t, "sqlite_fts5"), "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	must.Do(t, cmd.Run())
	var ours, theirs int
	for _, m := range initialised.FindAllStringSubmatch(trace.String(), -1) {
		n := must.Get(strconv.Atoi(m[2]))(t)
		if strings.HasPrefix(m[1], "github.com/coctostan/pictx/") {
			ours += n
		} else {
			theirs += n
		}
	}
	must.Stop(t, ours == 0 || theirs == 0, "nothing was traced:\n%s", &trace)
	must.Not(t, ours > own || theirs > library, "packages allocate %d bytes of %d, those of libraries %d of %d:\n%s", ours, own, theirs, library, &trace)
}
