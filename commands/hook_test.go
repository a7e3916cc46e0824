package commands_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// runHook gives an event to a hook, as pi's extension does.
func runHook(t *testing.T, data []byte, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = commands.Main(t.Context(), &cli.Env{
		Process:      workspace.Process{Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}, Now: time.Now},
		Args:         append([]string{"hook"}, args...),
		In:           bytes.NewReader(data),
		Out:          &out,
		Err:          &errs,
		HookDeadline: time.Minute,
	})
	return code, out.String(), errs.String()
}

func TestEveryRecordedEventPassesByteForByte(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/hook/*.json")
	must.Stop(t, err != nil || len(files) < 50, "%d recorded events, %v", len(files), err)
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		event := filepath.Base(file)[:bytes.IndexByte([]byte(filepath.Base(file)), '-')]
		// With the settings' defaults no recorded context is large enough to be
		// pruned, and no other event ever is.
		args := []string{event}
		if event != "context" {
			args = append(args, "-c", "prune.seed.minimum=0", "-c", "prune.seed.protect=0", "-c", "prune.seed.protected_turns=0")
		}
		code, stdout, stderr := runHook(t, data, args...)
		must.Not(t, code != 0 || stdout != string(data) || stderr != "", "%s: code %d, same %v, stderr %q", file, code, stdout == string(data), stderr)
	}
}

// Holds prune 10.
func TestAnEventCutAnywhereGivesNothingAndExitsWithZero(t *testing.T) {
	t.Parallel()
	data := must.Get(os.ReadFile("../testdata/hook/context-2.json"))(t)
	data = bytes.TrimSpace(data)
	for cut := 0; cut < len(data); cut += 97 {
		code, stdout, stderr := runHook(t, data[:cut], "context")
		if code != 0 || stdout != "" || bytes.Count([]byte(stderr), []byte("\n")) != 1 {
			t.Errorf("cut at %d: code %d, stdout %q, stderr %q; want 0, nothing, one line", cut, code, stdout, stderr)
		}
	}
}

// Holds prune 12.
func TestAHookThatIsLatePassesTheEventThroughAndSaysSo(t *testing.T) {
	t.Parallel()
	data := must.Get(os.ReadFile("../testdata/hook/context-6.json"))(t)
	var out, errs bytes.Buffer
	code := commands.Main(t.Context(), &cli.Env{
		Process:      workspace.Process{Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}, Now: time.Now},
		Args:         []string{"hook", "context", "-c", "prune.seed.minimum=0", "-c", "prune.seed.protect=0"},
		In:           bytes.NewReader(data),
		Out:          &out,
		Err:          &errs,
		HookDeadline: time.Nanosecond,
	})
	if code != 0 || out.String() != string(data) || !bytes.Contains(errs.Bytes(), []byte("passed through")) {
		t.Errorf("code %d, same %v, stderr %q", code, out.String() == string(data), &errs)
	}
}
