package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/kota/lang"
)

// marks lists the words of a question that a text contains with full weight.
func marks(question, text string) []string {
	q := Parse(question)
	var out []string
	q.scan([]byte(text), func(_ int, s *stem, w float64) {
		if w == 1 && q.terms[s.term].word != "" && !slices.Contains(out, q.terms[s.term].word) {
			out = append(out, q.terms[s.term].word)
		}
	})
	return out
}

func TestAQuestionIsTheWordsThatSaySomething(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"where is the retry delay computed":       "retry delay computed",
		"How are optional path-parameters merged": "optional path parameters merged",
		"retryDelay":                     "retry delay",
		"XMLHttpRequest, again":          "xml http request again",
		"where is it?":                   "",
		"Wo wird der Zeitüberschreitung": "wo wird der zeit berschreitung",
	} {
		if got := strings.Join(Parse(question).Words(), " "); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
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
		{"websocket", "new WebSocket()", "websocket"},
		{"hash", "rehash", ""}, // the word does not begin there
		{"id", "identity idle grid", ""},
		{"id", "userId, ids", "id"},
	} {
		if got := strings.Join(marks(c.question, c.text), " "); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.question, c.text, got, c.want)
		}
	}
}

// score returns the score of a file for a question, among two others.
func score(t *testing.T, question, file, text string, known Features) float64 {
	t.Helper()
	q := Parse(question)
	var all []Found
	for _, f := range [][2]string{{file, text}, {"src/other.ts", "export const other = 1\n"}, {"src/more.ts", "let delay = 2\n"}} {
		found, _ := q.Look(f[0], []byte(f[1]))
		all = append(all, found)
	}
	return q.Rank(0, &all[0], q.NewScale(all, len(all)), known).Score
}

func TestDefinitionsCountMoreThanPathsThanUsesThanImports(t *testing.T) {
	t.Parallel()
	const question = "retry delay"
	body := "x()\n" + strings.Repeat("y()\n", 20)
	declared := Features{Decls: []lang.Decl{{Name: "retryDelay", Line: 1, Exported: true}}}
	ranks := []float64{
		score(t, question, "src/a.ts", "export function retryDelay() {}\n"+body, declared),
		score(t, question, "src/retry-delay.ts", body, Features{}),
		score(t, question, "src/a.ts", "f(retryDelay)\n"+body, Features{}),
		score(t, question, "src/a.ts", "import { retryDelay } from './b'\n"+body, Features{}),
	}
	if !slices.IsSortedFunc(ranks, func(a, b float64) int { return -map[bool]int{true: 1, false: -1}[a > b] }) {
		t.Errorf("%v do not fall", ranks)
	}
	if test := score(t, question, "src/a.ts", "export function retryDelay() {}\n"+body, Features{Decls: declared.Decls, Test: true}); test >= ranks[0] {
		t.Errorf("a test has %v, production %v", test, ranks[0])
	}
	if aside := score(t, question, "examples/a.ts", "export function retryDelay() {}\n"+body, declared); aside >= ranks[0] {
		t.Errorf("an example has %v, the program %v", aside, ranks[0])
	}
}

func TestAFileThatShowsTheProgramAtWorkIsNotPartOfIt(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"apps/storybook/toolbar.tsx": true, "src/toolbar.stories.tsx": true, "packages/dev-examples/a.ts": true, "flow-typed/npm/a.js": true,
		"apps/editor-playground/a.ts": true, "Demos/a.ts": true, "website/a.ts": true, "src/stories.ts": false, "src/history/a.ts": false, "demoted/a.ts": false,
	} {
		if IsAside(file) != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
	const body = "export function renderToolbar() {}\n"
	for question, file := range map[string]string{"toolbar in the storybook": "apps/storybook/a.ts", "toolbar story": "src/a.stories.ts", "toolbar playground": "editor-playground/a.ts"} {
		if Parse(question).aside(file) {
			t.Errorf("%q names where %s is", question, file)
		}
	}
	if aside, own := score(t, "toolbar", "apps/storybook/a.ts", body, Features{}), score(t, "toolbar", "apps/editor/a.ts", body, Features{}); aside >= own {
		t.Errorf("a story has %v, the program %v", aside, own)
	}
}

func TestWordsNextToEachOtherCountMoreThanWordsApart(t *testing.T) {
	t.Parallel()
	gap := strings.Repeat("x()\n", 60)
	near, apart := "retry()\ndelay()\n"+gap, "retry()\n"+gap+"delay()\n"
	if a, b := score(t, "retry delay", "a.ts", near, Features{}), score(t, "retry delay", "a.ts", apart, Features{}); a <= b {
		t.Errorf("near %v, apart %v", a, b)
	}
}

func TestAnIrregularFormFindsTheWordThatNamesHave(t *testing.T) {
	t.Parallel()
	for question, name := range map[string]string{
		"where is the reply sent": "sendFrame", "how wide is the output": "stdoutWidth", "who threw it": "throwIfAborted", "the rewritten path": "rewritePath",
	} {
		if got := marks(question, name); len(got) == 0 {
			t.Errorf("%q finds nothing in %q", question, name)
		}
	}
}

func TestWordsOfSpeechAreNotSearchedFor(t *testing.T) {
	t.Parallel()
	const question = "how often does it actually look the names up again, sooner or later, while others still wait a little longer?"
	if got := strings.Join(Parse(question).Words(), " "); got != "look names again others wait" {
		t.Errorf("%q", got)
	}
}

func TestADeclarationThatHasAllWordsCountsMoreThanWordsAllOverTheFile(t *testing.T) {
	t.Parallel()
	gap := strings.Repeat("x()\n", 30)
	text := func(inside, outside string) string {
		return "function f() {\n" + strings.Repeat("x()\n", 10) + inside + strings.Repeat("x()\n", 10) + "}\n" + gap + outside
	}
	known := Features{Decls: []lang.Decl{{Name: "f", Line: 1, End: 23}}}
	one := score(t, "retry delay", "a.ts", text("retry()\n"+strings.Repeat("x()\n", 9)+"delay()\n", ""), Features{Decls: []lang.Decl{{Name: "f", Line: 1, End: 33}}})
	apart := score(t, "retry delay", "a.ts", text("retry()\n", strings.Repeat("x()\n", 9)+"delay()\n"), known)
	if one <= apart {
		t.Errorf("in one declaration %v, apart %v", one, apart)
	}
}

func TestAFileThatIsOneLineCostsNoMoreThanItsMarks(t *testing.T) {
	t.Parallel()
	q := Parse("retry delay of every other word that there may be")
	f, _ := q.Look("a.min.js", []byte(strings.Repeat("retry(delay);", 100_000)))
	if len(f.marks) > len(q.terms) {
		t.Errorf("%d marks on one line for %d words", len(f.marks), len(q.terms))
	}
	f, _ = q.Look("a.js", []byte(strings.Repeat("retry(delay);\n", 100_000)))
	if len(f.marks) > maxMarks {
		t.Errorf("%d marks", len(f.marks))
	}
}

func FuzzNothingIsTooOddToLookFor(f *testing.F) {
	f.Add("where is the retry delay", "const retryDelay = 1 // é\n/* RETRY")
	f.Add("É ß 日本 a-b ?", "\xff\xfe import  \n\n*/")
	f.Fuzz(func(t *testing.T, question, text string) {
		q := Parse(question)
		found, _ := q.Look("src/"+text, []byte(text))
		scale := q.NewScale([]Found{found}, 1)
		q.Rough(&found, scale)
		r := q.Rank(0, &found, scale, Features{Decls: []lang.Decl{{Name: text, In: question, Line: 1}}})
		for _, l := range r.Lines {
			if l < 1 || l > strings.Count(text, "\n")+1 {
				t.Errorf("line %d of %q", l, text)
			}
		}
	})
}

func TestASmallWordBetweenTwoIsPartOfTheNameThatTheyMake(t *testing.T) {
	t.Parallel()
	q := Parse("where is the table of contents made")
	inName := func(name string) (n int) {
		q.scan([]byte(name), func(_ int, s *stem, w float64) {
			if w == 1 && q.terms[s.term].word == "" {
				n++
			}
		})
		return n
	}
	if inName("package tableofcontents") != 1 || inName("tables of many contents") != 0 {
		t.Errorf("tableofcontents %d, apart %d", inName("package tableofcontents"), inName("tables of many contents"))
	}
}

func TestWhatIsHiddenPackedOrGeneratedStandsBehindTheProgram(t *testing.T) {
	t.Parallel()
	q := Parse("quote escapes")
	rank := func(file string, known Features) float64 {
		f, ok := q.Look(file, []byte("function escapeQuote() {}\n"))
		if !ok {
			t.Fatalf("%s: nothing is found", file)
		}
		return q.Rank(0, &f, q.NewScale([]Found{f}, 2), known).Score
	}
	own := rank("src/text.js", Features{})
	for _, c := range []struct {
		file  string
		known Features
	}{{".yarn/releases/yarn.js", Features{}}, {"src/text.js", Features{Made: true}}} {
		if got := rank(c.file, c.known); got >= own {
			t.Errorf("%s %+v: %v, the program has %v", c.file, c.known, got, own)
		}
	}
}

func TestWhatIsCalledByItsInitialsIsFoundByItsWords(t *testing.T) {
	t.Parallel()
	for question, name := range map[string]string{
		"where is the one time password asked for": "publishWithOtp",
		"how is the time to live of an entry set":  "ttl",
	} {
		if with, without := score(t, question, "a.ts", "function "+name+"() {}", Features{}), score(t, question, "a.ts", "function publishWithKey() {}", Features{}); with <= without {
			t.Errorf("%q: %s has %v, another name %v", question, name, with, without)
		}
	}
	q := Parse("is the end of it new in the set")
	for _, s := range q.stems {
		if empty.has(s.text) {
			t.Errorf("%q is searched for", s.text)
		}
	}
}

// concepts counts the names in a text that words of a question express which it does not have
// itself: phrases and pairs.
func concepts(question, text string) (n int) {
	q := Parse(question)
	q.scan([]byte(text), func(_ int, s *stem, w float64) {
		if w == 1 && q.terms[s.term].word == "" {
			n++
		}
	})
	return n
}

func TestAPhrasalVerbFindsWhatProgramsCallIt(t *testing.T) {
	t.Parallel()
	for question, name := range map[string]string{
		"where are messages thrown away":                "discardMessages",
		"where is the reply held back for a while":      "queueReply",
		"how are two writers kept from working at once": "lockFile",
		"where is a fallen back on value chosen":        "fallback",
		"when does it give up":                          "timeout",
	} {
		if concepts(question, name) == 0 {
			t.Errorf("%q does not find %q", question, name)
		}
	}
	for _, question := range []string{"the away team throws", "throw the message that the other program sent away"} {
		if concepts(question, "discardMessages") != 0 {
			t.Errorf("%q finds what it does not say", question)
		}
	}
}

func TestAnAbbreviationIsFoundByItsWord(t *testing.T) {
	t.Parallel()
	for question, name := range map[string]string{
		"the context": "withCtx", "a connection": "newConn", "the previous one": "prevEntry", "the statement": "parseStmt",
	} {
		q, found := Parse(question), false
		q.scan([]byte(name), func(_ int, s *stem, w float64) { found = found || w >= alikeWeight })
		if !found {
			t.Errorf("%q does not find %q", question, name)
		}
	}
}

func TestANameAmongManyCountsLessThanOneAmongFew(t *testing.T) {
	t.Parallel()
	text := "function retryDelay() {}\n" + strings.Repeat("x()\n", 100)
	few := []lang.Decl{{Name: "retryDelay", Line: 1, End: 1}}
	many := slices.Clone(few)
	for i := range 100 {
		many = append(many, lang.Decl{Name: "x", Line: i + 2, End: i + 2})
	}
	if a, b := score(t, "retry delay", "a.ts", text, Features{Decls: few}), score(t, "retry delay", "a.ts", text, Features{Decls: many}); a <= b {
		t.Errorf("alone %v, among many %v", a, b)
	}
}

func TestWhatOnlyAGoodFileImportsComesBeforeWhatIsALittleBetterItself(t *testing.T) {
	t.Parallel()
	list := []Ranked{{File: 1, Score: 0.5}, {File: 2, Score: 0.75}, {File: 3, Score: 1}}
	Spread(list, func(file int) []int { return map[int][]int{1: {3}}[file] }, nil)
	if list[0].File != 3 || list[1].File != 1 {
		t.Errorf("%+v", list)
	}
}

func TestAWholeBugReportIsSearchedForNotItsGreetingAlone(t *testing.T) {
	t.Parallel()
	q := Parse(`Hello everybody, first of all thanks for your great project which our team enjoys.
Since upgrading our Jenkins machines last Tuesday, nightly builds sometimes stop halfway, although nobody changed anything there.
Version: latest release. Browser: Chrome. Platform: Linux.
Expected: temporary folder disappears. Actual: unlink fails because the profile is locked.`)
	for _, want := range []string{"jenkins", "temporary", "unlink", "locked"} {
		if !slices.Contains(q.Words(), want) {
			t.Errorf("%q is not searched for: %q", want, q.Words())
		}
	}
}

func TestAReasonSaysWhichWordOfTheQuestionAFileHas(t *testing.T) {
	t.Parallel()
	q := Parse("where is the bandwidth capped")
	for text, want := range map[string]string{
		"limit.go: func newLimiter() {}":     "declares newLimiter (capped)",
		"cap.go: func capAll() {}":           "declares capAll, path",
		"page.go: the bandwidth, the capped": "text: bandwidth, capped",
	} {
		path, body, _ := strings.Cut(text, ": ")
		f, _ := q.Look(path, []byte(body))
		var known Features
		if name, ok := strings.CutPrefix(strings.TrimSuffix(body, "() {}"), "func "); ok {
			known.Decls = []lang.Decl{{Name: name, Line: 1, End: 1, Class: lang.Function}}
		}
		r := q.Rank(0, &f, q.NewScale([]Found{f}, 3), known)
		if got := r.Why(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
