//go:build linux

package commands_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/coctostan/pictx/internal/must"
)

// A column that is cut to a few characters says nothing, so narrow terminals get fewer.
func TestTableOfSessionsHasTheColumnsThatFit(t *testing.T) {
	t.Parallel()
	sessions := must.Get(filepath.Abs("../testdata/sessions"))(t)
	home := t.TempDir()
	if out, code := underTerminal(t, home, "import", sessions); code != 0 {
		t.Fatalf("import ends with %d: %s", code, out)
	}
	for _, tt := range []struct {
		width   uint16
		args    string
		columns string
	}{
		{50, "sessions", "SESSION LAST COST TITLE …"},
		{80, "sessions", "SESSION LAST COST TITLE …"},
		{80, "sessions --all", "SESSION LAST COST PROJECT TITLE …"},
		{140, "sessions", "SESSION LAST COST TITLE REQUESTS MODEL"},
		{140, "sessions --all", "SESSION LAST COST PROJECT TITLE REQUESTS MODEL"},
	} {
		out, code := openSized(t, pty.Winsize{Rows: 24, Cols: tt.width}, home, nil, strings.Fields(tt.args)...).answer(t)
		must.Not(t, code != 0, "%s ends with %d: %s", tt.args, code, out)
		lines := strings.Split(strings.ReplaceAll(ansi.Strip(out), "\r", ""), "\n")
		must.Equal(t, strings.Join(strings.Fields(lines[0]), " "), tt.columns, "%s at %d columns shows", tt.args, tt.width)
		for _, line := range lines {
			w := ansi.StringWidth(line)
			must.Not(t, w > int(tt.width), "%s at %d columns prints a line of %d: %s", tt.args, tt.width, w, line)
		}
	}
}
