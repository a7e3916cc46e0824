package commands

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
)

// Holds objects 34.
func TestNestedCallsNameTheCallThatMadeThem(t *testing.T) {
	t.Parallel()
	c := newCaptured(t)
	c.add(`"role":"assistant","content":[{"type":"toolCall","id":"call_0","name":"script","arguments":{}}],"stopReason":"toolUse"`)
	entry := c.add(`"role":"toolResult","toolCallId":"call_0","toolName":"script","content":[{"type":"text","text":"done"}],"isError":false,"nestedCalls":{"calls":[` +
		`{"id":"call_0/1","name":"read","status":"ok","arguments":{"path":"a.go"},"durationMs":3},` +
		`{"id":"call_0/2","name":"task","status":"error","argumentsBytes":9000,"error":"no"},` +
		`{"id":"call_0/2/1","name":"bash","status":"ok","arguments":{"command":"ls"}}],"complete":false}`)
	other := c.add(`"role":"toolResult","toolCallId":"call_1","toolName":"script","content":[],"isError":false,"nestedCalls":"many"`)
	must.Equal(t, c.turn(), 2, "results are captured")
	get := func(entry, id string) *object.Version {
		o := must.Get(c.store.Objects.ByKey(t.Context(), object.ToolcallKey("s-1", entry, id)))(t)
		return must.Get(c.store.Objects.Get(t.Context(), o.ID, 0))(t)
	}
	parent := get(entry, "call_0").ID
	for _, want := range []struct {
		id, tool, display, parent string
		status                    object.Status
	}{
		{"call_0/1", "read", "a.go", parent, object.StatusOK},
		{"call_0/2", "task", "", parent, object.StatusFail},
		{"call_0/2/1", "bash", "ls", get(entry, "call_0/2").ID, object.StatusOK},
	} {
		v := get(entry, want.id)
		call := v.Doc.Toolcall
		if call.Tool != want.tool || call.ArgsDisplay != want.display || call.Parent != want.parent || call.Status != want.status || v.Doc.Content != nil {
			t.Errorf("%s: %+v", want.id, call)
		}
	}
	get(other, "call_1")
	events := must.Get(c.store.Objects.Events(t.Context(), "s-1"))(t)
	got := object.Replay(events, nil)[get(entry, "call_0/1").ID].State
	must.Not(t, got != object.Inactive, "what a script saw is %v to the model", got)
}
