package care

import (
	"reflect"
	"testing"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/internal/must"
)

func TestSettingsLeadFromOnechoiceToAnother(t *testing.T) {
	t.Parallel()
	fresh := present(&config.Resolve(config.Input{}).Config)
	if want := (choice{systemNames(), "session"}); !reflect.DeepEqual(fresh, want) {
		t.Fatalf("a new user has %v, want %v", fresh, want)
	}
	for _, from := range writerNames() {
		for _, to := range writerNames() {
			for _, systems := range [][]string{nil, {"prune"}, {"code", "objects"}, systemNames()} {
				text := ""
				text = written(t, text, settingsFor(fresh, choice{systemNames(), from}))
				want := choice{systems, to}
				text = written(t, text, settingsFor(read(text), want))
				got := read(text)
				must.Not(t, !reflect.DeepEqual(got, want), "from %s to %v: %v, by\n%s", from, want, got, text)
				again := settingsFor(read(text), want)
				must.Not(t, len(again) > 0, "the same choice changes %v", again)
			}
		}
	}
}

func written(t *testing.T, text string, set []setting) string {
	t.Helper()
	for _, s := range set {
		b, err := config.Set([]byte(text), s.key, s.value)
		must.Stop(t, err != nil, "%v: %v", s, err)
		text = string(b)
	}
	return text
}

func read(text string) choice {
	return present(&config.Resolve(config.Input{Files: []config.Layer{{Kind: config.User, Data: []byte(text)}}}).Config)
}

func TestNamesThatNothingHasAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []choice{{systems: []string{"kota"}}, {writer: "gpt"}} {
		must.Not(t, c.check() == nil, "%v is accepted", c)
	}
	if err := (choice{systemNames(), "pi"}).check(); err != nil {
		t.Error(err)
	}
}
