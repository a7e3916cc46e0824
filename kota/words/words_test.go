package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota/lang"
)

// has lists the words of a question that a text has.
func has(question, text string) string {
	q := Parse(question)
	var out []string
	q.scan([]byte(text), func(t, _ int) {
		if !slices.Contains(out, q.words[t]) {
			out = append(out, q.words[t])
		}
	})
	return strings.Join(out, " ")
}

func TestAQuestionIsTheWordsThatSaySomething(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"where is the retry delay computed":       "retry delay computed",
		"How are optional path-parameters merged": "optional path parameters merged",
		"retryDelay":            "retry delay",
		"XMLHttpRequest, again": "xml http request again",
		"where is it?":          "",
	} {
		must.Equal(t, strings.Join(Parse(question).words, " "), want, "%q", question)
	}
}

func TestWordsAreFoundAsPartsOfNamesInEveryForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ question, text, want string }{
		{"retry delay", "function defaultRetryDelay(", "retry delay"},
		{"retry", "MAX_RETRIES = 3", "retry"},
		{"retries", "await retry()", "retries"},
		{"retry", "retrieve(x)", ""},
		{"parsed", "parser.parse()", "parsed"},
		{"dropped", "dropping the rest", "dropped"},
		{"caches", "// what the cache keeps", "caches"},
		{"cache", "CACHING", "cache"},
		{"json", "JSONParser", "json"},
		{"parser", "JSONParser", "parser"},
		{"hash", "rehash", ""}, // the word does not begin there
		{"id", "identity idle grid", ""},
		{"id", "userId", "id"},
	} {
		must.Equal(t, has(c.question, c.text), c.want, "%q in %q", c.question, c.text)
	}
}

// rank ranks a file for a question, among two others.
func rank(question, file, text string, beside bool, decls ...lang.Decl) Ranked {
	q := Parse(question)
	var all []Found
	for _, f := range [][2]string{{file, text}, {"src/other.ts", "export const other = 1\n"}, {"src/more.ts", "let delay = 2\n"}} {
		found, _ := q.Look(f[0], []byte(f[1]))
		all = append(all, found)
	}
	return q.Rank(0, all[0], q.NewScale(all, len(all)), decls, beside)
}

func TestPathsAndNamesCountMoreThanText(t *testing.T) {
	t.Parallel()
	body := "x()\n" + strings.Repeat("y()\n", 20)
	name := lang.Decl{Name: "retryDelay", Line: 1, Exported: true}
	ranks := []float64{
		rank("retry delay", "src/retry-delay.ts", body, false).Score,
		rank("retry delay", "src/a.ts", "export function retryDelay() {}\n"+body, false, name).Score,
		rank("retry delay", "src/a.ts", "f(retryDelay)\n"+body, false).Score,
		rank("retry delay", "src/a.ts", "f(retryDelay)\n"+body, true).Score,
		0,
	}
	for i, r := range ranks[1:] {
		must.Not(t, r >= ranks[i], "%v do not fall", ranks)
	}
}

func TestAFileThatShowsTheProgramAtWorkIsNotPartOfIt(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"apps/storybook/toolbar.tsx": true, "src/toolbar.stories.tsx": true, "packages/dev-examples/a.ts": true, "flow-typed/npm/a.js": true, ".yarn/a.js": true,
		"apps/editor-playground/a.ts": true, "Demos/a.ts": true, "website/a.ts": true, "src/stories.ts": false, "src/history/a.ts": false, "demoted/a.ts": false,
	} {
		must.Equal(t, IsAside(file), want, "%s: %v", file, !want)
	}
}

func TestAReasonSaysWhatAFileHasOfTheQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a.go: func newLimiter() {}":   "declares newLimiter",
		"limits.go: func limit() {}":   "declares limit, path",
		"page.go: bandwidth, a limit ": "text: bandwidth, limit",
	} {
		path, body, _ := strings.Cut(text, ": ")
		var decls []lang.Decl
		if name, ok := strings.CutPrefix(strings.TrimSuffix(body, "() {}"), "func "); ok {
			decls = []lang.Decl{{Name: name, Line: 1, End: 1}}
		}
		r := rank("where is the bandwidth limit", path, body, false, decls...)
		must.Equal(t, r.Why(), want, "%s", path)
	}
}

func FuzzNothingIsTooOddToLookFor(f *testing.F) {
	f.Add("where is the retry delay", "const retryDelay = 1 // é\n/* RETRY")
	f.Add("É ß 日本 a-b ?", "\xff\xfe import  \n\n*/")
	f.Fuzz(func(t *testing.T, question, text string) {
		r := rank(question, "src/"+text, text, false, lang.Decl{Name: text, In: question, Line: 1})
		for _, l := range r.Lines {
			must.Not(t, l < 1 || l > strings.Count(text, "\n")+1, "line %d of %q", l, text)
		}
		must.Not(t, r.Score < 0 || r.Score > 1, "the score is %v", r.Score)
	})
}
