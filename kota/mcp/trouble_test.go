package mcp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/kota"
)

// Holds kota 65.
func TestEveryFailureHasItsMessage(t *testing.T) {
	t.Parallel()
	for odd, want := range map[string]string{
		"text:search":   "ask KotaDB: search: Something went wrong",
		"error:search":  "ask KotaDB: search: it is broken",
		"locked:search": "ask KotaDB: search: database is locked",
		"half:search":   `ask KotaDB: search: it sent an invalid answer: {"jsonrpc":"2.0"`,
		"die:search":    "ask KotaDB: it ended while it was to answer search: panic: it died",
		"refuse":        `it ended with code 1: error: package "kotadb" not found`,
	} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, _ := indexed(t, odd)
			_, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"})
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}

// Holds kota 65.
func TestMalformedLinesAndLargeAnswersAreSurvived(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"logs", "giant:search", "slow", "noise"} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, _ := indexed(t, odd)
			for range 3 {
				h, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart", Tests: true})
				if err != nil || h.Total != 6 {
					t.Fatalf("%+v, %v", h, err)
				}
			}
		})
	}
}

// Holds kota 65.
func TestTheLast2KBOfAServersNoiseAreKept(t *testing.T) {
	t.Parallel()
	e, _ := indexed(t, "noise")
	if _, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"}); err != nil {
		t.Fatal(err)
	}
	e.Close()
	if n := e.Noise(); len(n) != tailBytes || !strings.HasSuffix(n, "the last line\n") {
		t.Errorf("%d bytes that end with %q", len(n), n[max(0, len(n)-30):])
	}
}

func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "once:search")
	h, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart", Tests: true})
	if err != nil || h.Total != 6 {
		t.Fatalf("%+v, %v", h, err)
	}
	if n := len(started(t, log)); n != 2 {
		t.Errorf("%d servers were started, want 2", n)
	}
}

func TestTheDelayBeforeARestartGrowsAndIsReported(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "die:search")
	e.client.launch.firstRest = 10 * time.Millisecond
	var last time.Duration
	for range 2 {
		_, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"})
		if err == nil {
			t.Fatal("it answered")
		}
		if rest := time.Until(e.client.restTill); rest <= last {
			t.Errorf("rests %s after %s", rest, last)
		} else {
			last = rest
		}
	}
	n := len(started(t, log))
	if n != 2*(1+retries) {
		t.Errorf("%d servers were started, want %d", n, 2*(1+retries))
	}
	e.client.restTill = time.Now().Add(time.Hour)
	_, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"})
	if !errors.As(err, new(*StoppedError)) || !strings.Contains(err.Error(), "it stopped 6 times and is started again in 1h0m0s") {
		t.Errorf("got %v", err)
	}
	if len(started(t, log)) != n {
		t.Error("it was started though it is to rest")
	}
	e.Restart()
	if _, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"}); errors.As(err, new(*StoppedError)) {
		t.Errorf("after a restart: %v", err)
	}
}

// Holds kota 61.
func TestAMissingProgramIsReportedOnOneLine(t *testing.T) {
	t.Parallel()
	o, _ := options(t, tree(t, shop()), "")
	o.Command = []string{"no-such-bun", "x", "kotadb@next"}
	err := open(t, o).Index(t.Context())
	if !errors.As(err, new(*MissingError)) || err.Error() != "start KotaDB: no-such-bun is not installed, tried no-such-bun x kotadb@next" {
		t.Errorf("got %v", err)
	}
}

func TestOneProcessAtATimeAsksAboutARepository(t *testing.T) {
	t.Parallel()
	o, _ := options(t, tree(t, shop()), "")
	first := open(t, o)
	if _, err := Open(o); !errors.Is(err, kota.ErrBusy) {
		t.Errorf("got %v", err)
	}
	first.Close()
	open(t, o)
}

func TestAFailedIndexLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"die:" + toolIndex, "die:" + toolRecent, "text:" + toolIndex} {
		t.Run(odd, func(t *testing.T) {
			t.Parallel()
			e, _ := indexed(t, odd)
			if err := e.Index(t.Context()); err == nil {
				t.Fatal("it indexed")
			}
			d, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true})
			if err != nil || d.Dependents.Total != 3 {
				t.Errorf("%+v, %v", d, err)
			}
			left, _ := filepath.Glob(filepath.Join(e.opts.Dir, indexPrefix+"*"))
			if len(left) != 1 {
				t.Errorf("%d indexes are left", len(left))
			}
		})
	}
}

func TestADamagedOrForeignRecordMeansNoIndex(t *testing.T) {
	t.Parallel()
	e, _ := indexed(t, "")
	e.Close()
	name := filepath.Join(e.dir, recordName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []string{"", "{", strings.Replace(string(whole), `"root":"`, `"root":"/other`, 1)} {
		if err := os.WriteFile(name, []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Open(e.opts)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := again.Status(t.Context()); err != nil || s.Indexed {
			t.Errorf("%+v, %v", s, err)
		}
		again.Close()
	}
	if err := os.WriteFile(filepath.Join(e.opts.Dir, currentName), []byte("../../etc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := open(t, e.opts).Status(t.Context()); err != nil || s.Indexed {
		t.Errorf("%+v, %v", s, err)
	}
}
