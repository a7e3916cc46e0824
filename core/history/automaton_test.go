package history

import (
	"encoding/json"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// expression returns a random regular expression. With exact it has no assertions.
func expression(rng *rand.Rand, depth int, exact bool) string {
	atoms := []string{"a", "b", "kk", "[a-c]", "[^a]", ".", `\d`, `\W`, "é", "[à-ü]", "(?s:.)", "ſ", `\n`, "x{0,2}", "(?i:k)"}
	if !exact {
		atoms = append(atoms, "^", "$", `\b`, `\B`, `\A`, `\z`)
	}
	if depth == 0 {
		return atoms[rng.Intn(len(atoms))]
	}
	sub := func() string { return expression(rng, rng.Intn(depth), exact) }
	switch rng.Intn(7) {
	case 0:
		return "(" + sub() + "|" + sub() + ")"
	case 1:
		return "(" + sub() + ")" + []string{"*", "+", "?", "+?", "{2}", "{1,3}", "{2,}"}[rng.Intn(7)]
	case 2:
		return "(?:" + sub() + "|)" + sub()
	}
	return sub() + sub()
}

// randomText returns a text in which the expressions find much, some of it not UTF-8.
func randomText(rng *rand.Rand) string {
	parts := []string{"a", "b", "c", "k", "K", "\u212a", "s", "ſ", "é", "Ü", "7", " ", "\n", "-", "\xff", "\xc3", "x"}
	var b strings.Builder
	for range rng.Intn(9) {
		b.WriteString(parts[rng.Intn(len(parts))])
	}
	return b.String()
}

func TestAnAutomatonAdmitsEveryTextThatItsExpressionMatches(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	rejected := 0
	for range 4000 {
		exact := rng.Intn(2) == 0
		pattern := expression(rng, 4, exact)
		re := must.Get(regexp.Compile([]string{"(?m)", "(?mi)"}[rng.Intn(2)] + pattern))(t)
		a := newAutomaton(re)
		if a == nil {
			continue
		}
		for range 20 {
			text := randomText(rng)
			match, admits := re.MatchString(text), a.admits([]byte(text))
			if match && !admits {
				t.Fatalf("%s matches %q, and its automaton does not admit it", re, text)
			}
			// Only characters beyond ASCII are not told apart.
			if exact && admits && !match && isASCIIOnly(text) {
				t.Fatalf("%s does not match %q, and has no assertions, but its automaton admits it", re, text)
			}
			if !admits {
				rejected++
			}
		}
	}
	if rejected < 10_000 {
		t.Errorf("only %d texts were rejected", rejected)
	}
}

func TestAnAutomatonAdmitsTheJSONOfEveryStringThatItsExpressionMatches(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	rejected := 0
	for range 4000 {
		re := regexp.MustCompile([]string{"(?m)", "(?mi)"}[rng.Intn(2)] + expression(rng, 4, false))
		a := newAutomaton(re)
		for range 20 {
			text := randomText(rng) + []string{"", `\`, `"`, "\t", "/", "\b\f\r", "<"}[rng.Intn(7)] + randomText(rng)
			value := must.Get(json.Marshal(text))(t)
			if rng.Intn(4) == 0 {
				value = []byte(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`, "\n", `\n`, "\t", `\t`, "\b", `\b`, "\f", `\f`, "\r", `\r`).Replace(text) + `"`)
			}
			if a == nil || a.admitsJSON(value) {
				continue
			}
			rejected++
			if decoded := strings.ToValidUTF8(text, "\ufffd"); re.MatchString(text) || re.MatchString(decoded) {
				t.Fatalf("%s matches %q, and its automaton does not admit %s", re, text, value)
			}
		}
	}
	if rejected < 10_000 {
		t.Errorf("only %d strings were rejected", rejected)
	}
}

func isASCIIOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 128 })
}
