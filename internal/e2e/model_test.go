//go:build unix

package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/coctostan/pictx/internal/must"
)

// turn is one answer of the model.
type turn struct {
	Thinking, Text string
	Tools          []call
	Wait           <-chan struct{} // answer only when it is closed, or the client is gone
	Delay          time.Duration
	Status         int // an HTTP error instead of an answer
	Error          string
	Prompt, Output int  // reported usage in tokens; 0 is an estimate
	Forgotten      bool // the provider's cache holds nothing of the prompt, see model.caches
	seal           *sealed
}

// call is a tool the model calls.
type call struct {
	Name string
	Args any
}

// say is a turn that only says something.
func say(text string) turn { return turn{Text: text} }

// use is a turn that calls one tool.
func use(name string, args any) turn { return turn{Tools: []call{{name, args}}} }

// request is what reached the model.
type request struct {
	Seq      int
	API      string // openai, anthropic, responses or bedrock
	Model    string
	Raw      []byte
	System   string
	Messages []sent // without the system prompt
	Tools    []string
	Summary  bool // pi asks for a summary
	ToolsRaw json.RawMessage
	MaxTok   int
	Cached   int // tokens that the provider's cache holds, when it has one
}

// sent is one message of a request.
type sent struct {
	Role, Text string
	Raw        json.RawMessage
}

// model is a scripted model server. The methods may be called at any time.
type model struct {
	*httptest.Server
	mu       sync.Mutex
	queue    []turn
	requests []request
	starved  int
	override func(request) *turn
	summary  string
	caches   bool // usage tells of what a request has in common with the one before
	checks   *prefixes
	open     int // requests being answered
	most     int // of them at a time, at most
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{summary: "## Goal\nWhat pi itself would write as a summary.\n"}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// play appends turns to what the model will answer.
func (m *model) play(turns ...turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = append(m.queue, turns...)
}

// forget lets a session begin as with a new model: requests are counted from one, and
// so are the ids of calls.
func (m *model) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests, m.queue, m.starved, m.override, m.most = nil, nil, 0, nil, 0
}

// answer lets f answer before the queue is looked at; nil leaves it to the queue.
func (m *model) answer(f func(request) *turn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.override = f
}

// all returns every request so far, in order.
func (m *model) all() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]request(nil), m.requests...)
}

// turns returns the requests of the agent itself, without those for summaries
// and those an extension makes, which name no tools.
func (m *model) turns() []request {
	var own []request
	for _, r := range m.all() {
		if !r.Summary && len(r.Tools) > 0 {
			own = append(own, r)
		}
	}
	return own
}

// last is the newest request of the agent.
func (m *model) last(t *testing.T) request {
	t.Helper()
	own := m.turns()
	must.Stop(t, len(own) == 0, "the model was not called")
	return own[len(own)-1]
}

// check fails the test when the model was asked more, or less, than was scripted.
func (m *model) check(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.starved > 0 || len(m.queue) > 0 {
		t.Errorf("%d requests had no turn, %d turns were not asked for", m.starved, len(m.queue))
	}
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(r)
	if err != nil || r.Method != http.MethodPost {
		io.WriteString(w, `{"data":[]}`)
		return
	}
	req, answer := m.next(r.URL.Path, raw)
	defer m.done()
	if answer.Wait != nil {
		select {
		case <-answer.Wait:
		case <-r.Context().Done():
			return
		}
	}
	select {
	case <-time.After(answer.Delay):
	case <-r.Context().Done():
		return
	}
	if answer.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Status)
		json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": "invalid_request_error", "message": answer.Error}})
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	switch req.API {
	case "bedrock":
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		streamBedrock(w, req, answer)
	case "anthropic":
		streamAnthropic(w, req, answer)
	case "responses":
		streamResponses(w, req, answer)
	default:
		streamOpenAI(w, req, answer)
	}
}

// readBody reads a request, which Codex compresses.
func readBody(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "zstd" {
		return io.ReadAll(r.Body)
	}
	in, err := zstd.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// next records a request and picks its answer.
func (m *model) next(path string, raw []byte) (request, turn) {
	if m.checks != nil {
		return m.checked(path, raw)
	}
	req := parseRequest(path, raw)
	m.mu.Lock()
	defer m.mu.Unlock()
	req.Seq = len(m.requests) + 1
	if m.caches && len(m.requests) > 0 {
		req.Cached = inCommon(m.requests[len(m.requests)-1], req)
	}
	m.requests = append(m.requests, req)
	m.open++
	m.most = max(m.most, m.open)
	return req, m.choose(req)
}

// checked judges a request and picks its answer. The request is not kept: there are many of them, and they are long.
func (m *model) checked(path string, raw []byte) (request, turn) {
	body, v := m.checks.check(path, raw)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open++
	req := request{Seq: v.seq, API: body.api, Model: body.model, Summary: v.summary}
	if v.refused {
		return req, turn{Status: http.StatusBadRequest, Error: v.complaint}
	}
	a := m.choose(req)
	a.seal = m.checks.seal(body, v, a)
	return req, a
}

// choose picks the answer to a request. The caller holds the lock.
func (m *model) choose(req request) turn {
	if m.override != nil {
		if a := m.override(req); a != nil {
			return *a
		}
	}
	if req.Summary {
		return say(m.summary)
	}
	if len(m.queue) == 0 {
		m.starved++
		return say("There is nothing more to do.")
	}
	a := m.queue[0]
	m.queue = m.queue[1:]
	return a
}

func (m *model) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
}

// parseRequest reads a request of any of the APIs.
func parseRequest(path string, raw []byte) request {
	r := parseMessages(path, raw)
	if strings.HasSuffix(path, "/responses") {
		r = parseResponses(raw)
	}
	r.Summary = strings.Contains(strings.ToLower(r.System), "context summarization assistant") || strings.Contains(r.System, "the record of a coding session")
	return r
}

// parseMessages reads a request that lists messages.
func parseMessages(path string, raw []byte) request {
	var body struct {
		System   json.RawMessage
		Messages []json.RawMessage
		Tools    json.RawMessage
		Max1     int `json:"max_tokens"`
		Max2     int `json:"max_completion_tokens"`
	}
	json.Unmarshal(raw, &body)
	r := request{API: "openai", Raw: raw, System: flat(body.System), ToolsRaw: body.Tools, MaxTok: max(body.Max1, body.Max2)}
	if strings.HasSuffix(path, "/messages") {
		r.API = "anthropic"
	}
	for _, rm := range body.Messages {
		var head struct {
			Role    string
			Content json.RawMessage
		}
		json.Unmarshal(rm, &head)
		if head.Role == "system" || head.Role == "developer" {
			r.System += flat(head.Content)
			continue
		}
		r.Messages = append(r.Messages, sent{head.Role, flat(head.Content), rm})
	}
	var tools []struct {
		Name     string
		Function struct{ Name string }
	}
	json.Unmarshal(body.Tools, &tools)
	for _, tool := range tools {
		r.Tools = append(r.Tools, tool.Name+tool.Function.Name)
	}
	return r
}

// flat is all text of a content, whatever its shape.
func flat(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text    string
		Content json.RawMessage
	}
	json.Unmarshal(raw, &blocks)
	var parts []string
	for _, b := range blocks {
		parts = append(parts, b.Text+flat(b.Content))
	}
	return strings.Join(parts, "\n")
}

// text is everything the model is told in a request, tools not included.
func (r request) text() string {
	parts := []string{r.System}
	for _, m := range r.Messages {
		parts = append(parts, m.Text)
	}
	return strings.Join(parts, "\n")
}

// results are the texts of the tool results, in order.
func (r request) results() []string {
	var all []string
	for _, m := range r.Messages {
		if m.Role == "tool" {
			all = append(all, m.Text)
			continue
		}
		var body struct {
			Content []struct {
				Type    string
				Content json.RawMessage
			}
		}
		if json.Unmarshal(m.Raw, &body) != nil {
			continue
		}
		for _, b := range body.Content {
			if b.Type == "tool_result" {
				all = append(all, flat(b.Content))
			}
		}
	}
	return all
}
