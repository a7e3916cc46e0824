package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// CustomType is the type of the messages that the layout adds.
const CustomType = "pictx.objects"

// CatalogueMessage returns the message of a catalogue, as JSON.
func CatalogueMessage(text string) []byte {
	return customMessage(message.TextContent(text))
}

// ActiveMessage returns the message with the content of an active object, as JSON. raw is
// the tool result, h its head. The texts follow a line that names the object; images come
// last.
func ActiveMessage(id string, h *message.Head, raw []byte) []byte {
	var texts []string
	var images []byte
	switch h.Content.Kind {
	case message.ContentText:
		texts = append(texts, message.Unquote(h.Content.Span.Of(raw)))
	case message.ContentBlocks:
		var p message.Parser
		list := p.List(h.Content.Span.Of(raw))
		for i, b := range h.Content.Blocks {
			switch {
			case b.Kind == message.BlockText:
				texts = append(texts, message.Unquote(b.Text.Of(raw)))
			case b.Kind == message.BlockImage && i < len(list):
				images = append(append(images, ','), list[i]...)
			}
		}
	}
	content := message.TextContent(ActiveHead(id) + "\n" + strings.Join(texts, "\n"))
	content = append(append(content[:len(content)-1], images...), ']')
	return customMessage(content)
}

// customMessage returns a message of an extension, which pi passes to the model as a user
// message.
func customMessage(content []byte) []byte {
	return fmt.Appendf(nil, `{"role":"custom","customType":%q,"content":%s,"display":false,"timestamp":0}`, CustomType, content)
}

// Contents returns the messages with the contents of the active objects, as JSON. What
// several reads of one file show alike stands once, as the newest of them. result returns
// a tool result and its head.
func (l Layout) Contents(result func(Slot) (*message.Head, []byte, error)) ([][]byte, error) {
	type shown struct{ path, content string }
	later := make(map[shown]bool)
	var out [][]byte
	for _, a := range slices.Backward(l.Active) {
		h, raw, err := result(a)
		if err != nil {
			return nil, err
		}
		s := shown{a.Read, string(h.Content.Span.Of(raw))}
		if a.Read != "" && later[s] {
			continue
		}
		later[s] = true
		out = append(out, ActiveMessage(a.ID, h, raw))
	}
	slices.Reverse(out)
	return out, nil
}
