//go:build unix

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// stamps are the times in a session file.
var stamps = regexp.MustCompile(`"timestamp":(?:"([^"]+)"|(\d+))`)

// elapse lets time pass: the session becomes older by that much. The store is
// taken away, as it saw the session when it was younger.
func (h *home) elapse(t *testing.T, by time.Duration) {
	t.Helper()
	file := h.session(t)
	raw := must.Get(os.ReadFile(file))(t)
	raw = stamps.ReplaceAllFunc(raw, func(b []byte) []byte {
		m := stamps.FindSubmatch(b)
		if ms, err := strconv.ParseInt(string(m[2]), 10, 64); err == nil {
			return []byte(`"timestamp":` + strconv.FormatInt(ms-by.Milliseconds(), 10))
		}
		at := must.Get(time.Parse(time.RFC3339, string(m[1])))(t)
		return []byte(`"timestamp":"` + at.Add(-by).Format("2006-01-02T15:04:05.000Z") + `"`)
	})
	must.Do(t, os.WriteFile(file, raw, 0o600))
	// A pictx that is still about to end may write to it.
	for limit := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := os.RemoveAll(filepath.Join(h.agent, "pictx"))
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
	}
}

// Holds prune 38.
func TestAnIdleSessionIsPrunedWhenItIsResumed(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.keeps = 0 // nothing is known: five minutes
		h.once(t, "One.", h.print(t, "one", 3000), essay(), glance(), say("one"))
		h.elapse(t, time.Minute)
		p := h.start(t, "--continue")
		wantMarks(t, "after a minute", p.ask("Two.", glance(), say("two")), 0, 0)
		p.close()
		h.elapse(t, 10*time.Minute)
		p = h.start(t, "--continue")
		wantMarks(t, "after ten minutes", p.ask("Three.", glance(), say("three")), 1, 1)
		p.close()
		h.elapse(t, time.Hour)
		p = h.start(t, "--continue")
		wantMarks(t, "after an hour", p.ask("Four.", glance(), say("four")), 1, 1)
		p.finish()
		if made := grows(t, h.model.turns()); len(made) != 1 {
			t.Errorf("rewrites made %v markers", made)
		}
		h.restores(t)
	})
}

// warmed tells the session that pi asked the provider to keep the prompt, some
// time ago.
func (h *home) warmed(t *testing.T, ago time.Duration) {
	t.Helper()
	file := h.session(t)
	all := entries(t, file)
	f := must.Get(os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0))(t)
	line := asJSON(object{
		"type": "usage", "id": "0e2e0e2e", "parentId": all[len(all)-1].ID, "timestamp": time.Now().Add(-ago).UTC().Format("2006-01-02T15:04:05.000Z"),
		"kind": "cache_warm", "provider": "anthropic-local", "model": "scripted",
		"usage": object{"input": 0, "output": 1, "cacheRead": 5000, "cacheWrite": 0, "totalTokens": 5001, "cost": object{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}},
	})
	_, err := f.Write(append(line, '\n'))
	must.Do(t, errors.Join(err, f.Close()))
}

// Holds prune 38.
func TestACacheKeptWarmByPiIsNotCold(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		h.keeps = 300
		h.once(t, "One.", h.print(t, "one", 3000), essay(), glance(), say("one"))
		h.elapse(t, 7*time.Minute)
		h.warmed(t, 3*time.Minute)
		p := h.start(t, "--continue")
		wantMarks(t, "kept warm", p.ask("Two.", glance(), say("two")), 0, 0)
		p.close()
		h.elapse(t, 7*time.Minute)
		p = h.start(t, "--continue")
		wantMarks(t, "left alone", p.ask("Three.", glance(), say("three")), 1, 1)
		p.finish()
		grows(t, h.model.turns())
	})
}
