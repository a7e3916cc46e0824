package secret

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// random returns a pseudo-random text that is the same in every run.
func random(t *testing.T, alphabet string, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	hex     = "0123456789abcdef"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

func known(t *testing.T, patterns ...string) *Finder {
	t.Helper()
	f, err := New(patterns, true)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keys returns one key each of some formats. They are assembled here so that no scanner
// reports this file.
func keys(t *testing.T) map[string]string {
	pem := "PRIVATE KEY-----"
	return map[string]string{
		"a token of GitHub":         "ghp" + "_" + random(t, letters, 36),
		"a fine token of GitHub":    "github" + "_pat_" + random(t, letters, 82),
		"a token of GitLab":         "glpat" + "-" + random(t, letters, 20),
		"a key of AWS":              "AKIA" + random(t, upper, 16),
		"a key of Anthropic":        "sk-" + "ant-api03-" + random(t, letters, 93) + "AA",
		"a key of OpenAI":           "sk-" + "proj-" + random(t, letters, 120),
		"a key of Groq":             "gsk" + "_" + random(t, letters, 52),
		"a key of Google":           "AIza" + random(t, letters, 35),
		"a token of Slack":          "xoxb-" + random(t, "123456789", 12) + "-" + random(t, "123456789", 12) + "-" + random(t, letters, 24),
		"a token of npm":            "npm" + "_" + random(t, letters, 36),
		"a key of Stripe":           "sk" + "_live_" + random(t, letters, 24),
		"a token of Hugging Face":   "hf" + "_" + random(t, letters[:26], 34),
		"a token of PyPI":           "pypi-" + "AgEIcHlwaS5vcmc" + random(t, letters, 80),
		"a token of DigitalOcean":   "dop" + "_v1_" + random(t, hex, 64),
		"a JSON web token":          "eyJ" + random(t, letters, 30) + ".eyJ" + random(t, letters, 60) + "." + random(t, letters, 43),
		"a private key":             "-----BEGIN RSA " + pem + "\n" + random(t, letters, 64) + "\n" + random(t, letters, 64) + "\n-----END RSA " + pem,
		"a private key that is cut": "-----BEGIN " + pem + "\n" + random(t, letters, 64) + "\n" + random(t, letters, 64) + "\n" + random(t, letters, 20),
	}
}

func TestKeysOfKnownFormatsAreFoundWhole(t *testing.T) {
	f := known(t)
	for name, key := range keys(t) {
		for _, around := range [][2]string{{"", ""}, {"token: ", " and more"}, {`{"k":"`, `"}`}, {"line\n", "\nline"}, {"export K='", "'"}} {
			text := around[0] + key + around[1]
			found := f.Find(text)
			if len(found) != 1 || strings.TrimSpace(text[found[0].From:found[0].To]) != strings.TrimSpace(key) {
				t.Errorf("%s in %q: %v", name, text, found)
			}
			line, _ := json.Marshal(text)
			if !f.Suspect(line) {
				t.Errorf("%s: the line %s is not suspected", name, line)
			}
		}
	}
}

func TestProseAndCodeHoldNoKeys(t *testing.T) {
	f := known(t)
	for _, text := range []string{
		"the path of a task-list-item-with-a-very-long-name-that-goes-on", "sk-learn and sk-short", "ghp_tooshort",
		"sha256:" + random(t, hex, 64), "commit " + random(t, hex, 40), "AKIA" + strings.Repeat("A", 16), "eyJ.eyJ.x",
		"-----BEGIN CERTIFICATE-----\n" + random(t, letters, 64) + "\n-----END CERTIFICATE-----",
		"xglpat-", "data:image/png;base64," + random(t, letters, 400), "api_org_chart", "https://example.com/?key=value",
	} {
		if found := f.Find(text); len(found) > 0 {
			t.Errorf("%q: %v", text, found)
		}
		if line, _ := json.Marshal(text); f.Suspect(line) != (strings.Contains(text, "BEGIN") || strings.Contains(text, "AKIA")) {
			t.Errorf("%q: suspected: %v", text, f.Suspect(line))
		}
	}
}

func TestPatternsOfTheUserAreFound(t *testing.T) {
	f, err := New([]string{`hunter[0-9]`, `"quoted"`, "ü+"}, false)
	if err != nil {
		t.Fatal(err)
	}
	text := `hunter2 "quoted" üü ghp_` + random(t, letters, 36)
	found := f.Find(text)
	if len(found) != 3 || found[0].Kind != Own || text[found[2].From:found[2].To] != "üü" {
		t.Errorf("%v", found)
	}
	for _, bad := range []string{"(", "a*"} {
		if _, err := New([]string{bad}, false); err == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
	}
	if f, err := New(nil, false); f != nil || err != nil {
		t.Errorf("there is nothing to find: %v, %v", f, err)
	}
}

// The cost of text full of incomplete keys is linear in its length.
func TestTextMadeOfBeginningsOfKeysIsReadOnce(t *testing.T) {
	begin := "-----BEGIN " + "PRIVATE KEY-----"
	for name, unit := range map[string]string{"a private key": begin, "a web token": "eyJ" + strings.Repeat("a", 9), "GitHub": "ghp_", "a path": "pat"} {
		f := known(t)
		work := func(n int) int {
			text := strings.Repeat(unit+" ", n)
			found := f.Find(text)
			read := 0
			for _, k := range found {
				read += k.To - k.From
			}
			return read
		}
		if few, many := work(100), work(10_000); many > 101*max(1, few) {
			t.Errorf("%s: %d bytes of keys, of a hundredth %d", name, many, few)
		}
	}
}

func TestEveryHeadBeginsAKeyOfItsRule(t *testing.T) {
	f := known(t)
	for i, r := range knownRules {
		for _, h := range r.heads {
			if len(h) < headBytes {
				t.Errorf("%s: the head %q is too short", r.name, h)
			}
		}
		if f.known(i) == nil {
			t.Errorf("%s does not compile", r.name)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("token ghp_" + strings.Repeat("a1B2", 9))
	f.Add("-----BEGIN PRIVATE KEY-----\nabc")
	finder, err := New([]string{"x[0-9]+"}, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, k := range finder.Find(text) {
			if k.From < last || k.To <= k.From || k.To > len(text) {
				t.Fatalf("%v in %q", k, text)
			}
			last = k.To
		}
	})
}

func BenchmarkSuspect(b *testing.B) {
	f, err := New(nil, true)
	if err != nil {
		b.Fatal(err)
	}
	text := bytes.Repeat([]byte(`{"type":"text","text":"func (s *Store) path(name string) string { return filepath.Join(s.dir, name) } the patient task list\n"}`), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if f.Suspect(text) {
			b.Fatal("a key")
		}
	}
}

// A line is read for the patterns only if it is suspected, and JSON may write a character in
// another way than the pattern does.
func TestALineIsSuspectedHoweverItsJSONWritesAMatch(t *testing.T) {
	for pattern, lines := range map[string][]string{
		`hunter[0-9]`: {`{"k":"hunter2"}`},
		`"quoted"`:    {`{"k":"\"quoted\""}`, `{"k":"\u0022quoted\u0022"}`},
		`ü+`:          {`{"k":"ü"}`, `{"k":"\u00fc"}`},
		`<key>`:       {`{"k":"<key>"}`, `{"k":"\u003ckey\u003e"}`},
		`path/key`:    {`{"k":"path/key"}`, `{"k":"path\/key"}`},
		`a\\key`:      {`{"k":"a\\key"}`},
		"tab\tkey":    {`{"k":"tab\tkey"}`},
		`[0-9]{4}key`: {`{"k":"1234key"}`},
	} {
		f, err := New([]string{pattern}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			var v struct{ K string }
			if err := json.Unmarshal([]byte(line), &v); err != nil || len(f.Find(v.K)) != 1 {
				t.Fatalf("%s is not found in %s: %v", pattern, line, err)
			}
			if !f.Suspect([]byte(line)) {
				t.Errorf("%s: the line %s is not suspected", pattern, line)
			}
		}
	}
}

// Text of a clone must not keep the one who reads it busy: whether a private key has an end
// is looked up once, not for each of a hundred thousand beginnings.
func TestBeginningsOfPrivateKeysWithoutAnEndTakeTimeInProportion(t *testing.T) {
	f := known(t)
	takes := func(n int) time.Duration {
		text := strings.Repeat("-----BEGIN "+"PRIVATE KEY-----\n", n)
		start := time.Now()
		f.Find(text)
		return time.Since(start)
	}
	takes(4000)
	var few, many time.Duration
	for range 5 { // other processes may disturb a measurement, but not each of them
		if few, many = min(takes(4000), takes(4000), takes(4000)), takes(40_000); many < 30*few {
			return
		}
	}
	t.Errorf("ten times the text takes %v, %.0f times the %v of the other", many, float64(many)/float64(few), few)
}

func TestAKeyThatMustBeginAWordIsNotFoundWithinOne(t *testing.T) {
	f := known(t)
	for _, r := range knownRules {
		for name, key := range keys(t) {
			if !r.word || !f.known(slices.IndexFunc(knownRules, func(o rule) bool { return o.name == r.name })).MatchString(key) {
				continue
			}
			for _, before := range []string{"x", "X", "7", "_"} {
				for _, k := range f.Find(before + key) {
					if k.Kind == r.name && k.From == 1 {
						t.Errorf("%s is found after %q", name, before)
					}
				}
			}
		}
	}
}

func TestAKeyThatIsCutOffOrFoundTwiceIsMaskedAsOne(t *testing.T) {
	f := known(t)
	pat := keys(t)["a fine token of GitHub"]
	if pat == "" {
		t.Fatal("there is no such key")
	}
	begin := "-----BEGIN " + "RSA PRIVATE KEY-----\n"
	lines := random(t, letters, 64) + "\n" + random(t, letters, 64)
	text := begin + lines + "\n\nnot of the key"
	found := f.Find(text)
	if len(found) != 1 || strings.TrimSpace(text[found[0].From:found[0].To]) != begin+lines {
		t.Errorf("a key without its end: %v", found)
	}
	own, err := New([]string{`token .{6}`}, true)
	if err != nil {
		t.Fatal(err)
	}
	text = "token " + pat + " end"
	if found := own.Find(text); len(found) != 1 || text[found[0].From:found[0].To] != "token "+pat {
		t.Errorf("what two rules find is not masked as one: %v", found)
	}
	if at := f.FindAllStringIndex(strings.Repeat(pat+" ", 3), 2); len(at) != 2 {
		t.Errorf("more than asked for: %v", at)
	}
}
