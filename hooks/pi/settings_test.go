package pi

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// dropX names every element that has an x in its source.
func dropX(_ string, it item) bool {
	source, _ := it.source()
	return strings.Contains(source, "x")
}

func TestRemovingEntriesKeepsEveryOtherByte(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"nothing to drop":   {`{"packages": ["a" , "b"]}`, `{"packages": ["a" , "b"]}`},
		"no lists":          {`{ "theme":"dark" }`, `{ "theme":"dark" }`},
		"empty":             {"", ""},
		"the only one":      {`{"packages": [ "x" ], "a":1}`, `{"packages": [], "a":1}`},
		"all":               {"{\"packages\": [\n  \"x\",\n  \"x2\"\n]}", `{"packages": []}`},
		"first":             {`{"packages": ["x",  "b"]}`, `{"packages": ["b"]}`},
		"last":              {`{"packages": ["a",  "x"]}`, `{"packages": ["a"]}`},
		"middle":            {"{\"packages\": [\n  \"a\",\n  \"x\",\n  \"b\"\n]}\n", "{\"packages\": [\n  \"a\",\n  \"b\"\n]}\n"},
		"no object":         {`["no"]`, ``},
		"one, two, last":    {`{"packages": ["x", "x", "a", "x", "x"]}`, `{"packages": ["a"]}`},
		"objects":           {`{"packages": ["a", {"source":"x","extensions":["-q"]} ,"b"]}`, `{"packages": ["a","b"]}`},
		"both lists":        {`{"extensions":["./x.ts"],"packages":["a","x"],"z":["x"]}`, `{"extensions":[],"packages":["a"],"z":["x"]}`},
		"a name twice":      {`{"packages":["x"],"packages":["x","a"]}`, `{"packages":[],"packages":["a"]}`},
		"inside of others":  {`{"a":{"packages":["x"]},"b":[["x"]]}`, `{"a":{"packages":["x"]},"b":[["x"]]}`},
		"a byte order mark": {"\ufeff{\"packages\":[\"a\",\"x\"]}", "\ufeff{\"packages\":[\"a\"]}"},
		"line ends, tabs":   {"{\r\n\t\"packages\": [\r\n\t\t\"x\",\r\n\t\t\"a\"\r\n\t],\r\n\t\"n\": 1e400\r\n}\r\n", "{\r\n\t\"packages\": [\r\n\t\t\"a\"\r\n\t],\r\n\t\"n\": 1e400\r\n}\r\n"},
		"escapes":           {`{"p\u0061ckages":["\u0078"],"s":"\ud800"}`, `{"p\u0061ckages":[],"s":"\ud800"}`},
		"no list":           {`{"packages":"x","extensions":{"x":1}}`, `{"packages":"x","extensions":{"x":1}}`},
		"other elements":    {`{"packages":[1,null,["x"],"x"]}`, `{"packages":[1,null,["x"]]}`},
		"not JSON":          {`{"packages":["x",]}`, ``},
		"cut short":         {`{"packages":["x"`, ``},
		"something behind":  {`{"packages":["x"]} {}`, ``},
	} {
		got, _, err := removeItems([]byte(c.before), dropX)
		if wantErr := c.after == "" && c.before != ""; (err != nil) != wantErr {
			t.Errorf("%s: error %v", name, err)
		} else if string(got) != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.after)
		}
	}
}

func FuzzRemoveItems(f *testing.F) {
	f.Add([]byte(`{"packages": ["x", {"source":"x"}, "a"], "extensions":["x"] , "b":[]}`))
	f.Add([]byte("\ufeff{\"packages\":[\n\"a\",\n\"x\"\n]}"))
	f.Add([]byte(`{"packages":[],"packages":["x","x"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, _, err := removeItems(text, dropX)
		if err != nil {
			return
		}
		var before, after map[string]any
		trim := func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\ufeff")) }
		if len(bytes.TrimSpace(trim(text))) == 0 || json.Unmarshal(trim(text), &before) != nil {
			return // numbers out of range
		}
		if err := json.Unmarshal(trim(got), &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		for key, want := range before {
			if list, ok := want.([]any); ok && (key == "packages" || key == "extensions") {
				want = stay(list)
			}
			must.Match(t, want, after[key], "%q became %q: %s", text, got, key)
		}
	})
}

// stay are the elements that dropX leaves, by another way.
func stay(all []any) []any {
	left := []any{}
	for _, v := range all {
		source, _ := v.(string)
		if object, ok := v.(map[string]any); ok {
			text, _ := json.Marshal(object)
			source, _ = item(text).source()
		}
		if !strings.Contains(source, "x") {
			left = append(left, v)
		}
	}
	return left
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
	entries := must.Get(Target{filepath.Join(root, "agent")}.Entries("/home/me"))(t)
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
	if all, err := (Target{root}).Entries(""); err != nil || len(all) > 0 {
		t.Errorf("an empty directory: %v, %v", all, err)
	}
	write(t, "", root, "extensions", "a.ts")
	write(t, "{", root, "settings.json")
	all, err := Target{root}.Entries("")
	if err == nil || !strings.Contains(err.Error(), "settings.json") || len(all) != 1 {
		t.Errorf("%v, %v; want an error and a.ts", all, err)
	}
}

func TestSettingsAreWrittenWithoutTheEntriesThatWereNamed(t *testing.T) {
	root := t.TempDir()
	write(t, `{"packages":["npm:a","b"],"extensions":["npm:a","b"]}`, root, "settings.json")
	text, removed, err := Target{root}.WithoutEntries([]Entry{{Kind: Package, Source: "npm:a"}, {Kind: Listed, Source: "b"}, {Kind: Folder, Source: "npm:a"}})
	if err != nil || string(text) != `{"packages":["b"],"extensions":["npm:a"]}` {
		t.Errorf("%s, %v", text, err)
	}
	must.Match(t, removed, []RemovedItem{{"packages", `"npm:a"`}, {"extensions", `"b"`}}, "removed")
}
