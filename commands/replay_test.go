package commands

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

func TestInterruptedReplayEndsWithItsCodeAndSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := must.Get(filepath.Abs("../testdata/sessions"))(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must.Stop(t, err != nil || len(files) == 0, "no recorded sessions (%v)", err)
	var data, said bytes.Buffer
	code := Main(ctx, &cli.Env{
		Process: workspace.Process{Now: time.Now, Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}},
		Args:    append([]string{"replay", "--json"}, files...),
		Out:     &data,
		Err:     &said,
	})
	if code != exit.Interrupted || !strings.HasPrefix(data.String(), `{"schema_version":1,"sessions":0,"requests":0,"worlds":[{`) ||
		said.String() != fmt.Sprintf("pictx: interrupted: 0 of %d sessions were replayed\n", len(files)) {
		t.Errorf("exit code %d: %.300s%s", code, data.String(), said.String())
	}
}

func TestAReplayThatIsInterruptedBeforeItBeginsWritesNoPage(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file := must.Get(filepath.Abs("../testdata/sessions/shop-main.jsonl"))(t)
	page := filepath.Join(t.TempDir(), "page.html")
	var said bytes.Buffer
	code := Main(ctx, &cli.Env{
		Process: workspace.Process{Now: time.Now, Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}},
		Args:    []string{"replay", "--html", page, file}, Out: &said, Err: &said,
	})
	_, err := os.Stat(page)
	must.Not(t, code != exit.Interrupted || err == nil, "exit code %d, there is a page: %t\n%s", code, err == nil, &said)
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
