package commands_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// runHook gives an event to a hook, as pi's extension does.
func runHook(t *testing.T, deadline time.Duration, data []byte, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = commands.Main(t.Context(), &cli.Env{
		Process:      workspace.Process{Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}, Now: time.Now},
		Args:         append([]string{"hook"}, args...),
		In:           bytes.NewReader(data),
		Out:          &out,
		Err:          &errs,
		HookDeadline: deadline,
	})
	return code, out.String(), errs.String()
}

func TestEveryRecordedEventPassesByteForByte(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/hook/*.json")
	must.Stop(t, err != nil || len(files) < 50, "%d recorded events, %v", len(files), err)
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		event, _, _ := strings.Cut(filepath.Base(file), "-")
		// With the settings' defaults no recorded context is large enough to be
		// pruned, and no other event ever is.
		args := []string{event}
		if event != "context" {
			args = append(args, "-c", "prune.seed.minimum=0", "-c", "prune.seed.protect=0", "-c", "prune.seed.protected_turns=0")
		}
		code, stdout, stderr := runHook(t, time.Minute, data, args...)
		must.Not(t, code != 0 || stdout != string(data) || stderr != "", "%s: code %d, same %v, stderr %q", file, code, stdout == string(data), stderr)
	}
}

// Holds prune 10.
func TestAnEventCutAnywhereGivesNothingAndExitsWithZero(t *testing.T) {
	t.Parallel()
	data := must.Get(os.ReadFile("../testdata/hook/context-2.json"))(t)
	data = bytes.TrimSpace(data)
	for cut := 0; cut < len(data); cut += 97 {
		code, stdout, stderr := runHook(t, time.Minute, data[:cut], "context")
		must.Not(t, code != 0 || stdout != "" || strings.Count(stderr, "\n") != 1, "cut at %d: code %d, stdout %q, stderr %q; want 0, nothing, one line", cut, code, stdout, stderr)
	}
}

// Holds prune 12.
func TestAHookThatIsLatePassesTheEventThroughAndSaysSo(t *testing.T) {
	t.Parallel()
	data := must.Get(os.ReadFile("../testdata/hook/context-6.json"))(t)
	code, stdout, stderr := runHook(t, time.Nanosecond, data, "context", "-c", "prune.seed.minimum=0", "-c", "prune.seed.protect=0")
	must.Not(t, code != 0 || stdout != string(data) || !strings.Contains(stderr, "passed through"), "code %d, same %v, stderr %q", code, stdout == string(data), stderr)
}
