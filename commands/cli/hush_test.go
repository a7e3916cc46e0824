package cli

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestHushLeavesOutRemarksAndTheirHints(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := Hush(&out)
	for _, said := range []string{
		"pictx: warning: no index\nhint: pictx import\n",
		"pictx: wrote a.md\n", "hint: pictx show a.md\n",
		"pictx: error: a.jsonl: torn\n", "hint: pictx doctor\n",
		"\x1b[1mDelete?\x1b[0m ", "\x1b[2Kyes\n",
		"pictx: there is more\n",
	} {
		n, err := fmt.Fprint(w, said)
		must.Not(t, n != len(said) || err != nil, "%q: %d, %v", said, n, err)
	}
	want := "pictx: error: a.jsonl: torn\nhint: pictx doctor\n\x1b[1mDelete?\x1b[0m \x1b[2Kyes\n"
	must.Not(t, out.String() != want, "%q, want %q", &out, want)
}
