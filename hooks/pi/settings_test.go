package pi

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// withoutX removes the packages and paths x and x2.
func withoutX(text string) (after string, removed []Removed, err error) {
	var drop []Entry
	for _, kind := range []Kind{Package, Listed, Folder} {
		drop = append(drop, Entry{Kind: kind, Source: "x"}, Entry{Kind: kind, Source: "x2"})
	}
	got, removed, err := Target{Root: "/a"}.WithoutEntries([]byte(text), drop)
	return string(got), removed, err
}

func TestRemovingEntriesKeepsEveryOtherByte(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"nothing to drop":   {`{"packages": ["a" , "b"]}`, `{"packages": ["a" , "b"]}`},
		"no lists":          {`{ "theme":"dark" }`, `{ "theme":"dark" }`},
		"empty":             {"", ""},
		"the only one":      {`{"packages": [ "x" ], "a":1}`, `{"packages": [ ], "a":1}`},
		"all":               {"{\"packages\": [\n  \"x\",\n  \"x2\"\n]}", "{\"packages\": [\n]}"},
		"first":             {`{"packages": ["x",  "b"]}`, `{"packages": [  "b"]}`},
		"last":              {`{"packages": ["a",  "x"]}`, `{"packages": ["a"]}`},
		"middle":            {"{\"packages\": [\n  \"a\",\n  \"x\",\n  \"b\"\n]}\n", "{\"packages\": [\n  \"a\",\n  \"b\"\n]}\n"},
		"no object":         {`["no"]`, ``},
		"one, two, last":    {`{"packages": ["x", "x", "a", "x", "x"]}`, `{"packages": [ "a"]}`},
		"objects":           {`{"packages": ["a", {"source":"x","extensions":["-q"]} ,"b"]}`, `{"packages": ["a","b"]}`},
		"both lists":        {`{"extensions":["x"],"packages":["a","x"],"z":["x"]}`, `{"extensions":[],"packages":["a"],"z":["x"]}`},
		"a name twice":      {`{"packages":["x"],"packages":["a","x"]}`, `{"packages":[],"packages":["a"]}`},
		"inside of others":  {`{"a":{"packages":["x"]},"b":[["x"]]}`, `{"a":{"packages":["x"]},"b":[["x"]]}`},
		"a byte order mark": {"\ufeff{\"packages\":[\"a\",\"x\"]}", ``}, // pi cannot read it either
		"line ends, tabs":   {"{\r\n\t\"packages\": [\r\n\t\t\"x\",\r\n\t\t\"a\"\r\n\t],\r\n\t\"n\": 1e400\r\n}\r\n", "{\r\n\t\"packages\": [\r\n\t\t\"a\"\r\n\t],\r\n\t\"n\": 1e400\r\n}\r\n"},
		"escapes":           {`{"p\u0061ckages":["\u0078"],"s":"\ud800"}`, `{"p\u0061ckages":[],"s":"\ud800"}`},
		"no list":           {`{"packages":"x","extensions":{"x":1}}`, `{"packages":"x","extensions":{"x":1}}`},
		"other elements":    {`{"packages":[1,null,["x"],"x"]}`, `{"packages":[1,null,["x"]]}`},
		"not JSON":          {`{"packages":["x",]}`, ``},
		"cut short":         {`{"packages":["x"`, ``},
		"something behind":  {`{"packages":["x"]} {}`, ``},
	} {
		got, _, err := withoutX(c.before)
		if wantErr := c.after == "" && c.before != ""; (err != nil) != wantErr {
			t.Errorf("%s: error %v", name, err)
		} else if got != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.after)
		}
	}
}

func FuzzWithoutEntries(f *testing.F) {
	f.Add(`{"packages": ["x", {"source":"x"}, "a"], "extensions":["x"] , "b":[]}`)
	f.Add("{\"packages\":[\n\"a\",\n\"x\"\n]}")
	f.Add(`{"packages":[],"packages":["x","x2"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, removed, err := withoutX(text)
		if err != nil {
			return
		}
		var before, after map[string]any
		if strings.TrimSpace(text) == "" || json.Unmarshal([]byte(text), &before) != nil {
			return // numbers out of range
		}
		if err := json.Unmarshal([]byte(got), &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		for key, want := range before {
			if list, ok := want.([]any); ok && (key == "packages" || key == "extensions") {
				want = stay(list)
			}
			must.Match(t, want, after[key], "%q became %q: %s", text, got, key)
		}
		if _, missing := WithEntries([]byte(got), removed); len(missing) > 0 {
			t.Fatalf("%q: %v cannot be added again", got, missing)
		}
	})
}

// stay are the elements that withoutX leaves, by another way.
func stay(all []any) []any {
	return slices.DeleteFunc(append([]any{}, all...), func(v any) bool {
		source, _ := v.(string)
		if object, ok := v.(map[string]any); ok {
			text, _ := json.Marshal(object)
			source, _ = sourceOf(string(text))
		}
		return source == "x" || source == "x2"
	})
}

func TestEntriesAreNamedByTheirPackage(t *testing.T) {
	root := t.TempDir()
	write(t, `{"name":"@me/pi-lcm"}`, root, "work", "package.json")
	write(t, "", root, "agent", "extensions", "single.ts")
	write(t, "", root, "agent", "extensions", "plain", "index.ts")
	write(t, "", root, "agent", "extensions", "off", "index.js")
	write(t, "", root, "agent", "extensions", "notes", "README.md")
	write(t, "", root, "agent", "extensions", "README.md")
	write(t, "", root, "agent", "extensions", ".hidden", "index.ts")
	write(t, `{"name":"pi-kota","pi":{"extensions":["a.ts"]}}`, root, "agent", "extensions", "copied", "package.json")
	write(t, `{
  "packages": [
    "npm:pi-lcm", "npm:@scope/pi-lcm@1.2.3", "npm:@scope/pi-lcm",
    "git:github.com/you/pi-kota", "git:github.com/you/pi-kota@v1", "https://github.com/you/pi-kota.git", "git@github.com:you/pi-kota.git",
    "ssh://git@github.com/you/pi-kota", "git:git@github.com:you/pi-kota#main",
    "../work", "~/pi-decision-memory",
    {"source": "npm:all", "skills": []}, {"source": "npm:none", "extensions": []}, {"source": "npm:some", "extensions": ["a.ts"]},
    {"source": "npm:minus", "extensions": ["-a.ts"]}, 7, {}
  ],
  "extensions": ["../work/index.ts", "./one.ts", "-extensions/off/index.js", "+extensions/plain/index.ts", "!other"]
}`, root, "agent", "settings.json")
	entries := must.Get(Target{Root: filepath.Join(root, "agent")}.Entries("/home/me"))(t)
	var got []string
	for _, e := range entries {
		line := string(e.Kind) + " " + e.Name
		if e.Off {
			line += " off"
		}
		got = append(got, line)
		if local := e.Kind != Package || strings.Contains(e.Source, "work") || e.Source[0] == '~'; filepath.IsAbs(e.Path) != local {
			t.Errorf("%s is at %q", e.Source, e.Path)
		}
	}
	want := []string{
		"package pi-lcm", "package pi-lcm", "package pi-lcm",
		"package pi-kota", "package pi-kota", "package pi-kota", "package pi-kota", "package pi-kota", "package pi-kota",
		"package pi-lcm", "package pi-decision-memory",
		"package all", "package none off", "package some", "package minus off",
		"path pi-lcm", "path one",
		"folder pi-kota", "folder off off", "folder plain", "folder single",
	}
	must.Match(t, got, want, "got")
}

func TestSettingsThatCannotBeReadAreAnErrorAndTheFoldersAreStillListed(t *testing.T) {
	root := t.TempDir()
	if all, err := (Target{Root: root}).Entries(""); err != nil || len(all) > 0 {
		t.Errorf("an empty directory: %v, %v", all, err)
	}
	write(t, "", root, "extensions", "a.ts")
	write(t, "{", root, "settings.json")
	all, err := Target{Root: root}.Entries("")
	if err == nil || !strings.Contains(err.Error(), "settings.json") || len(all) != 1 {
		t.Errorf("%v, %v; want an error and a.ts", all, err)
	}
}

func TestSettingsThatChangedSinceGetTheirEntriesBack(t *testing.T) {
	t.Parallel()
	const before = `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"]}`
	file := filepath.Join(t.TempDir(), "pictx", "setup.json")
	drop := []Entry{{Kind: Package, Source: "npm:a"}, {Kind: Package, Source: "npm:b"}, {Kind: Listed, Source: "~/x.ts"}, {Kind: Listed, Source: "npm:c"}}
	text, removed, err := Target{Root: "/a"}.WithoutEntries([]byte(before), drop)
	must.Do(t, err)
	must.Do(t, WriteUndo(file, removed))
	must.Equal(t, removed[0], Removed{"/a/settings.json", "packages", `"npm:a"`}, "removed")
	after, again := string(text), must.Get(ReadUndo(file))(t)
	for _, tt := range []struct{ name, now, want, missing string }{
		{"unchanged", after, `{"packages": [ "npm:c", "npm:a", {"source": "npm:b"}], "extensions": ["~/x.ts"]}`, ""},
		{"something else was set", `{"packages": ["npm:c"], "extensions": [], "theme": "dark"}`, `{"packages": ["npm:c","npm:a",{"source": "npm:b"}], "extensions": ["~/x.ts"], "theme": "dark"}`, ""},
		{"written with line breaks", "{\n  \"packages\": [\n    \"npm:c\"\n  ],\n  \"extensions\": [\n  ]\n}\n", "{\n  \"packages\": [\n    \"npm:c\",\n    \"npm:a\",\n    {\"source\": \"npm:b\"}\n  ],\n  \"extensions\": [\"~/x.ts\"\n  ]\n}\n", ""},
		{"one is there again", `{"packages":["npm:c","npm:a"],"extensions":[]}`, `{"packages":["npm:c","npm:a",{"source": "npm:b"}],"extensions":["~/x.ts"]}`, ""},
		{"a list is gone", `{"packages": []}`, `{"packages": ["npm:a",{"source": "npm:b"}]}`, "~/x.ts"},
		{"not JSON any more", "{", "{", "npm:a npm:b ~/x.ts"},
	} {
		got, missing := WithEntries([]byte(tt.now), again)
		var names []string
		for _, r := range missing {
			names = append(names, r.Source())
		}
		if string(got) != tt.want || strings.Join(names, " ") != tt.missing {
			t.Errorf("%s:\n%s, missing %v; want\n%s, missing %s", tt.name, got, missing, tt.want, tt.missing)
		}
	}
}
