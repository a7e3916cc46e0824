package index_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
)

// client is a small program whose parts have descriptive names.
const client = `
-- src/retry.ts --
/** Computes how long to wait before another attempt. */
export function calculateRetryDelay(attempt: number) {
  return 2 ** attempt
}
-- src/queue.ts --
import { calculateRetryDelay } from './retry'
const queue = []
export function flushJobs() {
  queue.forEach((job) => setTimeout(job, calculateRetryDelay(1)))
}
-- src/password-hash.ts --
export default (text: string) => scrypt(text)
-- src/index.ts --
export * from './retry'
export * from './queue'
-- src/queue.test.ts --
import { flushJobs } from './queue'
it('flushes jobs after a retry delay', () => flushJobs())
-- examples/retry.ts --
import { calculateRetryDelay } from '../src'
console.log('retry delay', calculateRetryDelay(2))
`

// found lists the files of an answer, each once, with the line of its first hit.
func found(t *testing.T, w *world, q kota.SearchQuery) string {
	t.Helper()
	h := must.Get(w.open().Search(t.Context(), q))(t)
	var out []string
	for _, x := range h.List {
		out = append(out, fmt.Sprintf("%s:%d", x.File, x.Line))
	}
	return strings.Join(out, " ")
}

func TestAQuestionFindsNamesMadeOfItsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, client)
	for question, want := range map[string]string{
		"retry delay":                        "src/retry.ts:2",
		"where is the retry delay computed?": "src/retry.ts:2",
		"flush jobs":                         "src/queue.ts:3",
		"flushing a job":                     "src/queue.ts:3",
		"hash password":                      "src/password-hash.ts:1",

		// In words that the code does not use.
		"how long is it before an attempt?": "src/retry.ts:1",
		"calculated":                        "src/retry.ts:2",
	} {
		got := found(t, w, kota.SearchQuery{Text: question, Tests: true})
		must.Not(t, !strings.HasPrefix(got+" ", want+" "), "%q: %s, want %s first", question, got, want)
	}
	must.Equal(t, found(t, w, kota.SearchQuery{Text: "quaternion rotation", Tests: true}), "", "what no file")
	must.Equal(t, found(t, w, kota.SearchQuery{Text: "retry delay", Globs: []string{"examples"}}), "examples/retry.ts:1", "in examples")
}

func TestATextWithSignsOfCodeIsTakenAsItIsWhereItStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, client)
	must.Equal(t, found(t, w, kota.SearchQuery{Text: "export * from", Tests: true}), "src/index.ts:1 src/index.ts:2", "got")
	got := found(t, w, kota.SearchQuery{Text: "calculateRetryDelay(attempt, jitter)", Tests: true})
	must.Not(t, !strings.HasPrefix(got, "src/retry.ts:2"), "one that stands nowhere: %s", got)
}

func TestSymbolsAreFoundByTheWordsOfTheirNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t, client)
	for question, want := range map[string]string{"flush jobs": "src/queue.ts:3", "delay of a retry": "src/retry.ts:2", "rotation": ""} {
		must.Equal(t, found(t, w, kota.SearchQuery{Text: question, Symbols: true}), want, "%q", question)
	}
}

func TestDefinitionsComeBeforeUsesBeforeComments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
-- a/comment.ts --
// locator, locator
const x = 1
-- b/use.ts --
f(locator)
-- d/part.ts --
export const locatorOf = 1
-- e/defines.ts --
export class Locator {}
-- f/locator.test.ts --
export class Locator {}
`)
	want := "e/defines.ts:1 d/part.ts:1 b/use.ts:1 a/comment.ts:1 f/locator.test.ts:1"
	must.Equal(t, found(t, w, kota.SearchQuery{Text: "locator", Tests: true}), want, "got")
}

// library is a package whose types are written by hand and whose bundle is checked in.
const library = `
-- index.d.ts --
export class Client { headers: string; cancelled: boolean }
export function cancelRequest(c: Client): void
export interface ClientOptions { timeout: number }
-- lib/Client.js --
export class Client { constructor() { this.headers = {} } }
-- lib/cancelRequest.js --
import { Client } from './Client.js'
/** @param {import('..').ClientOptions} options */
export default (client, options) => options.timeout
export const stop = 1
-- dist/client.cjs --
class Client { constructor() { this.headers = {} } }
const cancelRequest = (client, options) => options.timeout
const stop$1 = 1
const interopDefault = 1
-- test/client.test.js --
import { Client } from '../lib/Client.js'
test('x', () => new Client().headers)
`

func TestTheProgramComesBeforeItsDeclarationsAndItsBundle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, library)
	for text, want := range map[string]string{
		"Client":         "lib/Client.js:1 lib/cancelRequest.js:1 lib/cancelRequest.js:2 index.d.ts:1 index.d.ts:2 index.d.ts:3 dist/client.cjs:1",
		"headers":        "lib/Client.js:1 index.d.ts:1 dist/client.cjs:1 test/client.test.js:2",
		"ClientOptions":  "index.d.ts:3 lib/cancelRequest.js:2",
		"interopDefault": "dist/client.cjs:4",
	} {
		got := found(t, w, kota.SearchQuery{Text: text, Tests: true})
		must.Not(t, !strings.HasPrefix(got, want), "%q: %s, want %s", text, got, want)
	}
	for text, want := range map[string]string{"client": "lib/Client.js:1 index.d.ts:1", "stop": "lib/cancelRequest.js:4 dist/client.cjs:3"} {
		got := found(t, w, kota.SearchQuery{Text: text, Symbols: true})
		must.Not(t, !strings.HasPrefix(got, want), "symbols like %q: %s, want %s", text, got, want)
	}
}

// A file of generated types must not crowd out others.
func TestOneFileDoesNotFillASearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-- types.d.ts --\n"+strings.Repeat("// retry\n", 40)+"-- src/a.ts --\nretry()\n-- src/b.ts --\nretry()\n")
	h, err := w.open().Search(t.Context(), kota.SearchQuery{Text: "retry", Tests: true})
	if err != nil || h.Total != 42 || len(h.List) != 42 {
		t.Fatalf("%d of %d matches, %v", len(h.List), h.Total, err)
	}
	for i, x := range h.List[:5] {
		must.Not(t, (x.File == "types.d.ts") != (i >= 2), "match %d is in %s", i, x.File)
	}
	must.Equal(t, h.List[5].Line, 4, "the rest begins with line")
}

func TestSymbolsThatAreWhatWasAskedForComeFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
-- a/types.d.ts --
export interface Page { locator: string }
export interface Frame { locator: string }
export declare class Locator {}
-- z/client.ts --
export class Locator {}
export class LocatorList {}
`)
	must.Equal(t, found(t, w, kota.SearchQuery{Text: "locator", Symbols: true}), "z/client.ts:1 a/types.d.ts:3 a/types.d.ts:1 a/types.d.ts:2 z/client.ts:2", "found")
}

func TestARankedAnswerIsSmallAndSaysWhy(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "-- packages/of-a-longer-name-%d/src/retry-delay.ts --\nexport function retryDelay%d() { return delay(retry) } // %s\n\nretry(delay)\n", i, i, strings.Repeat("long ", 40))
	}
	w := newWorld(t, b.String())
	r, err := kota.SearchQuery{Text: "retry delay", Tests: true, Output: kota.OutputCompact}.Ask(t.Context(), w.open(), kota.Window{Limit: 15})
	if err != nil || !r.Found {
		t.Fatal(err)
	}
	text := kota.Fit(r.Budget(kota.DefaultBytes), r.Ways, nil)
	must.Not(t, len(text) > kota.RankedBytes || strings.Count(text, "retry-delay.ts") != 15 || !strings.Contains(text, "--offset 15"), "%d bytes:\n%s", len(text), text)
	h, _ := w.open().Search(t.Context(), kota.SearchQuery{Text: "retry delay"})
	must.Not(t, !strings.HasPrefix(h.List[0].Why, "declares retryDelay"), "why: %q", h.List[0].Why)
}

func TestATaskNamesTheFilesToReadAndWhy(t *testing.T) {
	t.Parallel()
	e := newWorld(t, client).open()
	ask := func(q kota.TaskRequest) (kota.Task, string) {
		t.Helper()
		r := must.Get(q.Ask(t.Context(), e, kota.Window{}))(t)
		task, ok := r.Answer.(kota.Task)
		if !ok || r.Found != (len(task.Files) > 0) {
			t.Fatalf("found is %v: %+v", r.Found, r.Answer)
		}
		return task, kota.Fit(r.Budget(kota.DefaultBytes), r.Ways, nil)
	}
	task, text := ask(kota.TaskRequest{Query: "add jitter to the retry delay", Tests: true, MaxRelated: 5})
	f := task.Files[0]
	must.Not(t, f.File != "src/retry.ts" || f.Line != 2 || f.Why != "declares calculateRetryDelay, path" || f.Dependents == 0, "first to read: %+v", f)
	must.Not(t, len(task.Tests) != 1 || task.Tests[0].File != "src/queue.test.ts", "tests: %+v", task.Tests)
	for _, want := range []string{"src/retry.ts:2: export function calculateRetryDelay", "exports calculateRetryDelay", "src/queue.test.ts"} {
		must.Not(t, !strings.Contains(text, want) || len(text) > kota.RankedBytes, "%q is not in %d bytes:\n%s", want, len(text), text)
	}
	if task, _ = ask(kota.TaskRequest{Query: "retry", Files: []string{"src/password-hash.ts"}}); task.Files[0].File != "src/password-hash.ts" || task.Files[0].Why != "named" || len(task.Files) < 2 {
		t.Errorf("a named file: %+v", task.Files)
	}
	if task, text = ask(kota.TaskRequest{Query: "quaternion rotation"}); len(task.Files) != 0 || !strings.HasPrefix(text, "quaternion rotation: no file has its words") {
		t.Errorf("nothing: %s", text)
	}
}

func TestATaskListsTheNextLikeliestFilesByPathWithinItsBytes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "-- packages/of-a-longer-name-%d/src/retry-delay.ts --\nexport function retryDelay%d() { return delay(retry) } // %s\n", i, i, strings.Repeat("long ", 40))
		for k := range 8 {
			fmt.Fprintf(&b, "export const someOtherExportedName%d = %d\n", k, k)
		}
	}
	r := must.Get(kota.TaskRequest{Query: "add jitter to the retry delay", Tests: true, MaxRelated: 5}.Ask(t.Context(), newWorld(t, b.String()).open(), kota.Window{}))(t)
	for limit, whole := range map[int]bool{r.Budget(kota.DefaultBytes): false, 0: true} {
		text := kota.Fit(limit, r.Ways, nil)
		if limit > 0 && len(text) > limit || strings.Count(text, "\n  packages/") != 15 || strings.Count(text, "/retry-delay.ts:1: ") != 6 {
			t.Errorf("limit %d, %d bytes:\n%s", limit, len(text), text)
		}
		must.Not(t, strings.Contains(text, "someOtherExportedName4") != whole, "limit %d: details\n%s", limit, text)
	}
	raw, err := kota.JSON(r.Answer, 2000, kota.Window{})
	var got struct{ Next []string }
	if err != nil || json.Unmarshal(raw, &got) != nil || len(got.Next) != 9 {
		t.Errorf("%d paths in %d bytes of JSON, %v", len(got.Next), len(raw), err)
	}
}

func TestFilesThatAStackTraceNamesComeFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
-- src/profile.ts --
/** Removes the locked profile folder. */
export function removeProfileFolder() {}
-- src/temp.ts --
export const path = "/tmp"
-- src/run.ts --
import { path } from "./temp"
export const run = path
`)
	report := "Removing the locked profile folder fails\n    at Object.<anonymous> (/ci/app/src/temp.ts:1:14)\n    at run (/ci/app/src/run.ts:2:1)"
	h, err := w.open().Search(t.Context(), kota.SearchQuery{Text: report, Ranked: true})
	if err != nil || len(h.List) != 3 {
		t.Fatalf("%v: %+v", err, h.List)
	}
	for i, want := range []string{"src/temp.ts named", "src/run.ts named", "src/profile.ts declares removeProfileFolder"} {
		got := h.List[i].File + " " + h.List[i].Why
		must.Not(t, !strings.HasPrefix(got, want), "%d: %s, want %s", i, got, want)
	}
}

func TestALongQuestionLeavesRoomForItsAnswer(t *testing.T) {
	t.Parallel()
	e := newWorld(t, client).open()
	report := "the retry delay has no jitter. " + strings.Repeat("We run many agents at night. ", 100)
	for _, ask := range []kota.Request{kota.TaskRequest{Query: report}, kota.SearchQuery{Text: report, Ranked: true}} {
		r := must.Get(ask.Ask(t.Context(), e, kota.Window{Limit: 15}))(t)
		text := kota.Fit(r.Budget(kota.DefaultBytes), r.Ways, nil)
		verdict, _, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(verdict, "the retry delay has no jitter.") || len(verdict) > 250 || !strings.Contains(text, "src/retry.ts:2: ") || len(text) > kota.RankedBytes {
			t.Errorf("%d bytes:\n%s", len(text), text)
		}
	}
}
