package care

import (
	"reflect"
	"testing"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/internal/must"
)

// resolved returns the settings of a user's file.
func resolved(text string) *config.Resolved {
	return config.Resolve(config.Input{Files: []config.Layer{{Kind: config.User, Data: []byte(text)}}})
}

// written returns a user's file with settings.
func written(t *testing.T, text string, set []setting) string {
	t.Helper()
	for _, s := range set {
		text = string(must.Get(config.Set([]byte(text), s.key, s.value))(t))
	}
	return text
}

func TestSettingsLeadFromOneChoiceToAnother(t *testing.T) {
	t.Parallel()
	if fresh, want := present(resolved("")), (choice{systemNames(), "session"}); !reflect.DeepEqual(fresh, want) {
		t.Fatalf("a new user has %v, want %v", fresh, want)
	}
	for _, from := range writers() {
		for _, to := range writers() {
			for _, systems := range [][]string{nil, {"prune"}, {"code", "objects"}, systemNames()} {
				text := written(t, "", choice{systemNames(), from.name}.changes(resolved("")))
				want := choice{systems, to.name}
				text = written(t, text, want.changes(resolved(text)))
				got := present(resolved(text))
				must.Not(t, !reflect.DeepEqual(got, want), "from %s to %v: %v, by\n%s", from.name, want, got, text)
				again := want.changes(resolved(text))
				must.Not(t, len(again) > 0, "the same choice changes %v", again)
			}
		}
	}
	must.Equal(t, present(resolved(`history.models = ["p/m"]`)).writer, "", "models that the user configured")
}
