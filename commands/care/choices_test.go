package care

import (
	"reflect"
	"testing"

	"github.com/coctostan/pictx/core/config"
)

func TestSettingsLeadFromOneChoiceToAnother(t *testing.T) {
	t.Parallel()
	fresh := Present(&config.Resolve(config.Input{}).Config)
	if want := (Choice{SystemNames(), "session"}); !reflect.DeepEqual(fresh, want) {
		t.Fatalf("a new user has %v, want %v", fresh, want)
	}
	for _, from := range WriterNames() {
		for _, to := range WriterNames() {
			for _, systems := range [][]string{nil, {"prune"}, {"code", "objects"}, SystemNames()} {
				text := ""
				text = written(t, text, Settings(fresh, Choice{SystemNames(), from}))
				want := Choice{systems, to}
				text = written(t, text, Settings(read(text), want))
				if got := read(text); !reflect.DeepEqual(got, want) {
					t.Errorf("from %s to %v: %v, by\n%s", from, want, got, text)
				}
				if again := Settings(read(text), want); len(again) > 0 {
					t.Errorf("the same choice changes %v", again)
				}
			}
		}
	}
}

func written(t *testing.T, text string, set []Setting) string {
	t.Helper()
	for _, s := range set {
		b, err := config.Set([]byte(text), s.Key, s.Value)
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		text = string(b)
	}
	return text
}

func read(text string) Choice {
	return Present(&config.Resolve(config.Input{Files: []config.Layer{{Kind: config.User, Data: []byte(text)}}}).Config)
}

func TestNamesThatNothingHasAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []Choice{{Systems: []string{"kota"}}, {Writer: "gpt"}} {
		if c.Check() == nil {
			t.Errorf("%v is accepted", c)
		}
	}
	if err := (Choice{SystemNames(), "pi"}).Check(); err != nil {
		t.Error(err)
	}
}
