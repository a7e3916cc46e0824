//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
)

// parseResponses reads a request of OpenAI's Responses into one of messages: the output of
// a call is a message of the role tool, as in Chat.
func parseResponses(raw []byte) request {
	var body struct {
		Instructions json.RawMessage
		Input        []json.RawMessage
		Tools        []struct{ Name string }
		Max          int `json:"max_output_tokens"`
	}
	var whole struct{ Tools json.RawMessage }
	json.Unmarshal(raw, &body)
	json.Unmarshal(raw, &whole)
	r := request{API: "responses", Raw: raw, System: flat(body.Instructions), ToolsRaw: whole.Tools, MaxTok: body.Max}
	for _, item := range body.Input {
		var head struct {
			Type, Role      string
			Content, Output json.RawMessage
		}
		json.Unmarshal(item, &head)
		switch {
		case head.Role == "system" || head.Role == "developer":
			r.System += flat(head.Content)
		case head.Type == "function_call_output":
			r.Messages = append(r.Messages, sent{"tool", flat(head.Output), item})
		case head.Role != "":
			r.Messages = append(r.Messages, sent{head.Role, flat(head.Content), item})
		default:
			r.Messages = append(r.Messages, sent{"assistant", "", item})
		}
	}
	for _, tool := range body.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	return r
}

// streamResponses answers as OpenAI's Responses do: what the model thought comes as an
// item that only the provider can read, and calls belong to it by their ids.
func streamResponses(w io.Writer, req request, a turn) {
	event := func(data object) {
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", data["type"], asJSON(data))
		flush(w)
	}
	id := fmt.Sprintf("resp_%d", req.Seq)
	var output []object
	part := func(kind string, data object) object {
		data["type"] = "response." + kind
		return data
	}
	item := func(start, done object, parts ...object) {
		parts = append([]object{part("output_item.added", object{"item": start})}, parts...)
		for _, p := range append(parts, part("output_item.done", object{"item": done})) {
			p["output_index"], p["item_id"] = len(output), done["id"]
			event(p)
		}
		output = append(output, done)
	}
	event(part("created", object{"response": object{"id": id, "status": "in_progress"}}))
	if a.Thinking != "" {
		rs := fmt.Sprintf("rs_%d", req.Seq)
		summary := object{"type": "summary_text", "text": a.Thinking}
		item(object{"type": "reasoning", "id": rs, "summary": []object{}},
			object{"type": "reasoning", "id": rs, "summary": []object{summary}, "encrypted_content": a.signature("c2VhbGVk")},
			part("reasoning_summary_part.added", object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}}),
			part("reasoning_summary_text.delta", object{"summary_index": 0, "delta": a.Thinking}),
			part("reasoning_summary_part.done", object{"summary_index": 0, "part": summary}))
	}
	if a.Text != "" {
		msg := fmt.Sprintf("msg_%d", req.Seq)
		text := object{"type": "output_text", "text": a.Text, "annotations": []object{}}
		item(object{"type": "message", "id": msg, "role": "assistant", "status": "in_progress", "content": []object{}},
			object{"type": "message", "id": msg, "role": "assistant", "status": "completed", "content": []object{text}},
			part("content_part.added", object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}}}),
			part("output_text.delta", object{"content_index": 0, "delta": a.Text}))
	}
	for i, c := range a.Tools {
		call := func(arguments, status string) object {
			return object{"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", req.Seq, i), "call_id": fmt.Sprintf("call_%d_%d", req.Seq, i), "name": c.Name, "arguments": arguments, "status": status}
		}
		item(call("", "in_progress"), call(a.arguments(i), "completed"),
			part("function_call_arguments.delta", object{"delta": a.arguments(i)}),
			part("function_call_arguments.done", object{"arguments": a.arguments(i)}))
	}
	prompt, written := a.tokens(req)
	usage := object{
		"input_tokens": prompt, "output_tokens": written, "total_tokens": prompt + written,
		"input_tokens_details": object{"cached_tokens": a.cached(req)}, "output_tokens_details": object{"reasoning_tokens": 0},
	}
	response := object{"id": id, "status": "completed", "output": output, "usage": usage}
	if a.seal != nil {
		usage["input_tokens_details"] = object{"cached_tokens": a.cached(req), "cache_write_tokens": prompt - a.cached(req)}
		response["input_transformations"] = a.seal.dropped
	}
	event(part("completed", object{"response": response}))
}
