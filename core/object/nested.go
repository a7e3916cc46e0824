package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
)

// nestedCall is the record that pi, from 0.99 on, keeps of a call that a tool made. The
// call has no message of its own, and its result is not kept.
type nestedCall struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Status    string         `json:"status"` // "ok", "error" or "unfinished"
	Arguments jsontext.Value `json:"arguments"`
}

// nested captures the calls that the tool of a result made, with a reference to the calling
// call: pi gives the nth call of a call the id "<its id>/<n>". They have no content, so
// they are discovered rather than activated.
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
		parent := NewID(ToolcallKey(c.Session, n.ID, caller), 0)
		k := ToolcallKey(c.Session, n.ID, call.ID)
		doc := &Document{
			Kind: KindToolcall,
			Toolcall: &Toolcall{
				Tool: call.Name, ArgsDisplay: argsDisplay(call.Arguments), Status: StatusOK, Parent: parent,
			},
		}
		if call.Status != "ok" {
			doc.Toolcall.Status = StatusFail
		}
		c.put(NewID(k, 0), k, Op{Doc: doc, At: timeOf(n), Once: true}, Discovered, n.ID)
	}
	return nil
}

// nestedCalls parses the calls that a tool result lists.
func nestedCalls(body []byte) ([]nestedCall, error) {
	if !bytes.Contains(body, []byte(`"nestedCalls"`)) {
		return nil, nil // parse only if necessary: few results have them
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
		return nil, nil // unknown format: capture the result without them
	}
	return list.Calls, nil
}
