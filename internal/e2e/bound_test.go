//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// The models that these tests run with: pi asks for invalid thinking to be dropped with the
// first, and does not with the second.
const (
	dropping = "anthropic/claude-opus-5-5"
	refusing = "vercel-ai-gateway/anthropic/claude-opus-5.5"
)

// accountToken is a token of a ChatGPT account that is none: it names an account.
const accountToken = "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoibm9uZSJ9fQ.none"

// retarget has the models of pi's catalogue answered by this server. Everything else about
// them, compat and prices among it, stays as pi has it.
func (h *home) retarget(providers object) {
	for _, one := range []string{dropping, refusing, h.catalogue} {
		provider, model, _ := strings.Cut(one, "/")
		if providers[provider] != nil && strings.HasSuffix(provider, "-local") {
			continue
		}
		changed := object{}
		if h.compaction {
			changed["contextWindow"] = h.window
		}
		if h.keeps > 0 {
			changed["promptCache"] = object{"short": h.keeps, "long": 2 * h.keeps}
		}
		if h.cost != nil {
			changed["cost"] = h.cost
		}
		providers[provider] = object{"baseUrl": h.model.URL + basePath(provider), "apiKey": accountToken, "modelOverrides": object{model: changed}}
	}
}

// basePath is where a provider has its API. That of Anthropic's own name has pi use threads.
func basePath(provider string) string {
	switch provider {
	case "anthropic":
		return "/api.anthropic.com"
	case "openai", "openai-local":
		return "/v1"
	}
	return ""
}

// bound is a session with a model that binds its thinking.
type bound struct {
	t      *testing.T
	h      *home
	p      *rpc
	steps  int // that the model has made
	killed int // pictx processes that a test ended
}

// part is how many steps the model makes for a prompt of a scenario.
const part = 4

// newBound makes a home whose model is one of pi's catalogue, served with its prefixes checked.
func newBound(t *testing.T, catalogue string) *bound {
	t.Helper()
	h := newHome(t, newest)
	h.catalogue, h.model.checks = catalogue, newPrefixes()
	h.extensions, h.flags = []string{helper(t)}, []string{"--thinking", "medium"}
	h.env = []string{"AWS_BEDROCK_FORCE_HTTP1=1", "CLOUDFLARE_API_KEY=none", "CLOUDFLARE_ACCOUNT_ID=none", "CLOUDFLARE_GATEWAY_ID=none"}
	h.tools = ""
	for i := range 6 {
		h.write(t, fmt.Sprintf("notes-%d.txt", i), strings.Repeat(fmt.Sprintf("note %d: what was found out about the shop\n", i), 220))
	}
	return &bound{t: t, h: h}
}

// work prompts, and has the model think and use a tool n times.
func (b *bound) work(n int) {
	b.t.Helper()
	b.h.model.replay(b.turns(n)...)
	if b.h.keeps > 0 && b.h.keeps < 1 { // a prompt that follows at once would find the cache warm
		time.Sleep(time.Duration(3 * b.h.keeps * float64(time.Second)))
	}
	b.p.prompt("Please look into part " + fmt.Sprint(b.steps) + ".")
}

// parts plays n prompts.
func (b *bound) parts(n int) {
	b.t.Helper()
	for range n {
		b.work(part)
	}
}

func (b *bound) turns(n int) []turn {
	var all []turn
	for range n {
		b.steps++
		one := use("bash", object{"command": fmt.Sprintf("seq %d %d", b.steps*10_000, b.steps*10_000+2600)})
		if b.steps%6 == 0 {
			one = use("read", object{"path": fmt.Sprintf("notes-%d.txt", b.steps/6%6)})
		}
		one.Thinking = thought(b.steps)
		all = append(all, one)
	}
	b.steps++
	last := say(fmt.Sprintf("Part %d is done.", b.steps))
	last.Thinking = thought(b.steps)
	return append(all, last)
}

func thought(step int) string {
	return fmt.Sprintf("Thought %d. ", step) + strings.Repeat("What this shows has to be seen with what was there before. ", 12)
}

// replay replaces what the model will answer.
func (m *model) replay(turns ...turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = turns
}

// row is what became of a session.
type row struct {
	name                                     string
	requests, refused                        int
	lenient, lenientRunning, strict, running int // requests with invalid blocks by each reading, and those with some of the running turn
	missing                                  int // requests without thinking of the running turn
	worst                                    int // invalid blocks of one request
	bill                                     float64
	edits, inside, cleared                   int // entries that changed a message; those within a turn; those that took thinking away
	first                                    string
	ties                                     bool // calls are tied to the reasoning before them, which therefore cannot be cleared
}

// row sums up all requests so far. Those for summaries count in the bill alone.
func (b *bound) row(name string) row {
	r := row{name: name}
	for _, v := range b.h.model.checks.verdicts() {
		r.bill += v.bill
		if v.summary {
			continue
		}
		r.requests++
		r.refused += count(v.refused)
		r.lenient += count(v.lenient > 0)
		r.strict += count(v.strict > 0)
		r.lenientRunning += count(v.lenientRunning > 0)
		r.running += count(v.running > 0)
		r.missing += count(v.missing > 0)
		r.worst = max(r.worst, v.strict)
		if r.first == "" && v.path != "" {
			r.first = fmt.Sprintf("request %d, %s: %s", v.seq, v.path, v.first)
		}
	}
	for _, file := range b.h.sessions(b.t) {
		r.addEdits(entries(b.t, file))
	}
	return r
}

// addEdits counts the edits of a session.
func (r *row) addEdits(all []entry) {
	thinking := []byte(`"type":"thinking"`)
	thinks, running := map[string]bool{}, false
	for _, e := range all {
		switch {
		case e.Type == "message":
			thinks[e.ID] = bytes.Contains(e.Message.Content, thinking)
			running = e.Message.Role == "toolResult" || bytes.Contains(e.Message.Content, []byte(`"type":"toolCall"`))
		case e.Type == "context_edit":
			r.edits++
			r.inside += count(running)
			r.cleared += count(thinks[e.TargetID] && e.Replacement != nil && !bytes.Contains(e.Replacement.Content, thinking))
		}
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (r row) String() string {
	return fmt.Sprintf("%-62s %8d %7d %7d %8d %6d %8d %7d %5d %5d %6d %7d %9.0f", r.name, r.requests, r.refused, r.lenient, r.lenientRunning, r.strict, r.running, r.missing, r.worst, r.edits, r.inside, r.cleared, r.bill)
}

// table collects rows and prints them when a test ends.
type table struct {
	mu   sync.Mutex
	rows []row
}

func newTable(t *testing.T) *table {
	all := &table{}
	t.Cleanup(func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		var b strings.Builder
		fmt.Fprintf(&b, "\n%-62s %8s %7s %7s %8s %6s %8s %7s %5s %5s %6s %7s %9s\n", "", "requests", "refused", "lenient", "(turn)", "strict", "(turn)", "missing", "worst", "edits", "inside", "cleared", "bill")
		for _, r := range all.rows {
			fmt.Fprintln(&b, r)
		}
		t.Log(b.String())
	})
	return all
}

// add adds a row.
func (a *table) add(r row) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows = append(a.rows, r)
}

// want adds a row. Nothing may be refused, and nothing of a running turn be lost.
func (a *table) want(t *testing.T, r row) {
	t.Helper()
	a.add(r)
	t.Log(r)
	invalid := r.strict
	if r.ties {
		invalid = r.lenientRunning
	}
	if r.refused > 0 || invalid > 0 {
		t.Errorf("%d of %d requests were refused, %d had invalid thinking, %d of the running turn; first %s", r.refused, r.requests, r.strict, r.running, r.first)
	}
	must.Not(t, r.missing > 0, "%d requests came without thinking of the running turn", r.missing)
}
