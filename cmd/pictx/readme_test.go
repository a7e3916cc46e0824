//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// consoles are the commands of the README with what it shows of their output.
func consoles(t *testing.T) (readme, shown string) {
	t.Helper()
	b := must.Get(os.ReadFile("../../README.md"))(t)
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```\n").FindAllStringSubmatch(string(b), -1) {
		shown += block[1]
	}
	return string(b), shown
}

func TestTheDemoPrintsWhatTheREADMEShows(t *testing.T) {
	_, want := consoles(t)
	cmd := exec.Command("sh", "../../scripts/demo.sh")
	cmd.Env = append(os.Environ(), "PICTX="+build(t, "sqlite_fts5"))
	out, err := cmd.Output()
	must.Stop(t, err != nil, "%v\n%s", err, out)
	got := string(out)
	must.Not(t, got != want || want == "", "the demo prints\n%s\nand README.md shows\n%s", got, want)
}

func TestTheREADMEIsShortAndItsFiguresAreThoseOfTheDemo(t *testing.T) {
	readme, shown := consoles(t)
	n := strings.Count(readme, "\n")
	must.Not(t, n > 120, "README.md has %d lines, want at most 120", n)
	before, _, _ := strings.Cut(readme, "```console")
	for _, figure := range regexp.MustCompile(`[\d.]+ %`).FindAllString(before, -1) {
		must.Not(t, !strings.Contains(shown, strings.TrimSuffix(figure, " %")+"%"), "README.md says %s, and the demo does not show it", figure)
	}
}
