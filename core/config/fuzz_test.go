package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// seeds are documents of every form the scanner knows.
func seeds() []string {
	return []string{
		"", "\ufeff", string(DefaultFile()), "[prune]\nmode = \"off\" # c\n", "prune = { mode = \"off\", seed = { minimum = 1 } }",
		"[prune]\r\nseed.minimum = 1\r\n[history]\r\nignore = [ # c\r\n \"a\",\r\n]\r\n", "[[prune]]\nmode = 1\n[prune.seed]\nminimum = 1",
		"x = \"\"\"\n# no comment\n\"\"\"\ny = '''#'''\n[\"a b\".'c#d']\nd = 1979-05-27 07:32:00Z\nf = 1.5\n",
		"prune = {\n enabled = true, # a\n mode = \"off\" # b\n}", "trust = [[1, [2, {a = 1}]], # c\n ]\n", "\"prune\".\"mode\" = 'off'",
	}
}

// others is what a document says besides a key, with its comments, or false if it is not TOML.
func others(text []byte, key string) (map[string]any, []string, bool) {
	doc, err := decode(text)
	if err != nil {
		return nil, nil, false
	}
	var remarks []string
	for line := range strings.Lines(doc.text) {
		// What is behind a quote may be text.
		if before, remark, ok := strings.Cut(line, "#"); ok && !strings.ContainsAny(before, "\"'") {
			remarks = append(remarks, strings.TrimRight(remark, "\r\n"))
		}
	}
	slices.Sort(remarks)
	remove(doc.values, splitKey(key))
	return doc.values, remarks, true
}

func FuzzSet(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text, "prune.mode", "manual")
		f.Add(text, "prune.seed.minimum", "3")
		f.Add(text, "trust", `["/a", "~/b"]`)
		f.Add(text, "prune.seed.protected_tools", "a,b")
	}
	f.Fuzz(func(t *testing.T, text, key, value string) {
		after, err := Set([]byte(text), key, value)
		if err != nil {
			return
		}
		wantFacts, wantRemarks, _ := others([]byte(text), key)
		facts, remarks, ok := others(after, key)
		if !ok || !reflect.DeepEqual(facts, wantFacts) || slices.ContainsFunc(wantRemarks, func(r string) bool { return !slices.Contains(remarks, r) }) {
			t.Fatalf("set %s = %q turned\n%q into\n%q", key, value, text, after)
		}
		r := Resolve(Input{Files: []Layer{{Kind: User, Data: after}}})
		flag := Resolve(Input{Flags: map[string]string{key: value}})
		if got, want := get(t, r, key), get(t, flag, key); got.Text != want.Text || got.Origin.Kind == Default {
			t.Fatalf("set %s = %q reads back as %s from %v", key, value, got.Text, got.Origin)
		}
		again, err := Set(after, key, value)
		if err != nil || string(again) != string(after) {
			t.Fatalf("setting twice gives %q, %v", again, err)
		}
	})
}

func FuzzUnset(f *testing.F) {
	for _, text := range seeds() {
		f.Add(text, "prune.mode")
		f.Add(text, "prune.seed.minimum")
		f.Add(text, "history.ignore")
		f.Add(text, "\"a b\".'c#d'.d")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		after, had, err := Unset([]byte(text), key)
		if err != nil {
			return
		}
		if !had {
			if string(after) != text {
				t.Fatalf("a document without %q changed", key)
			}
			return
		}
		wantFacts, wantRemarks, _ := others([]byte(text), key)
		facts, remarks, ok := others(after, key)
		if !ok || !reflect.DeepEqual(facts, wantFacts) || slices.ContainsFunc(wantRemarks, func(r string) bool { return !slices.Contains(remarks, r) }) {
			t.Fatalf("unset %s turned\n%q into\n%q", key, text, after)
		}
		if _, still, _ := Unset(after, key); still {
			t.Fatalf("%s is still in %q", key, after)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, text := range seeds() {
		f.Add([]byte(text), []byte(`{"lcm":{"enabled":true}}`), "PICTX_PRUNE_MODE=off")
	}
	f.Add([]byte("\"a\\u001b[2J\\u202e\" = 1\nprune.mode = \"\\u001b[2J\\u202e\""), []byte(`{"lcm":"\u001b"}`), "PICTX_PRUNE_MOD\x1b=1")
	f.Add([]byte("prune.mode = 3"), []byte(`{"lcm":3,"contextPruning":{"enabled":"x"}}`), "PICTX_TRUST=[")
	f.Fuzz(func(t *testing.T, toml, seed []byte, variable string) {
		r := Resolve(Input{Environ: []string{variable}, Files: []Layer{
			{UserSeed, "settings.json", seed},
			{User, "u", toml},
			{ProjectSeed, "settings.json", seed},
			{Project, "p", toml},
		}})
		for _, v := range r.Values() {
			s, _ := find(settings, v.Key)
			if got, err := s.parse(strings.TrimSuffix(strings.TrimPrefix(v.Text, `"`), `"`)); err != nil || !reflect.DeepEqual(got, v.Value) {
				t.Fatalf("%s has the value %s: %v", v.Key, v.Text, err)
			}
			if s.UserOnly && v.Origin.Kind.project() {
				t.Fatalf("a project decides %s", v.Key)
			}
		}
		for _, w := range r.Warnings {
			if strings.ContainsFunc(w.String(), func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }) {
				t.Fatalf("warning %q", w.String())
			}
		}
	})
}
