package blob

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
)

// numbered is a text of numbered lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d: a line of some length\n", i)
	}
	return b.String()
}

func TestExcerptHasBothEndsAndAWorkingPointer(t *testing.T) {
	s, _ := cache(t)
	text := numbered(1000)
	short, d, err := s.Excerpt(t.Context(), text, 2000, "/s/one.jsonl")
	if err != nil || d == nil || len(short) > 2000 || len(short) < 1500 {
		t.Fatalf("%d bytes, %+v, %v", len(short), d, err)
	}
	if !strings.HasPrefix(short, "0: a line of some length\n1: ") || !strings.HasSuffix(short, "\n999: a line of some length\n") {
		t.Errorf("the ends are not there:\n%s", short)
	}
	m := regexp.MustCompile(`(?m)^\[cut: (\d+) of (\d+) bytes; full text: pictx expand ([0-9a-f]{12})\]$`).FindStringSubmatch(short)
	if m == nil {
		t.Fatalf("no pointer in:\n%s", short)
	}
	b, err := s.Get(m[3])
	if err != nil || string(b.Text) != text {
		t.Errorf("the pointer leads to %v", err)
	}
	if left, _ := strconv.Atoi(m[1]); len(short)-len(m[0])-1 != len(text)-left || m[2] != strconv.Itoa(len(text)) {
		t.Errorf("it says that %s of %s bytes are missing from %d of %d", m[1], m[2], len(short)-len(m[0]), len(text))
	}
	for _, line := range strings.Split(strings.Replace(short, m[0]+"\n", "", 1), "\n") {
		if line != "" && !strings.HasSuffix(line, ": a line of some length") {
			t.Errorf("a line was cut: %q", line)
		}
	}
	must.Equal(t, *d, (Details{true, b.ID, b.Path, len(text), len(short)}), "details")
	if got := s.Sessions(b.ID); len(got) != 1 || got[0] != "/s/one.jsonl" {
		t.Errorf("named by %q", got)
	}
}

func TestTextWithinItsBudgetIsNotStored(t *testing.T) {
	s, _ := cache(t)
	for _, text := range []string{"", "short", strings.Repeat("x", 5000), strings.Repeat("y", 5010)} {
		if got, d, err := s.Excerpt(t.Context(), text, 5000, ""); len(text) <= 5000 && (got != text || d != nil || err != nil) {
			t.Errorf("%d bytes became %d, %+v, %v", len(text), len(got), d, err)
		}
	}
	// Where the pointer takes more than is saved the text is better.
	if got, d, err := s.Excerpt(t.Context(), "fifty bytes are not worth a pointer that is longer", 10, ""); d != nil || len(got) != 50 || err != nil {
		t.Errorf("%q, %+v, %v", got, d, err)
	}
}

func TestReadOnlyCacheCanBeRead(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere; TestFullDiskLeavesNoPartialFile is for everybody")
	}
	s, _ := cache(t)
	i := put(t, s, "text")
	for _, dir := range []string{filepath.Dir(i.Path), s.Dir()} {
		must.Do(t, os.Chmod(dir, 0o500))
		defer os.Chmod(dir, 0o700)
	}
	if !holds(t, s, "text") {
		t.Error("it cannot be read")
	}
	if got, d, err := s.Excerpt(t.Context(), numbered(1000), 2000, ""); d != nil || err == nil || got != numbered(1000) {
		t.Errorf("%+v, %v", d, err)
	}
	if s.Due(1) {
		t.Error("a gc is due that can do nothing")
	}
}

// Holds prune 44.
func TestExcerptCutsLongLinesBetweenCharacters(t *testing.T) {
	for name, text := range map[string]string{
		"accents": strings.Repeat("e\u0301", 5000), "emoji": strings.Repeat("👍🏽", 3000), "crlf": strings.Repeat("\r\n", 5000),
		"wide": strings.Repeat("日本語", 3000), "one line": strings.Repeat("x", 9000),
	} {
		for budget := 500; budget < 530; budget++ {
			short := Excerpt(text, budget, "3f9a2c1b77ab")
			head, rest, _ := strings.Cut(short, "[cut: ")
			_, tail, _ := strings.Cut(rest, "]\n")
			head = strings.TrimSuffix(head, "\n")
			if !utf8.ValidString(short) || len(short) > budget || len(short) < budget-120 {
				t.Errorf("%s, %d: %d bytes, valid %v", name, budget, len(short), utf8.ValidString(short))
			}
			if !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) {
				t.Errorf("%s, %d: the ends are not the text's", name, budget)
			}
			if strings.HasPrefix(tail, "\u0301") || strings.HasPrefix(tail, "🏽") || name == "crlf" && strings.HasPrefix(tail, "\n") {
				t.Errorf("%s, %d: a character is cut", name, budget)
			}
		}
	}
}

func FuzzAnExcerptIsWithinItsBudget(f *testing.F) {
	f.Add(numbered(100), 500)
	f.Add(strings.Repeat("e\u0301\r\n", 300), 101)
	f.Add("\xff\xfe\xfd", 1)
	f.Fuzz(func(t *testing.T, text string, budget int) {
		short := Excerpt(text, budget, "3f9a2c1b77ab")
		if len(text) <= budget {
			if short != text {
				t.Fatal("a text within its budget was cut")
			}
			return
		}
		if most := max(budget, len(pointer(len(text), len(text), "3f9a2c1b77ab"))); len(short) > most {
			t.Fatalf("%d bytes of %d within %d: %q", len(short), len(text), most, short)
		}
		if strings.Count(short, "full text: pictx expand 3f9a2c1b77ab]") < 1 {
			t.Fatalf("no pointer: %q", short)
		}
		if utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Fatalf("not valid: %q", short)
		}
	})
}
