//go:build linux

package commands_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// What takes long to read is asked for; the rest is read at once.
//
// Holds kota 67.
func TestALargeFirstIndexIsAskedForOnATerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		answer string
		code   int
		made   bool
		small  bool
	}{
		"index refused":           {[]string{"kota", "index"}, "n", 5, false, false},
		"deps refused":            {[]string{"kota", "deps", "a.ts"}, "n", 5, false, false},
		"deps agreed":             {[]string{"kota", "deps", "a.ts"}, "y", 0, true, false},
		"interrupted":             {[]string{"kota", "index"}, "\x03", 5, false, false},
		"not asked":               {[]string{"kota", "index", "--yes"}, "", 0, true, true},
		"a small project":         {[]string{"kota", "index"}, "", 0, true, true},
		"deps of a small project": {[]string{"kota", "deps", "a.ts"}, "", 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			must.Do(t, os.WriteFile(filepath.Join(home, "a.ts"), []byte("export const a = 1\n"), 0o600))
			for i := range 20 { // 320 MB, which take no room
				name := filepath.Join(home, fmt.Sprintf("large%d.ts", i))
				if c.small {
					break
				}
				must.Do(t, errors.Join(os.WriteFile(name, nil, 0o600), os.Truncate(name, 16<<20)))
			}
			var asked []string
			if c.answer != "" {
				asked = []string{"Index", c.answer}
			}
			said, code := openConsole(t, home, nil, c.args...).answer(t, asked...)
			must.Not(t, code != c.code, "code %d, want %d: %q", code, c.code, said)
			made, _ := filepath.Glob(filepath.Join(home, "*", "*", "*.kota"))
			more, _ := filepath.Glob(filepath.Join(home, ".pi", "agent", "pictx", "*.kota"))
			must.Equal(t, len(made)+len(more) > 0, c.made, "an index was made")
		})
	}
}
