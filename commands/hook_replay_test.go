package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/commands/history"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// liveSession is a recorded session that happens once more, entry by entry, in an agent
// that keeps the edits it is handed.
type liveSession struct {
	t          *testing.T
	d          *hooks.Dispatcher
	dir, file  string
	leaf       string
	last, made int     // the time of the newest message, and entries of this test
	scale      float64 // of what the provider counts
	footer     string  // of pruning
}

// liveModel costs a dollar for a token of plain input: costs are then read exactly.
var liveModel = hooks.Model{Provider: "local-anthropic", ID: "scripted-a", API: "anthropic-messages", Cost: hooks.Cost{Cost: token.Cost{Input: 1e6, Output: 5e6, CacheRead: 1e5, CacheWrite: 1.25e6}}}

func newLiveSession(t *testing.T, scale float64) *liveSession {
	t.Helper()
	dir := t.TempDir()
	s := &liveSession{t: t, dir: dir, file: filepath.Join(dir, "s.jsonl"), scale: scale}
	env := &cli.Env{Process: workspace.Process{Environ: []string{"PI_CODING_AGENT_DIR=" + dir, "HOME=" + dir}, Dir: dir, Now: s.now}, Out: io.Discard, Err: io.Discard, HookDeadline: time.Minute}
	a := cli.NewRun(env)
	s.d = world.New(a.Workspace).Dispatcher(world.Serving, a.Env.HookDeadline, history.HookExport)
	s.d.Log = nil
	return s
}

func (s *liveSession) now() time.Time { return time.UnixMilli(int64(s.last)) }

// play writes the recorded entries, and tells of each turn when it begins and ends.
func (s *liveSession) play(recorded string) {
	s.t.Helper()
	text := must.Get(os.ReadFile(recorded))(s.t)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	s.write(append(lines[0], '\n'))
	s.ask(hooks.EventSessionStart, "{}")
	open := 0 // calls without a result
	for _, l := range lines[1:] {
		var e struct {
			Type    string `json:"type"`
			Message *struct {
				Role      string      `json:"role"`
				Timestamp int         `json:"timestamp"`
				Content   jsonContent `json:"content"`
			} `json:"message"`
		}
		must.Do(s.t, json.Unmarshal(l, &e))
		m := e.Message
		if e.Type != "message" || m == nil {
			s.append(l, 0)
			if e.Type == "compaction" {
				s.ask(hooks.EventCompact, "{}")
			}
			continue
		}
		s.last = max(s.last, m.Timestamp)
		switch m.Role {
		case "user":
			s.ask(hooks.EventBeforeAgent, `{"prompt":"x"}`)
			s.append(l, 0)
		case "assistant":
			s.append(l, s.left())
			if open = m.Content.calls(); open == 0 {
				s.ask(hooks.EventTurnEnd, "{}")
				s.ask(hooks.EventAgentEnd, "{}")
			}
		default:
			s.append(l, 0)
			if open--; m.Role == "toolResult" && open == 0 {
				s.ask(hooks.EventTurnEnd, "{}")
			}
		}
	}
}

// jsonContent is the content of a message.
type jsonContent json.RawMessage

func (c *jsonContent) UnmarshalJSON(b []byte) error { *c = append((*c)[:0], b...); return nil }

func (c jsonContent) calls() int { return bytes.Count(c, []byte(`"type":"toolCall"`)) }

// left is what was pruned from the context, as the provider counts.
func (s *liveSession) left() int {
	s.t.Helper()
	open := must.Get(pi.Open(s.file))(s.t)
	defer open.Close()
	var n token.Count
	for _, it := range message.ContextOf(open.Tree.Path(s.leaf)) {
		if it.Edit != nil {
			n += token.Estimate(&it.Node.Message) - token.Estimate(it.Head)
		}
	}
	return int(math.Round(s.scale * float64(n)))
}

// These match the ids of an entry and of the one before it, and what an answer says of its
// prompt.
var (
	entry    = regexp.MustCompile(`"id":"([^"]*)"`)
	parentID = regexp.MustCompile(`"parentId":(null|"[^"]*")`)
	usage    = regexp.MustCompile(`"(cacheWrite|cacheRead)":(\d+)`)
)

// append writes a recorded entry after what was written since, billed for so much less.
func (s *liveSession) append(l []byte, less int) {
	s.t.Helper()
	parent := "null"
	if s.leaf != "" {
		parent = strconv.Quote(s.leaf)
	}
	line := billedLess(parentID.ReplaceAllString(string(l), `"parentId":`+parent), less)
	s.leaf = entry.FindStringSubmatch(line)[1]
	s.write([]byte(line + "\n"))
}

// billedLess takes tokens off what an answer says of its prompt.
func billedLess(line string, less int) string {
	for _, m := range usage.FindAllStringSubmatch(line, 2) {
		n, _ := strconv.Atoi(m[2])
		take := min(n, less)
		line, less = strings.Replace(line, m[0], fmt.Sprintf(`"%s":%d`, m[1], n-take), 1), less-take
	}
	return line
}

// evenly returns a copy of a recording in which every prompt is billed by the line through all
// prompts: a line through shorter ones is then the same.
func evenly(t *testing.T, recorded string) string {
	t.Helper()
	open := must.Get(pi.Open(recorded))(t)
	defer open.Close()
	s := must.Get(session.Load(open.Tree, open.Line))(t)
	text := must.Get(os.ReadFile(recorded))(t)
	var in []int32
	for i := range s.Requests {
		r := &s.Requests[i]
		m := &s.Models[r.Model]
		in = append(in[:r.Sent.Keep], r.Sent.Add...)
		var sum token.Count
		for _, x := range in {
			sum += s.Messages[x].Tokens
		}
		raw := must.Get(open.Line(r.Answer))(t)
		less := int(r.Counted()) - int(m.Floor+m.Scaled(sum))
		text = bytes.Replace(text, raw, []byte(billedLess(string(raw), less)), 1)
	}
	file := filepath.Join(t.TempDir(), filepath.Base(recorded))
	must.Do(t, os.WriteFile(file, text, 0o600))
	return file
}

func (s *liveSession) write(text []byte) {
	s.t.Helper()
	f := must.Get(os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(s.t)
	defer f.Close()
	must.Get(f.Write(text))(s.t)
}

// ask hands an event in, and keeps what the reply says.
func (s *liveSession) ask(event, payload string) string {
	s.t.Helper()
	model := liveModel
	r := &hooks.Request{
		V: 1, Event: event, CWD: s.dir, Can: []string{"contextEdit"}, Model: &model,
		Session: hooks.SessionRef{ID: "live", File: s.file, LeafID: s.leaf}, Payload: []byte(payload),
	}
	reply, after := s.d.Handle(s.t.Context(), r, 0)
	if reply.Error != "" {
		s.t.Fatal(reply.Error)
	}
	after(s.t.Context(), func(...hooks.Effect) {})
	for _, e := range reply.Effects {
		if e.Type == "status" && e.Key == "pictx.prune" && e.Text != nil {
			s.footer = *e.Text
		}
		if e.Type == "appendEntry" {
			data := must.Get(json.Marshal(e.Data))(s.t)
			s.own(fmt.Sprintf(`"type":"custom","customType":%q,"data":%s`, e.CustomType, data))
		}
	}
	if reply.Result == nil {
		return ""
	}
	for _, e := range reply.Result.Entries {
		if e.Type == "context_edit" {
			s.own(fmt.Sprintf(`"type":"context_edit","targetId":%q,"replacement":%s`, e.TargetID, e.Replacement))
		}
	}
	return reply.Result.Text
}

// own writes an entry of the agent's.
func (s *liveSession) own(members string) {
	s.t.Helper()
	s.made++
	id, parent := fmt.Sprintf("own%05d", s.made), strconv.Quote(s.leaf)
	if s.leaf == "" {
		parent = "null"
	}
	s.write(fmt.Appendf(nil, `{"id":%q,"parentId":%s,"timestamp":%q,%s}`+"\n", id, parent, s.now().UTC().Format("2006-01-02T15:04:05.000Z"), members))
	s.leaf = id
}

// What the footer and /prune-stats say of a session is what replay says of it. Fetches are
// left out, which replay makes up and nobody made here, and so are summaries: that of the
// recording was pi's own. They differ by what that kept: a live session takes pi to have kept
// more of the conversation than plain pi would, because what was shortened left room for it.
func TestTheBillOfALiveSessionIsThatOfItsReplay(t *testing.T) {
	t.Parallel()
	recorded := evenly(t, "../testdata/sessions/shop-fork.jsonl")
	open := must.Get(pi.Open(recorded))(t)
	defer open.Close()
	r := must.Get(replay.Load(open.Tree, open.Line))(t)
	prices, _ := token.Profile("anthropic-5m")
	world := replay.World{Of: func(*session.Model) token.Prices { return prices }}
	replayed := func(p replay.Policy) bill.Bill {
		run := must.Get(r.Run(t.Context(), p, world, replay.Options{}))(t)
		return run.Bill.Tokens
	}
	parts := func(b bill.Bill) float64 {
		return b.Parts[bill.Requests].Cost + b.Parts[bill.Declarations].Cost + b.Parts[bill.Markers].Cost
	}
	s := newLiveSession(t, r.Models[0].Scale)
	s.play(recorded)
	said := s.ask(hooks.EventCommand, `{"name":"prune-stats"}`)
	dollars := func(pattern string) (sum float64) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(said, -1) {
			n := must.Get(strconv.ParseFloat(m[1], 64))(t)
			sum += n
		}
		return sum
	}
	for name, c := range map[string]struct{ live, replayed, share float64 }{
		"plain pi": {dollars(`\$([\d.]+) with plain pi`), replayed(replay.None()).Billed, 0.02},
		"pictx":    {dollars(`(?:requests|declarations|markers) .*\$([\d.]+)`), parts(replayed(replay.Policy{Name: "auto", Planner: policy.NewAuto(policy.AutoSettings{})})), 0.03},
	} {
		must.Not(t, math.Abs(c.live-c.replayed) > c.share*c.replayed, "%s: %.0f live, %.0f in replay\n%s", name, c.live, c.replayed, said)
	}
}

// Holds prune 53.
func TestGoingBackInTheTreeTakesNoRequestOutOfTheBill(t *testing.T) {
	t.Parallel()
	s := newLiveSession(t, 1)
	s.play("../testdata/sessions/notes-1.5.jsonl")
	s.ask(hooks.EventCommand, `{"name":"prune","args":""}`)
	total := regexp.MustCompile(`This session: .*`)
	before := total.FindString(s.ask(hooks.EventCommand, `{"name":"prune-stats"}`))
	open := must.Get(pi.Open(s.file))(t)
	defer open.Close()
	path := open.Tree.Path(s.leaf)
	s.leaf = path[len(path)/3].ID
	after := total.FindString(s.ask(hooks.EventCommand, `{"name":"prune-stats"}`))
	must.Not(t, before == "" || before != after, "before: %s\nafter:  %s", before, after)
}

// Who prunes while the cache is warm pays for writing it again: both figures are said, before
// and after.
func TestPruningOnDemandSaysWhatItCostsAndSaves(t *testing.T) {
	t.Parallel()
	s := newLiveSession(t, 1)
	s.play("../testdata/sessions/shop-fork.jsonl")
	price := regexp.MustCompile(`smaller( and cost \$([\d.]+) less each; writing the cache again costs \$([\d.]+) once, and the savings of (\d+) requests? cover that)\.`)
	before := price.FindStringSubmatch(s.ask(hooks.EventCommand, `{"name":"prune-stats"}`))
	said := s.ask(hooks.EventCommand, `{"name":"prune","args":""}`)
	after := price.FindStringSubmatch(said)
	must.Stop(t, before == nil || after == nil || before[1] != after[1], "before %q, after %q\n%s", before, after, said)
	number := func(i int) float64 {
		return must.Get(strconv.ParseFloat(after[i], 64))(t)
	}
	// The amounts are rounded, so the number of requests follows from them only roughly.
	less, once, requests := number(2), number(3), number(4)
	must.Not(t, requests*(less+0.005) < once-0.005 || (requests-1)*(less-0.005) > once+0.005, "%.0f requests that each cost $%.4f less do not first cover $%.4f", requests, less, once)
	s.last += int(24 * time.Hour / time.Millisecond)
	if said := s.ask(hooks.EventCommand, `{"name":"prune-stats"}`); price.MatchString(said) {
		t.Errorf("with a cold cache: %s", said)
	}
}

// What pruning costs is not billed before a request was made.
func TestPictxRepeatsTheFooterThatPruningHasJustSet(t *testing.T) {
	t.Parallel()
	s := newLiveSession(t, 1)
	s.play("../testdata/sessions/notes-1.5.jsonl")
	s.ask(hooks.EventCommand, `{"name":"prune","args":""}`)
	footer := s.footer
	said := s.ask(hooks.EventCommand, `{"name":"pictx","args":""}`)
	must.Not(t, footer == "" || !strings.HasPrefix(said, "The footer now: "+footer+"\n"), "the footer is %q, and /pictx says: %.80s", footer, said)
}
