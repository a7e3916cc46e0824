package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

const (
	userSeed    = "/home/u/.pi/agent/settings.json"
	userFile    = "/home/u/.pi/agent/pictx.toml"
	projectSeed = "/p/.pi/settings.json"
	projectFile = "/p/.pi/pictx.toml"
)

// files makes layers of kind, text pairs.
func files(layers map[Kind]string) []Layer {
	paths := map[Kind]string{UserSeed: userSeed, User: userFile, ProjectSeed: projectSeed, Project: projectFile}
	var out []Layer
	for _, kind := range slices.Sorted(maps.Keys(layers)) {
		out = append(out, Layer{kind, paths[kind], []byte(layers[kind])})
	}
	return out
}

func get(t *testing.T, r *Resolved, key string) Setting {
	t.Helper()
	s := must.Get(r.Get(key))(t)
	return s
}

// Holds history 74.
func TestLaterLayersWin(t *testing.T) {
	user, project := "prune.seed.minimum = 1", "prune.seed.minimum = 2"
	env := []string{"PICTX_PRUNE_SEED_MINIMUM=3"}
	flags := map[string]string{"prune.seed.minimum": "4"}
	tests := []struct {
		name   string
		in     Input
		want   int
		origin Origin
	}{
		{"nothing", Input{}, 20000, Origin{}},
		{"user", Input{Files: files(map[Kind]string{User: user})}, 1, Origin{User, userFile}},
		{"empty variable", Input{Files: files(map[Kind]string{User: user}), Environ: []string{"PICTX_PRUNE_SEED_MINIMUM= "}}, 1, Origin{User, userFile}},
		{"project", Input{Files: files(map[Kind]string{User: user, Project: project})}, 2, Origin{Project, projectFile}},
		{"environment", Input{Files: files(map[Kind]string{User: user, Project: project}), Environ: env}, 3, Origin{Environment, "PICTX_PRUNE_SEED_MINIMUM"}},
		{"flag", Input{Files: files(map[Kind]string{User: user, Project: project}), Environ: env, Flags: flags}, 4, Origin{Flag, "prune.seed.minimum"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Resolve(tt.in)
			got := get(t, r, "prune.seed.minimum")
			if got.Value != tt.want || got.Origin != tt.origin || r.Config.Prune.Seed.Minimum != tt.want {
				t.Errorf("got %+v, config %d", got, r.Config.Prune.Seed.Minimum)
			}
			if len(r.Warnings) != 0 {
				t.Error(r.Warnings)
			}
		})
	}
}

func TestEnabledIsUserAndProject(t *testing.T) {
	const on, off = "prune.enabled = true", "prune.enabled = false"
	const seedOn, seedOff = `{"contextPruning":{"enabled":true}}`, `{"contextPruning":{"enabled":false}}`
	tests := []struct {
		name   string
		files  map[Kind]string
		env    string
		want   bool
		origin Kind
	}{
		{name: "own file over pi's", files: map[Kind]string{UserSeed: seedOff, User: on}, want: true, origin: User},
		{name: "project switches off", files: map[Kind]string{User: on, Project: off}, want: false, origin: Project},
		{name: "project seed switches off", files: map[Kind]string{User: on, ProjectSeed: seedOff}, want: false, origin: ProjectSeed},
		{name: "project file undoes its own seed", files: map[Kind]string{ProjectSeed: seedOff, Project: on}, want: true, origin: Project},
		{name: "project cannot switch on", files: map[Kind]string{User: off, Project: on}, want: false, origin: User},
		{name: "project cannot switch on what the user's seed switched off", files: map[Kind]string{UserSeed: seedOff, ProjectSeed: seedOn, Project: on}, want: false, origin: UserSeed},
		{name: "both off", files: map[Kind]string{User: off, Project: off}, want: false, origin: User},
		{name: "both on", files: map[Kind]string{User: on, Project: on}, want: true, origin: Project},
		{name: "environment overrides the user", files: map[Kind]string{User: off, Project: on}, env: "true", want: true, origin: Environment},
		{name: "environment overrides the project", files: map[Kind]string{Project: off}, env: "1", want: true, origin: Environment},
		{name: "environment switches off", files: map[Kind]string{User: on, Project: on}, env: "false", want: false, origin: Environment},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Resolve(Input{Files: files(tt.files), Environ: []string{"PICTX_PRUNE_ENABLED=" + tt.env}})
			got := get(t, r, "prune.enabled")
			if got.Value != tt.want || r.Config.Prune.Enabled != tt.want || got.Origin.Kind != tt.origin {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func wantWarnings(t *testing.T, r *Resolved, want ...string) {
	t.Helper()
	var got []string
	for _, w := range r.Warnings {
		got = append(got, w.String())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got warnings:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Holds prune 19, 57.
func TestWrongValuesFallBackToTheLayersBelow(t *testing.T) {
	const below = "[prune]\nenabled = false\nmode = \"manual\"\n[prune.seed]\nminimum = 7\nprotected_tools = [\"x\"]\n"
	tests := []struct{ text, want string }{
		{`prune.enabled = "true"`, `:1: prune.enabled: expected true or false, got "true"; ignored`},
		{`prune.mode = "manuall"`, `:1: prune.mode: expected one of auto, cold, manual, off, got "manuall"; ignored`},
		{`prune.mode = true`, `:1: prune.mode: expected one of auto, cold, manual, off, got true; ignored`},
		{`prune.seed.minimum = -1`, `:1: prune.seed.minimum: expected a whole number from 0 to 1000000000, got -1; ignored`},
		{`prune.seed.minimum = 5.0`, `:1: prune.seed.minimum: expected a whole number from 0 to 1000000000, got 5.0; ignored`},
		{`prune.seed.minimum = 1000000001`, `:1: prune.seed.minimum: expected a whole number from 0 to 1000000000, got 1000000001; ignored`},
		{`prune.seed.protected_tools = "read"`, `:1: prune.seed.protected_tools: expected a list of names, got "read"; ignored`},
		{`prune.seed.protected_tools = ["a", 3]`, `:1: prune.seed.protected_tools: expected a list of names, got ["a", 3]; ignored`},
		{`prune.seed.protected_tools = [""]`, `:1: prune.seed.protected_tools: expected a list of names, got [""]; ignored`},
		{"[prune.mode]\nx = 1", `:1: prune.mode: expected one of auto, cold, manual, off, got a table; ignored`},
		{`prune = 3`, `:1: prune: expected a group of settings, got 3; ignored`},
		{"[[prune]]\nmode = 1", `:1: prune: expected a group of settings, got a list of tables; ignored`},
		{"[prune]\n[prune.seed]\n[history]\nn = nan", `:4: history.n: unknown key; ignored`},
		{`prune.keep.paths = ["**/*.{env,pem}", "a["]`, `:1: prune.keep.paths: expected a list of glob patterns, got ["**/*.{env,pem}", "a["]; ignored`},
		{`prune.rerun = ["a{b"]`, `:1: prune.rerun: expected a list of glob patterns, got ["a{b"]; ignored`},
		{`prune.mode = "` + strings.Repeat("é", 5000) + `"`, `:1: prune.mode: expected one of auto, cold, manual, off, got "` + strings.Repeat("é", 79) + `...; ignored`},
	}
	want := Resolve(Input{Files: files(map[Kind]string{User: below})}).Config
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			r := Resolve(Input{Files: files(map[Kind]string{User: below, Project: tt.text})})
			wantWarnings(t, r, projectFile+tt.want)
			must.Match(t, r.Config, want, "what it says")
		})
	}
}

// Holds history 74.
func TestUnknownKeysSuggestASpelling(t *testing.T) {
	tests := []struct{ text, suggestion string }{
		{"prune.polcy = 1", "prune.policy"},
		{"[prnue]\nenabled = true", "prune.enabled"},
		{"Prune.Seed.Minimum = 1", "prune.seed.minimum"},
		{"prune.seed.protected-turns = 1", "prune.seed.protected_turns"},
		{"contextPruning.enabled = false", "prune.enabled"},
		{"lcm.enabled = false", "history.enabled"},
		{"turst = []", "trust"},
		{"something = 1", ""},
		{"test = 1", ""},
		{"widgets.enabled = true", ""},
		{"blobs.maxBytes = 1", "blobs.max_bytes"},
		{"[other]", ""},
		{`"" = 1`, ""},
		{`"prune.mode" = "off"`, "prune.mode"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			r := Resolve(Input{Files: files(map[Kind]string{User: tt.text})})
			if len(r.Warnings) != 1 {
				t.Fatalf("got %v", r.Warnings)
			}
			meant, hint := "", ""
			if tt.suggestion != "" {
				meant, hint = "; did you mean "+tt.suggestion+"?", "pictx config get "+tt.suggestion // a command, not the message again
			}
			w := r.Warnings[0]
			if w.Hint != hint || w.Message != "unknown key; ignored"+meant || w.Path != userFile || w.Line == 0 {
				t.Errorf("got %+v, want hint %q", w, hint)
			}
		})
	}
}

func TestFormerSettingsSayWhatTookTheirPlace(t *testing.T) {
	for _, f := range formerKeys {
		name := f.name
		if strings.HasSuffix(name, ".") {
			name += "x"
		}
		if _, ok := find(settings, name); ok {
			continue // it is still a setting
		}
		variable := variable(name)
		r := Resolve(Input{Files: files(map[Kind]string{User: name + " = 1"}), Environ: []string{variable + "=1"}})
		wantWarnings(t, r,
			userFile+":1: "+name+": no longer a setting; ignored: "+f.now,
			variable+": no longer a setting; ignored: "+f.now)
		if r.Warnings[0].Hint != "remove it from the file" || r.Warnings[1].Hint != "unset "+variable {
			t.Errorf("hints %q, %q", r.Warnings[0].Hint, r.Warnings[1].Hint)
		}
		if _, err := Set(nil, name, "1"); err == nil || err.Error() != "find setting "+name+": no longer a setting: "+f.now {
			t.Errorf("set %s: %v", name, err)
		}
		if old, had, err := Unset([]byte(name+" = 1\n"), name); err != nil || !had || len(old) > 0 {
			t.Errorf("unset %s: %q %t %v", name, old, had, err)
		}
	}
}

func TestManyUnknownKeysAreCountedNotListed(t *testing.T) {
	var lines []string
	for i := range 25 {
		lines = append(lines, "zzz"+strings.Repeat("z", i)+" = 1")
	}
	r := Resolve(Input{Files: files(map[Kind]string{User: strings.Join(lines, "\n")})})
	if len(r.Warnings) != maxUnknown+1 || r.Warnings[maxUnknown].Message != "5 more unknown keys; ignored" {
		t.Errorf("got %d: %v", len(r.Warnings), r.Warnings[len(r.Warnings)-1])
	}
}

// Holds prune 57.
func TestTOMLSyntaxErrorNamesThePlaceAndIgnoresTheFile(t *testing.T) {
	tests := []struct{ text, place string }{
		{"prune.mode = \"off\"\n\n[prune\n", ":3:"},
		{"prune.mode = \"off\"\nx = = 1\n", ":2:5:"},
		{"\ufeffprune.mode = \"off\"\nx = = 1\n", ":2:5:"},
		{"prune.mode = \"off\"\nprune.mode = \"manual\"\n", ":2:"},
		{"prune.mode = \"off\"\n# \xff\n", ":2:"},
		{"\xff\xfep\x00=\x00", ":1:"},
		{"prune.mode = \"off\"\nx = " + strings.Repeat("[", 100), ":2:"},
		{"prune.mode = \"off\"\n" + strings.Repeat("a.", 50000) + "a = 1", ":2:"},
		{"prune.mode = \"off\"\n#" + strings.Repeat("x", maxBytes), ": "},
	}
	for _, tt := range tests {
		r := Resolve(Input{Files: files(map[Kind]string{User: tt.text})})
		if len(r.Warnings) != 1 {
			t.Errorf("%.40q: %v", tt.text, r.Warnings)
			continue
		}
		got := r.Warnings[0].String()
		if !strings.HasPrefix(got, userFile+tt.place) || !strings.HasSuffix(got, "; nothing in the file counts") {
			t.Errorf("%.40q: %s", tt.text, got)
		}
		must.Equal(t, r.Config.Prune.Mode, ModeAuto, "%.40q: a broken file was used", tt.text)
	}
}

func TestSettingsJSONOfPi(t *testing.T) {
	tests := []struct{ name, text, warning string }{
		{"other keys are pi's business", `{"contextpruning":3,"enabledModels":7,"lcm":{"debugmode":"x","Enabled":3}}`, ""},
		{"empty file", " \n", ""},
		{"byte order mark", "\ufeff{}", ""},
		{"null says nothing", `{"contextPruning":null,"lcm":{"enabled":null}}`, ""},
		{"null file", `null`, ""},
		{"string", `{"contextPruning":{"enabled":"false"}}`, `: contextPruning.enabled: expected true or false, got "false"; ignored`},
		{"number", `{"lcm":{"enabled":0}}`, `: lcm.enabled: expected true or false, got 0; ignored`},
		{"fraction", `{"lcm":{"leafChunkTokens":5.0}}`, `: lcm.leafChunkTokens: expected a whole number from 0 to 1000000000, got 5.0; ignored`},
		{"huge number", `{"lcm":{"leafChunkTokens":99999999999999999999}}`, `: lcm.leafChunkTokens: expected a whole number from 0 to 1000000000, got 1e+20; ignored`},
		{"model without provider", `{"lcm":{"compactionModels":[{"provider":"","id":"x"}]}}`, `: lcm.compactionModels: expected a list of models, each as provider/id, got a list of tables; ignored`},
		{"no object", `{"lcm":false}`, `: lcm: expected a group of settings, got false; ignored`},
		{"two objects", `{}{}`, `: there is more than one value; nothing in the file counts`},
		{"list", `[]`, `: expected an object; nothing in the file counts`},
		{"malformed", "{\"lcm\":{\"enabled\":false},\n // no\n}", `:2:2: invalid character '/' looking for beginning of object key string; nothing in the file counts`},
		{"cut off", `{"lcm":{"enabled":false}`, `: unexpected EOF; nothing in the file counts`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Resolve(Input{Files: files(map[Kind]string{UserSeed: tt.text})})
			if tt.warning == "" {
				wantWarnings(t, r)
			} else {
				wantWarnings(t, r, userSeed+tt.warning)
			}
			if !r.Config.History.Enabled || !r.Config.Prune.Enabled {
				t.Errorf("got %+v", r.Config)
			}
		})
	}
}

func TestInvalidVariablesWarn(t *testing.T) {
	r := Resolve(Input{
		Environ: []string{"PICTX_PRUNE_MODE=manuall", "LCM_ENABLED=maybe", "PICTX_PRUNE_MODEE=off", "PICTX_SOMETHING=1", "nonsense"},
	})
	wantWarnings(t, r,
		`LCM_ENABLED: history.enabled: expected true or false, got "maybe"; ignored`,
		`PICTX_PRUNE_MODE: prune.mode: expected one of auto, cold, manual, off, got "manuall"; ignored`,
		`PICTX_PRUNE_MODEE: unknown variable; ignored; did you mean PICTX_PRUNE_MODE?`)
	if got, want := r.Warnings[2].Hint, "unset PICTX_PRUNE_MODEE"; got != want {
		t.Errorf("the hint for a misspelled variable is %q, want %q", got, want)
	}
	must.Match(t, r.Config, Resolve(Input{}).Config, "what it says")
}

func TestListsAreNeverNilAndNeverShared(t *testing.T) {
	r := Resolve(Input{})
	lists := [][]string{r.Config.Trust, r.Config.History.Ignore, r.Config.Prune.Seed.ProtectedTools}
	for i, list := range lists {
		if list == nil {
			t.Errorf("list %d is nil", i)
		}
	}
	get(t, r, "prune.seed.prunable_tools").Value.([]string)[0] = "changed"
	r.Config.Prune.Seed.PrunableTools[1] = "changed"
	must.Lack(t, get(t, r, "prune.seed.prunable_tools").Text, "changed", "what it says")
}

func TestAChangeGoesToTheSideThatDecides(t *testing.T) {
	const seedOff = `{"contextPruning":{"enabled":false}}`
	for name, tt := range map[string]struct {
		files map[Kind]string
		key   string
		want  Kind
	}{
		"nothing set":                   {nil, "prune.mode", User},
		"user":                          {map[Kind]string{User: `prune.mode="off"`, Project: ""}, "prune.mode", User},
		"project":                       {map[Kind]string{User: `prune.mode="off"`, Project: `prune.mode="manual"`}, "prune.mode", Project},
		"user's settings.json is pi's":  {map[Kind]string{UserSeed: seedOff}, "prune.enabled", User},
		"project's settings.json is so": {map[Kind]string{ProjectSeed: seedOff}, "prune.enabled", Project},
		"user off, project on":          {map[Kind]string{User: "prune.enabled=false", Project: "prune.enabled=true"}, "prune.enabled", User},
		"both off":                      {map[Kind]string{User: "prune.enabled=false", Project: "prune.enabled=false"}, "prune.enabled", User},
		"user-only key":                 {map[Kind]string{Project: `trust=["/x"]`}, "trust", User},
	} {
		got, err := Resolve(Input{Files: files(tt.files), Environ: []string{"PICTX_PRUNE_MODE=cold"}}).Side(tt.key)
		must.Equal(t, got, tt.want, "%s: %v", name, err)
	}
	if _, err := Resolve(Input{}).Side("nope"); err == nil {
		t.Error("an unknown key has a side")
	}
}

// sample is a value that a setting may have and does not have by default, and its JSON.
func sample(k Key) (typed, json string) {
	switch k.Type {
	case Bool:
		typed = map[string]string{"true": "false", "false": "true"}[k.Default]
		return typed, typed
	case Int:
		return fmt.Sprint(k.From + 7), fmt.Sprint(k.From + 7)
	case Enum:
		typed = k.Enum[len(k.Enum)-1]
		return typed, `"` + typed + `"`
	case Bytes:
		return "262144000", "262144000"
	case Dir:
		return "/x", `"/x"`
	case Models:
		return "p/m", `[{"provider":"p","id":"m"}]`
	case Patterns, Prices:
		return "m=1", `["m=1"]`
	}
	return "/x,~/y", `["/x","~/y"]`
}

// Every name in a file or a variable of the original extensions is read, and belongs to one
// setting; a project cannot set what is its user's to say.
func TestEverySeedNameIsRead(t *testing.T) {
	keys, seen := map[string]Key{}, map[string]bool{}
	for _, k := range append(Keys(), Inherited()...) {
		keys[k.Name] = k
	}
	for _, n := range seedNames {
		typed, json := sample(keys[n.key])
		path := strings.Split(n.name, ".")
		text := json
		for _, part := range slices.Backward(path) {
			text = `{"` + part + `":` + text + `}`
		}
		in := Input{Files: []Layer{{UserSeed, "/a/" + n.file, []byte(text)}}}
		want := Origin{UserSeed, "/a/" + n.file}
		if n.file == "" {
			in, want = Input{Environ: []string{n.name + "=" + typed}}, Origin{Environment, n.name}
		}
		r := Resolve(in)
		if got := get(t, r, n.key); got.Origin != want || len(r.Warnings) > 0 || seen[n.file+n.name] {
			t.Errorf("%+v gives %+v, %v", n, got, r.Warnings)
		}
		seen[n.file+n.name] = true
		for i := range in.Files {
			in.Files[i].Kind = ProjectSeed
		}
		if got := get(t, Resolve(in), n.key); keys[n.key].UserOnly && n.file != "" && got.Origin.Kind != Default {
			t.Errorf("a project sets %s", n.name)
		}
	}
	// They are no keys: nothing else sets them. pictx's own variable wins.
	r := Resolve(Input{Files: files(map[Kind]string{User: "lcm.maxDepth = 3"}), Flags: map[string]string{"lcm.maxDepth": "3"}, Environ: []string{"PICTX_HISTORY_ENABLED=true", "LCM_ENABLED=false"}})
	if len(r.Warnings) != 1 || r.Config.History.MaxDepth != 5 || !r.Config.History.Enabled {
		t.Errorf("%v", r.Warnings)
	}
}

// Holds history 74.
func TestAProjectCannotSetWhatIsItsUsersToSay(t *testing.T) {
	for _, k := range Keys() {
		typed, json := sample(k)
		if k.Type == Bytes || k.Type == Models {
			json = map[Type]string{Bytes: json, Models: `["p/m"]`}[k.Type]
		}
		r := Resolve(Input{Files: files(map[Kind]string{Project: k.Name + " = " + json})})
		got := get(t, r, k.Name)
		if k.UserOnly {
			wantWarnings(t, r, projectFile+":1: "+k.Name+": counts only in the user's pictx.toml; ignored in a project")
		}
		must.Equal(t, got.Origin.Kind == Default, k.UserOnly, "%s = %s in a project", k.Name, typed)
		if strings.HasSuffix(k.Name, ".enabled") && !k.UserOnly {
			r := Resolve(Input{Files: files(map[Kind]string{User: k.Name + " = false", Project: k.Name + " = true"})})
			must.Equal(t, get(t, r, k.Name).Value, any(false), "a project enabled %s", k.Name)
		}
	}
}

func TestPruningNeedsBothOriginalExtensionsEnabled(t *testing.T) {
	for _, on := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		layers := []Layer{
			{UserSeed, "/a/settings.json", fmt.Appendf(nil, `{"contextPruning":{"enabled":%v}}`, on[0])},
			{UserSeed, "/a/pi-kota.json", fmt.Appendf(nil, `{"prune":{"enabled":%v}}`, on[1])},
		}
		for _, order := range [][]Layer{layers, {layers[1], layers[0]}} {
			must.Equal(t, Resolve(Input{Files: order}).Config.Prune.Enabled, on[0] && on[1], "%v", on)
		}
	}
}

// Other packages trust that what they read was checked.
func TestValuesAsTheyAreTyped(t *testing.T) {
	for key, values := range map[string]struct{ right, wrong []string }{
		"blobs.dir":       {[]string{"", "/var/blobs", "~/blobs", `""`}, []string{"/cache\xff", "cache", "./cache"}},
		"blobs.max_bytes": {[]string{"250MB", "1.5 GiB", "0", "262144000", "250mb", "2k", "0.5KB", "1024TiB"}, []string{"", "MB", "-1", "1e3", "0x10", "250 megabytes", "1.5.2GB", "1025TiB", "99999999999999999999", "250MB;"}},
		"trust":           {[]string{"/a", `["/a", "~/b", "~", "C:\\x", "D:/y", "\\\\host\\share"]`, ""}, []string{`["work"]`, "[\"/work\xff\"]", ".", "~other"}},
		"redact.patterns": {[]string{"key-[0-9]+", "[a-z]{3}", "a,b", `["a", "b"]`}, []string{"(", "x*", `["key-[0-9]+", "a|"]`}},
		"prices":          {[]string{"gpt=2.5"}, []string{"gpt", "gpt=", "gpt=-1", "gpt=free"}},
		"history.models":  {[]string{"p/m", "none", "[]"}, []string{"a,,b"}},
	} {
		for _, value := range values.right {
			if err := Check(key, value); err != nil {
				t.Errorf("%s = %q: %v", key, value, err)
			}
		}
		for _, value := range values.wrong {
			r := Resolve(Input{Environ: []string{variable(key) + "=" + value}})
			if Check(key, value) == nil || len(r.Warnings) != 1 && value != "" || !reflect.DeepEqual(r.Config, Resolve(Input{}).Config) {
				t.Errorf("%s may be %q: %v", key, value, r.Warnings)
			}
		}
	}
	must.Equal(t, Resolve(Input{Flags: map[string]string{"blobs.max_bytes": "1.5GB"}}).Config.Blobs.MaxBytes, int64(15e8), "bytes")
}

func TestOriginsHaveNames(t *testing.T) {
	for origin, want := range map[Origin]string{
		{}:                             "default",
		{UserSeed, "/a/settings.json"}: "user settings.json /a/settings.json",
		{ProjectSeed, "/p/.pi/decision-memory.config.json"}: "project decision-memory.config.json /p/.pi/decision-memory.config.json",
		{Environment, "PICTX_TRUST"}:                        "environment PICTX_TRUST",
		{Flag, "prune.mode"}:                                "flag prune.mode",
	} {
		must.Equal(t, origin.String(), want, "got")
	}
}
