package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestKeysAreTheDocumentedOnes(t *testing.T) {
	var b strings.Builder
	for _, k := range Keys() {
		b.WriteString(k.Name + " | " + k.Type.String() + " | " + k.Default + " | " + strings.Join(k.Enum, ","))
		if k.UserOnly {
			b.WriteString(" | user only")
		}
		b.WriteString(" | " + k.Env + " | " + k.Doc + "\n")
	}
	golden := filepath.Join("testdata", "keys.golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		must.Do(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want := must.Get(os.ReadFile(golden))(t)
	if b.String() != string(want) {
		t.Errorf("keys differ from %s (UPDATE_GOLDEN=1 rewrites it):\n%s", golden, b.String())
	}
}

func TestEveryDefaultIsValid(t *testing.T) {
	for _, s := range settings {
		d, wrong := decode([]byte("v = " + format(s.def)))
		if wrong != nil {
			t.Fatalf("%s: %v", s.Name, wrong)
		}
		got, ok := s.check(d.values["v"])
		if !ok || !reflect.DeepEqual(got, s.def) {
			t.Errorf("%s: default %v reads back as %#v", s.Name, s.def, got)
		}
	}
}

func TestEveryKeyFillsItsOwnField(t *testing.T) {
	fields := map[any]string{}
	var c Config
	for _, s := range settings {
		p := s.field(&c)
		if other, taken := fields[p]; taken {
			t.Errorf("%s and %s fill the same field", other, s.Name)
		}
		fields[p] = s.Name
	}
}

func TestDefaultFileChangesNothing(t *testing.T) {
	r := Resolve(Input{Files: []Layer{{User, "pictx.toml", DefaultFile()}}})
	if len(r.Warnings) != 0 {
		t.Fatal(r.Warnings)
	}
	for _, v := range r.Values() {
		if v.Origin.Kind != Default {
			t.Errorf("%s comes from %v", v.Key, v.Origin)
		}
	}
}

func TestDefaultFileUncommentedGivesTheDefaults(t *testing.T) {
	var lines []string
	for line := range strings.SplitSeq(string(DefaultFile()), "\n") {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			line = line[1:]
		}
		lines = append(lines, line)
	}
	r := Resolve(Input{Files: []Layer{{User, "pictx.toml", []byte(strings.Join(lines, "\n"))}}})
	if len(r.Warnings) != 0 {
		t.Fatal(r.Warnings)
	}
	must.Match(t, r.Config, Resolve(Input{}).Config, "what it says")
	for _, v := range r.Values() {
		if v.Origin.Kind == Default {
			t.Errorf("%s is not in the file", v.Key)
		}
	}
}
