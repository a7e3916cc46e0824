package hooks_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// lazy is a system with a tool that is of use when the test says so.
type lazy struct {
	system
	useful bool
}

func (s lazy) Useful(context.Context, *hooks.Call, string) (bool, error) { return s.useful, nil }

// withTool declares a tool of this name.
func withTool(name string) system {
	return system{name: name, declare: func(h *hooks.Hello) {
		h.Tools = append(h.Tools, hooks.Tool{Name: name, Label: name, Description: "d", Parameters: []byte(`{"type": "object"}`)})
	}}
}

func TestToolsBecomeActiveOnlyWhereThePromptIsWrittenAnyway(t *testing.T) {
	t.Parallel()
	d, _ := dispatcher(t, lazy{withTool("useful"), true}, lazy{withTool("useless"), false}, withTool("always"))
	for _, c := range []struct {
		event, payload string
		want           []string
	}{
		{hooks.EventBeforeAgent, `{"first":true}`, []string{"useful", "always"}},
		{hooks.EventCompact, `{}`, nil},
		{hooks.EventBeforeAgent, `{}`, nil},
		{hooks.EventTurnEnd, `{}`, nil},
		{hooks.EventTree, `{}`, nil},
	} {
		reply, _ := d.Handle(t.Context(), request(c.event, c.payload), 0)
		must.Match(t, reply.Active, c.want, "%s %s", c.event, c.payload)
	}
	hello, err := d.Hello("/w", nil)
	must.Not(t, err != nil || hello.Active == nil || len(hello.Active) > 0 || len(hello.Tools) != 3, "hello: %+v, %v", hello, err)
}

// recorded is a session with a request whose answer is the last entry but for records of
// what was declared.
type recorded struct {
	tree  message.Tree
	lines map[string]string
}

func (s *recorded) Entries() *message.Tree               { return &s.tree }
func (s *recorded) Line(n *message.Node) ([]byte, error) { return []byte(s.lines[n.ID]), nil }
func (s *recorded) add(e message.Entry, id, data string) {
	e.ID, e.ParentID = id, s.tree.Leaf()
	s.lines[id] = data
	s.tree.Add(message.Node{Entry: e})
}

func asked(declared ...string) *recorded {
	s := &recorded{lines: map[string]string{}}
	for i, d := range declared {
		s.add(message.Entry{Type: message.EntryCustom, Message: message.Head{CustomType: "pictx.declared"}}, fmt.Sprint("d", i), `{"data":{"names":[`+d+`]}}`)
	}
	s.add(message.Entry{Type: message.EntryMessage, Message: message.Head{Role: message.RoleAssistant}}, "a", "")
	return s
}

// The tools come first in a prompt: another set would have the whole of it billed again.
func TestAResumedSessionDeclaresWhatItsCachedPromptHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		session *recorded
		never   bool
		want    []string
	}{
		{"nothing was declared", asked(), false, []string{}},
		{"one tool was declared", asked(`"late"`), false, []string{"late"}},
		{"in the order of the records", asked(`"late"`, `"always","late"`), false, []string{"late", "always"}},
		{"only the last record counts", asked(`"late","always"`, `"always"`), false, []string{"always"}},
		{"a tool that is no longer there", asked(`"gone","late"`), false, []string{"late"}},
		{"unless the user wants none", asked(`"late"`), true, []string{}},
	} {
		d, _ := dispatcher(t, withTool("always"), lazy{withTool("late"), false}, lazy{withTool("useful"), true})
		w := &world{session: c.session}
		if c.never {
			w.settings = []string{"PICTX_DECLARE=" + string(config.DeclareNever)}
		}
		d.World = w
		reply, _ := d.Handle(t.Context(), request(hooks.EventBeforeAgent, `{"first":true}`), 0)
		must.Not(t, !slices.Equal(reply.Active, c.want), "%s: %v are active, want %v", c.name, reply.Active, c.want)
	}
}

func TestTheSessionCarriesWhatIsDeclared(t *testing.T) {
	t.Parallel()
	for declare, want := range map[config.Declare]string{config.DeclareAuto: "pictx.declared", config.DeclareNever: ""} {
		d, _ := dispatcher(t, withTool("always"))
		d.World = &world{settings: []string{"PICTX_DECLARE=" + string(declare)}}
		reply := handled(t, d, request(hooks.EventBeforeAgent, `{"first":true}`))
		got := ""
		for _, e := range reply.Effects {
			got += e.CustomType
		}
		must.Not(t, got != want || (len(reply.Active) > 0) != (want != ""), "%s: %+v", declare, reply)
	}
}
