package sqlite

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
)

// textsOf makes texts of an index, with ids that are apart as times are.
func textsOf(rng *rand.Rand, texts ...string) []indexed {
	var out []indexed
	id := int64(1_700_000_000) << slotBits
	for i, text := range texts {
		id += 1 + rng.Int63n(1<<(1+rng.Intn(20)))
		out = append(out, indexed{id, &history.Record{EntryID: fmt.Sprint("e", i), Role: "toolResult", Tool: fmt.Sprint("tool-", i%3), Text: text}})
	}
	return out
}

// sameSegment compares what was gathered with what FTS5 makes.
func sameSegment(t *testing.T, g *gatherer, m *segmentMaker, texts []indexed) *madeSegment {
	t.Helper()
	got, err := g.make(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if got == nil {
		return nil
	}
	want, err := m.make(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	// FTS5 has them in the order of their numbers, and this in that of writing.
	byID := make(map[int64][]byte)
	for _, p := range got.pages {
		byID[p.ID] = p.Block
	}
	for _, p := range want.pages {
		if own := byID[p.ID&(1<<segmentBits-1)]; !bytes.Equal(own, p.Block) {
			t.Fatalf("page %x: %x, want %x", p.ID, own, p.Block)
		}
	}
	if len(got.pages) != len(want.pages) {
		t.Fatalf("%d pages, want %d", len(got.pages), len(want.pages))
	}
	got.pages, want.pages = nil, nil
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(madeSegment{}, pageStart{})); diff != "" {
		t.Fatalf("(-FTS5 +gathered)\n%s", diff)
	}
	return want
}

// makers are what makes segments, or none in a build without full-text search.
func makers(tb testing.TB) (*gatherer, *segmentMaker) {
	tb.Helper()
	if !builtWithFTS5 {
		tb.Skip("not run: this build has no full-text search")
	}
	m, err := newSegmentMaker(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	r := &runes{}
	tb.Cleanup(func() {
		m.close()
		r.close()
	})
	return newGatherer(r), m
}

// Whatever the texts are, the pages are those that FTS5 writes, byte for byte.
func TestASegmentIsTheOneThatFTS5Makes(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it does much, one thing after the other")
	}
	g, m := makers(t)
	rng := rand.New(rand.NewSource(1))
	many := func(n int, text func(i int) string) (out []string) {
		for i := range n {
			out = append(out, text(i))
		}
		return out
	}
	words := func(n, of int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%x ", rng.Intn(1+rng.Intn(of)))
		}
		return b.String()
	}
	for name, texts := range map[string][]string{
		"one":                           {"Hello, world"},
		"nothing to say":                {"", " ... ", "---"},
		"letters of all kinds":          {"Ärger Łódź naïve ﬁn İstanbul ẞ ß ǅ", "決定済み 한국어 ไทย עברית العربية", "e\u0301 \u0301e \u0301\u0301", "€ — ’x’ ✓ ½ ² Ⅷ ①", "\U0001d400 \U0001f600x \ue000 \u200b \ufeff", "a\x00b\x7fc\u0080d"},
		"many texts":                    many(3000, func(int) string { return words(30, 5000) }),
		"a word in more than one page":  many(5000, func(i int) string { return fmt.Sprint("the the x", i) }),
		"a word in very many pages":     {strings.Repeat("a ", 40_000), "b", strings.Repeat("a b ", 30_000), "c"},
		"a word that ends with a page":  many(900, func(i int) string { return strings.Repeat("q ", i%7) + strings.Repeat("z", i) }),
		"long words":                    many(40, func(i int) string { return strings.Repeat("long", 20*i) + " " + strings.Repeat("long", 200*i) }),
		"the longest word":              {strings.Repeat("w", longestWord-1), "after"},
		"long texts":                    many(20, func(int) string { return words(20_000, 300) }),
		"words that begin as others do": many(50, func(i int) string { return strings.Repeat("prefix", i) + " " + strings.Repeat("\u00e9", i) }),
	} {
		t.Run(name, func(t *testing.T) {
			if sameSegment(t, g, m, textsOf(rng, texts...)) == nil {
				t.Error("it is left to FTS5")
			}
		})
	}
}

// What FTS5 reads in a way of its own is left to it.
func TestWhatIsNoTextIsLeftToFTS5(t *testing.T) {
	g, m := makers(t)
	for _, text := range []string{"a\xffb", strings.Repeat("w", longestWord)} {
		texts := textsOf(rand.New(rand.NewSource(1)), "before", text)
		if made, err := g.make(t.Context(), texts); made != nil || err != nil {
			t.Errorf("%.10q: %v, %v", text, made, err)
		}
		if made, err := m.make(t.Context(), texts); err != nil || len(made.pages) == 0 {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// Every character is what it is to SQLite, in words and between them.
func TestEveryCharacterIsReadAsSQLiteReadsIt(t *testing.T) {
	g, m := makers(t)
	step := rune(1)
	if testing.Short() {
		step = 17
	}
	var texts []string
	for c := rune(1); c < 0x3200; c += step {
		texts = append(texts, fmt.Sprintf("%c x%cx %cx x%c A%c%cB", c, c, c, c, c, c))
	}
	if sameSegment(t, g, m, textsOf(rand.New(rand.NewSource(1)), texts...)) == nil {
		t.Error("it is left to FTS5")
	}
}

func FuzzASegmentIsTheOneThatFTS5Makes(f *testing.F) {
	f.Add("Hello, world", int64(1), 3)
	f.Add("Ärger e\u0301 決定", int64(2), 500)
	g, m := makers(f)
	f.Fuzz(func(t *testing.T, text string, seed int64, n int) {
		rng := rand.New(rand.NewSource(seed))
		texts := make([]string, 1+(n&0x3f))
		for i := range texts {
			from := rng.Intn(len(text) + 1)
			texts[i] = strings.Repeat(text[from:], rng.Intn(1+min(rng.Intn(300), 1<<14/(1+len(text))))) + text
		}
		sameSegment(t, g, m, textsOf(rng, texts...))
	})
}
