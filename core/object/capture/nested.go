package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
)

// nestedCall is the record that pi, from 0.99 on, keeps of a call that a tool made. The call has
// no message of its own, and its result is not kept.
type nestedCall struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Status    string         `json:"status"` // "ok", "error" or "unfinished"
	Arguments jsontext.Value `json:"arguments"`
}

// nested captures the calls that the tool of a result made. Each names the call that
// made it: pi gives the nth call of a call the id "<its id>/<n>". They have no content,
// so they are discovered and not activated.
func (c *Capture) nested(n *message.Node, raw []byte) error {
	calls, err := nestedCalls(n.Body.Of(raw))
	if err != nil {
		return fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	for _, call := range calls {
		caller := n.Message.ToolCallID
		if i := strings.LastIndexByte(call.ID, '/'); i > 0 {
			caller = call.ID[:i]
		}
		parent := object.NewID(object.ToolcallKey(c.Session, n.ID, caller), 0)
		k := object.ToolcallKey(c.Session, n.ID, call.ID)
		doc := &object.Document{
			Kind:       object.KindToolcall,
			Provenance: object.Provenance{Origin: "pi", Generator: object.ByTool},
			Toolcall: &object.Toolcall{
				Tool: call.Name, Args: call.Arguments, ArgsDisplay: argsDisplay(call.Arguments), Status: object.StatusOK, Parent: parent,
			},
		}
		if call.Status != "ok" {
			doc.Toolcall.Status = object.StatusFail
		}
		c.put(object.NewID(k, 0), k, object.Op{Doc: doc, Valid: object.Interval{From: timeOf(n)}, Once: true}, object.Discovered, n.ID)
	}
	return nil
}

// nestedCalls are the calls that a tool result lists.
func nestedCalls(body []byte) ([]nestedCall, error) {
	if !bytes.Contains(body, []byte(`"nestedCalls"`)) {
		return nil, nil // hardly any result has them, and a body can be long
	}
	var p message.Parser
	at, err := p.Member(body, "nestedCalls")
	if err != nil || at.End == 0 {
		return nil, err
	}
	var list struct {
		Calls []nestedCall `json:"calls"`
	}
	if json.Unmarshal(at.Of(body), &list) != nil {
		return nil, nil // another version's format: the result itself matters more
	}
	return list.Calls, nil
}
