package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

func TestSystemsHandleAnEventInOrderAndAFailureStopsNoOther(t *testing.T) {
	broken := system{name: "broken", handle: func(context.Context, *hooks.Call) error { return errors.New("no") }}
	panics := system{name: "panics", handle: func(context.Context, *hooks.Call) error { panic("oh\nno") }}
	d, log := dispatcher(t, effects("a"), broken, panics, effects("b"))
	reply, after := d.Handle(t.Context(), request(hooks.EventTurnEnd, "{}"), 5)
	after(t.Context(), nil)
	must.Match(t, texts(reply), []string{"a", "b"}, "what differs")
	must.Equal(t, reply.Error, "broken: no panics: internal error: oh no", "error")
	must.Not(t, len(*log) != 1 || (*log)[0].Result != "failed" || (*log)[0].Bytes != 5 || (*log)[0].Session != "s" || strings.Contains((*log)[0].Error, "\n"), "log %+v", *log)
}

func TestAnErrorIsReportedOnlyWithoutAResult(t *testing.T) {
	failing := func(err error) system {
		return system{name: "x", handle: func(context.Context, *hooks.Call) error { return err }}
	}
	good := system{name: "good", handle: func(_ context.Context, c *hooks.Call) error {
		c.Result().Entries = append(c.Result().Entries, hooks.CustomEntry("t", nil))
		return nil
	}}
	for name, c := range map[string]struct {
		event   string
		systems []hooks.System
		told    bool
		result  string
	}{
		"a failure":                   {hooks.EventTurnEnd, []hooks.System{failing(errors.New("no"))}, true, "failed"},
		"a failure beside a result":   {hooks.EventTurnEnd, []hooks.System{failing(errors.New("no")), good}, false, "failed"},
		"somebody else was writing":   {hooks.EventTurnEnd, []hooks.System{failing(fmt.Errorf("store: %w", errBusy))}, false, "late"},
		"no time left":                {hooks.EventTurnEnd, []hooks.System{failing(context.DeadlineExceeded)}, false, "late"},
		"a context without its edits": {hooks.EventContext, []hooks.System{failing(errBusy)}, true, "late"},
		"nothing wrong":               {hooks.EventContext, []hooks.System{good}, false, "ok"},
		"nothing to say":              {hooks.EventTurnEnd, nil, false, "ok"},
	} {
		d, log := dispatcher(t, c.systems...)
		reply := handled(t, d, request(c.event, "{}"))
		must.Not(t, (reply.Error != "") != c.told || (*log)[0].Result != c.result, "%s: error %q, logged %q", name, reply.Error, (*log)[0].Result)
	}
}

func TestACancelledRequestIsLoggedAsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, log := dispatcher(t, system{name: "x", handle: func(ctx context.Context, _ *hooks.Call) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}})
	_, after := d.Handle(ctx, request(hooks.EventTurnEnd, "{}"), 0)
	after(t.Context(), func(...hooks.Effect) {})
	must.Not(t, (*log)[0].Result != "cancelled", "%+v", *log)
}

// Where the machine is busy a reply takes its time to reach the agent.
func TestTheEndOfASessionIsWorkedOnForLessThanTheAgentWaits(t *testing.T) {
	d, _ := dispatcher(t)
	hello := must.Get(d.Hello("/p", nil))(t)
	waits := time.Duration(hello.Timeouts.Events[hooks.EventSessionShutdown]) * time.Millisecond
	left := timeFor(t, request(hooks.EventSessionShutdown, "{}"))
	must.Not(t, left > waits*3/4, "it is worked on for %v, the agent waits for %v", left, waits)
}

// An extract of a long conversation takes longer than other events have, and a session that is
// not stored yet takes longer to read.
func TestAPromptHasTheTimeThatTheAgentWaits(t *testing.T) {
	for _, c := range []struct {
		can, payload string
		least, most  time.Duration
	}{
		{hooks.CanFold, "{}", 2 * time.Second, time.Minute},
		{hooks.CanComplete, "{}", 0, 300 * time.Millisecond},
		{hooks.CanComplete, `{"first":true}`, 300 * time.Millisecond, time.Second},
	} {
		r := request(hooks.EventBeforeAgent, c.payload)
		r.Can = []string{c.can}
		left := timeFor(t, r)
		must.Not(t, left < c.least || left > c.most, "an agent that can %s, %s: %v", c.can, c.payload, left)
	}
}

func TestAProjectThatCannotBeOpenedIsAnError(t *testing.T) {
	d, log := dispatcher(t, effects("a"))
	d.World = &world{err: errors.New("read-only")}
	reply := handled(t, d, request(hooks.EventContext, "{}"))
	must.Not(t, reply.Error != "read-only" || len(reply.Effects) > 0 || (*log)[0].Result != "failed", "%+v, %+v", reply, *log)
}

func TestTheSessionIsReleasedBeforeBackgroundWork(t *testing.T) {
	w := &world{}
	closed := -1
	d, _ := dispatcher(t, system{name: "x", after: func(context.Context, *hooks.Call, func(...hooks.Effect)) error {
		closed = w.closed
		return nil
	}})
	d.World = w
	handled(t, d, request(hooks.EventAgentEnd, "{}"))
	must.Not(t, closed != 1, "closed %d times before", closed)
}

func TestBackgroundWorkThatFailsIsLogged(t *testing.T) {
	d, log := dispatcher(t, system{name: "x", after: func(context.Context, *hooks.Call, func(...hooks.Effect)) error {
		panic("oh")
	}})
	handled(t, d, request(hooks.EventAgentEnd, "{}"))
	must.Not(t, len(*log) != 2 || (*log)[1].Error != "internal error: oh" || (*log)[1].Decision != "afterwards", "%+v", *log)
}

func TestMissedRequestsAreLogged(t *testing.T) {
	d, log := dispatcher(t)
	r := request(hooks.EventTurnEnd, "{}")
	r.Missed = []hooks.Missed{{Event: "context", MS: 201.5, Why: "no reply\nin time"}}
	handled(t, d, r)
	must.Stop(t, len(*log) != 2, "%+v", *log)
	got := (*log)[0]
	must.Not(t, got.Event != "context" || got.Result != "missed" || got.Error != "no reply in time" || got.Took.Milliseconds() != 201, "%+v", got)
}

// asker asks twice and remembers the first answer in between.
func asker(name string) system {
	return system{name: name, handle: func(_ context.Context, c *hooks.Call) error {
		type state struct{ First string }
		var kept state
		if a, ok := c.Answered("second"); ok && c.Kept(&kept) {
			c.Add(hooks.Notify(name+" "+kept.First+" "+string(a.Value), "info"))
			c.Result().Text = "done"
			return nil
		}
		if a, ok := c.Answered("first"); ok {
			c.Ask(hooks.Ask{ID: "second", Kind: hooks.AskInput, Title: "2"})
			return c.Keep(state{string(a.Value)})
		}
		c.Result().Text = "not yet"
		c.Ask(hooks.Ask{ID: "first", Kind: hooks.AskConfirm, Title: "1"})
		return nil
	}}
}

func TestAsksComeBackWithTheirAnswersAndState(t *testing.T) {
	d, _ := dispatcher(t, asker("a"), asker("b"))
	r := request(hooks.EventAgentEnd, "{}")
	first, _ := d.Handle(t.Context(), r, 0)
	must.Stop(t, len(first.Ask) != 2 || first.Ask[0].ID != "a.first" || first.Ask[1].ID != "b.first" || first.Result != nil || first.State != nil, "%+v", first)
	r.Replies = []hooks.Answer{{ID: "a.first", Value: []byte("1")}, {ID: "b.first", Value: []byte("2")}}
	second, _ := d.Handle(t.Context(), r, 0)
	must.Stop(t, len(second.Ask) != 2 || string(second.State) != `{"a":{"First":"1"},"b":{"First":"2"}}`, "%+v %s", second, second.State)
	r.State = second.State
	r.Replies = []hooks.Answer{{ID: "a.second", Value: []byte("3")}, {ID: "b.second", Value: []byte("4")}}
	last, _ := d.Handle(t.Context(), r, 0)
	diff := cmp.Diff([]string{"a 1 3", "b 2 4"}, texts(last))
	must.Not(t, diff != "" || len(last.Ask) > 0 || last.Result.Text != "done", "%+v %s", last, diff)
}

func TestStateBetweenAsksIsSmall(t *testing.T) {
	d, _ := dispatcher(t, system{name: "x", handle: func(_ context.Context, c *hooks.Call) error {
		c.Ask(hooks.Ask{ID: "a", Kind: hooks.AskConfirm})
		return c.Keep(strings.Repeat("x", 5000))
	}})
	reply, _ := d.Handle(t.Context(), request(hooks.EventAgentEnd, "{}"), 0)
	must.Not(t, reply.Error == "" || len(reply.Ask) > 0 || len(reply.State) > 0, "%+v", reply)
}

func TestToolsAndCommandsGoToTheSystemThatDeclaredThem(t *testing.T) {
	owner := func(name string) system {
		s := effects(name)
		s.declare = func(h *hooks.Hello) {
			h.Tools = append(h.Tools, hooks.Tool{Name: "t-" + name})
			h.Commands = append(h.Commands, hooks.CommandSpec{Name: "c-" + name})
		}
		return s
	}
	d, _ := dispatcher(t, owner("a"), owner("b"))
	for _, c := range []struct{ event, payload, want string }{
		{hooks.EventTool, `{"name":"t-b","params":{}}`, "b"},
		{hooks.EventCommand, `{"name":"c-a","args":""}`, "a"},
		{hooks.EventComplete, `{"name":"c-b","prefix":""}`, "b"},
		{hooks.EventTool, `{"name":"c-b","params":{}}`, ""},
		{hooks.EventCommand, `{"name":"gone","args":""}`, ""},
		{hooks.EventCommand, `[]`, ""},
	} {
		reply, _ := d.Handle(t.Context(), request(c.event, c.payload), 0)
		must.Equal(t, strings.Join(texts(reply), " "), c.want, "%s %s went to", c.event, c.payload)
	}
}

func TestTheLogNamesTheCommandOrToolThatRan(t *testing.T) {
	d, log := dispatcher(t, system{
		declare: func(h *hooks.Hello) {
			h.Commands = append(h.Commands, hooks.CommandSpec{Name: "prune"})
			h.Tools = append(h.Tools, hooks.Tool{Name: "lcm_grep"})
		},
		handle: func(_ context.Context, c *hooks.Call) error {
			if c.Is(hooks.EventCommand, hooks.EventTurnEnd) {
				c.Note("pruned 3 tool outputs")
			}
			return nil
		},
	})
	for _, c := range []struct{ event, payload, want string }{
		{hooks.EventCommand, `{"name":"prune","args":"of a secret"}`, "/prune: pruned 3 tool outputs"},
		{hooks.EventComplete, `{"name":"prune","prefix":"pi"}`, "/prune"},
		{hooks.EventTool, `{"name":"lcm_grep","params":{"query":"a secret"}}`, "lcm_grep"},
		{hooks.EventTurnEnd, `{"name":"no command"}`, "pruned 3 tool outputs"},
	} {
		handled(t, d, request(c.event, c.payload))
		got := (*log)[len(*log)-1]
		must.Not(t, got.Event != c.event || got.Decision != c.want, "%s %s is logged as %q, want %q", c.event, c.payload, got.Decision, c.want)
	}
}

// While pi offers a completion, Enter chooses it instead of sending the command.
func TestAWordThatIsTypedInFullIsNotOffered(t *testing.T) {
	d, _ := dispatcher(t, system{
		declare: func(h *hooks.Hello) { h.Commands = append(h.Commands, hooks.CommandSpec{Name: "c"}) },
		handle: func(_ context.Context, c *hooks.Call) error {
			var p hooks.Completion
			if err := c.Read(&p); err != nil {
				return err
			}
			c.Result().Items = hooks.CompleteWord(p.Prefix, []string{"pin", "pins", "unpin"})
			return nil
		},
	})
	for prefix, want := range map[string]int{"": 3, "p": 2, "pi": 2, "pin": 0, "pins": 0, "u": 1, "x": 0} {
		reply, _ := d.Handle(t.Context(), request(hooks.EventComplete, `{"name":"c","prefix":"`+prefix+`"}`), 0)
		got := len(reply.Result.Items)
		must.Not(t, got != want, "%q gets %d completions, want %d", prefix, got, want)
	}
}

func TestHelloListsEachWantedEventOnce(t *testing.T) {
	wants := func(events ...string) system {
		return system{declare: func(h *hooks.Hello) { h.Want(events...) }}
	}
	d, _ := dispatcher(t, wants("turn_end", "session_start", "nonsense"), wants("context", "turn_end"))
	h, err := d.Hello("/w", nil)
	if err != nil || !slices.Equal(h.Wants, []string{"session_start", "context", "turn_end", "agent_end", "session_shutdown"}) || !slices.Equal(h.Background, []string{"session_start", "agent_end"}) {
		t.Errorf("%+v, %v", h, err)
	}
	must.Not(t, h.V != hooks.Version || h.Version != "1.2.3", "%+v", h)
}

func TestRequestsOfOtherVersionsAreRefused(t *testing.T) {
	for in, ok := range map[string]bool{
		`{"v":1,"event":"context","new":{"later":1}}`: true,
		`{"v":2,"event":"context"}`:                   true,
		`{"v":3,"event":"context"}`:                   false,
		`{"v":0}`:                                     false,
		`{"event":"context"}`:                         false,
		`{"v":"1"}`:                                   false,
		`[]`:                                          false,
		`{"v":1`:                                      false,
		``:                                            false,
	} {
		_, err := hooks.Parse([]byte(in))
		must.Not(t, (err == nil) != ok, "%s: %v", in, err)
	}
}

// JavaScript sends lone surrogates, and an object may have a name twice.
func TestRequestsMayHoldLoneSurrogatesAndRepeatedNames(t *testing.T) {
	r, err := hooks.Parse([]byte(`{"v":1,"event":"before_agent_start","cwd":"/w","payload":{"prompt":"\ud800","a":1,"a":2},"entries":[{"x":"\udfff"}]}`))
	must.Not(t, err != nil || string(r.Entries[0]) != `{"x":"\udfff"}`, "%+v, %v", r, err)
}
