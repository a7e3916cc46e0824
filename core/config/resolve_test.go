package config

import (
	"fmt"
	"math"
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
	for kind, text := range layers {
		out = append(out, Layer{kind, paths[kind], []byte(text)})
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

func TestPictxTomlWinsOverSettingsJSONOfTheSameSide(t *testing.T) {
	r := Resolve(Input{Files: files(map[Kind]string{
		UserSeed: `{"contextPruning":{"enabled":false},"lcm":{"enabled":false}}`,
		User:     "[prune]\nenabled = true\n",
	})})
	if !r.Config.Prune.Enabled || r.Config.History.Enabled {
		t.Errorf("got %+v", r.Config)
	}
	must.Equal(t, get(t, r, "history.enabled").Origin, (Origin{UserSeed, userSeed}), "history.enabled comes from")
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

func TestProjectCannotEnableWhatTheUserDisabled(t *testing.T) {
	n := 0
	for _, k := range Keys() {
		if k.UserOnly || !strings.HasSuffix(k.Name, ".enabled") {
			continue
		}
		n++
		r := Resolve(Input{Files: files(map[Kind]string{User: k.Name + " = false", Project: k.Name + " = true"})})
		if get(t, r, k.Name).Value != false {
			t.Errorf("a project enabled %s", k.Name)
		}
	}
	if n < 6 {
		t.Errorf("%d settings", n)
	}
}

func TestOwnVariableBeatsLCMEnabled(t *testing.T) {
	r := Resolve(Input{Environ: []string{"PICTX_HISTORY_ENABLED=true", "LCM_ENABLED=false"}})
	if got := get(t, r, "history.enabled"); got.Value != true || got.Origin.Path != "PICTX_HISTORY_ENABLED" {
		t.Errorf("got %+v", got)
	}
	r = Resolve(Input{Environ: []string{"LCM_ENABLED=false"}})
	if got := get(t, r, "history.enabled"); got.Value != false || got.Origin != (Origin{Environment, "LCM_ENABLED"}) {
		t.Errorf("got %+v", got)
	}
}

func TestListsAreReadFromTheEnvironment(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"read, bash", []string{"read", "bash"}},
		{`["a,b", "c"]`, []string{"a,b", "c"}},
		{"[]", []string{}},
		{"", []string{"read", "bash", "grep", "find", "ls", "edit", "write"}},
	}
	for _, tt := range tests {
		r := Resolve(Input{Environ: []string{"PICTX_PRUNE_SEED_PRUNABLE_TOOLS=" + tt.text}})
		if got := r.Config.Prune.Seed.PrunableTools; !reflect.DeepEqual(got, tt.want) || len(r.Warnings) > 0 {
			t.Errorf("%q gives %q %v", tt.text, got, r.Warnings)
		}
	}
}

func TestUserOnlyKeysAreIgnoredInAProject(t *testing.T) {
	text := "trust = [\"/evil\"]\n[history]\nignore = [\"**\"]\n[kota]\nkotadb.command = [\"evil\"]\n"
	r := Resolve(Input{Files: files(map[Kind]string{Project: text})})
	if len(r.Config.Trust)+len(r.Config.History.Ignore) != 0 || r.Config.Kota.KotaDB.Command[0] != "bun" {
		t.Errorf("got %+v", r.Config)
	}
	wantWarnings(t, r,
		projectFile+":1: trust: counts only in the user's pictx.toml; ignored in a project",
		projectFile+":3: history.ignore: counts only in the user's pictx.toml; ignored in a project",
		projectFile+":5: kota.kotadb.command: counts only in the user's pictx.toml; ignored in a project")

	r = Resolve(Input{Files: files(map[Kind]string{User: text})})
	if want := []string{"/evil"}; !reflect.DeepEqual(r.Config.Trust, want) || len(r.Warnings) != 0 {
		t.Errorf("got %+v %v", r.Config, r.Warnings)
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

// Holds prune 19.
func TestBrokenGlobNamesTheKey(t *testing.T) {
	for _, text := range []string{`prune.keep.paths = ["ok", "a["]`, `prune.keep.tools = ["{a"]`, `prune.rerun = ["a{b"]`} {
		key, list, _ := strings.Cut(text, " = ")
		r := Resolve(Input{Files: files(map[Kind]string{User: text})})
		wantWarnings(t, r, userFile+":1: "+key+": expected a list of glob patterns, got "+list+"; ignored")
	}
	r := Resolve(Input{Files: files(map[Kind]string{User: `prune.keep.paths = ["**/*.{env,pem}", "a[0-9]"]`})})
	wantWarnings(t, r)
}

// Holds prune 57.
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
		{`prune = 3`, `:1: prune: expected a table, got 3; ignored`},
		{"[[prune]]\nmode = 1", `:1: prune: expected a table, got a list of tables; ignored`},
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

func TestFloatIsShownWithItsPoint(t *testing.T) {
	for f, want := range map[float64]string{5: "5.0", -5: "-5.0", 0.5: "0.5", 1e30: "1e+30", math.Inf(1): "+Inf"} {
		if got := show(f); got != want {
			t.Errorf("got %s, want %s: the message would say that 5 is no whole number", got, want)
		}
	}
}

func TestUserValuesOfLists(t *testing.T) {
	tests := []struct {
		text string
		ok   bool
	}{
		{`history.ignore = ["**/tmp/*"]`, true},
		{`history.ignore = ["[a"]`, false},
		{`trust = ["/a", "~/b", "~", "C:\\x", "D:/y", "\\\\host\\share"]`, true},
		{`trust = ["relative"]`, false},
		{`trust = ["."]`, false},
		{`trust = ["~other"]`, false},
	}
	for _, tt := range tests {
		r := Resolve(Input{Files: files(map[Kind]string{User: tt.text})})
		if ok := len(r.Warnings) == 0; ok != tt.ok {
			t.Errorf("%s: %v", tt.text, r.Warnings)
		}
	}
}

// Holds history 74.
func TestUnknownKeysSuggestASpelling(t *testing.T) {
	tests := []struct{ text, suggestion string }{
		{"prune.polcy = 1", "prune.policy"},
		{"[prnue]\nenabled = true", "prune.enabled"},
		{"Prune.Seed.Minimum = 1", "prune.seed.minimum"},
		{"prune.seed.protected-turns = 1", "prune.seed.protected_turns"},
		{"prune.minimum = 1", "prune.seed.minimum"},
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
		if _, ok := find(name); ok {
			continue // it is still a setting
		}
		variable := spec{Key: Key{Name: name}}.variable()
		r := Resolve(Input{Files: files(map[Kind]string{User: name + " = 1"}), Environ: []string{variable + "=1"}, Flags: map[string]string{name: "1"}})
		wantWarnings(t, r,
			userFile+":1: "+name+": no longer a setting; ignored: "+f.now,
			variable+": no longer a setting; ignored: "+f.now,
			"flag: "+name+": no longer a setting; ignored: "+f.now)
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

func TestSeedNamesWithoutAKeyAreStillRead(t *testing.T) {
	r := Resolve(Input{
		Files: []Layer{
			{UserSeed, "/a/settings.json", []byte(`{"lcm":{"leafChunkTokens":4000,"condensationThreshold":1,"maxDepth":3,"largFileThresholdTokens":9}}`)},
			{UserSeed, "/a/pi-kota.json", []byte(`{"prune":{"keepRecentTurns":4,"maxToolChars":7,"adaptive":false,"pinImpactSummaries":false},"kota":{"toolset":"full"}}`)},
			{UserSeed, "/a/decision-memory.config.json", []byte(`{"autoCapture":{"maxPerTurn":9}}`)},
		},
		Environ: []string{"LCM_MAX_DEPTH=4"},
	})
	wantWarnings(t, r, "/a/settings.json: lcm.condensationThreshold: expected a whole number from 2 to 1000, got 1; ignored")
	c := r.Config
	if h := c.History; h.LeafChunkTokens != 4000 || h.CondensationThreshold != 6 || h.MaxDepth != 4 || h.LargeContentTokens != 9 {
		t.Errorf("history %+v", h)
	}
	if want := (Kota{4, 7, false, false}); c.Prune.Kota != want || c.Kota.KotaDB.Toolset != "full" || c.Decisions.AutoCapture.MaxPerTurn != 9 {
		t.Errorf("got %+v, %s, %d", c.Prune.Kota, c.Kota.KotaDB.Toolset, c.Decisions.AutoCapture.MaxPerTurn)
	}
	if s := get(t, r, "lcm.maxDepth"); s.Value != 4 || s.Origin != (Origin{Environment, "LCM_MAX_DEPTH"}) {
		t.Errorf("lcm.maxDepth is %+v", s)
	}
	// They are no keys: nothing else sets them.
	r = Resolve(Input{Files: files(map[Kind]string{User: "lcm.maxDepth = 3"}), Flags: map[string]string{"lcm.maxDepth": "3"}})
	if len(r.Warnings) != 2 || r.Config.History.MaxDepth != 5 {
		t.Errorf("%v", r.Warnings)
	}
	// A project cannot choose what KotaDB is started with.
	r = Resolve(Input{Files: []Layer{{ProjectSeed, "/p/.pi/pi-kota.json", []byte(`{"kota":{"toolset":"full"}}`)}}})
	must.Equal(t, r.Config.Kota.KotaDB.Toolset, "core", "a project chose the tools of KotaDB")
}

func TestEverySeedNameBelongsToOneSetting(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range seedNames {
		if _, ok := findIn(slices.Concat(settings, inherited), n.key); !ok || seen[n.file+n.name] {
			t.Errorf("%+v", n)
		}
		seen[n.file+n.name] = true
	}
	for _, k := range Inherited() {
		if len(k.Seeds) == 0 || k.Env != "" {
			t.Errorf("%+v", k)
		}
	}
}

func TestManyUnknownKeysAreCountedNotListed(t *testing.T) {
	r := Resolve(Input{Files: files(map[Kind]string{User: strings.Join(numbered(25), "\n")})})
	if len(r.Warnings) != maxUnknown+1 || r.Warnings[maxUnknown].Message != "5 more unknown keys; ignored" {
		t.Errorf("got %d: %v", len(r.Warnings), r.Warnings[len(r.Warnings)-1])
	}
}

func numbered(n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, "zzz"+strings.Repeat("z", i)+" = 1")
	}
	return lines
}

// Holds prune 57.
func TestTOMLSyntaxErrorNamesThePlaceAndIgnoresTheFile(t *testing.T) {
	tests := []struct{ text, place string }{
		{"prune.mode = \"off\"\n\n[prune\n", ":3:"},
		{"prune.mode = \"off\"\nx = = 1\n", ":2:5:"},
		{"\ufeffprune.mode = \"off\"\nx = = 1\n", ":2:5:"},
		{"prune.mode = \"off\"\nprune.mode = \"manual\"\n", ":2:"},
		{"prune.mode = \"off\"\n# \xff\n", ":2:"},
		{"\xff\xfeprune.mode = \"off\"\n", ":1:1:"},
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
		{"no object", `{"lcm":false}`, `: lcm: expected an object, got false; ignored`},
		{"list", `[]`, `: expected an object; nothing in the file counts`},
		{"malformed", "{\"lcm\":{\"enabled\":false},\n // no\n}", `:2:2: invalid character '/' looking for beginning of object key string; nothing in the file counts`},
		{"cut off", `{"lcm":{"enabled":false}`, `:1:24: unexpected end of JSON input; nothing in the file counts`},
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

func TestLastDuplicateMemberOfSettingsJSONWins(t *testing.T) {
	text := `{"lcm":{"enabled":false},"lcm":{"enabled":true,"enabled":false},"contextPruning":{"enabled":false},"contextPruning":{}}`
	r := Resolve(Input{Files: files(map[Kind]string{UserSeed: text})})
	if r.Config.History.Enabled || !r.Config.Prune.Enabled {
		t.Errorf("the last member did not win: %+v", r.Config)
	}
}

func TestSettingsJSONNumbersAreNotRounded(t *testing.T) {
	for text, ok := range map[string]bool{"5": true, "5.0": false, "1e3": false, "-1": false, "99999999999999999999": false} {
		r := Resolve(Input{Files: files(map[Kind]string{UserSeed: `{"lcm":{"leafChunkTokens":` + text + `}}`})})
		must.Equal(t, len(r.Warnings) == 0, ok, "%s: accepted", text)
	}
}

func TestInvalidVariablesAndFlagsWarn(t *testing.T) {
	r := Resolve(Input{
		Environ: []string{"PICTX_PRUNE_MODE=manuall", "LCM_ENABLED=maybe", "PICTX_PRUNE_MODEE=off", "PICTX_SOMETHING=1", "nonsense"},
		Flags:   map[string]string{"prune.polcy": "seed", "prune.seed.protect": "many"},
	})
	wantWarnings(t, r,
		`LCM_ENABLED: history.enabled: expected true or false, got "maybe"; ignored`,
		`PICTX_PRUNE_MODE: prune.mode: expected one of auto, cold, manual, off, got "manuall"; ignored`,
		`PICTX_PRUNE_MODEE: unknown variable; ignored; did you mean PICTX_PRUNE_MODE?`,
		`flag: prune.polcy: unknown key; ignored; did you mean prune.policy?`,
		`flag: prune.seed.protect: expected a whole number from 0 to 1000000000, got "many"; ignored`)
	if got, want := r.Warnings[2].Hint, "unset PICTX_PRUNE_MODEE"; got != want {
		t.Errorf("the hint for a misspelled variable is %q, want %q", got, want)
	}
	must.Match(t, r.Config, Resolve(Input{}).Config, "what it says")
}

func TestWarningsHoldNoControlCharacters(t *testing.T) {
	r := Resolve(Input{
		Files:   files(map[Kind]string{User: "\"a\\u001b[2J\\u202e\" = 1\nprune.mode = \"\\u001b[2J\\u202e\""}),
		Environ: []string{"PICTX_PRUNE_MOD\x1b=1"},
	})
	if len(r.Warnings) != 3 {
		t.Fatal(r.Warnings)
	}
	for _, w := range r.Warnings {
		if strings.ContainsAny(w.String(), "\x1b\u202e\n") {
			t.Errorf("got %q", w.String())
		}
	}
}

func TestLongValuesAreCutInWarnings(t *testing.T) {
	r := Resolve(Input{Files: files(map[Kind]string{User: `prune.mode = "` + strings.Repeat("é", 5000) + `"`})})
	if len(r.Warnings) != 1 || len(r.Warnings[0].Message) > 300 {
		t.Errorf("got %v", r.Warnings)
	}
}

func TestValuesDescribeEveryKeyInOrder(t *testing.T) {
	r := Resolve(Input{Files: files(map[Kind]string{User: "prune.mode = \"manual\"\nprune.seed.protected_tools = [\"a\\\"b\"]"})})
	values := r.Values()
	for i, k := range Keys() {
		v := values[i]
		if v.Key != k.Name {
			t.Errorf("place %d is %s, not %s", i, v.Key, k.Name)
		}
		if v.Default && v.Text != k.Default {
			t.Errorf("%s: text %s, default %s", k.Name, v.Text, k.Default)
		}
	}
	if v := get(t, r, "prune.mode"); v.Text != `"manual"` || v.Default || v.Origin.String() != "user pictx.toml "+userFile {
		t.Errorf("got %+v", v)
	}
	if v := get(t, r, "prune.seed.protected_tools"); v.Text != `["a\"b"]` {
		t.Errorf("got %+v", v)
	}
}

func TestGetSuggestsASpelling(t *testing.T) {
	_, err := Resolve(Input{}).Get("prune.enabeld")
	unknown, ok := err.(*UnknownKeyError)
	if !ok || unknown.Suggestion != "prune.enabled" || unknown.Hint() != "pictx config get prune.enabled" {
		t.Errorf("got %#v", err)
	}
	if got, want := err.Error(), "find setting prune.enabeld: unknown key; did you mean prune.enabled?"; got != want {
		t.Errorf("got %q", got)
	}
	if _, err := Resolve(Input{}).Get("x"); err.(*UnknownKeyError).Hint() != "pictx config list" {
		t.Errorf("got %v", err)
	}
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

func TestLayersThatAreNotFilesAreIgnored(t *testing.T) {
	r := Resolve(Input{Files: []Layer{{Environment, "x", []byte("prune.mode = \"off\"")}, {Kind(42), "y", []byte("=")}}})
	if r.Config.Prune.Mode != ModeAuto || len(r.Warnings) != 0 {
		t.Errorf("got %+v %v", r.Config, r.Warnings)
	}
}

func TestEmptyTablesAreNotUnknownKeys(t *testing.T) {
	wantWarnings(t, Resolve(Input{Files: files(map[Kind]string{User: "[prune]\n[prune.seed]\n[history]\n"})}))
}

func TestTargetIsTheFileThatDecides(t *testing.T) {
	const seedOff = `{"contextPruning":{"enabled":false}}`
	tests := []struct {
		name    string
		files   map[Kind]string
		environ []string
		key     string
		want    Target
	}{
		{"nothing set", map[Kind]string{User: "", Project: ""}, nil, "prune.mode", Target{Kind: User, Path: userFile}},
		{"user", map[Kind]string{User: `prune.mode="off"`, Project: ""}, nil, "prune.mode", Target{Kind: User, Path: userFile}},
		{"project", map[Kind]string{User: `prune.mode="off"`, Project: `prune.mode="manual"`}, nil, "prune.mode", Target{Kind: Project, Path: projectFile}},
		{"user's settings.json is pi's", map[Kind]string{UserSeed: seedOff, User: ""}, nil, "prune.enabled", Target{Kind: User, Path: userFile}},
		{"project's settings.json is pi's", map[Kind]string{User: "", ProjectSeed: seedOff, Project: ""}, nil, "prune.enabled", Target{Kind: Project, Path: projectFile}},
		{"file not handed", map[Kind]string{ProjectSeed: seedOff}, nil, "prune.enabled", Target{Kind: Project}},
		{"user off, project on", map[Kind]string{User: "prune.enabled=false", Project: "prune.enabled=true"}, nil, "prune.enabled", Target{Kind: User, Path: userFile}},
		{
			"both off",
			map[Kind]string{User: "prune.enabled=false", Project: "prune.enabled=false"},
			nil, "prune.enabled",
			Target{User, userFile, []Origin{{Project, projectFile}}},
		},
		{
			"environment over project",
			map[Kind]string{User: "", Project: `prune.mode="manual"`},
			[]string{"PICTX_PRUNE_MODE=off"},
			"prune.mode",
			Target{Project, projectFile, []Origin{{Environment, "PICTX_PRUNE_MODE"}}},
		},
		{"user-only key", map[Kind]string{User: "", Project: `trust=["/x"]`}, nil, "trust", Target{Kind: User, Path: userFile}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Resolve(Input{Files: files(tt.files), Environ: tt.environ}).Target(tt.key)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	if _, err := Resolve(Input{}).Target("nope"); err == nil {
		t.Error("an unknown key has a target")
	}
}

func TestPruningNeedsBothOriginalExtensionsEnabled(t *testing.T) {
	const pruning, kota = `{"contextPruning":{"enabled":%v}}`, `{"prune":{"enabled":%v},"kota":{"autoContext":"onPaths"}}`
	for _, tt := range []struct{ settings, kota, want bool }{
		{true, true, true}, {true, false, false}, {false, true, false}, {false, false, false},
	} {
		layers := []Layer{
			{UserSeed, "/a/settings.json", fmt.Appendf(nil, pruning, tt.settings)},
			{UserSeed, "/a/pi-kota.json", fmt.Appendf(nil, kota, tt.kota)},
		}
		for _, order := range [][]Layer{layers, {layers[1], layers[0]}} {
			r := Resolve(Input{Files: order})
			if r.Config.Prune.Enabled != tt.want || len(r.Warnings) > 0 {
				t.Errorf("%v: %v, %v", tt, r.Config.Prune.Enabled, r.Warnings)
			}
		}
	}
	wrong := Resolve(Input{Files: []Layer{{UserSeed, "/a/pi-kota.json", []byte(`{"prune":{"enabled":"no"}}`)}}})
	if len(wrong.Warnings) != 1 || wrong.Warnings[0].Key != "prune.enabled" || !wrong.Config.Prune.Enabled {
		t.Errorf("%v", wrong.Warnings)
	}
}

// These values are read by other packages, which trust that they were checked.
func TestValuesThatOtherPackagesReadAreRefusedWhereTheyAreSet(t *testing.T) {
	for key, values := range map[string][]string{
		"blobs.dir":        {"/cache\xff", "cache", "./cache"},
		"trust":            {"[\"work\"]", "[\"/work\xff\"]"},
		"redact.patterns":  {"(", "x*", `["key-[0-9]+", "a|"]`},
		"prices":           {"gpt", "gpt=", "gpt=-1", "gpt=free"},
		"prune.keep.paths": {"{a", "[a"},
	} {
		for _, value := range values {
			if Check(key, value) == nil {
				t.Errorf("%s may be %q", key, value)
			}
			r := Resolve(Input{Flags: map[string]string{key: value}})
			if len(r.Warnings) != 1 || !reflect.DeepEqual(r.Config, Resolve(Input{}).Config) {
				t.Errorf("%s = %q: %v", key, value, r.Warnings)
			}
		}
	}
}

// JSON has one kind of number, and lists of objects.
func TestSettingsOfTheOriginalExtensionsAreCheckedLikeOthers(t *testing.T) {
	for name, text := range map[string]string{
		"/agent/pi-kota.json":  `{"blobs":{"maxBytes":1.5}}`,
		"/agent/settings.json": `{"lcm":{"compactionModels":[{"provider":"","id":"x"},{"provider":"p"}]}}`,
	} {
		r := Resolve(Input{Files: []Layer{{UserSeed, name, []byte(text)}}})
		if len(r.Warnings) != 1 || !reflect.DeepEqual(r.Config, Resolve(Input{}).Config) {
			t.Errorf("%s: %v", text, r.Warnings)
		}
	}
}
