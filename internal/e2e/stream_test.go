//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// object is a JSON object.
type object map[string]any

// asJSON writes a value that can be written.
func asJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// pieces cuts a text as a provider would, so that pi has something to join.
func pieces(s string) []string {
	var all []string
	for rest := []rune(s); len(rest) > 0; {
		n := min(200, len(rest))
		all = append(all, string(rest[:n]))
		rest = rest[n:]
	}
	return all
}

// tokens is the usage reported for a request and its answer.
func (a turn) tokens(req request) (prompt, output int) {
	prompt, output = a.Prompt, a.Output
	if prompt == 0 && a.seal != nil {
		prompt = a.seal.read + a.seal.written
	}
	if prompt == 0 {
		prompt = len(req.Raw)/4 + 1
	}
	if output == 0 {
		output = (len(a.Text)+len(a.Thinking)+len(asJSON(a.Tools)))/4 + 1
	}
	return prompt, output
}

// cached is how much of the prompt was in the provider's cache.
func (a turn) cached(req request) int {
	prompt, _ := a.tokens(req)
	if a.Forgotten {
		return 0
	}
	if a.seal != nil {
		return min(a.seal.read, prompt)
	}
	return min(req.Cached, prompt)
}

func (a turn) arguments(i int) string {
	if a.Tools[i].Args == nil {
		return "{}"
	}
	return string(asJSON(a.Tools[i].Args))
}

// signature is that of the thinking of an answer.
func (a turn) signature(unchecked string) string {
	if a.seal == nil {
		return unchecked
	}
	return a.seal.signature
}

func streamOpenAI(w io.Writer, req request, a turn) {
	head := object{"id": fmt.Sprintf("chatcmpl-%d", req.Seq), "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
	send := func(choices []object, usage any) {
		chunk := object{"choices": choices}
		for k, v := range head {
			chunk[k] = v
		}
		if usage != nil {
			chunk["usage"] = usage
		}
		fmt.Fprintf(w, "data: %s\n\n", asJSON(chunk))
		flush(w)
	}
	delta := func(d object) { send([]object{{"index": 0, "delta": d, "finish_reason": nil}}, nil) }
	delta(object{"role": "assistant"})
	for _, p := range pieces(a.Thinking) {
		delta(object{"reasoning_content": p})
	}
	for _, p := range pieces(a.Text) {
		delta(object{"content": p})
	}
	for i, c := range a.Tools {
		delta(object{"tool_calls": []object{{"index": i, "id": fmt.Sprintf("call_%d_%d", req.Seq, i), "type": "function", "function": object{"name": c.Name, "arguments": ""}}}})
		for _, p := range pieces(a.arguments(i)) {
			delta(object{"tool_calls": []object{{"index": i, "function": object{"arguments": p}}}})
		}
	}
	finish := "stop"
	if len(a.Tools) > 0 {
		finish = "tool_calls"
	}
	send([]object{{"index": 0, "delta": object{}, "finish_reason": finish}}, nil)
	prompt, output := a.tokens(req)
	usage := object{"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
	if cached := a.cached(req); cached > 0 {
		usage["prompt_tokens_details"] = object{"cached_tokens": cached}
	}
	send([]object{}, usage)
	io.WriteString(w, "data: [DONE]\n\n")
}

func streamAnthropic(w io.Writer, req request, a turn) {
	prompt, output := a.tokens(req)
	cached := a.cached(req)
	usage := object{"input_tokens": prompt - cached, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0, "output_tokens": output}
	if a.seal != nil {
		usage["input_tokens"], usage["cache_creation_input_tokens"] = 0, prompt-cached
	}
	event := func(kind string, data object) {
		data["type"] = kind
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, asJSON(data))
		flush(w)
	}
	index := 0
	block := func(start object, deltas []object) {
		event("content_block_start", object{"index": index, "content_block": start})
		for _, d := range deltas {
			event("content_block_delta", object{"index": index, "delta": d})
		}
		event("content_block_stop", object{"index": index})
		index++
	}
	each := func(text, kind, name string) []object {
		var deltas []object
		for _, p := range pieces(text) {
			deltas = append(deltas, object{"type": kind, name: p})
		}
		return deltas
	}
	message := object{"id": fmt.Sprintf("msg_%d", req.Seq), "type": "message", "role": "assistant", "model": "scripted", "content": []object{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	if a.seal != nil {
		message["model"] = req.Model
		if len(a.seal.dropped) > 0 {
			message["input_transformations"] = a.seal.dropped
		}
	}
	event("message_start", object{"message": message})
	if a.Thinking != "" {
		signature := object{"type": "signature_delta", "signature": a.signature("c2lnbmF0dXJl")}
		block(object{"type": "thinking", "thinking": "", "signature": ""}, append(each(a.Thinking, "thinking_delta", "thinking"), signature))
	}
	if a.Text != "" {
		block(object{"type": "text", "text": ""}, each(a.Text, "text_delta", "text"))
	}
	for i, c := range a.Tools {
		start := object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", req.Seq, i), "name": c.Name, "input": object{}}
		block(start, each(a.arguments(i), "input_json_delta", "partial_json"))
	}
	stop := "end_turn"
	if len(a.Tools) > 0 {
		stop = "tool_use"
	}
	event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event("message_stop", object{})
}

func flush(w io.Writer) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
