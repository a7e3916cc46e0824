package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
)

func TestInterruptedReplayEndsWithItsCodeAndSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	dir := must.Get(filepath.Abs("../testdata/sessions"))(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must.Stop(t, err != nil || len(files) == 0, "no recorded sessions (%v)", err)
	s := runIn(interrupted(), t.TempDir(), append([]string{"replay", "--json"}, files...)...)
	must.Equal(t, s.code, exit.Interrupted, "exit code")
	must.Contain(t, s.out, `{"schema_version":1,"sessions":0,"requests":0,"worlds":[{`, "what it prints")
	must.Equal(t, s.errs, fmt.Sprintf("pictx: interrupted: 0 of %d sessions were replayed\n", len(files)), "what it says")
}

func TestAReplayThatIsInterruptedBeforeItBeginsWritesNoPage(t *testing.T) {
	t.Parallel()
	file := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	page := filepath.Join(t.TempDir(), "page.html")
	s := runIn(interrupted(), t.TempDir(), "replay", "--html", page, file)
	_, err := os.Stat(page)
	must.Not(t, s.code != exit.Interrupted || err == nil, "%+v, there is a page: %t", s, err == nil)
}

// A layout that saves may do so by losing text: what later edits would have missed stands
// beside every figure.
func TestReplayNamesTheEditsThatEveryPolicyLostTheTextOf(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	file := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	code, out := p.shell("replay", "--details", "--policy", "auto,cold,kota", file)
	_, table, _ := strings.Cut(out, "edits without their text")
	must.Stop(t, code != 0 || table == "", "exit %d: %s", code, out)
	for _, policy := range []string{"auto", "cold", "kota"} {
		ok, _ := regexp.MatchString(`(?m)^`+policy+` .* of \d+ \(\d+\.\d%\)`, table)
		must.Not(t, !ok, "%s has no count of lost edits:\n%s", policy, table)
	}
}
