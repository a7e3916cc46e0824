package cli

import (
	"bytes"
	"fmt"
	"testing"
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
		if n, err := fmt.Fprint(w, said); n != len(said) || err != nil {
			t.Errorf("%q: %d, %v", said, n, err)
		}
	}
	if want := "pictx: error: a.jsonl: torn\nhint: pictx doctor\n\x1b[1mDelete?\x1b[0m \x1b[2Kyes\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}
