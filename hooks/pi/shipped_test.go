package pi

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestEveryFileIsOnTheListOfWhatWasShipped holds that what is installed today can
// be replaced tomorrow without asking.
func TestEveryFileIsOnTheListOfWhatWasShipped(t *testing.T) {
	x := must.Get(Load())(t)
	listed := strings.Split(shipped, "\n")
	var missing []string
	for _, f := range x.Files() {
		if line := shippedLine(f.Name, f.Text); !slices.Contains(listed, line) {
			missing = append(missing, line+"\n")
		}
	}
	if len(missing) == 0 {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatalf("shipped.txt lacks (UPDATE_GOLDEN=1 adds it):\n%s", strings.Join(missing, ""))
	}
	must.Do(t, os.WriteFile("shipped.txt", []byte(shipped+strings.Join(missing, "")), 0o644))
}

func TestTheListOfWhatWasShippedIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(shipped, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		sum, name, ok := strings.Cut(line, "  ")
		if !ok || len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" || name == "" || seen[line] {
			t.Errorf("line %d is %q: want a sum and a name, once", i+1, line)
		}
		seen[line] = true
	}
}
