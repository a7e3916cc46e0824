//go:build unix

package e2e

import (
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
	waitFor(t, "nobody to write to the store", func() bool { return os.RemoveAll(filepath.Join(h.agent, "pictx")) == nil })
}
