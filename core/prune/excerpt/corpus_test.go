package excerpt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/excerpt"
	"github.com/coctostan/pictx/core/tool"
	"github.com/coctostan/pictx/internal/must"
)

// example is the output of a command with the lines that an agent needs of it.
type example struct {
	Tool, Command, Output string
	Needed                []string
	Whole                 bool
}

func examples(t *testing.T) map[string]example {
	t.Helper()
	files := must.Get(filepath.Glob("../../../testdata/outputs/*.json"))(t)
	out := make(map[string]example)
	for _, f := range files {
		var e example
		must.Do(t, json.Unmarshal(must.Get(os.ReadFile(f))(t), &e))
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = e
	}
	if len(out) < 60 {
		t.Fatalf("only %d examples", len(out))
	}
	return out
}

// broken are the examples of test runs, compilers, linters, traces and logs: what went wrong is
// all that counts.
var broken = regexp.MustCompile(`^(?:go-(?:test|vet|build)|staticcheck|vitest|jest|node-test|mocha|pytest|unittest|cargo|javac|gcc|gpp|tsc|eslint|python|strace|java-log|log-)`)

// sums are the bytes of outputs and of their excerpts, and the lines that are needed and kept.
type sums struct{ before, after, needed, kept int }

func (s *sums) add(e example, excerpt string) (lacks []string) {
	s.before, s.after = s.before+len(e.Output), s.after+len(excerpt)
	for _, want := range e.Needed {
		if s.needed++; strings.Contains(excerpt, want) {
			s.kept++
		} else {
			lacks = append(lacks, want)
		}
	}
	return lacks
}

// The examples were collected, and their lines named, without knowledge of what shortens them; then
// the limits of this package were chosen on them.
func TestAnExcerptKeepsWhatAnAgentNeeds(t *testing.T) {
	var all, errs sums
	for name, e := range examples(t) {
		if e.Whole {
			continue
		}
		x, ok := excerpt.Of(e.Output)
		if !ok {
			x.Text = e.Output
		}
		t.Logf("%s: %d of %d bytes, lacks %q", name, len(x.Text), len(e.Output), all.add(e, x.Text))
		if broken.MatchString(name) {
			errs.add(e, x.Text)
		}
	}
	t.Logf("%+v, where something is broken %+v", all, errs)
	if errs.kept*1000 < errs.needed*985 || all.kept*100 < all.needed*93 || all.after*100 > all.before*46 {
		t.Errorf("%+v, where something is broken %+v", all, errs)
	}
}

func TestACommandThatShowsAFileIsNotShortened(t *testing.T) {
	for name, e := range examples(t) {
		arguments := must.Get(json.Marshal(map[string]string{"command": e.Command}))(t)
		if got := tool.ShowsFile(&message.Call{Name: "bash", Arguments: arguments}); got != e.Whole && e.Tool == "bash" {
			t.Errorf("%s: %s shows a file: %v", name, e.Command, got)
		}
	}
}
