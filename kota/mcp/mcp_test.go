//go:build unix

package mcp_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/kotastub"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
	"github.com/coctostan/pictx/kota/mcp"
)

// Arguments that make the test binary run as something else.
const (
	asStub  = "-as-kotadb"
	asGuard = "-as-guard"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asStub:
			kotastub.Main()
		case asGuard:
			os.Exit(mcp.Guard(os.Args[2:], os.Stdin))
		}
	}
	os.Exit(m.Run())
}

func write(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(name), 0o700))
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
}

// shop is a small project.
func shop(t *testing.T) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "shop")
	for name, text := range map[string]string{
		".gitignore":        "secret.ts\n",
		"package.json":      "{}",
		"src/money.ts":      "import { cart } from './cart'\nexport function money() {}\n",
		"src/cart.ts":       "import { money } from './money'\nimport 'react'\nexport function cart() { money() }\n",
		"src/page.ts":       "import { cart } from './cart'\ncart()\n",
		"src/secret.ts":     "import { cart } from './cart'\n",
		"test/cart.test.ts": "import { cart } from '../src/cart'\ncart()\n",
	} {
		write(t, filepath.Join(root, name), text)
	}
	return root
}

// server returns KotaDB for a tree, of which odd goes wrong.
func server(t *testing.T, root, odd string) (s *mcp.Server, log string) {
	t.Helper()
	log = filepath.Join(t.TempDir(), "log")
	s = &mcp.Server{
		Files: index.Files{Root: root, Languages: lang.NewSet(ts.Language())}, Dir: filepath.Join(t.TempDir(), "kotadb"),
		Command: []string{os.Args[0], asStub}, Guard: []string{os.Args[0], asGuard},
		Environ: append(os.Environ(), kotastub.Odd+"="+odd, kotastub.Log+"="+log, "SENTRY_DSN=https://example.invalid"),
	}
	t.Cleanup(s.Restart)
	return s, log
}

// over returns an engine over a new built-in index of the server's tree.
func over(t *testing.T, s *mcp.Server) mcp.Engine {
	t.Helper()
	builtin, err := index.Open(t.Context(), index.Options{
		Root: s.Files.Root, File: filepath.Join(t.TempDir(), "x.kota"), Languages: s.Files.Languages, Create: true, Now: time.Now,
	})
	must.Do(t, err)
	return s.Over(builtin)
}

// indexed returns an engine with an index. What is odd goes wrong only afterwards.
func indexed(t *testing.T, odd string) (e mcp.Engine, s *mcp.Server, log string) {
	t.Helper()
	s, log = server(t, shop(t), "")
	must.Do(t, s.Index(t.Context()))
	s.Restart()
	must.Do(t, os.Remove(log))
	s.Environ = append(s.Environ, kotastub.Odd+"="+odd)
	return over(t, s), s, log
}

// started lists the processes that the stub logged as started.
func started(t *testing.T, log string) (out []int) {
	t.Helper()
	b, _ := os.ReadFile(log)
	for line := range strings.Lines(string(b)) {
		if text, ok := strings.CutPrefix(line, "start "); ok {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			must.Do(t, err)
			out = append(out, n)
		}
	}
	return out
}

// gone waits until none of these processes is running.
func gone(t *testing.T, pids []int) {
	t.Helper()
	must.Not(t, len(pids) == 0, "nothing was started")
	for _, pid := range pids {
		for end := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("process %d still runs", pid)
				break
			}
		}
	}
}

// alive reports whether a process is running. A zombie is not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

var cart = kota.DepsQuery{File: "src/cart.ts", Dependents: true, Dependencies: true, Depth: 2, Tests: true}

// Holds kota 66.
func TestAnswersHaveTheBuiltInEnginesFormAndMarkTheUnknown(t *testing.T) {
	t.Parallel()
	e, _, _ := indexed(t, "")
	d, err := e.Deps(t.Context(), cart)
	must.Do(t, err)
	got := d.Text(kota.Window{}, "pictx kota deps src/cart.ts").Fit(0)
	want := `src/cart.ts: 3 dependents (2 production, 1 test, ? inferred) · 1 dependency · depth 2
dependents, 3 direct, ? through barrels, those that matter most first:
  src/money.ts
  src/page.ts
  test/cart.test.ts  test
dependencies:
  src/money.ts
not followed, packages among them:
  react
KotaDB's index, no file changed since
`
	must.Not(t, got != want, "got\n%swant\n%s", got, want)
	b, err := kota.JSON(d, 0, kota.Window{})
	must.Not(t, err != nil || !strings.Contains(string(b), `"via_barrels":null`) || !strings.Contains(string(b), `"inferred":null`), "%s, %v", b, err)
	u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "cart", Tests: true})
	if err != nil || u.Total != 5 || u.Files != 3 || u.TestLines != 2 || u.Confidence != "name" || u.Definition == nil || u.Definition.End.Known() {
		t.Errorf("usages: %+v, %v", u, err)
	}
}

func TestWhatKotaDBDoesNotAnswerTheBuiltInEngineDoes(t *testing.T) {
	t.Parallel()
	e, _, log := indexed(t, "")
	im, err := e.Impact(t.Context(), kota.ImpactQuery{Modify: []string{"src/cart.ts"}})
	must.Not(t, err != nil || im.TestTotal != 1, "impact: %+v, %v", im, err)
	s, err := e.Status(t.Context())
	if err != nil || s.Engine != "kotadb" || !s.Indexed || s.Files != 4 || !slices.Contains(s.Notes, "KotaDB's index, no file changed since") {
		t.Errorf("status: %+v, %v", s, err)
	}
	n := len(started(t, log))
	must.Not(t, n != 0, "%d servers were started", n)
}

// Holds kota 65.
func TestQuestionsAboutMissingFilesAndSymbolsFail(t *testing.T) {
	t.Parallel()
	e, _, _ := indexed(t, "")
	var unknown *kota.UnknownFileError
	if _, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/crat.ts"}); !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest, "src/cart.ts") {
		t.Errorf("got %v", err)
	}
	if _, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "nobody"}); !errors.As(err, new(*kota.UnknownSymbolError)) {
		t.Errorf("got %v", err)
	}
}

// Holds kota 64.
func TestARepositoryIsRegisteredOnceAndNothingIsWrittenInIt(t *testing.T) {
	t.Parallel()
	s, log := server(t, shop(t), "")
	e := over(t, s)
	if _, err := e.Deps(t.Context(), cart); !errors.Is(err, kota.ErrNotIndexed) || len(started(t, log)) != 0 {
		t.Errorf("without an index: %v", err)
	}
	before := listing(t, s.Files.Root)
	for range 2 {
		must.Do(t, s.Index(t.Context()))
	}
	_, err := e.Deps(t.Context(), cart)
	must.Do(t, err)
	after := listing(t, s.Files.Root)
	must.Not(t, !slices.Equal(before, after), "the repository has %q, had %q", after, before)
	b, err := os.ReadFile(log)
	must.Do(t, err)
	for line := range strings.Lines(string(b)) {
		must.Not(t, strings.HasPrefix(line, "ask ") && !strings.Contains(line, `"local/shop"`), "asked about another repository: %s", line)
	}
}

// listing lists a directory.
func listing(t *testing.T, root string) (out []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
		out = append(out, p)
		return err
	}))
	return out
}

func TestAnswersCountStaleFilesAndOmitDeletedOnes(t *testing.T) {
	t.Parallel()
	_, s, _ := indexed(t, "")
	must.Do(t, os.Remove(filepath.Join(s.Files.Root, "src", "page.ts")))
	time.Sleep(20 * time.Millisecond) // files have the time of the kernel's last tick
	write(t, filepath.Join(s.Files.Root, "src", "new.ts"), "import './cart'\n")
	d, err := over(t, s).Deps(t.Context(), cart)
	must.Not(t, err != nil || d.Freshness != "KotaDB's index, 1 file changed since: pictx kota index --engine kotadb" || d.Dependents.Total != 2, "%+v, %v", d, err)
	must.Do(t, s.Index(t.Context()))
	d, err = over(t, s).Deps(t.Context(), cart)
	must.Not(t, err != nil || d.Freshness != "KotaDB's index, no file changed since" || d.Dependents.Total != 3, "%+v, %v", d, err)
}

// Holds kota 65.
func TestEveryFailureHasItsMessage(t *testing.T) {
	t.Parallel()
	for odd, want := range map[string]string{
		"text:find_usages":  "ask KotaDB: find_usages: Something went wrong",
		"error:find_usages": "ask KotaDB: find_usages: it is broken",
		"die:find_usages":   "panic: it died",
		"refuse":            `: error: package "kotadb" not found`,
	} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, _, _ := indexed(t, odd)
			_, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "cart"})
			if !errors.Is(err, mcp.ErrKotaDB) || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}

// Holds kota 65.
func TestNoiseLargeAnswersAndOneEndAreSurvived(t *testing.T) {
	t.Parallel()
	for odd, servers := range map[string]int{"giant:find_usages noise": 1, "once:find_usages": 2} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, _, log := indexed(t, odd)
			for range 3 {
				u, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "cart", Tests: true})
				must.Stop(t, err != nil || u.Total != 5, "%+v, %v", u, err)
			}
			n := len(started(t, log))
			must.Not(t, n != servers, "%d servers were started, want %d", n, servers)
		})
	}
}

// Holds kota 61.
func TestAMissingProgramIsReportedOnOneLine(t *testing.T) {
	t.Parallel()
	s, _ := server(t, shop(t), "")
	s.Command = []string{"no-such-bun", "x", "kotadb@next"}
	err := s.Index(t.Context())
	must.Not(t, err == nil || err.Error() != "start KotaDB: no-such-bun is not installed, tried no-such-bun x kotadb@next", "got %v", err)
}

func TestAFailedIndexIsNone(t *testing.T) {
	t.Parallel()
	e, s, _ := indexed(t, "die:index_repository")
	if err := s.Index(t.Context()); err == nil {
		t.Fatal("it indexed")
	}
	if _, err := e.Deps(t.Context(), cart); !errors.Is(err, kota.ErrNotIndexed) {
		t.Errorf("got %v", err)
	}
}

// Holds kota 62.
func TestTheServerIsStartedOnceAndEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	e, s, log := indexed(t, "child")
	for range 3 {
		_, err := e.Deps(t.Context(), cart)
		must.Do(t, err)
	}
	pids := started(t, log)
	if len(pids) != 2 || s.Process() != "running" {
		t.Errorf("%d processes were started, want a server and its child; it is %s", len(pids), s.Process())
	}
	s.Restart()
	gone(t, pids)
	if s.Process() != "stopped" {
		t.Errorf("the server is %s", s.Process())
	}
}

// asksAndWaits is the environment variable that makes the next test run as the process to kill.
const asksAndWaits = "PICTX_TEST_ASKS_AND_WAITS"

// Holds kota 62.
func TestTheServerEndsWhenItsClientIsKilled(t *testing.T) {
	if dir := os.Getenv(asksAndWaits); dir != "" {
		s, _ := server(t, "", "")
		s.Environ = os.Environ()
		s.Files.Root, s.Dir, _ = strings.Cut(dir, "\n")
		_ = s.Index(t.Context()) // is never answered
		time.Sleep(time.Minute)
		return
	}
	t.Parallel()
	_, before, log := indexed(t, "child hang:index_repository")
	cmd := exec.Command(os.Args[0], "-test.run=^TestTheServerEndsWhenItsClientIsKilled$")
	dir := t.TempDir() // it cannot clean up
	cmd.Env = append(before.Environ, asksAndWaits+"="+before.Files.Root+"\n"+before.Dir, "TMPDIR="+dir, "GOTMPDIR="+dir)
	must.Do(t, cmd.Start())
	for end := time.Now().Add(30 * time.Second); len(started(t, log)) < 2 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	pids := started(t, log)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, pids)
}

// Holds kota 63.
func TestATimeoutNamesTheToolAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for odd, want := range map[string]string{
		"child hang:find_usages": "ask KotaDB: find_usages: it took longer than 3s and was stopped",
		"child mute":             "it took longer than 3s and was stopped",
	} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, s, log := indexed(t, odd)
			s.Limit = 3 * time.Second
			_, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "cart"})
			must.Not(t, err == nil || !strings.Contains(err.Error(), want), "got %v", err)
			gone(t, started(t, log))
		})
	}
}

func TestAnInterruptedQuestionEndsTheServer(t *testing.T) {
	t.Parallel()
	e, _, log := indexed(t, "hang:find_usages")
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(5*time.Second, cancel).Stop()
	_, err := e.Usages(ctx, kota.UsagesQuery{Symbol: "cart"})
	must.Not(t, !errors.Is(err, context.Canceled), "got %v", err)
	gone(t, started(t, log))
}
