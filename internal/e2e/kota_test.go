//go:build unix

package e2e

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// pinEntries counts the entries of a session that carry pins.
func pinEntries(t *testing.T, file string) int {
	t.Helper()
	n := 0
	for _, e := range ofType(entries(t, file), "custom") {
		if e.CustomType == "pictx.pins" {
			n++
		}
	}
	return n
}

// What is pinned stays, on its branch, in forks of it, and when pi is started
// again; before it was pinned nothing is.
//
// Holds prune 18.
func TestPinsFollowTheBranchInPi(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h := autoHome(t, version, transportOf(version))
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), say("one"))
		contains(t, "/pictx pin", p.tells("/pictx pin last the proof"), "it stays in the context")
		contains(t, "/pictx pins", p.tells("/pictx pins"), "1 pin:")
		wantMarks(t, "pinned", p.ask("Two.", glance(), glance(), say("two")), 0, 0, 0)
		contains(t, "/prune", p.tells("/prune"), "1  pinned")
		must.Equal(t, pinEntries(t, h.session(t)), 1, "entries carry pins")
		p.do(object{"type": "clone"})
		contains(t, "in a clone", p.tells("/pictx pins"), "the proof")
		p.close()
		// Another machine has the session alone.
		must.Do(t, os.RemoveAll(filepath.Join(h.agent, "pictx")))
		p = h.start(t, "--continue")
		contains(t, "elsewhere", p.tells("/pictx pins"), "the proof")
		wantMarks(t, "elsewhere", p.ask("Three.", glance(), glance(), say("three")), 0, 0, 0)
		contains(t, "/pictx unpin", p.tells("/pictx unpin "+pinOf(t, p)), "Unpinned")
		contains(t, "unpinned", p.tells("/pictx pins"), "Nothing is pinned.")
		p.to("second")
		wantMarks(t, "unpinned", p.ask("Four.", glance(), say("four")), 1, 1)
		// Before it was pinned.
		p.moveTo("0")
		contains(t, "another branch", p.tells("/pictx pins"), "Nothing is pinned.")
		p.finish()
	})
}

// pinOf is the only pin's target.
func pinOf(t *testing.T, p *rpc) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^  ([0-9a-f-]{8,})  `).FindStringSubmatch(p.tells("/pictx pins"))
	if m == nil {
		t.Fatal("nothing is pinned")
	}
	return m[1]
}

func TestOutputPinnedInTheShellStaysInPi(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), say("one"))
		file := h.session(t)
		id := ""
		for _, e := range entries(t, file) {
			if e.Message.Role == "toolResult" {
				id = e.ID
			}
		}
		if out, code := h.cli(t, "pin", id, "--session", sessionID(file), "--reason", "seen outside"); code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
		wantMarks(t, "pinned", p.ask("Two.", glance(), glance(), say("two")), 0, 0, 0)
		contains(t, "/pictx pins", p.tells("/pictx pins"), "seen outside")
		must.Equal(t, pinEntries(t, file), 1, "entries carry pins")
		if out, code := h.cli(t, "unpin", id, "--session", sessionID(file)); code != 0 {
			t.Fatalf("exit %d: %s", code, out)
		}
		wantMarks(t, "unpinned", p.ask("Three.", glance(), say("three")), 1, 1)
		p.finish()
		must.Equal(t, pinEntries(t, file), 2, "entries carry pins")
		h.stored(t)
	})
}

func TestKotaCommandsAnswerInPi(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one"))
		wantMarks(t, "between turns", p.ask("More.", say("more")), 1)
		shown := p.tells("/kota pruning")
		for _, want := range []string{"policy auto, mode auto", "just now: 1 tool output, ", `[pruned: bash "cat one.txt"`} {
			contains(t, "/kota pruning", shown, want)
		}
		contains(t, "/kota pin", p.tells("/kota pin"), "Pinned ")
		contains(t, "/kota", p.tells("/kota"), "/kota purge-blobs")
		contains(t, "/kota blobs", p.tells("/kota blobs"), "0 full outputs stored in "+h.agent)
		contains(t, "/kota purge-blobs", p.tells("/kota purge-blobs"), "No full outputs are stored.")
		const text = "a text that is nowhere else"
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		must.Do(t, os.MkdirAll(filepath.Join(h.agent, "pictx", "blobs", sum[:2]), 0o700))
		kept := filepath.Join(h.agent, "pictx", "blobs", sum[:2], sum)
		must.Do(t, os.WriteFile(kept, []byte(text), 0o600))
		contains(t, "/kota blobs", p.tells("/kota blobs"), "1 full output stored in ")
		p.answers(func(record) any { return false })
		contains(t, "/kota purge-blobs, no", p.tells("/kota purge-blobs"), "Nothing was deleted.")
		p.answers(func(r record) any {
			if !strings.Contains(r.Title, "Delete 1 full output?") {
				t.Errorf("asked %q", r.Title)
			}
			return true
		})
		contains(t, "/kota purge-blobs, yes", p.tells("/kota purge-blobs"), "Deleted 1 full output.")
		if _, err := os.Stat(kept); err == nil {
			t.Error("the blob is still there")
		}
		p.finish()
	})
}
