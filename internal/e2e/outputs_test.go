//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// much prints more than pi keeps of an output.
const much = `for i in $(seq 1 3000); do echo "line $i of a long output"; done`

// whole is what much prints.
func whole() string {
	var b strings.Builder
	for i := range 3000 {
		b.WriteString("line " + strconv.Itoa(i+1) + " of a long output\n")
	}
	return b.String()
}

// cutResults are the entries of results that pi has cut.
func cutResults(t *testing.T, file string) (ids []string) {
	t.Helper()
	for _, e := range entries(t, file) {
		if e.Type == "message" && strings.Contains(string(e.Raw), "/pi-bash-") {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// keptOutputs waits until the wanted number of outputs is kept, which happens in the background.
func (h *home) keptOutputs(t *testing.T, want int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d outputs that are kept", want), func() bool {
		out, _ := h.cli(t, "blobs", "list", "--json")
		return strings.Count(out, `"id":`) >= want
	})
}

// Of a command that prints much, succeeds or fails, or is the user's own, all
// comes back, also when what pi left in a temporary file is gone.
//
// Holds prune 43.
func TestOutputTruncatedByPiIsExpandedInFull(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		p.ask("One.", use("bash", object{"command": much}), use("bash", object{"command": much + "; echo broken; exit 3"}), say("one"))
		p.do(object{"type": "bash", "command": much + "; echo mine"})
		p.ask("Two.", glance(), say("two"))
		file := h.session(t)
		ids := cutResults(t, file)
		must.Stop(t, len(ids) != 3, "pi has cut %d outputs", len(ids))
		h.keptOutputs(t, 3)
		p.close()
		left, err := filepath.Glob(filepath.Join(temporary(), "pi-bash-*.log"))
		if err != nil || len(left) == 0 {
			t.Fatal(left, err)
		}
		text := read(t, file)
		for _, f := range left {
			if strings.Contains(text, f) {
				os.Remove(f)
			}
		}
		for i, more := range []string{"", "broken\n", "mine\n"} {
			if out, code := h.cli(t, "expand", "--full", ids[i]); code != 0 || out != whole()+more {
				t.Errorf("output %d: exit %d, %d bytes, want %d", i, code, len(out), len(whole()+more))
			}
		}
		h.model.check(t)
		h.stored(t)
	})
}
